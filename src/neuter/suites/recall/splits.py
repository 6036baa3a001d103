"""Which part of time a question is of: before the model's cutoff, the recent part of that, or after it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from neuter.errors import UsageError

_EXAMPLE = "Write --cutoff 2023-10 or --cutoff 2023-10-15"


def read_cutoff(text: str | date) -> date:
    """A cutoff as a day: ``2023-10`` is the first day of the month, and that day is after the cutoff.

    >>> read_cutoff("2023-10")
    datetime.date(2023, 10, 1)

    Raises:
        UsageError: it is neither a month nor a day.
    """
    if isinstance(text, date):
        return text
    said = text.strip()
    try:
        return date.fromisoformat(f"{said}-01" if len(said) == 7 else said)
    except ValueError:
        raise UsageError(f"{text!r} is no cutoff", todo=_EXAMPLE) from None


def cutoffs_of(
    models: Iterable[str], given: str | date | None = None, config: Path | None = None
) -> dict[str, date]:
    """The training cutoff of each model: the one given, else the catalog's.

    Raises:
        UsageError: nobody knows the cutoff of a model; the message asks for one.
    """
    from neuter.models.catalog import facts

    if given is not None:
        day = read_cutoff(given)
        return dict.fromkeys(models, day)
    found = {model: facts(model, config).cutoff for model in models}
    unknown = [model for model, cutoff in found.items() if cutoff is None]
    if unknown:
        raise UsageError(
            f"nobody knows the training cutoff of {', '.join(unknown)}",
            todo=f'{_EXAMPLE}; or keep it in neuter.toml: [models."{unknown[0]}"] with cutoff = "YYYY-MM"',
        )
    return {model: cutoff for model, cutoff in found.items() if cutoff is not None}


def source_of_cutoff(model: str, given: str | date | None, config: Path | None = None) -> str:
    """Where a cutoff is from, in words for a report."""
    from neuter.models.catalog import facts

    if given is not None:
        return "given with --cutoff"
    known = facts(model, config)
    checked = f", checked {known.checked}" if known.checked else ""
    return f"{known.source}{checked}" if known.source else "the user's neuter.toml"


def years_before(day: date, years: int) -> date:
    """The same day so many years earlier; of 29 February the 28th.

    >>> years_before(date(2024, 2, 29), 10)
    datetime.date(2014, 2, 28)
    """
    try:
        return day.replace(year=day.year - years)
    except ValueError:
        return day.replace(year=day.year - years, day=28)
