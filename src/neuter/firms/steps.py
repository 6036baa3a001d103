"""The steps by which a guess is matched: tickers and exact names first, short forms next, misspellings last."""

from __future__ import annotations

from collections.abc import Collection

from neuter.firms.claims import NOBODY, Firms, chosen, covers
from neuter.firms.guesses import Alternative, Reading, alternatives
from neuter.firms.index import Claim, Firm, Universe
from neuter.firms.names import Words, alike_form, formal_name, full_form, lexicon, names_nobody, weak_form
from neuter.firms.spelling import corrections

#: A short form or a run-together spelling must have this many letters before it may name a firm.
SHORTEST = 3
#: Guesses longer than this are prose and no name; the longest name of the universe has 120 characters.
LONGEST = 200


def firms_named(index: Universe, guess: str, month: int | None) -> Firms:
    """The firms of ``index`` that ``guess`` names in ``month`` (``year * 12 + month - 1``), best first."""
    guess = guess.strip()
    if len(guess) > LONGEST:
        return NOBODY
    for alternative in alternatives(guess):
        found = _agreed(index, alternative, month)
        if found:
            return found
    return NOBODY


def _agreed(index: Universe, alternative: Alternative, month: int | None) -> Firms:
    if len(alternative.parts) == 1:
        return _firms_of(index, alternative.parts[0], month)
    said = [_firms_of(index, part, month) for part in alternative.parts]
    if alternative.every and not all(said):
        return NOBODY
    named = [found for found in said if found]
    if len(named) == 1 and not said[1] and not _share_a_word(index, named[0], alternative.parts[1].name):
        return NOBODY
    # "Apple Inc. (MSFT)": a name and a ticker that disagree name nobody.
    return tuple(firm for firm in named[0] if all(firm in other for other in named[1:])) if named else NOBODY


def _share_a_word(index: Universe, firms: Firms, name: str) -> bool:
    """True where a name that nobody bears may yet be of the ticker's firm: "Grayscale Litecoin Trust (LTC)" is not."""
    if names_nobody(name):
        return True
    said = set(full_form(name)) - lexicon().descriptors
    own = {
        word for number in firms for own_name in names_of(index.firms[number]) for word in full_form(own_name)
    }
    return bool(said & own)


def _firms_of(index: Universe, reading: Reading, month: int | None) -> Firms:
    ticker = _by_ticker(index, reading, month) if reading.tickers else NOBODY
    if ticker and reading.marked:
        # "Nasdaq OMX" is a name, though OMX was OfficeMax.
        return chosen(index.full.get(full_form(reading.name), ()), month) or ticker
    if ticker and reading.capitals:
        return _name_of_the_time(index, reading, month) or ticker
    if not reading.name or names_nobody(reading.name):
        return NOBODY
    return by_name(index, reading.name, month) or ticker


def _by_ticker(index: Universe, reading: Reading, month: int | None) -> Firms:
    for symbol in reading.tickers:
        # FORD is one firm's ticker and, as a guess, another's name: the hand-kept list says where both count.
        named = NOBODY if reading.marked else chosen(index.capitals.get(symbol, ()), month)
        found = chosen(index.tickers.get(symbol, ()), month)
        if found or named:
            return tuple(dict.fromkeys((*found, *named)))
    return NOBODY


def _name_of_the_time(index: Universe, reading: Reading, month: int | None) -> Firms:
    """Firms that bore the capitals as a name in ``month``, where no firm held them as a ticker then.

    SAIC was the name of today's Leidos until September 2013, and the ticker of another firm since.
    """
    if month is None:
        return NOBODY
    for symbol in reading.tickers:
        if any(covers(claim, month) for claim in index.tickers.get(symbol, ())):
            return NOBODY
    borne = [c for c in index.full.get(full_form(reading.name), ()) if not c.alias and covers(c, month)]
    return chosen(borne, month)


def by_name(index: Universe, name: str, month: int | None) -> Firms:
    """Firms that a name means: exact, run together, weak, short, and misspelt, in this order."""
    words = full_form(name)
    if not words:
        return NOBODY
    claims = _exact(index, words)
    if claims:
        return _by_legal_form(index, name, words, claims, month)
    whole = formal_name(name) != words
    near = by_shortened_name(index, words, whole, month) or (NOBODY if whole else _by_beginning(index, words))
    near = near or _bank_of(index, words, month)
    if near:
        return near
    for fixed in corrections(index, words, whole):
        # A lone word that is both misspelt and short of the full name says too little.
        found = chosen(_exact(index, fixed), month)
        found = found or (by_shortened_name(index, fixed, whole, month) if len(words) > 1 else NOBODY)
        if found:
            return found
    return NOBODY


