"""A seeded sample that keeps the shares of the size groups."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

Known = tuple["str | None", "float | None"]  # size and market cap of a document


def stratified(documents: Sequence[Known], size: int, seed: int) -> frozenset[int]:
    """Which ``size`` of the documents (by position) a sample takes.

    Strata are the ``size`` groups where any document has one, else thirds by market cap within the corpus;
    documents of unknown size are a stratum too. Seats go by largest remainder (Hamilton's method).
    """
    strata: dict[str, list[int]] = {}
    for at, stratum in enumerate(_strata(documents)):
        strata.setdefault(stratum, []).append(at)
    seats = largest_remainder({name: len(members) for name, members in strata.items()}, size)
    return frozenset(
        at
        for name, members in strata.items()
        for at in random.Random(f"{seed}:{name}").sample(members, seats[name])  # noqa: S311 - not for secrets
    )


def largest_remainder(counts: Mapping[str, int], seats: int) -> dict[str, int]:
    """``seats`` in proportion to ``counts``: whole parts first, the rest to the largest remainders.

    >>> largest_remainder({"Large": 50, "Mid": 30, "Small": 20}, 7)
    {'Large': 4, 'Mid': 2, 'Small': 1}
    """
    total = sum(counts.values())
    if not total:
        return dict.fromkeys(counts, 0)
    seats = min(seats, total)
    given = {name: seats * count // total for name, count in counts.items()}
    by_remainder = sorted(counts, key=lambda name: -(seats * counts[name] % total))
    for name in by_remainder[: seats - sum(given.values())]:
        given[name] += 1
    return given


def _strata(documents: Sequence[Known]) -> list[str]:
    if any(size for size, _ in documents):
        return [size or "unknown" for size, _ in documents]
    caps = sorted(cap for _, cap in documents if cap is not None)
    if not caps:
        return ["all"] * len(documents)
    low, high = caps[len(caps) // 3], caps[2 * len(caps) // 3]
    return [_third(cap, low, high) for _, cap in documents]


def _third(cap: float | None, low: float, high: float) -> str:
    if cap is None:
        return "unknown"
    return "small" if cap < low else "mid" if cap < high else "large"
