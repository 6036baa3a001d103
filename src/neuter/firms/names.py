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
_FORMAL = {"incorporated": "inc", "corporation": "corp", "company": "co", "limited": "ltd"}
_INITIALS = re.compile(r"\b([a-z0-9])\.\s?(?=[a-z0-9]\b)")
_SLASHED = re.compile(r"\b([a-z])/([a-z])\b")
_PARENTHESES = re.compile(r"\([^()]*\)")
_QUOTES = re.compile(r"['’‘`´\"“”]")
_OTHER = re.compile(r"[^a-z0-9]+")


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
        abbreviations=dict(raw["abbreviations"]),
    )


def without_security(name: str) -> str:
    """``name`` without the words that say which security it is ("Class A Common Stock")."""
    return _SECURITY.sub("", name.strip()).strip(" ,-–")


def plain_words(name: str) -> Words:
    """The words of ``name``: lower case, no accents or punctuation, initials joined, "and" left out."""
    lex = lexicon()
    text = unicodedata.normalize("NFKD", without_security(name))
    text = "".join(c for c in text if not unicodedata.combining(c)).casefold()
    text = lex.register_suffix.sub("", text)
    text = _PARENTHESES.sub(" ", text)
    text = _QUOTES.sub("", text)
    text = _SLASHED.sub(r"\1\2", _INITIALS.sub(r"\1", text)).replace("&", " and ").replace("+", " and ")
    words = [lex.abbreviations.get(w, w) for w in _OTHER.sub(" ", text).split() if w != "and"]
    return _joined_initials(words)


@lru_cache(maxsize=200_000)
def full_form(name: str) -> Words:
    """The words that name the firm: no security, no legal form, no leading "the"; may be empty."""
    words = plain_words(name)
    legal = lexicon().legal
    while words and words[0] == "the":
        words = words[1:]
    while words and (words[-1] in legal or (words[-1] == "de" and len(words) > 2)):
        words = words[:-1]
    return words


@lru_cache(maxsize=50_000)
def formal_name(name: str) -> Words:
    """The words with their legal form, in one spelling of it: Toro Company is not Toro Corp."""
    return tuple(_FORMAL.get(word, word) for word in plain_words(name) if word != "the")


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
    lex, words = lexicon(), full_form(text)
    if all(word in lex.weak or word.isdigit() for word in words) or text.strip() in lex.small_words:
        return True
    if {" ".join(words), " ".join(plain_words(text))} & lex.nobody:
        return True
    return bool(_PLACEHOLDER.search(text))


_PLACEHOLDER = re.compile(
    r"\b(?:company|ticker|name|firm|organization|product|industry|sector|symbol|tik)_?(?:\d+|[xyzn])\b|_[a-z0-9]{1,2}\b|<[A-Z_]+>",
    re.IGNORECASE,
)


def _joined_initials(words: list[str]) -> Words:
    """Runs of single letters as one word: "j b hunt" is "jb hunt", "s a" is "sa"."""
    joined: list[str] = []
    run = ""
    for word in words:
        if len(word) == 1 and word.isalpha():
            run += word
            continue
        joined.extend([run, word] if run else [word])
        run = ""
    return tuple([*joined, run] if run else joined)
