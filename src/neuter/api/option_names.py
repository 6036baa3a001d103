"""Options that are given by name: one that nobody takes is refused with the nearest that somebody does."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from neuter.errors import UsageError

#: What a command line has as an option and Python as a function of its own, by who is asked for it.
_DRY_RUN = {
    "benchmark": "neuter.api.benchmarking.requests(...) says what a run would ask of models",
    "evaluate": "neuter.api.estimating.estimate({...}) says what a run would ask of models",
}


def names_of(*takers: Callable[..., Any]) -> list[str]:
    """The parameters of functions or classes that can be given by name, each once."""
    return list(
        dict.fromkeys(
            name
            for taker in takers
            for name, parameter in inspect.signature(taker).parameters.items()
            if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        )
    )


def check_options(given: Iterable[str], known: Iterable[str], *, whose: str, command: str = "") -> None:
    """Refuse a name of ``given`` that is not among ``known``.

    Args:
        whose: what lacks it, as the message begins: ``neuter.mask``, ``the suite 'masking'``.
        command: benchmark or evaluate, where ``dry_run`` has a function of its own.

    Raises:
        UsageError: the message names the nearest, or all.
    """
    names = list(known)
    for name in given:
        if name in names:
            continue
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"Did you mean {near[0]}?" if near else f"Its parameters: {', '.join(names) or 'none'}"
        todo = _DRY_RUN.get(command, hint) if name == "dry_run" else hint
        raise UsageError(f"{whose} has no parameter {name!r}", todo=todo)
