"""Which firms hold a ticker or a name in a given month: claims are dated, and firms hand them on."""

from __future__ import annotations

from collections.abc import Sequence

from neuter.firms.index import Claim

#: Firms by their place in the universe, best first.
Firms = tuple[int, ...]
NOBODY: Firms = ()


def chosen(claims: Sequence[Claim], month: int | None) -> Firms:
    """The firms with a claim in ``month``; else those nearest to it in time; without a month, the latest.

    Names that a firm has borne come before aliases, then the larger firm before the smaller one.
    """
    if len(claims) == 1 and not claims[0].strict:
        return (claims[0].firm,)
    claims = [c for c in claims if month is None or not c.strict or covers(c, month)]
    if not claims:
        return NOBODY
    if month is None:
        latest = max(claim.last for claim in claims)
        return _ordered([claim for claim in claims if claim.last == latest])
    away = [_distance(claim, month) for claim in claims]
    nearest = min(away)
    return _ordered([claim for claim, months in zip(claims, away, strict=True) if months == nearest])


def covers(claim: Claim, month: int) -> bool:
    return claim.first <= month <= claim.last


def _ordered(claims: list[Claim]) -> Firms:
    ranked = sorted(claims, key=lambda claim: (claim.alias, claim.firm))
    return tuple(dict.fromkeys(claim.firm for claim in ranked))


def _distance(claim: Claim, month: int) -> int:
    return max(claim.first - month, month - claim.last, 0)
