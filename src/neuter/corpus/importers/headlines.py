"""The user's headlines as a frame: CSV, JSON Lines, and Factiva's HTML and RTF exports, a file or a folder of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from neuter.corpus.fields import Problem
from neuter.corpus.importers.articles import FACTIVA, Found, Headline, headline_of
from neuter.corpus.importers.encodings import known_encoding
from neuter.corpus.importers.headline_tables import TABLE_ENDINGS, table_headlines
from neuter.errors import CorpusError

if TYPE_CHECKING:
    import polars as pl

_HTML_ENDINGS, _RTF_ENDINGS = (".html", ".htm"), (".rtf",)
ENDINGS = (*TABLE_ENDINGS, *_HTML_ENDINGS, *_RTF_ENDINGS)

#: Rows that become a frame at a time: as tuples of strings they would take several times the room.
_CHUNK = 20_000


@dataclass(frozen=True, slots=True)
class ImportedHeadlines:
    """What was read.

    Attributes:
        frame: as ``read_headlines`` returns it.
        problems: the rows and articles that were left out, with ``skip_invalid``.
        files: those that were read.
        others: files of a folder that are no headlines by their ending.
    """

    frame: pl.DataFrame
    problems: tuple[Problem, ...] = ()
    files: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def read_headlines(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    day_first: bool | None = None,
    skip_invalid: bool = False,
) -> pl.DataFrame:
    """The headlines of ``path``, in the order of the file.

    Args:
        path: a file (.csv, .tsv, .jsonl, .ndjson, .json; .html, .htm or .rtf from Factiva), or a folder of them.
        columns: ``date``, ``title``, ``content`` or ``source`` → the table's column; "" sets it aside.
        encoding: of the files. Without it tables are UTF-8, pages what they say.
        day_first: whether 03/04/2019 is in April. Without it such a date is refused.
        skip_invalid: leave out what cannot be read (``import_headlines`` lists it) instead of stopping.

    Returns:
        ``date`` (Date), ``title``, ``content``, ``source`` (String, the last two "" where there is none), ``words``
        (Int64, null where the export does not say), ``source_file``, ``record`` (the line of a table, else the
        article's number in its file). An article's content is its lead.

    Raises:
        CorpusError: a file cannot be read, or a row or article has no date or title; names file, line and field.
        UsageError: an unknown encoding, or a field that headlines do not have.
    """
    return import_headlines(
        path, columns=columns, encoding=encoding, day_first=day_first, skip_invalid=skip_invalid
    ).frame


def import_headlines(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    day_first: bool | None = None,
    skip_invalid: bool = False,
) -> ImportedHeadlines:
    """The same as ``read_headlines``, with the rows that were left out and the files.

    Raises:
        CorpusError: see ``read_headlines``; also a file of which nothing could be read.
        UsageError: see ``read_headlines``.
    """
    name = known_encoding(encoding) if encoding else None
    files, others = _files(Path(path).expanduser(), str(path))
    gathered = _Gathered([], [], [])
    for file in files:
        shown = file.as_posix()
        before = gathered.count()
        for found in _found(file, shown, columns or {}, name):
            kind = FACTIVA if file.suffix.lower() not in TABLE_ENDINGS else columns or {}
            gathered.take(_read(found, kind, day_first), skip_invalid)
        if gathered.count() == before:
            raise _nothing(shown, gathered.problems)
    shown_files = tuple(file.as_posix() for file in files)
    return ImportedHeadlines(gathered.frame(), tuple(gathered.problems), shown_files, others)


@dataclass(slots=True)
class _Gathered:
    """Headlines so far: whole chunks as frames, the rest as rows."""

    frames: list[pl.DataFrame]
    rows: list[Headline]
    problems: list[Problem]

    def take(self, read: Headline | Problem, skip_invalid: bool) -> None:
        if isinstance(read, Problem):
            if not skip_invalid:
                raise _stopped(read)
            self.problems.append(read)
            return
        self.rows.append(read)
        if len(self.rows) >= _CHUNK:
            self.frames.append(_frame(self.rows))
            self.rows.clear()

    def count(self) -> int:
        return len(self.rows) + sum(frame.height for frame in self.frames)

    def frame(self) -> pl.DataFrame:
        import polars as pl

        return pl.concat([*self.frames, _frame(self.rows)])


def _frame(rows: list[Headline]) -> pl.DataFrame:
    import polars as pl

    schema = {
        "date": pl.Date,
        **dict.fromkeys(("title", "content", "source"), pl.String),
        "words": pl.Int64,
        "source_file": pl.String,
        "record": pl.Int64,
    }
    return pl.DataFrame([asdict(row) for row in rows], schema=schema)


def _read(found: Found | Problem, names: Mapping[str, str], day_first: bool | None) -> Headline | Problem:
    return found if isinstance(found, Problem) else headline_of(found, names, day_first=day_first)


def _found(
    file: Path, shown: str, columns: Mapping[str, str], encoding: str | None
) -> Iterator[Found | Problem]:
    ending = file.suffix.lower()
    if ending in TABLE_ENDINGS:
        return table_headlines(file, shown, columns=columns, encoding=encoding)
    if ending in _HTML_ENDINGS:
        from neuter.corpus.importers.factiva_html import html_headlines

        return html_headlines(file, shown, encoding=encoding)
    from neuter.corpus.importers.factiva_rtf import rtf_headlines

    return rtf_headlines(file, shown, encoding=encoding)


def _files(path: Path, shown: str) -> tuple[list[Path], tuple[str, ...]]:
    """The files to read, by name. Folders inside a folder are what a browser saves beside a page, and are left."""
    if not path.exists():
        raise CorpusError("no such file", where=shown, todo="Check the path")
    if not path.is_dir():
        if path.suffix.lower() not in ENDINGS:
            raise CorpusError(
                f"has the extension {path.suffix or 'none'!r}, which is not read",
                where=shown,
                todo=f"Give one of {', '.join(ENDINGS)}",
            )
        return [path], ()
    held = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith((".", "~$")))
    files = [file for file in held if file.suffix.lower() in ENDINGS]
    if not files:
        raise CorpusError("holds no headlines", where=shown, todo=f"It needs files of {', '.join(ENDINGS)}")
    return files, tuple(file.as_posix() for file in held if file not in set(files))


def _stopped(problem: Problem) -> CorpusError:
    todo = ". ".join(filter(None, [problem.todo, "skip_invalid leaves such rows out and counts them"]))
    return CorpusError(problem.what, where=problem.where, todo=todo)


def _nothing(shown: str, problems: list[Problem]) -> CorpusError:
    own = [problem for problem in problems if problem.file == shown]
    if own:
        what = f"has no headline that can be read, and {len(own):,} that cannot; the first: {own[0].what}"
        return CorpusError(what, where=own[0].where, todo=own[0].todo)
    return CorpusError("has no headlines", where=shown, todo="Export it again")
