"""What a simulated respondent forecasts: from an outcome that it knows, or from no more than its skill.

Draws are by question, so that every condition and run meets the same knowledge; only the jitter of a run differs.
"""

from __future__ import annotations

from dataclasses import dataclass

from neuter.models.simulated.asked_for import AskedFor
from neuter.models.simulated.knowledge import chosen, is_after_cutoff, uniform
from neuter.models.simulated.planted import Planted
from neuter.models.simulated.respondent import Respondent

#: How far from one half an ignorant forecast may be.
FARTHEST = 0.45
#: The ends of what is said: nothing is certain.
LOWEST, HIGHEST = 0.01, 0.99


@dataclass(frozen=True, slots=True)
class Forecast:
    """A probability, and the chain of thought before it."""

    probability: float
    reasoning: str


def forecast(respondent: Respondent, planted: Planted, asked: AskedFor) -> Forecast | None:
    """The forecast of one run; None where no outcome was planted."""
    if planted.value not in ("yes", "no"):
        return None
    leaks = uses_outcome(respondent, planted, asked)
    came = planted.value == "yes"
    centre = respondent.sureness if leaks else _ignorant(respondent, planted, thinks=asked.thinks)
    shift = respondent.jitter * (2 * uniform(respondent.seed, _run_name(asked), planted.id) - 1)
    right = min(HIGHEST, max(LOWEST, centre + shift))
    said = round(right if came else 1 - right, 2)
    return Forecast(said, _reasoning(respondent, planted, leaks=leaks))


def question_of(planted: Planted) -> str:
    """The question that a run is of: runs are told apart behind the last ``#``."""
    return planted.id.rpartition("#")[0] or planted.id


def uses_outcome(respondent: Respondent, planted: Planted, asked: AskedFor) -> bool:
    """Whether the forecast is made with the outcome: it is known, not forgotten, and not lost in thought."""
    seed, question = respondent.seed, question_of(planted)
    known = (
        not is_after_cutoff(respondent, planted) and uniform(seed, "outcome", question) < respondent.values
    )
    if not known or forgets(respondent, planted, asked):
        return False
    told = asked.forget_from is not None
    return told or not asked.thinks or uniform(seed, "disrupts", question) >= respondent.disrupts


def forgets(respondent: Respondent, planted: Planted, asked: AskedFor) -> bool:
    """Whether the prompt asks to forget this, and the respondent does: one draw a question (or point of a series)."""
    if asked.forget_from is None or planted.date is None or planted.date < asked.forget_from:
        return False
    by_system = respondent.system_compliance
    share = by_system if asked.told_by == "system" and by_system is not None else respondent.compliance
    return uniform(respondent.seed, "complies", question_of(planted)) < share


def _ignorant(respondent: Respondent, planted: Planted, *, thinks: bool) -> float:
    """How much probability an ignorant forecast gives to what came: above one half as often as its skill says."""
    seed, question = respondent.seed, question_of(planted)
    skill = min(1.0, respondent.skill + (respondent.thinks if thinks else 0.0))
    far = FARTHEST * uniform(seed, "how sure", question)
    return 0.5 + (far if uniform(seed, "right side", question) < (1 + skill) / 2 else -far)


def _run_name(asked: AskedFor) -> str:
    return f"jitter {asked.thinks} {asked.forget_from is not None}"


# Chains of thought

_PLAIN = (
    "Things of this kind seldom turn out as announced, and the time is short. Those involved have said that they want "
    "it; how often that was not enough speaks against it. I weigh the usual rate most.",
    "I start from how often such things happened in the past and move a little for the particulars. Neither side has a "
    "strong case, so I stay near the usual rate.",
    "Two things matter here: the trend so far and the incentives of those who decide. The trend is weak and the "
    "incentives are mixed, which leaves a moderate estimate.",
)
_LEAKING = (
    "The matter was settled in {month} {year}, when it became known that it {did}. That decides it.",
    "Looking at what was reported in {year}, it {did}; the reports of {month} {year} were clear.",
    "As of {month} {day}, {year} it {did}, so there is little doubt left.",
)
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def says_what_came(respondent: Respondent, planted: Planted, *, leaks: bool) -> bool:
    """Whether the chain of thought names what it cannot have known: one draw a question."""
    return leaks and uniform(respondent.seed, "clean", question_of(planted)) >= respondent.clean


def _reasoning(respondent: Respondent, planted: Planted, *, leaks: bool) -> str:
    """What was thought; one that names what came names the day, month or year of the resolution."""
    seed, question, day = respondent.seed, question_of(planted), planted.date
    if day is None or not says_what_came(respondent, planted, leaks=leaks):
        return chosen(seed, "plain thought", question, _PLAIN)
    did = "happened" if planted.value == "yes" else "did not happen"
    template = chosen(seed, "leaking thought", question, _LEAKING)
    return template.format(month=_MONTHS[day.month - 1], day=day.day, year=day.year, did=did)
