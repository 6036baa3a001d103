"""The recall tables as they ship are the paper's, cell by cell; what cannot be right in them is flagged."""

from __future__ import annotations

import re
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest

from neuter.scoring.table import SCORES_SCHEMA, validate
from neuter.suites.recall.published import (
    TABLES,
    published_figures,
    published_notes,
    published_rows,
    with_published,
)

PLACE = ["panel", "series", "condition", "split"]
#: The paper's column heads, without "(%)".
METRICS = {
    "ME": "mean_error",
    "MAE": "mean_absolute_error",
    "MPE": "mean_percent_error",
    "MAPE": "mean_absolute_percent_error",
    "MPE S&P 500": "mean_percent_error",
    "MAPE S&P 500": "mean_absolute_percent_error",
    "Directional Accuracy": "directional_accuracy",
    "Directional Accuracy Change": "directional_accuracy_change",
    "Confidence Calibration": "confidence_calibration",
    "Accuracy": "accuracy",
    "Mean Days Difference": "mean_days_difference",
    "Mean Absolute Days Difference": "mean_absolute_days_difference",
    "Year Accuracy": "year_accuracy",
    "Month and Year Accuracy": "month_year_accuracy",
    "Exact Date Accuracy": "exact_date_accuracy",
    "Mean of Return": "mean_return",
    "SD of Return": "sd_return",
    "Directional Change": "directional_change",
    "Mean": "mean",
    "SD": "sd",
    "Direction": "direction",
    "Mean Error": "mean_error",
    "Mean Absolute Error": "mean_absolute_error",
    "Mean Percent Error": "mean_percent_error",
    "Mean Absolute Percent Error": "mean_absolute_percent_error",
    "Num Obs": "n",
    "Refusals": "refusals",
    "Start Date": "first_date",
    "End Date": "last_date",
}
SPANS = {
    "macro": ("Table 1: Evaluation", "Figure 3: Recall"),
    "indices": ("Table 2: Evaluation", "For pre-cutoff daily exact"),
    "headlines": ("Table 3: Evaluation", "We present the results in Table 3"),
    "stocks": ("Table 4: Evaluation", "The results reveal varying"),
    "portfolios": ("Table 5: Evaluation", "The results show weaker"),
    "summary": ("Table A1: Summary", "Appendix B Appendix"),
}


@pytest.fixture(scope="module")
def paper(shared_data: Path) -> str:
    file = shared_data.parent / "seeds" / "the-memorization-problem.txt"
    if not file.is_file():
        pytest.skip("the paper is not here")
    return file.read_text(encoding="utf-8")


def printed(paper: str, suite: str) -> list[tuple[str, str, object]]:
    """(label, metric, value) of each cell of a table, in the paper's order; N/A is left out."""
    begin, end = SPANS[suite]
    text = paper[paper.index(begin) :]
    cells: list[tuple[str, str, object]] = []
    heads: list[str] = []
    for line in text[: text.index(end)].splitlines():
        label, *values = line.split("\t")
        if not values:
            continue
        if not re.match(r"-?[0-9]|N/A", values[0]):
            heads = [METRICS[head.removesuffix(" (%)")] for head in values]
            continue
        # Rows of Table 3's first part have no index: their cells end early.
        cells += [(label, head, value_of(value)) for head, value in zip(heads, values, strict=False)]
    return [cell for cell in cells if cell[2] is not None]


def value_of(text: str) -> object:
    if text in {"N/A", ""}:
        return None
    return datetime.strptime(text, "%m/%d/%Y").date() if "/" in text else float(text)


def ours(suite: str) -> list[tuple[str, str, object]]:
    """The same cells as they ship."""
    cells: list[tuple[str, str, object]] = []
    figures = published_figures(suite).filter(pl.col("printed").is_not_null())
    for row in published_rows(suite).iter_rows(named=True):
        here = figures.filter(*(pl.col(name) == row[name] for name in PLACE))
        cells += [
            (row["label"], metric, value) for metric, value in here.select("metric", "printed").iter_rows()
        ]
        cells += [(row["label"], name, row[name]) for name in ("first_date", "last_date") if row[name]]
    return cells


@pytest.mark.parametrize(("suite", "cells"), [
    *[("macro", 17 * 9 - 3), ("indices", 15 * 8 + 6 * 2), ("headlines", 2 * 6 + 2 * 8), ("stocks", 14 * 8)],
    *[("portfolios", 9 * 8), ("summary", 16 * 3 + 7 * 6)],
])  # fmt: skip
def test_every_cell_is_the_papers(suite: str, cells: int, paper: str):
    told = printed(paper, suite)
    labels = list(dict.fromkeys(label for label, _, _ in told))
    assert labels == list(dict.fromkeys(label for label, _, _ in ours(suite)))
    for label in labels:  # a label comes once a block: in the paper's order
        theirs = [cell for cell in told if cell[0] == label]
        own = [cell for cell in ours(suite) if cell[0] == label]
        metrics = {metric for _, metric, _ in theirs}
        assert {metric: [c[2] for c in own if c[1] == metric] for metric in metrics} == {
            metric: [c[2] for c in theirs if c[1] == metric] for metric in metrics
        }
    assert len(told) == len(ours(suite)) == cells


