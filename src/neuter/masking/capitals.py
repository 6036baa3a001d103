"""Capitals that nothing explains: in running text a capital inside a sentence marks a name, whatever its kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from neuter.masking.patterns import lexicon
from neuter.masking.spans import Span

#: A capital is the weakest witness of a name's kind.
WEIGHT = 0

_WORD = re.compile(r"[^\W\d_](?:[\w'’&]|[.-](?=\w))*")
_SENTENCE_END = re.compile(r"[.!?:;\n\"“”(•*|\[]\s*$|^\s*$|[-–—]\s+$")
# The small letter before the capital, not the word's first: one reading of a long word, not one for each letter.
_MIXED = re.compile(r"[a-z][^\Wa-zA-Z]*[A-Z]")


@dataclass(frozen=True, slots=True)
class Word:
    """A capitalised word of the text, ``opening`` where it may owe its capital to the start of a sentence."""

    start: int
    end: int
    text: str
    opening: bool


def is_caseless(text: str) -> bool:
    """True where capitals say nothing: all lower, all upper, or a title-cased headline.

    >>> is_caseless("Apple Unveils New Phone at Launch Event"), is_caseless("Apple unveils a new phone")
    (True, False)
    """
    words = [w for w in _WORD.findall(text[:20_000]) if len(w) > 3]
    capital = sum(1 for w in words if w[0].isupper())
    return not capital or capital > 0.6 * len(words)


def unexplained(text: str) -> list[Span]:
    """Runs of capitalised words that are neither a sentence's opening word nor a word of the trade."""
    words = list(_capitalised(text))
    inside = Counter(w.text for w in words if not w.opening)
    lower = set(re.findall(r"\b[a-z]+\b", text))
    names = [w for w in words if not w.opening or _also_inside(w, inside, lower)]
    return list(_runs(text, names))


def _also_inside(word: Word, inside: Counter[str], lower: set[str]) -> bool:
    """A sentence's opening word is a name where the document writes it with a capital elsewhere and never without."""
    stem = re.sub(r"['’]s$", "", word.text)
    return (inside[word.text] > 0 or inside[stem] > 0) and stem.casefold() not in lower


def _capitalised(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        word = match.group()
        if not (word[0].isupper() or _MIXED.search(word)) or is_explained(word):
            continue
        opening = _SENTENCE_END.search(text, max(0, match.start() - 4), match.start()) is not None
        yield Word(
            match.start(), match.end(), word, opening and not word.isupper() and not _MIXED.search(word)
        )


def is_explained(word: str) -> bool:
    plain = re.sub(r"['’](?:s|re|ll|ve|d|m|t)$", "", word.casefold())
    return plain in _explained() or all(part in _explained() for part in plain.split("-"))


@cache
def _explained() -> frozenset[str]:
    return frozenset(lexicon()["capitals"]["explained"])


def _runs(text: str, words: list[Word]) -> Iterator[Span]:
    """Neighbouring names, one blank or an ampersand apart, are one name."""
    start = end = -1
    for word in words:
        if end >= 0 and re.fullmatch(r" (?:& |of |de )?", text[end : word.start]):
            end = word.end
            continue
        if end >= 0:
            yield Span(start, end, "product", WEIGHT)
        start, end = word.start, word.end
    if end >= 0:
        yield Span(start, end, "product", WEIGHT)
