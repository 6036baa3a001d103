"""What a simulated respondent says of a document: draws from its planted knowledge, each a function of its own name.

A draw depends on the seed, on what is drawn, and on the firm or the document: not on the order of requests, on other
documents or on threads. Draws do not depend on the settings either, so a respondent with ``firms=0.6`` knows every
firm that one with ``firms=0.5`` knows.
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import accumulate
from statistics import NormalDist
from typing import TypeVar

from neuter.models.simulated.planted import Planted
from neuter.models.simulated.respondent import MOST_YEARS_OFF, Respondent, WrongFirm, wrong_firms

_T = TypeVar("_T")


def uniform(seed: int, what: str, key: str) -> float:
    """A number in [0, 1), the same for the same seed, subject and key."""
    told = f"{seed}\0{what}\0{key}".encode("utf-8", "surrogatepass")
    return (int.from_bytes(hashlib.blake2b(told, digest_size=8).digest(), "big") >> 11) / (1 << 53)


def chosen(seed: int, what: str, key: str, among: Sequence[_T]) -> _T:
    """One of ``among``, each with the same chance."""
    return among[int(uniform(seed, what, key) * len(among))]


@dataclass(frozen=True, slots=True)
class Said:
    """What a respondent says: firm and industry, and how likely it is to be right about the firm."""

    firm: str
    industry: str
    chance: float


def is_after_cutoff(respondent: Respondent, planted: Planted) -> bool:
    """Whether the document is of the cutoff's day or later; one without a date is not."""
    cutoff, day = respondent.cutoff, planted.date
    return cutoff is not None and day is not None and day >= cutoff


# Firms


def firm_share(respondent: Respondent, planted: Planted) -> float:
    """The probability that the document's firm is known."""
    if is_after_cutoff(respondent, planted) or not (planted.ticker or planted.firm):
        return 0.0
    by_size = {"Large": respondent.large, "Mid": respondent.mid, "Small": respondent.small}
    share = by_size.get(planted.size or "")
    return respondent.firms if share is None else share


def luck(respondent: Respondent, planted: Planted) -> float:
    """The probability that the firm is found where it is not known."""
    able = (planted.ticker or planted.firm) and not is_after_cutoff(respondent, planted)
    return respondent.lucky if able else 0.0


def knows_firm(respondent: Respondent, planted: Planted) -> bool:
    """Whether the document's firm is known: one draw a firm."""
    return uniform(respondent.seed, "firm", planted.cluster) < firm_share(respondent, planted)


def said_firm(respondent: Respondent, planted: Planted) -> Said:
    """The firm that it names: the ticker where there is one (the prompt asks for it), else the name."""
    known = knows_firm(respondent, planted)
    chance = 1 - respondent.slips if known else luck(respondent, planted)
    if uniform(respondent.seed, "slip" if known else "luck", planted.id) < chance:
        return Said(planted.ticker or planted.firm or "", planted.sector or "Diversified", chance)
    wrong = chosen(respondent.seed, "wrong firm", planted.id, others(planted))
    return Said(wrong.ticker, wrong.industry, chance)


def others(planted: Planted) -> tuple[WrongFirm, ...]:
    """The firms of the fixed list that are not the document's own."""
    ticker = (planted.ticker or "").upper()
    return tuple(wrong for wrong in wrong_firms() if planted.label != wrong.label and ticker != wrong.ticker)


# Years and quarters


def believed(respondent: Respondent, planted: Planted) -> tuple[int, int | None] | None:
    """Year and quarter under the respondent's reading; under another where the document has none of that."""
    readings = {
        "fiscal": (planted.fiscal_year, planted.fiscal_quarter),
        "calendar": (planted.calendar_year, planted.calendar_quarter),
        "call": (planted.call_year, planted.call_quarter),
    }
    for reading in (respondent.reading, "fiscal", "call"):
        year, quarter = readings[reading]
        if year is not None:
            return year, quarter
    return None


def year_share(respondent: Respondent, planted: Planted) -> float:
    """The probability that the document's year is known."""
    return 0.0 if is_after_cutoff(respondent, planted) else respondent.years


def early_share(respondent: Respondent, planted: Planted) -> float:
    """The share of wrong years that are too early; all, from the cutoff on."""
    return 1.0 if is_after_cutoff(respondent, planted) else respondent.early


def knows_year(respondent: Respondent, planted: Planted) -> bool:
    """Whether the document's year is known: its firm's draw with probability √correlation, else its own."""
    seed = respondent.seed
    follows = uniform(seed, "follows its firm", planted.id) < math.sqrt(respondent.correlation)
    draw = uniform(seed, "firm's year", planted.cluster) if follows else uniform(seed, "year", planted.id)
    return draw < year_share(respondent, planted)


