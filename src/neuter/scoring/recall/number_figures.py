"""The figures of numbers that were asked for: rates, levels and returns, by each reading, and of the baselines."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from neuter.scoring.recall import naive
from neuter.scoring.recall.constant_answers import most_frequent_share, nearest_share
from neuter.scoring.recall.directions import (
    change_right,
    change_right_by_estimates,
    in_same_shares,
    predecessors,
    sign_right,
    threshold_right,
)
from neuter.scoring.recall.errors import error, mean_as_estimate, percent_error
from neuter.scoring.recall.exactness import exact, within_1_percent
from neuter.scoring.recall.figure import Constant, Figure, endings
from neuter.scoring.recall.points import Bools, Floats, Ints, Points
from neuter.scoring.recall.readings import closer_to_other

Change = Literal["previous_actual", "previous_estimate"]
Returns = Literal["points", "relative"]


class NumberFigures:
    """Figures of one series of numbers.

    Args:
        change: what a change is from: the previous actual value, or the previous estimate.
        returns: whether errors of returns are in points, or relative to the return.
        history: the actual values, for baselines; None where there are none of these values.
    """

    def __init__(
        self, points: Points, change: Change, returns: Returns, history: naive.History | None
    ) -> None:
        self._points, self._change = points, change
        self._in_points = points.task == "rate" or (points.task == "return" and returns == "points")
        self._percent_names = points.task != "rate"
        self._previous = points.previous
        if points.other_reading == "split_adjusted":
            self._previous = in_same_shares(
                points.previous, points.previous_other, points.truth, points.other
            )[0]
        self._said = np.where(points.answered, points.number, np.nan)
        self._naive = naive.estimates(points, history)

    def all(self) -> list[Figure]:
        """The model's figures, then each baseline's, then skill over each."""
        found = self.errors()
        for share in self._shares(self._said):
            found += [share, *endings(share)]
        found += [self._calibration(), *self._other_reading(), *self._baselines()]
        return [figure for figure in found if figure is not None]

    def errors(self) -> list[Figure]:
        """The errors against the truth alone."""
        return self._errors(self._said, self._points.truth, constant=True)

    @property
    def main_errors(self) -> Floats:
        """Absolute errors: of rates (and returns) in points, of levels in percent."""
        return np.abs(self._error(self._said, self._points.truth))

    def _error(self, estimate: Floats, actual: Floats) -> Floats:
        return error(estimate, actual) if self._in_points else percent_error(estimate, actual)

    def _errors(
        self,
        estimate: Floats,
        actual: Floats,
        *,
        suffix: str = "",
        attacker: str = "llm",
        constant: bool = False,
    ) -> list[Figure]:
        middle = "percent_error" if self._percent_names else "error"
        unit = "percentage_points" if self._in_points else "percent"
        signed = self._error(estimate, actual)
        plain, absolute = (self._constant(actual, of=of) if constant else None for of in (np.asarray, np.abs))
        return [
            Figure(f"mean_{middle}{suffix}", unit, "mean", signed, attacker, constant=plain),
            Figure(
                f"mean_absolute_{middle}{suffix}",
                unit,
                "mean",
                np.abs(signed),
                attacker,
                least=0.0,
                constant=absolute,
            ),
        ]

    def _constant(self, actual: Floats, *, of: object) -> Constant:
        """The mean of the errors of the mean, as Table A1 has them."""
        errors_of = "points" if self._in_points else "percent"
        absolute = of is np.abs

        def score(part: Bools) -> float:
            errors = mean_as_estimate(errors_of, actual[part])
            return float(np.mean(np.abs(errors) if absolute else errors)) if errors.size else float("nan")

        return score

    def _shares(self, estimate: Floats, attacker: str = "llm") -> list[Figure]:
        points, found = self._points, []
        truth = points.truth
        if np.isfinite(points.threshold).any():
            above = truth > points.threshold
            right = threshold_right(estimate, truth, points.threshold)
            known = np.isfinite(truth) & np.isfinite(points.threshold)
            found.append(_share("directional_accuracy", right, known, above, attacker))
        found.append(self._directions(estimate, attacker))
        if np.isfinite(points.digits).any():
            known = np.isfinite(truth) & np.isfinite(points.digits)
            found.append(_share("exact_share", exact(estimate, truth, points.digits), known, truth, attacker))
        if points.task != "return":
            near = Figure(
                "within_1_percent",
                "percent",
                "share",
                within_1_percent(estimate, truth),
                attacker,
                known=np.isfinite(truth) & (truth != 0),
                constant=lambda part: nearest_share(truth[part]),
            )
            found.append(near)
        return found

    def _directions(self, estimate: Floats, attacker: str = "llm") -> Figure:
        """Directional accuracy of change; of a return, its sign."""
        truth, previous = self._points.truth, self._previous
        if self._points.task == "return":
            right, moved, known = sign_right(estimate, truth), np.sign(truth), np.isfinite(truth)
            return _share("directional_accuracy_change", right, known, moved, attacker)
        moved = np.sign(truth - previous)
        if self._change == "previous_actual" or attacker != "llm":
            right = change_right(estimate, truth, previous)
        else:
            before = predecessors(self._points.answered, self._points.firm)
            right = change_right_by_estimates(estimate, truth, before)
            right = np.where(self._across_split(before), np.nan, right)
            moved = np.sign(truth - truth[np.where(before < 0, 0, before)])
        known = np.isfinite(truth) & np.isfinite(previous)
        return replace(
            _share("directional_accuracy_change", right, known, moved, attacker),
            first_out=self._points.answered,
        )

    def _across_split(self, before: Ints) -> Bools:
        """Points with a split since their predecessor: two closes in different shares do not compare."""
        points, at = self._points, np.where(before < 0, 0, before)
        if points.other_reading != "split_adjusted":
            return np.zeros(points.size, dtype=np.bool_)
        return in_same_shares(points.truth[at], points.other[at], points.truth, points.other)[1]

    def _calibration(self) -> Figure:
        """Pearson's correlation of confidence and absolute error."""
        errors, stated = self.main_errors, self._points.confidence
        return Figure("confidence_calibration", "correlation", "correlation", stated, beside=errors)

    def _other_reading(self) -> list[Figure]:
        """The same errors against the second reading, and which of the two the answers are closer to."""
        points = self._points
        if not points.other_reading or not np.isfinite(points.other).any():
            return []
        name = points.other_reading
        closer = closer_to_other(self._said, points.truth, points.other)
        near = within_1_percent(self._said, points.other)
        return [
            *self._errors(self._said, points.other, suffix=f"_{name}"),
            Figure(f"within_1_percent_{name}", "percent", "share", near),
            Figure(f"closer_to_{name}", "percent", "share", closer),
        ]

    def _baselines(self) -> list[Figure]:
        """Rows of each baseline on the dates that the model answered, and the model's skill over it."""
        answered, found, skills = np.isfinite(self._said), [], []
        for name, told in self._naive.items():
            estimate = np.where(answered, told, np.nan)
            if not np.isfinite(estimate).any():
                continue
            found += self._errors(estimate, self._points.truth, attacker=name)
            found += [replace(share, known=None, constant=None) for share in self._shares(estimate, name)]
            theirs = np.abs(self._error(estimate, self._points.truth))
            skills.append(Figure(f"skill_over_{name}", "share", "skill", self.main_errors, beside=theirs))
        own = self._directions(self._said)
        return [*found, *_always_up(own, self._up()), *skills, _skill_over_up(own, self._up())]

    def _up(self) -> Floats:
        """1 where the value rose (or the return is above 0)."""
        truth = self._points.truth
        moved = truth if self._points.task == "return" else truth - self._previous
        return np.where(np.isnan(moved), np.nan, (moved > 0).astype(np.float64))


def _share(metric: str, right: Floats, known: Bools, classes: object, attacker: str) -> Figure:
    """A share whose best constant answer is the commonest class."""
    kinds = np.asarray(classes)
    return Figure(
        metric,
        "percent",
        "share",
        right,
        attacker,
        known=known,
        constant=lambda part: most_frequent_share(kinds[part]),
    )


def _always_up(own: Figure, up: Floats) -> list[Figure]:
    """What saying "up" each time scores on the model's points."""
    values = np.where(own.measured, up, np.nan)
    return [replace(own, values=values, attacker="always_up", known=None, constant=None)]


def _skill_over_up(own: Figure, up: Floats) -> Figure:
    """(accuracy − always up) / (1 − always up), which is 1 − wrong answers / those of always saying up."""
    return Figure(
        "skill_over_always_up", "share", "share_skill", 1 - own.values, beside=1 - up, first_out=own.first_out
    )
