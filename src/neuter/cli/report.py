"""``neuter report``: a run shown again, and scored anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from neuter.cli import options

if TYPE_CHECKING:
    from neuter.suites.rescoring import Rescoring


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
    from neuter.errors import UsageError
    from neuter.suites.ignorance.names import is_ignorance
    from neuter.suites.recall.names import is_recall

    result = api.report(run, corpus=corpus)
    if by is not None and (is_recall(result.run) or is_ignorance(result.run)):
        suite = result.run.get("suite")
        raise UsageError(
            f"a run of the suite {suite!r} has no such groups", where=str(run), todo="Leave out --by"
        )
    if json or by is None:
        return show_result(result, as_json=json)
    console.out().print(result.table(by=by))
    return 0


@app.command("rescore")
def rescore(
    run: Annotated[Path, typer.Argument(help="A run folder.", metavar="RUN")],
    corpus: Annotated[str | None, typer.Option("--corpus", help="Where the original texts are now.")] = None,
    json: options.Json = False,
) -> int:
    """Parse every stored answer of a finished run anew and score it anew; nothing is asked."""
    from neuter import api
    from neuter.cli import console
    from neuter.cli.evaluate import as_data, exit_status
    from neuter.cli.evaluate import show as show_result

    told = api.rescore(run, corpus=corpus)
    for line in _changes(told.done):
        console.say(line)
    if not json:
        return show_result(told.result, as_json=False)
    counts = {"guesses": told.done.guesses, "changed": told.done.changed}
    by = {"by_outcome": told.done.by_outcome, "by_field": told.done.by_field}
    console.print_json({**as_data(told.result), "rescored": {**counts, **by}})
    return exit_status(told.result)


def _changes(done: Rescoring) -> Iterator[str]:
    """What a rescoring changed, in a few lines."""
    scores = "changed" if done.scores_changed else "are as they were"
    yield f"{done.changed:,} of {done.guesses:,} guesses changed; the scores {scores}."
    for title, counts in (("outcome", done.by_outcome), ("field", done.by_field)):
        if counts:
            told = ", ".join(f"{name} ({count:,})" for name, count in counts.most_common())
            yield f"By {title}: {told}"
    for change in done.first:
        before, after = change.before, change.after
        told = "; ".join(f"{name} {getattr(before, name)} → {getattr(after, name)}" for name in change.fields)
        whose = " · ".join(filter(None, [after.scheme, after.attacker, after.model]))
        yield f"• {after.id} ({whose}): {told}"
    if done.changed > len(done.first):
        yield f"• and {done.changed - len(done.first):,} more"
