"""``neuter power``: how many firms and documents a difference needs."""

from __future__ import annotations

from typing import Annotated

import typer

from neuter.cli import options


def power(
    firms: Annotated[int, typer.Option("--firms", help="How many firms the sample has.")],
    effect: Annotated[
        float, typer.Option("--effect", help="The difference to be found, as a share: 0.05 is 5 points.")
    ],
    documents: Annotated[int, typer.Option("--documents", help="How many documents each firm has.")] = 1,
    accuracy: Annotated[
        float,
        typer.Option("--accuracy", help="Halfway between the two schemes; or the one against the baseline."),
    ] = 0.5,
    correlation: Annotated[
        float | None,
        typer.Option(
            "--correlation",
            help="How alike documents of a firm are, 0 to 1. Default: 0.25, about that of years in Table 7.",
        ),
    ] = None,
    agreement: Annotated[
        float | None,
        typer.Option(
            "--agreement",
            help="Share of documents both schemes get right or both wrong. Default: halfway from chance to 1.",
        ),
    ] = None,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="The two schemes are tried on documents of different firms.")
    ] = False,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="One accuracy against a known baseline, not two schemes.")
    ] = False,
    wanted: Annotated[float, typer.Option("--power", help="The chance of finding the difference.")] = 0.8,
    level: Annotated[float, typer.Option("--level", help="Of the two-sided test.")] = 0.05,
    json: options.Json = False,
) -> int:
    """Say what difference a sample can show, and how many firms and documents a difference needs."""
    from neuter import api
    from neuter.cli import console
    from neuter.errors import UsageError

    if unpaired and baseline:
        raise UsageError("--unpaired and --baseline do not go together", todo="Give one of them")
    found = api.power(
        firms=firms,
        documents=documents,
        effect=effect,
        kind="unpaired" if unpaired else "baseline" if baseline else "paired",
        accuracy=accuracy,
        correlation=correlation,
        agreement=agreement,
        power=wanted,
        level=level,
    )
    if json:
        console.print_json(found.to_dict())
        return 0
    for line in found.sentences():
        console.out().print(line, markup=False, highlight=False)
    console.out().print(found.table())
    console.out().print(found.assumed(), markup=False, highlight=False)
    return 0
