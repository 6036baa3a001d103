"""What a run keeps and tells beside its scores, and what scoring anew takes from it."""

import json
from datetime import date

import polars as pl
import pytest

from neuter import api
from neuter.scoring.recall.schema import ANSWERS_SCHEMA
from neuter.suites.recall.asking import LOCAL_TOKENS, is_done, parameters_of
from neuter.suites.recall.estimating import requests_of
from neuter.suites.recall.headlines import Headlines
from neuter.suites.recall.indices import Indices
from neuter.suites.recall.macro import Macro
from neuter.suites.recall.planted import planted_note
from neuter.suites.recall.rescoring import reread
from neuter.suites.recall.running import run_recall
from neuter.suites.recall.scored import Scoring, actual_frame
from neuter.suites.run_folder import RunFolder
from neuter.suites.suite import Setting
from neuter.types import Outcome, Response

MODEL = "simulated/values=1,cutoff=2023-10"
SETTING = Setting(models=(MODEL,))


def answers(**columns):
    height = len(next(iter(columns.values())))
    empty = {name: [None] * height for name in ANSWERS_SCHEMA}
    return pl.DataFrame({**empty, **columns}, schema=ANSWERS_SCHEMA)


QUESTIONS = Macro(series=["nonfarm_payrolls"], since="2011-07", until="2011-08-31").questions(SETTING)
IDS = QUESTIONS["id"].to_list()


def test_answers_are_done_where_each_question_has_one_that_stays():
    whole = answers(id=IDS, outcome=["answered", "refused"])
    assert is_done(whole, QUESTIONS, frozenset())
    assert not is_done(None, QUESTIONS, frozenset())
    assert not is_done(whole, QUESTIONS, frozenset({Outcome.REFUSED}))
    assert not is_done(answers(id=IDS, outcome=["answered", "failed"]), QUESTIONS, frozenset())
    assert not is_done(whole.reverse(), QUESTIONS, frozenset())


def test_a_local_model_stops_where_others_are_left_to_their_server():
    assert parameters_of(Macro(), "local/smollm2-135m") == {"max_tokens": LOCAL_TOKENS}
    assert parameters_of(Macro(), "openai/gpt-4o") == {}
    told = Macro(max_tokens=40, temperature=0.0)
    assert parameters_of(told, "local/smollm2-135m") == {"max_tokens": 40, "temperature": 0.0}


class Says:
    """Answers each request with a text or an outcome, and tells itself the outcome that the request reads in it."""

    model = "fake/one"

    def __init__(self, said):
        self.said, self.read, self.parameters = said, [], []

    def ask(self, requests):
        for request in requests:
            self.parameters.append(request.parameters)
            said = self.said
            if isinstance(said, Outcome):
                yield Response(request.id, said, reason="the server was away")
                continue
            self.read.append(request.outcome_of(said))
            yield Response(request.id, Outcome.ANSWERED, said)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def carried_out(tmp_path, suite, says, name="run", required=("fake/one",)):
    steps = []
    setting = Setting(
        models=("fake/one",),
        required=frozenset(required),
        draws=100,
        connect=lambda _name: says,
        progress=lambda *step: steps.append(step),
    )
    path = tmp_path / name
    with RunFolder.open(
        path, {"suite": suite.name, "zero_is_answer": suite.zero_is_answer}, command="benchmark"
    ) as folder:
        folder.save(**suite.about())
        run_recall(suite, setting, folder)
        record = dict(folder.record)
    return path, record, steps


PAYROLLS = {"series": ["nonfarm_payrolls"], "since": "2011-01", "until": "2011-12", "cutoff": "2023-10"}
"""August 2011's payrolls did not change."""


@pytest.mark.parametrize(("zero", "outcome"), [(False, "refused"), (True, "answered")])
def test_0_is_an_answer_where_the_run_says_so_also_when_it_is_scored_anew(tmp_path, zero, outcome):
    says = Says('{"answer": 0, "confidence": 50}')
    path, record, _ = carried_out(tmp_path, Macro(**PAYROLLS, zero_is_answer=zero), says)
    assert record["outcomes"] == {outcome: 12}
    assert says.read == [Outcome(outcome)] * 12
    done = api.rescore(path).done
    assert (done.changed, done.scores_changed) == (0, False)


def test_every_answer_is_told_of_as_it_comes(tmp_path):
    _, _, steps = carried_out(tmp_path, Macro(**PAYROLLS), Says('{"answer": 1}'))
    assert [step[1:] for step in steps if step[0].startswith("fake/one")] == [(n, 12) for n in range(1, 13)]


def test_a_run_whose_calls_failed_says_so_and_asks_those_again(tmp_path):
    _, record, _ = carried_out(tmp_path, Macro(**PAYROLLS), Says(Outcome.FAILED))
    assert (record["status"], record["outcomes"]) == ("finished with failures", {"failed": 12})
    _, again, _ = carried_out(tmp_path, Macro(**PAYROLLS), Says('{"answer": 1}'))
    assert (again["status"], again["outcomes"]) == ("done", {"answered": 12})


