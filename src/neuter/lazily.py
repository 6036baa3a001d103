"""A package's public names, each loaded from its module on first use: asking for one costs nothing of the others."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazily(package: str, home: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package whose names live in its modules.

    Args:
        home: the module within the package by the name that it holds.

    >>> getattribute, names = lazily("neuter.models", {"connect": "runner"})
    >>> getattribute("connect").__name__, names()
    ('connect', ['connect'])
    """

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{home[name]}"), name)

    def names() -> list[str]:
        return sorted(home)

    return load, names
