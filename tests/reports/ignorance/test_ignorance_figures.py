from __future__ import annotations

from datetime import date
from pathlib import Path

import matplotlib.dates as mdates
import pytest

from neuter.errors import UsageError
from neuter.reports.ignorance.figures import ignorance_figure, ignorance_figures, page_figures, write_figures
from neuter.reports.ignorance.score_lookup import ForecastScores
from neuter.reports.run_files import read_manifest, read_scores


def _figure(folder: Path, name: str):
    return ignorance_figure(folder, read_manifest(folder), read_scores(folder), name).figure


def _points(axis, marker: str) -> list[tuple[float, float]]:
    return [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in axis.get_lines()
        if line.get_marker() == marker and len(line.get_xdata()) == 1
    ]


def test_all_figures_of_the_paper_and_ours_are_drawn(whole_run: Path) -> None:
    made = ignorance_figures(whole_run, read_manifest(whole_run), read_scores(whole_run))
    assert [one.name for one in made] == [
        *(f"figure-{k}" for k in range(1, 7)),
        "figure-calibration",
        "figure-placebo",
    ]


def test_figure_2_marks_each_model_and_the_papers_mean_beside_ours(whole_run: Path) -> None:
    scores = ForecastScores(read_scores(whole_run))
    left, right = _figure(whole_run, "2").axes
    controls = [x for x, _ in _points(left, "^")]
    expected = [
        scores.value("brier", condition="G1", split="pre", model=model)
        for model in ("openai/gpt-5.1", "deepseek/deepseek-v3.2-exp", "simulated/clockwork", "")
    ]
    assert controls == pytest.approx(expected)
    assert sorted(x for x, _ in _points(left, "D")) == [0.11, 0.13, 0.26]
    assert {y for _, y in _points(left, "D")} <= {3 + shift for shift in (-0.62 / 3, 0, 0.62 / 3)}
    assert [tick.get_text() for tick in right.get_yticklabels()][:2] == ["All", "Business"]


def test_the_bars_of_figure_2b_go_from_control_to_true_ignorance(whole_run: Path) -> None:
    scores = ForecastScores(read_scores(whole_run))
    bars = _figure(whole_run, "2").axes[1].patches
    plain, told, after = (
        scores.value("brier", condition=c, split=s)
        for c, s in (("G1", "pre"), ("G1′", "pre"), ("G1′", "post"))
    )
    assert bars[0].get_width() == pytest.approx(told - plain)
    assert (bars[1].get_x(), bars[1].get_width()) == pytest.approx((told - plain, after - told))


def test_figure_4_has_the_penalty_and_the_audit(whole_run: Path) -> None:
    scores = ForecastScores(read_scores(whole_run))
    left, right = _figure(whole_run, "4").axes
    expected = scores.value("cutoff_penalty", condition="G1′", split="pre")
    assert _points(left, "o")[-1][0] == pytest.approx(expected)
    assert [x for x, _ in _points(right, "^")] == [95.0, 95.0, 94.0, 94.0, 93.0, 93.0]


def test_figure_5_has_the_papers_gaps_by_group(whole_run: Path) -> None:
    right = _figure(whole_run, "5").axes[1]
    assert sorted(x for x, _ in _points(right, "D"))[:3] == [0.064, 0.067, 0.086]


def test_figure_6_has_each_models_own_cutoff_and_breaks_the_line_there(whole_run: Path) -> None:
    axes = _figure(whole_run, "6").axes
    # DeepSeek's is that of section 5 there (paper-decisions), not Table 1's December.
    cutoffs = (date(2024, 9, 1), date(2025, 1, 1), date(2024, 4, 1))
    for axis, cutoff in zip(axes, cutoffs, strict=False):
        at = mdates.date2num(cutoff)
        assert [line.get_xdata()[0] for line in axis.get_lines() if line.get_linestyle() == "--"] == [at]
        quarters = [line.get_xdata() for line in axis.get_lines() if line.get_marker() == "o"]
        assert len(quarters) == 2
        assert max(quarters[0]) < at <= min(quarters[1])


def test_figure_1_draws_the_means_and_an_example(whole_run: Path) -> None:
    left, right = _figure(whole_run, "1").axes
    assert "two like questions" in left.get_title(loc="left")
    assert [y for _, y in sorted(_points(right, "D"))] == [0, 1, 2]


def test_the_same_run_gives_the_same_files(whole_run: Path) -> None:
    run, scores = read_manifest(whole_run), read_scores(whole_run)
    first = {path.name: path.read_bytes() for path in write_figures(whole_run, run, scores)}
    assert len(first) == 16
    assert {path.name: path.read_bytes() for path in write_figures(whole_run, run, scores)} == first


def test_a_run_of_one_model_draws_what_it_has(one_model: Path) -> None:
    made = ignorance_figures(one_model, read_manifest(one_model), read_scores(one_model))
    # There is one group of models only: nothing to compare.
    assert [one.name for one in made if one.name == "figure-5"] == []
    left = _figure(one_model, "2").axes[0]
    assert [tick.get_text() for tick in left.get_yticklabels()] == ["clockwork", "paper (9 models)"]
    assert {round(y) for _, y in _points(left, "D")} == {1}


def test_what_cannot_be_drawn_is_said(whole_run: Path, tmp_path: Path) -> None:
    run, empty = read_manifest(whole_run), read_scores(whole_run).clear()
    with pytest.raises(UsageError, match="no figure '9'"):
        ignorance_figure(whole_run, run, empty, "9")
    with pytest.raises(UsageError, match="nothing to draw in figure '2'"):
        ignorance_figure(tmp_path, run, empty, "2")
    assert not list(ignorance_figures(tmp_path, run, empty))


def test_texts_of_a_question_are_no_markup_in_a_drawing(hostile_run: Path) -> None:
    drawn = page_figures(hostile_run, read_manifest(hostile_run), read_scores(hostile_run))
    svg = "".join(one["svg"] for one in drawn)
    assert "<script" not in svg
    assert "<img" not in svg
