"""What a model's tokens cost: dated list prices that ship (``prices.toml``), and the user's own on top."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from neuter.models.configuration import tables
from neuter.models.own_prices import check_model, checked
from neuter.models.providers import EMBEDDED, load_providers

#: Prices are for so many tokens.
TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class Tier:
    """The prices of a request whose prompt has more than ``above`` tokens: for all of its tokens."""

    above: int
    input: float
    output: float
    cached_input: float | None = None
    batch_cached_input: float | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """List prices of a model in US dollars for a million tokens.

    ``cached_input`` is None where the provider gives no discount on a prompt that it has seen. A batch costs
    ``batch_share`` of the online price (1.0: no discount is known); ``batch_cached_input`` is ``cached_input`` there
    (None: a cached token costs what any other does). ``as_of`` is the day for which ``source`` has these prices.
    """

    input: float
    output: float
    cached_input: float | None = None
    batch_share: float = 1.0
    as_of: date | None = None
    source: str = ""
    batch_cached_input: float | None = None
    tiers: tuple[Tier, ...] = ()

    def cost(
        self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0, *, batch: bool = False
    ) -> float:
        """US dollars for one request; for one request, because a long prompt may have prices of its own.

        ``prompt_tokens`` include ``cached_tokens`` and ``completion_tokens`` include those of reasoning, as in the
        usage that a server sends. More cached tokens than prompt tokens count as all of them.

        >>> Price(input=2.5, output=10.0, cached_input=1.25).cost(1_000_000, 100_000, 400_000)
        3.0

        Raises:
            ValueError: a count is below 0.
        """
        if min(prompt_tokens, completion_tokens, cached_tokens) < 0:
            raise ValueError(
                f"token counts below 0: prompt {prompt_tokens}, completion {completion_tokens}, cached {cached_tokens}"
            )
        rates, share = self._rates(prompt_tokens), self.batch_share if batch else 1.0
        cached_rate = rates.batch_cached_input if batch else rates.cached_input
        if cached_rate is None:
            cached_rate = rates.input * share
        cached = min(cached_tokens, prompt_tokens)
        full = (prompt_tokens - cached) * rates.input + completion_tokens * rates.output
        return (full * share + cached * cached_rate) / TOKENS

    def _rates(self, prompt_tokens: int) -> Price | Tier:
        reached = [tier for tier in self.tiers if prompt_tokens > tier.above]
        return max(reached, key=lambda tier: tier.above) if reached else self


#: Models inside the process: no call leaves it.
FREE = Price(input=0.0, output=0.0, source="inside the process")


def price_of(model: str, config: Path | None = None) -> Price | None:
    """The price of ``PROVIDER/NAME``: the user's own, else the one that ships. None: not known; never a guess.

    The shipped prices are those of the provider's own address: a model that ``neuter.toml`` or ``OPENAI_BASE_URL``
    sends to another server has a price only if the user gives one.

    Raises:
        UsageError: a price in ``neuter.toml`` is malformed; the message names file and table.
    """
    if model.partition("/")[0] in EMBEDDED:
        return FREE
    own: Price | None = None
    for file, name, table in tables("prices", config):
        where = f'{file}: [prices."{name}"]'
        check_model(name, where)
        values = checked(table, where)
        if name == model:
            own = Price(**{"source": str(file), **values})
    if own is not None:
        return own
    return _shipped().get(model) if _is_at_home(model, config) else None


def known_prices() -> Mapping[str, Price]:
    """The prices that ship, by model."""
    return dict(_shipped())


def _is_at_home(model: str, config: Path | None) -> bool:
    """Whether the model's provider, where it is configured, is at the address that the shipped prices are of."""
    name = model.partition("/")[0]
    provider = load_providers(config).get(name)
    if provider is None or provider.base_url is None:
        return True
    return urlsplit(provider.base_url).hostname in _raw()["hosts"].get(name, ())


@cache
def _raw() -> dict[str, Any]:
    return tomllib.loads((files("neuter.models") / "prices.toml").read_text(encoding="utf-8"))


@cache
def _shipped() -> dict[str, Price]:
    prices: dict[str, Price] = {}
    for listed in _raw()["lists"]:
        common = {key: listed[key] for key in ("batch_share", "as_of", "source") if key in listed}
        for name, entry in listed["models"].items():
            values = {**common, **entry}
            tiers = tuple(Tier(**tier) for tier in values.pop("tiers", ()))
            prices[f"{listed['provider']}/{name}"] = Price(**values, tiers=tiers)
    return prices
