"""Questions made from series: their outcomes, base rates without a look ahead, and pairs that are equally hard."""

import re
from datetime import date

import numpy as np
import polars as pl
import pytest

from neuter.data.series import DataSeries
from neuter.data.shipped_series import shipped_series
from neuter.errors import UsageError
from neuter.questions.generating import generate_questions, matched_questions
from neuter.questions.generating.specs import names, spec_of
from neuter.questions.schema import DOMAINS, QUESTION_SCHEMA


@pytest.fixture(scope="module")
def generated() -> pl.DataFrame:
    return generate_questions(opens_from=date(2023, 1, 1))


def row(frame: pl.DataFrame, id_: str) -> dict:
    return frame.row(by_predicate=pl.col("id") == id_, named=True)


def test_the_issues_example_is_asked_and_resolved(generated):
    made = row(generated, "sp500-2024-06-28-2024-09-30-above-0")
    assert (
        made["question"] == "Will the S&P 500 close on 2024-09-30 above its close of 5,460.48 on 2024-06-28?"
    )
    assert (made["open"], made["resolution_date"]) == (date(2024, 6, 28), date(2024, 9, 30))
    assert made["resolution"] == 1  # 5,762.48
    assert made["cluster"] == "equities:2024-09"


def test_questions_have_the_format_and_no_id_twice(generated):
    assert generated.schema == pl.Schema(QUESTION_SCHEMA)
    assert not generated["id"].is_duplicated().any()
    assert set(generated["domain"]) <= set(DOMAINS)
    assert generated.filter(pl.col("open") >= pl.col("resolution_date")).is_empty()
    assert generated["base_rate"].is_between(0, 1).all()


@pytest.mark.parametrize("horizon", [1, 3, 6])
def test_a_base_rate_is_the_share_of_windows_that_had_ended(generated, horizon):
    """By another way: month ends by resampling in plain Python, every window counted one by one."""
    values = dict(shipped_series("sp500").values().iter_rows())
    ends = {}
    for day in sorted(values):
        ends[day.year, day.month] = day
    closes = [(day, values[day]) for day in ends.values()]
    place = next(i for i, (day, _) in enumerate(closes) if day == date(2024, 6, 28))
    past = [closes[i + horizon][1] > closes[i][1] for i in range(place - horizon + 1)]
    made = row(generated, f"sp500-2024-06-28-{closes[place + horizon][0]}-above-0")
    assert made["base_rate"] == pytest.approx(sum(past) / len(past), abs=1e-12)


def a_series(values: list[float], name: str = "inflation", reading: str = "first") -> DataSeries:
    dates = pl.date_range(date(2015, 1, 1), interval="1mo", end=date(2040, 1, 1), eager=True)[: len(values)]
    points = pl.DataFrame(
        {"date": dates, reading: values, "digits": [1] * len(values), "source": ["test"] * len(values)},
        schema_overrides={"digits": pl.Int8},
    )
    return DataSeries(name, "monthly", (reading,), points)


def test_what_comes_later_changes_no_question_that_was_made_before():
    values = [2.0 + 0.1 * ((7 * i) % 5) for i in range(100)]
    whole = generate_questions("inflation", data={"inflation": a_series(values)})
    other = [*values[:70], *(9.0 - value for value in values[70:])]
    changed = generate_questions("inflation", data={"inflation": a_series(other)})
    until = date(2020, 10, 1)  # values[:70] end with 2020-10, which is known by the end of November
    before = whole.filter(pl.col("resolution_date") <= date(2020, 11, 30))
    assert before.height > 100
    assert before.equals(changed.filter(pl.col("resolution_date") <= date(2020, 11, 30)))
    opened = whole.filter(pl.col("open") <= until).select("id", "base_rate")
    assert opened.equals(changed.filter(pl.col("open") <= until).select("id", "base_rate"))


def test_a_first_print_is_known_at_the_end_of_the_next_month_and_gdp_of_the_month_after_its_quarter(
    generated,
):
    rate = row(generated, "unemployment_rate-2024-02-01-2024-03-01-above-0")
    assert (rate["open"], rate["resolution_date"]) == (date(2024, 3, 31), date(2024, 4, 30))
    gdp = row(generated, "gdp_growth-2024-01-01-2024-04-01-above-0")
    assert (gdp["open"], gdp["resolution_date"]) == (date(2024, 4, 30), date(2024, 7, 31))
    assert "the second quarter of 2024" in gdp["question"]


def test_first_prints_are_asked_about_and_not_revised_values(generated):
    made = row(generated, "nonfarm_payrolls-2024-12-01-2025-01-01-above-0")
    assert "256 thousand" in made["question"]  # first print of December 2024, revised to 307 and then 323
    assert made["resolution"] == 0  # 143 thousand


def test_no_question_is_about_statistics_that_came_late(generated):
    prints = generated.filter(pl.col("id").str.contains(r"^(inflation|unemployment|nonfarm|housing|gdp)"))
    dates = (
        prints["id"]
        .str.extract_all(r"\d{4}-\d{2}-\d{2}")
        .list.to_struct(fields=["start", "end"])
        .struct.unnest()
    )
    for name in ("start", "end"):
        assert not dates[name].str.to_date().is_between(date(2025, 9, 1), date(2025, 12, 31)).any()


def test_exactly_the_line_is_a_no():
    flat = generate_questions("inflation", data={"inflation": a_series([2.0, 2.2] * 40)})
    ups = flat.filter(pl.col("id").str.ends_with("above-0.2") & pl.col("id").str.contains("-01-01-"))
    assert ups.height > 10
    assert ups["resolution"].sum() == 0


