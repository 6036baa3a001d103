"""What was asked of models and what it cost, in words and as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

#: From here on a number of tokens is told in millions.
_MILLION = 1_000_000

#: What was spent on one model, as ``run.json`` has it: the ledger's sums, ``free``, ``price_as_of``, ``reused``.
Row = Mapping[str, Any]


def sentence(spent: Mapping[str, Row]) -> str:
    """What was asked of these models and what it cost; empty where there is none.

    What the store had is told where it is known (``reused``), which is not of a run with its resumptions. Requests
    that were turned away are those that a server refused for its rate: they are sent, and cost nothing.

    >>> tokens = {"reused": 3, "prompt_tokens": 1_234_567, "completion_tokens": 300, "price_as_of": "2026-10-14"}
    >>> told = sentence({"a/b": {"attempts": 12, "answered": 10, "cost": 3.214, **tokens}})
    >>> for part in told.split("; "):
    ...     print(part)
    Sent 12 requests, 10 of them answered
    3 answers were in the store
    1.23 million tokens in, 300 out
    $3.21 (prices as of 2026-10-14)
    """
    rows = list(spent.values())
    if not rows:
        return ""
    parts = [_requests(rows)]
    if any("reused" in row for row in rows):
        parts.append(f"{_counted(_sum(rows, 'reused'), 'answer')} in the store")
    if _sum(rows, "attempts") or _sum(rows, "answered"):
        tokens = (_number(_sum(rows, name)) for name in ("prompt_tokens", "completion_tokens"))
        parts.append("{} tokens in, {} out".format(*tokens))
    return "; ".join([*parts, *_money([row for row in rows if not row.get("free")])])


def spent_rows(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each model of a run with what it was asked and cost in all, the run's resumptions included."""
    spent = run.get("spent")
    if not isinstance(spent, Mapping):
        return []
    return [(str(model), sentence({model: row})) for model, row in spent.items() if isinstance(row, Mapping)]


def dollars(cost: float) -> str:
    """A sum of money: cents, or two figures that are not 0 of what is less than ten cents.

    >>> dollars(1234.567), dollars(0.000123), dollars(0)
    ('$1,234.57', '$0.00012', '$0')
    """
    if cost == 0:
        return "$0"
    return f"${cost:,.2f}" if cost >= 0.1 else f"${float(f'{cost:.2g}'):.10f}".rstrip("0")


def cost_of(rows: Iterable[Row]) -> str:
    """The cost of what was answered: known, partly known, or not."""
    listed = list(rows)
    cost, unknown = _sum(listed, "cost"), _sum(listed, "unpriced")
    if not unknown:
        # Where nothing was answered, nobody knows whether there is a price: what is not known is never $0.
        return "cost not known" if _sum(listed, "unestimated") > 0 and not cost else dollars(cost)
    if unknown >= _sum(listed, "answered"):
        return "cost not known"
    return f"{dollars(cost)} and what {_counted(unknown, 'answer', be=False)} cost, which is not known"


def possibly_of(rows: Iterable[Row]) -> str:
    """What attempts that brought no answer may have cost; empty where there is none."""
    listed = list(rows)
    attempts, possibly = _sum(listed, "possibly_billed"), _sum(listed, "possibly")
    if not attempts:
        return ""
    money = dollars(possibly) if possibly else "cost not known"
    return (
        f"{_counted(attempts, 'attempt', be=False)} without an answer may have been billed besides ({money})"
    )


def earlier(attempts: int, possibly: float, unpriced: int = 0) -> str:
    """What earlier sessions of a run may have been billed beside what they told: ``possibly`` US dollars.

    >>> earlier(1, 0.5), earlier(2, 0, unpriced=2)[-16:]
    ('1 attempt of earlier sessions may have been billed besides ($0.50)', '(cost not known)')
    """
    if unpriced >= attempts:
        money = "cost not known"
    else:
        money = dollars(possibly) + (
            f" and what {unpriced:,} of them cost, which is not known" if unpriced else ""
        )
    return f"{_counted(attempts, 'attempt', be=False)} of earlier sessions may have been billed besides ({money})"


def _requests(rows: list[Row]) -> str:
    away, answered = _sum(rows, "turned_away"), _sum(rows, "answered")
    sent, unreached = _sum(rows, "attempts") + away, _sum(rows, "unreachable")
    parts = []
    if answered > sent:
        parts.append(f"Harvested {_counted(answered - sent, 'answer', be=False)} of batches sent earlier")
    if sent or not parts:
        parts.append(f"{'sent' if parts else 'Sent'} {_counted(sent, 'request', be=False)}")
    if sent > answered:
        parts.append(f"{answered:,} of them answered")
    parts += [f"{away:,} turned away"] if away else []
    parts += [f"{_counted(unreached, 'attempt', be=False)} did not reach the server"] if unreached else []
    return ", ".join(parts)


def _money(rows: list[Row]) -> list[str]:
    if not (_sum(rows, "attempts") or _sum(rows, "answered")):
        return []
    days = sorted({str(row["price_as_of"]) for row in rows if row.get("price_as_of") and row.get("cost")})
    dated = f" (prices as of {', '.join(days)})" if days else ""
    return list(filter(None, [f"{cost_of(rows)}{dated}", under_way_of(rows), possibly_of(rows)]))


def under_way_of(rows: Iterable[Row]) -> str:
    """What waits in batches, which will be billed; empty where nothing does."""
    listed = list(rows)
    waiting, dear = _sum(listed, "under_way"), _sum(listed, "under_way_cost")
    if waiting <= 0:
        return ""
    money = f"about {dollars(dear)}" if dear > 0 else "cost not known"
    return f"{_counted(waiting, 'request', be=False)} under way ({money}): batches go on at the server and are billed"


def _sum(rows: Iterable[Row], name: str) -> Any:
    return sum(row.get(name) or 0 for row in rows)


def _counted(number: int, what: str, *, be: bool = True) -> str:
    """``1 answer was``, ``2 answers were``."""
    verb = (" was" if number == 1 else " were") if be else ""
    return f"{number:,} {what}{'' if number == 1 else 's'}{verb}"


def _number(tokens: int) -> str:
    return f"{tokens / _MILLION:,.3g} million" if tokens >= _MILLION else f"{tokens:,}"
