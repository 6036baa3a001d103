"""``neuter runs``: the run folders at hand, what one holds, and going on with one."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neuter.cli import options
from neuter.cli.spending_options import with_spending

if TYPE_CHECKING:
    from rich.console import Group

app = typer.Typer(no_args_is_help=True, help="List, show and resume runs.")


@app.command("list")
def list_(
    folder: Annotated[Path, typer.Argument(help="Where runs are kept.", metavar="FOLDER")] = Path(
        "neuter-runs"
    ),
    json: options.Json = False,
) -> int:
    """List the runs in a folder."""
    from neuter.cli import console

    found = [(path.parent, _brief(path.parent)) for path in sorted(folder.glob("*/run.json"))]
    if json:
        console.print_json([{"run": str(path), **brief} for path, brief in found])
        return 0
    if not found:
        console.say(f"no run in {folder}")
        return 0
    for path, brief in found:
        console.out().print(_described(path, brief))
    return 0


@app.command("show")
def show(
    run: Annotated[Path, typer.Argument(help="A run folder.", metavar="RUN")], json: options.Json = False
) -> int:
    """Show a run's table, notes and failures without writing anything."""
    from neuter.cli import console
    from neuter.cli.command_line import command_line
    from neuter.cli.evaluate import as_data, exit_status
    from neuter.cli.evaluate import show as show_result
    from neuter.reports import open_run
    from neuter.reports.money import spent_rows

    result = open_run(run)
    command = command_line(result.run)
    if not (run / "scores.parquet").is_file():
        return _show_unfinished(run, result.run, command, as_json=json)
    if json:
        console.print_json({**as_data(result), "command": command})
        return exit_status(result)
    console.say(f"Made by: {command}")
    for model, spent in spent_rows(result.run):
        console.say(f"{model}, over the whole run: {spent}.")
    return show_result(result, as_json=False)


def _show_unfinished(run: Path, record: Mapping[str, Any], command: str, *, as_json: bool) -> int:
    """A run that has no scores yet: how far it is, why it ended, and what it has spent."""
    from neuter.cli import console
    from neuter.reports.money import spent_rows

    told = {name: record.get(name) for name in ("status", "reason", "spent")}
    if as_json:
        console.print_json({"run": str(run), **told, "command": command})
        return 0
    console.say(f"Made by: {command}")
    console.say(": ".join(_plain(told[name]) for name in ("status", "reason") if told[name]))
    for model, spent in spent_rows(record):
        console.say(f"{model}, so far: {spent}.")
    console.say(f"There are no scores yet. Go on with: neuter runs resume {shlex.quote(str(run))}")
    return 0


@app.command("resume")
@with_spending
def resume(
    run: Annotated[Path, typer.Argument(help="A run folder.", metavar="RUN")],
    json: options.Json = False,
    *,
    spending: Mapping[str, Any],
) -> int:
    """Go on with a run that was interrupted or stopped, within its limits or others given here.

    A finished one is only shown again, unless something is to be asked again (--retry).
    """
    from neuter.cli import benchmark, evaluate
    from neuter.errors import RunError

    record = _record(run)
    if record.get("status") == "done" and "retry" not in spending and not _lacks_answers(run, record):
        return show(run, json=json)
    arguments = record.get("arguments")
    arguments = {**arguments, **spending} if isinstance(arguments, dict) else None
    if record.get("command") == "benchmark" and arguments and "suite" in arguments:
        own = {name: value for name, value in arguments.items() if name != "suite"}
        return benchmark.carry_out(arguments["suite"], own, out=run, as_json=json)
    if not arguments or "corpus" not in arguments:
        raise RunError(
            "does not say how it was made", where=str(run), todo="Run its command again with --out"
        )
    return evaluate.carry_out(arguments, out=run, as_json=json)


def _lacks_answers(run: Path, record: Mapping[str, Any]) -> bool:
    """Whether files of a finished run of questions are gone: what they held is in the store, and made again."""
    from neuter.errors import RunError
    from neuter.suites.frames import read_frame
    from neuter.suites.ignorance.names import is_ignorance
    from neuter.suites.ignorance.rescoring import missing_forecasts
    from neuter.suites.recall.names import is_recall
    from neuter.suites.recall.rescoring import missing_answers

    if is_ignorance(record):
        return bool(missing_forecasts(run, record))
    if not is_recall(record) or record.get("suite") == "summary":
        return False
    try:
        return bool(missing_answers(run, record, read_frame(run / "questions.parquet")))
    except RunError:
        return True


def _record(run: Path) -> dict[str, Any]:
    from neuter.suites.run_folder import read_record

    return read_record(run)


def _brief(run: Path) -> dict[str, Any]:
    """What tells one run from another, from its record. ``changed`` is when that was written last, in local time.

    A record that cannot be read is ``damaged``, with the ``reason``.
    """
    from neuter.errors import RunError

    damage = {}
    try:
        record = _record(run)
    except RunError as error:
        record, damage = {"status": "damaged"}, {"reason": str(error)}
    found = record.get("config")
    config = found if isinstance(found, dict) else {}
    models = config.get("models")
    return {
        "status": record.get("status"),
        "command": record.get("command"),
        "suite": record.get("suite"),
        "corpus": config.get("source"),
        "schemes": _names(config.get("schemes")),
        "attackers": _names(config.get("attackers")),
        "models": ", ".join(map(str, models)) if isinstance(models, list) else "",
        "masker": config.get("masker"),
        "changed": datetime.fromtimestamp((run / "run.json").stat().st_mtime).isoformat(" ", "minutes"),
        **damage,
    }


def _described(path: Path, brief: dict[str, Any]) -> Group:
    """A run in a few lines: in columns of 80 characters its names would be cut."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    what = " ".join(str(brief[name]) for name in ("command", "suite") if brief[name])
    on = f"{what} on {brief['corpus']}" if brief["corpus"] else what
    made = (brief["changed"], brief["status"], brief.get("reason") or on)
    named = [f"{name}: {brief[name]}" for name in ("schemes", "attackers", "models", "masker") if brief[name]]
    lines = (" · ".join(map(_plain, part)) for part in (made, named) if part)
    return Group(
        Text(_plain(path), style="bold"),
        *(Padding(Text(line, overflow="fold"), (0, 0, 0, 2)) for line in lines),
    )


def _plain(value: Any) -> str:
    """A name as one line, whatever it holds."""
    from neuter.reports.wording import one_line

    return one_line(str(value))


def _names(things: Any) -> str:
    """The names in a list of schemes or attackers, whatever else a damaged record holds there."""
    listed = things if isinstance(things, list) else []
    return ", ".join(str(one["name"]) for one in listed if isinstance(one, dict) and "name" in one)
