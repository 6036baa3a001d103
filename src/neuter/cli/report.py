"""``neuter report``: a run shown again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from neuter.cli import options


class _ShowUnlessNamed(TyperGroup):
    """``neuter report RUN`` is ``neuter report show RUN``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            args = ["show", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_ShowUnlessNamed,
    no_args_is_help=True,
    help="Show a run again, and write its report anew: neuter report RUN.",
)


@app.command("show")
def show(
    run: Annotated[Path, typer.Argument(help="A run folder.", metavar="RUN")],
    corpus: Annotated[str | None, typer.Option("--corpus", help="Where the original texts are now.")] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            help="all, size, firm, sector, domain or year. Default: size; of a benchmark, the paper's table.",
        ),
    ] = None,
    json: options.Json = False,
) -> int:
    """Write report.html, figures and tables of a run anew, and print its table."""
    from neuter import api
    from neuter.cli import console
    from neuter.cli.evaluate import show as show_result

    result = api.report(run, corpus=corpus)
    if json or by is None:
        return show_result(result, as_json=json)
    console.out().print(result.table(by=by))
    return 0
