"""Finding schemes, attackers and suites by name: shipped ones, entry points of other packages, or a class in a file."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import inspect
import sys
from collections.abc import Mapping
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from neuter.errors import PluginError, UnknownName, UsageError

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
SUITES: Mapping[str, str] = {
    "masking": "neuter.suites.masking:Masking",
    "macro": "neuter.suites.recall.macro:Macro",
    "indices": "neuter.suites.recall.indices:Indices",
    "headlines": "neuter.suites.recall.headlines:Headlines",
    "stocks": "neuter.suites.recall.stocks:Stocks",
    "portfolios": "neuter.suites.recall.portfolios:Portfolios",
    "summary": "neuter.suites.recall.summary:Summary",
    "cutoff": "neuter.suites.recall.cutoff:Cutoff",
    "ignorance": "neuter.suites.ignorance.suite:Ignorance",
}
_SHIPPED = {"scheme": SCHEMES, "attacker": ATTACKERS, "suite": SUITES}


def names(kind: str) -> list[str]:
    """All names of ``kind`` ("scheme", "attacker" or "suite"), shipped first, then those of other packages."""
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
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(known)}."
    own = "" if kind == "suite" else f"--{kind} "
    raise UnknownName(f"unknown {kind} {name!r}", todo=f"{hint} Your own: {own}path/to/file.py:ClassName")


def create(kind: str, name: str, **parameters: Any) -> Any:
    """An instance of ``name`` with these constructor parameters.

    Raises:
        UsageError: the constructor has no such parameter; the message names the nearest, or all.
    """
    cls = load(kind, name)
    accepted = list(inspect.signature(cls).parameters)
    for key in parameters:
        if key not in accepted:
            near = difflib.get_close_matches(key, accepted, n=1, cutoff=0.5)
            known = ", ".join(accepted) or "none"
            hint = f"Did you mean {near[0]}?" if near else f"Its parameters: {known}"
            raise UsageError(f"the {kind} {name!r} has no parameter {key!r}", todo=hint)
    try:
        return cls(**parameters)
    except TypeError as error:
        raise UsageError(
            f"the {kind} {name!r} cannot be made: {error}", todo="Every parameter needs a default"
        ) from error


def source_hash(thing: object) -> str | None:
    """sha256 of the file that a class of the user's own comes from; None for the shipped ones.

    It is part of a run's configuration: an edited scheme is another scheme.
    """
    if type(thing).__module__.partition(".")[0] == "neuter":
        return None
    try:
        file = inspect.getsourcefile(type(thing))
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None
    except (OSError, TypeError):
        return None


def check_complete(kind: str, thing: object, protocol: type[Any]) -> None:
    """Refuse a scheme or attacker that lacks a part of its protocol.

    Raises:
        UsageError: the message names what is missing.
    """
    methods = [name for name, part in vars(protocol).items() if inspect.isfunction(part) and name[0] != "_"]
    parts = [*protocol.__annotations__, *methods]
    missing = [name for name in parts if not hasattr(thing, name)]
    if missing:
        raise UsageError(
            f"{type(thing).__name__} is no {kind}: it has no {', '.join(missing)}",
            todo=f"A {kind} has {', '.join(parts)}",
        )


def parameters(thing: object) -> dict[str, Any]:
    """The constructor's parameters of a scheme or attacker, as stored: it prints and hashes itself by them."""
    return {key: getattr(thing, key) for key in inspect.signature(type(thing)).parameters}


def _from_target(target: str) -> type[Any]:
    module, _, attribute = target.partition(":")
    return _as_class(getattr(importlib.import_module(module), attribute), target)


def _from_file(path: str, attribute: str) -> type[Any]:
    file = Path(path)
    if not file.is_file():
        raise UsageError("no such file", where=path, todo="Give path/to/file.py:ClassName")
    module = _run_file(file)
    if not hasattr(module, attribute):
        raise UsageError(f"has no class {attribute!r}", where=path)
    return _as_class(getattr(module, attribute), f"{path}:{attribute}")


class _AsItStands(SourceFileLoader):
    """Reads a file's source each time: a file edited within a second has the same time stamp as its compiled form."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        return self.source_to_code(self.get_data(self.path), self.path)


def _run_file(file: Path) -> ModuleType:
    """The file as a module of its own name, known to Python so that its classes can be pickled and traced."""
    name = f"neuter_plugin_{file.stem}_{hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:8]}"
    loader = _AsItStands(name, str(file))
    module = module_from_spec(spec_from_loader(name, loader) or ModuleSpec(name, loader))
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except Exception as error:  # whatever the user's own file raises
        del sys.modules[name]
        raise PluginError(f"cannot be run: {type(error).__name__}: {error}", where=str(file)) from error
    return module


def _as_class(thing: Any, name: str) -> type[Any]:
    if not inspect.isclass(thing):
        raise UsageError(f"{name} is not a class")
    return thing
