"""JSON Lines: one object a line, read line by line so that an error has its exact line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neuter.corpus.fields import Problem, Row
from neuter.corpus.lines import NOT_UTF8, Line, numbered_lines
from neuter.errors import CorpusError

#: JSON Lines have no header: the columns are the keys of the first rows, up to so many lines and bytes.
_PEEK_LINES, _PEEK_BYTES = 100, 1_000_000


@dataclass(frozen=True, slots=True)
class JsonLines:
    """A ``.jsonl``, ``.ndjson`` or ``.json`` file; ``limited`` is False where a line may be of any length."""

    path: Path
    shown: str
    limited: bool = True

    def columns(self) -> list[str]:
        """The keys of the first rows, in order.

        Raises:
            CorpusError: the file is empty, or its first rows are not JSON objects.
        """
        keys: dict[str, None] = {}
        first: Problem | None = None
        for row, end in self._first_rows():
            if isinstance(row, Row):
                keys.update(dict.fromkeys(row.values))
            first = first or (row if isinstance(row, Problem) else None)
            if end >= _PEEK_BYTES:
                break
        if keys:
            return list(keys)
        raise (
            first.error()
            if first
            else CorpusError("is empty", where=self.shown, todo='Give one {"id": ..., "text": ...} a line')
        )

    def rows(self) -> Iterator[Row | Problem]:
        """Every row; blank lines are skipped."""
        return (self._parse(line) for line in self._lines() if line.data.strip())

    def _lines(self) -> Iterator[Line]:
        return numbered_lines(self.path, self.shown, limited=self.limited)

    def _first_rows(self) -> Iterator[tuple[Row | Problem, int]]:
        for line in self._lines():
            if line.number > _PEEK_LINES:
                return
            if line.data.strip():
                yield self._parse(line), line.offset + len(line.data)

    def _parse(self, line: Line) -> Row | Problem:
        if not line.whole:
            return self._problem(
                line, f"is longer than {len(line.data) // 1_000_000} MB", "Split the document"
            )
        try:
            value: Any = json.loads(line.decode())
        except UnicodeDecodeError as error:
            return self._problem(line, line.bad_bytes(error), NOT_UTF8)
        except json.JSONDecodeError as error:
            return self._problem(line, f"is not JSON: {error.msg} at character {error.colno}", _hint(line))
        except (ValueError, RecursionError) as error:
            return self._problem(line, f"is not JSON that can be read: {error}", "")
        if not isinstance(value, dict):
            return self._problem(line, f"is not a JSON object but {type(value).__name__}", _hint(line))
        return Row(self.shown, line.number, value)

    def _problem(self, line: Line, what: str, todo: str) -> Problem:
        return Problem(self.shown, line.number, "", "", what, todo=todo)


def _hint(line: Line) -> str:
    if line.number == 1 and line.data.lstrip().startswith(b"["):
        return "A JSON array becomes JSON Lines with: jq -c '.[]' OLD.json > NEW.jsonl"
    return 'JSON Lines have one whole object on each line, as {"id": "a", "text": "..."}'