def _exact(index: Universe, words: Words) -> list[Claim]:
    """Claims to a full name or alias of these words, or of these letters run together."""
    claims = index.full.get(words)
    if claims:
        return claims
    together = "".join(words)
    return index.together.get(together, []) if len(together) >= SHORTEST else []


def _by_legal_form(index: Universe, name: str, words: Words, claims: list[Claim], month: int | None) -> Firms:
    """Of firms that differ by their legal form alone, those with the one that the guess gives.

    Chase Corp is the maker of coatings and not JPMorgan Chase; Merck KGaA is not Merck & Co., Inc.
    """
    found = chosen(claims, month)
    said = formal_name(name)
    if said == words:
        return found
    formal = [claim for claim in claims if said in _formal_names(index, claim.firm)]
    own = tuple(firm for firm in found if any(claim.firm == firm for claim in formal))
    if own:
        return own
    if formal and all(claim.alias for claim in claims if claim.firm in found):
        return chosen([claim for claim in formal if not claim.alias], month) or found
    if said[-1] in lexicon().foreign:
        return tuple(firm for firm in found if not _only_american(index, firm))
    return found


def _formal_names(index: Universe, number: int) -> list[Words]:
    return [formal_name(name) for name in names_of(index.firms[number])]


def _only_american(index: Universe, number: int) -> bool:
    """True where the firm's names have a legal form, and none of another country."""
    lex = lexicon()
    forms = {name[-1] for name in _formal_names(index, number) if name and name[-1] in lex.legal}
    return bool(forms & {"inc", "corp", "co", "llc", "lp"}) and not forms & lex.foreign


def by_shortened_name(index: Universe, words: Words, whole: bool = False, month: int | None = None) -> Firms:
    """The one firm whose name is ``words`` up to "holdings" or a word for what it does; else none.

    ``whole``: the guess has a legal form, which says that the name ends there: Hess Corporation is not Hess
    Midstream, nor Tetra Tech Inc. Tetra Technologies, where the firm itself is not known.
    ``month``: of several firms, those that were listed only after it do not count.
    """
    weak = weak_form(words)
    found = _without_another_ending(index, words, weak, index.weak.get(weak, NOBODY))
    found = _listed(index, found, month)
    if found:
        return tuple(found) if len(found) == 1 else NOBODY
    if whole or weak != words or len("".join(words)) < SHORTEST:
        return NOBODY
    alike = alike_form(weak)
    found = _listed(index, index.alike.get(alike, NOBODY), month)
    if found:
        return tuple(found) if len(found) == 1 else NOBODY
    short = set(_listed(index, index.short.get(alike, NOBODY), month))
    if len(short) == 1 and set(_listed(index, index.beginnings.get(words, NOBODY), month)) <= short:
        return tuple(short)
    return NOBODY


def _listed(index: Universe, numbers: Collection[int], month: int | None) -> Collection[int]:
    """Of several firms, those whose first ticker is not known to be of a later month."""
    if month is None or len(numbers) < 2:
        return numbers
    return [n for n in numbers if min((s.first for s in index.firms[n].tickers), default=0) <= month]


def _without_another_ending(
    index: Universe, words: Words, weak: Words, numbers: Collection[int]
) -> Collection[int]:
    """The firms whose name does not end in another weak word than the guess: Star Group is not Star Holdings."""
    if words == weak or not numbers:
        return numbers
    return tuple(number for number in numbers if _ends_like(index, number, words, weak))


def _ends_like(index: Universe, number: int, words: Words, weak: Words) -> bool:
    for name in names_of(index.firms[number]):
        own = full_form(name)
        if weak_form(own) == weak and (own == weak or own == words[: len(own)] or words == own[: len(words)]):
            return True
    return False


def names_of(firm: Firm) -> tuple[str, ...]:
    """The names that a firm bears or has borne, and its aliases."""
    return (*(span.value for span in firm.names), *firm.aliases)


def _bank_of(index: Universe, words: Words, month: int | None) -> Firms:
    """The financial firm whose whole name stands before "bank": Comerica Bank; Apple Bank is not Apple."""
    if len(words) < 2 or words[-1] != "bank":
        return NOBODY
    found = chosen(index.full.get(words[:-1], ()), month)
    return found if len(found) == 1 and index.firms[found[0]].sector.startswith("Financ") else NOBODY


def _by_beginning(index: Universe, words: Words) -> Firms:
    """The one firm whose name begins with these two or three words: Booz Allen, Cracker Barrel."""
    if len(words) > 3 or sum(word not in lexicon().descriptors for word in words) < 2:
        return NOBODY
    begun = index.beginnings.get(words, NOBODY)
    if len(begun) != 1 or words[-1].isdigit() or len(words[-1]) < SHORTEST:
        return NOBODY
    return tuple(begun)
