"""What an ignorance run says, in sentences: what was asked, the gap and what closes it, and what speaks against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from neuter.reports.ignorance.about_run import GROUPS, IN_WORDS, AboutRun
from neuter.reports.ignorance.score_lookup import ForecastScores, Row
from neuter.reports.wording import LOST, listing, number, one_line, plural
from neuter.suites.ignorance.published import published_ignorance


def opening_sentence(run: Mapping[str, Any], about: AboutRun, scores: ForecastScores) -> str:
    """Who was asked what."""
    models = [
        f"{one_line(one)} (training cutoff {about.cutoffs[one]})" if one in about.cutoffs else one_line(one)
        for one in about.models
    ]
    asked = sum(int(count) for count in (run.get("outcomes") or {}).values())
    pre, post = (_questions(scores, split) for split in ("pre", "post"))
    sides = (
        f": {plural(pre, 'question')} whose outcome they may know, {post:,} whose outcome they cannot know"
    )
    verb = "was" if len(models) == 1 else "were"
    day = (
        f", told to use nothing after {about.simulated_cutoff} in {listing(list(about.told))}"
        if about.told
        else ""
    )
    calls = f" ({plural(asked, 'call')})" if asked else ""
    who = listing(models) if len(models) < 4 else plural(len(models), "model")
    return f"{who} {verb} asked for probabilities{calls}{sides}; conditions {listing(list(about.conditions))}{day}."


def _questions(scores: ForecastScores, split: str) -> int:
    rows = scores.having(panel="fixed", metric="brier", split=split, group_by="all", attacker="llm")
    return max((row["n"] or 0 for row in rows), default=0)


def findings(run: Mapping[str, Any], about: AboutRun, scores: ForecastScores) -> list[str]:
    """The run's figures in the order of the paper's argument."""
    return [
        *(sentence for condition in about.told if (sentence := _gap(condition, about, scores))),
        *_traces(about, scores),
        *_groups(about, scores),
        *_difficulty(about, scores),
        *_lost(run),
    ]


def _gap(condition: str, about: AboutRun, scores: ForecastScores) -> str:
    """The gap under an instruction, that without it, and the share that it closes."""
    at = {"model": about.whole}
    gap = scores.row("si_ti_gap", **at, condition=condition)
    levels = [scores.row("brier", **at, condition=condition, split=split) for split in ("pre", "post")]
    if gap is None or gap["value"] is None or any(row is None for row in levels):
        return ""
    pre, post = (_brier(row) for row in levels)
    plain = scores.row("si_ti_gap", **at, condition=condition.rstrip("′"))
    text = (
        f"{condition} ({IN_WORDS[condition]}), {about.whole_title}: Brier score {pre} where the outcome may be known, "
        f"{post} where it cannot be: a gap of {told(gap)}"
    )
    text += (
        f"; without the instruction the gap is {told(plain)}" if plain and plain["value"] is not None else ""
    )
    return f"{text}. {_closed(condition, about, scores)}".strip()


def _closed(condition: str, about: AboutRun, scores: ForecastScores) -> str:
    row = scores.row("gap_closed", model=about.whole, condition=condition)
    if row is None or row["value"] is None:
        return ""
    beside = "; ".join(filter(None, [_share_interval(row), _paper_share(condition)]))
    share = number(100 * row["value"], places=0)
    return f"The instruction closes {share}% of what separates the sides{f' ({beside})' if beside else ''}."


def _share_interval(row: Row) -> str:
    if row["ci_low"] is None or row["ci_high"] is None:
        return ""
    low, high = (number(100 * row[end], places=0) for end in ("ci_low", "ci_high"))
    return f"95% interval {low} to {high}%"


def _paper_share(condition: str) -> str:
    paper = published_ignorance().figure("fixed", "gap_closed", condition=condition)
    return f"{number(100 * paper.value, places=0)}% for the paper's nine models" if paper else ""


def told(row: Row, places: int = 3) -> str:
    """A figure with its interval.

    >>> told({"value": 0.15, "ci_low": 0.1, "ci_high": 0.2})
    '0.150 (95% interval 0.100 to 0.200)'
    """
    value, low, high = row["value"], row["ci_low"], row["ci_high"]
    if low is None or high is None:
        return number(value, places=places)
    ends = f"{number(low, places=places)} to {number(high, places=places)}"
    return f"{number(value, places=places)} (95% interval {ends})"


def _brier(row: Row | None) -> str:
    return number(row["value"] if row else None, places=3)


def _traces(about: AboutRun, scores: ForecastScores) -> Iterator[str]:
    """How clean the traces are beside a gap that says otherwise."""
    place = {"panel": "traces", "condition": "G2′", "split": "pre", "model": about.whole}
    shares = [
        f"{number(row['value'])}% by {name}"
        for name, attacker in (("the rule", "rule"), ("the judge", "judge"))
        if (row := scores.row("cutoff_compliance", attacker=attacker, **place)) and row["value"] is not None
    ]
    gap = scores.row("si_ti_gap", model=about.whole, condition="G2′")
    if shares and gap and gap["value"] is not None:
        yield (
            f"Of the chains of thought about pre-cutoff questions under G2′, {listing(shares)} name nothing after the "
            f"cutoff; the gap there is {number(gap['value'], places=3)}. A clean "
            "trace does not show that nothing was known."
        )


def _groups(about: AboutRun, scores: ForecastScores) -> Iterator[str]:
    for condition in about.told:
        place = {"condition": condition, "group_by": "model_group"}
        rows = {name: scores.row("si_ti_gap", **place, group=name) for name in (*GROUPS, "difference")}
        if all(row and row["value"] is not None for row in rows.values()):
            reasoning, other, apart = (row for row in rows.values() if row)
            yield (
                f"{condition}: the gap is {number(reasoning['value'], places=3)} for reasoning-optimized models and "
                f"{number(other['value'], places=3)} for the others; difference {told(apart)}."
            )


def _difficulty(about: AboutRun, scores: ForecastScores) -> Iterator[str]:
    """Whether the questions post-cutoff are harder for those who know no outcome."""
    for condition in ("", *about.conditions):
        crowd = next(
            iter(scores.having(panel="human", attacker="crowd", metric="si_ti_gap", condition=condition)),
            None,
        )
        if crowd and crowd["value"] is not None:
            yield f"Difficulty: the crowd's own gap between the two sides is {told(crowd)}."
            return


def _lost(run: Mapping[str, Any]) -> Iterator[str]:
    outcomes = {str(name): int(count) for name, count in (run.get("outcomes") or {}).items()}
    asked, lost = sum(outcomes.values()), sum(outcomes.get(name, 0) for name in LOST)
    if not asked:
        return
    if not lost:
        yield f"All {plural(asked, 'call')} gave a forecast."
        return
    parts = listing([f"{outcomes[name]:,} {name}" for name in LOST if outcomes.get(name)])
    yield f"{lost:,} of {plural(asked, 'call')} ({100 * lost / asked:.1f}%) gave no forecast: {parts}."