def test_answers_that_are_there_are_not_asked_for_again(tmp_path):
    carried_out(tmp_path, Macro(**PAYROLLS), Says('{"answer": 1}'))
    never = Says('{"answer": 2}')
    _, record, _ = carried_out(tmp_path, Macro(**PAYROLLS), never)
    assert never.read == []
    assert record["outcomes"] == {"answered": 12}


def test_a_run_tells_cutoffs_with_their_source_and_the_data_with_its_hash(tmp_path):
    _, record, _ = carried_out(tmp_path, Macro(**PAYROLLS), Says('{"answer": 1}'))
    assert record["cutoffs"] == {"fake/one": "2023-10-01"}
    assert record["cutoff_sources"] == {"fake/one": "given with --cutoff"}
    assert len(record["data"]["nonfarm_payrolls"]["hash"]) == 64
    assert any("nonfarm_payrolls 1" in note for note in record["notes"])
    assert any(row["model"] == "fake/one" for row in record["caveats"])
    assert record["scoring"]["own"] == {"change": "previous_actual", "intervals": "cosines"}


def test_scoring_anew_takes_everything_from_the_record():
    kept = Scoring(
        "indices",
        {"m": date(2023, 10, 1)},
        {"m": None},
        3,
        50,
        {"returns": "relative", "change": "previous_actual"},
    )
    record = {"suite": "indices", "scoring": json.loads(json.dumps(kept.as_json()))}
    assert Scoring.of(record) == kept


def test_the_history_has_both_readings_and_no_gaps():
    series = Macro(series=["gdp_growth"]).actual()
    frame = actual_frame(series)
    assert frame["value"].null_count() == 0
    latest = dict(frame.select("date", "other").iter_rows())
    assert latest[date(2008, 10, 1)] is not None
    assert latest[date(2008, 10, 1)] != dict(frame.select("date", "value").iter_rows())[date(2008, 10, 1)]


def test_a_failed_call_and_a_withheld_answer_stay_what_they_were():
    before = answers(
        id=IDS,
        model=["m"] * 2,
        outcome=["failed", "filtered"],
        answer=[None, '{"answer": 5}'],
        reason=["", "policy"],
    )
    assert reread(QUESTIONS, before, zero_is_answer=False).equals(before)


def test_what_was_cut_off_is_not_taken_for_whole():
    """The reason says that the server cut it off, though what was left could be read then."""
    cut = '{"answer": 5'
    before = answers(
        id=IDS, model=["m"] * 2, outcome=["answered"] * 2, answer=[cut] * 2, reason=["was cut off", ""]
    )
    assert reread(QUESTIONS, before, zero_is_answer=False)["outcome"][0] == "truncated"


def test_scoring_anew_tells_what_changed_and_keeps_it(tmp_path):
    path, _, _ = carried_out(tmp_path, Macro(**PAYROLLS), Says('{"answer": 1}'))
    (file,) = (path / "answers").iterdir()
    spoilt = pl.read_parquet(file).with_columns(pl.lit(7.0).alias("number"))
    spoilt[:6].vstack(pl.read_parquet(file)[6:]).write_parquet(file)
    with RunFolder.reopen(path) as folder:
        folder.save(outcomes={})
    scores = path / "scores.csv"
    scores.write_bytes(b"old")
    done = api.rescore(path).done
    assert (done.changed, done.scores_changed, dict(done.by_outcome)) == (6, True, {"answered": 6})
    assert done.by_field["number"] == 6
    assert json.loads((path / "run.json").read_text())["outcomes"] == {"answered": 12}


def test_requests_are_counted_with_what_they_take_in_and_out():
    rows = requests_of(Headlines(limit=4), Setting(models=("openai/gpt-4o-2024-08-06",)))
    out = {row["what"]: row["completion_tokens"] for row in rows}
    assert out == {"headline dates": 4 * 30, "headline levels": 4 * 45}
    (row,) = requests_of(
        Indices(series=["sp500"], panels=["daily_levels"], context=["history"], limit=3), SETTING
    )
    assert row["what"] == "daily levels, context history"
    assert row["prompt_tokens"] == pytest.approx(sum(size for size, _ in row["sizes"]), abs=1)
    assert all(40 < size < 400 for size, _ in row["sizes"])


def test_what_was_planted_is_told_in_percent():
    model = "simulated/values=0.6,value_noise=0.05,refusals=0.1,dates=0.4,cutoff=2023-10"
    (note,) = planted_note(model, Macro())
    assert "60% of the values" in note
    assert "error of 5%" in note
    assert "refuses 10% of the questions" in note
    assert "headlines" not in note
    (of_headlines,) = planted_note(model, Headlines())
    assert "40% of the dates of headlines" in of_headlines
    assert list(planted_note("openai/gpt-4o", Macro())) == []
