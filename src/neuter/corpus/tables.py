"""Writing rows to .jsonl, .csv or .parquet, a piece at a time, whole or not at all."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from neuter.corpus.schema import Schema, frame_of, to_json
from neuter.errors import UsageError
from neuter.whole_files import TextOutput, naming, pieces_beside, replacing, sync, unwritable, writing

#: What a corpus can be written as.
WRITTEN = (".parquet", ".jsonl", ".csv")

#: A piece of a Parquet file: so many rows or characters of text, whichever comes first.
_PIECE_ROWS, _PIECE_CHARACTERS = 1024, 8_000_000

#: Whoever reads the file holds a few row groups in memory.
_GROUP_ROWS = 256


class RowWriter(Protocol):
    """Takes the rows of a file, in order; ``finish`` leaves nothing but its renaming."""

    def add(self, row: Mapping[str, Any]) -> None: ...

    def finish(self) -> None: ...


def check_extension(path: Path) -> None:
    """Refuse a path whose extension names no format that is written.

    Raises:
        UsageError: naming those that are.
    """
    if path.suffix.lower() not in WRITTEN:
        raise UsageError(
            f"the extension {path.suffix or 'none'!r} is not one that is written",
            where=str(path),
            todo=f"Choose {', '.join(WRITTEN)}",
        )


@contextmanager
def writing_rows(path: Path, schema: Schema) -> Iterator[RowWriter]:
    """A writer of rows with the columns of ``schema``; the format follows the extension.

    Raises:
        UsageError: another extension.
        RunError: the disk is full, or the place cannot be written.
    """
    check_extension(path)
    if path.suffix.lower() == ".parquet":
        with _parquet(path, schema) as writer:
            yield writer
        return
    with writing(path) as output:
        yield _JsonRows(output, schema) if path.suffix.lower() == ".jsonl" else _CsvRows(output, schema)


@dataclass(frozen=True, slots=True)
class _JsonRows:
    output: TextOutput
    schema: Schema

    def add(self, row: Mapping[str, Any]) -> None:
        told = {name: row.get(name) for name in self.schema}
        self.output.write(to_json(told) + "\n")

    def finish(self) -> None:
        self.output.finish()


@dataclass(slots=True)
class _CsvRows:
    output: TextOutput
    schema: Schema
    writer: Any = field(init=False)

    def __post_init__(self) -> None:
        # \r\n (RFC 4180) also makes the csv module quote a field that holds \\r alone.
        self.writer = csv.writer(self.output, lineterminator="\r\n")
        self.writer.writerow(self.schema)

    def add(self, row: Mapping[str, Any]) -> None:
        self.writer.writerow([_cell(row.get(name), name) for name in self.schema])

    def finish(self) -> None:
        self.output.finish()


def _cell(value: Any, name: str) -> Any:
    if name == "replacements" or isinstance(value, list | tuple | dict):
        return to_json(value)
    return str(value).lower() if isinstance(value, bool) else value


@dataclass(slots=True)
class _ParquetPieces:
    """Polars cannot append to Parquet: pieces go to a folder beside it and are joined into ``joined``."""

    path: Path
    joined: Path
    folder: Path
    schema: Schema
    rows: list[Mapping[str, Any]] = field(default_factory=list)
    characters: int = 0
    pieces: int = 0
    finished: bool = False

    def add(self, row: Mapping[str, Any]) -> None:
        self.rows.append(row)
        self.characters += len(row.get("text") or "")
        if len(self.rows) >= _PIECE_ROWS or self.characters >= _PIECE_CHARACTERS:
            self._write()

    def finish(self) -> None:
        if self.finished:
            return
        if self.rows or not self.pieces:
            self._write()
        with _polars_naming(self.path):
            files = sorted(self.folder.iterdir())
            # One piece too is written into the file that is there: that is the one which is locked.
            pl.scan_parquet(files, glob=False).sink_parquet(self.joined, row_group_size=_GROUP_ROWS)
            sync(self.joined)
        self.finished = True

    def _write(self) -> None:
        frame = frame_of(self.rows, self.schema)
        with _polars_naming(self.path):
            frame.write_parquet(self.folder / f"{self.pieces:08d}.parquet", row_group_size=_GROUP_ROWS)
        self.rows, self.characters, self.pieces = [], 0, self.pieces + 1


@contextmanager
def _parquet(path: Path, schema: Schema) -> Iterator[RowWriter]:
    with replacing(path) as temporary:
        with naming(path):
            folder = pieces_beside(temporary)
            folder.mkdir(mode=0o700)
        try:
            pieces = _ParquetPieces(path, temporary, folder, schema)
            yield pieces
            pieces.finish()
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _polars_naming(path: Path) -> Iterator[None]:
    """Polars tells a full disk by an exception of its own as well as by OSError."""
    try:
        with naming(path):
            yield
    except pl.exceptions.PolarsError as error:
        raise unwritable(path, str(error)) from error
