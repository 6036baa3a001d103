"""Which firms hold a ticker or a name in a given month: claims are dated, and firms hand them on."""

from __future__ import annotations

from collections.abc import Iterable

from neuter.firms.universe import Claim

NOBODY: frozenset[int] = frozenset()


def chosen(claims: Iterable[Claim], month: int | None) -> frozenset[int]:
    """The firms with a claim in ``month``; else those nearest to it in time; without a month, the latest."""
    claims = [c for c in claims if month is None or not c.strict or c.first <= month <= c.last]
    if not claims:
        return NOBODY
    if month is None:
        latest = max(claim.last for claim in claims)
        return frozenset(claim.firm for claim in claims if claim.last == latest)
    away = {claim: _distance(claim, month) for claim in claims}
    nearest = min(away.values())
    return frozenset(claim.firm for claim, months in away.items() if months == nearest)


def _distance(claim: Claim, month: int) -> int:
    return max(claim.first - month, month - claim.last, 0)
