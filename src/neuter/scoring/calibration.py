"""Is an answer that is given with 90% confidence right in 90% of cases? Scores of stated confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neuter.errors import UsageError
from neuter.scoring.statistics import Floats, Interval, firm_weights, share_intervals, wilson

Scale = Literal["share", "percent"]
#: Confidences that agree to so many decimals are the same.
_SAME = 12
Bins = Literal["width", "mass"]


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of about one confidence: shares from 0 to 1, and the interval of ``share_right``."""

    low: float
    high: float
    n: int
    mean_confidence: float
    share_right: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Murphy:
    """The Brier score in parts: reliability - resolution + uncertainty + within_variance - within_covariance.

    ``reliability``: how far the shares right are from the confidence stated (0 is best). ``resolution``: how
    far they are from each other (more is better). ``uncertainty``: that of the share right over all.
    ``within_variance`` and ``within_covariance``: of the confidences within bins, and (twice) theirs with what came
    out; both 0 where each distinct confidence is a bin of its own.
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within_variance: float
    within_covariance: float

    @property
    def within_bins(self) -> float:
        """What binning adds to the first three parts."""
        return self.within_variance - self.within_covariance

    @property
    def generalized_resolution(self) -> float:
        """Resolution less what is within bins: then the Brier score is reliability - this + uncertainty.

        Source: Stephenson, Coelho and Jolliffe (2008), "Two extra components in the Brier score decomposition".
        """
        return self.resolution - self.within_bins


def brier(confidence: ArrayLike, right: ArrayLike, *, scale: Scale = "share") -> float | None:
    """Mean squared difference between confidence (as a share) and what came out; 0 is best, 0.25 is always saying 50%.

    Here and below an answer without a confidence (NaN) takes no part, and None is what no answer at all gives.
    Source: Brier (1950), in the form for two outcomes.

    Args:
        confidence: an answer each, within 0 and 1 (``scale="share"``) or 0 and 100 (``scale="percent"``); the
            scale is never guessed from the values.
        right: 1 or 0 (or True and False).

    Raises:
        UsageError: of different lengths, or a value outside its scale.
    """
    stated, outcome = _pairs(confidence, right, scale)
    return float(((stated - outcome) ** 2).mean()) if stated.size else None


def overconfidence(confidence: ArrayLike, right: ArrayLike, *, scale: Scale = "share") -> float | None:
    """Mean confidence less the share right: above 0 is surer than right."""
    stated, outcome = _pairs(confidence, right, scale)
    return float(stated.mean() - outcome.mean()) if stated.size else None


def expected_calibration_error(
    confidence: ArrayLike, right: ArrayLike, bins: int = 10, *, by: Bins = "width", scale: Scale = "share"
) -> float | None:
    """The mean over answers of the distance between their bin's share right and its mean confidence.

    ``by="width"``: bins of equal width (Guo et al. 2017). ``by="mass"``: of about as many answers
    (Nixon et al. 2019), with equal confidences never parted. It is above 0 by chance alone, the more so the
    fewer answers there are: 100 answers of a perfectly calibrated respondent in 10 bins give some 0.1.
    """
    stated, outcome = _pairs(confidence, right, scale)
    if not stated.size:
        return None
    found = _binned(stated, outcome, _numbers(stated, bins, by))
    return float((found.n * np.abs(found.right - found.stated)).sum() / stated.size)


def murphy(
    confidence: ArrayLike,
    right: ArrayLike,
    bins: int | None = None,
    *,
    by: Bins = "width",
    scale: Scale = "share",
) -> Murphy | None:
    """The Brier score's parts, over distinct confidences or over ``bins`` of them.

    Source: Murphy (1973), "A new vector partition of the probability score"; Stephenson, Coelho and Jolliffe
    (2008) for the two parts within bins.
    """
    stated, outcome = _pairs(confidence, right, scale)
    if not stated.size:
        return None
    # Means of the same runs in another order differ in their last bit, and are one forecast.
    distinct = np.unique(np.round(stated, _SAME), return_inverse=True)[1]
    numbers = distinct if bins is None else _numbers(stated, bins, by)
    found, base = _binned(stated, outcome, numbers), float(outcome.mean())
    score = float(((stated - outcome) ** 2).mean())
    reliability = float((found.n * (found.stated - found.right) ** 2).sum() / stated.size)
    resolution = float((found.n * (found.right - base) ** 2).sum() / stated.size)
    off, came = stated - found.stated[found.place], outcome - found.right[found.place]
    return Murphy(
        score,
        reliability,
        resolution,
        base * (1 - base),
        float((off**2).sum() / stated.size),
        float(2 * (off * came).sum() / stated.size),
    )


def reliability_curve(
    confidence: ArrayLike,
    right: ArrayLike,
    bins: int = 10,
    *,
    by: Bins = "width",
    scale: Scale = "share",
    firms: Sequence[str | None] | None = None,
    seed: int = 0,
    draws: int = 2000,
) -> list[Bin]:
    """By bin of confidence, the share right with its interval; bins without an answer are left out.

    Args:
        firms: the firm of each answer, for intervals over firms (an answer without one counts as a firm of its
            own); without them answers are taken to be independent (Wilson).
    """
    stated, outcome = _pairs(confidence, right, scale)
    if not stated.size:
        return []
    found = _binned(stated, outcome, _numbers(stated, bins, by))
    if firms is None:
        intervals = [wilson(share * n, n) for share, n in zip(found.right, found.n, strict=True)]
    else:
        labels = _labels(firms, confidence, right)
        intervals = _over_firms(labels, outcome, found.place, seed=seed, draws=draws)
    rows = zip(found.low, found.high, found.n, found.stated, found.right, intervals, strict=True)
    return [Bin(float(a), float(b), int(n), float(s), float(r), i) for a, b, n, s, r, i in rows]


def confidence_calibration(
    confidence: ArrayLike, outcome: ArrayLike, *, scale: Scale = "share"
) -> float | None:
    """Pearson's correlation of confidence with correctness (more is better) or with the absolute error (less is).

    Source: The Memorization Problem (its "confidence calibration"); None where either is constant, or fewer
    than two answers have both (../shared/paper-decisions.md). ``outcome`` may have any unit; NaN takes no part.
    """
    stated, came = _paired(confidence, outcome)
    stated = _as_shares(stated, scale)
    if stated.size < 2 or np.ptp(stated) == 0 or np.ptp(came) == 0:
        return None
    # Numbers at the ends of what a float holds leave nothing to say.
    with np.errstate(all="ignore"):
        found = float(np.corrcoef(stated, came)[0, 1])
    return found if np.isfinite(found) else None


@dataclass(frozen=True, slots=True)
class _Binned:
    """Bins with an answer, by rising confidence; ``place`` is each answer's among them."""

    place: NDArray[np.int64]
    n: Floats
    stated: Floats
    right: Floats
    low: Floats
    high: Floats


