"""Outcomes and backgrounds of the composed questions about series, worked out a second time from the series that ship.

``corpora/questions/build.py`` reads the raw files; nothing here does, but for three series of FRED that do not ship.
"""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.data.shipped_series import shipped_series
from neuter.questions.shipped import shipped_questions
from neuter.shipped import shipped_path

RATES = Path(__file__).parents[3] / "shared/data/macro/fred_rates_daily.csv"
INDICES = {"SP500": "sp500", "DJIA": "djia", "NASDAQ": "nasdaq", "VIX": "vix_daily"}
PRINTS = {
    "cpi": "inflation",
    "gdp": "gdp_growth",
    "payrolls": "nonfarm_payrolls",
    "unemployment": "unemployment_rate",
    "housing_starts": "housing_starts",
}
#: What the screener calls BRK/B is one line with Berkshire's A shares in the panel that ships.
LINES = {"BRK/B": "BRK.A"}


def _asked() -> list[dict]:
    files = sorted(shipped_path("questions", "series").glob("*.toml"))
    return [one for path in files for one in tomllib.loads(path.read_text(encoding="utf-8"))["question"]]


def _of_kind(*kinds: str) -> list:
    return [pytest.param(one, id=one["id"]) for one in _asked() if one["check"]["kind"] in kinds]


def _outcome(one: dict) -> int:
    return shipped_questions().filter(pl.col("id") == one["id"])["resolution"].item()


def _beyond(value: float, check: dict) -> int:
    return int(value > check["level"] if check["side"] == "above" else value < check["level"])


def _closes(series: str) -> pl.DataFrame:
    return shipped_series(INDICES[series]).values(None)


def _close(series: str, day: date) -> float:
    return _closes(series).filter(pl.col("date") == day)["value"].item()


def _print(series: str, period: str) -> float:
    year, month = map(int, period.split("-"))
    told = shipped_series(PRINTS[series]).values("first")
    return told.filter(pl.col("date") == date(year, month, 1))["value"].item()


def _billions(symbol: str, day: date) -> float:
    panel = pl.read_parquet(shipped_path("panel", "firms.parquet"))
    is_line = pl.col("symbol").cast(pl.String) == LINES.get(symbol, symbol)
    return panel.filter(is_line & (pl.col("date") == day))["market_cap"].item() / 1e9


@pytest.mark.parametrize("one", _of_kind("print"))
def test_first_prints_decide_as_the_series_that_ship_say(one):
    check = one["check"]
    digits = 0 if check["series"] in ("payrolls", "housing_starts") else 1
    assert _outcome(one) == _beyond(round(_print(check["series"], check["period"]), digits), check)


@pytest.mark.parametrize(
    "one", [one for one in _of_kind("ever") if one.values[0]["check"]["series"] in INDICES]
)
def test_highest_and_lowest_closes_decide_as_the_indices_that_ship_say(one):
    check = one["check"]
    spell = _closes(check["series"]).filter(pl.col("date").is_between(check["first"], check["last"]))["value"]
    extreme = spell.max() if check["side"] == "above" else spell.min()
    assert _outcome(one) == _beyond(extreme, check)


@pytest.mark.parametrize("one", _of_kind("outruns"))
def test_races_end_as_the_indices_that_ship_say(one):
    check = one["check"]
    gains = [
        _close(series, check["last"]) / _close(series, check["first"])
        for series in (check["series"], check["other"])
    ]
    assert _outcome(one) == int(gains[0] > gains[1])


@pytest.mark.parametrize("one", _of_kind("cap"))
def test_market_values_decide_as_the_panel_that_ships_says(one):
    check = one["check"]
    assert _outcome(one) == _beyond(_billions(check["symbol"], check["day"]), check)


@pytest.mark.parametrize("one", _of_kind("larger"))
def test_the_larger_firm_is_so_in_the_panel_that_ships(one):
    check = one["check"]
    sizes = [_billions(symbol, check["day"]) for symbol in (check["symbol"], check["other"])]
    assert _outcome(one) == int(sizes[0] > sizes[1])


