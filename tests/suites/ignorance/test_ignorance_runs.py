"""Whole runs of the suite ignorance with simulated models: what is asked, kept, scored, and gone on with."""

import json
from datetime import date, timedelta

import polars as pl
import pytest

from neuter import api
from neuter.api.benchmarking import requests
from neuter.errors import RunError, UsageError
from neuter.questions import write_questions
from neuter.questions.schema import DOMAINS, QUESTION_SCHEMA
from neuter.scoring.table import read_scores
from neuter.suites.ignorance.asking import Part, form_of, is_done, parameters_of, reread
from neuter.suites.ignorance.groups import groups_of
from neuter.suites.ignorance.suite import Ignorance
from neuter.suites.rescoring import rescore_run
from neuter.suites.suite import Setting
from neuter.types import Outcome

LEAKS, FORGETS = "simulated/leaks,values=1", "simulated/forgets,values=1,seed=2"


def questions(count: int = 60) -> pl.DataFrame:
    """Questions every three weeks from February 2023 on, over the domains, half of them yes."""
    rows = []
    for n in range(count):
        day = date(2023, 2, 1) + timedelta(days=21 * n)
        rows.append(
            {
                **dict.fromkeys(QUESTION_SCHEMA, ""),
                "id": f"q{n}",
                "question": f"Will event {n} happen by {day}?",
                "background": f"Event {n} was announced.",
                "open": day - timedelta(days=60),
                "close": day,
                "resolution_date": day,
                "resolution": (n // 2) % 2,
                "domain": list(DOMAINS)[n % 6],
                "base_rate": 0.5,
                "community": [{"date": day - timedelta(days=59), "probability": 0.4 + 0.2 * ((n // 2) % 2)}],
            }
        )
    return pl.DataFrame(rows, schema=QUESTION_SCHEMA)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write_questions(questions(), tmp_path_factory.mktemp("questions") / "q.jsonl")


@pytest.fixture(scope="module")
def run(file, tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "ignorance"
    api.benchmark("ignorance", questions=file, models=[FORGETS, LEAKS], out=out, draws=300)
    return out


def record(run):
    return json.loads((run / "run.json").read_text())


def gap(run, model, condition="G1′"):
    frame = read_scores(run / "scores.parquet").filter(
        (pl.col("panel") == "fixed")
        & (pl.col("metric") == "si_ti_gap")
        & (pl.col("model") == model)
        & (pl.col("condition") == condition)
        & (pl.col("group_by") == "all")
    )
    return frame.row(0, named=True)


def test_every_model_is_asked_every_question_three_times_under_each_condition(run):
    files = sorted((run / "answers").glob("*.parquet"))
    assert len(files) == 8
    for answers in map(pl.read_parquet, files):
        assert answers.height == 180
        assert answers["run"].value_counts().sort("run")["count"].to_list() == [60, 60, 60]
        assert answers["outcome"].unique().to_list() == ["answered"]
        assert answers["condition"].n_unique() == 1


def test_a_model_that_leaks_has_a_gap_under_the_instruction_and_one_that_forgets_has_none(run):
    assert gap(run, LEAKS)["ci_low"] > 0.1
    assert gap(run, FORGETS)["ci_low"] < 0 < gap(run, FORGETS)["ci_high"]
    assert gap(run, FORGETS, "G1")["ci_low"] > 0.1
    kinds = {(one["model"], one["condition"]): one["kind"] for one in record(run)["verdicts"]}
    assert kinds[LEAKS, "G1′"] == "cannot_stand"
    assert kinds[FORGETS, "G1′"] == "no_evidence"


def test_the_record_says_what_decides_the_result(run):
    told = record(run)
    assert (told["status"], told["suite"], told["runs"]) == ("done", "ignorance", 3)
    assert told["simulated_cutoff"] == "2023-01-01"
    assert told["cutoffs"] == {FORGETS: "2024-06-01", LEAKS: "2024-12-01"}
    assert set(told["groups"].values()) == {"non_reasoning"}
    assert told["outcomes"] == {"answered": 1440}
    notes = " ".join(told["notes"])
    assert "The prompts are ours" in notes
    assert "without their background" in notes


def test_no_prompt_of_a_run_tells_the_background_unless_asked_to(run, file):
    assert not pl.read_parquet(run / "prompts.parquet")["prompt"].str.contains("was announced").any()
    suite = Ignorance(questions=file, background=True, limit=60)
    assert suite.prompts(Setting(models=(LEAKS,)))["prompt"].str.contains("was announced").all()


def test_traces_are_those_of_the_chains_of_thought_and_leaking_ones_are_found(run):
    traces = pl.read_parquet(run / "traces.parquet")
    assert set(traces["condition"]) == {"G2", "G2′"}
    assert traces.filter(pl.col("model") == FORGETS, pl.col("condition") == "G2′")["rule_clean"].all()
    assert not traces.filter(pl.col("model") == LEAKS)["rule_clean"].all()


def test_the_same_call_again_asks_nobody_and_changes_nothing(run, file):
    before = (run / "scores.csv").read_bytes()
    again = api.benchmark("ignorance", questions=file, models=[FORGETS, LEAKS], out=run, draws=300)
    assert (run / "scores.csv").read_bytes() == before
    assert again.asked == ""


def test_answers_that_are_gone_are_made_again_from_the_store(run, file):
    before = (run / "scores.csv").read_bytes()
    next((run / "answers").glob("g1-cutoff--*.parquet")).unlink()
    with pytest.raises(RunError, match="missing or damaged"):
        rescore_run(run)
    again = api.benchmark("ignorance", questions=file, models=[FORGETS, LEAKS], out=run, draws=300)
    assert (run / "scores.csv").read_bytes() == before
    assert again.run["status"] == "done"


def test_a_run_is_scored_anew_alike_and_other_questions_are_refused(run, file, tmp_path):
    before = (run / "scores.csv").read_bytes()
    told = rescore_run(run)
    assert (told.guesses, told.changed, told.scores_changed) == (1440, 0, False)
    assert (run / "scores.csv").read_bytes() == before
    kept = pl.read_parquet(run / "questions.parquet")
    kept.with_columns(1 - pl.col("resolution")).write_parquet(run / "questions.parquet")
    with pytest.raises(RunError, match=r"questions\.parquet is not the one"):
        rescore_run(run)
    kept.write_parquet(run / "questions.parquet")


def test_a_failing_model_is_bounded_and_its_failures_are_told(file, tmp_path):
    spec = "simulated/leaks,values=1,refusals=0.2,malformed=0.3"
    out = tmp_path / "r"
    result = api.benchmark(
        "ignorance", questions=file, models=spec, conditions=["G1'"], runs=1, out=out, report=False
    )
    assert result.run["outcomes"]["refused"] > 0
    frame = read_scores(out / "scores.parquet").filter(
        (pl.col("panel") == "fixed") & (pl.col("group_by") == "all") & (pl.col("split") == "all")
    )
    ends = {
        name: frame.filter(pl.col("metric") == name)["value"][0]
        for name in ("si_ti_gap_low", "si_ti_gap", "si_ti_gap_high")
    }
    assert ends["si_ti_gap_low"] < ends["si_ti_gap"] < ends["si_ti_gap_high"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"conditions": "G7"}, "has no condition 'G7'"),
        ({"runs": 0}, "runs = 0"),
        ({"margin": -1}, "margin"),
        ({"simulated_cutoff": "2023-06-01"}, r"of 60 questions were resolved by 2023-06-01"),
        ({"simulated_cutoff": "soon"}, "--simulated-cutoff"),
        ({"cutoff": "2030-01"}, "no question was resolved after the cutoff"),
        ({"cutoff": "2023-01-02"}, "no question was resolved before the cutoff"),
        ({"reasoning": "openai/other"}, "openai/other is not asked"),
        ({"judge": LEAKS}, "a simulated model reads no text"),
        ({"judge": "simulated/forgets"}, "a simulated model reads no text"),
        ({"labels": "nowhere.csv"}, "there is no such file"),
        ({"questions": "nowhere.jsonl"}, "there is no such file"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_asked(file, given, told, tmp_path):
    with pytest.raises(UsageError, match=told):
        api.benchmark("ignorance", **{"questions": file, **given}, models=LEAKS, out=tmp_path / "r")
    assert not (tmp_path / "r" / "answers").exists()


def test_two_files_with_one_id_are_refused(file, tmp_path):
    other = write_questions(questions(5).with_columns(pl.lit("x").alias("question")), tmp_path / "o.jsonl")
    with pytest.raises(UsageError, match="two questions have the id 'q0'"):
        Ignorance(questions=[file, other]).asked(Setting(models=(LEAKS,)))


def test_early_questions_are_left_out_and_counted_where_they_may_be(file, tmp_path):
    result = api.benchmark(
        "ignorance", questions=file, models=LEAKS, conditions="G1", runs=1, simulated_cutoff="2023-06-01",
        skip_invalid=True, out=tmp_path / "r", report=False,
    )  # fmt: skip
    assert result.run["set_aside"] == {"resolved before the simulated cutoff": 6}
    assert result.run["outcomes"]["answered"] == 54


def test_generated_questions_stand_beside_and_are_matched(file):
    made = Ignorance(questions=file, generate=40).asked(Setting(models=(LEAKS, FORGETS)))
    own = made.filter(~pl.col("id").str.starts_with("q"))
    assert own.height == 40
    pre = own.filter(pl.col("resolution_date") < date(2024, 6, 1))
    post = own.filter(pl.col("resolution_date") >= date(2024, 12, 1))
    assert (pre.height, post.height) == (16, 16)
    assert pre["resolution"].sum() == post["resolution"].sum()


def test_the_price_is_of_every_run_condition_and_chain_of_thought(file):
    rows = requests(
        "ignorance", questions=file, models="openai/gpt-5.1", judge="openai/gpt-4o-2024-08-06", sample=10
    )
    counts = {row["what"]: row["requests"] for row in rows}
    assert counts == {
        **{f"{name}, 3 runs a question": 30 for name in ("G1", "G2", "G1′", "G2′")},
        "judging chains of thought": 60,
    }
    assert all(row["prompt_tokens"] > 0 for row in rows)


def test_structured_output_is_asked_for_where_it_is_known_to_be_offered():
    direct, thought = (form_of("openai/gpt-4o-2024-08-06", thinks, None) for thinks in (False, True))
    assert list(direct["json_schema"]["schema"]["properties"]) == ["probability"]
    assert list(thought["json_schema"]["schema"]["properties"]) == ["reasoning", "probability"]
    assert form_of("openai/gpt-4o-2024-05-13", False, None) == {"type": "json_object"}
    assert form_of("myserver/unheard-of", False, None) is None
    local = form_of("local/smollm2-135m", True, None)
    assert local["json_schema"]["schema"]["properties"]["reasoning"]["maxLength"] == 600
    plain = Ignorance(structured=False)
    assert "response_format" not in parameters_of(plain, "openai/gpt-4o-2024-08-06", "G1", 0, None)


def test_a_model_inside_the_process_is_asked_with_another_seed_in_each_run():
    given = [parameters_of(Ignorance(), "local/smollm2-135m", "G1", run, None) for run in range(3)]
    assert [one["seed"] for one in given] == [1, 2, 3]
    assert {one["temperature"] for one in given} == {0.7}
    assert "seed" not in parameters_of(Ignorance(runs=1), "local/smollm2-135m", "G1", 0, None)
    assert parameters_of(Ignorance(), "openai/gpt-5.1", "G1", 0, None).keys() == {"response_format"}


def test_groups_are_the_papers_then_the_catalogs_unless_named():
    models = [
        "openai/gpt-5.1",
        "google/gemini-2.5-flash",
        "myserver/gpt-oss-20b",
        "openai/o3",
        "simulated/reasoning-leaks",
    ]
    told = groups_of(models)
    assert [told[model] for model in models] == [
        "reasoning",
        "non_reasoning",
        "non_reasoning",
        "reasoning",
        "reasoning",
    ]
    assert groups_of(["openrouter/google/gemini-2.5-flash", "x/GPT-OSS-120b"]) == {
        "openrouter/google/gemini-2.5-flash": "non_reasoning",
        "x/GPT-OSS-120b": "non_reasoning",
    }
    named = groups_of(models, ["google/gemini-2.5-flash"])
    assert [model for model, group in named.items() if group == "reasoning"] == ["google/gemini-2.5-flash"]


def test_done_means_every_run_of_every_question_with_an_answer_that_stays():
    part = Part("G1", questions(2), {"q0": "?", "q1": "?"}, 2)
    assert part.places == [("q0", 0), ("q0", 1), ("q1", 0), ("q1", 1)]
    rows = [(id_, "m", "G1", run, "refused", None, "", "") for id_, run in part.places]
    from neuter.scoring.forecasts.schema import FORECAST_SCHEMA

    frame = pl.DataFrame(rows, schema=FORECAST_SCHEMA, orient="row")
    assert is_done(frame, part.places, frozenset())
    assert not is_done(frame, part.places, frozenset({Outcome.REFUSED}))
    assert not is_done(frame.head(3), part.places, frozenset())
    assert not is_done(None, part.places, frozenset())
    failed = frame.with_columns(pl.lit("failed").alias("outcome"))
    assert not is_done(failed, part.places, frozenset())


def test_a_better_parser_reads_stored_answers_and_leaves_failed_calls():
    from neuter.scoring.forecasts.schema import FORECAST_SCHEMA

    rows = [
        ("q0", "m", "G1", 0, "unparsed", None, '{"probability": 0.4}', "no answer was found"),
        ("q1", "m", "G1", 0, "failed", None, None, "the server is down"),
        (
            "q2",
            "m",
            "G1",
            0,
            "truncated",
            None,
            '{"reasoning": "It',
            "the answer reached its limit of tokens",
        ),
    ]
    read = reread(
        pl.DataFrame(rows, schema=FORECAST_SCHEMA, orient="row"), dict.fromkeys(("q0", "q1", "q2"), "")
    )
    assert read["outcome"].to_list() == ["answered", "failed", "truncated"]
    assert read["probability"].to_list() == [0.4, None, None]
    assert read["reason"][1] == "the server is down"
