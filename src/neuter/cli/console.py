"""What commands say: results on standard output, everything else on standard error."""

from __future__ import annotations

import errno
import json
import math
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, cast

from neuter.types import Progress

if TYPE_CHECKING:
    from rich.console import Console

#: Off a terminal, a line of progress at most this often, in seconds.
_NOW_AND_THEN = 15.0


def out() -> Console:
    """The console of standard output. A pipe has no width of its own: tables get 120 columns there."""
    from rich.console import Console

    class _Piped(Console):
        def on_broken_pipe(self) -> None:
            """A reader that has seen enough, such as head, is no fault."""
            raise BrokenPipeError

    return _Piped(width=None if sys.stdout.isatty() else 120)


def err() -> Console:
    """The console of standard error."""
    from rich.console import Console

    return Console(file=cast(IO[str], _Terminal(sys.stderr)), width=None if sys.stderr.isatty() else 120)


class _Terminal:
    """A terminal that may be gone before anybody was told so: what is said to it then is lost, and is no error.

    The signal that it is gone comes after it, and ends the run in order.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            self._lose(error)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._lose(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _lose(self, error: OSError) -> None:
        """Say it to nobody from now on, if the terminal is gone."""
        if error.errno != errno.EIO:
            raise error
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


def print_json(data: Any) -> None:
    """One JSON value on standard output; a polars frame in it is written as a list of its rows, one a line."""
    for piece in _pieces(data):
        sys.stdout.write(piece.encode("utf-8", "replace").decode("utf-8"))
    sys.stdout.write("\n")


def _pieces(data: Any) -> Iterator[str]:
    """The text of ``data``, bit by bit: scores of thousands of firms are gigabytes as dictionaries."""
    if isinstance(data, Mapping):
        yield from _joined("{", ((f"{_dumped(str(key))}: ", value) for key, value in data.items()), "}")
    elif isinstance(data, (list, tuple)):
        yield from _joined("[", (("", value) for value in data), "]")
    elif hasattr(data, "iter_rows"):
        rows = data.iter_rows(named=True)
        yield from _joined("[", ((_dumped(_finite(row)), _NOTHING) for row in rows), "]")
    else:
        yield _dumped(_finite(data))


def _joined(start: str, entries: Iterable[tuple[str, Any]], end: str) -> Iterator[str]:
    yield start
    for place, (text, value) in enumerate(entries):
        yield ("," if place else "") + "\n" + text
        if value is not _NOTHING:
            yield from _pieces(value)
    yield end


_NOTHING = object()


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)


def _finite(data: Any) -> Any:
    """The same with NaN and infinity as null: JSON has no such numbers."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {str(key): _finite(value) for key, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, (list, tuple)) else data


def say(text: str) -> None:
    """A sentence on standard error, as it is: nothing in it is markup."""
    # A terminal wraps at words; a log keeps its lines.
    err().print(text, markup=False, highlight=False, soft_wrap=not sys.stderr.isatty())


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress bar for each stage on a terminal; a line now and then elsewhere."""
    if sys.stderr.isatty():
        with _bars() as told:
            yield told
    else:
        yield _lines()


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=err(), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def told(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                for task in tasks.values():
                    bars.stop_task(task)
                    bars.update(task, visible=False)
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield told


def _lines() -> Progress:
    last_stage, last_time = "", 0.0

    def told(stage: str, done: int, total: int | None) -> None:
        nonlocal last_stage, last_time
        now = time.monotonic()
        if stage == last_stage and now - last_time < _NOW_AND_THEN:
            return
        last_stage, last_time = stage, now
        say(stage if not done else f"{stage}: {done}{f' of {total}' if total else ''}")

    return told
