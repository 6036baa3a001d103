"""``neuter benchmark``: tables of the papers, made again."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neuter.cli import forecast_options, options, recall_options
from neuter.cli.forecast_options import with_forecasts
from neuter.cli.recall_options import with_recall
from neuter.cli.spending_options import NAMES as SPENDING
from neuter.cli.spending_options import with_spending
from neuter.errors import UsageError

if TYPE_CHECKING:
    from neuter.reports import Evaluation
    from neuter.suites.suite import Suite

_PANELS = "Panels and readings"
#: Options that may be given more than once, by the argument that they become.
_OPTION = {"schemes": "scheme", "columns": "column", **recall_options.SPELLED, **forecast_options.SPELLED}
#: What every suite takes, and what one that works on a corpus takes for reading it.
_COMMON = {"models", "seed", "firms", "store", "config", *SPENDING}
_READING = {"columns", "preset", "opening", "limit", "sample", "skip_invalid"}


_Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        min=1,
        help="Only the first N documents (recall: dates of each series; ignorance: questions).",
        metavar="N",
    ),
]
_Sample = Annotated[
    int | None,
    typer.Option(
        "--sample",
        min=1,
        help="N documents, seeded and stratified by size (recall: dates of each series and kind of question, spread "
        "over time and split; ignorance: questions, as many before the cutoffs as after).",
        metavar="N",
    ),
]


@with_spending
@with_recall
@with_forecasts
def benchmark(
    suite: Annotated[
        list[str] | None,
        typer.Argument(
            help="One or more suites, such as macro indices. Without any, they are listed.",
            metavar="SUITE ...",
        ),
    ] = None,
    model: options.Models = None,
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
            metavar="A|B",
            rich_help_panel=_PANELS,
        ),
    ] = None,
    reading: Annotated[
        str | None,
        typer.Option(
            "--reading",
            help="fiscal, calendar (in which the period ends), call (of the call's date), or all. Default: fiscal.",
            metavar="fiscal|calendar|call|all",
            rich_help_panel=_PANELS,
        ),
    ] = None,
    breakpoints: options.Breakpoints = None,
    size_as_of: options.SizeAsOf = "month",
    firms: options.Firms = None,
    column: options.Column = None,
    preset: options.Preset = None,
    opening: options.Opening = None,
    limit: _Limit = None,
    sample: _Sample = None,
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
    *,
    recall: Mapping[str, Any],
    forecasts: Mapping[str, Any],
    spending: Mapping[str, Any],
) -> int:
    """Make tables of the papers again, with the published figures beside: neuter benchmark macro indices --model NAME.

    The same command goes on where an earlier one stopped, and asks no model twice.
    """
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
        **recall_options.lasting(recall),
        **forecast_options.lasting(forecasts),
        **spending,
    }
    given = {key: value for key, value in arguments.items() if value is not None}
    if not suite and not dry_run and set(given) <= {"seed"}:
        return _list_suites(as_json=json)
    names = _named(suite)
    if dry_run:
        return _dry_run(names, given, as_json=json)
    each = _each(names, given)
    if len(each) == 1:
        return carry_out(*each[0], out=out, overwrite=overwrite, as_json=json)
    return _several(each, out, overwrite=overwrite, as_json=json)


def carry_out(
    suite: str,
    arguments: Mapping[str, Any],
    *,
    out: Path | None,
    overwrite: bool = False,
    as_json: bool = False,
) -> int:
    """Run one suite with the arguments of a command line, show the result, and return the exit status."""
    from neuter.cli.evaluate import show

    return show(_run(suite, arguments, out=out, overwrite=overwrite), as_json=as_json)


def _several(
    each: list[tuple[str, dict[str, Any]]], out: Path | None, *, overwrite: bool, as_json: bool
) -> int:
    """Each suite in its own folder; as JSON, a list.

    All are looked at before the first of them asks anything.
    """
    from neuter import plugins
    from neuter.cli import console
    from neuter.cli.evaluate import as_data, exit_status, show

    results = []
    made = [_checked(name, arguments) for name, arguments in each]
    for (name, arguments), suite in zip(each, made, strict=True):
        folder = None if out is None else out / plugins.load("suite", name).name
        results.append(_run(name, arguments, out=folder, overwrite=overwrite, made=suite))
        if not as_json:
            show(results[-1], as_json=False)
    if as_json:
        console.print_json([as_data(result) for result in results])
    return max(map(exit_status, results))


def _run(
    suite: str, arguments: Mapping[str, Any], *, out: Path | None, overwrite: bool, made: Suite | None = None
) -> Evaluation:
    """Run a suite by its name, or one that is made of these very arguments already."""
    from neuter import api
    from neuter.cli.console import progress

    own = arguments if made is None else {name: arguments[name] for name in _COMMON & set(arguments)}
    with progress() as told:
        return api.benchmark(
            made or suite,
            out=out,
            overwrite=overwrite,
            progress=told,
            arguments={"suite": suite, **arguments},
            scheme_parameters=_scheme_parameters(arguments),
            **own,
        )


def _named(suites: list[str] | None) -> list[str]:
    """The suites, each once and each there.

    Raises:
        UsageError: none is named; the message lists them.
        UnknownName: there is none of that name; the message names the nearest.
    """
    from neuter import plugins

    if not suites:
        known = "; ".join(f"{name}: {title}" for name, title in _suites().items())
        raise UsageError("no suite is named", todo=f"There are: {known}")
    names = list(dict.fromkeys(options.lasting(name) for name in suites))
    for name in names:
        plugins.load("suite", name)
    return names


def _suites() -> dict[str, str]:
    """The title of each suite by its name."""
    from neuter import plugins

    return {name: plugins.load("suite", name).title for name in plugins.names("suite")}


def _list_suites(*, as_json: bool) -> int:
    """What there is to be made again."""
    from rich.table import Table
    from rich.text import Text

    from neuter.cli import console

    if as_json:
        console.print_json([{"suite": name, "title": title} for name, title in _suites().items()])
        return 0
    table = Table("suite", "what it makes again")
    for name, title in _suites().items():
        table.add_row(Text(name), Text(title))
    console.out().print(table)
    console.say("One is run by its name: neuter benchmark NAME --model PROVIDER/NAME")
    return 0


def _for(suite: str, arguments: Mapping[str, Any], suites: list[str]) -> dict[str, Any]:
    """The arguments that concern this suite: of several suites each takes its own, and one alone must take all.

    Raises:
        UsageError: no suite takes an option.
    """
    taken = {name: _accepted(name) for name in suites}
    stray = set(arguments) - set().union(*taken.values())
    if stray:
        named = ", ".join(f"--{_OPTION.get(name, name).replace('_', '-')}" for name in sorted(stray))
        raise UsageError(f"no option {named} of {', '.join(suites)}", todo="See neuter benchmark --help")
    return {name: value for name, value in arguments.items() if name in taken[suite]}


def _each(names: list[str], given: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Each suite with the arguments that concern it; of several series and conditions each takes those that it has.

    Raises:
        UsageError: an option or a series that no suite takes, or a suite that none of the series is of.
    """
    each = [(name, _for(name, given, names)) for name in names]
    return _parted(_parted(each, "series", "takes"), "conditions", "takes_condition")


