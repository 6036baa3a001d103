"""``neuter benchmark``: tables of the papers, made again."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from neuter.cli import options
from neuter.errors import UsageError

_PANELS = "Panels and readings"


def benchmark(
    suite: Annotated[
        list[str] | None, typer.Argument(help="One or more suites: masking.", metavar="SUITE ...")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="Repeatable. PROVIDER/NAME. Default: the embedded model, if installed.",
            rich_help_panel="Models",
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", help="Calls or headlines. Default: corpora:sample.", metavar="CORPUS"),
    ] = None,
    scheme: Annotated[
        list[str] | None,
        typer.Option("--scheme", help="Repeatable. Default: rules. The paper's own is entity-neutering."),
    ] = None,
    masker: options.Masker = None,
    model_sample: options.ModelSample = None,
    panel: Annotated[
        str | None,
        typer.Option(
            "--panel",
            help="A (the seven firms) or B (by size) alone; A asks about the seven's documents only.",
            rich_help_panel=_PANELS,
        ),
    ] = None,
    reading: Annotated[
        str | None,
        typer.Option(
            "--reading",
            help="fiscal, calendar (in which the period ends), call (of the call's date), or all. Default: fiscal.",
            rich_help_panel=_PANELS,
        ),
    ] = None,
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
            "--out",
            help="The run folder; of several suites, the folder of theirs. Default: neuter-runs/SUITE-HASH.",
            rich_help_panel="Output",
        ),
    ] = None,
    overwrite: options.Overwrite = False,
    store: options.Store = None,
    config: options.Config = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> int:
    """Make a table of the papers again, with the published figures beside: neuter benchmark masking --model NAME.

    The same command goes on where an earlier one stopped, and asks no model twice.
    """
    names = _named(suite)
    arguments = {
        "models": model,
        "corpus": options.lasting(corpus),
        "schemes": None if scheme is None else [options.lasting(name) for name in scheme],
        "masker": masker,
        "model_sample": model_sample,
        "panel": None if panel is None else panel.upper(),
        "reading": reading,
        "breakpoints": options.lasting_breakpoints(breakpoints),
        "size_as_of": size_as_of if size_as_of != "month" else None,
        "firms": options.lasting_files(firms),
        "seed": seed,
        "store": None if store is None else str(store.absolute()),
        "config": None if config is None else str(config.absolute()),
        **options.reading(column, preset, opening, limit, sample, skip_invalid),
    }
    given = {key: value for key, value in arguments.items() if value is not None}
    if dry_run:
        return _dry_run(names, given, as_json=json)
    folders = {name: out if out is None or len(names) == 1 else out / name for name in names}
    return max(
        carry_out(name, _for(name, given), out=folders[name], overwrite=overwrite, as_json=json)
        for name in names
    )


def carry_out(
    suite: str,
    arguments: Mapping[str, Any],
    *,
    out: Path | None,
    overwrite: bool = False,
    as_json: bool = False,
) -> int:
    """Run one suite with the arguments of a command line, show the result, and return the exit status."""
    from neuter import api
    from neuter.cli.console import progress
    from neuter.cli.evaluate import show

    with progress() as told:
        result = api.benchmark(
            suite,
            out=out,
            overwrite=overwrite,
            progress=told,
            arguments={"suite": suite, **arguments},
            scheme_parameters=_scheme_parameters(arguments),
            **arguments,
        )
    return show(result, as_json=as_json)


def _named(suites: list[str] | None) -> list[str]:
    """The suites, each once and each there.

    Raises:
        UsageError: none is named; the message lists them.
        UnknownName: there is none of that name; the message names the nearest.
    """
    from neuter import plugins

    if not suites:
        known = "; ".join(f"{name}: {plugins.load('suite', name).title}" for name in plugins.names("suite"))
        raise UsageError("no suite is named", todo=f"There are: {known}")
    for name in suites:
        plugins.load("suite", name)
    return list(dict.fromkeys(suites))


def _for(suite: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that concern this suite: of several suites, each takes its own."""
    from neuter import plugins

    accepted = set(inspect.signature(plugins.load("suite", suite)).parameters)
    common = {"models", "seed", "firms", "store", "config"}
    if "corpus" in accepted:
        common |= {"columns", "preset", "opening", "limit", "sample", "skip_invalid"}
    return {name: value for name, value in arguments.items() if name in accepted | common}


def _dry_run(names: list[str], given: Mapping[str, Any], *, as_json: bool) -> int:
    from neuter.api.benchmarking import requests
    from neuter.cli.evaluate import say_requests

    rows = []
    for name in names:
        asked = {key: value for key, value in _for(name, given).items() if key not in {"store", "config"}}
        made = requests(name, scheme_parameters=_scheme_parameters(given), **asked)
        rows += [{"suite": name, **row} for row in made]
    return say_requests(rows, as_json=as_json)


def _scheme_parameters(arguments: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    config = arguments.get("config")
    return options.parameters(Path(config) if config else None)
