"""The fake cutoff of Table 6: prompts word for word, quarters on their sides, and what changes at the cutoff."""

import json
import math
import re
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter import api
from neuter.errors import UsageError
from neuter.prompts.recall import instrument
from neuter.scoring.recall.differences import difference_rows
from neuter.scoring.table import read_scores
from neuter.suites.recall.asking import messages_of
from neuter.suites.recall.cutoff import Cutoff
from neuter.suites.recall.published import published_figures, published_rows
from neuter.suites.recall.wording import said_day_in_full
from neuter.suites.rescoring import rescore_run
from neuter.suites.suite import Setting

MODEL = "simulated/forgets,values=1,withholds=0.5"
SETTING = Setting(models=(MODEL,))
HEADINGS = {"both": "Both System and User Cutoff", "system": "Only System Cutoff", "user": "Only User Cutoff"}


@pytest.fixture(scope="module")
def paper() -> str:
    file = Path(__file__).parents[4] / "shared" / "seeds" / "the-memorization-problem.txt"
    if not file.is_file():
        pytest.skip("the paper is not here")
    return file.read_text(encoding="utf-8").split("\nB.5 Knowledge Cutoff\n", 1)[1].split("\nB.6 ", 1)[0]


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def asked(condition: str, quarter: date = date(2008, 10, 1), **given) -> dict:
    suite = Cutoff(conditions=condition, **given)
    return suite.questions(SETTING).row(by_predicate=pl.col("date") == quarter, named=True)


@pytest.mark.parametrize("condition", HEADINGS)
def test_each_prompt_is_the_papers_word_for_word(condition, paper):
    printed = paper.split(f"\nPrompt: {HEADINGS[condition]}\n", 1)[1].split("\nPrompt: ", 1)[0]
    # The braces that the paper has lost (paper-decisions): {quarter} {year}.
    printed = printed.replace("growth rate in quarter?", "growth rate in Q4 2008?")
    system, user = printed.split("User message: ")
    (role, first), (_, second) = messages_of(asked(condition))
    assert role == "system"
    assert lines(first) == lines(system.removeprefix("\nSystem message: "))
    assert lines(second) == lines(user)


