"""What a simulated respondent is expected to score on questions of recall: the figures that intervals are held against.

Expected over all draws (all seeds), given that a question is answered. An answer is what the respondent believes where
it knows it, and else that with normal noise, so every figure is a mean of closed forms; nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

if TYPE_CHECKING:
    import polars as pl

    from neuter.models.simulated.respondent import Respondent

_Floats = NDArray[np.float64]
_KEYS = ("panel", "series", "condition")
#: How numbers are rounded when they are said, so that a noisy one can hit the printed digits.
_NUMBERS = ("level", "rate")
_DATES = ("date", "date_level")


def expected_recall(respondent: Respondent, questions: pl.DataFrame) -> pl.DataFrame:
    """The expected figures: ``panel, series, condition, split, metric, value``, in the scores' units.

    ``mean_error``, ``mean_absolute_error`` (rates; points), ``mean_percent_error``, ``mean_absolute_percent_error``
    (levels; percent), ``directional_accuracy``, ``directional_accuracy_change``, ``exact_share``, ``within_1_percent``,
    ``accuracy``, ``refusal_share`` and accuracies of dates in percent, differences of dates in days,
    and ``effective_cutoff`` as a decimal year.

    Args:
        questions: the columns of the suites' questions, of every task but ``return``.
    """
    import polars as pl

    rows = []
    for keys, part in questions.group_by(*_KEYS, maintain_order=True):
        for split, inside in _splits(part, respondent.cutoff):
            rows += [(*keys, split, metric, value) for metric, value in _figures(respondent, inside)]
        if respondent.cutoff and part["date"].min() < respondent.cutoff <= part["date"].max():  # type: ignore[operator]
            cutoff = respondent.cutoff
            rows.append((*keys, "all", "effective_cutoff", cutoff.year + (cutoff.month - 1) / 12))
    schema = {**dict.fromkeys((*_KEYS, "split", "metric"), pl.String), "value": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _splits(part: pl.DataFrame, cutoff: date | None) -> Iterator[tuple[str, pl.DataFrame]]:
    import polars as pl

    yield "all", part
    if cutoff is not None:
        yield "pre", part.filter(pl.col("date") < cutoff)
        yield "post", part.filter(pl.col("date") >= cutoff)


def _figures(respondent: Respondent, part: pl.DataFrame) -> Iterator[tuple[str, float]]:
    if part.is_empty():
        return
    yield "refusal_share", 100 * respondent.refusals
    task = part["task"][0]
    if task in ("direction", "pair"):
        known = _known(respondent, part)
        yield "accuracy", 100 * float((known + (1 - known) / 2).mean())
    elif task in _DATES:
        yield from _of_dates(respondent, part)
    elif task in _NUMBERS:
        said = _Said.of(respondent, part)
        for metric, each in _each(said, part, task == "rate").items():
            counted = each[np.isfinite(each)]
            if counted.size:
                yield metric, float(counted.mean())


def _of_dates(respondent: Respondent, part: pl.DataFrame) -> Iterator[tuple[str, float]]:
    """Accuracies in percent and differences in days, of the days that headlines are of."""
    from neuter.models.simulated.planted import Planted

    asked = zip(part["id"], part["truth_date"], strict=True)
    found = respondent.expected([Planted(id_, kind="headline", date=day) for id_, day in asked])
    for metric, each in found.items():
        if "years" not in metric:
            factor = 100 if metric.endswith("accuracy") else 1
            yield metric, factor * sum(each.values()) / len(each)


def _known(respondent: Respondent, part: pl.DataFrame) -> _Floats:
    """The probability that each is known."""
    known = np.full(part.height, respondent.values)
    if respondent.cutoff is not None:
        known[(part["date"] >= respondent.cutoff).to_numpy()] = 0.0
    return known


@dataclass(frozen=True, slots=True)
class _Said:
    """An answer's distribution: ``believed`` with probability ``known``, else normal around it with ``spread``."""

    known: _Floats
    believed: _Floats
    spread: _Floats

    @classmethod
    def of(cls, respondent: Respondent, part: pl.DataFrame) -> _Said:
        truth, other = _column(part, "truth"), _column(part, "other")
        reads_other = (
            part["other_reading"].is_in([respondent.prices, respondent.vintage or ""]).fill_null(False)
        )
        believed = np.where(reads_other.to_numpy() & np.isfinite(other), other, truth)
        noise = np.full(part.height, respondent.value_noise)
        if respondent.cutoff is not None and respondent.late_noise is not None:
            noise[(part["date"] >= respondent.cutoff).to_numpy()] = respondent.late_noise
        spread = noise * np.abs(believed)
        return cls(_known(respondent, part), believed, np.where(spread > 0, spread, noise))

    def between(self, low: _Floats, high: _Floats) -> _Floats:
        """The probability of an answer above ``low`` and not above ``high``."""
        known = ((self.believed > low) & (self.believed <= high)).astype(float)
        return self._mixed(known, self._cdf(high) - self._cdf(low))

    def error(self, truth: _Floats) -> _Floats:
        """The expected difference to ``truth``."""
        return self.believed - truth

    def absolute_error(self, truth: _Floats) -> _Floats:
        """The expected absolute difference to ``truth``; of the noisy part, the mean of a folded normal."""
        off = self.believed - truth
        share = off / self.spread
        folded = 2 * self.spread * norm.pdf(share) + off * (1 - 2 * norm.cdf(-share))
        return self._mixed(np.abs(off), folded)

    def _cdf(self, at: _Floats) -> _Floats:
        return np.asarray(norm.cdf((at - self.believed) / self.spread))

    def _mixed(self, known: _Floats, noisy: _Floats) -> _Floats:
        return self.known * known + (1 - self.known) * noisy


def _each(said: _Said, part: pl.DataFrame, is_rate: bool) -> Mapping[str, _Floats]:
    """Each figure of each question; not a number where a question is not in it."""
    truth, endless = _column(part, "truth"), np.full(part.height, np.inf)
    error, absolute = said.error(truth), said.absolute_error(truth)
    found = {"mean_error": error, "mean_absolute_error": absolute}
    if not is_rate:
        size = np.where(truth == 0, np.nan, truth)
        found = {
            "mean_percent_error": 100 * error / size,
            "mean_absolute_percent_error": 100 * absolute / np.abs(size),
        }
    threshold, previous = _column(part, "threshold"), _column(part, "previous")
    above = said.between(threshold, endless)
    found["directional_accuracy"] = 100 * np.where(truth > threshold, above, 1 - above) + 0 * threshold
    # A tie with the previous value has no chance where the answer is noisy, and is left to what is known.
    up = said.between(previous, endless)
    down = said.between(-endless, previous)
    right = np.where(truth > previous, up, down)
    tie = said.known * (said.believed == previous)
    found["directional_accuracy_change"] = 100 * np.where(truth == previous, tie, right) + 0 * previous
    found["exact_share"] = 100 * _exact(said, truth, _column(part, "digits"))
    one = np.abs(truth) / 100
    found["within_1_percent"] = 100 * said.between(truth - one, truth + one)
    return found


def _exact(said: _Said, truth: _Floats, digits: _Floats) -> _Floats:
    """The probability that an answer, rounded to the printed digits, is within half a unit of them."""
    unit = 10.0**-digits
    first = np.ceil((truth / unit) - 0.5 - 1e-6)
    last = np.floor((truth / unit) + 0.5 + 1e-6)
    return said.between((first - 0.5) * unit, (last + 0.5) * unit)


def _column(part: pl.DataFrame, name: str) -> _Floats:
    import polars as pl

    return part[name].cast(pl.Float64).to_numpy().astype(float)
