"""What a simulated model was made to know, in words, beside which its scores are to be held."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from neuter.models.simulated.names import is_simulated

if TYPE_CHECKING:
    from neuter.models.simulated.respondent import Respondent
    from neuter.suites.recall.suite import RecallSuite


def planted_note(model: str, suite: RecallSuite) -> Iterator[str]:
    """A note for a simulated model; none for another."""
    if not is_simulated(model):
        return
    from neuter.models.simulated.respondent import respondent_of

    made = respondent_of(model)
    known = [f"{made.values:.0%} of the values"]
    if suite.name == "headlines":
        known.append(f"{made.dates:.0%} of the dates of headlines")
    until = f" before its cutoff of {made.cutoff}" if made.cutoff else ""
    late = "" if made.late_noise is None else f" ({100 * made.late_noise:g}% from the cutoff on)"
    error = f"{100 * made.value_noise:g}%{late} (standard deviation)"
    yield (
        f"{model} was made to know exactly {' and '.join(known)}{until}; every other number is the truth with a "
        f"relative error of {error}; it refuses {made.refusals:.0%} of the questions and knows prices "
        f"{made.prices.replace('_', '-')}.{_told_to_forget(made) if suite.name == 'cutoff' else ''}"
    )


def _told_to_forget(made: Respondent) -> str:
    """How many questions it treats as unknown when a prompt tells it to."""
    system = made.compliance if made.system_compliance is None else made.system_compliance
    alone = "" if system == made.compliance else f" ({system:.0%} where the system message alone says so)"
    return (
        f" Told a cutoff, it takes {made.compliance:.0%} of what came later{alone} as it takes what came after its "
        f"own, and refuses {made.withholds:.0%} of that."
    )
