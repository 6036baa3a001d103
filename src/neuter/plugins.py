"""Finding schemes and attackers by name: shipped ones, entry points of other packages, or a class in a file."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from neuter.errors import UnknownName, UsageError

#: Shipped names, resolved without importing what is not asked for.
SCHEMES: Mapping[str, str] = {
    "none": "neuter.masking.none:Unmasked",
    "presidio": "neuter.masking.presidio:Presidio",
    "rules": "neuter.masking.rules:Rules",
    "entity-neutering": "neuter.masking.entity_neutering:EntityNeutering",
}
ATTACKERS: Mapping[str, str] = {
    "llm": "neuter.attacks.llm:LLM",
    "linkage": "neuter.attacks.linkage:Linkage",
    "prior": "neuter.attacks.baselines:Prior",
    "majority": "neuter.attacks.baselines:Majority",
}
_SHIPPED = {"scheme": SCHEMES, "attacker": ATTACKERS}


def names(kind: str) -> list[str]:
    """All names of ``kind`` ("scheme" or "attacker"), shipped first, then those of other packages."""
    return [*_SHIPPED[kind], *sorted(ep.name for ep in entry_points(group=f"neuter.{kind}s"))]


def load(kind: str, name: str) -> type[Any]:
    """The class behind ``name``: a shipped name, an entry point, or ``path/to/mine.py:MyScheme``.

    Raises:
        UnknownName: nothing has that name; the message lists the nearest ones.
        UsageError: the file or the class in it does not exist.
    """
    if name in _SHIPPED[kind]:
        return _from_target(_SHIPPED[kind][name])
    for point in entry_points(group=f"neuter.{kind}s", name=name):
        return _as_class(point.load(), name)
    if ":" in name and name.rsplit(":", 1)[0].endswith(".py"):
        return _from_file(*name.rsplit(":", 1))
    known = names(kind)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}."
    raise UnknownName(f"unknown {kind} {name!r}", todo=f"{hint} Your own: --{kind} path/to/file.py:ClassName")


def create(kind: str, name: str, **parameters: Any) -> Any:
    """An instance of ``name`` with those of ``parameters`` that its constructor takes."""
    cls = load(kind, name)
    accepted = inspect.signature(cls).parameters
    return cls(**{key: value for key, value in parameters.items() if key in accepted})


def parameters(thing: object) -> dict[str, Any]:
    """The constructor's parameters of a scheme or attacker, as stored: it prints and hashes itself by them."""
    return {key: getattr(thing, key) for key in inspect.signature(type(thing)).parameters}


def _from_target(target: str) -> type[Any]:
    module, _, attribute = target.partition(":")
    return _as_class(getattr(importlib.import_module(module), attribute), target)


def _from_file(path: str, attribute: str) -> type[Any]:
    file = Path(path)
    if not file.is_file():
        raise UsageError("no such file", where=path, todo="give path/to/file.py:ClassName")
    spec = importlib.util.spec_from_file_location(f"neuter_plugin_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise UsageError("not a Python file", where=path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, attribute):
        raise UsageError(f"has no class {attribute!r}", where=path)
    return _as_class(getattr(module, attribute), f"{path}:{attribute}")


def _as_class(thing: Any, name: str) -> type[Any]:
    if not inspect.isclass(thing):
        raise UsageError(f"{name} is not a class")
    return thing