def figure(suite: str, panel: str, series: str, condition: str, split: str, metric: str) -> dict[str, object]:
    told = published_figures(suite).filter(
        panel=panel, series=series, condition=condition, split=split, metric=metric
    )
    return told.select("published", "printed", "flag").row(0, named=True)


@pytest.mark.parametrize(
    ("place", "published", "printed"),
    [
        # Blocks of a table that look alike must not be taken for one another.
        (("macro", "levels", "vix", "none", "recent", "mean_absolute_percent_error"), 0.34, 0.34),
        (("macro", "levels", "vix", "none", "post", "mean_absolute_percent_error"), 21.14, 21.14),
        (("macro", "rates", "gdp_growth", "none", "post", "directional_accuracy_change"), 100.0, 100.0),
        (("indices", "daily_levels", "sp500", "none", "post", "mean_absolute_percent_error"), 16.70, 16.70),
        (("indices", "daily_levels", "sp500", "history", "post", "mean_absolute_percent_error"), 0.63, 0.63),
        (("indices", "daily_levels", "sp500", "history", "pre", "mean_absolute_percent_error"), 0.50, 0.50),
        (("indices", "monthly_directions", "djia", "none", "pre", "accuracy"), 80.63, 80.63),
        (("indices", "yearly_pairs", "sp500,nasdaq", "none", "pre", "accuracy"), 82.86, 82.86),
        (("stocks", "month_end_closes", "NVDA", "none", "pre", "mean_absolute_percent_error"), 23.92, 23.92),
        (("stocks", "month_end_closes", "NVDA", "history", "pre", "mean_absolute_percent_error"), 8.80, 8.80),
        (("portfolios", "month_end_closes", "Mid", "none", "recent", "refusals"), 3.0, 3.0),
        (("portfolios", "month_end_closes", "Mid", "history", "pre", "refusals"), 111.0, 111.0),
        (("summary", "indices_monthly", "sp500", "none", "all", "mean_return"), 0.78, 0.78),
        # What cannot be right.
        (("macro", "levels", "housing_starts", "none", "pre", "directional_accuracy"), None, 100.0),
        (("macro", "levels", "vix", "none", "pre", "n"), None, 443.0),
        (("macro", "levels", "vix", "none", "pre", "refusals"), None, 16.0),
        (("indices", "daily_levels", "djia", "history", "post", "mean_percent_error"), None, -12.97),
        (("indices", "daily_levels", "nasdaq", "history", "post", "refusals"), None, 62.0),
        (("summary", "indices_daily", "sp500", "none", "all", "sd_return"), None, 0.11),
        (("summary", "indices_monthly", "nasdaq", "none", "all", "sd_return"), None, 0.62),
        (("summary", "indices_daily", "djia", "none", "all", "directional_change"), None, 54.97),
        (("summary", "indices_monthly", "djia", "none", "all", "mean_return"), None, 1.10),
        (("summary", "stocks_monthly", "TSLA", "none", "all", "sd_return"), None, 1.94),
        # What is settled: the sign of days, the unit of the index's errors.
        (("headlines", "headline_dates", "headlines", "none", "pre", "mean_days_difference"), 0.77, -0.77),
        (("headlines", "headline_dates", "headlines", "none", "post", "mean_days_difference"), -413.46, 413.46),
        (("headlines", "headline_levels", "headlines", "none", "post", "mean_days_difference"), -456.84, 456.84),
        (("headlines", "headline_levels", "headlines", "none", "pre", "mean_absolute_percent_error"), 1.0, 0.01),
        (("headlines", "headline_levels", "headlines", "none", "post", "mean_percent_error"), -21.0, -0.21),
        (("headlines", "headline_levels", "headlines", "none", "post", "n"), 416.0, None),
        (("headlines", "headline_dates", "headlines", "none", "post", "n"), 420.0, None),
        # What stands beside the flag.
        (("indices", "monthly_returns", "djia", "none", "pre", "mean_absolute_percent_error"), 3.25, 3.25),
        (("macro", "rates", "inflation", "none", "pre", "refusals"), 3.0, 3.0),
    ],
)  # fmt: skip
def test_figures_stand_at_their_place_with_what_is_settled(place, published, printed):
    told = figure(*place)
    assert (told["published"], told["printed"]) == (published, printed)
    if published != printed:
        assert told["flag"]


def test_what_differs_from_the_print_is_flagged_and_nothing_else_is_changed():
    for suite in TABLES:
        figures = published_figures(suite)
        changed = figures.filter(~pl.col("published").eq_missing(pl.col("printed")))
        assert "" not in changed["flag"].to_list()
        unflagged = figures.filter(flag="")
        assert unflagged["published"].to_list() == unflagged["printed"].to_list()


