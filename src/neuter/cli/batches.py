"""``neuter models batches``: which batches are under way at a provider, and what to do with one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neuter.cli import options

if TYPE_CHECKING:
    from rich.table import Table

    from neuter.models.batch import OpenBatch

_Batch = "ID"


def batches(
    cancel: Annotated[
        str | None,
        typer.Option(
            "--cancel", help="Ask the server to stop this batch; what it has done is kept.", metavar=_Batch
        ),
    ] = None,
    give_up: Annotated[
        str | None,
        typer.Option(
            "--give-up",
            help="Wait for this batch no longer: its requests may be billed, and are asked anew.",
            metavar=_Batch,
        ),
    ] = None,
    store: options.Store = None,
    config: options.Config = None,
    json: options.Json = False,
) -> int:
    """List the batches whose answers are not all in the store yet (runs with --batch go on with them)."""
    from dataclasses import asdict

    from neuter.cli import console
    from neuter.models.store import default_path

    path = store or default_path()
    found = _open(path)
    if cancel or give_up:
        return _act(found, str(cancel or give_up), stop=bool(cancel), store=path, config=config)
    if json:
        console.print_json([asdict(one) for one in found])
    elif not found:
        console.say(f"No batch is under way, as far as {path} knows.")
    else:
        console.out().print(_table(found))
    return 0


def _open(path: Path) -> Sequence[OpenBatch]:
    from neuter.errors import UsageError
    from neuter.models import Store
    from neuter.models.batch import open_batches

    if not path.is_file():
        raise UsageError("there is no store", where=str(path), todo="Name its file with --store")
    with Store(path) as opened:
        return open_batches(opened)


def _act(found: Sequence[OpenBatch], batch: str, *, stop: bool, store: Path, config: Path | None) -> int:
    from neuter.cli import console
    from neuter.errors import UsageError
    from neuter.models import connect

    meant = next((one for one in found if batch in {one.id, one.remote}), None)
    if meant is None:
        known = ", ".join(one.remote or one.id for one in found) or "none"
        raise UsageError(f"no batch {batch!r} is under way", where=str(store), todo=f"Under way: {known}")
    with connect(meant.model, store=store, config=config, batch=True) as model:
        (model.cancel_batch if stop else model.give_up_batch)(meant.id)
    told = "the server was asked to stop it" if stop else "given up: its requests are asked anew"
    console.say(f"{meant.remote or meant.id} ({meant.model}, {meant.requests:,} requests): {told}")
    return 0


def _table(found: Sequence[OpenBatch]) -> Table:
    from rich import box
    from rich.table import Column, Table
    from rich.text import Text

    table = Table(
        Column("batch", overflow="fold"),
        Column("model", overflow="fold"),
        Column("requests", justify="right", no_wrap=True),
        "state",
        Column("made (UTC)", no_wrap=True),
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for one in found:
        made = one.created_at[:16].replace("T", " ")
        table.add_row(Text(one.remote or one.id), Text(one.model), f"{one.requests:,}", one.state, made)
    return table
