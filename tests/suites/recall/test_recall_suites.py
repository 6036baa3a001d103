"""What each recall suite asks about, by its options: which price, which print, which dates, which contexts."""

from datetime import date

import polars as pl
import pytest

from neuter.data.panel import firm_panel
from neuter.data.sources import Sources, find_series
from neuter.errors import UsageError
from neuter.suites.recall.headlines import Headlines
from neuter.suites.recall.indices import Indices
from neuter.suites.recall.macro import Macro
from neuter.suites.recall.portfolios import Portfolios, closes_of
from neuter.suites.recall.stocks import Stocks
from neuter.suites.recall.summary import Summary
from neuter.suites.suite import Setting

SETTING = Setting(models=("simulated/values=1,cutoff=2023-10",))
CUTOFF = date(2023, 10, 1)


def test_the_other_price_is_the_truth_with_the_traded_one_beside():
    """NVIDIA split 10 for 1 on 2024-06-10, 4 for 1 on 2021-07-20 before: 495.22 in 2023-12 is 49.52."""
    told = {"series": ["NVDA"], "since": "2023-12-29", "until": "2023-12-29", "context": ["none"]}
    (traded,) = Stocks(**told).questions(SETTING).iter_rows(named=True)
    (adjusted,) = Stocks(**told, price="split_adjusted").questions(SETTING).iter_rows(named=True)
    assert (traded["truth"], traded["other_reading"], traded["digits"]) == (495.22, "split_adjusted", 2)
    assert traded["other"] == pytest.approx(49.522)
    assert adjusted["truth"] == pytest.approx(49.522)
    assert (adjusted["other"], adjusted["other_reading"], adjusted["digits"]) == (495.22, "traded", None)


def test_directions_of_stocks_have_no_second_reading_and_no_context_unless_asked():
    made = Stocks(panels=["stock_directions"], series=["NVDA"]).questions(SETTING)
    assert set(made["condition"]) == {"none"}
    assert made["other"].null_count() == made["other_reading"].null_count() == made.height
    # 10 for 1 in June 2024: 1096.33 and 123.54 are a rise.
    assert made.filter(pl.col("date") == date(2024, 6, 28))["truth_word"].to_list() == ["up"]


def test_the_other_print_is_the_truth_for_series_that_have_two():
    """GDP of 2008Q4: -3.8 at first. VIX has one reading, and stays."""
    told = {"since": "2008-10", "until": "2008-10-31"}
    first = Macro(series=["gdp_growth"], **told).questions(SETTING).row(0, named=True)
    latest = Macro(series=["gdp_growth"], vintage="latest", **told).questions(SETTING).row(0, named=True)
    assert (round(first["truth"], 1), first["other_reading"]) == (-3.8, "latest")
    assert (latest["truth"], latest["other"]) == (first["other"], first["truth"])
    assert (latest["other_reading"], latest["digits"]) == ("first", None)
    vix = Macro(series=["vix"], vintage="latest", **told).questions(SETTING)
    assert vix.height == 1
    with pytest.raises(UsageError, match="no vintage 'second'"):
        Macro(vintage="second").questions(SETTING)


def test_a_kind_of_question_alone():
    rates = Macro(panels=["rates"]).questions(SETTING)
    assert set(rates["panel"]) == {"rates"}
    assert set(rates["series"]) == {"gdp_growth", "inflation", "unemployment_rate", "treasury_10y"}
    assert set(Macro(panels=["rates", "rates"]).chosen_panels) == {"rates"}
    assert Macro(panels=["rates", "rates"]).chosen_panels == ("rates",)
    assert Indices(panels=["all"]).chosen_panels == Indices.all_panels


def test_only_daily_levels_have_a_context_by_default_and_all_kinds_one_that_is_asked_for():
    told = {"series": ["sp500"], "since": "2019-03-01", "until": "2019-03-15"}
    plain = Indices(**told).questions(SETTING)
    assert {panel: set(part["condition"]) for (panel,), part in plain.group_by("panel")} == {
        "daily_levels": {"none", "history"},
        "monthly_returns": {"none"},
        "monthly_directions": {"none"},
    }
    asked = Indices(**told, context=["history"]).questions(SETTING)
    assert set(asked["condition"]) == {"history"}
    assert "monthly_returns" in set(asked["panel"])


@pytest.mark.parametrize(
    ("suite", "begins"), [(Macro, date(2014, 10, 1)), (Portfolios, date(2014, 1, 1)), (Stocks, None)]
)
def test_the_recent_part_begins_as_in_the_papers_table(suite, begins):
    assert suite().recent(CUTOFF) == begins
    assert suite(recent_years=3).recent(CUTOFF) == date(2020, 10, 1)
    # Where the model's knowledge ends before it, there is none.
    assert suite().recent(date(2013, 1, 1)) is None


