"""What an importer finds in a file: a question as it stands there, one that is set aside, or a fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Found:
    """A question as its source writes it. ``where`` is a place in the file, for messages.

    ``outcome`` is 1 or 0; dates are text or seconds since 1970; ``community`` holds (date, probability) pairs, those
    of one day in their order. ``shares`` says that its probabilities are known to be within 0 and 1, ``verbatim`` that
    its texts are not to be searched for markup.
    """

    where: str
    id: Any
    question: Any
    outcome: int
    resolution_date: Any
    background: Any = ""
    criteria: Any = ""
    open: Any = None
    close: Any = None
    categories: Sequence[str] = ()
    source: Any = ""
    url: Any = ""
    cluster: Any = ""
    base_rate: Any = None
    community: Sequence[tuple[Any, Any]] = ()
    shares: bool = True
    verbatim: bool = False


@dataclass(frozen=True, slots=True)
class Aside:
    """A question that is none for us: it is counted by its reason."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that cannot be read."""

    where: str
    what: str
    todo: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


Item = Found | Aside | Fault


@dataclass(frozen=True, slots=True)
class Source:
    """A file, what of it was looked at to tell its format, and what the user said of it.

    ``start`` is the first JSON value of the file (of JSON Lines: its first line), None where it is no JSON.
    """

    path: Path
    start: Any = None
    lines: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)
    resolutions: Path | None = None


class Importer(Protocol):
    """Reads one format."""

    def matches(self, source: Source) -> bool:
        """Whether the file looks like this format."""

    def questions(self, source: Source) -> Iterator[Item]:
        """What it holds, in its order."""
