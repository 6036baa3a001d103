"""From what was found in files to rows of QUESTION_SCHEMA: each field read and checked, each fault with its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from neuter.errors import DataError
from neuter.questions.days import day_of
from neuter.questions.domains import domain_of
from neuter.questions.found import Fault, Found
from neuter.questions.predictions import Predictions, packed
from neuter.questions.probabilities import SHARE, Said, said, scale_of, share_of
from neuter.questions.texts import told_text

_EPOCH = date(1970, 1, 1).toordinal()
_WITHIN = "It is within 0 and 1, or 0% and 100%"


@dataclass(frozen=True, slots=True)
class Scales:
    """What plain numbers mean: of the community's predictions, and of base rates."""

    community: str = SHARE
    base_rate: str = SHARE


@dataclass(frozen=True, slots=True)
class Accepted:
    """A row without its predictions, these, and its base rate, both as they stand until a column's scale is known."""

    where: str
    row: dict[str, Any]
    predictions: Predictions
    base_rate: Said | None
    shares: bool


def accepted(found: Found, day_first: bool | None, domain: str | None) -> Accepted | Fault:
    """The question as a row, or what is wrong with it."""
    try:
        return _accepted(found, day_first, domain)
    except DataError as error:
        return Fault(found.where, error.what, error.todo)


def scales_of(accepted: Iterable[Accepted]) -> Scales:
    """The scales of one file's columns.

    Raises:
        DataError: a column mixes shares and percent.
    """
    bounds = _Bounds(), _Bounds()
    for one in accepted:
        if not one.shares:
            bounds[0].see(f"{one.where}, field community", *one.predictions.small_and_large())
            if one.base_rate and one.base_rate.plain:
                bounds[1].see_one(f"{one.where}, field base_rate", one.base_rate.value)
    return Scales(*(scale_of(some.small, some.large, some.largest) for some in bounds))


def settled(one: Accepted, scales: Scales) -> Accepted | Fault:
    """The same with every probability as a share, or the one that is outside of 0 and 1."""
    shares = one.predictions.values if one.shares else one.predictions.shares(scales.community)
    outside = np.flatnonzero(~((shares >= 0) & (shares <= 1)))
    if outside.size:
        value = float(one.predictions.values[outside[0]])
        return Fault(one.where, f"{_named('community', one.row['id'])}: a probability of {value:g}", _WITHIN)
    rate = None if one.base_rate is None else share_of(one.base_rate, scales.base_rate)
    if one.base_rate is not None and rate is None:
        wrong = f"{_named('base_rate', one.row['id'])}: a probability of {one.base_rate.as_written[:40]}"
        return Fault(one.where, wrong, _WITHIN)
    predictions = replace(one.predictions, values=shares, plain=None)
    return replace(one, row={**one.row, "base_rate": rate}, predictions=predictions)


class _Bounds:
    """The first plain number of a column between 0 and 1, and the first above 1 up to 100, with their places.

    ``largest`` is the largest of the latter.
    """

    def __init__(self) -> None:
        self.small: Said | None = None
        self.large: Said | None = None
        self.largest = 0.0

    def see(self, where: str, small: float | None, large: float | None, largest: float) -> None:
        self.largest = max(self.largest, largest)
        if self.small is None and small is not None:
            self.small = Said(small, True, where, f"{small:g}")
        if self.large is None and large is not None:
            self.large = Said(large, True, where, f"{large:g}")

    def see_one(self, where: str, value: float) -> None:
        large = value if 1 < value <= 100 else None
        self.see(where, value if 0 < value < 1 else None, large, large or 0.0)


def _accepted(found: Found, day_first: bool | None, domain: str | None) -> Accepted:
    id_ = _text(found, "id", found.id, needed=True)
    question = _text(found, "question", found.question, needed=True)
    resolved = _day(found, "resolution_date", found.resolution_date, day_first)
    if resolved is None:
        raise _wrong(
            found, "resolution_date", "no date", "A question needs the day when its outcome was known"
        )
    opened, closed = (_day(found, name, getattr(found, name), day_first) for name in ("open", "close"))
    _see_order(found, opened, closed, resolved)
    row = {
        "id": id_,
        "question": question,
        "background": _text(found, "background", found.background),
        "resolution_criteria": _text(found, "resolution_criteria", found.criteria),
        "open": opened,
        "close": closed,
        "resolution_date": resolved,
        "resolution": found.outcome,
        "domain": domain or domain_of(found.categories),
        **{name: _text(found, name, getattr(found, name)) for name in ("source", "url", "cluster")},
    }
    try:
        predictions = packed(found, resolved.toordinal() - _EPOCH, day_first)
    except DataError as error:
        raise _wrong(found, "community", error.what, error.todo) from error
    return Accepted(found.where, row, predictions, _base_rate(found), found.shares)


def _text(found: Found, field: str, value: Any, *, needed: bool = False) -> str:
    try:
        text = told_text(value, verbatim=found.verbatim)
    except DataError as error:
        raise _wrong(found, field, error.what, error.todo) from error
    if text is None:
        raise _wrong(found, field, f"is no text ({str(value)[:40]})")
    if needed and not text:
        raise _wrong(found, field, "is empty")
    return text


def _day(found: Found, field: str, value: Any, day_first: bool | None) -> date | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    day = day_of(value, day_first=day_first)
    if day is None:
        todo = "Write YYYY-MM-DD; for dates with slashes say which number is the day (day_first)"
        raise _wrong(found, field, f"{str(value)[:40]!r} is no date", todo)
    return day


def _see_order(found: Found, opened: date | None, closed: date | None, resolved: date) -> None:
    if opened and resolved < opened:
        what = f"{resolved} is before it opened ({opened})"
        raise _wrong(found, "resolution_date", what, "Correct one of them")
    if opened and closed and closed < opened:
        raise _wrong(found, "close", f"{closed} is before it opened ({opened})", "Correct one of them")


def _base_rate(found: Found) -> Said | None:
    if found.base_rate is None or found.base_rate == "":
        return None
    known = said(found.base_rate, found.where)
    if known is None:
        what = f"{str(found.base_rate)[:40]!r} is no probability"
        raise _wrong(found, "base_rate", what, "Write 0.85, 85%, or 1 in 4")
    return known


def _wrong(found: Found, field: str, what: str, todo: str = "") -> DataError:
    return DataError(f"{_named(field, found.id)}: {what}", where=found.where, todo=todo)


def _named(field: str, id_: Any) -> str:
    """The field and the question that it is of."""
    known = isinstance(id_, str | int) and str(id_).strip() and field != "id"
    return f"field {field} of {str(id_)[:60]!r}" if known else f"field {field}"