def test_both_ends_of_the_dates_are_in():
    told = {"series": ["sp500"], "panels": ["daily_levels"], "context": ["none"]}
    made = Indices(**told, since="2019-03-14", until="2019-03-18").questions(SETTING)
    assert made["date"].to_list() == [date(2019, 3, day) for day in (14, 15, 18)]


def test_a_sample_follows_from_the_seed_and_covers_both_sides_of_the_cutoff():
    suite = Macro(series=["unemployment_rate"], sample=6)
    drawn = [suite.questions(Setting(models=SETTING.models, seed=seed))["date"].to_list() for seed in (0, 1)]
    assert drawn[0] != drawn[1]
    # 29 of some 435 months are after it: by size alone they would give none.
    assert all(sum(day >= CUTOFF for day in days) >= 1 for days in drawn)


@pytest.mark.parametrize("name", ["sample", "limit", "recent_years", "max_tokens"])
def test_counts_are_above_0(name):
    with pytest.raises(UsageError, match=f"{name} = 0"):
        Macro(**{name: 0}).check()
    Macro(**{name: 1}).check()


@pytest.mark.parametrize(
    ("name", "given"), [("every", "week"), ("cutoff", "2023-13"), ("intervals", "bands")]
)
def test_words_that_do_not_fit_are_refused_before_anything_is_read(name, given):
    with pytest.raises(UsageError, match=given):
        Macro(**{name: given}).check()


def test_portfolios_hold_a_firm():
    with pytest.raises(UsageError, match="per_size = 0"):
        Portfolios(per_size=0).check()


def test_what_decides_a_run_is_in_its_configuration():
    plain = Macro(series=["gdp_growth"]).configuration(SETTING)
    assert set(plain) >= {
        "suite",
        "series",
        "models",
        "cutoffs",
        "questions",
        "sources",
        "seed",
        "draws",
        "change",
    }
    others = [
        Macro(series=["gdp_growth"], cutoff="2020-01").configuration(SETTING),
        Macro(series=["gdp_growth"], vintage="latest").configuration(SETTING),
        Macro(series=["gdp_growth"]).configuration(Setting(models=SETTING.models, draws=7)),
        Macro(series=["gdp_growth"], zero_is_answer=True).configuration(SETTING),
    ]
    assert all(other != plain for other in others)
    assert others[0]["cutoffs"] != plain["cutoffs"]
    assert others[1]["questions"] != plain["questions"]
    assert others[2]["draws"] == 7


def test_another_file_of_the_same_values_is_another_source(tmp_path):
    """The folder of a run must not be taken for that of another source."""
    made = []
    for name, value in (("one", 2.5), ("two", 3.5)):
        file = tmp_path / f"{name}.csv"
        file.write_text(f"date,value\n2020-01-01,{value}\n2020-04-01,1.0\n2020-07-01,2.0\n", encoding="utf-8")
        suite = Macro(series=["gdp_growth"], data=[f"gdp_growth={file}"])
        made.append((suite.configuration(SETTING), suite.questions(SETTING)))
        assert file in list(suite.reads())
    assert made[0][0]["sources"] != made[1][0]["sources"]
    own = made[0][1].filter(pl.col("date") == date(2020, 1, 1))
    assert own["truth"].to_list() == [2.5]


def test_each_source_reaches_the_series(tmp_path, monkeypatch):
    for file in ("b.csv", "x.xlsx", "y.csv"):
        (tmp_path / file).write_text("date,value\n2020-01-01,1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    suite = Macro(
        data=["gdp_growth=b.csv"],
        fred=True,
        alfred=True,
        yahoo=True,
        philadelphia_fed=["x.xlsx"],
        crsp=["y.csv"],
    )
    made = suite.sources
    assert (made.data, made.fred, made.alfred, made.yahoo) == (("gdp_growth=b.csv",), True, True, True)
    assert (made.philadelphia_fed, made.crsp) == (("x.xlsx",), ("y.csv",))
    assert [file.name for file in suite.reads()] == ["b.csv", "x.xlsx", "y.csv"]
    assert [file.name for file in Headlines(headlines="h.csv").reads()] == ["h.csv"]


def test_gaps_of_the_data_are_told():
    (note,) = Macro(series=["housing_starts"]).notes()
    assert "housing_starts 6" in note
    assert Macro(series=["treasury_10y"]).notes() == []
    assert "2025-10" in Portfolios().notes()[0]
    assert Portfolios(crsp=["own.csv"]).notes() == []


