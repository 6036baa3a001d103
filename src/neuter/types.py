"""The vocabulary of neuter: start here. Every stage speaks in these types and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any, ClassVar, Protocol, Self, runtime_checkable


class Outcome(StrEnum):
    """What became of a call to a model or an attacker. Only ``ANSWERED`` carries a usable answer."""

    ANSWERED = "answered"
    REFUSED = "refused"
    FILTERED = "filtered"
    TRUNCATED = "truncated"
    UNPARSED = "unparsed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Document:
    """A text with what is known of it. ``market_cap`` is in US dollars, ``size`` a tercile's name,
    ``fiscal_year_end`` the month (1 to 12) in which the fiscal year ends.
    """

    id: str
    text: str
    kind: str = "transcript"
    ticker: str | None = None
    firm: str | None = None
    cik: int | None = None
    date: date | None = None
    date_assumed: bool = False
    fiscal_year: int | None = None
    fiscal_quarter: int | None = None
    fiscal_year_end: int | None = None
    market_cap: float | None = None
    size: str | None = None
    sector: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """``text[start:end]`` of the ORIGINAL text gave way to ``placeholder``."""

    start: int
    end: int
    placeholder: str
    kind: str


@dataclass(frozen=True, slots=True)
class MaskedDocument:
    """A document as an attacker sees it: no firm, no date, no original.

    ``text`` is None when masking failed: a failed document is absent, never passed on unmasked.
    ``replacements`` is None for a scheme that rewrites the text instead of replacing spans.
    """

    id: str
    text: str | None
    scheme: str
    kind: str = "transcript"
    replacements: tuple[Replacement, ...] | None = ()
    outcome: Outcome = Outcome.ANSWERED
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Guess:
    """What an attacker says of one masked document.

    ``candidates`` are firms, best first, with ``scores`` beside them; ``firm`` is the first of them.
    ``firm`` is a ticker or a name as the attacker gave it; matching is the scorer's work.
    ``confidence`` that ``firm`` is right is within 0 and 1.
    """

    id: str
    scheme: str
    attacker: str
    model: str | None = None
    outcome: Outcome = Outcome.ANSWERED
    firm: str | None = None
    industry: str | None = None
    quarter: int | None = None
    year: int | None = None
    date: date | None = None
    confidence: float | None = None
    candidates: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    answer: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One call to a model. ``id`` says what it is for and is not part of the store's key.

    ``messages`` are (role, content) pairs; ``parameters`` go into the request body as they are, and
    what is not set is not sent. ``outcome_of`` tells the outcome of a text that was answered, as whoever asks
    will read it: a refusal in plain words is one then, and can be asked again.
    """

    id: str
    messages: tuple[tuple[str, str], ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    sample: int = 0
    outcome_of: Callable[[str], Outcome] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Response:
    """What a model returned for a request, already committed to the store (unless it failed)."""

    id: str
    outcome: Outcome
    text: str | None = None
    model: str | None = None
    key: str = ""
    reused: bool = False
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reason: str = ""


#: Called with (stage, done, total or None) as work goes on.
Progress = Callable[[str, int, "int | None"], None]


class Ask(Protocol):
    """A connected model: answers requests in their order, reading no further ahead than its queue."""

    @property
    def model(self) -> str: ...

    def ask(self, requests: Iterable[Request]) -> Iterator[Response]: ...


@runtime_checkable
class Scheme(Protocol):
    """A way to mask. The constructor only stores its keyword parameters; ``fit`` returns self.

    ``mask`` yields one masked document for each document, in order. ``reversible`` is True where
    replacing the spans restores the original exactly.
    """

    name: ClassVar[str]
    reversible: ClassVar[bool]

    def fit(self, documents: Iterable[Document]) -> Self: ...

    def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]: ...


@runtime_checkable
class Attacker(Protocol):
    """Something that guesses from masked text. ``fit`` reads the reference that it may know."""

    name: ClassVar[str]

    def fit(self, reference: Iterable[Document]) -> Self: ...

    def attack(self, documents: Iterable[MaskedDocument]) -> Iterator[Guess]: ...


@runtime_checkable
class NeedsModel(Protocol):
    """A scheme or attacker that works through a language model and must be connected to one."""

    def connect(self, model: Ask) -> Self: ...
