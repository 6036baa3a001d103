"""The corpora that ship with neuter, found in a checkout and in an installed wheel."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neuter.corpus.columns import KINDS
from neuter.errors import CorpusError

#: Folders to look in instead of the shipped ones, separated as in PATH.
SEARCH_PATH = "NEUTER_CORPORA"


@dataclass(frozen=True, slots=True)
class ShippedFile:
    """A file of a shipped corpus. ``name`` is as in the manifest, ``documents`` how many it holds."""

    name: str
    kind: str
    documents: int
    description: str
    path: Path


@dataclass(frozen=True, slots=True)
class ShippedCorpus:
    """A corpus that ships. ``documents`` counts all files; ``default`` is the file of the bare name."""

    name: str
    title: str
    description: str
    licence: str
    source: str
    documents: int
    default: str
    files: tuple[ShippedFile, ...]
    path: Path


def shipped_corpora() -> list[ShippedCorpus]:
    """All corpora that ship, by name. Data folders whose manifest lists no documents are not among them.

    Raises:
        CorpusError: a manifest is damaged.
    """
    found: dict[str, ShippedCorpus] = {}
    for root in _roots():
        for manifest in sorted(root.glob("*/manifest.toml")):
            if manifest.parent.name not in found and (corpus := _read(manifest)):
                found[manifest.parent.name] = corpus
    return [found[name] for name in sorted(found)]


def find_shipped(name: str) -> ShippedFile:
    """The file behind ``corpora:NAME`` (its default) or ``corpora:NAME/FILE`` (with or without extension).

    Raises:
        CorpusError: there is none; the nearest names are listed.
    """
    corpus_name, _, file_name = name.removeprefix("corpora:").partition("/")
    corpora = {corpus.name: corpus for corpus in shipped_corpora()}
    if corpus_name not in corpora:
        raise _unknown(name, "no shipped corpus has that name", corpus_name, list(corpora), "corpora:")
    corpus = corpora[corpus_name]
    wanted = file_name or corpus.default
    for file in corpus.files:
        if wanted in (file.name, Path(file.name).stem):
            return _present(file, name)
    stems = [Path(file.name).stem for file in corpus.files]
    raise _unknown(name, "the corpus has no such file", file_name, stems, f"corpora:{corpus_name}/")


def _roots() -> list[Path]:
    if given := os.environ.get(SEARCH_PATH):
        return [Path(folder) for folder in given.split(os.pathsep) if folder]
    here = Path(__file__).resolve()
    checkout, wheel = here.parents[3] / "corpora", here.parents[1] / "corpora"
    return [root for root in (checkout, wheel) if root.is_dir()]


def _read(manifest: Path) -> ShippedCorpus | None:
    try:
        raw = tomllib.loads(manifest.read_text(encoding="utf-8"))
        files = tuple(
            _file(entry, manifest.parent) for entry in raw.get("files", []) if entry.get("kind") in KINDS
        )
        return _corpus(raw, files, manifest.parent) if files else None
    except (
        tomllib.TOMLDecodeError,
        UnicodeDecodeError,
        AttributeError,
        KeyError,
        TypeError,
        ValueError,
    ) as error:
        raise CorpusError(
            f"is no manifest of a corpus ({type(error).__name__}: {error})",
            where=str(manifest),
            todo="docs/formats.md says what it holds",
        ) from error


def _file(entry: Mapping[str, Any], folder: Path) -> ShippedFile:
    name = str(entry["name"])
    return ShippedFile(
        name, str(entry["kind"]), int(entry["documents"]), str(entry.get("description", "")), folder / name
    )


def _corpus(raw: Mapping[str, Any], files: tuple[ShippedFile, ...], folder: Path) -> ShippedCorpus:
    return ShippedCorpus(
        name=folder.name,
        title=str(raw["title"]),
        description=str(raw.get("description", "")),
        licence=str(raw["licence"]),
        source=str(raw.get("source", "")),
        documents=sum(file.documents for file in files),
        default=str(raw.get("default", files[0].name)),
        files=files,
        path=folder,
    )


def _present(file: ShippedFile, name: str) -> ShippedFile:
    if not file.path.is_file():
        raise CorpusError(f"{file.path} is missing", where=name, todo="Install neuter again")
    return file


def _unknown(name: str, what: str, part: str, known: list[str], lead: str) -> CorpusError:
    near = difflib.get_close_matches(part, known, n=2, cutoff=0.5)
    listed = ", ".join(lead + other for other in known) or "none is installed"
    hint = f"Did you mean {' or '.join(lead + other for other in near)}?" if near else f"There are: {listed}"
    return CorpusError(what, where=name, todo=hint)
