"""Which models a run will ask, looked at before any document is read or masked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from neuter.errors import UsageError
from neuter.models.simulated.names import is_simulated
from neuter.suites.plan import needs_model


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
