"""``neuter evaluate``: mask, attack, score, show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neuter.cli import options
from neuter.cli.spending_options import with_spending

if TYPE_CHECKING:
    from rich.table import Table

    from neuter.reports import Evaluation


@with_spending
def evaluate(
    corpus: options.CorpusArgument,
    scheme: Annotated[
        list[str] | None, typer.Option("--scheme", help="Repeatable. Default: none, presidio, rules.")
    ] = None,
    attacker: Annotated[
        list[str] | None,
        typer.Option(
            "--attacker",
            help="Repeatable: linkage, llm, prior, majority. Default: linkage, prior, llm with a model.",
        ),
    ] = None,
    model: options.Models = None,
    masker: options.Masker = None,
    model_sample: options.ModelSample = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            help="What a linkage attacker may know. Default: the corpus's own full texts, and the masked ones.",
            metavar="CORPUS",
        ),
    ] = None,
    full_masked_reference: Annotated[
        bool,
        typer.Option(
            "--full-masked-reference",
            help="Mask the linkage attacker's whole reference too, not only the texts that are attacked (slower).",
        ),
    ] = False,
    breakpoints: options.Breakpoints = None,
    size_as_of: options.SizeAsOf = "month",
    firms: options.Firms = None,
    column: options.Column = None,
    preset: options.Preset = None,
    opening: options.Opening = None,
    limit: options.Limit = None,
    sample: options.Sample = None,
    skip_invalid: options.SkipInvalid = False,
    seed: options.Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="The run folder. Default: neuter-runs/CORPUS-HASH.", rich_help_panel="Output"
        ),
    ] = None,
    overwrite: options.Overwrite = False,
    store: options.Store = None,
    config: options.Config = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
    *,
    spending: Mapping[str, Any],
) -> int:
    """Score masking schemes: how often are firm, quarter and year recovered from the masked texts?

    The same command goes on where an earlier one stopped, and asks no model twice.
    """
    arguments = {
        "corpus": options.lasting(corpus),
        "schemes": None if scheme is None else [options.lasting(name) for name in scheme],
        "attackers": None if attacker is None else [options.lasting(name) for name in attacker],
        "models": model,
        "masker": masker,
        "model_sample": model_sample,
        "reference": options.lasting(reference),
        "full_masked_reference": full_masked_reference or None,
        "breakpoints": options.lasting_breakpoints(breakpoints),
        "size_as_of": size_as_of if size_as_of != "month" else None,
        "firms": options.lasting_files(firms),
        "seed": seed,
        "store": None if store is None else str(store.absolute()),
        "config": None if config is None else str(config.absolute()),
        "reading": options.reading(column, preset, opening, limit, sample, skip_invalid, seed),
        **spending,
    }
    arguments = {key: value for key, value in arguments.items() if value is not None}
    if dry_run:
        return _dry_run(arguments, as_json=json)
    return carry_out(arguments, out=out, overwrite=overwrite, as_json=json)


def carry_out(
    arguments: dict[str, Any], *, out: Path | None, overwrite: bool = False, as_json: bool = False
) -> int:
    """Evaluate with the arguments of a command line, show the result, and return the exit status."""
    from neuter import api
    from neuter.cli.console import progress

    given = {key: value for key, value in arguments.items() if key not in {"corpus", "reading"}}
    with progress() as told:
        result = api.evaluate(
            arguments["corpus"],
            out=out,
            overwrite=overwrite,
            parameters=options.parameters(Path(given["config"]) if "config" in given else None),
            progress=told,
            arguments=arguments,
            **given,
            **{name: value for name, value in arguments.get("reading", {}).items() if name != "seed"},
        )
    return show(result, as_json=as_json)


def show(result: Evaluation, *, as_json: bool) -> int:
    """The table, the notes and the report's path; the exit status is 3 where something asked for failed."""
    from neuter.cli import console

    record = result.run
    if as_json:
        console.print_json(as_data(result))
    else:
        console.out().print(result.table())
    for note in record.get("notes", []):
        console.say(f"• {note}")
    for failure in record.get("failures", [])[:10]:
        console.say(f"• {failure['scheme']} could not mask {failure['id']}: {failure['reason']}")
    if result.asked:
        console.say(f"{result.asked}.")
    target = (
        console.say
        if as_json
        else lambda text: console.out().print(text, markup=False, highlight=False, soft_wrap=True)
    )
    target(f"Report: {result.folder / 'report.html'}")
    return exit_status(result)


def exit_status(result: Evaluation) -> int:
    """3 where something that was asked for failed."""
    return 3 if result.run.get("status") == "finished with failures" else 0


def as_data(result: Evaluation) -> dict[str, Any]:
    """A run as JSON holds it: where it is, what it has to tell, and its scores."""
    told = ("status", "notes", "caveats", "not_run", "failures", "outcomes", "spent")
    of_suites = ("suite", "panels", "reading", "documents_are")
    return {
        "run": str(result.folder),
        "report": str(result.folder / "report.html"),
        **{key: result.run.get(key) for key in told},
        **{key: result.run[key] for key in of_suites if key in result.run},
        "scores": result.scores,
    }


def _dry_run(arguments: dict[str, Any], *, as_json: bool) -> int:
    from neuter.api.estimating import estimate

    return say_requests(estimate(arguments), as_json=as_json)


def say_requests(rows: Sequence[Mapping[str, Any]], *, as_json: bool) -> int:
    """What would be asked of models and what it would cost (priced rows); returns the exit status."""
    from neuter.api.estimating import notes_on, total_of
    from neuter.cli import console

    total, notes = total_of(rows), notes_on(rows)
    if as_json:
        console.print_json({"rows": list(rows), "total": total, "notes": notes})
        return 0
    if not rows:
        console.say("No request to a model: these schemes and attackers need none.")
        return 0
    console.out().print(_requests_table(rows, total))
    for note in notes:
        console.say(f"• {note}")
    return 0


def _requests_table(rows: Sequence[Mapping[str, Any]], total: Mapping[str, Any]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from neuter.api.estimating import dollars

    partly = total["cost"] is None and total["known_cost"]
    sum_of_costs = f"{dollars(total['known_cost'])}\n+ unknown" if partly else dollars(total["cost"])
    table = Table(box=box.SIMPLE_HEAD, show_footer=True, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("what", "total", overflow="fold")
    table.add_column("model", overflow="fold")
    for title, key in (
        ("requests", "requests"),
        ("tokens\nin", "prompt_tokens"),
        ("tokens\nout", "completion_tokens"),
    ):
        table.add_column(title, f"{total[key]:,}", justify="right", no_wrap=True)
    table.add_column("cost", sum_of_costs, justify="right", no_wrap=True)
    table.add_column("price of", no_wrap=True)
    several = len({row.get("suite") for row in rows}) > 1
    for row in rows:
        what = f"{row['suite']}: {row['what']}" if several else row["what"]
        counts = (f"{row[key]:,}" for key in ("requests", "prompt_tokens", "completion_tokens"))
        day = "" if row["price_as_of"] is None else str(row["price_as_of"])
        table.add_row(Text(what), Text(row["model"] or "none named"), *counts, dollars(row["cost"]), day)
    return table
