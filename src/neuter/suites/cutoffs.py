"""The training cutoff of each model that is asked: the one given, or the one that is known."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from neuter.errors import UsageError
from neuter.models.simulated.names import is_simulated
from neuter.suites.days import read_day

_EXAMPLE = "Write --cutoff 2023-10 or --cutoff 2023-10-15"


def cutoffs_of(models: Iterable[str], given: object = None, config: Path | None = None) -> dict[str, date]:
    """The training cutoff of each model: the one given, else the catalog's.

    Raises:
        UsageError: nobody knows the cutoff of a model; the message asks for one.
    """
    from neuter.models.catalog import facts

    if given is not None:
        day = read_day(given, "--cutoff")
        return dict.fromkeys(models, day)
    found = {model: facts(model, config).cutoff for model in models}
    unknown = [model for model, cutoff in found.items() if cutoff is None]
    if unknown:
        raise UsageError(f"nobody knows the training cutoff of {', '.join(unknown)}", todo=_todo(unknown[0]))
    return {model: cutoff for model, cutoff in found.items() if cutoff is not None}


def _todo(model: str) -> str:
    if is_simulated(model):
        return f"{_EXAMPLE}; or plant it: {model},cutoff=2023-10"
    return f'{_EXAMPLE}; or keep it in neuter.toml: [models."{model}"] with cutoff = "YYYY-MM"'


def source_of_cutoff(model: str, given: object, config: Path | None = None) -> str:
    """Where a cutoff is from, in words for a report."""
    from neuter.models.catalog import facts

    if given is not None:
        return "given with --cutoff"
    known = facts(model, config)
    checked = f", checked {known.checked}" if known.checked else ""
    return f"{known.source}{checked}"
