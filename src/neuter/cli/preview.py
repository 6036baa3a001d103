"""``neuter preview``: a few documents, masked, in the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from neuter.cli import options
from neuter.types import Document, MaskedDocument


def preview(
    corpus: options.CorpusArgument,
    scheme: options.SchemeName = "rules",
    documents: Annotated[int, typer.Option("--documents", "-n", min=1, help="How many.")] = 2,
    model: options.Model = None,
    column: options.Column = None,
    preset: options.Preset = None,
    opening: options.Opening = None,
    skip_invalid: options.SkipInvalid = False,
    store: options.Store = None,
    config: options.Config = None,
    json: options.Json = False,
) -> int:
    """Show a few documents masked, the placeholders marked."""
    from neuter import api
    from neuter.cli import console

    with console.progress() as told:
        pairs = api.preview(
            corpus,
            scheme=scheme,
            documents=documents,
            model=model,
            parameters=options.parameters(config),
            store=store,
            config=config,
            progress=told,
            **options.reading(column, preset, opening, None, None, skip_invalid),
        )
    if json:
        console.print_json(
            [{"id": d.id, "text": m.text, "scheme": m.scheme, "reason": m.reason} for d, m in pairs]
        )
        return 0
    for document, masked in pairs:
        console.out().print(_shown(document, masked))
    return 3 if any(masked.text is None for _, masked in pairs) else 0


def _shown(document: Document, masked: MaskedDocument) -> object:
    from rich.panel import Panel
    from rich.text import Text

    from neuter.masking.placeholders import find_placeholders

    if masked.text is None:
        body = Text(f"not masked ({masked.outcome}): {masked.reason}", style="red")
    else:
        body = Text(_printable(masked.text))
        for match in find_placeholders(body.plain):
            body.stylize("bold cyan", *match.span())
    share = _share(document, masked)
    return Panel(body, title=Text(f"{document.id} · {masked.scheme}{share}"), title_align="left")


def _share(document: Document, masked: MaskedDocument) -> str:
    from neuter.masking.spans import share_of_words_masked

    if masked.text is None or masked.replacements is None:
        return ""
    return f" · {100 * share_of_words_masked(document.text, masked.replacements):.0f}% of words masked"


def _printable(text: str) -> str:
    """Control characters of a text shown as what they are: they must not steer the terminal."""
    return "".join(c if c in "\n\t" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)
