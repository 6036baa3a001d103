"""Recall and false matches over pairs.toml: guesses and firms from public facts."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest

from neuter.firms import resolve, same_firm

TABLE = tomllib.loads(Path(__file__).with_name("pairs.toml").read_text(encoding="utf-8"))
NOBODY = [guess for guesses in TABLE["nobody"].values() for guess in guesses]


def pairs(kind: str) -> list[tuple[str, str]]:
    """(guess, firm and month) of every pair of ``kind``."""
    return [(guess, key) for firms in TABLE[kind].values() for key, gs in firms.items() for guess in gs]


def truth_of(key: str) -> tuple[str, date | None]:
    """The firm and the day of "HPQ@2014-05"."""
    truth, _, month = key.partition("@")
    return truth, date.fromisoformat(f"{month}-15") if month else None


def test_there_are_enough_pairs_and_none_twice() -> None:
    assert len(pairs("same")) >= 200
    assert len(pairs("different")) >= 150
    for kind in ("same", "different"):
        assert len(set(pairs(kind))) == len(pairs(kind))
    assert not set(pairs("same")) & set(pairs("different"))


def test_recall_is_whole() -> None:
    missed = [(guess, key) for guess, key in pairs("same") if not same_firm(guess, *truth_of(key))]
    print(f"\nrecall: {len(pairs('same')) - len(missed)} of {len(pairs('same'))}")  # noqa: T201
    assert not missed


def test_no_match_is_false() -> None:
    false = [(guess, key) for guess, key in pairs("different") if same_firm(guess, *truth_of(key))]
    print(f"\nfalse matches: {len(false)} of {len(pairs('different'))}")  # noqa: T201
    assert not false


@pytest.mark.parametrize("kind", ["same", "different"])
def test_each_firm_of_the_pairs_is_known(kind: str) -> None:
    """Else a pair would be held apart, or together, by its own words alone."""
    unknown = {key for _, key in pairs(kind) if not resolve(*truth_of(key))}
    assert not unknown


def test_a_guess_that_names_nobody_names_nobody() -> None:
    named = {guess: resolve(guess) for guess in NOBODY if resolve(guess)}
    print(f"\nnamed by {len(NOBODY)} guesses that name nobody: {len(named)}")  # noqa: T201
    assert not named
