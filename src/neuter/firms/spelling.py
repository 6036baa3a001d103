"""Putting right a misspelt word of a name, where one word of the universe is near it and the next is far.

Only one word may be wrong. How wrong it may be depends on what else the guess says: a word among other right words
of one name may be short or known; a lone word must be long and in no firm's name: Vista is not a misspelt Visa.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from neuter.firms.index import Universe
from neuter.firms.names import Words, lexicon

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


def corrections(index: Universe, words: Words) -> Iterator[Words]:
    """``words`` put right, the likeliest reading first; nothing where none is near, or two are.

    The first letter of the wrong word must be right. Letters added, left out, changed or swapped with their
    neighbour count one each (optimal string alignment): one may be wrong, or two in a word of nine and more.
    """
    short_of_form = _without_misspelt_form(index, words)
    if short_of_form:
        yield short_of_form
    strange = [at for at, word in enumerate(words) if word not in index.words]
    if len(strange) == 1:
        yield from _in_place(index, words, strange[0])
    elif not strange and len(words) > 1:
        yield from _known_but_wrong(index, words)


def _without_misspelt_form(index: Universe, words: Words) -> Words | None:
    """``words`` without a last word that is a misspelt legal form: "Nvidia Corpration"."""
    if len(words) < 2 or words[-1] in index.words or len(words[-1]) < SHORTEST:
        return None
    return words[:-1] if nearest(words[-1], lexicon().long_legal) else None


def _in_place(index: Universe, words: Words, at: int) -> Iterator[Words]:
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
    right = _nearest_word(word, index)
    if right and (len(words) > 1 or len(word) >= SHORTEST_ALONE or _large(index, right)):
        yield _put(words, at, right)


def _known_but_wrong(index: Universe, words: Words) -> Iterator[Words]:
    """A word that other firms bear, where the rest of the name leaves one word alone: "Well Fargo"."""
    for at, word in enumerate(words):
        if len(word) < SHORTEST_BESIDE or not word.isalpha():
            continue
        beside = _beside(words, at, index)
        if len(beside) != 1 or all(w in lexicon().descriptors for w in (*words[:at], *words[at + 1 :])):
            continue
        right = nearest(word, beside)
        if right and abs(len(right) - len(word)) <= 1 and _one_letter(word, right):
            yield _put(words, at, right)
            return


def nearest(word: str, others: Iterable[str]) -> str | None:
    """The one of ``others`` that ``word`` is a misspelling of, where no other is about as near."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    most = 2 if len(word) >= LONG else 1
    alike = [other for other in others if other[0] == word[0] and abs(len(other) - len(word)) <= most + 1]
    if not alike:
        return None
    found = process.extract(word, alike, scorer=OSA.distance, score_cutoff=most + 1, limit=2)
    if not found or found[0][1] > most or found[0][1] == 0:
        return None
    if len(found) > 1 and found[1][1] <= found[0][1]:
        return None
    if len(found) > 1 and most == 2 and found[0][1] == 2:
        return None
    return str(found[0][0]) if _long_enough(word, str(found[0][0]), int(found[0][1])) else None


def _long_enough(word: str, right: str, wrong: int) -> bool:
    return wrong == 1 or min(len(word), len(right)) >= LONG


def _one_letter(word: str, right: str) -> bool:
    from rapidfuzz.distance import OSA

    return bool(OSA.distance(word, right, score_cutoff=1) == 1)


def _put(words: Words, at: int, right: str) -> Words:
    return (*words[:at], right, *words[at + 1 :])


def _large(index: Universe, word: str) -> bool:
    return len(word) >= SHORTEST and any(claim.firm < LARGEST for claim in index.full.get((word,), ()))


def _nearest_word(word: str, index: Universe) -> str | None:
    reach = 3 if len(word) >= LONG else 2
    lengths = range(len(word) - reach, len(word) + reach + 1)
    near = [other for n in lengths for other in index.vocabulary.get((word[0], n), ())]
    return nearest(word, near)


def _beside(words: Words, at: int, index: Universe) -> tuple[str, ...]:
    """The words that stand at ``at`` in names whose other words are those of ``words``."""
    found = index.beside.get((at, *words[:at], *words[at + 1 :]), ())
    return tuple(sorted(found)) if len(found) <= WIDEST else ()
