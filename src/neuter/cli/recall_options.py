"""The options of the recall suites: what is asked, of which dates, and where the actual values are from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from neuter.cli.added_options import Options, with_options

_ASKED, _SCORED, _DATA = (
    "Recall suites: what is asked",
    "Recall suites: scoring",
    "Recall suites: actual values",
)


def _several(name: str, text: str, panel: str, metavar: str | None = None) -> tuple[Any, Any]:
    option = typer.Option(name, help=text, rich_help_panel=panel, metavar=metavar)
    return Annotated[list[str] | None, option], None


def _word(name: str, text: str, panel: str, metavar: str | None = None) -> tuple[Any, Any]:
    return Annotated[str | None, typer.Option(name, help=text, rich_help_panel=panel, metavar=metavar)], None


def _count(name: str, text: str, panel: str) -> tuple[Any, Any]:
    return Annotated[int | None, typer.Option(name, help=text, rich_help_panel=panel, metavar="N")], None


def _switch(name: str, text: str, panel: str) -> tuple[Any, Any]:
    return Annotated[bool, typer.Option(name, help=text, rich_help_panel=panel)], False


_OPTIONS: Options = {
    "context": _several(
        "--context",
        "Repeatable. What a prompt tells beside the question. Default: as in the paper's table.",
        _ASKED,
        "none|history|news",
    ),
    "panels": _several(
        "--ask",
        "Repeatable. A kind of question (monthly_returns ...); all adds ours to the paper's: docs/recall-suites.md.",
        _ASKED,
        "PANEL",
    ),
    "series": _several(
        "--series", "Repeatable. Only this series: sp500, gdp_growth, AAPL, Small ...", _ASKED, "NAME"
    ),
    "since": _word("--since", "Only dates from this one on.", _ASKED, "DATE"),
    "until": _word("--until", "Only dates up to this one.", _ASKED, "DATE"),
    "every": _word(
        "--every", "Only the last date of each month, quarter or year.", _ASKED, "month|quarter|year"
    ),
    "per_size": _count("--per-size", "Firms drawn of each size and year (portfolios). Default: 10.", _ASKED),
    "headlines": _word(
        "--headlines", "A file of headlines (CSV, JSON Lines, Factiva HTML or RTF).", _ASKED, "FILE"
    ),
    "day_first": (
        Annotated[
            bool | None,
            typer.Option(
                "--day-first/--month-first",
                help="Which comes first in dates of --headlines such as 03/04/2019.",
                rich_help_panel=_ASKED,
            ),
        ],
        None,
    ),
    "cutoff": _word("--cutoff", "The training cutoff, in place of the catalog's.", _SCORED, "YYYY-MM"),
    "recent_years": _count(
        "--recent-years", "The recent part begins so many years before the cutoff.", _SCORED
    ),
    "change": _word(
        "--change",
        "Against what a change is right or wrong. Default: previous_actual.",
        _SCORED,
        "previous_actual|previous_estimate",
    ),
    "intervals": _word(
        "--intervals",
        "How intervals allow for dependence in time: cosines (the default) or the block bootstrap.",
        _SCORED,
        "cosines|blocks",
    ),
    "returns": _word(
        "--returns",
        "Errors of monthly returns in percentage points or relative to the return. Default: points.",
        _SCORED,
        "points|relative",
    ),
    "vintage": _word("--vintage", "Which print of macro series is right.", _SCORED, "first|latest"),
    "inflation": _word(
        "--inflation",
        "Which inflation rate: CPI-U over 12 months (the default), its core, or annualised monthly changes.",
        _SCORED,
        "headline|core|annualized",
    ),
    "price": _word("--price", "Which price of a stock is right.", _SCORED, "traded|split_adjusted"),
    "zero_is_answer": _switch(
        "--zero-is-answer", "0 is an answer and no refusal (the paper counts it as one).", _SCORED
    ),
    "max_tokens": _count("--max-tokens", "The longest answer. Default: the server's.", "Models"),
    "data": _several("--data", "Repeatable. Own values of a series, a CSV file.", _DATA, "NAME=FILE"),
    "fred": _switch("--fred", "Latest values from FRED (key in FRED_API_KEY).", _DATA),
    "alfred": _switch("--alfred", "First prints from ALFRED (key in FRED_API_KEY).", _DATA),
    "philadelphia_fed": _several(
        "--philadelphia-fed", "Repeatable. A file of the Philadelphia Fed's, as it comes.", _DATA, "FILE"
    ),
    "yahoo": _switch("--yahoo", 'Prices from Yahoo (python -m pip install "neuter\\[yahoo]").', _DATA),
    "crsp": _several("--crsp", "Repeatable. CRSP, CSV or Parquet in WRDS column names.", _DATA, "FILE"),
}
#: Options that are told by another name than their argument's.
SPELLED = {"panels": "ask"}
#: Decorates a command with these options; it gets those that were given as a dictionary, its argument ``recall``.
with_recall = with_options("recall", _OPTIONS)


def lasting(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options with paths that mean the same from any working folder."""
    made = dict(given)
    for name in ("philadelphia_fed", "crsp"):
        if made.get(name):
            made[name] = [str(Path(file).absolute()) for file in made[name]]
    if made.get("headlines"):
        made["headlines"] = str(Path(made["headlines"]).absolute())
    if made.get("data"):
        made["data"] = [_lasting_pair(pair) for pair in made["data"]]
    return {name: value for name, value in made.items() if value not in (None, [], ())}


def _lasting_pair(pair: str) -> str:
    name, equals, file = pair.partition("=")
    return f"{name}={Path(file).absolute()}" if equals and file else pair
