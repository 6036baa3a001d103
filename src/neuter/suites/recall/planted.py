"""What a simulated model was made to know, in words, beside which its scores are to be held."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from neuter.models.simulated.names import is_simulated

if TYPE_CHECKING:
    from neuter.suites.recall.suite import RecallSuite


def planted_note(model: str, suite: RecallSuite) -> Iterator[str]:
    """A note for a simulated model; none for another."""
    if not is_simulated(model) or not suite.asks:
        return
    from neuter.models.simulated.respondent import respondent_of

    made = respondent_of(model)
    shares = [
        f"{made.values:.0%} of the values before its cutoff exactly",
        f"the others with a relative error of {100 * made.value_noise:g}% (standard deviation)",
        f"{made.refusals:.0%} of the answers refused",
    ]
    told = f", and {made.dates:.0%} of the dates of headlines" if suite.name == "headlines" else ""
    cutoff = f", cutoff {made.cutoff}" if made.cutoff else ", no cutoff"
    yield f"{model} was made to know {', '.join(shares)}{told}{cutoff}; prices {made.prices.replace('_', '-')}."
