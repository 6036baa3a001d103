"""The recall suites' questions and contexts, each a data file with its paper and section, filled by named slots."""

from __future__ import annotations

from neuter.prompts.instruments import OURS as OURS
from neuter.prompts.instruments import Instrument as Instrument
from neuter.prompts.instruments import shipped_instrument, shipped_names

_PACKAGE = "recall"


def instrument(name: str) -> Instrument:
    """The instrument stored as ``prompts/recall/NAME.toml``.

    Raises:
        UsageError: no such instrument ships.
    """
    return shipped_instrument(_PACKAGE, name)


def instrument_names() -> tuple[str, ...]:
    """Every instrument that ships, in the order of the alphabet."""
    return shipped_names(_PACKAGE)
