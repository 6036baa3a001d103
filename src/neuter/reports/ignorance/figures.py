"""Figures 1 to 6 of Simulated Ignorance Fails from a run, and ours beside them: by name, as files, and for a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from neuter.errors import UsageError
from neuter.reports.figure_drawing import INK, PAGE_INK, image_bytes, style
from neuter.reports.figures import for_page
from neuter.reports.ignorance.about_run import about
from neuter.reports.ignorance.case_pairs import RULE
from neuter.reports.ignorance.drawing import Source
from neuter.reports.ignorance.example_figure import figure_1
from neuter.reports.ignorance.layer_figures import figure_2, figure_3, figure_4, figure_5
from neuter.reports.ignorance.score_lookup import ForecastScores
from neuter.reports.ignorance.time_figures import calibration, figure_6, placebo
from neuter.whole_files import write_whole

if TYPE_CHECKING:
    import polars as pl

_INTERVALS = "Lines: 95% intervals over clusters of questions."
#: The figures by name: how each is drawn, and its caption.
_FIGURES: dict[str, tuple[Callable[[Source], Figure | None], str]] = {
    "1": (
        figure_1,
        "Figure 1. A: the same model's forecast of a question that it knows (without and with the instruction) and of "
        f"a like one that it cannot know. {RULE} B: mean Brier scores over all questions. {_INTERVALS}",
    ),
    "2": (
        figure_2,
        "Figure 2. A: Brier scores by model: pre-cutoff without the instruction (control), pre-cutoff with it (SI), "
        f"post-cutoff with it (TI). B: of the distance from control to TI, what the instruction closes. {_INTERVALS}",
    ),
    "3": (
        figure_3,
        "Figure 3. The chain of thought: Brier scores with direct answers and with a chain of thought, (A) without and "
        f"(B) with the cutoff instruction. {_INTERVALS}",
    ),
    "4": (
        figure_4,
        "Figure 4. A: what the instruction costs on pre-cutoff questions, for direct answers and chains of thought. B: "
        f"share of traces that are consistent and clean, without (G2) and with the instruction (G2′). {_INTERVALS}",
    ),
    "5": (
        figure_5,
        "Figure 5. Reasoning-optimized and other models: (A) Brier scores by condition, (B) their SI-TI gaps. "
        f"{_INTERVALS}",
    ),
    "6": (
        figure_6,
        "Figure 6. Brier scores by quarter of resolution, with each model's own cutoff; jump: local linear regression "
        f"at the cutoff. {_INTERVALS}",
    ),
    "calibration": (
        calibration,
        "Beyond the paper: calibration before and after the cutoff, by condition; dotted: perfect calibration.",
    ),
    "placebo": (
        placebo,
        "Beyond the paper: the jump at each model's own cutoff among the jumps at other dates, where there should be "
        f"none. {_INTERVALS}",
    ),
}


@dataclass(frozen=True, slots=True)
class MadeFigure:
    """A figure with its file name (without ending) and its caption."""

    name: str
    figure: Figure
    caption: str


def ignorance_figure(folder: Path, run: Mapping[str, Any], scores: pl.DataFrame, name: str) -> MadeFigure:
    """One figure by its name: ``1`` to ``6``, ``calibration`` or ``placebo``.

    Raises:
        UsageError: no such figure, or the run has nothing for it.
        RunError: a file of the run is damaged.
    """
    wanted = name.lower().removeprefix("figure-").removeprefix("figure ")
    if wanted not in _FIGURES:
        raise UsageError(f"there is no figure {name!r}", todo=f"There are: {', '.join(_FIGURES)}")
    made = _made(wanted, _source(folder, run, scores), INK)
    if made is None:
        raise UsageError(f"nothing to draw in figure {name!r}: the run has no such scores")
    return made


def ignorance_figures(
    folder: Path, run: Mapping[str, Any], scores: pl.DataFrame, *, ink: str = INK
) -> Iterator[MadeFigure]:
    """Every figure that the run has scores for."""
    source = _source(folder, run, scores)
    for name in _FIGURES:
        if made := _made(name, source, ink):
            yield made


def write_figures(folder: Path, run: Mapping[str, Any], scores: pl.DataFrame) -> list[Path]:
    """Write an ``.svg`` and a ``.png`` of each into ``figures/``; the same run gives the same bytes.

    Raises:
        RunError: a file cannot be written, or one of the run is damaged.
    """
    paths = []
    for made in ignorance_figures(folder, run, scores):
        for kind in ("svg", "png"):
            path = folder / "figures" / f"{made.name}.{kind}"
            write_whole(path, image_bytes(made.figure, kind))
            paths.append(path)
    return paths


def page_figures(folder: Path, run: Mapping[str, Any], scores: pl.DataFrame) -> list[dict[str, str]]:
    """The figures for a page: name, caption, and the drawing as an ``<svg>`` element in the page's own colours."""
    found = []
    for place, made in enumerate(ignorance_figures(folder, run, scores, ink=PAGE_INK)):
        raw = image_bytes(made.figure, "svg", ink=PAGE_INK, fonts="none").decode()
        svg = for_page(raw, f"figure{place}", made.caption)
        found.append({"name": made.name, "caption": made.caption, "svg": svg})
    return found


def _source(folder: Path, run: Mapping[str, Any], scores: pl.DataFrame) -> Source:
    known = ForecastScores(scores)
    return Source(known, about(run, known), folder)


def _made(name: str, source: Source, ink: str) -> MadeFigure | None:
    draw, caption = _FIGURES[name]
    with style(ink):
        figure = draw(source)
    return None if figure is None else MadeFigure(f"figure-{name}", figure, caption)
