"""Which documents a report shows: a seeded draw, stratified by size, of those that most attackers saw."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neuter.types import Document


def choose(truths: Mapping[str, Document], guessed: Iterable[str], limit: int, seed: int | None) -> list[str]:
    """``limit`` ids of ``truths`` at most, in their order, each size with its share of them.

    Args:
        truths: documents by id, in corpus order.
        guessed: the id of every guess, once for each guess; documents with more of them are preferred.
        limit: how many to choose.
        seed: of the draw among equals.
    """
    if len(truths) <= limit:
        return list(truths)
    seen = Counter(guessed)
    draw = random.Random(f"report:{seed}")  # noqa: S311 (a choice of what to show, no secret)
    strata: dict[str, list[str]] = {}
    for id_, truth in truths.items():
        strata.setdefault(truth.size or "", []).append(id_)
    quotas = shares({size: len(ids) for size, ids in strata.items()}, limit)
    chosen: set[str] = set()
    for size in sorted(strata):
        mixed = draw.sample(strata[size], len(strata[size]))
        chosen.update(sorted(mixed, key=lambda id_: -seen[id_])[: quotas[size]])
    return [id_ for id_ in truths if id_ in chosen]


def shares(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """``total`` divided in proportion to ``sizes`` by largest remainders (Hamilton's method).

    >>> shares({"Large": 50, "Mid": 30, "Small": 20}, 7)
    {'Large': 4, 'Mid': 2, 'Small': 1}
    """
    whole = sum(sizes.values())
    quotas = {name: total * size // whole for name, size in sizes.items()}
    remainders = sorted(sizes, key=lambda name: (-(total * sizes[name] % whole), name))
    for name in remainders[: total - sum(quotas.values())]:
        quotas[name] += 1
    return quotas
