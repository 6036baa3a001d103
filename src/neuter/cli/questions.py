"""``neuter questions``: what ships, what files hold, importing them, and making questions from series."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neuter.cli import options

if TYPE_CHECKING:
    from datetime import date

    import polars as pl

app = typer.Typer(
    no_args_is_help=True, help="Forecasting questions: list, show, check, import and generate them."
)

_READING = "Reading the questions"
FileArgument = Annotated[
    str,
    typer.Argument(help="A file (.json, .jsonl, .csv, .parquet), or corpora:questions.", metavar="FILE"),
]
Files = Annotated[
    list[str],
    typer.Argument(help="Files (.json, .jsonl, .csv, .parquet), or corpora:questions.", metavar="FILE..."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Default: found from the file.",
        metavar="neuter|metaculus|forecastbench|autocast|halawi|csv|parquet",
        rich_help_panel=_READING,
    ),
]
Column = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        help='Map a column: resolution_date="Resolved on".',
        metavar="FIELD=NAME",
        rich_help_panel=_READING,
    ),
]
Resolutions = Annotated[
    str | None,
    typer.Option(
        "--resolutions",
        help="The resolution set that belongs to a question set of ForecastBench.",
        metavar="FILE",
        rich_help_panel=_READING,
    ),
]
DayFirst = Annotated[
    bool | None,
    typer.Option(
        "--day-first/--month-first",
        help="How 03/04/2024 is meant. Default: an error.",
        rich_help_panel=_READING,
    ),
]
Domain = Annotated[
    str | None,
    typer.Option(
        "--domain",
        help="For all of them: business, economics_finance, social, entertainment, technology, politics_geopolitics.",
        metavar="NAME",
        rich_help_panel=_READING,
    ),
]
SkipInvalid = Annotated[
    bool, typer.Option("--skip-invalid", help="Leave bad rows out, and count them.", rich_help_panel=_READING)
]
Out = Annotated[
    Path, typer.Option("--out", help="A file to write: .jsonl, .csv or .parquet.", metavar="FILE")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")]


@app.command("list")
def list_(json: options.Json = False) -> int:
    """List the questions that ship with neuter."""
    from neuter.cli import console
    from neuter.cli.question_tables import listed
    from neuter.questions import check_questions
    from neuter.questions.reading import SHIPPED

    checked = check_questions([SHIPPED])
    if json:
        console.print_json([{"name": SHIPPED, **checked.to_dict()}])
        return 0
    console.out().print(listed({SHIPPED: checked}))
    return 0


@app.command("show")
def show(
    file: FileArgument,
    rows: Annotated[int, typer.Option("--rows", "-n", min=1, help="How many questions.")] = 5,
    format: Format = None,
    column: Column = None,
    resolutions: Resolutions = None,
    day_first: DayFirst = None,
    domain: Domain = None,
    skip_invalid: SkipInvalid = False,
    json: options.Json = False,
) -> int:
    """Show the first questions of a file, each with its dates, its outcome and what the crowd said."""
    from neuter.cli import console
    from neuter.cli.question_tables import shown
    from neuter.questions import read_questions, with_crowd

    read = read_questions(file, **_reading(format, column, resolutions, day_first, domain, skip_invalid))
    first = with_crowd(read.frame.head(rows))
    if json:
        console.print_json(first)
    else:
        console.out().print(shown(first))
    return 0


@app.command("check")
def check(
    files: Files,
    format: Format = None,
    column: Column = None,
    resolutions: Resolutions = None,
    day_first: DayFirst = None,
    domain: Domain = None,
    skip_invalid: SkipInvalid = False,
    json: options.Json = False,
) -> int:
    """Read whole files and say what they hold, what is set aside, and what is wrong where."""
    from neuter.cli import console
    from neuter.cli.question_tables import found
    from neuter.questions import check_questions

    checked = check_questions(files, **_reading(format, column, resolutions, day_first, domain, skip_invalid))
    if json:
        console.print_json(checked.to_dict())
    else:
        console.out().print(found(checked))
    wrong = checked.shared or (checked.invalid and not skip_invalid)
    return 2 if wrong or not checked.questions else 0


@app.command("import")
def import_(
    files: Files,
    out: Out,
    format: Format = None,
    column: Column = None,
    resolutions: Resolutions = None,
    day_first: DayFirst = None,
    domain: Domain = None,
    skip_invalid: SkipInvalid = False,
    overwrite: Overwrite = False,
    json: options.Json = False,
) -> int:
    """Write questions of any known format in neuter's own: one row a resolved question."""
    from neuter.questions import read_questions
    from neuter.questions.checking import together

    _see_free(out, overwrite)
    how = _reading(format, column, resolutions, day_first, domain, skip_invalid)
    sets = [read_questions(file, **how) for file in files]
    frame = together(sets)
    aside: dict[str, int] = {}
    for one in sets:
        for reason, count in one.set_aside.items():
            aside[reason] = aside.get(reason, 0) + count
    return _write(frame, out, aside, json=json)


@app.command("generate")
def generate(
    out: Out,
    series: Annotated[
        list[str] | None,
        typer.Option(
            "--series", help="Repeatable. sp500, inflation, firms ... Default: all.", metavar="NAME"
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", help="Only questions that open on this day or later.", metavar="DATE"),
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", help="Only questions resolved by this day.", metavar="DATE")
    ] = None,
    overwrite: Overwrite = False,
    json: options.Json = False,
) -> int:
    """Make questions from the series that ship: docs/questions-generated.md."""
    from neuter.questions.generating import generate_questions

    _see_free(out, overwrite)
    made = generate_questions(
        series or (), opens_from=_day("--since", since), resolves_by=_day("--until", until)
    )
    return _write(made, out, {}, json=json)


def _reading(
    format: str | None,
    column: list[str] | None,
    resolutions: str | None,
    day_first: bool | None,
    domain: str | None,
    skip_invalid: bool,
) -> dict[str, Any]:
    return {
        "format": format,
        "columns": options.columns(column),
        "resolutions": resolutions,
        "day_first": day_first,
        "domain": domain,
        "skip_invalid": skip_invalid,
    }


def _day(option: str, given: str | None) -> date | None:
    from datetime import date

    from neuter.errors import UsageError

    try:
        return date.fromisoformat(given) if given else None
    except ValueError as error:
        raise UsageError(f"{given!r} is no day", where=option, todo="Write YYYY-MM-DD") from error


def _see_free(out: Path, overwrite: bool) -> None:
    from neuter.errors import UsageError

    if out.exists() and not overwrite:
        raise UsageError("is there already", where=f"--out {out}", todo="Give another, or --overwrite")


def _write(frame: pl.DataFrame, out: Path, aside: Mapping[str, int], *, json: bool) -> int:
    """Write the questions and say how many; no question is no success, and leaves no file."""
    from neuter.cli import console
    from neuter.cli.question_tables import counts
    from neuter.questions import write_questions

    if frame.height:
        write_questions(frame, out)
    if json:
        told = {"out": str(out) if frame.height else None, "questions": frame.height, "set_aside": aside}
        console.print_json(told)
        return 0 if frame.height else 2
    where = (
        f"{frame.height:,} questions are in {out}"
        if frame.height
        else "No question is left; nothing was written"
    )
    console.say(f"{where}{f'; set aside: {counts(aside)}' if aside else ''}.")
    return 0 if frame.height else 2
