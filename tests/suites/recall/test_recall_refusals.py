"""What reviewers broke once: gaps, other readings, days, names, files that are gone, and suites that do not fit."""

import json
from datetime import date, datetime

import polars as pl
import pytest
from typer.testing import CliRunner

from neuter import api
from neuter.cli.app import app
from neuter.data.series import DataSeries
from neuter.errors import DataError, RunError, UsageError
from neuter.suites.recall.building import Form, questions_of
from neuter.suites.recall.indices import Indices
from neuter.suites.recall.macro import Macro
from neuter.suites.recall.points import points_of
from neuter.suites.recall.specs import spec_of
from neuter.suites.recall.stocks import Stocks
from neuter.suites.recall.summary import Summary
from neuter.suites.recall.wording import history_context
from neuter.suites.suite import Setting

MODEL = "simulated/values=1,cutoff=2023-10"
SETTING = Setting(models=(MODEL,))


def prices(traded, adjusted, dates):
    points = pl.DataFrame(
        {"date": dates, "traded": traded, "split_adjusted": adjusted, "digits": [2] * len(dates)},
        schema_overrides={"digits": pl.Int8},
    ).with_columns(pl.lit("here").alias("source"))
    return DataSeries("X", "monthly", ("traded", "split_adjusted"), points)


ENDS = [date(2020, 6, 30), date(2020, 7, 31), date(2020, 8, 31)]
#: Four shares for one in August, and the same price in June and July, whose quotients are not exact.
SPLIT = prices([332.8, 332.8, 90.0], [332.8 / 4 + 1e-9, 332.8 / 4 - 1e-9, 90.0], ENDS)


def test_without_a_split_the_previous_close_is_the_close_itself_so_that_a_tie_is_a_tie():
    points = points_of(SPLIT)
    assert points["previous"].to_list()[1] == 332.8
    assert points["previous"].to_list()[2] == pytest.approx(83.2)


def test_where_the_adjusted_close_is_right_so_is_the_one_before_it():
    points = points_of(SPLIT, "split_adjusted")
    assert points["previous"].to_list() == [None, *SPLIT.points["split_adjusted"].to_list()[:2]]


def test_closes_in_later_shares_are_told_with_four_digits():
    apple = spec_of("AAPL")
    told = history_context(apple, [(date(1999, 6, 30), 0.03554688), (date(1999, 5, 31), 106.26)])
    assert "was 0.03555 on June 30, 1999 and 106.26 on May 31, 1999" in told
    # A fraction of a dollar as it was quoted is told as it was.
    assert "was 102.8125 on" in history_context(apple, [(date(1999, 12, 31), 102.8125)])


def test_a_missing_trading_day_breaks_previous_values_and_contexts():
    days = [date(2008, 12, 26), date(2008, 12, 29), date(2008, 12, 31), date(2009, 1, 2)]
    points = pl.DataFrame({"date": days, "close": [1.0, 2.0, 3.0, 4.0], "source": ["here"] * 4}).with_columns(
        pl.lit(2, pl.Int8).alias("digits")
    )
    series = DataSeries("sp500", "daily", ("close",), points, gaps=(date(2008, 12, 30),))
    made = points_of(series)
    assert made["previous"].to_list() == [None, 1.0, None, 3.0]
    form = Form("indices", "daily_levels", "level", "sp500", spec_of("sp500"), "daily")
    prompts = questions_of(form, made, ["history"])["prompt"]
    # Two days before New Year's Eve there is a close, the day before there is none.
    assert "December 29, 2008" in prompts[2]
    assert "December 26, 2008" not in prompts[2]


def test_a_series_without_the_reading_that_is_right_says_which_option_helps():
    points = pl.DataFrame(
        {"date": [date(2020, 1, 1)], "first": [None], "latest": [2.0], "digits": [None], "source": ["here"]},
        schema_overrides={"first": pl.Float64, "digits": pl.Int8},
    )
    series = DataSeries("gdp_growth", "quarterly", ("first", "latest"), points)
    with pytest.raises(DataError, match=r"gdp_growth: has no value of the reading 'first'.*--vintage latest"):
        points_of(series)


def test_a_truth_that_is_no_finite_number_is_never_asked_about(monkeypatch):
    closes = pl.DataFrame(
        {"date": [date(2008, 1, 31), date(2008, 2, 29), date(2008, 3, 31)], "close": [1.0, 0.0, 2.0]}
    ).with_columns(pl.lit(2, pl.Int8).alias("digits"), pl.lit("here").alias("source"))
    series = DataSeries("sp500", "daily", ("close",), closes)
    monkeypatch.setattr("neuter.suites.recall.sourced.find_series", lambda *_: series)
    with pytest.raises(DataError, match="2008-03-01 is no finite number"):
        Indices(series="sp500", panels="monthly_returns").questions(SETTING)


