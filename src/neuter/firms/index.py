"""What a firm is, and the indexes in which a guess is looked up: tickers, names, and forms that fall short of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from neuter.firms.names import Words, alike_form, full_form, plain_letters, short_forms, weak_form

EVER = (0, 999_999)


@dataclass(frozen=True, slots=True)
class Span:
    """A ticker held or a name borne, by months counted as ``year * 12 + month - 1``, both ends included.

    ``strict``: outside of these months it names nobody, because another firm has taken it up since.
    """

    value: str
    first: int
    last: int
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Firm:
    """A firm of the universe. ``label`` is its stable id: "cik:0000320193", or "ticker:ACC" without a CIK.

    ``fiscal_year_end`` (a month) and ``parent`` are what the user's own file says of it, if anything.
    """

    label: str
    cik: int | None
    ticker: str
    name: str
    exchange: str
    sector: str
    tickers: tuple[Span, ...]
    names: tuple[Span, ...]
    aliases: tuple[str, ...] = ()
    fiscal_year_end: int | None = None
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A firm's right to a ticker or a name during a span of months; none outside of them if ``strict``.

    ``alias``: the name is a short form or a nickname of the hand-kept list, not one that the firm has borne.
    """

    firm: int
    first: int
    last: int
    strict: bool = False
    alias: bool = False


@dataclass(eq=False)
class Universe:
    """Firms with their indexes: tickers, full names (run together too), and forms that fall short of them.

    ``capitals``: aliases of the hand-kept list that are another firm's ticker too. ``words``: the firms of each word.
    """

    firms: tuple[Firm, ...]
    by_label: dict[str, int] = field(default_factory=dict)
    tickers: dict[str, list[Claim]] = field(default_factory=lambda: defaultdict(list))
    capitals: dict[str, list[Claim]] = field(default_factory=lambda: defaultdict(list))
    full: dict[Words, list[Claim]] = field(default_factory=lambda: defaultdict(list))
    together: dict[str, list[Claim]] = field(default_factory=lambda: defaultdict(list))
    weak: dict[Words, set[int]] = field(default_factory=lambda: defaultdict(set))
    alike: dict[Words, set[int]] = field(default_factory=lambda: defaultdict(set))
    short: dict[Words, set[int]] = field(default_factory=lambda: defaultdict(set))
    beginnings: dict[Words, set[int]] = field(default_factory=lambda: defaultdict(set))
    words: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    @cached_property
    def vocabulary(self) -> dict[tuple[str, int], list[str]]:
        """Words of five letters and more by first letter and about the length (three more or less), to be misspelt."""
        found: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word in self.words:
            if len(word) >= 5 and word.isalpha():
                for length in range(len(word) - 3, len(word) + 4):
                    found[word[0], length].append(word)
        return dict(found)

    @cached_property
    def beside(self) -> dict[tuple[int | str, ...], set[str]]:
        """The words that stand at a place of a name, by that place and the name's other words."""
        found: dict[tuple[int | str, ...], set[str]] = defaultdict(set)
        for words in self.full:
            if len(words) > 1:
                for at, word in enumerate(words):
                    found[(at, *words[:at], *words[at + 1 :])].add(word)
        return dict(found)


def month_number(day: date) -> int:
    """Months since year 0, so that months compare and subtract."""
    return day.year * 12 + day.month - 1


def ticker_key(symbol: str) -> str:
    """One spelling for BRK.B, BRK/B and BRK-B."""
    return symbol.strip().upper().replace("/", "-").replace(".", "-").replace(" ", "-")


def indexed(firms: tuple[Firm, ...]) -> Universe:
    """The firms with their indexes; a firm is named by its place in ``firms``."""
    index = Universe(firms=firms)
    for number, firm in enumerate(firms):
        add_firm(index, number, firm)
    return index


def add_firm(index: Universe, number: int, firm: Firm) -> None:
    """Enters one firm into every index."""
    index.by_label[firm.label] = number
    for span in firm.tickers:
        claim = Claim(number, span.first, span.last)
        index.tickers[span.value].append(claim)
        base, _, share_class = span.value.partition("-")
        if share_class in {"A", "B", "C"}:
            for other in (base, base + share_class):
                index.tickers[other].append(claim)
    for span in firm.names:
        _add_name(index, number, span, alias=False)
    for alias in firm.aliases:
        _add_name(index, number, Span(alias, *EVER), alias=True)


def _add_name(index: Universe, number: int, span: Span, *, alias: bool) -> None:
    words = full_form(span.value)
    if not words:
        return
    claim = Claim(number, span.first, span.last, span.strict, alias)
    if alias and span.value.isupper() and len(words) == 1:
        index.capitals[ticker_key(span.value)].append(claim)
    index.full[words].append(claim)
    for letters in {"".join(words), plain_letters(words)}:
        index.together[letters].append(claim)
    for word in words:
        index.words[word].add(number)
    if not span.strict:
        _add_short_forms(index, number, words)


def _add_short_forms(index: Universe, number: int, words: Words) -> None:
    weak = weak_form(words)
    index.weak[weak].add(number)
    index.alike[alike_form(weak)].add(number)
    for form in short_forms(words):
        index.short[alike_form(form)].add(number)
    for end in range(1, len(words)):
        index.beginnings[words[:end]].add(number)