def test_the_line_that_the_criteria_name_decides_every_question(generated):
    """Read off the texts alone: the later value in the source against the line in the criteria."""
    worth = {"trillion": 1e12, "billion": 1e9}
    for made in generated.filter(pl.int_range(pl.len()) % 7 == 0).iter_rows(named=True):
        said = re.search(
            r"is (above|below) \$?(-?[\d,.]*\d)(?: (trillion|billion))?", made["resolution_criteria"]
        )
        line = float(said[2].replace(",", "")) * worth.get(said[3], 1)
        later = float(re.findall(r"(-?[\d.]+(?:e\+\d+)?) \(\d{4}", made["source"])[1])
        # A market capitalisation is told to six digits.
        if said[3] and abs(later / line - 1) < 1e-5:
            continue
        assert made["resolution"] == (later > line if said[1] == "above" else later < line), made["id"]


def test_a_firm_that_changes_its_symbol_is_one_firm():
    months = pl.date_range(date(2021, 1, 1), date(2023, 12, 1), "1mo", eager=True).dt.month_end()
    panel = pl.concat(
        [
            pl.DataFrame(
                {
                    "date": months,
                    "symbol": [
                        ("FB" if day < date(2022, 6, 1) and firm == 1 else f"S{firm}") for day in months
                    ],
                    "name": [f"Firm {firm}"] * months.len(),
                    "market_cap": [1e11 * firm * (1 + 0.01 * ((i * firm) % 7)) for i in range(months.len())],
                    "firm": [firm] * months.len(),
                }
            )
            for firm in (1, 2, 3)
        ]
    )
    made = generate_questions("firms", panel=panel)
    assert row(made, "FB-2022-05-31-2022-06-30-above-0")["question"].startswith(
        "Will Firm 1 (FB) have a larger"
    )
    assert made.filter(pl.col("id").str.starts_with("S1-2022-06-30")).height > 0


def test_pairs_are_equally_hard_for_the_base_rate(generated):
    before, after = date(2024, 4, 1), date(2025, 1, 1)
    chosen = matched_questions(generated, 400, before=before, after=after, seed=5)
    pre, post = (
        chosen.filter(pl.col("resolution_date") < before),
        chosen.filter(pl.col("resolution_date") >= after),
    )
    assert (pre.height, post.height) == (200, 200)
    assert pre["resolution"].sum() == post["resolution"].sum()
    brier = [((part["base_rate"] - part["resolution"]) ** 2).mean() for part in (pre, post)]
    assert abs(brier[0] - brier[1]) < 0.01
    series = [
        part["id"].str.extract(r"^(.*?)-\d{4}").filter(part["domain"] != "business") for part in (pre, post)
    ]
    assert series[0].value_counts().sort("id").equals(series[1].value_counts().sort("id"))
    assert chosen["cluster"].n_unique() > 100


def test_another_seed_draws_other_questions_and_the_same_the_same(generated):
    cut = {"before": date(2024, 4, 1), "after": date(2025, 1, 1)}
    one, same, other = (matched_questions(generated, 100, seed=seed, **cut) for seed in (1, 1, 2))
    assert one.equals(same)
    assert not one.equals(other)


def test_more_than_there_is_says_how_many_there_are(generated):
    few = generated.filter(pl.col("id").str.starts_with("sp500"))
    with pytest.raises(UsageError, match=r"there are only \d+ pairs") as caught:
        matched_questions(few, 5000, before=date(2024, 4, 1), after=date(2025, 1, 1))
    most = int(re.search(r"Ask for (\d+)", str(caught.value))[1])
    assert matched_questions(few, most, before=date(2024, 4, 1), after=date(2025, 1, 1)).height == most
    with pytest.raises(UsageError, match="only 0 pairs"):
        matched_questions(few, 10, before=date(2024, 4, 1), after=date(2099, 1, 1))


def test_only_what_is_asked_for_is_made():
    made = generate_questions(["vix"], opens_from=date(2024, 1, 1), resolves_by=date(2024, 6, 30))
    assert made["id"].str.starts_with("vix-").all()
    assert made.height > 20
    assert made["open"].min() >= date(2024, 1, 1)
    assert made["resolution_date"].max() <= date(2024, 6, 30)
    with pytest.raises(UsageError, match="no questions are made about 'gold'"):
        generate_questions("gold")
    with pytest.raises(UsageError, match="'2024-01-01' is no day"):
        generate_questions("vix", opens_from="2024-01-01")


def test_every_spec_has_its_words():
    for name in names():
        spec = spec_of(name)
        assert spec.domain in DOMAINS
        assert spec.thresholds
        assert spec.horizons
        assert (spec.change == "points") == bool(spec.points), name
        assert {"{date}", "{open}"} <= set(re.findall(r"\{\w+\}", spec.wording.above)) or spec.kind == "print"


def test_a_series_too_short_for_a_base_rate_makes_no_question():
    assert generate_questions("inflation", data={"inflation": a_series([2.0] * 20)}).is_empty()


def test_a_gap_in_a_series_is_no_value():
    values = a_series(list(np.linspace(2, 4, 80)))
    points = values.points.filter(pl.col("date") != date(2020, 3, 1))
    holed = DataSeries("inflation", "monthly", ("first",), points)
    ids = generate_questions("inflation", data={"inflation": holed})["id"]
    assert not ids.str.contains("2020-03-01").any()
    assert ids.str.contains("2020-02-01-2020-05-01").any()


def test_what_a_question_tells_decides_it():
    """GDP is kept with four decimals and told with one: 2.9 to 1.9 is no fall by more than 1, though 2.9014 to 1.8735 is."""
    made = row(generate_questions("gdp_growth"), "gdp_growth-2016-07-01-2016-10-01-below-1")
    assert "below 2.9%" in made["question"]
    assert "is below 1.9%" in made["resolution_criteria"]
    assert made["resolution"] == 0
