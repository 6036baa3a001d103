"""Putting right a misspelt word of a name, where one word of the universe is near it and the next is far.

Only one word may be wrong. How wrong it may be depends on what else the guess says: a word among other right words
of one name may be short or known; a lone word must be long and in no firm's name: Vista is not a misspelt Visa.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from neuter.firms.index import Universe
from neuter.firms.names import Words, lexicon, weak_form

#: Words shorter than this are never corrected without other words: one letter makes another firm of Visa or Fox.
SHORTEST = 6
#: A lone word of fewer letters is corrected only into a name of the largest firms (Nvidea).
SHORTEST_ALONE = 7
#: From this length on a word may have two letters wrong (Catapillar).
LONG = 9
#: How many of the universe's firms, which come largest first, a short lone word may mean.
LARGEST = 1000
#: Beside other right words of the name, a word of this many letters may be misspelt (Goldman Sach).
SHORTEST_BESIDE = 4
#: A bucket of other words that leaves more words than this says too little: "first ...", "bank of ...".
WIDEST = 40


def corrections(index: Universe, words: Words, whole: bool = False) -> Iterator[Words]:
    """``words`` put right, the likeliest reading first; nothing where none is near, or two are.

    The first letter of the wrong word must be right. Letters added, left out, changed or swapped with their
    neighbour count one each (optimal string alignment): one may be wrong, or two in a word of nine and more.
    ``whole``: the guess has a legal form, so it is a full name; a lone word of it may have one letter wrong, never two.
    """
    short_of_form = _without_misspelt_form(index, words)
    if short_of_form:
        yield short_of_form
    words = weak_form(words)
    strange = [at for at, word in enumerate(words) if word not in index.words]
    if len(strange) == 1:
        yield from _in_place(index, words, strange[0], whole)
    elif not strange and len(words) > 1:
        yield from _known_but_wrong(index, words)


def _without_misspelt_form(index: Universe, words: Words) -> Words | None:
    """``words`` without a last word that is a misspelt legal form: "Nvidia Corpration"."""
    if len(words) < 2 or words[-1] in index.words or len(words[-1]) < SHORTEST:
        return None
    return words[:-1] if nearest(words[-1], lexicon().long_legal) else None


def _in_place(index: Universe, words: Words, at: int, whole: bool) -> Iterator[Words]:
    word = words[at]
    if not word.isalpha():
        return
    if len(words) > 1:
        beside = _beside(words, at, index)
        if beside and len(word) >= SHORTEST_BESIDE:
            right = nearest(word, beside)
            if right:
                yield _put(words, at, right)
                return
    if len(word) < SHORTEST:
        return
    found = _found(word, index.vocabulary.get((word[0], len(word)), ()))
    if whole and len(words) == 1:
        found = found if found and found[0][1] == 1 else []
    right = _clear(word, found)
    if not right and len(words) == 1 and len(found) > 1:
        # Of two that are as near, the one that is a large firm's whole name: Nvidea is Nvidia, not Navidea.
        right = _clear(word, [near for near in found if _large(index, near[0])])
    if right and (len(words) > 1 or len(word) >= SHORTEST_ALONE or _large(index, right)):
        yield _put(words, at, right)


def _known_but_wrong(index: Universe, words: Words) -> Iterator[Words]:
    """A word that other firms bear, where the rest of the name leaves one word alone: "Well Fargo".

    A plural for a singular counts even where it leaves more: "Cadence Designs".
    """
    for at, word in enumerate(words):
        if len(word) < SHORTEST_BESIDE or not word.isalpha():
            continue
        if all(w in lexicon().descriptors for w in (*words[:at], *words[at + 1 :])):
            continue
        beside = _beside(words, at, index)
        number = word[:-1] if word.endswith("s") else word + "s"
        if number in beside:
            yield _put(words, at, number)
            return
        if len(beside) != 1:
            continue
        right = nearest(word, beside)
        if right and abs(len(right) - len(word)) <= 1 and _one_letter(word, right):
            yield _put(words, at, right)
            return


def nearest(word: str, others: Iterable[str]) -> str | None:
    """The one of ``others`` that ``word`` is a misspelling of, where no other is about as near."""
    return _clear(word, _found(word, [other for other in others if other[0] == word[0]]))


def _found(word: str, others: Sequence[str]) -> list[tuple[str, int]]:
    """Those of ``others`` within reach of ``word``, or one letter beyond, with their distance, nearest first."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    if not others:
        return []
    found = process.extract(word, others, scorer=OSA.distance, score_cutoff=_most(word) + 1, limit=10)
    return [(other, int(distance)) for other, distance, _ in found]


def _most(word: str) -> int:
    return 2 if len(word) >= LONG else 1


def _clear(word: str, found: list[tuple[str, int]]) -> str | None:
    """The nearest, unless the next is as near, or not far where two letters are wrong."""
    if not found or not 0 < found[0][1] <= _most(word):
        return None
    right, wrong = found[0]
    if len(found) > 1 and (found[1][1] <= wrong or wrong == 2):
        return None
    return right if wrong == 1 or len(right) >= LONG else None


def _one_letter(word: str, right: str) -> bool:
    from rapidfuzz.distance import OSA

    return bool(OSA.distance(word, right, score_cutoff=1) == 1)


def _put(words: Words, at: int, right: str) -> Words:
    return (*words[:at], right, *words[at + 1 :])


def _large(index: Universe, word: str) -> bool:
    return len(word) >= SHORTEST and any(claim.firm < LARGEST for claim in index.full.get((word,), ()))


def _beside(words: Words, at: int, index: Universe) -> tuple[str, ...]:
    """The words that stand at ``at`` in names whose other words are those of ``words``."""
    found = index.beside.get((at, *words[:at], *words[at + 1 :]), ())
    return tuple(sorted(found)) if len(found) <= WIDEST else ()
