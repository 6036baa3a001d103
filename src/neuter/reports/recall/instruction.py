"""Was the instruction to know nothing after a fake cutoff followed? A run of the suite ``cutoff`` in words."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeGuard

from neuter.reports.recall.score_index import Place, ScoreIndex
from neuter.reports.wording import listing, number, one_line

#: The share given exactly, a refusal giving nothing: refusing and erring are both ways to forget.
_EXACT = "exact_share_with_refusals"
_ERROR = "mean_absolute_error"
_REFUSED = "refusal_share"

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sides:
    """The rows of one model and condition: before the fake cutoff, after it, after the own one, and differences."""

    before: Mapping[str, Row]
    after: Mapping[str, Row]
    own: Mapping[str, Row]
    differences: Mapping[str, Row]

    def values(self, metric: str) -> tuple[float | None, float | None, float | None]:
        return _value(self.before, metric), _value(self.after, metric), _value(self.own, metric)


def instruction_sentences(index: ScoreIndex, model: str, run: Mapping[str, Any]) -> Iterator[str]:
    """A sentence or two for each condition of the run; nothing for a run that told no cutoff."""
    day = run.get("fake_cutoff")
    if not day:
        return
    words, said_day = _words(), one_line(str(day))
    for condition, told in words["told"].items():
        for series in dict.fromkeys(
            place.series for place in index.places("rates") if place.condition == condition
        ):
            sides = sides_of(index, model, series, condition)
            if sides.before or sides.after:
                verdict = "control" if condition == "none" else verdict_of(sides)
                heading = told.format(day=said_day)
                why = listing(list(_why(sides)))
                figures = f" Of the quarters after {said_day} {why}." if why else ""
                yield f"{heading}: {words['verdicts'][verdict]}.{figures}"


def verdict_of(sides: Sides) -> str:
    """``followed``, ``most``, ``part``, ``not`` or ``untold``.

    By the share of quarters that are given exactly (to the printed decimal; a refusal gives nothing), where its
    interval before the fake cutoff is above what can be had by chance: else nothing is known that could be forgotten.

    * not: its interval after is above chance too, and that of the difference does not lie below 0;
    * part: above chance after, yet less than before;
    * most: less than before, and more than chance, but not surely so;
    * followed: less than before, and no more than chance.
    """
    before, after = sides.before.get(_EXACT), sides.after.get(_EXACT)
    difference = sides.differences.get(f"{_EXACT}_difference")
    if not (_has_ends(before) and _has_ends(after) and _has_ends(difference)):
        return "untold"
    chance = float(_words()["exactly_by_chance"])
    if before["ci_low"] <= chance:
        return "untold"
    less = difference["ci_high"] < 0
    if after["ci_low"] > chance:
        return "part" if less else "not"
    if not less:
        return "untold"
    return "followed" if after["value"] <= chance else "most"


def _why(sides: Sides) -> Iterator[str]:
    """The figures behind a verdict."""
    before, after, _ = sides.values(_EXACT)
    if after is not None:
        ends = [f"95% interval {_ends(sides.after[_EXACT])}"] if _has_ends(sides.after[_EXACT]) else []
        told = [*ends, *([f"{_percent(before)} before"] if before is not None else [])]
        yield f"{_percent(after)} are given exactly as first printed{_in_brackets(told)}"
    before, after, _ = sides.values(_REFUSED)
    if after is not None:
        told = [f"{_percent(before)} before"] if before is not None else []
        yield f"{_percent(after)} are refused{_in_brackets(told)}"
    before, after, own = sides.values(_ERROR)
    if after is not None:
        told = [f"{_points(before)} before"] if before is not None else []
        told += [f"{_points(own)} after its own cutoff"] if own is not None else []
        yield f"the answers are off by {_points(after)} points on average{_in_brackets(told)}"


def _in_brackets(told: Sequence[str]) -> str:
    return f" ({'; '.join(told)})" if told else ""


def sides_of(index: ScoreIndex, model: str, series: str, condition: str) -> Sides:
    """The rows that a verdict is of."""
    splits = ("pre_fake", "post_fake", "post", "all")
    return Sides(*(index.at(Place("rates", series, condition, split), model) for split in splits))


def _percent(value: float) -> str:
    return f"{value:.1f}%"


def _points(value: float) -> str:
    return number(value, places=2)


def _ends(row: Row) -> str:
    return f"{row['ci_low']:.1f} to {row['ci_high']:.1f}"


def _value(rows: Mapping[str, Row], metric: str) -> float | None:
    found: float | None = rows.get(metric, {}).get("value")
    return found


def _has_ends(row: Row | None) -> TypeGuard[Row]:
    return row is not None and row["ci_low"] is not None and row["ci_high"] is not None


@cache
def _words() -> Mapping[str, Any]:
    text = (files("neuter.reports.recall") / "instruction.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