def test_until_a_month_is_until_its_last_day():
    asked = Macro(series="treasury_10y", since="2008-12", until="2008-12").questions(SETTING)
    assert asked["date"].to_list() == [date(2008, 12, 31)]


@pytest.mark.parametrize("given", [date(2008, 12, 1), datetime(2008, 12, 1, 12), "2008-12", " 2008-12-01 "])
def test_days_may_be_dates_of_pythons(given):
    assert Macro(series="inflation", since=given).questions(SETTING)["date"].min() == date(2008, 12, 1)


@pytest.mark.parametrize(
    "parameters",
    [
        {"since": 5},
        {"cutoff": 2023},
        {"sample": "4"},
        {"sample": 2.5},
        {"sample": True},
        {"limit": 1.5},
        {"max_tokens": "x"},
        {"temperature": "x"},
        {"temperature": float("nan")},
        {"zero_is_answer": "no"},
        {"data": [5]},
        {"headlines": "no-such-file.csv"},
    ],
)
def test_parameters_of_another_kind_are_refused(parameters):
    with pytest.raises(UsageError, match=next(iter(parameters))):
        Macro(**parameters).questions(SETTING)


def test_one_name_stands_for_itself_and_not_for_its_letters():
    asked = Macro(series="gdp_growth", context="none", panels="rates").questions(SETTING)
    assert set(asked["series"]) == {"gdp_growth"}
    alike = Macro(series=["gdp_growth"], context=("none",), panels=["rates"])
    assert alike.configuration(SETTING) == Macro(
        series="gdp_growth", context="none", panels="rates"
    ).configuration(SETTING)


@pytest.mark.parametrize("parameters", [{"limit": 10**21}, {"recent_years": 5000}])
def test_huge_numbers_do_no_harm(parameters):
    suite = Macro(series="gdp_growth", **parameters)
    assert suite.questions(SETTING).height > 100
    assert suite.recent(date(2023, 10, 1)) is not None


def test_summary_takes_no_option_of_the_others():
    with pytest.raises(TypeError):
        Summary(sample=3)
    result = CliRunner().invoke(app, ["benchmark", "summary", "--every", "bogus"])
    assert "no option --every of summary" in str(result.exception)


def test_of_several_suites_each_takes_the_series_that_it_has(tmp_path):
    rows = CliRunner().invoke(
        app,
        [
            "benchmark",
            "macro",
            "indices",
            "--series",
            "gdp_growth",
            "--series",
            "sp500",
            "--model",
            MODEL,
            "--dry-run",
            "--json",
        ],
    )
    asked = {(row["suite"], row["what"]) for row in json.loads(rows.stdout)["rows"]}
    assert ("macro", "rates") in asked
    assert ("indices", "monthly returns") in asked
    stray = CliRunner().invoke(app, ["benchmark", "macro", "indices", "--series", "IBM", "--model", MODEL])
    assert "a series 'IBM'" in str(stray.exception)
    left = CliRunner().invoke(app, ["benchmark", "macro", "indices", "--series", "vix", "--model", MODEL])
    assert "'indices' has none of the series" in str(left.exception)


def test_the_last_of_several_suites_is_looked_at_before_the_first_is_asked(tmp_path):
    result = CliRunner().invoke(
        app,
        ["benchmark", "macro", "stocks", "--price", "bid", "--model", MODEL, "--out", str(tmp_path / "runs")],
    )
    assert "no reading 'bid'" in str(result.exception)
    assert not (tmp_path / "runs").exists()


@pytest.fixture
def folder(tmp_path):
    api.benchmark(
        "macro",
        models=[MODEL],
        out=tmp_path / "run",
        store=tmp_path / "store.sqlite",
        report=False,
        series=["gdp_growth", "unemployment_rate"],
        sample=8,
    )
    return tmp_path / "run"


@pytest.mark.parametrize("name", ["questions", "actual"])
def test_what_was_right_cannot_be_changed_behind_a_runs_back(folder, name):
    frame = pl.read_parquet(folder / f"{name}.parquet")
    column = "truth" if name == "questions" else "value"
    frame.with_columns(pl.lit(3.2).alias(column)).write_parquet(folder / f"{name}.parquet")
    with pytest.raises(RunError, match=f"{name}.parquet is not the one"):
        api.rescore(folder)


def test_an_answers_file_that_is_gone_is_missed_and_made_again(folder, tmp_path):
    (gone,) = folder.glob("answers/gdp*.parquet")
    before = (folder / "scores.csv").read_bytes()
    gone.unlink()
    with pytest.raises(RunError, match=r"answers/gdp_growth.*is missing.*runs resume"):
        api.rescore(folder)
    assert (folder / "scores.csv").read_bytes() == before
    api.benchmark(
        "macro",
        models=[MODEL],
        out=folder,
        store=tmp_path / "store.sqlite",
        report=False,
        series=["gdp_growth", "unemployment_rate"],
        sample=8,
    )
    assert gone.exists()
    assert (folder / "scores.csv").read_bytes() == before