def _parted(
    each: list[tuple[str, dict[str, Any]]], option: str, takes: str
) -> list[tuple[str, dict[str, Any]]]:
    """Of several suites each takes the names of an option that it has: its method ``takes`` says which.

    Raises:
        UsageError: a name that no suite takes, or a suite that takes none of them.
    """
    from neuter import plugins

    asked = next((arguments[option] for _, arguments in each if arguments.get(option)), None)
    if not asked or len(each) == 1:
        return each
    classes = {name: plugins.load("suite", name) for name, arguments in each if option in arguments}
    # A suite of the user's own that does not say which names it takes sees to them itself.
    suites = {name: suite for name, suite in classes.items() if hasattr(suite, takes)}
    own = len(suites) < len(classes)
    taken = {name: [one for one in asked if getattr(suite, takes)(one)] for name, suite in suites.items()}
    stray = [one for one in asked if not own and not any(one in some for some in taken.values())]
    word = option.removesuffix("s") if option == "conditions" else option
    if stray:
        raise UsageError(
            f"none of {', '.join(suites)} has a {word} {stray[0]!r}",
            todo=f"There are: {', '.join(one for suite in suites.values() for one in _known(suite, option))}",
        )
    for name, arguments in each:
        if name in suites:
            arguments[option] = taken[name]
            if not taken[name]:
                raise UsageError(f"the suite {name!r} has none of the {option}", todo="Leave the suite out")
    return each


def _known(suite: Any, option: str) -> tuple[str, ...]:
    found: tuple[str, ...] = suite.known_series() if option == "series" else suite.all_conditions
    return found


def _checked(suite: str, arguments: Mapping[str, Any]) -> Suite:
    """The suite, made; what it cannot carry out is refused."""
    from neuter.api.benchmarking import checked_suite

    return checked_suite(suite, scheme_parameters=_scheme_parameters(arguments), **_deciding(arguments))


def _deciding(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without what decides nothing that is asked."""
    return {name: value for name, value in arguments.items() if name not in {"store", *SPENDING}}


def _accepted(suite: str) -> set[str]:
    from neuter import plugins

    own = set(inspect.signature(plugins.load("suite", suite)).parameters)
    return own | _COMMON | (_READING if "corpus" in own else set())


def _dry_run(names: list[str], given: Mapping[str, Any], *, as_json: bool) -> int:
    from neuter.api.benchmarking import requests
    from neuter.cli.evaluate import say_requests

    rows = []
    for name, own in _each(names, given):
        made = requests(name, scheme_parameters=_scheme_parameters(given), **_deciding(own))
        rows += [{"suite": name, **row} for row in made]
    return say_requests(rows, as_json=as_json)


def _scheme_parameters(arguments: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    config = arguments.get("config")
    return options.parameters(Path(config) if config else None)
