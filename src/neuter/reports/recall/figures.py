"""Figures 1 and 3 to 7 of The Memorization Problem from a run's answers: actual against estimated, and the errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from neuter.errors import UsageError
from neuter.reports.figure_drawing import INK, PAGE_INK, ReportFigure, image_bytes, shortened, style
from neuter.reports.figures import for_page
from neuter.reports.recall.cutoff_figure import NAME as OF_CUTOFF
from neuter.reports.recall.cutoff_figure import cutoff_figure
from neuter.reports.recall.drawn_axes import (
    ACTUAL,
    ESTIMATED,
    GREY,
    MANY,
    MARKED,
    days_of,
    draw_line,
    finish,
    numbers_of,
)
from neuter.reports.recall.drawn_series import DrawnSeries, caption_of, drawn_series, layout_of, names_of
from neuter.reports.recall.layouts import FigureLayout, layouts
from neuter.reports.wording import slug, visible
from neuter.whole_files import write_whole

if TYPE_CHECKING:
    import polars as pl

_ROW_INCHES, _WIDTH_INCHES = 1.75, 9.0
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class MadeFigure:
    """A figure with its file name (without ending) and its caption."""

    name: str
    figure: Figure
    caption: str


def recall_figure(
    estimates: pl.DataFrame,
    run: Mapping[str, Any],
    name: str,
    *,
    model: str | None = None,
    post: bool = False,
    condition: str = "",
) -> MadeFigure:
    """One figure of one model.

    Args:
        estimates: as of :func:`neuter.reports.recall.answers.read_estimates`.
        run: run.json.
        name: the paper's number (``1``, ``3`` to ``7``), ``cutoff`` for that suite's, or a series of the run.
        model: by default the run's first.
        post: draws what is after the model's cutoff too, shaded.
        condition: of a series' figure: none, history or news.

    Raises:
        UsageError: the run has no such figure, model or condition, or nothing in it was answered.
    """
    suite = str(run.get("suite") or "")
    if name == OF_CUTOFF and suite == OF_CUTOFF:
        return _of_cutoff(estimates, run, model)
    layout = layout_of(name, suite, estimates, condition)
    if layout is None:
        known = ", ".join(names_of(suite, estimates)) or "none"
        raise UsageError(f"this run has no figure {name!r}", todo=f"It has: {known}")
    made = _made(estimates, run, layout, _chosen(estimates, run, model), post=post, ink=INK)
    if made is None:
        raise UsageError(f"nothing to draw in figure {name!r}: none of its questions was asked and answered")
    return made


def _chosen(estimates: pl.DataFrame, run: Mapping[str, Any], model: str | None) -> str:
    """The model that is named, or the run's first."""
    models = _models(estimates, run)
    if model is not None and model not in models:
        raise UsageError(f"{model!r} is no model of this run", todo=f"It has: {', '.join(models) or 'none'}")
    return model or next(iter(models), "")


def _of_cutoff(estimates: pl.DataFrame, run: Mapping[str, Any], model: str | None) -> MadeFigure:
    made = cutoff_figure(estimates, run, _chosen(estimates, run, model), ink=INK)
    if made is None:
        raise UsageError(f"nothing to draw in figure {OF_CUTOFF!r}: none of its questions was answered")
    return MadeFigure(f"figure-{OF_CUTOFF}", *made)


def paper_figures(
    estimates: pl.DataFrame, run: Mapping[str, Any], *, post: bool = False, ink: str = INK
) -> Iterator[MadeFigure]:
    """Every figure of the paper that the run has answers for, for each model; for the suite ``cutoff`` ours."""
    models = _models(estimates, run)
    for model in models:
        own = cutoff_figure(estimates, run, model, ink=ink) if run.get("suite") == OF_CUTOFF else None
        if own is not None:
            yield MadeFigure(_file_name(OF_CUTOFF, model, models), *own)
        for layout in layouts().figures_of(str(run.get("suite") or "")):
            made = _made(estimates, run, layout, model, post=post, ink=ink)
            if made is not None:
                yield MadeFigure(_file_name(layout.name, model, models), made.figure, made.caption)


def _file_name(name: str, model: str, models: Sequence[str]) -> str:
    return f"figure-{name}--{slug(model)}" if len(models) > 1 else f"figure-{name}"


