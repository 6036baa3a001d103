"""Sectors: what a guess or a corpus's column means by "semiconductors", "Capital Goods" or "a regional bank"."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from neuter.errors import CorpusError
from neuter.firms.labels import firm_of
from neuter.firms.universe import keyed_on_universe
from neuter.shipped import shipped_path

#: The eleven sectors of the Global Industry Classification Standard (since 2018).
SECTORS = (
    "Energy",
    "Materials",
    "Industrials",
    "Consumer Discretionary",
    "Consumer Staples",
    "Health Care",
    "Financials",
    "Information Technology",
    "Communication Services",
    "Utilities",
    "Real Estate",
)
NONE: frozenset[str] = frozenset()
#: A guess of more words than this is a text, not a sector.
LONGEST = 24
#: A guess that may mean more sectors than this names none: an attacker may hedge between two, not among five.
MOST = 2

_SMALL = frozenset({"and", "of", "the", "a", "for", "in"})
_PIECES = re.compile(r"[a-z0-9]+")
_APOSTROPHES = re.compile(r"['’‘`´]")

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lists:
    """``corpora/firms/sectors.toml``, its phrases as normalised words."""

    phrases: dict[Tokens, frozenset[str]]
    weak: dict[Tokens, frozenset[str]]
    classes: dict[Tokens, frozenset[str]]
    fillers: frozenset[str]
    longest: int

    def whole(self) -> tuple[dict[Tokens, frozenset[str]], ...]:
        """Where a guess is looked up as it stands, in this order."""
        return (_canonical(), self.phrases, self.weak, self.classes)


def sectors_of(text: str | None) -> frozenset[str]:
    """The GICS sectors that a guess names: mostly one, two where it is ambiguous, none where it is not understood.

    Case, punctuation, hyphens, "&", "and" and plurals do not count. The longest phrase of the shipped list that the
    guess holds decides, by its number of words; of two as long, both count. A single general word (technology,
    retail) counts only where there is no phrase: "medical technology" is Health Care alone. Some names mean two
    sectors whatever one does, and give both: "consumer electronics", "payments", "technology services" (Information
    Technology and Industrials), "renewable energy". More than two ("banks, hospitals and restaurants") are none.

    >>> sorted(sectors_of("Semiconductors"))
    ['Information Technology']
    >>> sorted(sectors_of("a regional bank"))
    ['Financials']
    >>> sectors_of("N/A")
    frozenset()
    """
    return _read(text)[0] if text else NONE


def names_only_a_sector(text: str | None) -> bool:
    """True where a guess is made of a sector's words and fillers: "a large semiconductor company", not "Acme Steel"."""
    return bool(text) and bool(_read(str(text))[0]) and not _read(str(text))[1]


def classified_sectors(sector: str | None) -> frozenset[str]:
    """The GICS sectors that a corpus's sector column may mean, read as a classification's name.

    "Capital Goods" is a sector of NASDAQ's until 2021 that GICS splits into Industrials, Information Technology and
    Consumer Discretionary; "Basic Materials" is NASDAQ's and Yahoo's, and in Yahoo's older one held oil. All that a
    name may mean count. GICS's own names mean themselves. What is no classification's name is read like a guess.
    "Miscellaneous" and the like say nothing: no sector.
    """
    if not sector:
        return NONE
    tokens = _tokens(sector)
    own = _canonical().get(tokens)
    if own:
        return own
    classes = _lists().classes.get(tokens)
    return classes if classes is not None else sectors_of(sector)


def same_sector(guess: str | None, sector: str | None) -> bool | None:
    """Whether a guessed industry lies in a document's sector; None where either of them is not understood.

    True where the two may be the same sector: with a classification coarser than GICS this is generous, and so is
    the baseline beside it. The guess is read by ``sectors_of``, the sector by ``classified_sectors``.

    >>> same_sector("oil & gas exploration", "Energy"), same_sector("biotech", "Energy")
    (True, False)
    """
    return overlap(sectors_of(guess), classified_sectors(sector))


def overlap(said: frozenset[str], sectors: frozenset[str]) -> bool | None:
    """Whether two sets of sectors share one; None where either is empty."""
    return bool(said & sectors) if said and sectors else None


@keyed_on_universe
@lru_cache(maxsize=50_000)
def sector_of_label(label: str) -> frozenset[str]:
    """The sectors that the universe's own entry for a firm means, for documents that give none; often none."""
    firm = firm_of(label) if label else None
    return NONE if firm is None else classified_sectors(firm.sector)