def test_market_values_of_one_quarter_are_one_cluster():
    """Prices of stocks move together: intervals must not take them for independent outcomes."""
    for one in _asked():
        if one["check"]["kind"] == "cap":
            day = one["check"]["day"]
            assert one["cluster"] == f"us-equities-{day.year}-q{(day.month + 2) // 3}", one["id"]


#: Figures of backgrounds: the question, how the figure is printed there, the series or symbol, and its day or period.
FIGURES = [
    ("cpi-june-2023", "4.9%", "cpi", "2023-04"),
    ("cpi-july-2025", "2.7%", "cpi", "2025-06"),
    ("cpi-april-2026", "3.3%", "cpi", "2026-03"),
    ("gdp-2023-q3", "2.4%", "gdp", "2023-04"),
    ("gdp-2025-q1", "2.3%", "gdp", "2024-10"),
    ("unemployment-december-2023", "3.9%", "unemployment", "2023-10"),
    ("housing-starts-february-2024", "1,331 thousand", "housing_starts", "2024-01"),
    ("payrolls-october-2024", "254 thousand", "payrolls", "2024-09"),
    ("payrolls-august-2025", "73 thousand", "payrolls", "2025-07"),
    ("sp500-5000-q1-2024", "4,769.83", "SP500", date(2023, 12, 29)),
    ("sp500-6250-q1-2025", "5,881.63", "SP500", date(2024, 12, 31)),
    ("sp500-recovers-june-2025", "5,569.06", "SP500", date(2025, 4, 30)),
    ("sp500-7000-q1-2026", "6,845.50", "SP500", date(2025, 12, 31)),
    ("dow-40000-q1-2024", "38,150.30", "DJIA", date(2024, 1, 31)),
    ("vix-above-30-q3-2024", "12.44", "VIX", date(2024, 6, 28)),
    ("vix-below-15-june-2026", "15.32", "VIX", date(2026, 5, 29)),
    ("ten-year-5-percent-2023", "4.59%", "DGS10", date(2023, 9, 29)),
    ("ten-year-end-of-2023", "4.88%", "DGS10", date(2023, 10, 31)),
    ("ten-year-july-2026", "4.44%", "DGS10", date(2026, 6, 30)),
    ("two-year-september-2024", "4.71%", "DGS2", date(2024, 6, 28)),
    ("thirty-year-summer-2025", "5.08%", "DGS30", date(2025, 5, 21)),
    ("fed-ceiling-may-2023", "5.00%", "DFEDTARU", date(2023, 4, 1)),
    ("fed-half-point-september-2024", "5.50%", "DFEDTARU", date(2024, 8, 26)),
    ("fed-upper-december-2025", "4.50%", "DFEDTARU", date(2025, 9, 15)),
    ("lilly-unitedhealth-2023", "$445 billion", "LLY", date(2023, 6, 30)),
    ("lilly-unitedhealth-2023", "$447 billion", "UNH", date(2023, 6, 30)),
    ("tesla-900-billion-2023", "$830 billion", "TSLA", date(2023, 6, 30)),
    ("walmart-exxon-march-2024", "$430 billion", "WMT", date(2023, 9, 29)),
    ("walmart-exxon-march-2024", "$471 billion", "XOM", date(2023, 9, 29)),
    ("boeing-110-billion-2024", "$112 billion", "BA", date(2024, 6, 28)),
    ("berkshire-tesla-june-2025", "$1.18 trillion", "BRK/B", date(2025, 4, 30)),
    ("berkshire-tesla-june-2025", "$0.91 trillion", "TSLA", date(2025, 4, 30)),
    ("tesla-1-3-trillion-2025", "$1.02 trillion", "TSLA", date(2025, 6, 30)),
    ("unitedhealth-350-billion-2025", "$479 billion", "UNH", date(2025, 3, 31)),
    ("unitedhealth-350-billion-2025", "$283 billion", "UNH", date(2025, 6, 30)),
    ("unitedhealth-350-billion-2025", "$313 billion", "UNH", date(2025, 9, 30)),
    ("walmart-trillion-june-2026", "$991 billion", "WMT", date(2026, 3, 31)),
    ("exxon-600-billion-july-2026", "$567 billion", "XOM", date(2026, 6, 30)),
    ("nvidia-trillion-june-2023", "$685 billion", "NVDA", date(2023, 4, 28)),
    ("intel-180-billion-june-2024", "$187 billion", "INTC", date(2024, 3, 28)),
    ("broadcom-trillion-2024", "$806 billion", "AVGO", date(2024, 9, 30)),
    ("oracle-600-billion-2025", "$799 billion", "ORCL", date(2025, 9, 30)),
    ("microsoft-alphabet-2025", "$3.85 trillion", "MSFT", date(2025, 9, 30)),
    ("microsoft-alphabet-2025", "$2.94 trillion", "GOOGL", date(2025, 9, 30)),
    ("nvidia-5-trillion-march-2026", "$4.5 trillion", "NVDA", date(2025, 12, 31)),
    ("micron-trillion-june-2026", "$583 billion", "MU", date(2026, 4, 30)),
    ("intel-300-billion-june-2026", "$221 billion", "INTC", date(2026, 3, 31)),
    ("disney-netflix-june-2023", "$183 billion", "DIS", date(2023, 3, 31)),
    ("disney-netflix-june-2023", "$154 billion", "NFLX", date(2023, 3, 31)),
    ("netflix-200-billion-2023", "$167 billion", "NFLX", date(2023, 9, 29)),
    ("warner-30-billion-2023", "$26 billion", "WBD", date(2023, 9, 29)),
    ("roblox-25-billion-2023", "$18 billion", "RBLX", date(2023, 9, 29)),
    ("spotify-45-billion-march-2024", "$36 billion", "SPOT", date(2023, 12, 29)),
    ("disney-200-billion-march-2024", "$165 billion", "DIS", date(2023, 12, 29)),
    ("warner-20-billion-june-2024", "$21 billion", "WBD", date(2024, 3, 28)),
    ("netflix-350-billion-2024", "$304 billion", "NFLX", date(2024, 9, 30)),
    ("netflix-500-billion-june-2025", "$399 billion", "NFLX", date(2025, 3, 31)),
    ("roblox-80-billion-2025", "$96 billion", "RBLX", date(2025, 9, 30)),
    ("spotify-150-billion-2025", "$142 billion", "SPOT", date(2025, 9, 30)),
]
_FIGURE = re.compile(r"\$[\d.]+ (?:billion|trillion)|[\d.]+%|[\d,]+ thousand|\d[\d,]*\.\d\d(?!%)")


