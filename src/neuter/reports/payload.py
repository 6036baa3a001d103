"""A report's documents as JSON that may stand inside a page, with offsets as JavaScript counts them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from neuter.reports.run_view import DocumentView, GuessView, MaskedView
from neuter.reports.wording import SMALL_MODEL, is_small_model, one_line, visible
from neuter.types import Document, Replacement

#: Which placeholder kinds share a colour.
FAMILIES = {
    "firm": ("company", "firm", "organization", "org", "ticker", "exchange"),
    "person": ("name", "person", "officer"),
    "place": ("location", "place", "gpe", "loc"),
    "time": ("time", "year", "quarter", "date", "month"),
    "number": ("number", "money", "percent", "cardinal", "quantity"),
    "product": ("product", "product_type", "product_line", "service", "slogan", "brand"),
    "sector": ("industry", "sector", "market"),
    "contact": ("link", "url", "email", "email_address", "phone", "phone_number"),
}
_FAMILY = {kind: family for family, kinds in FAMILIES.items() for kind in kinds}


def family(kind: str) -> str:
    """The colour family of a placeholder's kind: ``time`` for ``quarter``; ``other`` for an unknown one."""
    return _FAMILY.get(kind.lower(), "other")


def script_json(value: object) -> str:
    """``value`` as JSON that cannot end the script element around it or start another.

    ASCII only, so U+2028 and direction marks are escapes; ``<``, ``>`` and ``&`` are escapes too.
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def documents_payload(documents: Iterable[DocumentView]) -> list[dict[str, Any]]:
    """What the page's script needs of each document; every text is made visible, none is trusted."""
    return [
        {
            "id": visible(document.truth.id),
            "truth": _truth(document.truth),
            "original": None if document.original is None else visible(document.original),
            "masks": [_mask(mask, document.original) for mask in document.masked],
        }
        for document in documents
    ]


def _truth(truth: Document) -> dict[str, Any]:
    return {
        "firm": _text(truth.firm or truth.ticker),
        "ticker": _text(truth.ticker),
        "quarter": truth.fiscal_quarter,
        "year": truth.fiscal_year,
        "date": truth.date.isoformat() if truth.date else None,
        "size": _text(truth.size),
        "sector": _text(truth.sector),
        "kind": _text(truth.kind),
    }


def _mask(mask: MaskedView, original: str | None) -> dict[str, Any]:
    spans = mask.replacements or ()
    return {
        "scheme": one_line(mask.scheme),
        "text": None if mask.text is None else visible(mask.text),
        "rewritten": mask.replacements is None,
        "before": [] if original is None else _marks(original, spans),
        "after": [] if mask.text is None else _marks(mask.text, moved(mask.text, spans)),
        "outcome": mask.outcome,
        "reason": one_line(mask.reason),
        "guesses": [_guess(guess) for guess in mask.guesses],
    }


def _guess(guess: GuessView) -> dict[str, Any]:
    scores = [*guess.scores, *[None] * len(guess.candidates)]
    return {
        "attacker": one_line(guess.attacker),
        "model": _text(guess.model),
        "small": SMALL_MODEL if is_small_model(guess.model) else None,
        "outcome": guess.outcome,
        "firm": _text(guess.firm),
        "industry": _text(guess.industry),
        "quarter": guess.quarter,
        "year": guess.year,
        "date": guess.date.isoformat() if guess.date else None,
        "confidence": _finite(guess.confidence),
        "candidates": [
            [one_line(name), _finite(score)] for name, score in zip(guess.candidates, scores, strict=False)
        ],
        "answer": None if guess.answer is None else visible(guess.answer),
        "reason": one_line(guess.reason),
        "right": {
            "firm": guess.firm_right,
            "quarter": guess.quarter_right,
            "year": guess.year_right,
            "date": guess.date_right,
        },
    }


def moved(masked: str, spans: Sequence[Replacement]) -> tuple[Replacement, ...]:
    """``spans`` (offsets of the original) at their places in the masked text.

    Empty where the masked text does not hold the placeholders there: better no colour than a wrong one.
    """
    shifts = [len(span.placeholder) - (span.end - span.start) for span in spans]
    places = [span.start + shift for span, shift in zip(spans, accumulate(shifts, initial=0), strict=False)]
    after = tuple(
        Replacement(place, place + len(span.placeholder), span.placeholder, span.kind)
        for span, place in zip(spans, places, strict=True)
    )
    fits = all(masked[span.start : span.end] == span.placeholder for span in after)
    return after if fits else ()


def _marks(text: str, spans: Sequence[Replacement]) -> list[list[Any]]:
    """[start, end, family, kind, placeholder] in UTF-16 units, in order and without overlaps."""
    units = _utf16(text)
    marks, end = [], 0
    for span in spans:
        if end <= span.start < span.end <= len(text):
            end = span.end
            place = [units[span.start], units[span.end]] if units else [span.start, span.end]
            marks.append([*place, family(span.kind), one_line(span.kind), one_line(span.placeholder)])
    return marks


def _utf16(text: str) -> list[int] | None:
    """Where each character starts when counted as JavaScript does; None where that is the same."""
    if text.isascii() or max(text) <= "\uffff":
        return None
    return list(accumulate((2 if char > "\uffff" else 1 for char in text), initial=0))


def _text(text: str | None) -> str | None:
    return None if text is None else one_line(text)


def _finite(value: float | None) -> float | None:
    return round(value, 4) if value is not None and math.isfinite(value) else None