@lru_cache(maxsize=100_000)
def _read(text: str) -> tuple[frozenset[str], Tokens]:
    """Sectors, and the words that are neither a sector's nor fillers."""
    tokens = _tokens(text)
    if not 0 < len(tokens) <= LONGEST:
        return NONE, tokens
    lists = _lists()
    whole = next((found for table in lists.whole() if (found := table.get(tokens))), NONE)
    found = whole or _longest(tokens, lists.phrases, lists.longest) or _longest(tokens, lists.weak, 2)
    rest = () if whole else _uncovered(tokens, lists)
    return (found if len(found) <= MOST else NONE), rest


def _longest(tokens: Tokens, phrases: dict[Tokens, frozenset[str]], longest: int) -> frozenset[str]:
    """The sectors of the longest phrases within ``tokens``, joined where several are as long."""
    for size in range(min(longest, len(tokens)), 0, -1):
        found = [phrases[part] for _, part in _parts(tokens, size) if part in phrases]
        if found:
            return frozenset[str]().union(*found)
    return NONE


def _uncovered(tokens: Tokens, lists: Lists) -> Tokens:
    """The words that belong to no phrase, long or weak, and are no fillers."""
    covered = {at for at, token in enumerate(tokens) if token in lists.fillers}
    for size in range(min(lists.longest, len(tokens)), 0, -1):
        for start, part in _parts(tokens, size):
            if part in lists.phrases or part in lists.weak:
                covered.update(range(start, start + size))
    return tuple(token for at, token in enumerate(tokens) if at not in covered)


def _parts(tokens: Tokens, size: int) -> Iterable[tuple[int, Tokens]]:
    return ((start, tokens[start : start + size]) for start in range(len(tokens) - size + 1))


def _tokens(text: str) -> Tokens:
    """The words of ``text`` in one spelling: no case, accents, plurals or small words."""
    # Nothing that long names a sector, and a hostile answer must not cost more than any other.
    plain = unicodedata.normalize("NFKD", text[:400]).casefold()
    plain = _APOSTROPHES.sub("", "".join(c for c in plain if not unicodedata.combining(c)))
    spellings = _spellings()
    words: list[str] = []
    for piece in _PIECES.findall(plain):
        if piece not in _SMALL:
            spelt = spellings.get(piece) or spellings.get(_singular(piece), piece)
            words.extend(_singular(word) for word in spelt.split())
    return tuple(words)


def _singular(word: str) -> str:
    """One form for singular and plural; it need not be English, only the same for both."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    )


@cache
def _canonical() -> dict[Tokens, frozenset[str]]:
    return {_tokens(name): frozenset({name}) for name in SECTORS}


@cache
def _raw() -> dict[str, Any]:
    path = shipped_path("firms", "sectors.toml")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise CorpusError(f"sectors cannot be read ({error})", where=str(path)) from error


@cache
def _spellings() -> dict[str, str]:
    spellings: dict[str, str] = _raw()["spellings"]
    return spellings


@cache
def _lists() -> Lists:
    raw = _raw()
    strange = set(raw["sectors"]) - set(SECTORS)
    for names in (
        *raw["ambiguous"].values(),
        *(s for c in raw["classifications"].values() for s in c.values()),
    ):
        strange |= set(names) - set(SECTORS)
    if strange:
        where = str(shipped_path("firms", "sectors.toml"))
        raise CorpusError(f"no such sector: {min(strange)!r}", where=where, todo="Use GICS's names")
    phrases = _phrases(raw["sectors"], "phrases")
    # A phrase that is listed as ambiguous means what is said there, whatever else lists it.
    phrases |= {_tokens(phrase): frozenset(names) for phrase, names in raw["ambiguous"].items()}
    classes: dict[Tokens, frozenset[str]] = {}
    for names in raw["classifications"].values():
        for name, sectors in names.items():
            tokens = _tokens(name)
            classes[tokens] = classes.get(tokens, NONE) | frozenset(sectors)
    return Lists(
        phrases,
        _phrases(raw["sectors"], "weak"),
        classes,
        frozenset(raw["guesses"]["fillers"].split()),
        max(map(len, phrases)),
    )


def _phrases(sectors: dict[str, dict[str, str]], kind: str) -> dict[Tokens, frozenset[str]]:
    found: dict[Tokens, frozenset[str]] = {}
    for sector, lists in sectors.items():
        for phrase in lists[kind].split("|"):
            tokens = _tokens(phrase)
            if tokens:
                found[tokens] = found.get(tokens, NONE) | {sector}
    return found
