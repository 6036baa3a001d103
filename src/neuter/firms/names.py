"""Company names as comparable words: one spelling for AT&T Inc, "J.P. Morgan", "FIRST BANCORP /PR/"."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from neuter.shipped import shipped_path

#: Words of a name in order, legal forms gone: ``("coca", "cola")``.
Words = tuple[str, ...]

# What an exchange's list adds to the firm's name: "Class A Common Stock", "American Depositary Shares".
_SECURITY = re.compile(
    r"(?<=\S)[\s,–-]+(?:\(?cl(?:ass|\.)?\s+[a-z]\b|series\s+[a-z]\b|comm[ou][nm]\s+(?:stock|shares?|units?)|common$"
    r"|ordinary\s+shares?|american\s+deposit[ao]ry|ad[sr]s?\b|spons[a-z]+\s+ad|deposit[ao]ry\s+(?:shares?|receipts?|units?)"
    r"|dep\s+sh|new\s+york\s+(?:registry|shares)|shares?\s+of\s+beneficial|capital\s+stock|subordinate"
    r"|registered\s+shares|voting\s+(?:shares|common)|limited\s+partner(?:ship)?\s+(?:units?|interests?)"
    r"|common\s+units?|unit\s+representing|representing\b|warrants?$|units?$|rights?$|no\s+par|\$?0?\.\d+\s+par).*$",
    re.IGNORECASE | re.DOTALL,
)
# How a word of the expression above may begin. A quick look, because most names say nothing of a security.
_SECURITY_WORDS = (
    *("cl", "(cl", "series", "commo", "commu", "ordinary", "american", "ad", "spons", "dep", "new", "share"),
    *(
        "capital",
        "subord",
        "regist",
        "voting",
        "limited",
        "unit",
        "repr",
        "warr",
        "right",
        "no",
        "$",
        "0.",
        ".",
    ),
)
_BREAKS = str.maketrans(",-–", "   ")
_FORMAL = {"incorporated": "inc", "corporation": "corp", "company": "co", "limited": "ltd"}
_INITIALS = re.compile(r"\b([a-z0-9])\.\s?(?=[a-z0-9]\b)")
_SLASHED = re.compile(r"\b([a-z])/([a-z])\b")
_PARENTHESES = re.compile(r"\([^()]*\)")
_QUOTES = re.compile(r"['’‘`´\"“”]")
_OTHER = re.compile(r"[^a-z0-9]+")
#: No name is longer; a hostile one must not cost more than any other.
LONGEST = 300


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The lists of ``corpora/firms/words.toml``."""

    legal: frozenset[str]
    weak: frozenset[str]
    descriptors: frozenset[str]
    nobody: frozenset[str]
    small_words: frozenset[str]
    register: frozenset[str]
    register_suffix: re.Pattern[str]
    foreign: frozenset[str]
    long_legal: tuple[str, ...]
    alike: dict[str, str]
    abbreviations: dict[str, str]


@cache
def lexicon() -> Lexicon:
    raw = tomllib.loads(shipped_path("firms", "words.toml").read_text(encoding="utf-8"))
    suffixes = "|".join(sorted(raw["register"].split(), key=len, reverse=True))
    return Lexicon(
        legal=frozenset(raw["legal"].split()),
        weak=frozenset(raw["weak"].split()),
        descriptors=frozenset(raw["descriptors"].split()),
        nobody=frozenset(" ".join(part.split()) for part in raw["nobody"].split("|")),
        small_words=frozenset(raw["small_words"].split()),
        register=frozenset(raw["register"].split()),
        register_suffix=re.compile(rf"\s*[/\\]\s*(?:{suffixes})\s*[/\\]?\s*$"),
        foreign=frozenset(raw["foreign"].split()),
        long_legal=tuple(_FORMAL),
        alike={word: group.split()[0] for group in raw["alike"] for word in group.split()},
        abbreviations=dict(raw["abbreviations"]),
    )


def without_security(name: str) -> str:
    """``name`` without the words that say which security it is ("Class A Common Stock")."""
    name = " ".join(name[:LONGEST].split())
    words = name.lower().translate(_BREAKS).split()
    if not any(word.startswith(_SECURITY_WORDS) for word in words[1:]):
        return name.strip().strip(" ,-–")
    return _SECURITY.sub("", name.strip()).strip(" ,-–")


