"""Scores against slow loops and against values worked by hand."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date

import polars as pl
import pytest

from neuter.errors import RunError, UsageError
from neuter.scoring import SCORES_SCHEMA, score_identification
from neuter.scoring.identification import score

COLUMNS = [
    "outcome",
    "firm",
    "industry",
    "quarter",
    "year",
    "date",
    "confidence",
    "candidates",
    "scores",
    "answer",
    "reason",
]


def truth_frame(**columns: list[object]) -> pl.DataFrame:
    kinds = {
        "ticker": pl.String,
        "firm": pl.String,
        "cik": pl.Int64,
        "date": pl.Date,
        "date_assumed": pl.Boolean,
    }
    kinds |= {
        "fiscal_year": pl.Int64,
        "fiscal_quarter": pl.Int64,
        "market_cap": pl.Float64,
        "size": pl.String,
        "sector": pl.String,
    }
    n = len(columns["id"])
    data = {"id": columns["id"], "kind": ["transcript"] * n}
    data |= {name: columns.get(name, [None] * n) for name in [*kinds, *(set(columns) - set(kinds) - {"id"})]}
    return pl.DataFrame(data, schema_overrides=kinds)


def guess_frame(rows: list[dict[str, object]], *, model: str | None = "m") -> pl.DataFrame:
    kinds = {"quarter": pl.Int64, "year": pl.Int64, "date": pl.Date, "confidence": pl.Float64}
    kinds |= {"candidates": pl.List(pl.String), "scores": pl.List(pl.Float64)}
    kinds |= dict.fromkeys(["firm", "industry", "answer", "reason", "model"], pl.String)
    data = [
        {
            "id": r["id"],
            "scheme": "s",
            "attacker": "a",
            "model": model,
            **{c: r.get(c) for c in COLUMNS},
            "outcome": r.get("outcome", "answered"),
        }
        for r in rows
    ]
    return pl.DataFrame(data, schema_overrides=kinds)


def cell(scores: pl.DataFrame, metric: str, by: str = "all", group: str = "all") -> dict[str, object]:
    found = scores.filter(
        (pl.col("metric") == metric) & (pl.col("group_by") == by) & (pl.col("group") == group)
    )
    assert found.height == 1, (metric, by, group, found.height)
    return found.row(0, named=True)


@pytest.fixture
def small() -> pl.DataFrame:
    truth = truth_frame(
        id=list("abcdef"),
        ticker=["AAPL", "AAPL", "GOOG", "GOOGL", "F", "F"],
        fiscal_year=[2020, 2021, 2020, 2021, 2020, None],
        fiscal_quarter=[1, 2, 3, 4, 1, None],
        size=["Large", "Large", "Large", "Large", "Mid", "Mid"],
        date=[date(2020, 1, 28), date(2021, 4, 28), None, None, date(2020, 4, 28), date(2020, 7, 30)],
    )
    guesses = guess_frame(
        [
            {"id": "a", "firm": "Apple", "year": 2020, "quarter": 1},
            {"id": "b", "firm": "AAPL", "year": 2021, "quarter": 3},
            {"id": "c", "firm": "Alphabet Inc.", "year": 2018, "quarter": 3},
            {"id": "d", "outcome": "refused"},
            {"id": "e", "firm": "GM", "year": None, "quarter": None},
            {"id": "f", "outcome": "failed"},
        ]
    )
    return score_identification(truth, guesses, draws=200)


def test_columns_are_the_tables(small: pl.DataFrame) -> None:
    assert dict(small.schema) == SCORES_SCHEMA
    assert small["suite"].unique().to_list() == ["evaluate"]


def test_firm_accuracy_and_its_bounds(small: pl.DataFrame) -> None:
    row = cell(small, "firm_accuracy")
    assert row["value"] == 75.0  # a, b, c of a, b, c, e
    assert (row["n"], row["answered"], row["refused"], row["failed"]) == (4, 4, 1, 1)
    assert row["baseline"] == 50.0  # always AAPL: 2 of the 4 answered
    assert cell(small, "firm_accuracy_all")["value"] == 50.0
    assert cell(small, "firm_accuracy_low")["value"] == 50.0
    high = cell(small, "firm_accuracy_high")
    assert high["value"] == pytest.approx(83.333333)
    assert high["n"] == 6
    assert high["baseline"] == pytest.approx(33.333333)  # three firms of two documents each


def test_skill_is_accuracy_over_the_best_constant(small: pl.DataFrame) -> None:
    assert cell(small, "firm_skill")["value"] == 0.5  # (0.75 - 0.5) / (1 - 0.5)
    assert cell(small, "firm_skill")["unit"] == "share"


def test_years_and_quarters(small: pl.DataFrame) -> None:
    year = cell(small, "year_accuracy")
    assert (year["value"], year["n"]) == (50.0, 4)  # a, b right; c wrong; e left it empty, which is wrong
    assert year["baseline"] == 75.0  # 2020 three times among a, b, c, e
    assert cell(small, "quarter_year_accuracy")["value"] == 25.0
    assert cell(small, "quarter_within_one")["value"] == 50.0  # a, and b one quarter off
    assert cell(small, "year_accuracy_all")["n"] == 5  # f has no fiscal year


def test_year_differences_leave_empty_answers_out(small: pl.DataFrame) -> None:
    off = cell(small, "mean_years_difference")
    assert off["value"] == pytest.approx(-2 / 3, abs=1e-6)  # 0, 0, -2
    assert (off["n"], off["unit"], off["baseline"]) == (3, "years", None)
    absolute = cell(small, "mean_absolute_years_difference")
    assert absolute["value"] == pytest.approx(2 / 3, abs=1e-6)
    assert absolute["baseline"] == pytest.approx(1 / 3, abs=1e-6)  # always 2020, of 2020, 2021, 2020


def test_the_quarter_of_the_call_is_another_question(small: pl.DataFrame) -> None:
    call = cell(small, "call_quarter_year_accuracy")
    # a is right; b's call was in Q2; c's is assumed to be of October 2020; e is empty.
    assert (call["value"], call["n"]) == (25.0, 4)
    calendar = cell(small, "calendar_quarter_year_accuracy")
    # Apple's fiscal 2020 Q1 ended in December 2019: its year's end is listed.
    assert (calendar["value"], calendar["n"]) == (0.0, 4)


def test_an_assumed_date_is_scored_and_said() -> None:
    truth = truth_frame(
        id=["a"],
        ticker=["ZZXQ"],  # no firm that anyone knows
        date=[date(2020, 1, 1)],
        date_assumed=[True],
        fiscal_year=[2019],
        fiscal_quarter=[4],
    )
    scored = score(truth, guess_frame([{"id": "a", "firm": "F", "year": 2020, "quarter": 1}]))
    assert cell(scored.frame, "call_quarter_year_accuracy")["value"] == 100.0
    assert cell(scored.frame, "year_accuracy")["first_date"] == date(2020, 1, 1)
    told = scored.caveats.filter(pl.col("metric") == "call_year_accuracy", pl.col("group_by") == "all")
    assert "1 of 1 dates are assumed (end of the fiscal period + 30 days)" in told["text"].to_list()
    told = scored.caveats.filter(pl.col("metric") == "calendar_year_accuracy", pl.col("group_by") == "all")
    assert "1 of 1 fiscal year ends are assumed to be December" in told["text"].to_list()


def test_calendar_periods_by_the_fiscal_year_end() -> None:
    truth = truth_frame(
        id=["a", "b"],
        ticker=["AAPL", "F"],
        fiscal_year=[2022, 2022],
        fiscal_quarter=[1, 1],
        fiscal_year_end=[9, None],
    )
    rows = [{"id": i, "firm": "F", "year": 2021, "quarter": 4} for i in "ab"]
    row = cell(score_identification(truth, guess_frame(rows)), "calendar_quarter_year_accuracy")
    assert (row["value"], row["n"]) == (50.0, 2)  # Apple's first quarter ends in December; Ford's in March


def test_groups(small: pl.DataFrame) -> None:
    assert cell(small, "firm_accuracy", "size", "Large")["value"] == 100.0
    assert cell(small, "firm_accuracy", "size", "Mid")["n"] == 1
    assert cell(small, "firm_accuracy", "firm", "AAPL")["value"] == 100.0
    assert cell(small, "firm_accuracy_all", "firm", "GOOG")["value"] == 50.0  # GOOG and GOOGL are one firm
    assert not small.filter(pl.col("group") == "Small").height
    assert cell(small, "firm_accuracy", "firm", "AAPL")["ci_low"] is None  # one firm: no interval


def test_nothing_answered_gives_no_figure() -> None:
    truth = truth_frame(id=["a", "b"], ticker=["AAPL", "F"], fiscal_year=[2020, 2021])
    rows = [{"id": "a", "outcome": "failed"}, {"id": "b", "outcome": "unparsed"}]
    scores = score_identification(truth, guess_frame(rows))
    row = cell(scores, "firm_accuracy")
    assert (row["value"], row["n"], row["failed"], row["unparsed"]) == (None, 0, 1, 1)
    assert (cell(scores, "firm_accuracy_low")["value"], cell(scores, "firm_accuracy_high")["value"]) == (
        0.0,
        100.0,
    )


def test_an_attacker_that_never_guesses_years_has_no_year_rows() -> None:
    truth = truth_frame(id=["a", "b"], ticker=["AAPL", "F"], fiscal_year=[2020, 2021], fiscal_quarter=[1, 1])
    scores = score_identification(truth, guess_frame([{"id": i, "firm": "F"} for i in "ab"], model=None))
    assert not scores.filter(pl.col("metric").str.contains("year|quarter")).height


def test_ranks() -> None:
    truth = truth_frame(id=list("abc"), ticker=["AAPL", "F", "GM"])
    best = ["cik:0000320193", "F", "GM", "KO", "T", "V"]
    rows = [{"id": i, "firm": best[0], "candidates": best, "scores": [0.1] * 6} for i in "ab"]
    rows.append(
        {"id": "c", "firm": "V", "candidates": ["V", "KO", "T", "F", "AAPL", "GM"], "scores": [0.1] * 6}
    )
    scores = score_identification(truth, guess_frame(rows))
    assert cell(scores, "firm_accuracy")["value"] == pytest.approx(33.333333)
    assert cell(scores, "firm_accuracy_top5")["value"] == pytest.approx(66.666667)
    assert cell(scores, "firm_mrr")["value"] == pytest.approx((1 + 1 / 2 + 1 / 6) / 3, abs=1e-6)
    assert cell(scores, "firm_mrr")["baseline"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3, abs=1e-6)


def test_documents_without_a_guess_are_not_scored() -> None:
    truth = truth_frame(id=list("abc"), ticker=["AAPL", "F", "GM"])
    assert (
        cell(score_identification(truth, guess_frame([{"id": "b", "firm": "Ford"}])), "firm_accuracy_all")[
            "n"
        ]
        == 1
    )


def test_guesses_that_do_not_belong_are_refused() -> None:
    truth = truth_frame(id=["a"], ticker=["AAPL"])
    with pytest.raises(RunError, match="does not hold"):
        score_identification(truth, guess_frame([{"id": "z", "firm": "F"}]))
    with pytest.raises(UsageError, match="more than one guess"):
        score_identification(truth, guess_frame([{"id": "a", "firm": "F"}, {"id": "a", "firm": "F"}]))
    mixed = pl.concat(
        [guess_frame([{"id": "a"}]), guess_frame([{"id": "b"}]).with_columns(scheme=pl.lit("t"))]
    )
    with pytest.raises(UsageError, match="more than one scheme"):
        score_identification(truth, mixed)
    assert score_identification(truth, guess_frame([{"id": "a"}]).clear()).height == 0


def test_documents_of_unknown_firms_count_for_dates_only() -> None:
    truth = truth_frame(id=list("abc"), date=[date(2020, 1, 1), date(2021, 5, 1), date(2020, 1, 9)])
    rows = [{"id": i, "date": date(2020, 1, 1)} for i in "abc"]
    scores = score_identification(truth, guess_frame(rows))
    assert not scores.filter(pl.col("metric").str.starts_with("firm")).height
    row = cell(scores, "call_year_accuracy")
    assert row["value"] == pytest.approx(66.666667)
    assert row["ci_low"] == pytest.approx(20.765, abs=0.01)  # Wilson, 2 of 3


def many(n_firms: int, each: int, seed: int) -> tuple[pl.DataFrame, list[dict[str, object]]]:
    draw = random.Random(seed)
    tickers = draw.sample(
        ["AAPL", "MSFT", "F", "GM", "KO", "PEP", "T", "V", "IBM", "WMT", "COST", "CVX", "XOM", "PG", "MMM"],
        n_firms,
    )
    ids = [f"{t}{i}" for t in tickers for i in range(each)]
    truth = truth_frame(
        id=ids,
        ticker=[t for t in tickers for _ in range(each)],
        fiscal_year=[draw.choice([2019, 2020, 2021]) for _ in ids],
        fiscal_quarter=[draw.randint(1, 4) for _ in ids],
        size=[draw.choice(["Large", "Mid", "Small"]) for _ in ids],
        sector=[draw.choice(["Energy", "Technology"]) for _ in ids],
    )
    outcomes = ["answered"] * 8 + ["failed", "refused"]
    rows: list[dict[str, object]] = [
        {
            "id": i,
            "outcome": draw.choice(outcomes),
            "firm": draw.choice(tickers[:4]),
            "year": draw.choice([2019, 2020, None]),
            "quarter": draw.randint(1, 4),
        }
        for i in ids
    ]
    return truth, rows


@pytest.mark.parametrize("seed", range(3))
def test_every_row_agrees_with_a_slow_loop(seed: int) -> None:
    truth, rows = many(12, 5, seed)
    scores = score_identification(truth, guess_frame(rows), draws=100)
    facts = {row["id"]: row for row in truth.rows(named=True)}
    checked = 0
    for row in scores.filter(
        pl.col("metric").str.contains("^(firm|year|quarter_year)_accuracy(_all|_low|_high)?$")
    ).rows(named=True):
        base, _, ending = row["metric"].partition("accuracy")
        key = {
            "all": lambda f: "all",
            "size": lambda f: f["size"],
            "firm": lambda f: f["ticker"],
            "sector": lambda f: f["sector"],
        }[row["group_by"]]
        right, total, classes = 0, 0, Counter()
        for guess in rows:
            fact = facts[guess["id"]]
            if key(fact) != row["group"] or (ending == "" and guess["outcome"] != "answered"):
                continue
            said = {
                "firm_": guess["firm"],
                "year_": guess["year"],
                "quarter_year_": (guess["year"], guess["quarter"]),
            }[base]
            true = {
                "firm_": fact["ticker"],
                "year_": fact["fiscal_year"],
                "quarter_year_": (fact["fiscal_year"], fact["fiscal_quarter"]),
            }[base]
            total += 1
            classes[true] += 1
            right += said == true if guess["outcome"] == "answered" else ending == "_high"
        assert row["n"] == total
        if total:
            assert row["value"] == pytest.approx(100 * right / total, abs=1e-5), row
            assert row["baseline"] == pytest.approx(100 * max(classes.values()) / total, abs=1e-5), row
            if row["ci_low"] is not None:
                assert 0 <= row["ci_low"] <= row["value"] + 1e-6
                assert row["value"] - 1e-6 <= row["ci_high"] <= 100
        checked += 1
    assert checked > 100


def test_a_row_never_depends_on_other_rows() -> None:
    truth, rows = many(12, 5, 7)
    whole = score_identification(truth, guess_frame(rows))
    large = set(truth.filter(pl.col("size") == "Large")["id"])
    part = score_identification(truth, guess_frame([r for r in rows if r["id"] in large]))
    assert cell(whole, "firm_accuracy", "size", "Large") == cell(part, "firm_accuracy", "size", "Large")
    assert whole.equals(score_identification(truth, guess_frame(rows)))
    assert not whole.equals(score_identification(truth, guess_frame(rows), seed=1))


def test_chance_stands_beside_accuracy() -> None:
    truth = truth_frame(
        id=list("abcd"), ticker=["AAPL", "AAPL", "F", "KO"], fiscal_year=[2019, 2020, 2022, 2019]
    )
    rows = [
        {"id": "a", "firm": "AAPL", "year": 2019},
        {"id": "b", "firm": "F", "year": 2020},
        {"id": "c", "firm": "AAPL", "year": 2019},
        {"id": "d", "firm": "KO", "year": 2019},
    ]
    scores = score_identification(truth, guess_frame(rows))
    assert cell(scores, "firm_accuracy")["value"] == 50.0
    assert cell(scores, "firm_accuracy_uniform")["value"] == pytest.approx(100 / 3)  # three firms
    # a and b: one of the two others' guesses is AAPL; c: one of three is F; d: none of three is KO.
    assert cell(scores, "firm_accuracy_permutation")["value"] == pytest.approx(100 * (0.5 + 0.5 + 1 / 3) / 4)
    assert cell(scores, "firm_skill")["value"] == 0.0  # always AAPL is right of half too
    assert cell(scores, "firm_skill_uniform")["value"] == pytest.approx((0.5 - 1 / 3) / (1 - 1 / 3))
    assert cell(scores, "year_accuracy_uniform")["value"] == 25.0  # 2019 to 2022
    # a: c and d say 2019, of two; b: neither says 2020; c: none says 2022; d: a and c say 2019, of three.
    assert cell(scores, "year_accuracy_permutation")["value"] == pytest.approx(100 * (1 + 2 / 3) / 4)
    assert cell(scores, "year_skill")["value"] == pytest.approx((0.75 - 0.5) / (1 - 0.5))


def test_effective_candidates_count_equally_likely_firms() -> None:
    truth = truth_frame(id=list("abcd"), ticker=["AAPL", "F", "GM", "KO"])
    ranked = [["AAPL", "F"], ["AAPL", "F"], ["GM", "F"], ["AAPL", "F"]]
    rows = [{"id": i, "firm": c[0], "candidates": c} for i, c in zip("abcd", ranked, strict=True)]
    row = cell(score_identification(truth, guess_frame(rows)), "effective_candidates")
    # Places 1, 2, 1, and KO somewhere among places 3 and 4: 2 x the mean of 1, 2, 1, 3.5, less 1.
    assert (row["value"], row["unit"]) == (pytest.approx(2 * 7.5 / 4 - 1), "count")
    assert row["baseline"] == pytest.approx(2 * (1 + 2 + 3 + 4) / 4 - 1)


def test_dates_of_headlines() -> None:
    days = [date(2020, 3, 5), date(2020, 3, 9), date(2021, 1, 4)]
    truth = truth_frame(id=list("abc"), ticker=["AAPL", "F", "GM"], date=days).with_columns(
        kind=pl.lit("headline")
    )
    rows = [
        {"id": "a", "firm": "AAPL", "date": date(2020, 3, 5)},
        {"id": "b", "firm": "F", "date": date(2020, 3, 1)},
        {"id": "c", "firm": "F", "year": 2021},
    ]
    scores = score_identification(truth, guess_frame(rows))
    assert cell(scores, "exact_date_accuracy")["value"] == pytest.approx(100 / 3)
    assert cell(scores, "month_year_accuracy")["value"] == pytest.approx(200 / 3)
    off = cell(scores, "mean_days_difference")
    assert (off["value"], off["n"], off["unit"]) == (-4.0, 2, "days")  # 0 and -8; c says no date
    assert cell(scores, "mean_absolute_days_difference")["value"] == 4.0
    assert cell(scores, "year_accuracy")["value"] == 100.0  # a headline's year is that of its date
    assert cell(scores, "quarter_year_accuracy")["n"] == 3


def test_caveats_say_what_to_know_about_a_figure() -> None:
    truth = truth_frame(id=list("abc"), ticker=["AAPL", "AAPL", None], size=["Large", "Large", "Small"])
    rows = [{"id": i, "firm": "AAPL"} for i in "abc"]
    told = {tuple(row[:3]): row[3] for row in score(truth, guess_frame(rows)).caveats.rows()}
    assert told["all", "all", ""].startswith("1 of 3 documents name no firm")
    assert told["size", "Large", "firm_accuracy"] == "one firm: no interval over firms"
    assert told["firm", "", "firm_accuracy"] == "one firm: no interval over firms"


@pytest.mark.parametrize(
    "kind", ["one firm", "all right", "all wrong", "one document each", "nothing answered"]
)
def test_no_corpus_gives_nan_or_a_sure_figure(kind: str) -> None:
    tickers = ["AAPL"] * 6 if kind == "one firm" else ["AAPL", "F", "GM", "KO", "T", "V"]
    ids = (
        list("abcdef")
        if kind in {"one firm", "one document each"}
        else [f"{t}{i}" for t in tickers for i in "12"]
    )
    each = len(ids) // len(tickers)
    truth = truth_frame(
        id=ids,
        ticker=[t for t in tickers for _ in range(each)],
        fiscal_year=[2020 + i % 2 for i in range(len(ids))],
        fiscal_quarter=[1] * len(ids),
        size=["Large"] * len(ids),
    )
    said = {"all wrong": "MMM"}.get(kind)
    rows = [
        {
            "id": i,
            "firm": said or t,
            "year": 2020,
            "quarter": 1,
            "candidates": [t],
            "outcome": "failed" if kind == "nothing answered" else "answered",
        }
        for i, t in zip(ids, truth["ticker"], strict=True)
    ]
    scores = score_identification(truth, guess_frame(rows))
    for name in ("value", "ci_low", "ci_high", "baseline"):
        assert not scores[name].is_nan().any()
    shares = scores.filter(pl.col("unit") == "percent", pl.col("ci_low").is_not_null())
    assert (shares["ci_low"] < shares["ci_high"]).all()
    if kind == "one firm":
        assert not shares.height
    if kind in {"all right", "all wrong"}:
        row = cell(scores, "firm_accuracy")
        assert row["value"] in (0.0, 100.0)
        assert row["ci_high"] - row["ci_low"] > 20  # six firms are few, however many documents they have


def test_the_prior_is_scored_on_the_documents_of_the_attack() -> None:
    truth = truth_frame(id=list("abcd"), ticker=["AAPL", "AAPL", "F", "KO"])
    attack = [{"id": "a", "firm": "AAPL"}, {"id": "b", "outcome": "failed"}, {"id": "c", "firm": "F"}]
    prior = guess_frame([{"id": i, "firm": "AAPL"} for i in "abc"] + [{"id": "d", "outcome": "refused"}])
    scores = score(truth, guess_frame([*attack, {"id": "d", "firm": "F"}]), prior=prior).frame
    assert cell(scores, "firm_accuracy")["n"] == 3
    assert cell(scores, "firm_accuracy_prior")["value"] == 50.0  # of a and c; b failed; d has no prior guess
    assert cell(scores, "firm_skill_prior")["value"] == pytest.approx((2 / 3 - 0.5) / 0.5, abs=1e-6)
    assert not score(truth, guess_frame(attack)).frame["metric"].str.contains("prior").any()


def test_industries_meet_in_a_sector() -> None:
    truth = truth_frame(
        id=list("abcdef"),
        ticker=["AAPL", "XOM", "JPM", "KO", "CVX", "GM"],
        sector=[
            "Information Technology",
            "Energy",
            "Finance",
            "Consumer Non-Durables",
            "Miscellaneous",
            None,
        ],
    )
    said = ["consumer electronics", "Oil & Gas", "semiconductors", None, "petroleum refining", "blah"]
    rows = [{"id": i, "firm": "T", "industry": s} for i, s in zip("abcdef", said, strict=True)]
    row = cell(score_identification(truth, guess_frame(rows)), "industry_accuracy")
    # a and b are right, c is wrong, d left it out; Chevron's sector comes from the universe, and f's guess says nothing.
    assert (row["n"], row["answered"], row["unparsed"]) == (5, 5, 1)
    assert row["value"] == 60.0
    low = cell(score_identification(truth, guess_frame(rows)), "industry_accuracy_low")
    assert (low["n"], low["value"]) == (6, 50.0)


def test_an_attacker_that_names_no_industry_has_no_industry_rows() -> None:
    truth = truth_frame(id=["a"], ticker=["AAPL"], sector=["Energy"])
    scores = score_identification(truth, guess_frame([{"id": "a", "firm": "F"}]))
    assert not scores["metric"].str.contains("industry").any()


def test_confidence_is_scored_where_it_is_stated() -> None:
    truth = truth_frame(id=list("abcd"), ticker=["AAPL", "F", "GM", "KO"])
    stated = [("AAPL", 0.9), ("F", 0.6), ("T", 0.8), ("T", None)]
    rows = [{"id": i, "firm": f, "confidence": c} for i, (f, c) in zip("abcd", stated, strict=True)]
    scores = score_identification(truth, guess_frame(rows))
    row = cell(scores, "brier")
    assert (row["value"], row["n"], row["unit"]) == (pytest.approx((0.01 + 0.16 + 0.64) / 3), 3, "brier")
    assert row["baseline"] == pytest.approx(2 / 3 * 1 / 3, abs=1e-6)
    assert cell(scores, "ece")["value"] == pytest.approx((0.1 + 0.4 + 0.8) / 3)
    # Correlation of (0.9, 0.6, 0.8) with (1, 1, 0), by hand: means 23/30 and 2/3.
    assert cell(scores, "confidence_calibration")["value"] == pytest.approx(-0.188982, abs=1e-5)
    assert (
        not scores.filter(pl.col("metric") == "brier", pl.col("group_by") == "firm")["ci_low"]
        .drop_nulls()
        .len()
    )


def test_a_confidence_in_percent_is_refused() -> None:
    truth = truth_frame(id=["a"], ticker=["AAPL"])
    with pytest.raises(RunError, match="not within 0 and 1"):
        score_identification(truth, guess_frame([{"id": "a", "firm": "AAPL", "confidence": 90.0}]))


def test_a_less_precise_guess_is_shown_apart() -> None:
    truth = truth_frame(
        id=list("abcde"),
        ticker=["META", "NVDA", "AAPL", "GOOG", "KO"],
        sector=["Communication Services", *["Information Technology"] * 2, None, None],
        date=[date(2021, 5, 1)] * 5,
    )
    said = ["Instagram", "a semiconductor company", "MSFT", "Alphabet", "unknown"]
    rows = [{"id": i, "firm": s} for i, s in zip("abcde", said, strict=True)]
    scores = score_identification(truth, guess_frame(rows))
    assert cell(scores, "firm_accuracy")["value"] == 20.0  # Alphabet alone
    row = cell(scores, "firm_less_precise")
    assert (row["value"], row["n"], row["baseline"]) == (
        40.0,
        5,
        None,
    )  # Instagram is Meta's; Nvidia's sector


def test_a_distance_has_no_interval_below_zero() -> None:
    truth = truth_frame(id=list("abc"), ticker=["AAPL", "F", "GM"], fiscal_year=[2020] * 3)
    rows = [{"id": i, "firm": "T", "year": y} for i, y in zip("abc", [2020, 2020, 2026], strict=True)]
    row = cell(score_identification(truth, guess_frame(rows)), "mean_absolute_years_difference")
    assert row["ci_low"] == 0.0
    assert row["ci_high"] > 2


def test_an_attacker_that_names_one_firm_ranks_nobody() -> None:
    truth = truth_frame(id=["a", "b"], ticker=["AAPL", "F"])
    scores = score_identification(
        truth, guess_frame([{"id": i, "firm": "F", "candidates": ["F"]} for i in "ab"])
    )
    assert not scores["metric"].str.contains("top5|mrr|candidates").any()


def test_unanswered_documents_leave_no_metric_of_the_answered_ones_changed() -> None:
    firms = ["AAPL", "F", "GM", "KO", "T", "V"]
    truth = truth_frame(id=list("abcdef"), ticker=firms, fiscal_year=[2020] * 6, fiscal_quarter=[1] * 6)
    answered = [
        {"id": i, "firm": "AAPL", "candidates": ["AAPL", "KO"], "year": 2020, "quarter": 2} for i in "abc"
    ]
    alone = score_identification(truth.filter(pl.col("id").is_in(list("abc"))), guess_frame(answered))
    lost = [{"id": i, "outcome": "refused"} for i in "def"]
    with_lost = score_identification(truth, guess_frame([*answered, *lost]))
    own = pl.col("metric").str.contains("_(all|low|high|uniform)$").not_() & (pl.col("group_by") == "all")
    columns = ["metric", "value", "ci_low", "ci_high", "n"]
    assert alone.filter(own).select(columns).equals(with_lost.filter(own).select(columns))
    row = cell(with_lost, "effective_candidates")
    assert row["ci_high"] <= 5  # three firms answered: the last place of three is worth 2 x 3 - 1


def test_no_day_is_taken_for_none() -> None:
    days = [date(1969, 12, 31), date(2020, 1, 1)]
    truth = truth_frame(id=["a", "b"], ticker=["AAPL", "F"], date=days).with_columns(kind=pl.lit("headline"))
    rows = [{"id": "a", "firm": "F", "date": date(2020, 1, 2)}, {"id": "b", "firm": "F", "year": 2020}]
    scores = score_identification(truth, guess_frame(rows))
    assert cell(scores, "exact_date_accuracy_permutation")["value"] == 0.0


@pytest.mark.parametrize("year", [0, -5, 10**9, 2**40])
def test_a_year_that_is_none_is_a_wrong_answer_and_no_difference(year: int) -> None:
    truth = truth_frame(id=["a", "b"], ticker=["AAPL", "F"], fiscal_year=[2020, 2021], fiscal_quarter=[1, 1])
    rows = [{"id": "a", "firm": "F", "year": year}, {"id": "b", "firm": "F", "year": 2021}]
    scores = score_identification(truth, guess_frame(rows))
    assert cell(scores, "year_accuracy")["value"] == 50.0
    assert (cell(scores, "mean_years_difference")["value"], cell(scores, "mean_years_difference")["n"]) == (
        0.0,
        1,
    )


def test_a_guess_without_an_outcome_is_refused() -> None:
    frame = guess_frame([{"id": "a", "firm": "F"}]).with_columns(outcome=pl.lit(None, dtype=pl.String))
    with pytest.raises(UsageError, match="'a' has no outcome"):
        score_identification(truth_frame(id=["a"], ticker=["AAPL"]), frame)


def test_a_ticker_with_another_firms_name_is_told() -> None:
    # American Campus Communities is in the universe without a CIK: its label is its ticker, and nothing is disputed.
    truth = truth_frame(
        id=["a", "b"], ticker=["NFLX", "ACC"], firm=["Tim Cook's company", "American Campus Communities Inc"]
    )
    rows = [{"id": "a", "firm": "Netflix"}, {"id": "b", "firm": "ACC"}]
    told = score(truth, guess_frame(rows)).caveats["text"].to_list()
    assert any(
        text.startswith("1 of 2 documents have a known ticker and another firm's name (NFLX") for text in told
    )


def test_a_documents_own_ticker_is_right_whoever_the_lists_say_held_it() -> None:
    truth = truth_frame(id=["a", "b"], ticker=["ZQZ", "AAPL"], firm=["Weight Watchers of the Moon", "Apple"])
    rows = [{"id": "a", "firm": "$ZQZ"}, {"id": "b", "firm": "ZQZ"}]
    scores = score_identification(truth, guess_frame(rows))
    assert cell(scores, "firm_accuracy")["value"] == 50.0
    disputed = truth_frame(id=["a"], ticker=["NFLX"], firm=["Tim Cook's company"])
    scores = score_identification(disputed, guess_frame([{"id": "a", "firm": "NFLX"}]))
    assert cell(scores, "firm_accuracy")["value"] == 100.0


def test_a_name_that_is_spelt_as_another_firms_ticker_is_not_right() -> None:
    truth = truth_frame(id=["a", "b"], ticker=["COKE", "COKE"])
    rows = [{"id": "a", "firm": "Coke"}, {"id": "b", "firm": "COKE"}]
    assert cell(score_identification(truth, guess_frame(rows)), "firm_accuracy")["value"] == 50.0


def test_a_prior_may_be_of_more_documents_than_are_scored() -> None:
    # A panel of a few firms is scored beside the prior of the whole corpus.
    truth = truth_frame(id=["a"], ticker=["AAPL"])
    prior = guess_frame([{"id": i, "firm": "AAPL"} for i in "abc"])
    scores = score(truth, guess_frame([{"id": "a", "firm": "F"}]), prior=prior).frame
    assert cell(scores, "firm_accuracy_prior")["value"] == 100.0
