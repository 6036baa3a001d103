"""The figures of words (up or down, which of two) and of dates (of headlines)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neuter.scoring.recall.constant_answers import most_frequent_share
from neuter.scoring.recall.days import dated, days_difference, same_date
from neuter.scoring.recall.figure import Figure, endings
from neuter.scoring.recall.points import NO_DAY, Bools, Floats, Ints, Points


def word_figures(points: Points) -> list[Figure]:
    """Accuracy with its bounds, calibration against correctness and, for directions, always saying "up".

    Source: Table 2, Panel B; calibration: ../shared/paper-decisions.md.
    """
    truth, right = points.truth_word, right_words(points)
    known = truth != ""
    accuracy = Figure(
        "accuracy",
        "percent",
        "share",
        right,
        known=known,
        constant=lambda part: most_frequent_share(truth[part]),
    )
    found = [accuracy, *endings(accuracy)]
    found.append(
        Figure("confidence_calibration", "correlation", "correlation", points.confidence, beside=right)
    )
    if points.task == "direction":
        up = np.where(known, (truth == "up").astype(np.float64), np.nan)
        theirs = np.where(np.isfinite(right), up, np.nan)
        found.append(replace(accuracy, values=theirs, attacker="always_up", known=None, constant=None))
        found.append(Figure("skill_over_always_up", "share", "share_skill", 1 - right, beside=1 - up))
    return found


def right_words(points: Points) -> Floats:
    """1 where the word is the true one, 0 where it is another, NaN where there is none."""
    known = (points.truth_word != "") & points.answered
    return np.where(known, (points.word == points.truth_word).astype(np.float64), np.nan)


def days_off(points: Points) -> Floats:
    """Predicted − true date in days, NaN where there is none."""
    return days_difference(_said(points), points.truth_day)


def _said(points: Points) -> Ints:
    return np.where(points.answered, points.day, NO_DAY)


def date_figures(points: Points) -> list[Figure]:
    """Days off, shares of the right year, month and day, and calibration against absolute days. Source: Table 3."""
    off, true = days_off(points), points.truth_day
    found = [
        Figure("mean_days_difference", "days", "mean", off, constant=lambda part: _days_of_mean(true, part)),
        Figure(
            "mean_absolute_days_difference",
            "days",
            "mean",
            np.abs(off),
            least=0.0,
            constant=lambda part: _days_of_mean(true, part, absolute=True),
        ),
    ]
    for metric, part in (
        ("year_accuracy", "year"),
        ("month_year_accuracy", "month"),
        ("exact_date_accuracy", "day"),
    ):
        share = _date_share(metric, same_date(_said(points), true, part), points, part)
        found += [share, *endings(share)]
    found.append(
        Figure("confidence_calibration", "correlation", "correlation", points.confidence, beside=np.abs(off))
    )
    return found


def _date_share(metric: str, right: Floats, points: Points, part: str) -> Figure:
    classes = dated(points.truth_day, part)
    return Figure(
        metric,
        "percent",
        "share",
        right,
        known=points.truth_day != NO_DAY,
        constant=lambda here: most_frequent_share(classes[here]),
    )


def _days_of_mean(true: object, part: Bools, *, absolute: bool = False) -> float:
    """Days off of the mean date, had it been the answer to each."""
    days = np.asarray(true, dtype=np.float64)[part]
    apart = days.mean() - days
    return float(np.mean(np.abs(apart) if absolute else apart)) if days.size else float("nan")
