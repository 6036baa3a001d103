"""A recall suite from question to scores: through the runner, the store and the parser, and resumed, and scored anew."""

import json
import re
from datetime import date

import polars as pl
import pytest

import neuter as nt
from neuter import api
from neuter.api.benchmarking import requests
from neuter.errors import LimitReached, UsageError
from neuter.scoring.recall.schema import ANSWERS_SCHEMA, QUESTIONS_SCHEMA
from neuter.suites.recall.indices import Indices
from neuter.suites.recall.macro import Macro
from neuter.suites.recall.stocks import Stocks
from neuter.suites.suite import Setting

KNOWS = "simulated/values=1,cutoff=2023-10"
SETTING = Setting(models=(KNOWS,))


@pytest.fixture
def run(tmp_path):
    def made(suite, model=KNOWS, out="run", **parameters):
        return api.benchmark(
            suite,
            models=[model],
            out=tmp_path / out,
            store=tmp_path / "store.sqlite",
            report=False,
            draws=200,
            **parameters,
        )

    return made


def figure(result, metric, split="pre", attacker="llm", **where):
    rows = result.scores.filter(metric=metric, split=split, attacker=attacker, **where)
    assert rows.height == 1, rows
    return rows.row(0, named=True)


def test_a_model_that_knows_everything_errs_only_after_its_cutoff(run):
    result = run("macro", series=["gdp_growth"])
    before = figure(result, "mean_absolute_error", series="gdp_growth")
    assert (before["value"], before["n"]) == (0.0, 134)
    assert figure(result, "exact_share", series="gdp_growth")["value"] == 100.0
    assert figure(result, "mean_absolute_error", "post", series="gdp_growth")["value"] > 0
    # Table 1's sample: January 1990 to the third quarter of 2023.
    assert (before["first_date"], before["last_date"]) == (date(1990, 1, 1), date(2023, 7, 1))


def test_the_published_figure_stands_beside(run):
    """Table 1: GDP growth, mean absolute error 0.15 before and 0.66 after the cutoff."""
    result = run("macro", series=["gdp_growth"])
    assert figure(result, "mean_absolute_error", series="gdp_growth")["published"] == 0.15
    assert figure(result, "mean_absolute_error", "post", series="gdp_growth")["published"] == 0.66


def test_a_run_folder_holds_questions_and_answers_in_their_columns(run, tmp_path):
    run("macro", series=["unemployment_rate"], sample=12)
    questions = pl.read_parquet(tmp_path / "run" / "questions.parquet")
    (file,) = (tmp_path / "run" / "answers").iterdir()
    answers = pl.read_parquet(file)
    assert questions.schema == QUESTIONS_SCHEMA
    assert answers.schema == ANSWERS_SCHEMA
    assert answers["id"].to_list() == questions["id"].to_list()
    assert questions.height == 12
    assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "done"


def test_a_run_that_was_stopped_goes_on_and_asks_nothing_twice(run, tmp_path):
    with pytest.raises(LimitReached):
        run("macro", series=["gdp_growth", "unemployment_rate"], sample=20, max_requests=25)
    result = run("macro", series=["gdp_growth", "unemployment_rate"], sample=20)
    assert result.run["status"] == "done"
    assert result.run["spent"][KNOWS]["attempts"] == 40


def test_refusals_are_counted_and_never_scored(run):
    result = run("macro", "simulated/values=1,refusals=0.25,cutoff=2023-10", series=["unemployment_rate"])
    row = figure(result, "mean_absolute_error", series="unemployment_rate")
    assert row["value"] == 0.0
    assert row["n"] + row["refused"] == 406
    assert row["refused"] == pytest.approx(406 * 0.25, abs=25)
    assert figure(result, "refusals", series="unemployment_rate")["value"] == row["refused"]


def test_a_model_that_remembers_split_adjusted_prices_is_found_out(run):
    result = run(
        "stocks", "simulated/values=1,prices=split_adjusted,cutoff=2023-10", series=["NVDA"], context=["none"]
    )
    traded = figure(result, "mean_absolute_percent_error", series="NVDA")
    adjusted = figure(result, "mean_absolute_percent_error_split_adjusted", series="NVDA")
    assert adjusted["value"] == pytest.approx(0, abs=1e-6)
    assert traded["value"] > 50
    assert figure(result, "closer_to_split_adjusted", series="NVDA")["value"] == 100.0


