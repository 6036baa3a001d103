"""``neuter models spent``: what each model has been asked and has cost, from the ledger in the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neuter.cli import options

if TYPE_CHECKING:
    from rich.table import Table


def spent(
    run: Annotated[
        str | None,
        typer.Option("--run", help="Of one run only: its folder, or its id in run.json.", metavar="RUN"),
    ] = None,
    store: options.Store = None,
    json: options.Json = False,
) -> int:
    """Say what each model has been asked and has cost, all runs of the store together."""
    from dataclasses import asdict

    from neuter.cli import console
    from neuter.models import Store
    from neuter.models.store.ledger import spent_by_model

    id_, named = _run(run)
    path = _existing(store or named)
    with Store(path) as opened:
        found = {model: asdict(one) for model, one in spent_by_model(opened, id_).items()}
    if json:
        models = [{"model": model, **sums} for model, sums in found.items()]
        console.print_json({"store": str(path), "run": id_, "models": models})
        return 0
    if not found:
        console.say(f"Nothing has been asked{' in this run' if run else ''}, as far as {path} knows.")
        return 0
    console.out().print(_table(found))
    console.say(f"From the ledger in {path}; what was answered from the store has cost nothing.")
    return 0


def _run(given: str | None) -> tuple[str | None, Path | None]:
    """The id of the run, and the store that its command named."""
    from neuter.suites.run_folder import read_record

    if given is None or not Path(given).exists():
        return given, None
    record = read_record(Path(given))
    arguments = record.get("arguments")
    named = arguments.get("store") if isinstance(arguments, Mapping) else None
    # An old run has no id: nothing in the ledger is of it.
    return str(record.get("id", "")), Path(named) if named else None


def _existing(given: Path | None) -> Path:
    """The store's file.

    Raises:
        UsageError: there is none; it is not made to say that it is empty.
    """
    from neuter.errors import UsageError
    from neuter.models.store import default_path

    path = given or default_path()
    if not path.is_file():
        raise UsageError("there is no store", where=str(path), todo="Name its file with --store")
    return path


def _table(found: Mapping[str, Mapping[str, Any]]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_footer=True, padding=(0, 1, 0, 0), pad_edge=False)
    every = list(found.values())
    table.add_column("model", "all", overflow="fold")
    away = any(row["turned_away"] for row in every)
    counted = [
        ("sent", ("attempts", "turned_away")),
        *([("turned\naway", ("turned_away",))] if away else []),
        *([("under\nway", ("under_way",))] if any(row["under_way"] for row in every) else []),
        ("answered", ("answered",)),
        ("tokens\nin", ("prompt_tokens",)),
        ("tokens\nout", ("completion_tokens",)),
    ]
    for title, names in counted:
        total = sum(row[name] for row in every for name in names)
        table.add_column(title, f"{total:,}", justify="right", no_wrap=True)
    table.add_column("cost", _cost(every), justify="right", no_wrap=True)
    table.add_column("possibly\nbesides", _possibly(every), justify="right", no_wrap=True)
    for model, row in found.items():
        cells = [f"{sum(row[name] for name in names):,}" for _, names in counted]
        table.add_row(Text(model), *cells, _cost([row]), _possibly([row]))
    return table


def _cost(rows: Sequence[Mapping[str, Any]]) -> str:
    """What was answered has cost so much; what is not known is said, and is never 0."""
    from neuter.reports.money import dollars

    cost = sum(row["cost"] for row in rows)
    unknown = any(row["unpriced"] or (row["unestimated"] and not row["cost"]) for row in rows)
    if not unknown:
        return dollars(cost)
    return f"{dollars(cost)}\n+ unknown" if cost else "unknown"


def _possibly(rows: Sequence[Mapping[str, Any]]) -> str:
    """Attempts that brought no answer and may have been billed, or are under way, and what they are estimated at."""
    from neuter.reports.money import dollars

    attempts = sum(row["possibly_billed"] + row["under_way"] for row in rows)
    possibly = sum(row["possibly"] + row["under_way_cost"] for row in rows)
    if not attempts:
        return ""
    return f"{attempts:,}: {dollars(possibly) if possibly else 'unknown'}"
