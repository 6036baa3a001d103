"""What is known of a document's own firm and can therefore be masked without having to be recognised."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from neuter.masking.patterns import lexicon
from neuter.masking.spans import Span
from neuter.types import Document

#: What is known outweighs what is guessed.
WEIGHT = 30

#: The entity under which every name of the document's own firm is one.
OWN = "\0own firm"

# An underscore parts words here, as in Apple_Inc and _AAPL_.
_WORD_STARTS, _WORD_ENDS = r"(?<![^\W_])", r"(?![^\W_])"

#: Columns that a corpus may carry along with names of the firm's officers and products (a list, or split by ; or |).
OFFICER_COLUMNS = ("officers", "executives", "ceo", "cfo", "speakers")
PRODUCT_COLUMNS = ("products", "brands")
ALIAS_COLUMNS = ("aliases", "former_names")


def find(document: Document, aliases: Iterable[str] = ()) -> list[Span]:
    """Every mention of the document's own firm, its ticker, officers and products where the corpus names them."""
    names = [n for n in (document.firm, *aliases, *_listed(document, ALIAS_COLUMNS)) if n]
    found = _mentions(document.text, {form for name in names for form in short_forms(name)}, "company", OWN)
    if document.ticker:
        found += _tickers(document.text, document.ticker)
    for name in _listed(document, OFFICER_COLUMNS):
        found += _mentions(document.text, {name, *name.split()[-1:]}, "name", name.casefold())
    for name in _listed(document, PRODUCT_COLUMNS):
        found += _mentions(document.text, {name}, "product", name.casefold())
    return found


def short_forms(name: str) -> set[str]:
    """A firm's name as people say it: without legal forms, and its first word where that alone names the firm.

    >>> sorted(short_forms("Asbury Automotive Group Inc Common Stock"))
    ['Asbury', 'Asbury Automotive', 'Asbury Automotive Group Inc Common Stock']
    """
    plain = re.sub(r"\([^()]*\)|/[A-Z]{2,3}/?$|,", " ", name).split()
    legal = frozenset(lexicon()["capitals"]["legal_forms"])
    core = list(plain)
    while core and core[-1].casefold().strip(".") in legal:
        core.pop()
    while core and core[0].casefold() == "the":
        core.pop(0)
    forms = {name.strip(), " ".join(core)}
    if core and _names_alone(core[0]):
        forms.add(core[0])
    return {form for form in forms if len(form) > 1}


@cache
def _too_common() -> frozenset[str]:
    return frozenset(lexicon()["capitals"]["too_common"])


def _names_alone(word: str) -> bool:
    return len(word) > 2 and word.casefold().strip(".") not in _too_common()


def _mentions(text: str, forms: Iterable[str], kind: str, entity: str) -> list[Span]:
    wanted = sorted({f for f in forms if len(f) > 1}, key=lambda f: (-len(f), f))
    if not wanted:
        return []
    # A name of one word needs its capital: "apple" and "target" are words too.
    one_word = [re.escape(f) for f in wanted if " " not in f]
    several = [re.escape(f).replace(r"\ ", r"[\s_]+") for f in wanted if " " in f]
    parts = []
    if several:
        parts.append(rf"(?i:{'|'.join(several)})")
    if one_word:
        cased = {*one_word, *(w.upper() for w in one_word), *(w[:1].upper() + w[1:] for w in one_word)}
        parts.append("|".join(sorted(cased, key=lambda w: (-len(w), w))))
    pattern = re.compile(rf"{_WORD_STARTS}(?:{'|'.join(parts)})(?:['’]s)?{_WORD_ENDS}")
    return [Span(m.start(), m.end(), kind, WEIGHT, entity, known=True) for m in pattern.finditer(text)]


def _tickers(text: str, ticker: str) -> list[Span]:
    """The ticker in capitals, after a dollar sign in any case; a single letter only where something says what it is."""
    symbol = re.escape(ticker.upper())
    # "$m" and "$b" are units of money.
    forms = (
        rf"\$(?i:{symbol})|{symbol}" if len(ticker) > 1 else rf"\${symbol}|(?<=[(\"“'‘]){symbol}(?=[)\"”'’])"
    )
    pattern = re.compile(rf"{_WORD_STARTS}(?:{forms}){_WORD_ENDS}")
    # The ticker outweighs a name that is spelt like it.
    return [
        Span(m.start(), m.end(), "ticker", WEIGHT + 1, ticker.casefold(), known=True)
        for m in pattern.finditer(text)
    ]


def _listed(document: Document, columns: Iterable[str]) -> list[str]:
    names: list[str] = []
    for column in columns:
        value = document.extra.get(column)
        if isinstance(value, str):
            names += re.split(r"[;|]", value)
        elif isinstance(value, (list, tuple)):
            names += [v for v in value if isinstance(v, str)]
    return [name.strip() for name in names if name.strip()]
