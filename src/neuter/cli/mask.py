"""``neuter mask``: a masked copy of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from neuter.cli import options
from neuter.cli.spending_options import with_spending


@with_spending
def mask(
    corpus: options.CorpusArgument,
    out: Annotated[
        Path,
        typer.Option(
            "--out", help="The masked corpus; its format follows the extension (.parquet, .jsonl, .csv)."
        ),
    ],
    scheme: options.SchemeName = "rules",
    key: Annotated[
        Path | None, typer.Option("--key", help="Keep the originals here (mode 0600), for neuter unmask.")
    ] = None,
    model: options.Model = None,
    firms: options.Firms = None,
    column: options.Column = None,
    preset: options.Preset = None,
    opening: options.Opening = None,
    limit: options.Limit = None,
    sample: options.Sample = None,
    skip_invalid: options.SkipInvalid = False,
    seed: options.Seed = 0,
    store: options.Store = None,
    config: options.Config = None,
    json: options.Json = False,
    *,
    spending: Mapping[str, Any],
) -> int:
    """Mask a corpus with one scheme."""
    from neuter import api
    from neuter.cli import console

    with console.progress() as told:
        masked = api.mask(
            corpus,
            scheme=scheme,
            out=out,
            key=key,
            model=model,
            firms=firms,
            parameters=options.parameters(config),
            store=store,
            config=config,
            progress=told,
            **spending,
            **options.reading(column, preset, opening, limit, sample, skip_invalid, seed),
        )
    if json:
        console.print_json(
            {"out": str(out), "scheme": masked.scheme, "written": masked.written, "failed": masked.failed}
        )
    console.say(f"{masked.written} documents masked with {masked.scheme}: {out}")
    for id_, reason in masked.failed:
        console.say(f"• not masked, and absent: {id_}: {reason}")
    for note in masked.notes:
        console.say(f"• {note}")
    if masked.asked:
        console.say(f"{masked.asked}.")
    return 3 if masked.failed else 0
