"""Which column of a file is which field of a document: canonical names, ``--column``, and presets."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from neuter.corpus.unpaired import without_unpaired
from neuter.errors import CorpusError, UnknownName, UsageError

#: Canonical columns in the order in which they are written; the text comes after what is known of it.
METADATA = (
    "id",
    "kind",
    "ticker",
    "firm",
    "cik",
    "date",
    "date_assumed",
    "fiscal_year",
    "fiscal_quarter",
    "fiscal_year_end",
    "market_cap",
    "size",
    "sector",
)
CANONICAL = (*METADATA, "text")

#: Columns that a masked corpus has of its own; a corpus' column of such a name comes out as ``input_NAME``.
MASKED = ("scheme", "replacements", "outcome", "reason")

KINDS = ("transcript", "headline", "filing", "question")


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """How a file's columns become a document.

    ``fields`` is canonical name → the file's name, ``carried`` the file's name → name in ``Document.extra``,
    ``scale`` canonical name → factor that makes US dollars of it.
    """

    fields: Mapping[str, str]
    carried: Mapping[str, str] = field(default_factory=dict)
    scale: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Preset:
    """A known source's column names, best first, and the units of its numbers."""

    names: Mapping[str, tuple[str, ...]]
    scale: Mapping[str, float]


def map_columns(
    found: Sequence[str],
    *,
    columns: Mapping[str, str] | None = None,
    preset: str | None = None,
    where: str = "",
    require: Iterable[str] = ("id", "text"),
) -> ColumnMap:
    """The map of a file with the columns ``found``: ``columns`` first, then canonical names, then ``preset``.

    A canonical name given as "" leaves that column of the file alone (it is carried along).

    Raises:
        UsageError: ``columns`` names a field that does not exist.
        UnknownName: no such preset.
        CorpusError: a column that is named or required is not there.
    """
    given = dict(columns or {})
    check_given(given)
    known = load_preset(preset) if preset else None
    fields: dict[str, str] = {}
    scale: dict[str, float] = {}
    for name in CANONICAL:
        source = _given(given[name], name, found, where) if name in given else name if name in found else None
        if source is None and known and name not in given:
            source = _by_preset(known.names.get(name, ()), found)
            if source and (factor := known.scale.get(_bare(source))):
                scale[name] = factor
        if source:
            fields[name] = source
    for name in require:
        if name not in fields:
            raise _missing(name, found, where, preset)
    return ColumnMap(fields, _carried(found, fields), scale)


def check_given(columns: Mapping[str, str]) -> None:
    """Refuse a mapping from a field that does not exist.

    Raises:
        UsageError: naming the nearest field.
    """
    for name in columns:
        if name not in CANONICAL:
            near = difflib.get_close_matches(name, CANONICAL, n=1, cutoff=0.5)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise UsageError(
                f"no field is called {name!r}",
                where="--column",
                todo=f"{hint}The fields are {', '.join(CANONICAL)}; write --column FIELD=NAME_IN_THE_FILE",
            )


def load_preset(name: str) -> Preset:
    """The preset ``name`` of ``presets.toml``.

    Raises:
        UnknownName: no such preset; the message lists the nearest.
    """
    presets = _presets()
    if name not in presets:
        near = difflib.get_close_matches(name, presets, n=1, cutoff=0.5)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise UnknownName(f"unknown preset {name!r}", todo=f"{hint}The presets are {', '.join(presets)}")
    raw = dict(presets[name])
    scale = {_bare(column): float(factor) for column, factor in raw.pop("scale", {}).items()}
    return Preset({key: tuple(value) for key, value in raw.items()}, scale)


def nearest(name: str, found: Sequence[str]) -> str:
    """The column of ``found`` that most looks like ``name``, or ""."""
    bare = {_bare(column): column for column in found}
    near = difflib.get_close_matches(_bare(name), bare, n=1, cutoff=0.6)
    inside = [column for short, column in bare.items() if _bare(name) in short]
    return bare[near[0]] if near else inside[0] if inside else ""


@cache
def _presets() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files("neuter.corpus") / "presets.toml").read_text(encoding="utf-8"))


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _by_preset(names: Iterable[str], found: Sequence[str]) -> str | None:
    bare = {_bare(column): column for column in reversed(found)}
    return next((bare[_bare(name)] for name in names if _bare(name) in bare), None)


def _given(source: str, name: str, found: Sequence[str], where: str) -> str | None:
    if not source:
        return None
    if source in found:
        return source
    near = nearest(source, found)
    hint = f"Did you mean --column {name}={_shell(near)}? " if near else ""
    raise CorpusError(
        f"has no column {source!r}, which --column {name} names",
        where=where,
        todo=f"{hint}Columns found: {_listed(found)}",
    )


#: What a text or an id is often called, to name the likely column in the message.
_USUAL = {
    "text": ("body", "content", "transcript", "article", "headline", "statement", "document", "message"),
    "id": ("docid", "documentid", "key", "identifier", "accession", "number", "uuid"),
}


def _missing(name: str, found: Sequence[str], where: str, preset: str | None) -> CorpusError:
    near = nearest(name, found) or next((n for u in _USUAL.get(name, ()) if (n := nearest(u, found))), "")
    remedy = f"Did you mean --column {name}={_shell(near)}?" if near else f"Name it with --column {name}=NAME"
    known = f" (nor one that preset {preset!r} knows)" if preset else ""
    return CorpusError(
        f"has no column {name!r}{known}; columns found: {_listed(found)}", where=where, todo=_sentence(remedy)
    )


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _listed(found: Sequence[str], most: int = 30) -> str:
    shown = ", ".join(map(repr, found[:most])) or "none"
    return f"{shown} and {len(found) - most} more" if len(found) > most else shown


def _shell(name: str) -> str:
    return name if re.fullmatch(r"[\w.-]+", name) else f'"{name}"'


def _carried(found: Sequence[str], fields: Mapping[str, str]) -> dict[str, str]:
    """Names for the other columns: ``input_NAME`` where a masked corpus needs the name itself.

    The file's own ``text`` is left out where another column is the text: it is likely to tell the same again, and
    a masked corpus would carry it unmasked.
    """
    taken = {*CANONICAL, *MASKED}
    used = {*fields.values(), "text"}
    names: dict[str, str] = {}
    for column in found:
        if column not in used:
            name = without_unpaired(column)
            while name in taken:
                name = f"input_{name}"
            names[column] = name
            taken.add(name)
    return names
