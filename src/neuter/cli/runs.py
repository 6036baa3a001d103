"""``neuter runs``: the run folders at hand, what one holds, and going on with one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from neuter.cli import options

app = typer.Typer(no_args_is_help=True, help="List, show and resume runs.")


@app.command("list")
def list_(
    folder: Annotated[Path, typer.Argument(help="Where runs are kept.", metavar="FOLDER")] = Path(
        "neuter-runs"
    ),
    json: options.Json = False,
) -> int:
    """List the runs in a folder."""
    from rich.markup import escape
    from rich.table import Table

    from neuter.cli import console

    found = [(path.parent, _record(path.parent)) for path in sorted(folder.glob("*/run.json"))]
    if json:
        console.print_json([{"run": str(path), **_brief(record)} for path, record in found])
        return 0
    if not found:
        console.say(f"no run in {folder}")
        return 0
    table = Table("run", "status", "corpus", "schemes", "attackers")
    for path, record in found:
        brief = _brief(record)
        table.add_row(
            *(
                escape(str(cell))
                for cell in (path, brief["status"], brief["corpus"], brief["schemes"], brief["attackers"])
            )
        )
    console.out().print(table)
    return 0


@app.command("show")
def show(
    run: Annotated[Path, typer.Argument(help="A run folder.", metavar="RUN")], json: options.Json = False
) -> int:
    """Show a run's table, notes and failures without writing anything."""
    from neuter.cli.evaluate import show as show_result
    from neuter.reports import open_run

    return show_result(open_run(run), as_json=json)


@app.command("resume")
def resume(
    run: Annotated[Path, typer.Argument(help="A run folder.", metavar="RUN")], json: options.Json = False
) -> int:
    """Go on with a run that was interrupted; a finished one is only shown again."""
    from neuter.cli import benchmark, evaluate
    from neuter.errors import RunError

    record = _record(run)
    if record.get("status") == "done":
        return show(run, json=json)
    arguments = record.get("arguments")
    if record.get("command") == "benchmark" and isinstance(arguments, dict) and "suite" in arguments:
        own = {name: value for name, value in arguments.items() if name != "suite"}
        return benchmark.carry_out(arguments["suite"], own, out=run, as_json=json)
    if not arguments or "corpus" not in arguments:
        raise RunError(
            "does not say how it was made", where=str(run), todo="Run its command again with --out"
        )
    return evaluate.carry_out(arguments, out=run, as_json=json)


def _record(run: Path) -> dict[str, Any]:
    from neuter.suites.run_folder import read_record

    return read_record(run)


def _brief(record: dict[str, Any]) -> dict[str, Any]:
    found = record.get("config")
    config = found if isinstance(found, dict) else {}
    return {
        "status": record.get("status"),
        "corpus": config.get("source"),
        "schemes": _names(config.get("schemes")),
        "attackers": _names(config.get("attackers")),
    }


def _names(things: Any) -> str:
    """The names in a list of schemes or attackers, whatever else a damaged record holds there."""
    listed = things if isinstance(things, list) else []
    return ", ".join(str(one["name"]) for one in listed if isinstance(one, dict) and "name" in one)