def test_scoring_is_told_the_options():
    told = Indices(returns="relative", change="previous_estimate", intervals="blocks").scored_by
    assert told == {"returns": "relative", "change": "previous_estimate", "intervals": "blocks"}
    with pytest.raises(UsageError, match="returns in 'log'"):
        Indices(returns="log").check()


def headlines(tmp_path, text, **options):
    file = tmp_path / "headlines.csv"
    file.write_text(text, encoding="utf-8")
    return Headlines(headlines=file, **options)


def test_the_level_of_the_next_trading_day_has_two_digits_and_the_day_is_the_date_asked_for(tmp_path):
    asked = headlines(tmp_path, "date,title\n2019-03-15,Any\n").questions(SETTING)
    rows = {row["panel"]: row for row in asked.iter_rows(named=True)}
    assert {panel: row["digits"] for panel, row in rows.items()} == {
        "headline_dates": None,
        "headline_levels": 2,
    }
    assert {row["truth_date"] for row in rows.values()} == {date(2019, 3, 15)}


def test_days_behind_the_calendar_have_no_level_and_are_no_error(tmp_path):
    asked = headlines(tmp_path, "date,title\n2030-12-31,Late\n2031-05-05,Later\n").questions(SETTING)
    assert set(asked["panel"]) == {"headline_dates"}


def test_options_of_reading_headlines_reach_the_file(tmp_path):
    text = "day,title\n03/04/2019,One\nnonsense,Two\n"
    suite = headlines(tmp_path, text, columns={"date": "day"}, day_first=True, skip_invalid=True)
    assert set(suite.questions(SETTING)["date"]) == {date(2019, 4, 3)}
    assert any("1 invalid rows" in note for note in suite.notes())


def test_notes_of_headlines():
    notes = " ".join(Headlines(context=["history"]).notes())
    assert "--context does not apply" in notes
    assert "the shipped headlines are our own" in notes
    assert "--context does not apply" not in " ".join(Headlines().notes())


def test_portfolios_tell_the_closes_before_and_of_last_year_by_firm():
    """Every close beside a question is the panel's, so many months before, of the same firm."""
    closes = {
        (firm, day.year * 12 + day.month): close
        for firm, day, close in firm_panel().select("firm", "date", "close").iter_rows()
    }
    rows = closes_of(Sources(), 3, 0).to_dicts()
    for name, back in (("truth", 0), ("value_1", 1), ("value_2", 2)):
        said = [row[name] for row in rows]
        held = [closes.get((row["firm"], row["date"].year * 12 + row["date"].month - back)) for row in rows]
        assert said == held, name
    # Over a split a close of a year ago is not of the same shares, and is left out.
    told = [(row["year_ago"], closes.get((row["firm"], _month(row["date"]) - 12))) for row in rows]
    assert all(said == held for said, held in told if said is not None)
    kept = sum(said is not None for said, _ in told)
    assert kept > 0.8 * sum(held is not None for _, held in told)
    made = Portfolios(per_size=2, series=["Large"]).questions(SETTING)
    assert "" not in set(made["cluster"])


def test_the_seed_draws_the_firms_and_their_histories():
    drawn = [
        set(Portfolios(per_size=1).questions(Setting(models=SETTING.models, seed=seed))["cluster"])
        for seed in (0, 1)
    ]
    assert drawn[0] != drawn[1]
    suite = Portfolios(per_size=1)
    assert set(suite.histories(0)["cluster"]) == drawn[0]


def test_the_summary_is_over_the_papers_dates_and_its_own_series():
    assert Summary()._dates == (date(1990, 1, 1), date(2025, 2, 28))
    one = Summary().configuration(Setting(seed=0))
    assert one["seed"] == 0
    assert Summary(until="2020-01").configuration(Setting()) != one
    assert Summary().configuration(Setting(seed=1)) != one


def test_stocks_are_asked_about_from_the_first_month_of_table_4():
    """Our closes of Apple begin two months before it."""
    made = Stocks(series=["AAPL"], context=["none"]).questions(SETTING)
    assert made["date"].min() == date(1989, 1, 31)
    assert made["previous"].null_count() == 0


def test_a_source_is_read_once_for_a_run(monkeypatch):
    read = []

    def counted(name, sources):
        read.append(name)
        return find_series(name, sources)

    monkeypatch.setattr("neuter.suites.recall.sourced.find_series", counted)
    suite = Macro(series=["gdp_growth", "vix"])
    suite.configuration(SETTING)
    suite.questions(SETTING)
    suite.histories(0)
    suite.notes()
    assert sorted(read) == ["gdp_growth", "vix"]


def _month(day):
    return day.year * 12 + day.month
