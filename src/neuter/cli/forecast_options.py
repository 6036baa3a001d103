"""The options of the suites ``cutoff`` and ``ignorance``: what is asked, under which cutoff, and who judges."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from neuter.cli import options as shared
from neuter.cli.added_options import Options, with_options

_TOLD, _QUESTIONS, _TRACES = (
    "Told to forget: cutoff and ignorance",
    "Told to forget: forecasting questions",
    "Told to forget: chains of thought",
)


def _several(name: str, text: str, panel: str, metavar: str) -> tuple[Any, Any]:
    option = typer.Option(name, help=text, rich_help_panel=panel, metavar=metavar)
    return Annotated[list[str] | None, option], None


def _word(name: str, text: str, panel: str, metavar: str) -> tuple[Any, Any]:
    return Annotated[str | None, typer.Option(name, help=text, rich_help_panel=panel, metavar=metavar)], None


def _count(name: str, text: str, panel: str) -> tuple[Any, Any]:
    return Annotated[
        int | None, typer.Option(name, help=text, rich_help_panel=panel, metavar="N", min=1)
    ], None


def _switch(name: str, text: str, panel: str, *, default: bool = False) -> tuple[Any, Any]:
    return Annotated[bool, typer.Option(name, help=text, rich_help_panel=panel)], default


_OPTIONS: Options = {
    "conditions": _several(
        "--condition",
        "Repeatable. How the cutoff is told: both, system, user, none (cutoff); G1, G2, G1', G2' (ignorance). "
        "Default: the paper's.",
        _TOLD,
        "NAME",
    ),
    "fake_cutoff": _word(
        "--fake-cutoff", "The last day that may be known (cutoff). Default: 2010-12-31.", _TOLD, "DATE"
    ),
    "current_date": _word(
        "--current-date", "The day that the prompt says it is (cutoff). Default: 2023-10-01.", _TOLD, "DATE"
    ),
    "simulated_cutoff": _word(
        "--simulated-cutoff",
        "From which day on all is to be forgotten (ignorance). Default: 2023-01-01.",
        _TOLD,
        "DATE",
    ),
    "runs": _count("--runs", "How often each question is asked; answers are averaged. Default: 3.", _TOLD),
    "reasoning": _several(
        "--reasoning",
        "Repeatable. A model that counts as trained to reason. Default: the paper's table, then the catalog.",
        _TOLD,
        "MODEL",
    ),
    "margin": (
        Annotated[
            float | None,
            typer.Option(
                "--margin",
                help="A gap in Brier points that would not matter. Default: 0.02.",
                rich_help_panel=_TOLD,
                metavar="X",
            ),
        ],
        None,
    ),
    "structured": _switch(
        "--structured/--plain",
        "Ask for structured output where a model is known to offer it.",
        _TOLD,
        default=True,
    ),
    "questions": _several(
        "--questions",
        "Repeatable. Resolved questions: docs/questions.md (with --column, --day-first, --skip-invalid). "
        "Default: corpora:questions.",
        _QUESTIONS,
        "FILE",
    ),
    "format": _word(
        "--question-format",
        "Default: found from the file.",
        _QUESTIONS,
        "neuter|metaculus|forecastbench|autocast|halawi|csv|parquet",
    ),
    "resolutions": _word("--resolutions", "A resolution set of ForecastBench.", _QUESTIONS, "FILE"),
    "generate": _count(
        "--generate",
        "Beside them, N questions made from the shipped series, as many before the cutoffs as after.",
        _QUESTIONS,
    ),
    "background": _switch("--background", "Prompts tell a question's background too.", _QUESTIONS),
    "judge": _word("--judge", "A model that reads the chains of thought.", _TRACES, "MODEL"),
    "judge_itself": _switch("--judge-itself", "The judge may be one of the models judged.", _TRACES),
    "labels": _several(
        "--labels", "Repeatable. People's labels, a CSV file (neuter traces label).", _TRACES, "FILE"
    ),
}
#: Options that are told by another name than their argument's.
SPELLED = {"conditions": "condition", "format": "question-format", "structured": "plain"}
#: Decorates a command with these options; it gets those that were given as a dictionary, its argument ``forecasts``.
with_forecasts = with_options("forecasts", _OPTIONS)


def lasting(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options with paths that mean the same from any working folder."""
    made = {name: value for name, value in given.items() if value not in (None, [], ())}
    if "questions" in made:
        made["questions"] = [shared.lasting(one) for one in made["questions"]]
    if "labels" in made:
        made["labels"] = [str(Path(one).absolute()) for one in made["labels"]]
    if "resolutions" in made:
        made["resolutions"] = str(Path(made["resolutions"]).absolute())
    return made
