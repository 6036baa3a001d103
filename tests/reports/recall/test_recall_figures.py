from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from neuter.errors import UsageError
from neuter.reports.recall.drawn_series import drawn_series
from neuter.reports.recall.figures import page_figures, paper_figures, recall_figure, write_figures
from neuter.reports.recall.layouts import FigureLayout, layouts

FIGURE = {one.name: one for one in layouts().figures}


def _pairs(make, values, **more):
    """Questions with their answers, of (date, actual, estimated)."""
    asked = [(make.question(day, actual, **more), estimate) for day, actual, estimate in values]
    return [(one, make.answer(one, estimate)) for one, estimate in asked]


def _axes(figure):
    return [axis for axis in figure.axes if axis.get_visible()]


def test_the_error_is_estimated_minus_actual_over_actual_in_percent(make) -> None:
    days = [date(2020, 1, day) for day in (2, 3, 6, 7)]
    values = [(days[0], 200.0, 210.0), (days[1], 200.0, 190.0), (days[2], 200.0, None), (days[3], 0.0, 5.0)]
    (series,) = drawn_series(make.estimates(_pairs(make, values)), FIGURE["1"], make.model)
    # An unanswered question and an actual value of 0 have no error.
    assert series.errors == [5.0, -5.0, None, None]
    assert series.actual == (200.0, 200.0, 200.0, 0.0)
    assert series.title == "SP500"


def test_left_is_actual_against_estimated_and_right_the_error(make) -> None:
    values = [(date(2020, 1, 2), 200.0, 210.0), (date(2020, 1, 3), 100.0, 90.0)]
    estimates = make.estimates(_pairs(make, values) + _pairs(make, values, series="djia"))
    figure = recall_figure(estimates, make.run(), "1").figure
    axes = _axes(figure)
    assert [axis.get_title(loc="left") for axis in axes] == [
        "A: SP500",
        "B: SP500, error (%)",
        "C: DJIA",
        "D: DJIA, error (%)",
    ]
    actual, estimated = axes[0].lines[:2]
    assert list(actual.get_ydata()) == [200.0, 100.0]
    assert list(estimated.get_ydata()) == [210.0, 90.0]
    zero, error = axes[1].lines[:2]
    assert list(zero.get_ydata()) == [0, 0]
    assert list(error.get_ydata()) == [5.0, -10.0]


def test_ten_outliers_of_the_nasdaq_alone_are_left_out_of_the_drawing(make) -> None:
    first = date(1990, 1, 1)
    worst = {50 * k for k in range(12)}
    values = [
        (first + timedelta(k), 100.0, 100.0 * (2 + k / 10_000 if k in worst else 1)) for k in range(1000)
    ]
    estimates = make.estimates(_pairs(make, values) + _pairs(make, values, series="nasdaq"))
    made = recall_figure(estimates, make.run(), "1")
    sp500, nasdaq = drawn_series(estimates, FIGURE["1"], make.model)
    assert (sp500.left_out, nasdaq.left_out) == (0, 10)
    # The two smallest of the twelve stay.
    kept = [day for day, error in zip(nasdaq.dates, nasdaq.errors, strict=True) if error]
    assert kept == [first, first + timedelta(50)]
    assert "The 10 largest errors of Nasdaq Composite left out of the drawing" in made.caption
    assert "10 outliers of Nasdaq Composite not drawn" in made.figure.get_supxlabel()


def test_of_few_points_no_outlier_is_left_out(make) -> None:
    values = [(date(1990, 1, 1) + timedelta(k), 100.0, 900.0 if k == 5 else 100.0) for k in range(99)]
    (nasdaq,) = drawn_series(make.estimates(_pairs(make, values, series="nasdaq")), FIGURE["1"], make.model)
    assert (nasdaq.left_out, max(e or 0 for e in nasdaq.errors)) == (0, 800.0)


@pytest.mark.parametrize("ticker", ["BRK", "BRK.A", "BRK-B", "brk/a"])
def test_figure_7_averages_prices_over_the_firms_answered_without_brk(make, ticker: str) -> None:
    day = date(2022, 3, 31)
    known = {"suite": "portfolios", "panel": "month_end_closes", "series": "Large"}
    prices = {
        "AAA": (10.0, 12.0),
        "BBB": (30.0, 32.0),
        "CCC": (500.0, None),
        ticker: (400_000.0, 1.0),
        "BRKX": (20.0, 22.0),
    }
    pairs = [
        pair for firm, (a, e) in prices.items() for pair in _pairs(make, [(day, a, e)], **known, cluster=firm)
    ]
    (series,) = drawn_series(make.estimates(pairs), FIGURE["7"], make.model)
    # Actual and estimated over the same three firms: (10 + 30 + 20) / 3 and (12 + 32 + 22) / 3.
    assert (series.actual, series.estimated, series.firms) == ((20.0,), (22.0,), 3)
    assert series.errors == [pytest.approx(10.0)]


