"""Guesses that name a firm which the index does not hold, and what a misspelling may be."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest

from neuter.firms import resolve, same_firm
from neuter.firms.index import Universe, indexed
from neuter.firms.left_out import left_out
from neuter.firms.spelling import corrections
from neuter.firms.steps import firms_named, names_of
from neuter.firms.universe import shipped_firms, universe

ABSENT = Path(__file__).parents[2] / "benchmarks/absent_firms.toml"


def entries(index: Universe) -> dict[str, object]:
    """Everything in the index, by label and not by number, in no order."""
    label = [firm.label for firm in index.firms]
    claims = {
        name: {
            key: sorted((label[c.firm], c.first, c.last, c.strict, c.alias) for c in held)
            for key, held in getattr(index, name).items()
        }
        for name in ("tickers", "capitals", "full", "together")
    }
    numbers = {
        name: {key: {label[n] for n in held} for key, held in getattr(index, name).items()}
        for name in ("weak", "alike", "short", "beginnings", "words")
    }
    beside = {key: words for key, words in index.beside.items() if words}
    vocabulary = {key: sorted(words) for key, words in index.vocabulary.items() if words}
    return {**claims, **numbers, "labels": set(index.by_label), "beside": beside, "words near": vocabulary}


def test_an_index_with_a_firm_left_out_is_one_built_without_it() -> None:
    firms = shipped_firms()[:400]
    index = indexed(firms)
    whole = entries(index)
    for number in (0, 57, 399):
        with left_out(index, number):
            assert entries(index) == entries(indexed(tuple(f for f in firms if f != firms[number])))
        assert entries(index) == whole


def test_a_firm_that_is_absent_is_seldom_taken_for_another() -> None:
    """At most 1.5%, namesakes and other listings of the same firm among them (the whole: benchmarks/)."""
    index = universe()
    numbers = random.Random(3).sample(range(len(index.firms)), 1500)
    taken = []
    for number in numbers:
        with left_out(index, number):
            name = index.firms[number].name
            if firms_named(index, name, None):
                taken.append(name)
    assert len(taken) / len(numbers) <= 0.015, taken


def test_firms_of_no_us_list_are_nobody_here() -> None:
    names = tomllib.loads(ABSENT.read_text(encoding="utf-8"))["private"].split("|")
    assert len(names) > 80
    assert not [name for name in names if resolve(name.strip())]


def test_a_name_of_two_words_is_the_same_in_capitals_and_in_none() -> None:
    """A lone word is not: COKE is a ticker."""
    index = universe()
    for firm in index.firms[:300]:
        for name in names_of(firm):
            if len(name.split()) > 1:
                assert resolve(name.lower()) == resolve(f" {name.upper()} ") == resolve(name), name


@pytest.mark.parametrize(
    ("guess", "firm"),
    [
        ("Nvidea", "NVDA"),  # six letters alone: a large firm's name
        ("Catapillar", "CAT"),  # two letters of ten
        ("Well Fargo", "WFC"),  # a known word, where the rest leaves one alone
        ("Goldman Sach", "GS"),  # a short word beside a right one
        ("Nvidia Corpration", "NVDA"),  # the legal form
        ("Cadence Designs", "CDNS"),  # a plural
    ],
)
def test_a_misspelling_is_put_right(guess: str, firm: str) -> None:
    assert same_firm(guess, firm)


@pytest.mark.parametrize(
    ("guess", "why"),
    [
        ("Vsia", "four letters alone"),
        ("Appel", "five letters alone"),
        ("Bvidia", "the first letter"),
        ("Agilxxt", "two letters of seven"),
        ("Movado Gruop Holdings Xyzzy", "two words wrong"),
        ("Syscom", "a name of five letters"),
        ("Moldman Sachs", "the first letter, beside a right word"),
    ],
)
def test_what_is_too_wrong_names_nobody(guess: str, why: str) -> None:
    assert resolve(guess) == (), why


def test_two_words_that_are_as_near_are_no_correction() -> None:
    from dataclasses import replace

    firm = shipped_firms()[0]
    named = [
        replace(firm, label=f"name:{n}", cik=None, tickers=(), aliases=(n,), names=())
        for n in ("Bristolane Works", "Bristolade Works")
    ]
    both, one = indexed(tuple(named)), indexed(tuple(named[:1]))
    assert firms_named(one, "Bristolase Works", None) == (0,)
    assert firms_named(both, "Bristolase Works", None) == ()
    assert list(corrections(both, ("bristolase", "works"))) == []


def test_another_ending_is_another_firm() -> None:
    """Star Group is not Star Holdings, but Star and Star Holdings Group may be."""
    from dataclasses import replace

    firm = replace(shipped_firms()[0], label="name:s", tickers=(), names=(), aliases=("Quibstar Holdings",))
    index = indexed((firm,))
    assert firms_named(index, "Quibstar Group", None) == ()
    assert firms_named(index, "Quibstar", None) == (0,)
    assert firms_named(index, "Quibstar Holdings Group", None) == (0,)
