"""Where the month is said not to matter, it must not."""

from __future__ import annotations

import random
from datetime import date

import pytest

from neuter.firms import resolve
from neuter.firms.dating import depends_on_month
from neuter.firms.universe import universe

DAYS = [None, *(date(year, month, 15) for year in range(1990, 2030, 2) for month in (2, 9))]


@pytest.mark.parametrize(
    "guess", ["AAPL", "Apple", "NASDAQ:AAPL", "cik:0000320193", "Procter & Gamble", "$ibm"]
)
def test_most_guesses_are_one_firm_at_all_times(guess: str) -> None:
    assert not depends_on_month(guess)
    assert len({resolve(guess, day) for day in DAYS}) == 1


@pytest.mark.parametrize(
    "guess", ["Hewlett-Packard", "FOXA", "BBBY", "WTW", "NASDAQ OMX", "NYSE:IR", "News Corp"]
)
def test_names_and_tickers_that_were_handed_on_depend_on_the_month(guess: str) -> None:
    assert depends_on_month(guess)


def test_no_guess_that_is_said_not_to_depend_on_the_month_does() -> None:
    draw = random.Random(4)
    firms = universe().firms
    tickers = [span.value for firm in firms for span in firm.tickers]
    names = [span.value for firm in firms for span in firm.names]
    aliases = [alias for firm in firms for alias in firm.aliases]
    asked = [*draw.sample(tickers, 700), *draw.sample(names, 700), *draw.sample(aliases, 300)]
    asked += [
        draw.choice([f"{t} ({n})", f"{n} ({t})", n.upper()]) for t, n in zip(asked, names, strict=False)
    ][:700]
    free = [guess for guess in asked if not depends_on_month(guess)]
    assert len(free) > 0.7 * len(asked)
    for guess in free:
        assert len({resolve(guess, day) for day in DAYS}) == 1, guess
