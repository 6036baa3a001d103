"""What a run may spend: it stops at the limit, keeps what was answered, and goes on from there."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from spending_runs import RIGHT, calls, configured, evaluate, record

import neuter as nt
from neuter.cli.app import run
from neuter.errors import LimitReached, UsageError
from neuter.models import Store
from neuter.models.store.ledger import spent_by_run
from neuter.models.testing import loopback_server


@pytest.fixture(autouse=True)
def _no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures take longer than all the rest."""
    monkeypatch.setattr("neuter.reports.html.write_report", lambda folder, originals=None: folder)


PRICE = '[prices."loop/m"]\ninput = 10.0\noutput = 100.0\nas_of = 2026-10-14\nsource = "a test"\n'


def test_a_run_stops_at_its_requests_and_a_higher_limit_completes_it(tmp_path: Path) -> None:
    with loopback_server(answer=RIGHT) as server:
        configured(tmp_path, server.base_url)
        with pytest.raises(
            LimitReached, match=r"has sent 10 requests that count \(.*\), and --max-requests is 10"
        ) as stop:
            evaluate(tmp_path, max_requests=10)
        assert server.requests == 10
        stopped = record(tmp_path / "run")
        assert stopped["status"] == "stopped"
        assert "--max-requests is 10" in stopped["reason"]
        assert stopped["spent"]["loop/m"]["attempts"] == 10
        assert str(stop.value).startswith(str(tmp_path / "run"))
        assert "Sent 10 requests" in str(stop.value)
        with pytest.raises(LimitReached):
            evaluate(tmp_path, max_requests=10)  # the same limit is over the whole run: nothing more is sent
        assert server.requests == 10
        done = evaluate(tmp_path, max_requests=13)
        assert (server.requests, server.unique, server.most) == (13, 13, 1)
    assert done.run["status"] == "done"
    assert "reason" not in done.run
    assert done.run["id"] == stopped["id"]
    assert done.asked.startswith("Sent 3 requests; 10 answers were in the store")
    assert done.spent["loop/m"]["attempts"] == 13


def test_a_run_stops_before_it_costs_more(tmp_path: Path) -> None:
    with loopback_server(answer=RIGHT) as server:
        configured(tmp_path, server.base_url, PRICE)
        # The longest answer is what an estimate takes before there is one: 8 words come.
        short = {"parameters": {name: {"max_tokens": 20} for name in ("llm", "prior")}}
        whole = evaluate(tmp_path, out=tmp_path / "other", store=tmp_path / "other.sqlite", **short)
        each = whole.spent["loop/m"]["cost"] / 13
        before = server.requests
        with pytest.raises(LimitReached, match="--max-cost"):
            evaluate(tmp_path, max_cost=8 * each, **short)
        sent = server.requests - before
        assert 1 <= sent <= 8
        assert record(tmp_path / "run")["spent"]["loop/m"]["cost"] <= 8 * each
        done = evaluate(tmp_path, max_cost=100 * each, **short)
        assert server.requests - before == 13
    assert done.spent["loop/m"]["cost"] == pytest.approx(13 * each, rel=0.05)
    assert "(prices as of 2026-10-14)" in done.asked


def test_minutes_hold_for_one_call_of_the_command(tmp_path: Path) -> None:
    with loopback_server(answer=RIGHT, delay=0.1) as server:
        configured(tmp_path, server.base_url)
        with pytest.raises(LimitReached, match="--max-minutes"):
            evaluate(tmp_path, max_minutes=0.5 / 60)
        assert 1 <= server.requests < 13
        assert record(tmp_path / "run")["status"] == "stopped"
        evaluate(tmp_path, max_minutes=5)
        assert server.requests == 13


