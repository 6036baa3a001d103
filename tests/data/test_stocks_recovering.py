"""How traded closes are recovered from adjusted ones: right where the facts are right, and not at all where they are not."""

from __future__ import annotations

import importlib.util
import sys
from datetime import date, timedelta
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

FILE = Path(__file__).resolve().parents[2] / "corpora/stocks/lattice.py"
DAYS = [date(2005, 1, 3) + timedelta(days=day) for day in range(300)]
DIVIDENDS = [(DAYS[100], 0.30), (DAYS[200], 0.45)]


@pytest.fixture(scope="module")
def lattice() -> ModuleType:
    spec = importlib.util.spec_from_file_location("stocks_lattice", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def traded() -> np.ndarray:
    """Whole cents between 40 and 60 dollars."""
    steps = np.random.default_rng(5).integers(-60, 61, len(DAYS))
    return np.clip(5000 + steps.cumsum(), 4000, 6000) / 100


def adjusted(closes: np.ndarray, dividends: list[tuple[date, float]], shares: float) -> np.ndarray:
    """As a vendor adjusts: every close before an ex-date times (1 - dividend / the close before), six decimals."""
    factor = np.ones(len(closes))
    for day, amount in dividends:
        at = DAYS.index(day)
        factor[:at] *= 1 - amount / closes[at - 1]
    return np.round(closes * factor / shares, 6)


def recovered(lattice: ModuleType, closes: np.ndarray, used: list[tuple[date, float]]):
    vendor = adjusted(closes, DIVIDENDS, shares=4.0)
    return lattice.recover(DAYS, vendor, np.full(len(DAYS), 4.0), used, (DAYS[-1], closes[-1]))


def test_with_the_right_dividends_every_close_comes_back_to_the_cent(lattice):
    closes = traded()
    found = recovered(lattice, closes, DIVIDENDS)
    assert np.array_equal(found.value, closes)
    assert [(era.first, era.days, era.accepted) for era in found.eras] == [
        (DAYS[0], 100, True),
        (DAYS[100], 100, True),
        (DAYS[200], 100, True),
    ]
    assert all(era.on_lattice == 1 and abs(era.moved_ppm) < 1.5 for era in found.eras)


def test_the_days_before_a_wrong_dividend_are_not_recovered(lattice):
    closes = traded()
    found = recovered(lattice, closes, [(DAYS[100], 0.31), DIVIDENDS[1]])
    assert np.isnan(found.value[:100]).all()
    assert np.array_equal(found.value[100:], closes[100:])
    assert [era.accepted for era in found.eras] == [False, True, True]


def test_a_wrong_ex_date_shows(lattice):
    closes = traded()
    found = recovered(lattice, closes, [(DAYS[90], 0.30), DIVIDENDS[1]])
    assert not found.eras[1].accepted
    assert np.isnan(found.value[:200]).all()


def test_a_day_that_is_no_whole_cent_is_left_out_alone(lattice):
    closes = traded()
    closes[150] += 0.004
    found = recovered(lattice, closes, DIVIDENDS)
    assert np.flatnonzero(np.isnan(found.value)).tolist() == [150]


def test_so_few_days_that_chance_could_do_it_prove_nothing(lattice):
    few = [(DAYS[298], 0.2)]
    closes = traded()
    found = lattice.recover(DAYS[:300], adjusted(closes, few, 1.0), np.ones(300), few, (DAYS[-1], closes[-1]))
    assert [era.accepted for era in found.eras] == [True, False]


@pytest.mark.parametrize(
    ("day", "value", "on"),
    [
        (date(2000, 6, 30), 52.375, 52.375),
        (date(2000, 6, 30), 52.38, None),
        (date(2001, 3, 30), 22.07, 22.07),
        (date(2001, 3, 30), 22.0625, 22.0625),
        (date(2001, 4, 30), 22.0625, None),
        (date(2001, 4, 30), 25.49, 25.49),
    ],
)
def test_prices_move_by_64ths_then_by_cents(lattice, day, value, on):
    found = lattice.snap(np.array([value]), lattice.ticks_of(day), np.array([1e-4]))[0]
    assert np.isnan(found) if on is None else found == on
