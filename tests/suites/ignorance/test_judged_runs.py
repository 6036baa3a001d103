"""Runs whose chains of thought a judge reads: what it said, what failed, and a judge that is not there."""

import json
from datetime import date, timedelta

import polars as pl
import pytest

from neuter.errors import ModelError
from neuter.questions import write_questions
from neuter.questions.schema import QUESTION_SCHEMA
from neuter.scoring.table import read_scores
from neuter.suites.ignorance.running import run_ignorance
from neuter.suites.ignorance.suite import Ignorance
from neuter.suites.run_folder import RunFolder
from neuter.suites.suite import Setting
from neuter.types import Outcome, Response

FORECAST = json.dumps({"reasoning": "It is rare.", "probability": 0.7})
SOUND = json.dumps(
    {
        "reason": "It holds.",
        "logically_consistent": "yes",
        "quote": "",
        "references_after_cutoff": "no",
    }
)
FAILED = Response("", Outcome.FAILED, None, reason="the server broke")


class Says:
    """Gives its answers in turn, again and again; it may be used as a context, as models are."""

    def __init__(self, model, *answers):
        self.model, self.answers = model, answers

    def ask(self, requests):
        for number, request in enumerate(requests):
            answer = self.answers[number % len(self.answers)]
            if isinstance(answer, Response):
                yield Response(request.id, answer.outcome, None, reason=answer.reason)
            else:
                yield Response(request.id, Outcome.ANSWERED, answer, model=f"{self.model}-2026")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    days = [date(2023, 3, 1) + timedelta(days=60 * n) for n in range(12)]
    rows = [
        {
            **dict.fromkeys(QUESTION_SCHEMA, ""),
            "id": f"q{n}",
            "question": f"Will event {n} happen?",
            "open": day - timedelta(days=30),
            "close": day,
            "resolution_date": day,
            "resolution": n % 2,
            "base_rate": 0.5,
            "community": [],
        }
        for n, day in enumerate(days)
    ]
    frame = pl.DataFrame(rows, schema=QUESTION_SCHEMA)
    return write_questions(frame, tmp_path_factory.mktemp("questions") / "q.jsonl")


def carried_out(path, file, judge, required=("fake/one",)):
    """A run of G2′, 12 questions once each; ``judge`` is a model, or None for one that is away."""
    suite = Ignorance(questions=file, conditions="G2'", runs=1, cutoff="2024-01-01", judge="fake/judge")

    def connect(name):
        if name == "fake/one":
            return Says("fake/one", FORECAST)
        if judge is None:
            raise ModelError("the judge is away")
        return judge

    setting = Setting(("fake/one",), required=frozenset(required), draws=100, connect=connect)
    with RunFolder.open(path, {"suite": suite.name}, command="benchmark") as folder:
        folder.save(**suite.about())
        run_ignorance(suite, setting, folder)
        return dict(folder.record)


def test_a_judges_verdicts_are_scored_and_told_of(tmp_path, file):
    record = carried_out(tmp_path / "run", file, Says("fake/judge", SOUND))
    assert record["status"] == "done"
    assert "fake/judge judged 12 of 12 chains of thought." in record["notes"]
    assert record["answered_by"]["traces.parquet"] == {
        "model": "fake/judge",
        "names": {"fake/judge-2026": 12},
    }
    scores = read_scores(tmp_path / "run" / "scores.parquet").filter(panel="traces", attacker="judge")
    assert set(scores["metric"]) >= {"logic_consistency", "cutoff_compliance"}
    assert scores.filter(metric="logic_consistency", split="pre", model="fake/one")["value"].to_list() == [
        100
    ]


def test_calls_to_the_judge_that_failed_are_no_success(tmp_path, file):
    record = carried_out(tmp_path / "run", file, Says("fake/judge", SOUND, FAILED))
    assert record["status"] == "finished with failures"
    assert record["outcomes"] == {"answered": 12}
    (note,) = (note for note in record["notes"] if note.startswith("fake/judge"))
    assert note.startswith("fake/judge judged 6 of 12 chains of thought (6 failed")
    assert "the server broke" in note


def test_a_judge_that_is_away_leaves_the_scores_and_is_no_success(tmp_path, file):
    record = carried_out(tmp_path / "run", file, None)
    assert record["status"] == "finished with failures"
    (missing,) = record["not_run"]
    assert (missing["attacker"], missing["model"], missing["reason"]) == (
        "judge",
        "fake/judge",
        "the judge is away",
    )
    scores = read_scores(tmp_path / "run" / "scores.parquet")
    assert not scores.filter(attacker="judge", metric="logic_consistency")["value"].is_not_null().any()
    assert scores.filter(panel="fixed", metric="brier", model="fake/one").height