def write_figures(estimates: pl.DataFrame, run: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write an ``.svg`` and a ``.png`` for each of :func:`paper_figures`; the same answers give the same bytes.

    Raises:
        RunError: a file cannot be written.
    """
    paths = []
    for made in paper_figures(estimates, run):
        for kind in ("svg", "png"):
            path = folder / f"{made.name}.{kind}"
            write_whole(path, image_bytes(made.figure, kind))
            paths.append(path)
    return paths


def page_figures(estimates: pl.DataFrame, run: Mapping[str, Any]) -> list[dict[str, str]]:
    """The figures for a page: name, caption, and the drawing as an ``<svg>`` element in the page's own colours."""
    found = []
    for place, made in enumerate(paper_figures(estimates, run, ink=PAGE_INK)):
        raw = image_bytes(made.figure, "svg", ink=PAGE_INK, fonts="none").decode()
        svg = for_page(raw, f"figure{place}", made.caption)
        found.append({"name": made.name, "caption": made.caption, "svg": svg})
    return found


def _models(estimates: pl.DataFrame, run: Mapping[str, Any]) -> list[str]:
    """The models that gave answers, in the run's order."""
    found = dict.fromkeys(estimates["model"].unique(maintain_order=True))
    named = [str(model) for model in run.get("models") or () if model in found]
    return list(dict.fromkeys([*named, *found]))


def cutoff_of(run: Mapping[str, Any], model: str) -> date | None:
    """The model's cutoff as run.json has it; None where it has none."""
    text = (run.get("cutoffs") or {}).get(model)
    return date.fromisoformat(str(text)) if text else None


def _made(
    estimates: pl.DataFrame,
    run: Mapping[str, Any],
    layout: FigureLayout,
    model: str,
    *,
    post: bool,
    ink: str,
) -> MadeFigure | None:
    cutoff = cutoff_of(run, model)
    drawn = drawn_series(estimates, layout, model, before=None if post else cutoff)
    if not drawn:
        return None
    about = {"model": visible(model), "cutoff": cutoff, "post": post}
    with style(ink), mpl.rc_context({"axes.spines.left": True}):
        figure = _figure(drawn, layout, about)
    return MadeFigure(f"figure-{slug(layout.name)}", figure, caption_of(layout, drawn, about))


def _figure(drawn: Sequence[DrawnSeries], layout: FigureLayout, about: Mapping[str, Any]) -> Figure:
    height = _ROW_INCHES * len(drawn) + 0.8
    figure = ReportFigure(figsize=(_WIDTH_INCHES, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(drawn), 2, squeeze=False)
    letters = iter(_LETTERS)
    for series, (left, right) in zip(drawn, axes, strict=True):
        _levels(left, series, f"{next(letters)}: {series.title}")
        _errors(right, series, f"{next(letters)}: {series.title}, error (%)")
        for axis in (left, right):
            _cutoff(axis, series, about)
            finish(axis)
    handles = list(_explained(about))
    figure.legend(
        handles=handles, loc="outside upper center", ncols=len(handles), frameon=False, fontsize=8.5
    )
    figure.supxlabel(_footing(drawn, layout, about), fontsize=7.5)
    return figure


def _levels(axis: Axes, series: DrawnSeries, title: str) -> None:
    axis.set_title(title, fontsize=9, loc="left")
    when = days_of(series.dates)
    mark = "." if len(when) <= MARKED else ""
    # Of thousands of days the estimates are a cloud, and what was actual is a line over it.
    many = len(when) > MANY
    width, above = (0.9, 3) if many else (2.4, 2)
    axis.plot(when, series.actual, color=ACTUAL, linewidth=width, marker=mark, markersize=5, zorder=above)
    draw_line(axis, when, numbers_of(series.estimated), marked=bool(mark))


def _errors(axis: Axes, series: DrawnSeries, title: str) -> None:
    axis.set_title(title, fontsize=9, loc="left")
    axis.axhline(0, color=GREY, linewidth=0.8)
    when = days_of(series.dates)
    draw_line(axis, when, numbers_of(series.errors), marked=len(when) <= MARKED)


def _cutoff(axis: Axes, series: DrawnSeries, about: Mapping[str, Any]) -> None:
    if about["cutoff"] is None:
        return
    at, last = days_of([about["cutoff"], series.dates[-1]])
    axis.axvline(at, color=GREY, linewidth=1.2, linestyle="--")
    if about["post"] and last > at:
        axis.axvspan(at, last, color=GREY, alpha=0.15, linewidth=0)


def _explained(about: Mapping[str, Any]) -> Iterator[Line2D | Patch]:
    yield Line2D([], [], color=ACTUAL, linewidth=2.4, label="actual")
    yield Line2D([], [], color=ESTIMATED, linewidth=1.0, label="estimated, and its error")
    if about["cutoff"] is not None:
        label = f"training cutoff {about['cutoff']:%Y-%m}"
        yield Line2D([], [], color=GREY, linewidth=1.2, linestyle="--", label=label)
        if about["post"]:
            yield Patch(color=GREY, alpha=0.15, linewidth=0, label="after the cutoff")


def _footing(drawn: Sequence[DrawnSeries], layout: FigureLayout, about: Mapping[str, Any]) -> str:
    """Whose figure it is, and what is not drawn: the caption may be lost on the way."""
    told = [shortened(about["model"], 60)]
    told += [f"{one.left_out} outliers of {one.title} not drawn" for one in drawn if one.left_out]
    told += [f"without {name}" for name in layout.left_out]
    return "; ".join(told)
