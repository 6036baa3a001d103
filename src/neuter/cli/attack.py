"""``neuter attack``: what one attacker guesses from masked texts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from neuter.cli import options
from neuter.cli.spending_options import with_spending


@with_spending
def attack(
    masked: Annotated[Path, typer.Argument(help="A file that neuter mask wrote.", metavar="MASKED")],
    attacker: Annotated[
        str, typer.Option("--attacker", help="linkage, llm, prior, majority, or path/to/mine.py:Class.")
    ] = "linkage",
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            help="What the attacker may know. Default: the other masked texts.",
            metavar="CORPUS",
        ),
    ] = None,
    model: options.Model = None,
    firms: options.Firms = None,
    out: Annotated[Path | None, typer.Option("--out", help="Keep the guesses here (.parquet).")] = None,
    store: options.Store = None,
    config: options.Config = None,
    json: options.Json = False,
    *,
    spending: Mapping[str, Any],
) -> int:
    """Let one attacker guess firm, quarter and year."""
    from neuter import api
    from neuter.cli import console

    with console.progress() as told:
        guesses = api.attack(
            masked,
            attacker=attacker,
            reference=reference,
            model=model,
            out=out,
            firms=firms,
            parameters=options.parameters(config),
            store=store,
            config=config,
            progress=told,
            **spending,
        )
    if json:
        console.print_json(guesses.to_polars().to_dicts())
    else:
        console.out().print(guesses.table())
    failed = sum(guess.outcome != "answered" for guess in guesses)
    for sentence in (*guesses.found, *(f"• {note}" for note in guesses.notes)):
        console.say(sentence)
    if guesses.asked:
        console.say(f"{guesses.asked}.")
    console.say(f"{len(guesses)} guesses, {failed} without an answer{f': {out}' if out else ''}")
    return 3 if any(guess.outcome == "failed" for guess in guesses) else 0
