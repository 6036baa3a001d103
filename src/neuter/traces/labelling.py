"""A person labels chains of thought one by one, blind: what is shown, which keys there are, and what is kept when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import polars as pl

from neuter.errors import DataError
from neuter.traces.labels import NO, YES, read_labels, write_labels
from neuter.traces.schema import LABEL_SCHEMA

_ANSWERS = {"y": YES, "n": NO}


@dataclass(frozen=True, slots=True)
class Item:
    """What a labeller sees of one trace: no model, condition, verdict, outcome or probability."""

    key: str
    question: str
    trace: str


class Screen(Protocol):
    """Where a labeller reads and answers."""

    def show(self, item: Item, number: int, total: int, done: int, before: Mapping[str, str] | None) -> None:
        """An item, its place, how many are labelled, and its label if it has one."""

    def ask(self, question: str) -> str:
        """One key, in lower case, after a question."""

    def line(self, prompt: str) -> str:
        """A line of text."""

    def say(self, text: str) -> None:
        """A sentence."""


def items_of(sample: pl.DataFrame, questions: Mapping[str, str]) -> list[Item]:
    """What is shown of a sample (of :func:`neuter.traces.stratified`)."""
    return [
        Item(row["key"], questions.get(row["id"], ""), row["trace"])
        for row in sample.select("key", "id", "trace").iter_rows(named=True)
    ]


class Labels:
    """One person's labels in a file that may hold others' too; written whole after each."""

    def __init__(self, path: Path, by: str) -> None:
        """Read what the file holds.

        Raises:
            DataError: it holds something else, or bad labels.
        """
        self._path, self._by = path, by
        held = read_labels(path) if path.exists() else pl.DataFrame(schema=LABEL_SCHEMA)
        rows = held.to_dicts()
        self._others = [row for row in rows if row["by"] != by]
        self._own = {row["key"]: row for row in rows if row["by"] == by}

    def of(self, key: str) -> Mapping[str, str] | None:
        """This person's label of a trace."""
        return self._own.get(key)

    def done(self, items: Iterable[Item]) -> int:
        """How many of the items are labelled."""
        return sum(item.key in self._own for item in items)

    def put(self, key: str, logic: str, clean: str, note: str) -> None:
        """Keep a label, in place of one that there may be, and write the file.

        Raises:
            RunError: the file cannot be written; it is as it was.
        """
        self._own[key] = {"key": key, "logic": logic, "clean": clean, "by": self._by, "note": note}
        write_labels(self._path, pl.DataFrame([*self._others, *self._own.values()], schema=LABEL_SCHEMA))


def label_items(items: list[Item], labels: Labels, screen: Screen) -> int:
    """Go through the items from the first without a label; returns how many are labelled in the end.

    Two keys an item (y or n): is it consistent, is it free of references after the cutoff. ``b`` goes back (within an
    item to its first question, else to the item before), ``c`` writes a note, ``q`` ends; what is labelled stays.
    """
    place = next((at for at, item in enumerate(items) if labels.of(item.key) is None), len(items))
    while place < len(items):
        item = items[place]
        screen.show(item, place + 1, len(items), labels.done(items), labels.of(item.key))
        step = _label(item, labels, screen)
        if step is None:
            break
        place = max(0, place + step)
    return labels.done(items)


def _label(item: Item, labels: Labels, screen: Screen) -> int | None:
    """Label one item; returns where to go from it, or None to end."""
    before = labels.of(item.key)
    note = before["note"] if before else ""
    said: list[str] = []
    while len(said) < len(_QUESTIONS):
        key = screen.ask(_QUESTIONS[len(said)])
        if key in _ANSWERS:
            said.append(_ANSWERS[key])
        elif key == "b":
            if not said:
                return -1
            said.pop()
        elif key == "c":
            note = screen.line("Note") or note
        elif key == "q":
            return None
        else:
            screen.say("Keys: y yes, n no, b back, c a note, q quit (what is labelled stays)")
    labels.put(item.key, said[0], said[1], note)
    return 1


#: What is asked of each item, in this order.
_QUESTIONS = (
    "Is the reasoning logically consistent?",
    "Is it free of references to what happened on or after the cutoff?",
)


def see_name(by: str) -> str:
    """A labeller's name as it is kept.

    Raises:
        DataError: it is empty, or no single line.
    """
    name = by.strip()
    if not name or not name.isprintable():
        raise DataError(f"{by!r} is no name", where="--by", todo="Give a name or initials")
    return name