def test_the_part_after_the_cutoff_is_drawn_when_asked_for_and_marked(make, month_ends) -> None:
    estimates = make.estimates(_pairs(make, [(day, 100.0, 101.0) for day in month_ends]))
    before = recall_figure(estimates, make.run(), "1")
    whole = recall_figure(estimates, make.run(), "1", post=True)
    drawn = [len(_axes(made.figure)[0].lines[0].get_xdata()) for made in (before, whole)]
    assert drawn == [9, 12]
    cutoff = [line for line in _axes(before.figure)[0].lines if line.get_linestyle() == "--"]
    assert [np.datetime64(line.get_xdata()[0], "D") for line in cutoff] == [np.datetime64("2023-10-01")]
    labels = [[text.get_text() for text in made.figure.legends[0].get_texts()] for made in (before, whole)]
    assert labels[0] == ["actual", "estimated, and its error", "training cutoff 2023-10"]
    assert labels[1] == [*labels[0], "after the cutoff"]
    assert len(_axes(whole.figure)[0].patches) == 1
    assert not _axes(before.figure)[0].patches
    early = make.estimates(_pairs(make, [(day, 100.0, 101.0) for day in month_ends[:9]]))
    assert not _axes(recall_figure(early, make.run(), "1", post=True).figure)[0].patches


def test_a_gap_breaks_the_line_and_a_lone_point_is_a_dot(make) -> None:
    days = [date(1990, 1, 1) + timedelta(k) for k in range(200)]
    values = [(day, 100.0, None if k in (99, 101) else 100.0) for k, day in enumerate(days)]
    left = _axes(recall_figure(make.estimates(_pairs(make, values)), make.run(), "1").figure)[0]
    line = left.lines[1]
    assert np.isnan(line.get_ydata()[[99, 101]].astype(float)).all()
    (dots,) = [one for one in left.lines if one.get_marker() == "."]
    assert list(dots.get_xdata()) == [np.datetime64(days[100], "D")]


def test_figure_6_is_of_the_questions_with_context(make) -> None:
    known = {"suite": "stocks", "panel": "month_end_closes", "series": "AAPL"}
    day = date(2020, 1, 31)
    pairs = _pairs(make, [(day, 100.0, 90.0)], **known) + _pairs(
        make, [(day, 100.0, 99.0)], **known, condition="history"
    )
    estimates = make.estimates(pairs)
    run = make.run("stocks")
    values = {
        name: _axes(recall_figure(estimates, run, name).figure)[0].lines[1].get_ydata()[0]
        for name in ("5", "6")
    }
    assert values == {"5": 90.0, "6": 99.0}
    assert [made.name for made in paper_figures(estimates, run)] == ["figure-5", "figure-6"]


def test_the_same_answers_give_the_same_bytes(make, tmp_path: Path) -> None:
    estimates = make.estimates(_pairs(make, [(date(2020, 1, day), 100.0, 101.0) for day in (2, 3)]))
    first, second = (write_figures(estimates, make.run(), tmp_path / name) for name in "ab")
    assert [path.name for path in first] == ["figure-1.svg", "figure-1.png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert b"<dc:date>" not in first[0].read_bytes()


def test_each_model_has_its_own_figures_in_the_runs_order(make) -> None:
    pairs = []
    for model in ("b/y", "a/x"):
        asked = make.question(date(2020, 1, 2), 100.0)
        pairs.append((asked, make.answer(asked, 101.0, model=model)))
    run = make.run(models=["a/x", "b/y"], cutoffs={})
    assert [made.name for made in paper_figures(make.estimates(pairs), run)] == [
        "figure-1--a-x",
        "figure-1--b-y",
    ]


def test_a_series_can_be_drawn_alone(make) -> None:
    estimates = make.estimates(_pairs(make, [(date(2020, 1, 2), 15.0, 14.0)], panel="levels", series="vix"))
    made = recall_figure(estimates, make.run("macro"), "vix")
    assert [axis.get_title(loc="left") for axis in _axes(made.figure)] == ["A: VIX", "B: VIX, error (%)"]
    assert made.caption.startswith("Recall of VIX (openai/gpt-4o-2024-08-06).")


def test_what_cannot_be_drawn_is_refused_with_what_can(make) -> None:
    estimates = make.estimates(_pairs(make, [(date(2020, 1, 2), 15.0, 14.0)]))
    with pytest.raises(UsageError, match="no figure '9'") as caught:
        recall_figure(estimates, make.run(), "9")
    assert "1, sp500" in str(caught.value.todo)
    with pytest.raises(UsageError, match="no model of this run"):
        recall_figure(estimates, make.run(), "1", model="a/x")
    refused = make.estimates(_pairs(make, [(date(2020, 1, 2), 15.0, None)]))
    with pytest.raises(UsageError, match="nothing to draw"):
        recall_figure(refused, make.run(), "1")


def test_a_drawing_for_a_page_is_a_safe_element_in_the_pages_colours(make) -> None:
    hostile = "a/<script>$x^2$"
    asked = make.question(date(2020, 1, 2), 100.0)
    estimates = make.estimates([(asked, make.answer(asked, 101.0, model=hostile))])
    (figure,) = page_figures(estimates, make.run(models=[hostile], cutoffs={}))
    root = ET.fromstring(figure["svg"])
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not tags & {"style", "script", "metadata", "foreignObject"}
    assert "currentColor" in figure["svg"]
    assert "<script>" not in figure["svg"]
    assert "Figure 1: Recall of exact numerical levels" in (root.get("aria-label") or "")
    assert any("$x^2$" in (element.text or "") for element in root.iter())


def test_a_figure_of_a_layout_without_answers_is_left_out(make) -> None:
    layout = FigureLayout("x", "indices", "t", ("daily_levels",), "none", ("sp500", "djia"))
    estimates = make.estimates(_pairs(make, [(date(2020, 1, 2), 1.0, 1.0)], series="djia"))
    assert [series.title for series in drawn_series(estimates, layout, make.model)] == ["DJIA"]