def test_rescoring_asks_nothing_and_changes_nothing(run, tmp_path):
    run("macro", "simulated/malformed=0.4,cutoff=2023-10", series=["gdp_growth"])
    before = (tmp_path / "run" / "scores.csv").read_bytes()
    done = api.rescore(tmp_path / "run").done
    assert (done.changed, done.scores_changed) == (0, False)
    assert done.guesses > 130
    assert (tmp_path / "run" / "scores.csv").read_bytes() == before


def test_rescoring_reads_answers_that_were_not_read_before(run, tmp_path):
    run("macro", series=["gdp_growth"], sample=10)
    (file,) = (tmp_path / "run" / "answers").iterdir()
    answers = pl.read_parquet(file)
    spoilt = answers.with_columns(
        pl.lit("unparsed").alias("outcome"), pl.lit(None, pl.Float64).alias("number")
    )
    spoilt.write_parquet(file)
    done = api.rescore(tmp_path / "run").done
    assert (done.changed, done.by_outcome["unparsed to answered"]) == (10, 10)
    assert pl.read_parquet(file).equals(answers)


def test_the_same_seed_asks_the_same_and_writes_the_same_bytes(run, tmp_path):
    for out in ("one", "two"):
        run("portfolios", out=out, sample=15, seed=4)
    for name in ("questions.parquet", "scores.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_model_whose_cutoff_nobody_knows_is_refused_before_anything_is_made(run, tmp_path):
    with pytest.raises(UsageError, match="--cutoff"):
        run("macro", "simulated/values=1")
    assert not (tmp_path / "run").exists()
    assert run("macro", "simulated/values=1", series=["gdp_growth"], cutoff="2020-01", sample=5).scores.height


def test_context_tells_the_two_closes_before(run):
    made = Indices(series=["sp500"], since="2019-03-15", until="2019-03-15").questions(SETTING)
    by_condition = dict(zip(made["condition"], made["prompt"], strict=True))
    assert by_condition["none"].startswith("What was the S&P 500 closing value on March 15, 2019?")
    assert by_condition["history"].startswith(
        "Context: The closing price of S&P 500 was 2,808.48 on March 14, 2019 and 2,810.92 on March 13, 2019."
    )


def test_news_are_those_of_before_and_a_date_without_any_is_not_asked_about(tmp_path):
    file = tmp_path / "headlines.csv"
    file.write_text(
        "date,title,content\n2019-03-14,The day before,\n2019-03-15,The day itself,\n", encoding="utf-8"
    )
    made = Indices(
        series=["sp500"],
        panels=["daily_levels"],
        context=["news"],
        headlines=file,
        since="2019-03-01",
        until="2019-03-15",
    ).questions(SETTING)
    assert made["date"].to_list() == [date(2019, 3, 15)]
    assert "The day before" in made["prompt"][0]
    assert "The day itself" not in made["prompt"][0]


@pytest.mark.parametrize(
    ("suite", "message"),
    [
        (lambda: Macro(context=["weather"]), "no context 'weather'"),
        (lambda: Macro(panels=["levles"]), "no panel 'levles'"),
        (lambda: Macro(series=["gdp"]), "no series 'gdp'"),
        (lambda: Macro(inflation="wages"), "no inflation rate 'wages'"),
        (lambda: Macro(change="previous"), "no change against 'previous'"),
        (lambda: Macro(sample=0), "sample = 0"),
        (lambda: Macro(since="yesterday"), "--since: 'yesterday' is no day"),
        (lambda: Indices(returns="log"), "no returns in 'log'"),
        (lambda: Stocks(price="adjusted"), "no reading 'adjusted'"),
        (lambda: Stocks(since="2099-01-01"), "no question left"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(suite, message):
    with pytest.raises(UsageError, match=message):
        suite().questions(SETTING)


def test_a_dry_run_counts_every_request_and_prices_it():
    rows = requests("indices", models=["openai/gpt-4o-2024-08-06"], series=["sp500"], sample=50)
    by_what = {row["what"]: row for row in rows}
    assert {name: row["requests"] for name, row in by_what.items()} == {
        "daily levels": 50,
        "daily levels, context history": 50,
        "monthly returns": 50,
        "monthly directions": 50,
    }
    assert all(row["cost"] > 0 for row in rows)
    history = by_what["daily levels, context history"]["prompt_tokens"]
    assert history > by_what["daily levels"]["prompt_tokens"]


def test_directions_of_a_model_that_knows_half_of_them(run):
    result = run(
        "indices", "simulated/values=0.5,cutoff=2023-10", series=["sp500"], panels=["monthly_directions"]
    )
    row = figure(result, "accuracy", panel="monthly_directions")
    assert row["ci_low"] < 75 < row["ci_high"]


def test_what_is_asked_of_a_model_names_no_answer():
    """The truth travels beside the prompt for a simulated model alone: no prompt holds it without a context."""
    made = Stocks(series=["AAPL"], context=["none"]).questions(SETTING)
    for row in made.iter_rows(named=True):
        said = re.escape(f"{row['truth']:,.2f}")
        assert not re.search(rf"(?<![0-9.]){said}(?![0-9])", row["prompt"])


def test_summary_asks_no_model_and_needs_none(tmp_path):
    result = nt.benchmark("summary", out=tmp_path / "run", report=False)
    rows = result.scores.filter(series="gdp_growth", metric="mean")
    # Table A1: 2.39.
    assert rows["value"][0] == pytest.approx(2.39, abs=0.005)
    assert result.run["status"] == "done"


def test_a_pair_has_no_history_to_tell():
    asked = Indices(panels=["yearly_pairs"], context=["none", "history"]).questions(SETTING)
    assert set(asked["condition"]) == {"none"}


def test_closes_of_a_pair_s_year_are_held_against_its_end():
    """2023 ended after a cutoff in October 2023, so nobody could know then which index did better."""
    asked = Indices(panels=["yearly_pairs"], series=["sp500", "djia"]).questions(SETTING)
    assert asked["date"].max() >= date(2024, 12, 31)
    assert asked.filter(pl.col("date") < date(2023, 10, 1))["date"].max() == date(2022, 12, 31)


def test_december_1989_is_the_first_month_of_the_s_and_p_and_february_1992_of_the_dow():
    asked = Indices(panels=["monthly_returns"], series=["sp500", "djia"]).questions(SETTING)
    first = dict(asked.group_by("series").agg(pl.col("date").min()).iter_rows())
    assert first == {"sp500": date(1989, 12, 1), "djia": date(1992, 2, 1)}


def test_other_inflation_rates_are_other_truths():
    rates = {
        rate: Macro(series=["inflation"], inflation=rate, since="2022-06", until="2022-06-30").questions(
            SETTING
        )
        for rate in ("headline", "core", "annualized")
    }
    truths = {rate: asked["truth"][0] for rate, asked in rates.items()}
    # June 2022: CPI-U 9.1% over twelve months, its core 5.9%.
    assert (truths["headline"], truths["core"]) == (9.1, pytest.approx(5.9))
    assert truths["annualized"] > 12
    assert len({asked["prompt"][0] for asked in rates.values()}) == 1


def test_days_of_headlines_outside_the_calendar_have_no_next_trading_day(tmp_path):
    from neuter.suites.recall.headlines import Headlines

    file = tmp_path / "headlines.csv"
    file.write_text("date,title\n1980-05-05,An old story\n2019-03-15,A newer one\n", encoding="utf-8")
    asked = Headlines(headlines=file).questions(SETTING)
    by_panel = {panel: part["date"].to_list() for (panel,), part in asked.group_by("panel")}
    assert by_panel["headline_dates"] == [date(1980, 5, 5), date(2019, 3, 15)]
    # 2019-03-15 was a Friday: Monday's close was 2,832.94.
    assert by_panel["headline_levels"] == [date(2019, 3, 15)]
    assert asked.filter(panel="headline_levels")["truth"].to_list() == [2832.94]


@pytest.mark.parametrize(("price", "mean"), [(None, 2.34), ("traded", 1.61)])
def test_returns_of_table_a1_may_be_of_traded_closes(tmp_path, price, mean):
    """The paper prints 1.57 for AAPL, which no return over splits gives (docs/data-stocks.md)."""
    result = nt.benchmark("summary", out=tmp_path / "run", report=False, price=price)
    rows = result.scores.filter(series="AAPL", metric="mean_return")
    assert rows["value"][0] == pytest.approx(mean, abs=0.005)
