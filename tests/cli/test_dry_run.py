"""The dry run as it is printed: a table that fits, a total, and what the figures rest on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from neuter.cli.app import run
from neuter.cli.evaluate import say_requests

CONFIG = """
[providers.mine]
base_url = "http://127.0.0.1:9/v1"
[providers.other]
base_url = "http://127.0.0.1:9/v1"
[prices."mine/llama-3.3-70b"]
input = 10000
output = 20000
as_of = 2026-11-30
source = "our contract"
"""


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("neuter.models.configuration.user_file", lambda: tmp_path / "user" / "neuter.toml")
    Path("x.toml").write_text(CONFIG)
    row = {"id": "a", "text": "We sold. " * 100, "ticker": "AAPL", "fiscal_year": 2021, "fiscal_quarter": 1}
    Path("calls.jsonl").write_text(json.dumps(row) + "\n")


def dry_run(*models: str, command: tuple[str, ...] = ("evaluate", "calls.jsonl", "--attacker", "llm")) -> int:
    named = [part for model in models for part in ("--model", model)]
    return run([*command, "--scheme", "none", *named, "--config", "x.toml", "--dry-run"])


def test_what_is_asked_and_what_it_costs_is_a_table_with_a_total(capsys: pytest.CaptureFixture[str]):
    assert dry_run("mine/llama-3.3-70b") == 0
    out, err = capsys.readouterr()
    lines = [line.split() for line in out.splitlines()]
    # 225 tokens of text and some of prompt at a cent, 40 of answer at two cents.
    (row,) = [line for line in lines if line[:2] == ["attacker", "llm"]]
    prompt, answer, cost, day = row[4:]
    assert (row[3], answer, day) == ("1", "40", "2026-11-30")
    assert int(prompt) > 225
    assert cost == f"${(int(prompt) + 80) / 100:,.2f}"
    (total,) = [line for line in lines if line[:1] == ["total"]]
    assert total == ["total", "1", prompt, "40", cost]
    assert "Prices as of 2026-11-30, in US dollars: our contract." in " ".join(err.split())


def test_an_unknown_cost_is_said_in_its_row_and_in_the_total(capsys: pytest.CaptureFixture[str]):
    assert dry_run("mine/llama-3.3-70b", "other/m") == 0
    out, err = capsys.readouterr()
    assert "unknown" in out
    assert out.split()[-2:] == ["+", "unknown"]
    assert '[prices."other/m"]' in " ".join(err.split())


@pytest.mark.parametrize("width", [80, 120])
def test_no_figure_is_cut_off(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("neuter.cli.console.out", lambda: Console(width=width))
    row = {"what": "scheme entity-neutering", "model": "openai/gpt-4o-mini-2024-07-18", "requests": 1_000_000}
    counts = {"prompt_tokens": 12_345_678_901, "completion_tokens": 4_000_000_000, "tokens_are": "counted"}
    money = {
        "cost": 123_456.78,
        "batch_cost": 61_728.39,
        "price_as_of": "2026-10-14",
        "price_source": "a list",
    }
    assert say_requests([{**row, **counts, **money}], as_json=False) == 0
    out = capsys.readouterr().out
    for figure in ("1,000,000", "12,345,678,901", "4,000,000,000", "$123,456.78", "2026-10-14"):
        assert figure in out
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= width


def test_a_suite_is_priced_with_the_configuration(capsys: pytest.CaptureFixture[str]):
    command = ("benchmark", "masking", "--corpus", "calls.jsonl", "--json")
    assert dry_run("mine/llama-3.3-70b", command=command) == 0
    told = json.loads(capsys.readouterr().out)
    assert all(row["cost"] > 0 and row["price_as_of"] == "2026-11-30" for row in told["rows"])
    assert told["total"]["cost"] == pytest.approx(sum(row["cost"] for row in told["rows"]))


def test_several_suites_are_told_apart(capsys: pytest.CaptureFixture[str]):
    row = {"what": "w", "model": "x/y", "requests": 1, "prompt_tokens": 1, "completion_tokens": 1}
    rest = {
        "tokens_are": "counted",
        "cost": None,
        "batch_cost": None,
        "price_as_of": None,
        "price_source": None,
    }
    say_requests([{"suite": name, **row, **rest} for name in ("one", "two")], as_json=False)
    out = capsys.readouterr().out
    assert "one: w" in out
    assert "two: w" in out


def test_where_no_model_is_needed_that_is_said(capsys: pytest.CaptureFixture[str]):
    assert run(["evaluate", "calls.jsonl", "--scheme", "none", "--attacker", "linkage", "--dry-run"]) == 0
    assert "No request to a model" in capsys.readouterr().err
