"""Questions from windows, in words: dated, binary, with their resolution, source and base rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.errors import UsageError
from neuter.questions.generating.specs import Spec, names, spec_of
from neuter.questions.generating.windows import Window, firm_windows, series_windows
from neuter.questions.schema import QUESTION_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neuter.data.series import DataSeries

#: First prints are asked about, where a series has them.
_PRINT = "first"


def generate_questions(
    series: str | Sequence[str] = (),
    *,
    opens_from: date | None = None,
    resolves_by: date | None = None,
    data: Mapping[str, DataSeries] | None = None,
    panel: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Every question that the series give, in the order of their resolution (QUESTION_SCHEMA).

    Each is about a value that was known when it opened and one that came later: "Will the S&P 500 close on 2024-09-30
    above its close of 5,460.48 on 2024-06-28?" ``base_rate`` is the share of windows like it that came out yes, of
    those that had ended by then. There are as many as there is data: longer series give more.

    Args:
        series: names of ``templates.toml``; by default all. ``firms`` asks about the largest firms of each month.
        opens_from: the first day on which a question may open.
        resolves_by: the last day on which one may resolve.
        data: own values in place of the shipped ones, by name.
        panel: own panel in place of the shipped one (:func:`neuter.data.firm_panel` has its columns).

    Raises:
        UsageError: no questions are made about a series, or a day is none.
        DataError: the shipped data is damaged.
    """
    for day in (opens_from, resolves_by):
        if day is not None and not isinstance(day, date):
            raise UsageError(f"{day!r} is no day", where="generate_questions", todo="Give a datetime.date")
    chosen = (series,) if isinstance(series, str) else tuple(series)
    rows = [
        _row(spec, window)
        for spec in map(spec_of, dict.fromkeys(chosen or names()))
        for window in _windows(spec, data or {}, panel)
        if _within(window, opens_from, resolves_by)
    ]
    frame = pl.DataFrame(rows, schema=QUESTION_SCHEMA, orient="row")
    return frame.sort("resolution_date", "id")


def _windows(spec: Spec, data: Mapping[str, DataSeries], panel: pl.DataFrame | None) -> Iterator[Window]:
    if spec.kind == "cap":
        from neuter.data.panel import firm_panel

        return firm_windows(spec, firm_panel() if panel is None else panel)
    from neuter.data.shipped_series import shipped_series

    found = data.get(spec.name) or shipped_series(spec.name)
    reading = _PRINT if spec.kind == "print" and _PRINT in found.readings else None
    # A question tells a value in its printed digits, and is decided by what it tells.
    values = found.values(reading).with_columns(pl.col("value").round(spec.digits))
    return series_windows(spec, values)


def _within(window: Window, opens_from: date | None, resolves_by: date | None) -> bool:
    return (opens_from is None or window.opened >= opens_from) and (
        resolves_by is None or window.known <= resolves_by
    )


def _row(spec: Spec, window: Window) -> tuple[Any, ...]:
    symbol, _, said = window.label.partition("\t")
    slots = _slots(spec, window, said or spec.said)
    wording = spec.wording
    asked = {True: wording.above, False: wording.above_by}[window.threshold == 0]
    asked = wording.below_by if window.threshold < 0 else asked
    return (
        _id(spec, window, symbol),
        asked.format(**slots),
        "",
        wording.criteria.format(**slots),
        window.opened,
        window.known,
        window.known,
        int(window.outcome),
        spec.domain,
        _source(spec, window, said or spec.said),
        "",
        f"{spec.family}:{window.known:%Y-%m}",
        window.base_rate,
        [],
    )


def _id(spec: Spec, window: Window, symbol: str) -> str:
    side = "below" if window.threshold < 0 else "above"
    return f"{symbol or spec.name}-{window.start}-{window.end}-{side}-{abs(window.threshold):g}"


def _slots(spec: Spec, window: Window, said: str) -> dict[str, str]:
    size = abs(window.threshold)
    line = _line(spec, window)
    return {
        "said": said,
        "date": str(window.end),
        "open": str(window.start),
        "period": said_period(spec, window.end),
        "earlier": said_period(spec, window.start),
        "level": said_level(spec, window.earlier),
        "size": f"{size:g}%" if spec.change == "percent" else f"{size:g} {spec.points}",
        "condition": "below" if window.threshold < 0 else "above",
        "line": line,
    }


def _line(spec: Spec, window: Window) -> str:
    """The value that decides, with enough decimals to be it."""
    if spec.change == "percent":
        exact = window.earlier * (1 + window.threshold / 100)
        return said_level(spec, window.earlier if window.threshold == 0 else exact, more=2)
    return said_level(spec, round(window.earlier + window.threshold, 9))


def said_level(spec: Spec, value: float, *, more: int = 0) -> str:
    """A value in its unit: ``5,460.48``, ``3.9%``, ``1,372 thousand``, ``$3.25 trillion``.

    ``more`` decimals are given where the value is no printed one.
    """
    if spec.kind == "cap":
        size, word = (1e12, "trillion") if value >= 1e12 else (1e9, "billion")
        return f"${value / size:,.4g} {word}" if not more else f"${value / size:,.6g} {word}"
    digits = spec.digits
    if more and round(value, digits) != round(value, digits + more):
        digits += more
    return f"{value:,.{digits}f}{spec.unit}"


def said_period(spec: Spec, day: date) -> str:
    """A month or quarter: ``2024-03``, ``the third quarter of 2024``."""
    if spec.name != "gdp_growth":
        return f"{day:%Y-%m}"
    word = ("first", "second", "third", "fourth")[(day.month - 1) // 3]
    return f"the {word} quarter of {day.year}"


def _source(spec: Spec, window: Window, said: str) -> str:
    values = f"{window.earlier:.10g} ({window.start}), {window.later:.10g} ({window.end})"
    whose = "corpora/panel" if spec.kind == "cap" else f"the series {spec.name}"
    return f"generated from {whose}: {said}: {values}"
