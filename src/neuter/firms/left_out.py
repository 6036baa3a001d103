"""An index without one of its firms, as if that had never been entered: for leave-one-out checks of the matching."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from neuter.firms.index import Universe, add_firm

_OF_CLAIMS = ("tickers", "capitals", "full", "together")
_OF_NUMBERS = ("weak", "alike", "short", "beginnings", "words")


@contextmanager
def left_out(index: Universe, number: int) -> Iterator[Universe]:
    """``index`` without the firm at ``number``, whose entries come back at the end.

    Every entry that the firm made is taken away, and a key that no other firm holds goes with it: the index is
    then equal to one built without the firm, but for the numbers of the firms (tests/firms/test_hard_cases.py).
    """
    own = Universe(firms=index.firms)
    add_firm(own, number, index.firms[number])
    _take_away(index, own, number)
    try:
        yield index
    finally:
        _put_back(index, own)


def _take_away(index: Universe, own: Universe, number: int) -> None:
    # Built from what is there now, before anything goes.
    beside, vocabulary = index.beside, index.vocabulary
    del index.by_label[index.firms[number].label]
    for name in _OF_CLAIMS:
        held: dict[Any, list[Any]] = getattr(index, name)
        for key in getattr(own, name):
            held[key] = [claim for claim in held[key] if claim.firm != number]
            _drop_if_empty(held, key)
    for name in _OF_NUMBERS:
        numbers: dict[Any, set[int]] = getattr(index, name)
        for key in getattr(own, name):
            numbers[key].discard(number)
            _drop_if_empty(numbers, key)
    for words in own.full:
        if words not in index.full:
            for at, word in enumerate(words if len(words) > 1 else ()):
                beside[(at, *words[:at], *words[at + 1 :])].discard(word)
    for place, words_of in own.vocabulary.items():
        for word in words_of:
            if word not in index.words:
                vocabulary[place].remove(word)


def _put_back(index: Universe, own: Universe) -> None:
    for place, words_of in own.vocabulary.items():
        index.vocabulary[place] += [word for word in words_of if word not in index.words]
    for name in (*_OF_CLAIMS, *_OF_NUMBERS):
        held = getattr(index, name)
        for key, entries in getattr(own, name).items():
            if isinstance(entries, set):
                held[key] |= entries
            else:
                held[key] = sorted([*held[key], *entries], key=lambda claim: claim.firm)
    for key, words in own.beside.items():
        index.beside[key] |= words
    index.by_label.update(own.by_label)


def _drop_if_empty(held: dict[Any, Any], key: Any) -> None:
    if not held[key]:
        del held[key]
