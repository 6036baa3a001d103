"""A recall run in a few sentences: what the model remembers, where its memory ends, what it would not say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neuter.reports.recall.instruction import instruction_sentences
from neuter.reports.recall.layouts import Layouts, layouts
from neuter.reports.recall.score_index import Place, ScoreIndex
from neuter.reports.recall.table_blocks import label_of
from neuter.reports.recall.table_values import month_of
from neuter.reports.wording import LOST, listing, number, one_line, plural

#: What a panel is told by: its metric, how it reads, whether less is better, and the unit's sign.
_TOLD = {
    "rates": ("mean_absolute_error", "is off by {} on average", True, " points"),
    "levels": ("mean_absolute_percent_error", "is off by {} on average", True, "%"),
    "daily_levels": ("mean_absolute_percent_error", "is off by {} on average", True, "%"),
    "month_end_closes": ("mean_absolute_percent_error", "is off by {} on average", True, "%"),
    "monthly_returns": ("directional_accuracy_change", "has the right sign in {} of answers", False, "%"),
    "monthly_directions": ("accuracy", "is right in {} of answers", False, "%"),
    "daily_directions": ("accuracy", "is right in {} of answers", False, "%"),
    "stock_directions": ("accuracy", "is right in {} of answers", False, "%"),
    "yearly_pairs": ("accuracy", "is right in {} of answers", False, "%"),
    "monthly_pairs": ("accuracy", "is right in {} of answers", False, "%"),
    "headline_dates": ("month_year_accuracy", "names the right month and year in {} of answers", False, "%"),
    "headline_levels": ("month_year_accuracy", "names the right month and year in {} of answers", False, "%"),
}


@dataclass(frozen=True, slots=True)
class _Told:
    """A series with its figure."""

    series: str
    value: float


def opening_sentence(run: Mapping[str, Any]) -> str:
    """What was asked of whom."""
    models = [one_line(str(model)) for model in run.get("models") or ()]
    if not models:
        return (
            "Summary statistics of the data, as in Table A1 of The Memorization Problem. No model was asked."
        )
    outcomes = run.get("outcomes") or {}
    asked = sum(int(count) for count in outcomes.values())
    cutoffs = run.get("cutoffs") or {}
    told = [f"{model} (training cutoff {cutoffs[model]})" if model in cutoffs else model for model in models]
    verb = "was" if len(told) == 1 else "were"
    return f"{listing(told)} {verb} asked {plural(asked, 'question')} about what happened on given dates."


def findings(index: ScoreIndex, run: Mapping[str, Any]) -> list[str]:
    """For each model: what it remembers by panel, before its cutoff and after it; the break; the refusals.

    Where a cutoff was told, whether the model held to it stands in place of what it remembers.
    """
    found = []
    for model in index.models:
        prefix = _whose(index, model)
        told = (
            instruction_sentences(index, model, run) if run.get("fake_cutoff") else _remembered(index, model)
        )
        sentences = [*told, *_break(index, model, run), *_not_answered(index, model)]
        found += [f"{prefix}{sentence}" for sentence in sentences]
    return found


def followed(index: ScoreIndex, run: Mapping[str, Any]) -> list[str]:
    """For each model, whether it held to the cutoff that it was told; empty where none was told."""
    return [
        f"{_whose(index, model)}{sentence}"
        for model in index.models
        for sentence in instruction_sentences(index, model, run)
    ]


def _whose(index: ScoreIndex, model: str) -> str:
    return f"{one_line(model)}: " if len(index.models) > 1 else ""


def _remembered(index: ScoreIndex, model: str) -> Iterator[str]:
    known = layouts()
    order = {condition: place for place, condition in enumerate(known.conditions)}
    for panel, (metric, words, less, sign) in _TOLD.items():
        asked = {place.condition for place in index.places(panel)}
        for condition in sorted(asked, key=lambda name: order.get(name, len(order))):
            of_panel = [place for place in index.places(panel) if place.condition == condition]
            before, after = (_figures(index, of_panel, split, metric, model) for split in ("pre", "post"))
            name = " ".join(filter(None, [known.panels[panel], known.conditions.get(condition, condition)]))
            if before:
                text = f"{name}: before its cutoff the model {_range(before, words, sign, known, less=less)}"
                yield text + (f"; after it {_spread(after, sign)}." if after else ".")
            elif after:
                yield f"{name}: after its cutoff the model {_range(after, words, sign, known, less=less)}."


def _figures(index: ScoreIndex, places: Sequence[Place], split: str, metric: str, model: str) -> list[_Told]:
    chosen = [place for place in places if place.split == split and place.series != "all"]
    rows = [(place.series, index.at(place, model).get(metric)) for place in chosen]
    return [_Told(series, row["value"]) for series, row in rows if row and row["value"] is not None]


def _range(told: Sequence[_Told], words: str, sign: str, known: Layouts, *, less: bool) -> str:
    """The best and the worst series with their figures; a single one without its name where it has none to say."""
    ordered = sorted(told, key=lambda one: one.value, reverse=not less)
    best, worst = ordered[0], ordered[-1]
    if len(ordered) == 1:
        name = "" if best.series == "headlines" else f" ({label_of(best.series, known)})"
        return words.format(f"{number(best.value, places=2)}{sign}") + name
    if number(best.value, places=2) == number(worst.value, places=2):
        return f"{words.format(f'{number(best.value, places=2)}{sign}')}, in every series"
    span = (
        f"{number(best.value, places=2)}{sign} ({label_of(best.series, known)}) to "
        f"{number(worst.value, places=2)}{sign} ({label_of(worst.series, known)})"
    )
    return words.format(span)


def _spread(told: Sequence[_Told], sign: str) -> str:
    values = sorted(one.value for one in told)
    low, high = number(values[0], places=2), number(values[-1], places=2)
    return f"{low}{sign}" if low == high else f"{low}{sign} to {high}{sign}"


def _break(index: ScoreIndex, model: str, run: Mapping[str, Any]) -> Iterator[str]:
    """Where recall breaks, over the series of a panel at once where that was found, else by series."""
    known = layouts()
    stated = (run.get("cutoffs") or {}).get(model)
    for panel, title in known.panels.items():
        rows = [
            (place, row)
            for place in index.places(panel)
            if (row := index.at(place, model).get("effective_cutoff")) and row["value"] is not None
        ]
        for condition in dict.fromkeys(place.condition for place, _ in rows):
            about = " ".join(filter(None, [title, known.conditions.get(condition, condition)]))
            own = [(place.series, row) for place, row in rows if place.condition == condition]
            pooled = [row for series, row in own if series == "all"] or [
                row for _, row in own if len(own) == 1
            ]
            beside = f"; the stated cutoff is {stated}" if stated else ""
            yield f"{about}: recall breaks {_when(pooled, [row for _, row in own])}{beside}."


def _when(pooled: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> str:
    """The month over all series at once with its interval, or the months that the series have."""
    if not pooled:
        months = sorted(month_of(row["value"]) for row in rows)
        span = f"in {months[0]}" if months[0] == months[-1] else f"between {months[0]} and {months[-1]}"
        return f"{span}, series by series"
    (row,) = pooled
    if row["ci_low"] is None or row["ci_high"] is None:
        return f"in {month_of(row['value'])}"
    interval = f"{month_of(row['ci_low'])} to {month_of(row['ci_high'])}"
    return f"in {month_of(row['value'])} (95% interval {interval})"


def _not_answered(index: ScoreIndex, model: str) -> Iterator[str]:
    """How many questions have no answer, by outcome."""
    counts = dict.fromkeys(("answered", *LOST), 0)
    for place in _every(index):
        rows = index.at(place, model)
        row = rows.get("refusals") or next(iter(rows.values()), None)
        for name in counts:
            counts[name] += int((row or {}).get(name) or 0)
    asked, lost = sum(counts.values()), sum(counts[name] for name in LOST)
    if not asked:
        return
    if not lost:
        yield f"All {plural(asked, 'question')} were answered."
        return
    parts = listing([f"{counts[name]:,} {name}" for name in LOST if counts[name]])
    yield f"{lost:,} of {plural(asked, 'question')} ({100 * lost / asked:.1f}%) have no usable answer: {parts}."


def _every(index: ScoreIndex) -> Iterator[Place]:
    """Every place over all dates, each question once."""
    for panel in layouts().panels:
        for place in index.places(panel):
            if place.split == "all" and place.series != "all":
                yield place
