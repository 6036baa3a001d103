"""The figure of the suite cutoff: a row a condition, both cutoffs, errors in points, and what was refused."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from neuter.errors import UsageError
from neuter.reports.recall.figures import page_figures, paper_figures, recall_figure, write_figures

QUARTERS = [date(2010, 7, 1), date(2010, 10, 1), date(2011, 1, 1), date(2024, 1, 1)]
RUN = {"fake_cutoff": "2010-12-31", "fake_from": "2011-01-01", "conditions": ["both", "none"]}


def _pairs(make, condition, estimates, model=None):
    shared = {"suite": "cutoff", "panel": "rates", "series": "gdp_growth", "task": "rate"}
    for day, actual, estimate in zip(QUARTERS, (2.0, 3.2, 1.8, -30.0), estimates, strict=True):
        asked = make.question(day, actual, condition=condition, **shared)
        yield asked, make.answer(asked, estimate, **({"model": model} if model else {}))


def _two(make):
    both = [*_pairs(make, "both", (2.0, 3.0, None, None)), *_pairs(make, "none", (2.0, 3.2, 2.3, -29.0))]
    return make.estimates(both)


def test_each_condition_has_growth_left_and_its_error_in_points_right(make) -> None:
    figure = recall_figure(_two(make), make.run("cutoff", **RUN), "cutoff").figure
    assert [axis.get_title(loc="left") for axis in figure.axes] == [
        "A: cutoff in system and user message",
        "B: error (percentage points)",
        "C: no cutoff told",
        "D: error (percentage points)",
    ]
    actual, estimated = figure.axes[2].lines[:2]
    assert list(actual.get_ydata()) == [2.0, 3.2, 1.8, -30.0]
    assert list(estimated.get_ydata()) == [2.0, 3.2, 2.3, -29.0]
    errors = figure.axes[3].lines[1].get_ydata()
    assert np.allclose(errors, [0, 0, 0.5, 1.0])


def test_what_was_refused_is_a_cross_and_no_point(make) -> None:
    figure = recall_figure(_two(make), make.run("cutoff", **RUN), "cutoff").figure
    estimated = figure.axes[0].lines[1].get_ydata()
    assert np.isnan(estimated).tolist() == [False, False, True, True]
    crosses = [line for line in figure.axes[0].lines if line.get_marker() == "x"]
    assert [list(line.get_xdata()) for line in crosses] == [
        [np.datetime64("2011-01-01"), np.datetime64("2024-01-01")]
    ]
    assert not [line for line in figure.axes[2].lines if line.get_marker() == "x"]


def test_both_cutoffs_are_drawn(make) -> None:
    figure = recall_figure(_two(make), make.run("cutoff", **RUN), "cutoff").figure
    for axis in figure.axes:
        lines = {line.get_linestyle(): line.get_xdata()[0] for line in axis.lines}
        assert lines["--"] == np.datetime64("2011-01-01")
        assert lines[":"] == np.datetime64("2023-10-01")
    (legend,) = figure.legends
    said = [text.get_text() for text in legend.get_texts()]
    assert said[-2:] == ["not to be known from here on", "training cutoff 2023-10"]


def test_the_caption_says_what_was_told_and_counts_refusals(make) -> None:
    caption = recall_figure(_two(make), make.run("cutoff", **RUN), "cutoff").caption
    assert "when told a knowledge cutoff of 2010-12-31" in caption
    assert "2 refused (cutoff in system and user message); 0 refused (no cutoff told)" in caption


def test_each_model_has_its_own(make) -> None:
    own = [*_pairs(make, "both", (1, 1, 1, 1)), *_pairs(make, "both", (2, 2, 2, 2), "b/two")]
    run = make.run("cutoff", **RUN) | {"models": [make.model, "b/two"]}
    names = [made.name for made in paper_figures(make.estimates(own), run)]
    assert names == ["figure-cutoff--openai-gpt-4o-2024-08-06", "figure-cutoff--b-two"]


def test_a_run_without_an_answer_has_no_figure_and_says_so(make) -> None:
    estimates = make.estimates(_pairs(make, "both", (None,) * 4))
    run = make.run("cutoff", **RUN)
    assert list(paper_figures(estimates, run)) == []
    with pytest.raises(UsageError, match="none of its questions was answered"):
        recall_figure(estimates, run, "cutoff")
    with pytest.raises(UsageError, match="It has: cutoff, gdp_growth"):
        recall_figure(estimates, run, "4")


def test_no_other_suite_has_it(make) -> None:
    estimates = make.estimates(_pairs(make, "none", (1, 1, 1, 1)))
    assert [made.name for made in paper_figures(estimates, make.run("macro"))] == []
    with pytest.raises(UsageError, match="no figure 'cutoff'"):
        recall_figure(estimates, make.run("macro"), "cutoff")


def test_the_same_answers_give_the_same_bytes_and_a_page_has_it_too(make, tmp_path: Path) -> None:
    run = make.run("cutoff", **RUN)
    first, again = (write_figures(_two(make), run, tmp_path / name) for name in ("a", "b"))
    assert [path.name for path in first] == ["figure-cutoff.svg", "figure-cutoff.png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    (drawn,) = page_figures(_two(make), run)
    assert drawn["svg"].startswith("<svg")