def test_published_figures_stand_beside_the_papers_truth_alone(tmp_path):
    def published(**parameters):
        result = api.benchmark(
            "stocks",
            models=[MODEL],
            out=tmp_path / "run",
            store=tmp_path / "store.sqlite",
            report=False,
            overwrite=True,
            series="AAPL",
            sample=12,
            **parameters,
        )
        return result.scores["published"].count()

    assert published() > 5
    assert published(price="split_adjusted") == 0


def test_a_price_that_there_is_not_is_refused():
    with pytest.raises(UsageError, match="no reading 'adjusted'"):
        Stocks(price="adjusted").questions(SETTING)


def test_another_stock_is_asked_about_where_its_closes_are_given(tmp_path):
    file = tmp_path / "ibm.csv"
    file.write_text("date,traded\n2020-01-31,143.73\n2020-02-28,130.15\n", encoding="utf-8")
    asked = Stocks(series=["AAPL", "IBM"], data=f"IBM={file}", since="2020-01", until="2020-02").questions(
        SETTING
    )
    assert asked.filter(series="IBM", condition="none")["truth"].to_list() == [143.73, 130.15]
    assert "closing price of IBM on January 31, 2020" in asked.filter(series="IBM")["prompt"][0]
    with pytest.raises(UsageError, match=r"no series 'IBM'.*--data IBM=FILE"):
        Stocks(series="IBM").questions(SETTING)


def test_a_source_that_nobody_asked_is_told(tmp_path):
    file = tmp_path / "sp500.csv"
    file.write_text("date,close\n2020-01-31,3225.52\n", encoding="utf-8")
    suite = Macro(series="gdp_growth", data=f"sp500={file}")
    suite.questions(SETTING)
    assert any("sp500 was not looked for" in note for note in suite.notes())


def test_a_firm_under_two_symbols_is_one_cluster():
    from neuter.data.panel import firm_panel
    from neuter.data.sources import Sources
    from neuter.suites.recall.portfolios import Portfolios, closes_of

    closes = closes_of(Sources(), 10, 0)
    assert closes.group_by("firm").agg(pl.col("cluster").n_unique())["cluster"].max() == 1
    assert closes["symbol"].n_unique() > closes["cluster"].n_unique()
    renamed = closes.filter(pl.col("symbol") != pl.col("cluster"))
    asked = Portfolios(context="none").questions(SETTING)
    for row in renamed.iter_rows(named=True):
        (about,) = asked.filter(series=row["series"], date=row["date"], cluster=row["cluster"]).iter_rows(
            named=True
        )
        # The prompt has the symbol of that day, the cluster the last one that the firm has had.
        assert f"closing price of {row['symbol']} on" in about["prompt"]
    last = firm_panel().sort("date").group_by("firm").agg(pl.col("symbol").last())
    held = closes.select("firm", "cluster").unique().join(last, on="firm")
    assert held["cluster"].to_list() == held["symbol"].to_list()


def test_right_answers_of_0_are_told_as_refusals(tmp_path):
    result = api.benchmark(
        "macro",
        models=[MODEL],
        out=tmp_path / "run",
        store=tmp_path / "store.sqlite",
        report=False,
        series="nonfarm_payrolls",
        since="2011-01",
        until="2011-12",
    )
    assert any("the right value is 0 (1 of those asked about)" in note for note in result.notes)


def test_of_several_suites_each_reads_its_sources_once(tmp_path, monkeypatch):
    """They are all looked at before the first is asked, and what was read then is not read again."""
    from neuter.data.sources import find_series

    read = []

    def counted(name, sources):
        read.append(name)
        return find_series(name, sources)

    monkeypatch.setattr("neuter.suites.recall.sourced.find_series", counted)
    series = ["--series", "gdp_growth", "--series", "META"]
    kept = ["--out", str(tmp_path / "runs"), "--store", str(tmp_path / "store.sqlite")]
    done = CliRunner().invoke(
        app,
        ["benchmark", "macro", "stocks", *series, "--sample", "5", "--model", MODEL, *kept],
    )
    assert done.exception is None
    assert sorted(read) == ["META", "gdp_growth"]


def test_baselines_are_made_of_the_reading_that_is_right():
    """The first print of housing starts of December 1995 is missing: the latest value is there all the same."""
    suite = Macro(series="housing_starts", vintage="latest")
    latest = suite.found("housing_starts").values("latest")
    history = suite.histories(0)
    assert history["value"].to_list() == latest["value"].to_list()
    missing = history.filter(date=date(1995, 12, 1)).row(0, named=True)
    assert missing["value"] > 1000
    assert missing["other"] is None
    assert suite.other_truths == ("housing_starts",)
    assert Macro(series="housing_starts").other_truths == ()
