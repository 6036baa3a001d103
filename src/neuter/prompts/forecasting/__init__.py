"""What a forecaster is asked: one data file for each condition of Simulated Ignorance Fails, all of them ours.

The paper prints none of its prompts (section 3.4 says what they cross). ``direct`` is G1, ``reasoning`` G2,
``direct_cutoff`` G1′ and ``reasoning_cutoff`` G2′; ``background`` and ``criteria`` are the parts of a question that may
be left out, ``judge`` asks another model about a chain of thought.
"""

from __future__ import annotations

from neuter.prompts.instruments import Instrument, shipped_instrument, shipped_names

_PACKAGE = "forecasting"


def instrument(name: str) -> Instrument:
    """The instrument stored as ``prompts/forecasting/NAME.toml``.

    Raises:
        UsageError: no such instrument ships.
    """
    return shipped_instrument(_PACKAGE, name)


def instrument_names() -> tuple[str, ...]:
    """Every instrument that ships, in the order of the alphabet."""
    return shipped_names(_PACKAGE)