@lru_cache(maxsize=8192)
def plain_words(name: str) -> Words:
    """The words of ``name``: lower case, no accents or punctuation, initials joined, "and" left out.

    Between two single letters "and" stays, so that H&P (Helmerich & Payne) is not HP.
    """
    lex = lexicon()
    text = _plain_text(without_security(name))
    if "/" in text or "\\" in text:
        text = _SLASHED.sub(r"\1\2", lex.register_suffix.sub("", text))
    if "(" in text:
        text = _PARENTHESES.sub(" ", text)
    text = text.replace("'", "").replace('"', "").replace("`", "")
    if not text.isascii():
        text = _QUOTES.sub("", text)
    if "." in text:
        text = _INITIALS.sub(r"\1", text)
    if "&" in text or "+" in text:
        text = text.replace("&", " and ").replace("+", " and ")
    if "public limited company" in text:
        text = text.replace("public limited company", "plc")
    words = [lex.abbreviations.get(word, word) for word in _OTHER.sub(" ", text).split()]
    if "and" in words:
        words = _without_and(words)
    return _joined_initials(words)


def _plain_text(text: str) -> str:
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", text)
    return "".join(c for c in text if not unicodedata.combining(c)).casefold()


def _without_and(words: list[str]) -> list[str]:
    kept: list[str] = []
    for at, word in enumerate(words):
        if word != "and":
            kept.append(word)
        elif 0 < at < len(words) - 1 and _is_initial(words[at - 1]) and _is_initial(words[at + 1]):
            # A letter of its own in the run of initials, which no name's own letters are.
            kept.append("&")
    return kept


def _is_initial(word: str) -> bool:
    return len(word) == 1 and word.isalpha()


@lru_cache(maxsize=100_000)
def full_form(name: str) -> Words:
    """The words that name the firm: no security, no legal form, no leading "the"; may be empty."""
    words = plain_words(name)
    legal = lexicon().legal
    start, end = 0, len(words)
    while start < end and words[start] == "the":
        start += 1
    while start < end and (words[end - 1] in legal or (words[end - 1] == "de" and end - start > 2)):
        end -= 1
    return words[start:end]


@lru_cache(maxsize=50_000)
def formal_name(name: str) -> Words:
    """The words with their legal form, in one spelling of it: Toro Company is not Toro Corp."""
    return tuple(_FORMAL.get(word, word) for word in plain_words(name) if word != "the")


def plain_letters(words: Words) -> str:
    """The letters of a name run together, without the "and" between initials: "hrblock"."""
    return "".join(words).replace("&", "")


def alike_form(words: Words) -> Words:
    """``words`` with one spelling for words of one stem that say what a firm does: labs, laboratories."""
    alike = lexicon().alike
    return tuple(alike.get(word, word) for word in words)


def weak_form(words: Words) -> Words:
    """``words`` without "group", "holdings" and the like (and legal forms before them) at the end."""
    lex = lexicon()
    cut = words
    while len(cut) > 1 and (cut[-1] in lex.weak or cut[-1] in lex.legal):
        cut = cut[:-1]
    return cut if any(w not in lex.descriptors for w in cut) else words


def short_forms(words: Words) -> list[Words]:
    """Beginnings of ``words`` whose rest only says what the firm does: "cisco" of "cisco systems"."""
    descriptors = lexicon().descriptors
    forms = []
    for end in range(len(words) - 1, 0, -1):
        if words[end] not in descriptors:
            break
        if any(w not in descriptors for w in words[:end]):
            forms.append(words[:end])
    return forms


def names_nobody(text: str) -> bool:
    """True for an empty, generic or legal-form-only guess: "Inc", "The Company", "N/A", "Company_1"."""
    text = text[:LONGEST]
    lex, words = lexicon(), full_form(text)
    if all(word in lex.weak or word.isdigit() for word in words) or text.strip() in lex.small_words:
        return True
    if {" ".join(words), " ".join(plain_words(text))} & lex.nobody:
        return True
    if "_" in text or "<" in text or any(word.startswith(_PLACEHOLDER_WORDS) for word in words):
        return bool(_PLACEHOLDER.search(text))
    return False


_PLACEHOLDER_WORDS = (
    *("company", "ticker", "name", "firm", "organization", "product", "industry", "sector", "symbol", "tik"),
)
_PLACEHOLDER = re.compile(
    r"\b(?:company|ticker|name|firm|organization|product|industry|sector|symbol|tik)_?(?:\d+|[xyzn])\b|_[a-z0-9]{1,2}\b|<[A-Z_]+>",
    re.IGNORECASE,
)


def _joined_initials(words: list[str]) -> Words:
    """Runs of single letters as one word: "j b hunt" is "jb hunt", "s a" is "sa"."""
    if not any(len(word) == 1 for word in words):
        return tuple(words)
    joined: list[str] = []
    run = ""
    for word in words:
        if len(word) == 1 and (word.isalpha() or word == "&"):
            run += word
            continue
        joined.extend([run, word] if run else [word])
        run = ""
    return tuple([*joined, run] if run else joined)
