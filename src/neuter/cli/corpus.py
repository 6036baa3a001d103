"""``neuter corpus``: what ships, what a file holds, and whether it can be read."""

from __future__ import annotations

from typing import Annotated

import typer

from neuter.cli import options

app = typer.Typer(no_args_is_help=True, help="List shipped corpora, show and check a corpus.")


@app.command("list")
def list_(json: options.Json = False) -> int:
    """List the corpora that ship with neuter."""
    from dataclasses import asdict

    from rich.markup import escape
    from rich.table import Table

    from neuter.cli import console
    from neuter.corpus import shipped_corpora

    shipped = shipped_corpora()
    if json:
        console.print_json([asdict(one) for one in shipped])
        return 0
    table = Table("name", "documents", "kind", "what")
    for one in shipped:
        for file in one.files:
            stem = file.name.rpartition(".")[0] or file.name
            name = f"corpora:{one.name}" if file.name == one.default else f"corpora:{one.name}/{stem}"
            table.add_row(escape(name), str(file.documents), escape(file.kind), escape(file.description))
    console.out().print(table)
    return 0


@app.command("show")
def show(
    corpus: options.CorpusArgument,
    rows: Annotated[int, typer.Option("--rows", "-n", min=1, help="How many documents.")] = 5,
    column: options.Column = None,
    preset: options.Preset = None,
    opening: options.Opening = None,
    skip_invalid: options.SkipInvalid = False,
    json: options.Json = False,
) -> int:
    """Show the first documents of a corpus."""
    from itertools import islice

    from neuter.cli import console
    from neuter.corpus import read_corpus

    read = read_corpus(corpus, **options.reading(column, preset, opening, None, None, skip_invalid))
    if json:
        from dataclasses import asdict

        console.print_json([asdict(document) for document in islice(read.documents(), rows)])
        return 0
    console.out().print(read.table(rows))
    return 0


@app.command("check")
def check(
    corpus: options.CorpusArgument,
    column: options.Column = None,
    preset: options.Preset = None,
    opening: options.Opening = None,
    skip_invalid: options.SkipInvalid = False,
    json: options.Json = False,
) -> int:
    """Read a whole corpus and say what it holds and what is wrong with it."""
    from neuter.cli import console
    from neuter.corpus import check_corpus

    checked = check_corpus(corpus, **options.reading(column, preset, opening, None, None, skip_invalid))
    if json:
        console.print_json(checked.to_dict())
    else:
        console.out().print(checked.table())
    return 2 if not checked.documents or (checked.problems and not skip_invalid) else 0
