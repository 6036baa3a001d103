"""What an attacker may read off a reference document: its firm's label, its period, its industry."""

from __future__ import annotations

from typing import NamedTuple

from neuter.firms import firm_label
from neuter.types import Document


class Period(NamedTuple):
    """A year and, where it is known, a quarter of it (1 to 4)."""

    year: int
    quarter: int | None

    @property
    def rank(self) -> tuple[int, int]:
        """Sorts by time; a year without a quarter comes before its quarters."""
        return (self.year, self.quarter or 0)


def firm_of(document: Document) -> str | None:
    """The firm's label, or None for a document that names no firm (a headline, say)."""
    if document.ticker is None and document.firm is None and document.cik is None:
        return None
    return firm_label(document) or None


def period_of(document: Document) -> Period | None:
    """The fiscal period, or that of the date for a document without one; an assumed date says nothing."""
    if document.fiscal_year is not None:
        return Period(document.fiscal_year, document.fiscal_quarter)
    if document.date is None or document.date_assumed:
        return None
    return Period(document.date.year, (document.date.month + 2) // 3)
