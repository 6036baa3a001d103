"""``neuter.benchmark``: a table of the papers, made again with other models and other data."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter import plugins
from neuter.api import asking
from neuter.api.asked_models import check_before, check_names, goes_on, masker_of
from neuter.api.estimating import priced
from neuter.api.option_names import check_options, names_of
from neuter.api.reaching import reaching_for
from neuter.errors import UsageError
from neuter.suites.plan import quiet
from neuter.suites.spending import spending
from neuter.suites.suite import Setting, Suite
from neuter.types import Progress

if TYPE_CHECKING:
    from neuter.reports import Evaluation


def benchmark(
    suite: str | Suite,
    *,
    models: str | Sequence[str] = (),
    out: str | Path | None = None,
    overwrite: bool = False,
    seed: int = 0,
    draws: int = 2000,
    firms: str | Path | Sequence[str | Path] | None = None,
    scheme_parameters: Mapping[str, Mapping[str, Any]] | None = None,
    store: str | Path | None = None,
    config: str | Path | None = None,
    max_cost: float | None = None,
    max_requests: int | None = None,
    max_minutes: float | None = None,
    retry: str | Iterable[str] = (),
    batch: bool = False,
    report: bool = True,
    progress: Progress = quiet,
    arguments: Mapping[str, Any] | None = None,
    **parameters: Any,
) -> Evaluation:
    """Run a suite, write its report, and return the result with the published figures beside.

    Args:
        suite: a name (``masking``), ``path/to/mine.py:Class``, or an instance.
        models: ``PROVIDER/NAME``; by default the embedded model where ``neuter[local]`` is installed.
        out: the run folder; by default ``neuter-runs/SUITE-HASH``. The same call goes on where it stopped.
        draws: of the bootstrap over firms.
        firms: files of the user's own firms, beside those that ship.
        scheme_parameters: constructor parameters by scheme's name.
        max_cost, max_requests, max_minutes, retry, batch: as of :func:`neuter.evaluate`.
        report: False leaves report.html, figures and LaTeX tables out (for many runs in a row).
        parameters: the suite's own, and for one that works on a corpus the options of :func:`neuter.read_corpus`. Of
            ``masking``: corpus, schemes, masker, panel, reading, model_sample, breakpoints, size_as_of
            (:class:`neuter.suites.masking.Masking`).

    Returns:
        The result: ``.table()``, ``.scores``, ``.to_pandas()``, ``.plot()``, ``.to_html(path)``, ``.to_latex()``.

    Raises:
        NeuterError: one of its kinds, with what was wrong, where, and what to do.
    """
    from neuter.reports import open_run, write_report

    spent = spending(max_cost, max_requests, max_minutes, retry, batch)
    with asking.own_firms(firms):
        made, setting = _prepared(
            suite,
            parameters,
            scheme_parameters=scheme_parameters,
            models=models,
            seed=seed,
            config=config,
        )
        setting = replace(setting, progress=progress, draws=draws, spending=spent)
        asked = {*setting.models, *asking.several(_masker(made, setting)), *_judge(made)}
        named = {*setting.required, *asking.several(getattr(made, "masker", None)), *_judge(made)}
        check_names(sorted(named), asking.path(config))
        configuration = made.configuration(setting)
        path = asking.run_path(out, made.name, configuration)
        resumed = goes_on(path, configuration, overwrite=overwrite)
        check_before(named, asked, asking.path(config), spent, goes_on=resumed)
        with asking.run_folder(
            path, configuration, command="benchmark", overwrite=overwrite, reads=made.reads()
        ) as folder:
            folder.save(**made.about(), arguments=dict(arguments or {}))
            with reaching_for(folder, asking.path(store), asking.path(config), spent, progress) as reached:
                made.run(replace(setting, connect=reached), folder)
            originals = getattr(made, "whole", None)
            if report:
                progress("report", 0, None)
                write_report(path, originals=originals)
            return open_run(path, originals=originals, asked=reached.sentence)


def requests(
    suite: str | Suite,
    *,
    models: str | Sequence[str] = (),
    seed: int = 0,
    firms: str | Path | Sequence[str | Path] | None = None,
    scheme_parameters: Mapping[str, Mapping[str, Any]] | None = None,
    config: str | Path | None = None,
    **parameters: Any,
) -> list[dict[str, Any]]:
    """What a suite would ask of models and what that would cost: rows as of :func:`neuter.api.estimating.priced`.

    Nothing is asked.

    Raises:
        UsageError, ModelError: a name that means no model, a simulated model that is to mask, or a malformed price.
    """
    with asking.own_firms(firms):
        made, setting = _prepared(
            suite,
            parameters,
            scheme_parameters=scheme_parameters,
            models=models,
            seed=seed,
            config=config,
        )
        masker = _masker(made, setting)
        named = {*setting.required, *asking.several(masker), *_judge(made)}
        check_names(sorted(named), asking.path(config))
        return priced(made.requests(setting), asking.path(config))


def checked_suite(
    suite: str | Suite,
    *,
    models: str | Sequence[str] = (),
    seed: int = 0,
    firms: str | Path | Sequence[str | Path] | None = None,
    scheme_parameters: Mapping[str, Mapping[str, Any]] | None = None,
    config: str | Path | None = None,
    **parameters: Any,
) -> Suite:
    """The suite, once what :func:`benchmark` would refuse before it asks anything is refused.

    It may be given to :func:`benchmark`: what it has read, it does not read again.

    Raises:
        NeuterError: a name or a parameter that does not fit, or a cutoff that nobody knows.
    """
    with asking.own_firms(firms):
        made, setting = _prepared(
            suite,
            parameters,
            scheme_parameters=scheme_parameters,
            models=models,
            seed=seed,
            config=config,
        )
        check_names(sorted({*setting.required, *_judge(made)}), asking.path(config))
        made.configuration(setting)
        return made


def _prepared(
    suite: str | Suite,
    parameters: Mapping[str, Any],
    *,
    scheme_parameters: Mapping[str, Mapping[str, Any]] | None,
    models: str | Sequence[str],
    seed: int,
    config: str | Path | None,
) -> tuple[Suite, Setting]:
    """The suite, made, and what it is given."""
    made = made_suite(suite, parameters, scheme_parameters or {}, seed)
    return made, setting_of(models, seed, made, config=asking.path(config))


def _masker(made: Suite, setting: Setting) -> str | None:
    """The model that masks for a suite that works on a corpus; None where none does."""
    return masker_of(getattr(made, "schemes", ()), getattr(made, "masker", None), setting.models)


def _judge(made: Suite) -> Sequence[str]:
    """The model that judges what others wrote; none where the suite has no judge."""
    return asking.several(getattr(made, "judge", None))


def setting_of(
    models: str | Sequence[str], seed: int, suite: Suite, *, config: Path | None = None
) -> Setting:
    """What every suite is given, but for the way to its models; those named are required."""
    if not getattr(suite, "asks", True):
        return Setting(seed=seed, config=config)
    named = asking.several(models)
    if strange := [name for name in named if not isinstance(name, str)]:
        raise UsageError(f"no model {strange[0]!r}", todo="Give names: PROVIDER/NAME")
    if not isinstance(seed, int):
        raise UsageError(f"seed = {seed!r}", todo="Give a whole number")
    chosen = tuple(dict.fromkeys(named)) or asking.models_at_hand()
    if not chosen:
        raise UsageError(
            "a benchmark asks a model, and none is named",
            todo='Give --model PROVIDER/NAME, or install the embedded one: python -m pip install "neuter[local]"',
        )
    return Setting(chosen, seed, required=frozenset(named), config=config)


def made_suite(
    suite: str | Suite,
    parameters: Mapping[str, Any],
    scheme_parameters: Mapping[str, Mapping[str, Any]],
    seed: int,
) -> Suite:
    """The suite with its parameters; a corpus is read and schemes are made of their names.

    Raises:
        UsageError: no such parameter; the message names the nearest.
    """
    if not isinstance(suite, str):
        plugins.check_complete("suite", suite, Suite)
        if parameters:
            raise UsageError("a suite that is made already takes no parameters", todo="Give its name")
        return suite
    accepted = set(inspect.signature(plugins.load("suite", suite)).parameters)
    _check_parameters(suite, parameters, accepted)
    own = {name: value for name, value in parameters.items() if value is not None}
    if "corpus" in accepted:
        own = _with_corpus(own, accepted, seed)
    if own.get("schemes"):
        own["schemes"] = asking.schemes(own["schemes"], scheme_parameters)
    if "breakpoints" in own:
        own["breakpoints"] = asking.breakpoints(own["breakpoints"])
    made: Suite = plugins.create("suite", suite, **own)
    plugins.check_complete("suite", made, Suite)
    return made


def _check_parameters(suite: str, given: Iterable[str], accepted: set[str]) -> None:
    """Refuse a parameter that neither the suite takes nor :func:`benchmark` itself, nor the reading of a corpus.

    Raises:
        UsageError: the message names the nearest, or all.
    """
    reading = names_of(_read_corpus()) if "corpus" in accepted else []
    own = names_of(plugins.load("suite", suite), benchmark)
    known = [name for name in dict.fromkeys([*own, *reading]) if name not in {"suite", "source"}]
    check_options(given, known, whose=f"the suite {suite!r}", command="benchmark")


def _with_corpus(own: Mapping[str, Any], accepted: set[str], seed: int) -> dict[str, Any]:
    """The parameters with the corpus read, and without the options that went to its reading."""
    names = set(inspect.signature(_read_corpus()).parameters) - {"source", "seed"} - accepted
    reading = {name: value for name, value in own.items() if name in names}
    rest = {name: value for name, value in own.items() if name not in names}
    if "corpus" not in rest and not reading:
        return rest
    drawn = {"seed": seed} if reading.get("sample") else {}
    return {**rest, "corpus": asking.a_corpus(rest.get("corpus", "corpora:sample"), **reading, **drawn)}


def _read_corpus() -> Any:
    from neuter.corpus import read_corpus

    return read_corpus
