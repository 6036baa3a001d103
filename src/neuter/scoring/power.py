"""How large a sample must be: what difference so many firms and documents can show, and what a difference needs.

Documents of a firm are alike, so that m of them are worth m / (1 + (m - 1) * rho) (design effect: Kish 1965,
"Survey Sampling"), and no number of documents makes up for too few firms. The test is a t test over firms; its power is
that of the noncentral t distribution, which the sign flips and bootstrap of a comparison come close to. With one
document a firm, so does McNemar's mid-p-value; the exact one is stricter and finds it 3 or 4 points less often.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from neuter.errors import UsageError

Kind = Literal["paired", "unpaired", "baseline"]

#: Within-firm correlation where none is given. In Table 7, Panel A of The Memorization Problem, the analysis of
#: variance over the seven firms gives 0.23 for year accuracy, 0.07 for firm accuracy and 0.74 for quarter and year.
CORRELATION = 0.25
#: More than so many firms or documents are not counted out.
MOST = 10**9


@dataclass(frozen=True, slots=True)
class Setting:
    """What is assumed of the answers, all as shares between 0 and 1.

    ``kind``: two schemes on the same documents (``paired``), on documents of other firms (``unpaired``, each with
    its own sample), or one accuracy against a known ``baseline``. ``accuracy``: halfway between the two schemes, or
    the one that is held against the baseline. ``correlation``: between two documents of a firm (of what is right, and
    of the difference in what is right). ``agreement``: the share of documents that both schemes get right or both get
    wrong; by default halfway between what two unrelated schemes of that accuracy would have and 1.
    """

    kind: Kind = "paired"
    accuracy: float = 0.5
    correlation: float = CORRELATION
    agreement: float | None = None
    power: float = 0.8
    level: float = 0.05

    def __post_init__(self) -> None:
        if self.kind not in {"paired", "unpaired", "baseline"}:
            raise UsageError(f"unknown kind {self.kind!r}", todo="There are: paired, unpaired, baseline")
        _share("accuracy", self.accuracy, open_=True)
        _share("correlation", self.correlation)
        _share("power", self.power, open_=True)
        _share("level", self.level, open_=True)
        if self.power <= self.level:
            raise UsageError(
                f"a power of {self.power} is no more than the level {self.level}", todo="Give --power 0.8"
            )
        if self.agreement is not None:
            _share("agreement", self.agreement)
            if self.kind != "paired":
                raise UsageError(
                    "an agreement is only of two schemes on the same documents", todo="Leave it out"
                )

    def agreed(self) -> float:
        """The agreement that is reckoned with."""
        chance = self.accuracy**2 + (1 - self.accuracy) ** 2
        return (1 + chance) / 2 if self.agreement is None else self.agreement


def design_effect(documents: float, correlation: float) -> float:
    """1 + (m - 1) * rho: how much larger a variance is than that of as many independent documents (Kish 1965)."""
    return 1 + (documents - 1) * correlation


def variance(effect: float, setting: Setting) -> float:
    """The variance of one document's part in the difference, where the true difference is ``effect``.

    Paired: the share on which the two differ, less the square of the difference (McNemar 1947). Unpaired: the
    sum of both binomial variances. Baseline: the binomial variance of the accuracy.

    Raises:
        UsageError: the accuracies or the agreement cannot be with such a difference.
    """
    _possible(effect, setting)
    accuracy = setting.accuracy
    if setting.kind == "baseline":
        return accuracy * (1 - accuracy)
    if setting.kind == "paired":
        return 1 - setting.agreed() - effect**2
    first, second = accuracy + effect / 2, accuracy - effect / 2
    return first * (1 - first) + second * (1 - second)


def worth(firms: float, documents: float, correlation: float) -> float:
    """As many independent documents as ``firms`` of ``documents`` each are worth; ``documents`` may be infinite."""
    if math.isinf(documents):
        return firms / correlation if correlation else math.inf
    return firms * documents / design_effect(documents, correlation)


def standard_error(effect: float, firms: float, documents: float, setting: Setting) -> float:
    """Of the difference, as a share."""
    return math.sqrt(max(variance(effect, setting), 0.0) / worth(firms, documents, setting.correlation))


def achieved_power(effect: float, firms: int, documents: float, setting: Setting) -> float:
    """The chance that a two-sided test finds a true difference of ``effect``; on the right side.

    Args:
        firms: of each scheme where they are unpaired.
        documents: a firm; may be infinite.

    Raises:
        UsageError: as ``variance``; less than two firms, or no document.
    """
    from scipy.special import nctdtr, ndtr, ndtri, stdtrit

    _sample(firms, documents)
    error = standard_error(effect, firms, documents, setting)
    if error == 0:
        return 1.0
    freedom, far = (2 if setting.kind == "unpaired" else 1) * (firms - 1), effect / error
    if freedom > 10_000:
        return float(ndtr(far - float(ndtri(1 - setting.level / 2))))
    bound = float(stdtrit(freedom, 1 - setting.level / 2))
    return 1.0 if far > bound + 30 else 1 - float(nctdtr(freedom, far, bound))


def detectable_effect(firms: int, documents: float, setting: Setting) -> float | None:
    """The smallest difference found with the wanted power; None where even the largest possible is not.

    Raises:
        UsageError: less than two firms, or no document.
    """
    from scipy.optimize import brentq

    _sample(firms, documents)
    most = _largest(setting) * (1 - 1e-9)

    def short(effect: float) -> float:
        return achieved_power(effect, firms, documents, setting) - setting.power

    if short(most) < 0:
        return None
    return float(brentq(short, 1e-12, most, xtol=1e-10))


def firms_needed(effect: float, documents: float, setting: Setting) -> int | None:
    """The least number of firms of so many documents; None where a thousand million are too few."""
    return _least(lambda firms: achieved_power(effect, firms, documents, setting) >= setting.power, 2)


def documents_needed(effect: float, firms: int, setting: Setting) -> int | None:
    """The least number of documents a firm; None where no number is enough for so few firms."""
    if achieved_power(effect, firms, math.inf, setting) < setting.power:
        return None
    return _least(lambda documents: achieved_power(effect, firms, documents, setting) >= setting.power, 1)


def _least(enough: Callable[[int], bool], first: int) -> int | None:
    """The least whole number from ``first`` on that is enough, where all above it are."""
    low = high = first
    while not enough(high):
        if high >= MOST:
            return None
        low, high = high + 1, min(2 * high, MOST)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


def _largest(setting: Setting) -> float:
    """The largest difference that the accuracy and agreement leave room for."""
    if setting.kind == "baseline":
        return setting.accuracy
    apart = 2 * min(setting.accuracy, 1 - setting.accuracy)
    return apart if setting.kind == "unpaired" else min(apart, 1 - setting.agreed())


def _possible(effect: float, setting: Setting) -> None:
    _share("effect", effect, open_=True)
    largest = _largest(setting)
    if effect <= largest + 1e-12:
        return
    if setting.kind == "baseline":
        raise UsageError(
            f"an accuracy of {setting.accuracy:g} cannot be {effect:g} above a baseline",
            todo="Give a smaller effect, or the accuracy that you expect",
        )
    if setting.kind == "paired" and effect > 1 - setting.agreed():
        raise UsageError(
            f"two schemes that agree on {setting.agreed():.4g} of the documents are not {effect:g} apart",
            todo="Give a smaller effect, or a smaller agreement",
        )
    raise UsageError(
        f"two schemes whose accuracies are {effect:g} apart cannot have {setting.accuracy:g} for their middle",
        todo="Give a smaller effect, or an accuracy nearer 0.5",
    )


def _share(name: str, value: float, *, open_: bool = False) -> None:
    if isinstance(value, (int, float)) and (0 < value < 1 if open_ else 0 <= value <= 1):
        return
    todo = f"Give a share {'between 0 and 1' if open_ else 'from 0 to 1'}"
    if isinstance(value, (int, float)) and 1 < value < 100:
        todo += f": {value:g}% is {value / 100:g}"
    raise UsageError(f"{name} is {value}", todo=todo)


def _sample(firms: float, documents: float) -> None:
    for name, value, least in (("firms", firms, 2), ("documents a firm", documents, 1)):
        if not (value >= least and (value <= MOST or math.isinf(value))):
            raise UsageError(
                f"{name}: {value}",
                todo=f"Give from {least} to {MOST:,}"
                + (": one firm says nothing of others" if least == 2 and value == 1 else ""),
            )