def _value(name: str, when: date | str) -> float:
    if name in PRINTS:
        return _print(name, str(when))
    if name in INDICES:
        return _close(name, when)
    return _yield(name, when) if name.startswith(("DGS", "DFED")) else _billions(name, when)


def _yield(name: str, day: date) -> float:
    if not RATES.is_file():
        pytest.skip("the raw data is not here")
    told = pl.read_csv(RATES, columns=["date", name], infer_schema_length=0)
    return float(told.filter(pl.col("date") == str(day))[name].item())


@pytest.mark.parametrize(("id_", "figure", "name", "when"), FIGURES)
def test_figures_of_backgrounds_are_those_of_the_day_that_they_name(id_, figure, name, when):
    row = shipped_questions().row(by_predicate=pl.col("id") == id_, named=True)
    assert figure in row["background"]
    printed = figure.strip("$%").split()[0].replace(",", "")
    digits = len(printed.partition(".")[2])
    value = _value(name, when) / (1000 if "trillion" in figure else 1)
    assert abs(value - float(printed)) <= 0.5 * 10**-digits + 1e-9
    if isinstance(when, date):
        assert when < row["open"] or name == "DFEDTARU"


def test_no_figure_of_a_background_about_series_is_left_unchecked():
    checked = {(id_, figure) for id_, figure, *_ in FIGURES}
    printed = {
        (one["id"], figure) for one in _asked() for figure in _FIGURE.findall(one.get("background", ""))
    }
    assert printed == checked
