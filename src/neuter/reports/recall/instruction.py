"""Was the instruction to know nothing after a fake cutoff followed? A run of the suite ``cutoff`` in words."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from neuter.reports.recall.score_index import Place, ScoreIndex
from neuter.reports.wording import number, one_line

#: The share given exactly, a refusal giving nothing: refusing and erring are both ways to forget.
_EXACT = "exact_share_with_refusals"
_ERROR = "mean_absolute_error"
_REFUSED = "refusal_share"

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Sides:
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
    words = _words()
    for condition, told in words["told"].items():
        for series in dict.fromkeys(
            place.series for place in index.places("rates") if place.condition == condition
        ):
            sides = _sides(index, model, series, condition)
            if sides.before or sides.after:
                verdict = "control" if condition == "none" else verdict_of(sides)
                heading = told.format(day=one_line(str(day)))
                yield f"{heading}: {words['verdicts'][verdict]}{_why(sides)}."


def verdict_of(sides: _Sides) -> str:
    """``followed``, ``part``, ``not`` or ``untold``.

    By the share of quarters that are given exactly (to the printed decimal; a refusal gives nothing), where its interval
    before the fake cutoff is above what can be had by chance: else nothing is known that could be forgotten.

    * not: its interval after is above chance too, and that of the difference does not lie below 0;
    * part: above chance after, yet less than before;
    * followed: less than before, and not above chance.
    """
    before, after = sides.before.get(_EXACT), sides.after.get(_EXACT)
    difference = sides.differences.get(f"{_EXACT}_difference")
    if not (_has_ends(before) and _has_ends(after) and _has_ends(difference)):
        return "untold"
    assert before and after and difference
    chance = float(_words()["exactly_by_chance"])
    less, still = difference["ci_high"] < 0, after["ci_low"] > chance
    if before["ci_low"] <= chance:
        return "untold"
    if still:
        return "part" if less else "not"
    return "followed" if less else "untold"


def _why(sides: _Sides) -> str:
    """The figures behind a verdict."""
    return "".join(part for part in (_exactly(sides), _refused(sides), _off(sides)) if part)


def _exactly(sides: _Sides) -> str:
    before, after, _ = sides.values(_EXACT)
    if after is None:
        return ""
    row = sides.after[_EXACT]
    ends = f"; 95% interval {_percent(row['ci_low'])} to {_percent(row['ci_high'])}" if _has_ends(row) else ""
    earlier = "" if before is None else f" (before it {_percent(before)}{ends})"
    return f". Of the quarters after it {_percent(after)} are given exactly as first printed{earlier}"


def _refused(sides: _Sides) -> str:
    before, after, _ = sides.values(_REFUSED)
    if after is None:
        return ""
    return f", {_percent(after)} are refused" + ("" if before is None else f" (before it {_percent(before)})")


def _off(sides: _Sides) -> str:
    before, after, own = sides.values(_ERROR)
    if after is None:
        return ""
    others = [f"{number(before, places=2)} before it"] if before is not None else []
    others += [f"{number(own, places=2)} after its own cutoff"] if own is not None else []
    beside = f" ({'; '.join(others)})" if others else ""
    return f"; answers are off by {number(after, places=2)} points on average{beside}"


def _sides(index: ScoreIndex, model: str, series: str, condition: str) -> _Sides:
    splits = ("pre_fake", "post_fake", "post", "all")
    return _Sides(*(index.at(Place("rates", series, condition, split), model) for split in splits))


def _percent(value: float) -> str:
    return f"{value:.1f}%"


def _value(rows: Mapping[str, Row], metric: str) -> float | None:
    found: float | None = rows.get(metric, {}).get("value")
    return found


def _has_ends(row: Row | None) -> bool:
    return bool(row) and row["ci_low"] is not None and row["ci_high"] is not None  # type: ignore[index]


@cache
def _words() -> Mapping[str, Any]:
    text = (files("neuter.reports.recall") / "instruction.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
