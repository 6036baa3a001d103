"""What a run would ask of models and what that would cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from neuter.api import asking
from neuter.api.asked_models import check_names, masker_of
from neuter.suites.estimating import ANSWER_TOKENS, requests_of
from neuter.suites.plan import Plan

_ASSUMED = (
    f"Tokens out are assumed: {ANSWER_TOKENS} for a guess, as many as the text has for a masked text. What a "
    "reasoning model thinks is billed as tokens out too, and is not in here."
)
_SUMMED = ("requests", "prompt_tokens", "completion_tokens")


def estimate(arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Requests, tokens and cost for each scheme and attacker that asks a model; answers in the store come off that.

    Args:
        arguments: those of ``neuter evaluate``: corpus, reading, schemes, attackers, models, masker, model_sample,
            config.

    Returns:
        rows as of :func:`priced`.

    Raises:
        UsageError, ModelError: a name that means no model, a simulated model that is to mask, or a malformed price.
    """
    from neuter.api.evaluating import DEFAULT_SCHEMES, choose

    named = (*asking.several(arguments.get("models")), *asking.several(arguments.get("masker")))
    config = asking.path(arguments.get("config"))
    check_names(named, config)
    models, attackers, _ = choose(arguments.get("attackers"), arguments.get("models") or ())
    schemes = asking.schemes(arguments.get("schemes") or DEFAULT_SCHEMES)
    plan = Plan(
        corpus=asking.a_corpus(arguments["corpus"], **arguments.get("reading", {})),
        schemes=schemes,
        attackers=asking.attackers(attackers),
        models=models,
        masker=masker_of(schemes, arguments.get("masker"), models),
        model_sample=arguments.get("model_sample"),
    )
    return priced(requests_of(plan), config)


def priced(rows: Iterable[Mapping[str, Any]], config: Path | None = None) -> list[dict[str, Any]]:
    """The rows of a suite's ``requests`` with what they cost; rows that have a cost are left alone.

    Returns:
        dicts with what, model, requests, prompt_tokens, completion_tokens, tokens_are (in words), cost and batch_cost
        (US dollars of all requests together, online and as a batch; None where no price is known), price_as_of (a
        date) and price_source.

    Raises:
        UsageError: a malformed price in ``neuter.toml``.
    """
    return [dict(row) if "cost" in row else _priced(row, config) for row in rows]


def total_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The sums over priced rows. A cost is None where one of them is; ``known_cost`` is the sum of the others."""
    return {
        **{key: sum(row[key] for row in rows) for key in _SUMMED},
        "cost": _sum([row["cost"] for row in rows]),
        "batch_cost": _sum([row["batch_cost"] for row in rows]),
        "known_cost": sum(row["cost"] for row in rows if row["cost"] is not None),
    }


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def notes_on(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a reader of priced rows must know, in sentences."""
    if not rows:
        return []
    return [
        *_counted(rows),
        *dict.fromkeys(str(row.get("assumed") or _ASSUMED) for row in rows),
        *_dated(rows),
        *_unpriced(rows),
        *_as_a_batch(rows),
        "Answers that the store has already are not paid again; attempts that a server bills without an answer come on "
        "top.",
    ]


def _priced(row: Mapping[str, Any], config: Path | None) -> dict[str, Any]:
    from neuter.models.prices import price_of

    shown = _complete({key: value for key, value in row.items() if key != "sizes"})
    price = price_of(shown["model"], config) if shown["model"] else None
    sizes = row.get("sizes") or _mean_size(shown)
    if price is None or (price.tiers and not row.get("sizes")):
        return {**shown, "cost": None, "batch_cost": None, "price_as_of": None, "price_source": None}
    share = shown["requests"] / len(sizes)
    online, batch = (
        share * sum(price.cost(round(prompt), round(answer), batch=as_batch) for prompt, answer in sizes)
        for as_batch in (False, True)
    )
    return {
        **shown,
        "cost": online,
        "batch_cost": batch,
        "price_as_of": price.as_of,
        "price_source": price.source,
    }


def _complete(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with every key: a suite of the user's own may tell only what, model, requests and tokens."""
    told = {
        "prompt_tokens": row.get("tokens") or 0,
        "completion_tokens": 0,
        "tokens_are": "as the suite says",
    }
    return {"what": "", "model": None, "requests": 0, **told, **row}


def _mean_size(row: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Of a row that does not tell each request's size; no price that depends on a prompt's length can follow."""
    requests = row["requests"] or 1
    return [(row["prompt_tokens"] / requests, row["completion_tokens"] / requests)]


def _counted(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """How tokens in were counted, once for each way."""
    ways: dict[str, list[str]] = {}
    for row in rows:
        models = ways.setdefault(row["tokens_are"], [])
        if row["model"] not in (None, *models):
            models.append(row["model"])
    return [
        f"Tokens in{f' of {_joined(models)}' if models and len(ways) > 1 else ''}: {way}."
        for way, models in ways.items()
    ]


def _dated(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    dated = {(row["price_as_of"], row["price_source"]) for row in rows if row["cost"]}
    return [
        f"Prices {f'as of {day}' if day else 'without a date'}, in US dollars: {source}."
        for day, source in sorted(dated, key=str)
    ]


def _unpriced(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    unknown = dict.fromkeys(row["model"] for row in rows if row["cost"] is None and row["model"])
    if not unknown:
        return []
    first = next(iter(unknown))
    return [
        f"No price is known of {_joined(unknown)}: the cost is unknown, not 0. Give one in neuter.toml, in US dollars "
        f'for a million tokens: [prices."{first}"] with input = ... and output = ...'
    ]


def _as_a_batch(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    online, batch = (_sum([row[key] for row in rows]) for key in ("cost", "batch_cost"))
    if online is None or batch is None or batch >= online:
        return []
    return [f"As a batch, where the server takes one: {dollars(batch)}."]


def dollars(cost: float | None) -> str:
    """A sum of money for a reader; ``unknown`` where it is."""
    from neuter.reports.money import dollars as known

    return "unknown" if cost is None else known(cost)


def _joined(names: Iterable[str]) -> str:
    return ", ".join(names)
