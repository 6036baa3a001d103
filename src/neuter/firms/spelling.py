"""Putting right a misspelt word of a name, where exactly one word of the universe is near it."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, lru_cache

from neuter.firms.names import Words
from neuter.firms.universe import universe

#: Words shorter than this are never corrected: one letter more or less makes another firm of Visa or Fox.
SHORTEST = 6
SHORTEST_ALONE = 7
#: The best correction must be this much nearer (normalised similarity) than the next one.
MARGIN = 0.05


def corrected(words: Words) -> Words | None:
    """``words`` with its one misspelt word put right, or None.

    A word that some firm's name holds is never taken for a misspelling: Vista is not Visa, Maple not Apple.
    Only one word may be wrong, by one letter added, left out, changed, or swapped with its neighbour, and
    its first letter must be right.
    """
    strange = [at for at, word in enumerate(words) if word not in universe().words]
    if len(strange) != 1:
        return None
    at = strange[0]
    if len(words) == 1 and len(words[at]) < SHORTEST_ALONE:
        return None
    right = _nearest(words[at])
    return None if right is None else (*words[:at], right, *words[at + 1 :])


@lru_cache(maxsize=200_000)
def _nearest(word: str) -> str | None:
    from rapidfuzz.distance import OSA

    if len(word) < SHORTEST or not word.isalpha():
        return None
    near = {other for form in (word, *_deletes(word)) for other in _by_deletes().get(form, ())}
    scored = sorted(
        (
            (OSA.normalized_similarity(word, o), o)
            for o in near
            if o[0] == word[0] and OSA.distance(word, o) == 1
        ),
        reverse=True,
    )
    if not scored or (len(scored) > 1 and scored[0][0] - scored[1][0] < MARGIN):
        return None
    return scored[0][1]


def _deletes(word: str) -> set[str]:
    return {word[:i] + word[i + 1 :] for i in range(len(word))}


@cache
def _by_deletes() -> dict[str, set[str]]:
    """Each word of the universe under itself and under itself with any one letter left out."""
    index: dict[str, set[str]] = defaultdict(set)
    for word in universe().words:
        if len(word) >= SHORTEST - 1 and word.isalpha():
            for form in (word, *_deletes(word)):
                index[form].add(word)
    return dict(index)
