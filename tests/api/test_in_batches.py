"""A whole run through the provider's batch API: the same scores for half the money, one request each."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from spending_runs import RIGHT, calls, configured, evaluate

import neuter as nt
from neuter.errors import UsageError
from neuter.models import in_batches
from neuter.models.batch.settings import BatchSettings
from neuter.models.testing import loopback_server

PRICE = '[prices."loop/m"]\ninput = 10.0\noutput = 100.0\nbatch_share = 0.5\nas_of = 2026-10-14\nsource = "a test"\n'


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = functools.partial(BatchSettings, first_poll=0.05, longest_poll=0.1, settle=0.1)
    monkeypatch.setattr(in_batches, "BatchSettings", quick)
    monkeypatch.setattr("neuter.reports.html.write_report", lambda folder, originals=None: folder)


def test_a_run_in_batches_has_the_scores_of_one_online_and_costs_half(tmp_path: Path) -> None:
    told: list[str] = []
    with loopback_server(answer=RIGHT) as server:
        configured(tmp_path, server.base_url, PRICE)
        batch = evaluate(tmp_path, batch=True, progress=lambda stage, done, total: told.append(stage))
        assert (server.requests, server.most) == (13, 1)
        online = evaluate(tmp_path, store=tmp_path / "other", out=tmp_path / "online")
        evaluate(tmp_path, out=tmp_path / "after")  # the batch has filled the store
        assert server.requests == 26
    assert batch.run["status"] == "done"
    assert batch.spent["loop/m"]["cost"] == pytest.approx(online.spent["loop/m"]["cost"] / 2)
    assert batch.asked.startswith("Sent 13 requests; 0 answers were in the store")
    scores = {(tmp_path / run / "scores.csv").read_bytes() for run in ("run", "online", "after")}
    assert len(scores) == 1
    assert "loop/m (batch)" in told
    assert "loop/m" not in told


def test_a_model_inside_the_process_has_no_batch_and_nothing_is_masked_for_it(tmp_path: Path) -> None:
    for carry_out in (
        lambda: nt.evaluate(calls(), models="simulated/well-read", batch=True, out=tmp_path / "run"),
        lambda: nt.benchmark("masking", models="simulated/well-read", batch=True, out=tmp_path / "run"),
    ):
        with pytest.raises(UsageError, match="Leave out --batch"):
            carry_out()
    assert not (tmp_path / "run").exists()
