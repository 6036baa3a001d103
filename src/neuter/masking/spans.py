"""Spans of an original text: choosing among overlapping ones, and putting placeholders in their place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from neuter.masking.placeholders import Placeholders, find_placeholders
from neuter.types import Document, MaskedDocument, Replacement

_BLANKS = re.compile(r"\s+")
# A point before a digit is part of the number: .75 is not 75.
_LEADING_MARKS = re.compile(r"(?:[ ;:]|[.,](?!\d))+")


@dataclass(frozen=True, slots=True)
class Span:
    """``text[start:end]`` names something of ``kind``; of two that overlap, the higher ``weight`` gives the kind.

    ``entity`` says which entity it is, where the text alone does not; it holds for a wider span too if it is ``known``.
    """

    start: int
    end: int
    kind: str
    weight: int = 0
    entity: str = ""
    known: bool = False


def merge(spans: Iterable[Span]) -> list[Span]:
    """Spans without overlap, in order. Two that overlap become one that covers both, so nothing found is lost.

    The kind is that of the heavier, then of the longer, then of the earlier one.
    """
    merged: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if span.start >= span.end:
            continue
        if merged and span.start < merged[-1].end:
            merged[-1] = _union(merged[-1], span)
        else:
            merged.append(span)
    return merged


def _union(first: Span, second: Span) -> Span:
    heavier = max(first, second, key=lambda s: (s.weight, s.end - s.start, -s.start))
    start, end = min(first.start, second.start), max(first.end, second.end)
    whole = (heavier.start, heavier.end) == (start, end)
    entity = heavier.entity if whole or heavier.known else ""
    return Span(start, end, heavier.kind, heavier.weight, entity, heavier.known)


def replace(text: str, spans: Sequence[Span]) -> list[Replacement]:
    """A replacement for each span (in order, without overlap), the same placeholder for the same entity.

    A placeholder that stands in ``text`` already is given to none of them.
    """
    given = Placeholders(match.group() for match in find_placeholders(text))
    return [
        Replacement(s.start, s.end, given.of(s.kind, s.entity or normalised(text[s.start : s.end])), s.kind)
        for s in spans
    ]


def masked(document: Document, found: Sequence[Span], scheme: str) -> MaskedDocument:
    """The document with its spans (in order, without overlap) replaced."""
    replacements = replace(document.text, found)
    text = apply(document.text, replacements)
    return MaskedDocument(document.id, text, scheme, document.kind, tuple(replacements))


def normalised(surface: str) -> str:
    """One form for an entity's spellings in a document: case, blanks and a possessive's ending are set aside.

    >>> normalised("Tim  Cook's") == normalised("TIM COOK")
    True
    >>> normalised(".75"), normalised("... 75.")
    ('.75', '75')
    """
    plain = _BLANKS.sub(" ", surface).rstrip(" .,;:").casefold()
    if marks := _LEADING_MARKS.match(plain):
        plain = plain[marks.end() :]
    for ending in ("'s", "’s"):
        plain = plain.removesuffix(ending)
    return plain


def apply(text: str, replacements: Iterable[Replacement]) -> str:
    """The text with its spans replaced; replacements in order and without overlap.

    >>> apply("Ann met Bob.", [Replacement(0, 3, "name_x", "name"), Replacement(8, 11, "name_y", "name")])
    'name_x met name_y.'
    """
    pieces, position = [], 0
    for r in replacements:
        pieces += [text[position : r.start], r.placeholder]
        position = r.end
    pieces.append(text[position:])
    return "".join(pieces)


def share_of_words_masked(text: str, replacements: Iterable[Replacement]) -> float:
    """The share of blank-separated words of ``text`` that a replacement touches, 0 to 1; 0 for no words."""
    words = [m.span() for m in re.finditer(r"\S+", text)]
    if not words:
        return 0.0
    ends = [(r.start, r.end) for r in replacements]
    touched, k = 0, 0
    for start, end in words:
        while k < len(ends) and ends[k][1] <= start:
            k += 1
        touched += k < len(ends) and ends[k][0] < end
    return touched / len(words)