@pytest.mark.parametrize("limit", ["max_cost", "max_requests", "max_minutes"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_a_limit_is_above_0(limit: str, value: float, tmp_path: Path) -> None:
    whole = limit == "max_requests" and not math.isfinite(value)
    with pytest.raises(UsageError, match="is not a whole number" if whole else "is not above 0"):
        evaluate(tmp_path, **{limit: value})
    assert not (tmp_path / "run").exists()


def test_a_limit_of_0_is_not_left_out_at_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", "corpora:sample", "--max-cost", "0"]) == 2
    assert "max-cost 0" in capsys.readouterr().err


def _benchmark(tmp_path: Path, **options: Any) -> Any:
    return nt.benchmark("masking", corpus=calls(), models="loop/m", report=False, **options)


def _evaluate(tmp_path: Path, **options: Any) -> Any:
    return evaluate(tmp_path, **options)


@pytest.mark.parametrize("carry_out", [_evaluate, _benchmark])
def test_a_limit_on_cost_needs_a_price_before_anything_is_made(
    carry_out: Callable[..., Any], tmp_path: Path
) -> None:
    config = configured(tmp_path, "http://127.0.0.1:9/v1")
    with pytest.raises(UsageError, match=r'\[prices."loop/m"\]'):
        carry_out(tmp_path, max_cost=1, config=config, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_both_panels_of_a_benchmark_share_one_limit(tmp_path: Path) -> None:
    """Without a firm of the seven, Panel A is made on the sample: a run within the run."""
    corpus = [document for document in calls() if document.ticker != "AAPL"]
    with loopback_server(answer=RIGHT) as server:
        options = {
            "corpus": corpus,
            "models": "loop/m",
            "config": configured(tmp_path, server.base_url),
            "store": tmp_path / "store.sqlite",
            "out": tmp_path / "run",
            "schemes": "none",
            "model_sample": 5,
            "report": False,
        }
        with pytest.raises(LimitReached):
            nt.benchmark("masking", max_requests=8, **options)
        assert server.requests == 8
        states = [record(folder)["status"] for folder in (tmp_path / "run", tmp_path / "run/panel-a")]
        assert states == ["stopped", "done"]
        result = nt.benchmark("masking", max_requests=11, **options)
        assert server.requests == 11  # five of each part, and the prompt without a text once
    assert result.run["status"] == "done"
    assert record(tmp_path / "run/panel-a")["id"] == result.run["id"]


def test_each_call_of_mask_and_attack_is_a_run_of_its_own(tmp_path: Path) -> None:
    masked = tmp_path / "masked.parquet"
    nt.mask(calls(), scheme="none", out=masked)
    with loopback_server(answer=RIGHT) as server:
        options = {
            "attacker": "llm",
            "model": "loop/m",
            "config": configured(tmp_path, server.base_url),
            "store": tmp_path / "store.sqlite",
            "out": tmp_path / "guesses.parquet",
            "max_requests": 7,
        }
        with pytest.raises(LimitReached, match="Sent 7 requests"):
            nt.attack(masked, **options)
        assert not (tmp_path / "guesses.parquet").exists()
        guesses = nt.attack(masked, **options)
        assert server.requests == 12
    assert len(guesses) == 12
    assert guesses.asked.startswith("Sent 5 requests; 7 answers were in the store")


def test_a_stopped_command_says_how_to_go_on_and_runs_resume_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "run")
    with loopback_server(answer=RIGHT) as server:
        config = configured(tmp_path, server.base_url)
        store = tmp_path / "store.sqlite"
        command = ["evaluate", "corpora:sample", "--limit", "12", "--scheme", "none", "--attacker", "llm"]
        command += ["--model", "loop/m", "--config", str(config), "--store", str(store), "--out", out]
        assert run([*command, "--max-requests", "4"]) == 130
        assert "goes on from there with a higher limit" in " ".join(capsys.readouterr().err.split())
        assert run(["runs", "show", out]) == 0
        shown = " ".join(capsys.readouterr().err.split())
        assert "stopped: " in shown
        assert "loop/m, so far: Sent 4 requests;" in shown
        assert f"neuter runs resume {out}" in shown
        assert run(["runs", "resume", out]) == 130  # within its own limit
        assert server.requests == 4
        assert run(["runs", "resume", out, "--max-requests", "40"]) == 0
        assert server.requests == 12
    assert "Sent 8 requests" in " ".join(capsys.readouterr().err.split())
    assert record(tmp_path / "run")["arguments"]["max_requests"] == 40


def test_the_limits_are_no_part_of_the_configuration_and_a_new_run_has_a_new_id(tmp_path: Path) -> None:
    with loopback_server(answer=RIGHT) as server:
        configured(tmp_path, server.base_url)
        first = evaluate(tmp_path, max_requests=100)
        again = evaluate(tmp_path)
        anew = evaluate(tmp_path, overwrite=True)
        assert server.requests == 13
    assert first.run["id"] == again.run["id"] != anew.run["id"]
    assert first.run["config_hash"] == again.run["config_hash"] == anew.run["config_hash"]
    with Store(tmp_path / "store.sqlite") as store:
        assert spent_by_run(store, first.run["id"]).attempts == 13
        assert spent_by_run(store, anew.run["id"]).attempts == 0


def test_nothing_of_the_money_is_in_the_scores(tmp_path: Path) -> None:
    with loopback_server(answer=RIGHT) as server:
        configured(tmp_path, server.base_url, PRICE)
        evaluate(tmp_path)
        again = evaluate(tmp_path, out=tmp_path / "again")  # all from the store
    assert (tmp_path / "run/scores.csv").read_bytes() == (tmp_path / "again/scores.csv").read_bytes()
    assert "spent" not in record(tmp_path / "again")
    assert again.asked == "Sent 0 requests; 13 answers were in the store"
