"""What an attacker may read off a reference document: its firm's label and its period."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from neuter.firms.labels import firm_label
from neuter.firms.periods import calendar_quarter
from neuter.types import Document, Guess, MaskedDocument


class Period(NamedTuple):
    """A year and, where it is known, a quarter of it (1 to 4)."""

    year: int
    quarter: int | None

    @property
    def rank(self) -> tuple[int, int]:
        """Sorts by time; a year without a quarter comes before its quarters."""
        return (self.year, self.quarter or 0)


@dataclass(frozen=True, slots=True)
class Found:
    """What the reference says of one text; ``firms`` best first, with ``scores`` beside them."""

    firms: tuple[str, ...]
    scores: tuple[float, ...]
    period: Period | None
    sector: str | None

    def guess(self, document: MaskedDocument, attacker: str, reason: str = "") -> Guess:
        """The guess about ``document`` that follows from it."""
        return Guess(
            id=document.id,
            scheme=document.scheme,
            attacker=attacker,
            firm=self.firms[0] if self.firms else None,
            industry=self.sector,
            quarter=self.period.quarter if self.period else None,
            year=self.period.year if self.period else None,
            candidates=self.firms,
            scores=self.scores,
            reason=reason,
        )


def firm_of(document: Document) -> str | None:
    """The firm's label, or None for a document that names no firm (a headline, say)."""
    return firm_label(document) or None


def period_of(document: Document) -> Period | None:
    """The fiscal period, or that of the date for a document without one; an assumed date says nothing."""
    if document.fiscal_year is not None:
        return Period(document.fiscal_year, document.fiscal_quarter)
    if document.date is None or document.date_assumed:
        return None
    return Period(*calendar_quarter(document.date))