def _binned(stated: Floats, outcome: Floats, numbers: NDArray[np.int64]) -> _Binned:
    place = np.unique(numbers, return_inverse=True)[1].astype(np.int64)
    n = np.bincount(place).astype(np.float64)
    low, high = np.full(n.size, np.inf), np.full(n.size, -np.inf)
    np.minimum.at(low, place, stated)
    np.maximum.at(high, place, stated)
    return _Binned(place, n, np.bincount(place, stated) / n, np.bincount(place, outcome) / n, low, high)


def _numbers(stated: Floats, bins: int, by: Bins) -> NDArray[np.int64]:
    """The number of each answer's bin."""
    if bins < 1:
        raise UsageError(f"{bins} bins", todo="Give at least 1; 10 are usual")
    if by == "width":
        # Rounded, so that 0.29 * 100 belongs to 29; a confidence of 1 belongs to the last bin.
        return np.minimum(np.floor(np.round(stated * bins, 9)), bins - 1).astype(np.int64)
    if by != "mass":
        raise UsageError(f"bins by {by!r}", todo="There are: width, mass")
    _, value, counts = np.unique(stated, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    return np.floor(middle * bins / stated.size).astype(np.int64)[value]


def _over_firms(
    labels: Sequence[str], outcome: Floats, place: NDArray[np.int64], *, seed: int, draws: int
) -> list[Interval]:
    names, codes = np.unique(np.asarray(labels, dtype=object), return_inverse=True)
    shape = (len(names), int(place.max()) + 1)
    counts, sums = np.zeros(shape), np.zeros(shape)
    np.add.at(counts, (codes, place), 1)
    np.add.at(sums, (codes, place), outcome)
    return share_intervals(sums, counts, firm_weights([str(name) for name in names], seed=seed, draws=draws))


def _labels(firms: Sequence[str | None], confidence: ArrayLike, right: ArrayLike) -> list[str]:
    """The firms of the answers that take part."""
    both = np.asarray(confidence, dtype=np.float64) + np.asarray(right, dtype=np.float64)
    if len(firms) != both.size:
        raise UsageError(
            f"{len(firms)} firms for {both.size} answers", todo="Give one for each, in their order"
        )
    named = [firm or f"document:{at}" for at, firm in enumerate(firms)]
    return [name for name, value in zip(named, both, strict=True) if not np.isnan(value)]


def _pairs(confidence: ArrayLike, right: ArrayLike, scale: Scale) -> tuple[Floats, Floats]:
    stated, outcome = _paired(confidence, right)
    if not np.isin(outcome, (0.0, 1.0)).all():
        raise UsageError("what came out is neither 0 nor 1 in places", where="confidence")
    return _as_shares(stated, scale), outcome


def _paired(confidence: ArrayLike, outcome: ArrayLike) -> tuple[Floats, Floats]:
    stated, came = (np.asarray(values, dtype=np.float64) for values in (confidence, outcome))
    if stated.ndim != 1 or stated.shape != came.shape:
        raise UsageError(
            f"confidences {stated.shape} and outcomes {came.shape} do not belong together",
            todo="Give one of each for each answer",
        )
    here = ~(np.isnan(stated) | np.isnan(came))
    return stated[here], came[here]


def _as_shares(stated: Floats, scale: Scale) -> Floats:
    if scale not in {"share", "percent"}:
        raise UsageError(f"unknown scale {scale!r}", todo="There are: share, percent")
    most = 100.0 if scale == "percent" else 1.0
    outside = stated[~((stated >= 0) & (stated <= most))]
    if outside.size:
        raise UsageError(
            f"a confidence of {outside[0]:g} is not within 0 and {most:g}",
            where="confidence",
            todo='Give scale="percent" for 0 to 100' if most == 1 else 'Give scale="share" for 0 to 1',
        )
    return stated / most