def test_flags_end_like_sentences_and_every_one_is_for_a_figure():
    import tomllib
    from importlib.resources import files

    for suite, name in TABLES.items():
        raw = tomllib.loads(
            (files("neuter.suites") / "published" / f"{name}.toml").read_text(encoding="utf-8")
        )
        told = set(published_figures(suite)["flag"]) - {""}
        assert told == {flag["note"] for flag in [*raw.get("flags", ()), *raw.get("worked_out", ())]}
        assert all(note.endswith(".") for note in [*told, *published_notes(suite)])


def test_shares_are_whole_numbers_of_answers():
    """What the counts worked out for Table 3 rest on; Table 1's shares of short samples too."""
    figures = published_figures("headlines").filter(split="post")
    for panel in ("headline_dates", "headline_levels"):
        here = dict(figures.filter(panel=panel).select("metric", "published").iter_rows())
        for metric in ("year_accuracy", "month_year_accuracy", "exact_date_accuracy"):
            right = round(here[metric] * here["n"] / 100)
            assert abs(100 * right / here["n"] - here[metric]) < 0.0051


def test_rows_hold_dates_and_settled_counts():
    rows = published_rows("macro").filter(panel="levels", split="pre")
    assert rows.select("series", "label", "n", "refusals", "first_date").rows() == [
        ("vix", "VIX", None, None, date(1990, 1, 2)),
        ("housing_starts", "Housing Starts", 398, 0, date(1990, 1, 1)),
        ("nonfarm_payrolls", "Nonfarm Payrolls", 403, 1, date(1990, 1, 1)),
    ]


def test_places_are_unique_and_a_suite_without_a_table_has_nothing():
    for suite in TABLES:
        figures = published_figures(suite)
        assert not figures.select(*PLACE, "metric").is_duplicated().any()
        assert set(figures["series"]) == set(published_rows(suite)["series"])
    assert published_figures("masking").is_empty()
    assert published_rows("masking").is_empty()


def score(suite: str, metric: str, **more: object) -> dict[str, object]:
    place = {
        "panel": "daily_levels",
        "series": "sp500",
        "condition": "none",
        "split": "pre",
        "attacker": "llm",
    }
    row = {**dict.fromkeys(SCORES_SCHEMA), **place, "suite": suite, "metric": metric, "group_by": "all"}
    return {**row, "unit": "percent", "model": "m", "value": 1.0, "published": 99.0, **more}


def told(*rows: dict[str, object]) -> list[object]:
    frame = pl.DataFrame(list(rows), schema=SCORES_SCHEMA, orient="row")
    scores = with_published(frame)
    assert scores.columns == list(SCORES_SCHEMA)
    assert scores.drop("published").equals(frame.drop("published"))
    validate(scores)
    return scores["published"].to_list()


def test_scores_get_the_published_figure_beside():
    mape = "mean_absolute_percent_error"
    assert told(
        score("indices", mape),
        score("indices", mape, split="post", series="djia"),
        score("indices", mape, split="all"),
        score("indices", mape, attacker="previous", model=""),
        score("indices", mape, group_by="year"),
        score("macro", mape),
        score("indices", f"{mape}_all"),
        score("indices", "refusals", unit="count", series="nasdaq", condition="history"),
    ) == [0.61, 13.03, None, None, None, None, None, 2.0]


def test_a_figure_that_cannot_be_right_stays_empty():
    assert told(
        score("macro", "directional_accuracy", panel="levels", series="housing_starts"),
        score("macro", "mean_percent_error", panel="levels", series="housing_starts"),
    ) == [None, -2.38]


def test_returns_in_percent_of_the_return_have_nothing_beside():
    here = {"panel": "monthly_returns", "series": "djia"}
    assert told(
        score("indices", "mean_absolute_percent_error", unit="percentage_points", **here),
        score("indices", "mean_absolute_percent_error", unit="percent", **here),
        score("indices", "directional_accuracy_change", unit="percent", **here),
    ) == [3.25, None, 81.10]


def test_portfolios_over_shorter_data_have_nothing_beside():
    here = {"panel": "month_end_closes", "series": "Large"}
    mape = "mean_absolute_percent_error"
    assert told(
        score("portfolios", mape, first_date=date(1990, 1, 31), **here),
        score("portfolios", mape, first_date=date(1990, 12, 31), **here),
        score("portfolios", mape, first_date=date(2021, 1, 29), **here),
        score("portfolios", mape, first_date=None, **here),
        score("portfolios", mape, first_date=date(2014, 3, 31), **{**here, "split": "recent"}),
        score("stocks", mape, first_date=date(2021, 1, 29), **{**here, "series": "META"}),
    ) == [11.36, 11.36, None, None, 3.57, 0.37]


def test_table_a1_has_no_model_and_gets_its_figures():
    row = score(
        "summary", "mean_return", panel="stocks_monthly", series="META", split="all", attacker="", model=""
    )
    assert told(row) == [2.34]


def test_scores_without_rows_stay_so():
    assert told() == []
