"""What a question asks for: its kind, its unit and what counts as a refusal. Parsing guesses none of these."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal

from neuter.errors import UsageError
from neuter.types import Outcome

Kind = Literal["number", "percent", "probability", "date", "direction", "choice"]
#: The units of each kind; the first is taken where none is given. The number is what one of it is worth.
UNITS: dict[str, dict[str, Decimal]] = {
    "number": {
        "ones": Decimal(1),
        "thousands": Decimal(1000),
        "millions": Decimal(1_000_000),
        "billions": Decimal(1_000_000_000),
    },
    "percent": {"percent": Decimal("0.01"), "share": Decimal(1), "basis points": Decimal("0.0001")},
    "probability": {"share": Decimal(1), "percent": Decimal("0.01")},
    "date": {},
    "direction": {},
    "choice": {},
}


@dataclass(frozen=True, slots=True)
class Question:
    """What an answer is read as.

    kind
        ``number``, ``percent``, ``probability``, ``date``, ``direction`` (up or down) or ``choice``.
    unit
        What a plain number means, and the unit of the value returned. ``number``: ``ones`` (the default),
        ``thousands``, ``millions``, ``billions``; ``percent``: ``percent``, ``share``, ``basis points``. A unit
        in the answer ("4.2 billion", "60%") is converted. ``probability``: ``share`` or ``percent`` say what a plain
        number means; the value returned is always within 0 and 1.
    ones_from
        ``number`` only: a plain number of at least this size was given in ones (payrolls are asked for in thousands,
        and -524,000 is -524). None: never.
    fields
        Names of the field that holds the answer, best first, and behind them "answer"; empty: the usual ones of
        the kind (``words.toml``).
    choices, aliases
        ``choice`` only: the names to choose from, and (other name, name) pairs.
    zero_is_refusal, null_is_refusal
        "Refusals are the number of instances in which the model withheld a prediction by either answering 'null'
        or 0" (The Memorization Problem, notes of Tables 1, 4 and 5).
    low, high
        What lies outside of these bounds (inclusive, in the question's unit) is no answer.
    asked
        The prompt as sent: in a sentence without a label, its numbers and dates are not taken for the answer.
    """

    kind: Kind
    unit: str = ""
    ones_from: float | None = None
    fields: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    zero_is_refusal: bool = False
    null_is_refusal: bool = True
    low: float | None = None
    high: float | None = None
    asked: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """Raises UsageError where the parts do not belong together."""
        if self.kind not in UNITS:
            raise _wrong(f"no kind of question: {self.kind!r}", f"Give one of {', '.join(UNITS)}")
        if self.unit and self.unit not in UNITS[self.kind]:
            known = ", ".join(UNITS[self.kind]) or "none"
            raise _wrong(f"{self.unit!r} is no unit of a {self.kind}", f"Units of it: {known}")
        if (self.kind == "choice") != bool(self.choices):
            raise _wrong(
                "choices belong to the kind choice, and it needs them", "Give choices=(...) or another kind"
            )
        strange = {name for _, name in self.aliases} - set(self.choices)
        if strange:
            raise _wrong(f"aliases of what is no choice: {', '.join(sorted(strange))}", "Correct the aliases")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise _wrong(f"low {self.low} is above high {self.high}", "Swap them")

    @property
    def worth(self) -> Decimal:
        """What one of the question's unit is worth (UNITS)."""
        units = UNITS[self.kind]
        return units[self.unit] if self.unit else next(iter(units.values()))


@dataclass(frozen=True, slots=True)
class Parsed:
    """What an answer says.

    ``value`` is None unless ``outcome`` is ANSWERED: a float in the question's unit, "up" or "down", one of the
    choices, or a date. ``confidence`` is within 0 and 100 as the papers' prompts ask, None where there is none.
    ``evidence`` is the part of the answer that holds the value, ``reason`` says why there is none.
    """

    outcome: Outcome
    value: float | str | date | None = None
    confidence: float | None = None
    evidence: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one place in an answer was read as. ``found`` is False where nothing there looks like an answer."""

    value: float | str | date | None = None
    evidence: str = ""
    reason: str = ""
    found: bool = True
    refusal: bool = False


NOTHING = Reading(reason="no answer was found", found=False)


def unread(reason: str) -> Reading:
    """Something is there, and it is no answer."""
    return Reading(reason=reason)


def _wrong(what: str, todo: str) -> UsageError:
    return UsageError(what, where="Question", todo=todo)