def years_off(respondent: Respondent, planted: Planted) -> int:
    """How far off a wrong year is: 1 to 21 years, too early or too late."""
    seed, id_ = respondent.seed, planted.id
    off = 1 + bisect_right(_cumulative(respondent.noise), uniform(seed, "years off", id_))
    early = uniform(seed, "early", id_) < early_share(respondent, planted)
    return -off if early else off


def said_period(respondent: Respondent, planted: Planted) -> tuple[int, int] | None:
    """Year and quarter that it names; None where the document has neither period nor date."""
    truth = believed(respondent, planted)
    if truth is None:
        return None
    year, quarter = truth
    seed, id_ = respondent.seed, planted.id
    if not knows_year(respondent, planted):
        return year + years_off(respondent, planted), chosen(seed, "any quarter", id_, (1, 2, 3, 4))
    if quarter is None:
        return year, chosen(seed, "any quarter", id_, (1, 2, 3, 4))
    if uniform(seed, "quarter", id_) < respondent.quarters:
        return year, quarter
    return year, chosen(seed, "wrong quarter", id_, [q for q in (1, 2, 3, 4) if q != quarter])


@lru_cache(maxsize=256)
def off_chances(noise: float) -> tuple[float, ...]:
    """The chance of each number of years off, from 1: one more than a binomial of 20, with mean ``noise``."""
    most = MOST_YEARS_OFF - 1
    share = (noise - 1) / most
    return tuple(math.comb(most, k) * share**k * (1 - share) ** (most - k) for k in range(most + 1))


@lru_cache(maxsize=256)
def _cumulative(noise: float) -> tuple[float, ...]:
    """All but the last sum, which is 1 but for rounding."""
    return tuple(accumulate(off_chances(noise)))[:-1]


# Dates


def date_share(respondent: Respondent, planted: Planted) -> float:
    """The probability that the exact date is known."""
    return 0.0 if planted.date is None or is_after_cutoff(respondent, planted) else respondent.dates


def said_date(respondent: Respondent, planted: Planted) -> date | None:
    """The date that it names: the right one, else another day of the right year, else a day of a wrong year."""
    true = planted.date
    if true is None:
        return None
    seed, id_ = respondent.seed, planted.id
    if uniform(seed, "date", id_) < date_share(respondent, planted):
        return true
    if not knows_year(respondent, planted):
        year = min(max(true.year + years_off(respondent, planted), date.min.year), date.max.year)
        return chosen(seed, "any day", id_, days_of(year))
    return chosen(seed, "other day", id_, [day for day in days_of(true.year) if day != true])


@lru_cache(maxsize=256)
def days_of(year: int) -> tuple[date, ...]:
    """Every day of a year."""
    first = date(year, 1, 1)
    return tuple(first + timedelta(days=n) for n in range((date(year, 12, 31) - first).days + 1))


# Values


def knows_value(respondent: Respondent, planted: Planted) -> bool:
    """Whether the number (or word) is known."""
    share = 0.0 if is_after_cutoff(respondent, planted) else respondent.values
    return uniform(respondent.seed, "value", planted.id) < share


def believed_value(respondent: Respondent, planted: Planted) -> float | None:
    """The number that it takes for true: by the other reading of the data where that is the one it knows."""
    if planted.other is not None and planted.other_reading in (respondent.prices, respondent.vintage):
        return planted.other
    return planted.value if isinstance(planted.value, int | float) else None


def noise_of(respondent: Respondent, planted: Planted) -> float:
    """The relative standard deviation of a number that is not known."""
    late = respondent.late_noise
    return late if late is not None and is_after_cutoff(respondent, planted) else respondent.value_noise


def said_value(respondent: Respondent, planted: Planted) -> float | None:
    """The number that it gives: the true one, or that one with normal noise, and then never the true one."""
    true = believed_value(respondent, planted)
    if true is None:
        return None
    if knows_value(respondent, planted):
        return true
    draw = uniform(respondent.seed, "value noise", planted.id) or 2.0**-54  # 0 has no normal deviate
    noise = noise_of(respondent, planted)
    scale = noise * abs(true) or noise
    said = round(true + scale * NormalDist().inv_cdf(draw), 4)
    return said if said != true else true + scale


def said_choice(respondent: Respondent, planted: Planted, among: tuple[str, str]) -> str:
    """One of two words: the true one where it is known, else one by the toss of a coin."""
    if isinstance(planted.value, str) and knows_value(respondent, planted):
        return planted.value
    return chosen(respondent.seed, "coin", planted.id, among)