@pytest.mark.parametrize(
    ("day", "said"),
    [
        *((1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th")),
        *((20, "20th"), (21, "21st"), (22, "22nd"), (23, "23rd"), (30, "30th"), (31, "31st")),
    ],
)
def test_days_are_said_with_their_endings(day, said):
    assert said_day_in_full(date(2010, 12, day)) == f"December {said}, 2010"


def test_the_user_condition_keeps_the_first_system_sentence_and_no_date():
    system, user = messages_of(asked("user"))
    assert system[1] == instrument("cutoff_system_none").template
    assert user[1].startswith(
        "For the following tasks, please restrict your knowledge pool to the end of 2010. What"
    )


def test_without_a_cutoff_only_the_first_sentence_and_the_question_are_left():
    system, user = messages_of(asked("none"))
    assert system[1] == instrument("cutoff_system_none").template
    assert user[1].startswith("What was the earliest estimate of the US GDP growth rate in Q4 2008?")


def test_any_day_may_be_told():
    told = asked("both", fake_cutoff="2015-03-22", current_date="2024-02-01")
    assert "Knowledge cutoff: March 22nd, 2015 Current date: February 1st, 2024." in told["system"]
    assert "restrict your knowledge pool to March 22nd, 2015." in told["prompt"]
    assert "to the end of 2015." in asked("user", fake_cutoff="2015-12")["prompt"]


@pytest.mark.parametrize(
    ("fake", "first_unknown"),
    [
        ("2010-12-31", "2011-01-01"),
        ("2010-12-30", "2010-10-01"),
        ("2010-11", "2010-10-01"),
        ("2010-09-30", "2010-10-01"),
        ("2011-01-01", "2011-01-01"),
        ("2010", None),
    ],
)
def test_a_quarter_may_be_known_if_it_had_ended(fake, first_unknown):
    if first_unknown is None:
        with pytest.raises(UsageError, match="--fake-cutoff"):
            Cutoff(fake_cutoff=fake).check()
    else:
        assert str(Cutoff(fake_cutoff=fake).fake_from) == first_unknown


def test_quarters_are_those_of_the_paper_and_after():
    questions = Cutoff().questions(SETTING)
    counts = questions.group_by("condition").len().rows_by_key("condition")
    assert set(counts) == {"both", "system", "user"}
    of_paper = questions.filter((pl.col("condition") == "both") & (pl.col("date") < date(2023, 10, 1)))
    # Table 6 has 83 quarters before, as 1995Q4 has no first print. After: 13 + 38 = 50 + 1 = 51, which is what there
    # are before GPT-4o's cutoff of October 2023; the last of them, 2023Q3, is never among those answered.
    assert of_paper.filter(pl.col("date") < date(2011, 1, 1)).height == 83
    assert of_paper.filter(pl.col("date") >= date(2011, 1, 1)).height == 51
    assert of_paper["date"].min() == date(1990, 1, 1)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"conditions": "G1"}, "has no condition 'G1'"),
        ({"context": "history"}, "has no contexts"),
        (
            {"fake_cutoff": "2040-01-01", "current_date": "2041-01-01"},
            "every quarter asked about is before the fake cutoff",
        ),
        ({"limit": 10}, "A few of each side: --sample 10 in place of --limit"),
        ({"fake_cutoff": "1980-01-01"}, "every quarter asked about is after the fake cutoff"),
        ({"fake_cutoff": "2024-09-30", "conditions": "user"}, "is not before that of"),
        ({"cutoff": "2011-01-01"}, "is not before that of"),
        ({"current_date": "soon"}, "--current-date"),
        ({"current_date": "2010-12-31"}, "(2010-12-31) is not after the fake cutoff (2010-12-31)"),
        ({"series": "inflation"}, "has no series 'inflation'"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_asked(given, told):
    with pytest.raises(UsageError, match=re.escape(told)):
        Cutoff(**given).questions(SETTING)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("cutoff") / "run"
    api.benchmark("cutoff", models=MODEL, conditions=["both", "system", "none"], out=out, report=False)
    return out


def value(run: Path, metric: str, condition: str, split: str):
    frame = read_scores(run / "scores.parquet").filter(
        (pl.col("metric") == metric)
        & (pl.col("condition") == condition)
        & (pl.col("split") == split)
        & (pl.col("attacker") == "llm")
    )
    return frame.row(0, named=True)


def test_a_model_that_forgets_when_told_refuses_or_errs_after_the_fake_cutoff_alone(run):
    before, after = (value(run, "refusal_share", "both", split) for split in ("pre_fake", "post_fake"))
    assert before["value"] == 0
    assert 30 < after["value"] < 70
    assert value(run, "mean_absolute_error", "both", "pre_fake")["value"] == 0
    assert value(run, "mean_absolute_error", "both", "post_fake")["value"] > 0.2
    assert value(run, "mean_absolute_error", "none", "post_fake")["value"] == 0


def test_the_difference_is_after_less_before_and_has_an_interval(run):
    before, after = (value(run, "refusal_share", "both", split) for split in ("pre_fake", "post_fake"))
    found = value(run, "refusal_share_difference", "both", "all")
    assert found["value"] == pytest.approx(after["value"] - before["value"])
    assert found["unit"] == "percentage_points"
    assert found["ci_low"] < found["value"] < found["ci_high"]
    assert found["ci_low"] > 20


def test_the_ends_of_a_difference_are_newcombes():
    """By statsmodels: the score interval of a difference of two independent proportions (Newcombe 1998)."""
    from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

    counts = {"pre_fake": (3, 83), "post_fake": (38, 51)}
    rows = []
    for split, (k, n) in counts.items():
        low, high = proportion_confint(k, n, method="wilson")
        rows.append(
            {
                **dict.fromkeys(("panel", "series", "condition", "model"), "x"),
                "attacker": "llm",
                "split": split,
                "metric": "refusal_share",
                "unit": "percent",
                "value": 100 * k / n,
                "ci_low": 100 * low,
                "ci_high": 100 * high,
                "n": n,
                **dict.fromkeys(("first_date", "last_date")),
                **dict.fromkeys(("answered", "refused", "filtered", "truncated", "unparsed", "failed"), 0),
            }
        )
    (found,) = difference_rows(rows)
    ends = confint_proportions_2indep(38, 51, 3, 83, method="newcomb")
    assert (found["ci_low"], found["ci_high"]) == pytest.approx([100 * end for end in ends])
    assert found["n"] == 134
    assert math.isclose(found["value"], 100 * (38 / 51 - 3 / 83))


def test_what_it_may_not_know_is_held_against_what_it_cannot_know(run):
    before, own = (value(run, "refusal_share", "system", split) for split in ("post_fake", "post"))
    found = value(run, "refusal_share_difference_from_post", "system", "all")
    assert found["value"] == pytest.approx(before["value"] - own["value"])
    assert (found["first_date"], found["last_date"]) == (before["first_date"], own["last_date"])
    assert found["refused"] == before["refused"] + own["refused"]


def test_a_refusal_gives_nothing_exactly_and_a_failed_call_says_nothing(run):
    questions = pl.read_parquet(run / "questions.parquet")
    answers = pl.concat([pl.read_parquet(file) for file in (run / "answers").glob("*.parquet")])
    told = questions.filter(
        (pl.col("condition") == "both")
        & pl.col("digits").is_not_null()
        & pl.col("date").is_between(date(2011, 1, 1), date(2024, 5, 31))
    ).join(answers, on="id")
    # The first print has one decimal: exact is what rounds to it.
    exact = ((told["number"].round(1) - told["truth"]).abs() <= 0.05 + 1e-9).fill_null(value=False)
    asked = told["outcome"].is_in(["answered", "refused"])
    assert told.filter(pl.col("outcome") == "refused").height > 10
    found = value(run, "exact_share_with_refusals", "both", "post_fake")
    assert found["n"] == asked.sum()
    assert found["value"] == pytest.approx(100 * (exact & asked).sum() / asked.sum())


def test_a_small_sample_has_a_part_of_each_side():
    # Three quarters lie between this fake cutoff and the model's own: by size alone they would hardly be drawn.
    late = {"fake_cutoff": "2023-09-30", "conditions": "user"}
    for seed in range(5):
        suite = Cutoff(sample=6, **late)
        asked = suite.questions(Setting(models=(MODEL,), seed=seed))
        assert asked.height == 6
        assert asked["date"].is_between(date(2023, 10, 1), date(2024, 5, 31)).any()
        assert (asked["date"] < date(2023, 10, 1)).any()


def test_a_figure_without_an_interval_has_a_difference_without_one():
    shared = {
        **dict.fromkeys(("panel", "series", "condition", "model"), "x"),
        **dict.fromkeys(("answered", "refused", "filtered", "truncated", "unparsed", "failed", "n"), 1),
        "attacker": "llm",
        "metric": "mean_error",
        "unit": "percentage_points",
        **dict.fromkeys(("first_date", "last_date")),
    }
    rows = [
        {**shared, "split": "pre_fake", "value": 1.0, "ci_low": None, "ci_high": None},
        {**shared, "split": "post_fake", "value": 3.0, "ci_low": 2.0, "ci_high": 4.0},
    ]
    (found,) = difference_rows(rows)
    assert (found["value"], found["ci_low"], found["ci_high"]) == (2.0, None, None)
    assert list(difference_rows(rows[:1])) == []


def test_what_is_after_its_own_cutoff_is_a_split_of_its_own(run):
    own = value(run, "mean_absolute_error", "none", "post")
    assert own["first_date"] >= date(2024, 6, 1)
    assert value(run, "mean_absolute_error", "none", "post_fake")["last_date"] < date(2024, 6, 1)
    assert own["value"] > 0


def test_no_break_is_looked_for_where_one_is_told(run):
    assert "effective_cutoff" not in read_scores(run / "scores.parquet")["metric"].to_list()


def test_the_published_table_stands_beside_only_under_its_own_dates(run, tmp_path):
    assert value(run, "mean_absolute_error", "both", "post_fake")["published"] == 0.59
    assert value(run, "mean_absolute_error", "none", "post_fake")["published"] is None
    api.benchmark(
        "cutoff", models=MODEL, conditions="both", fake_cutoff="2012-12-31", out=tmp_path / "r", report=False
    )
    assert value(tmp_path / "r", "mean_absolute_error", "both", "post_fake")["published"] is None


def test_the_published_table_is_table_6():
    figures = published_figures("cutoff")
    told = figures.filter((pl.col("condition") == "system") & (pl.col("split") == "post_fake"))
    assert dict(told.select("metric", "published").iter_rows()) == {
        "mean_error": -0.01,
        "mean_absolute_error": 0.05,
        "directional_accuracy": 98.0,
        "directional_accuracy_change": 100.0,
        "confidence_calibration": -0.24,
        "n": 50,
        "refusals": 1,
    }
    rows = published_rows("cutoff")
    assert rows["n"].to_list() == [83, 13, 83, 50, 83, 18]
    assert rows["refusals"].to_list() == [0, 38, 0, 1, 0, 32]
    assert rows["last_date"].to_list()[1::2] == [date(2016, 12, 1), date(2023, 6, 1), date(2020, 6, 1)]


def test_a_run_says_what_it_told_and_is_scored_anew_alike(run):
    record = json.loads((run / "run.json").read_text())
    assert (record["fake_cutoff"], record["fake_from"]) == ("2010-12-31", "2011-01-01")
    assert record["conditions"] == ["both", "system", "none"]
    before = (run / "scores.csv").read_bytes()
    told = rescore_run(run)
    assert (told.changed, told.scores_changed) == (0, False)
    assert (run / "scores.csv").read_bytes() == before


def test_the_system_message_is_counted_before_it_is_paid_for():
    rows = {row["what"]: row for row in Cutoff(conditions=["both", "none"]).requests(SETTING)}
    both, none = rows["rates, context both"], rows["rates"]
    assert both["requests"] == none["requests"]
    assert both["prompt_tokens"] > none["prompt_tokens"] + 10 * both["requests"]


def test_its_report_has_the_differences_and_only_where_there_is_something_after_its_own_cutoff(run, tmp_path):
    from neuter.reports.recall.tables import recall_tables

    def titles(folder):
        (table,) = (one for one in recall_tables(*_told(folder)) if one.name == "table-6")
        return [panel.title for panel in table.panels]

    assert titles(run)[-2:] == [
        "After the fake cutoff less before it (ours)",
        "After the fake cutoff less after its own (ours)",
    ]
    api.benchmark(
        "cutoff", models=MODEL, conditions="both", until="2024-03", out=tmp_path / "r", report=False
    )
    assert titles(tmp_path / "r")[-1] == "After the fake cutoff less before it (ours)"


def test_under_other_dates_the_published_rows_are_marked_not_comparable(tmp_path):
    from neuter.reports.recall.tables import recall_tables

    told = {"conditions": "both", "fake_cutoff": "2012-12-31", "report": False}
    api.benchmark("cutoff", models=MODEL, out=tmp_path / "r", **told)
    table = recall_tables(*_told(tmp_path / "r"))[0]
    assert "Not comparable: GPT-4o’s figures are of other dates told than ours." in table.notes
    assert not any(row.comparable for row in table.panels[0].rows if row.has_published)
    (absent,) = (remark for remark in table.remarks if remark.startswith("Not asked in this run: "))
    assert absent.count("with user but no system message") == 1


def _told(folder: Path):
    return read_scores(folder / "scores.parquet"), json.loads((folder / "run.json").read_text())


def test_a_simulated_model_says_what_it_was_made_to_forget(run):
    record = json.loads((run / "run.json").read_text())
    assert any(
        "Told a cutoff, it takes 100% of what came later as it takes what came after its own, and refuses 50%"
        in note
        for note in record["notes"]
    )
