"""What a recall figure draws: actual and estimated values of each series by date, and the errors in percent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from neuter.reports.recall.layouts import FigureLayout, layouts
from neuter.reports.recall.table_blocks import label_of

if TYPE_CHECKING:
    import polars as pl

#: As the paper's 10 of 8,489 points: of fewer, no more than one in so many is left out of the drawing.
_ONE_IN = 100


@dataclass(frozen=True, slots=True)
class DrawnSeries:
    """One series: ``dates``, and for each the actual and the estimated value (None where there was no answer).

    ``left_out``: points with the largest errors that are not drawn. ``firms``: how many an average is over at most.
    """

    title: str
    dates: tuple[date, ...]
    actual: tuple[float, ...]
    estimated: tuple[float | None, ...]
    left_out: int = 0
    firms: int = 0

    @property
    def errors(self) -> list[float | None]:
        """(estimated − actual) / actual in percent; None without an answer, and where the actual value is 0."""
        return [
            None if estimate is None or not actual else 100 * (estimate - actual) / actual
            for actual, estimate in zip(self.actual, self.estimated, strict=True)
        ]


def drawn_series(
    estimates: pl.DataFrame, layout: FigureLayout, model: str, *, before: date | None = None
) -> list[DrawnSeries]:
    """The series of a figure that were asked, in its order.

    Args:
        estimates: as of :func:`neuter.reports.recall.answers.read_estimates`.
        before: only dates before this one; None for all.
    """
    import polars as pl

    wanted = estimates.filter(
        pl.col("model") == model,
        pl.col("panel").is_in(list(layout.panels)),
        pl.col("condition") == layout.condition,
        pl.col("actual").is_not_null(),
    )
    if before is not None:
        wanted = wanted.filter(pl.col("date") < before)
    return [made for series in layout.series if (made := _drawn(wanted, series, layout))]


def _drawn(wanted: pl.DataFrame, series: str, layout: FigureLayout) -> DrawnSeries | None:
    import polars as pl

    own = wanted.filter(pl.col("series") == series)
    firms = 0
    if layout.average:
        own = _averaged(_without(own, layout.left_out))
        firms = int(own["firms"].max() or 0) if own.height else 0  # type: ignore[arg-type]
    own = own.sort("date")
    kept = _without_outliers(own, layout.outliers.get(series, 0))
    if not kept.height or kept["estimated"].null_count() == kept.height:
        return None
    return DrawnSeries(
        title=label_of(series, layouts()),
        dates=tuple(kept["date"]),
        actual=tuple(kept["actual"]),
        estimated=tuple(kept["estimated"]),
        left_out=own.height - kept.height,
        firms=firms,
    )


def _without(own: pl.DataFrame, tickers: tuple[str, ...]) -> pl.DataFrame:
    """The questions about other firms; a class of shares (BRK.A, BRK-B, BRK/A) is its firm's."""
    import polars as pl

    root = pl.col("cluster").str.to_uppercase().str.replace(r"[^A-Z0-9].*$", "")
    return own.filter(~root.is_in(list(tickers)))


def _averaged(own: pl.DataFrame) -> pl.DataFrame:
    """The equal-weighted average of each date, actual and estimated over the same firms: those that were answered."""
    import polars as pl

    answered = own.filter(pl.col("estimated").is_not_null())
    means = answered.group_by("date").agg(
        pl.col("actual").mean(), pl.col("estimated").mean(), pl.len().alias("firms")
    )
    return means.sort("date")


def _without_outliers(own: pl.DataFrame, most: int) -> pl.DataFrame:
    """Without the points of largest error in percent: ``most`` of them, or one in a hundred if that is fewer."""
    import polars as pl

    count = min(most, own["estimated"].count() // _ONE_IN)
    if not count:
        return own
    error = ((pl.col("estimated") - pl.col("actual")) / pl.col("actual")).abs()
    ranked = own.with_columns(error.alias("off")).with_row_index("place")
    worst = ranked.filter(pl.col("off").is_not_null()).sort(["off", "date"], descending=[True, False])
    return ranked.join(worst.head(count), on="place", how="anti").drop("place", "off").sort("date")


def layout_of(name: str, suite: str, estimates: pl.DataFrame, condition: str = "") -> FigureLayout | None:
    """The figure of this number, or one of the series of this name; None where the suite has neither.

    A series is drawn without context where it was asked so, unless ``condition`` names another.
    """
    import polars as pl

    known = {one.name: one for one in layouts().figures_of(suite)}
    if name in known:
        return known[name]
    of_series = estimates.filter(pl.col("series") == name, pl.col("actual").is_not_null())
    if not of_series.height:
        return None
    asked = list(of_series["condition"].unique(maintain_order=True))
    chosen = condition or ("none" if "none" in asked else asked[0])
    panels = tuple(of_series["panel"].unique(maintain_order=True)[:1])
    averaged = bool((of_series["cluster"] != "").any())
    title = f"Recall of {label_of(name, layouts())}"
    return FigureLayout(name, suite, title, panels, chosen, (name,), average=averaged)


def names_of(suite: str, estimates: pl.DataFrame) -> list[str]:
    """The figures and series that can be drawn."""
    import polars as pl

    series = estimates.filter(pl.col("actual").is_not_null())["series"].unique(maintain_order=True)
    own = ["cutoff"] if suite == "cutoff" and len(series) else []
    return [*own, *(one.name for one in layouts().figures_of(suite)), *series]


def caption_of(layout: FigureLayout, drawn: list[DrawnSeries], about: Mapping[str, Any]) -> str:
    """The figure's caption: what is drawn, what is not, and where the cutoff is.

    Args:
        about: model, cutoff (a date or None) and post (whether dates after it are drawn).
    """
    return " ".join(_sentences(layout, drawn, about))


def _sentences(layout: FigureLayout, drawn: list[DrawnSeries], about: Mapping[str, Any]) -> Iterator[str]:
    number = f"Figure {layout.name}: " if layout.name.isdigit() else ""
    yield f"{number}{layout.title} ({about['model']})."
    what = "equal-weighted average prices, over the firms that were answered" if layout.average else "values"
    yield f"Left: actual and estimated {what}. Right: (estimated − actual) / actual, in percent."
    for one in drawn:
        if one.left_out:
            errors = "largest error" if one.left_out == 1 else f"{one.left_out} largest errors"
            yield f"The {errors} of {one.title} left out of the drawing count in the tables."
    if layout.left_out:
        yield f"{', '.join(layout.left_out)} is left out of the averages, as in the paper."
    if about.get("cutoff"):
        after = "; what is after it is shaded" if about.get("post") else "; only dates before it are drawn"
        yield f"The dashed line is the model's training cutoff, {about['cutoff']:%Y-%m-%d}{after}."
    yield "A gap in the estimated line is a question without a usable answer."
