"""Which models a run will ask, looked at before any document is read or masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from neuter.errors import UsageError
from neuter.models.simulated.names import is_simulated
from neuter.suites.plan import needs_model
from neuter.suites.run_folder import RunFolder
from neuter.suites.spending import Spending


def masker_of(schemes: Iterable[object], masker: str | None, models: Sequence[str]) -> str | None:
    """The model that masks: ``masker``, or the first of ``models``; None where no scheme needs one.

    Raises:
        UsageError: it is a simulated model, which would fail on every document.
    """
    needing = [scheme for scheme in schemes if needs_model(scheme)]
    chosen = masker or next(iter(models), None)
    if not needing or chosen is None:
        return None
    if is_simulated(chosen):
        name = getattr(needing[0], "name", type(needing[0]).__name__)
        raise UsageError(
            f"the scheme {name!r} masks with a model, and {chosen} cannot: a simulated model reads no text",
            todo="Name the model that masks with --masker PROVIDER/NAME (masker=), or take a scheme that needs none, "
            "such as rules",
        )
    return chosen


def check_names(models: Iterable[str], config: Path | None) -> None:
    """Refuse names that mean no model: no provider, an unknown one, or a setting that a simulated model lacks.

    Raises:
        ModelError: the provider is not configured; the message says how to.
        UsageError: the name is none; the message names the nearest.
    """
    from neuter.models.engines import find_engine

    for model in models:
        find_engine(model, config)


def check_ready(models: Iterable[str], config: Path | None) -> None:
    """Refuse models that cannot be asked: as :func:`check_names`, and a key or package that is missing.

    No server is spoken to: a run whose answers are all stored works with the server gone. Weights that are not here
    yet are no fault: they are pulled at first use.

    Raises:
        ModelError, UsageError: as :func:`check_names`; no key.
        MissingExtra: the package of the embedded model is not installed.
    """
    from neuter.models.engines import find_engine
    from neuter.models.local import LocalEngine, is_installed

    for model in models:
        engine = find_engine(model, config)
        if not (isinstance(engine, LocalEngine) and is_installed()):
            engine.check()


def check_before(
    named: Iterable[str],
    asked: Iterable[str],
    config: Path | None,
    spending: Spending,
    goes_on: bool,
) -> None:
    """Refuse, before anything is read or masked, what cannot be carried out.

    Args:
        named: the models that the user named.
        asked: those that the run will ask.
        goes_on: the folder holds this run already. Then it may be that nothing has to be asked: whoever carries it out
            refuses a model that cannot be asked where a stage needs it.

    Raises:
        ModelError, UsageError, MissingExtra: as the checks below and above.
    """
    will_be, by_name = set(asked), set(named)
    check_names(sorted(by_name), config)
    check_prices(sorted(will_be), config, spending)
    check_batch(sorted(will_be), spending)
    if not goes_on:
        check_ready(sorted(by_name & will_be), config)


def check_prices(models: Iterable[str], config: Path | None, spending: Spending) -> None:
    """Refuse a limit on cost where a model's price is not known.

    Raises:
        UsageError: the message says where to write the price.
    """
    from neuter.models.budget import no_price
    from neuter.models.prices import price_of

    if spending.limits.max_cost is None:
        return
    for model in models:
        if price_of(model, config) is None:
            raise no_price(model)


def check_batch(models: Iterable[str], spending: Spending) -> None:
    """Refuse a batch of a model that runs inside the process.

    Raises:
        UsageError: it has no batch API.
    """
    from neuter.models.providers import EMBEDDED

    for model in models:
        if spending.batch and model.partition("/")[0] in EMBEDDED:
            raise UsageError(
                "there is no batch API: the model runs inside this process",
                where=model,
                todo="Leave out --batch",
            )


def goes_on(path: Path, configuration: Mapping[str, Any], *, overwrite: bool) -> bool:
    """Whether a run goes on with what ``path`` holds."""
    return not overwrite and RunFolder.goes_on(path, configuration)
