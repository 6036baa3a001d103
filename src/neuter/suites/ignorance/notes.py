"""What a reader of a run must know of its questions, cutoffs and prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from neuter.models.simulated.names import is_simulated
from neuter.suites.ignorance.asking import LOCAL_TEMPERATURE

if TYPE_CHECKING:
    from neuter.suites.ignorance.suite import Ignorance
    from neuter.suites.suite import Setting


def notes_of(suite: Ignorance, setting: Setting, record: Mapping[str, Any]) -> list[str]:
    """Notes for a run's record, in sentences."""
    return [*_questions(suite, setting, record), *_prompts(suite, setting), *_models(suite, setting)]


def _questions(suite: Ignorance, setting: Setting, record: Mapping[str, Any]) -> Iterator[str]:
    asked, cutoffs = suite.asked(setting), suite.cutoffs(setting)
    earliest, latest = min(cutoffs.values()), max(cutoffs.values())
    day = asked["resolution_date"]
    pre, post = int((day < earliest).sum()), int((day >= latest).sum())
    between = asked.height - pre - post
    yield (
        f"{asked.height:,} questions: {pre:,} resolved before {earliest}, the earliest cutoff, {post:,} on or after "
        f"{latest}, the latest{f', and {between:,} between' if between else ''}."
    )
    told = ", ".join(f"{count:,} {reason}" for reason, count in (record.get("set_aside") or {}).items())
    if told:
        yield f"Not asked: {told}."
    if percent := [one.files[0] for one in suite.read if one.scale == "percent"]:
        yield f"Probabilities in {', '.join(percent)} were read as percent."
    if unknown := int((asked["domain"] == "").sum()):
        yield f"{unknown:,} questions are of no known domain: they are in no row by domain."


def _prompts(suite: Ignorance, setting: Setting) -> Iterator[str]:
    given = "with" if suite.background else "without"
    yield (
        f"The prompts are ours, since Simulated Ignorance Fails prints none; questions were asked {given} "
        f"their background, {suite.runs} {'time' if suite.runs == 1 else 'times'} each, under "
        f"a cutoff of {suite.told_cutoff}."
    )
    warm = [model for model in setting.models if model.startswith("local/")]
    if warm and suite.runs > 1 and suite.temperature is None:
        yield f"{', '.join(warm)} answered at a temperature of {LOCAL_TEMPERATURE}, with another seed in each run."


def _models(suite: Ignorance, setting: Setting) -> Iterator[str]:
    groups = suite.scoring(setting).groups
    if len(set(groups.values())) == 1 and len(groups) > 1:
        yield f"All models are {next(iter(groups.values())).replace('_', '-')} ones: there are no groups to compare."
    for model in setting.models:
        if is_simulated(model):
            from neuter.models.simulated.respondent import respondent_of

            made = respondent_of(model)
            until = f" that were resolved before {made.cutoff}" if made.cutoff else ""
            yield (
                f"{model} was made to know the outcomes of {made.values:.0%} of the questions{until}, and to forget "
                f"{made.compliance:.0%} of those where it is told to."
            )
