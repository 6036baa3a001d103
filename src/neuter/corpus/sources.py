"""From what the user names (path, glob, folder, address, shipped corpus, frame) to tables of rows."""

from __future__ import annotations

import difflib
import glob
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from neuter.corpus.csvfile import CsvTable
from neuter.corpus.fields import Problem, Row
from neuter.corpus.folder import TextFiles
from neuter.corpus.frames import DocumentTable, PandasTable, PolarsTable
from neuter.corpus.jsonl import JsonLines
from neuter.corpus.parquet import ParquetTable
from neuter.corpus.shipped import find_shipped, shipped_corpora
from neuter.errors import CorpusError, UsageError
from neuter.types import Document

#: What can be read, and what can be written (all but a folder of text files and ``.json``).
EXTENSIONS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".txt")


class Table(Protocol):
    """A file or frame with named columns, read again from the start by each ``rows()``."""

    @property
    def shown(self) -> str: ...

    def columns(self) -> list[str]: ...

    def rows(self) -> Iterator[Row | Problem]: ...


@dataclass(frozen=True, slots=True)
class Source:
    """Where a corpus comes from. ``files`` are the local ones: none for a frame, documents or an address."""

    name: str
    tables: tuple[Table, ...]
    files: tuple[Path, ...] = ()
    default_kind: str = "transcript"


def open_source(source: Any) -> Source:
    """The source behind a path, glob, folder, ``hf://`` or ``corpora:`` name, frame, or documents.

    Raises:
        CorpusError: it does not exist or cannot be read; nearest names are listed.
        UsageError: it is none of these things.
    """
    if isinstance(source, str | Path):
        return _named(str(source))
    home = type(source).__module__.partition(".")[0]
    if home == "polars":
        return _polars(source)
    if home == "pandas" and hasattr(source, "itertuples"):
        return Source("frame", (PandasTable(source),))
    if isinstance(source, Iterable):
        return _documents(source)
    raise _no_source(source)


def _polars(frame: Any) -> Source:
    frame = frame.collect() if hasattr(frame, "collect") else frame
    if not hasattr(frame, "iter_rows"):
        raise _no_source(frame)
    return Source("frame", (PolarsTable(frame),))


def _documents(source: Iterable[Any]) -> Source:
    # A corpus is read more than once, so an iterator has to be kept.
    documents = source if isinstance(source, Sequence) else list(source)
    strange = next((thing for thing in documents if not isinstance(thing, Document)), None)
    if strange is not None:
        raise UsageError(
            f"an iterable of Document was expected, it holds a {type(strange).__name__}",
            todo="Make neuter.Document(id=..., text=...) of each, or give a path or a frame",
        )
    return Source("documents", (DocumentTable(documents),))


def _no_source(thing: Any) -> UsageError:
    return UsageError(
        f"a corpus cannot be read from a {type(thing).__name__}",
        todo="Give a path, a glob, a folder, corpora:NAME, hf://..., a polars or pandas frame, or Documents",
    )


def _named(name: str) -> Source:
    if name.startswith("corpora:"):
        shipped = find_shipped(name)
        found = _file(shipped.path, shipped.path.name)
        return Source(name, found.tables, found.files, shipped.kind or found.default_kind)
    if name.startswith("hf://"):
        return _address(name)
    path = Path(name).expanduser()
    if path.is_dir():
        return _folder(path)
    if path.exists():
        return _file(path, name)
    if re.search(r"[*?\[]", name):
        return _glob(str(path))
    raise _not_there(path, name)


def _address(name: str) -> Source:
    if not name.endswith(".parquet"):
        raise CorpusError(
            "only Parquet is read from a hub",
            where=name,
            todo="Name a .parquet path or glob, hf://datasets/...",
        )
    return Source(name, (ParquetTable(name, name),))


def _file(path: Path, shown: str) -> Source:
    return Source(path.stem, (_table(path, shown),), (path,))


def _table(path: Path, shown: str) -> Table:
    match path.suffix.lower():
        case ".jsonl" | ".ndjson" | ".json":
            return JsonLines(path, shown)
        case ".csv" | ".tsv":
            return CsvTable(path, shown)
        case ".parquet":
            return ParquetTable(str(path), shown)
        case ".txt":
            return TextFiles(path.parent, (path,), shown)
    raise CorpusError(
        f"has the extension {path.suffix or 'none'!r}, which is not read",
        where=shown,
        todo=f"Convert it to one of {', '.join(EXTENSIONS)}",
    )


def _folder(path: Path) -> Source:
    files = tuple(sorted(file for file in path.rglob("*.txt") if file.is_file()))
    if files:
        return Source(path.resolve().name, (TextFiles(path, files, path.as_posix()),), files)
    tables = sorted({file.suffix for file in path.iterdir() if file.suffix in EXTENSIONS})
    hint = (
        f'Name the tables in it: "{path.as_posix()}/*{tables[0]}"'
        if tables
        else "Give another folder or a file"
    )
    raise CorpusError("holds no .txt files", where=path.as_posix(), todo=hint)


def _glob(pattern: str) -> Source:
    # glob.glob, since Path.glob takes no absolute pattern.
    files = tuple(
        sorted(path for name in glob.glob(pattern, recursive=True) if (path := Path(name)).is_file())  # noqa: PTH207
    )
    if not files:
        raise CorpusError(
            "no file matches",
            where=pattern,
            todo="Check the pattern; ** goes through folders, as in calls/**/*.csv",
        )
    texts = tuple(file for file in files if file.suffix.lower() == ".txt")
    tables = [_table(file, file.as_posix()) for file in files if file not in set(texts)]
    if texts:
        tables.insert(0, TextFiles(_fixed_root(pattern), texts, pattern))
    return Source(pattern, tuple(tables), files)


def _fixed_root(pattern: str) -> Path:
    """The folder before the first wildcard, from which the ids of text files count."""
    parts = Path(pattern).parts
    wild = next(at for at, part in enumerate(parts) if re.search(r"[*?\[]", part))
    return Path(*parts[:wild])


def _not_there(path: Path, shown: str) -> CorpusError:
    return CorpusError("no such file", where=shown, todo=_nearest(path, shown))


def _nearest(path: Path, shown: str) -> str:
    shipped = [corpus.name for corpus in shipped_corpora()]
    if near := difflib.get_close_matches(shown, shipped, n=1, cutoff=0.8):
        return f"Did you mean the shipped corpora:{near[0]}?"
    folder = path.parent
    if not folder.is_dir():
        return f"The folder {folder.as_posix()} does not exist either"
    present = sorted(file.name for file in folder.iterdir() if file.is_dir() or file.suffix in EXTENSIONS)
    near = difflib.get_close_matches(path.name, present, n=3, cutoff=0.6)
    near = near or [name for name in present if Path(name).stem == path.stem]
    if near:
        return f"Did you mean {' or '.join((folder / name).as_posix() for name in near)}?"
    return "Check the path; corpora:NAME names shipped data"
