"""A stable label for a document's firm, the same for all its tickers and names, and how to show it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from neuter.firms.claims import chosen
from neuter.firms.distinct import by_distinct
from neuter.firms.guesses import ticker_forms
from neuter.firms.names import full_form, names_nobody, without_security
from neuter.firms.periods import day_of
from neuter.firms.universe import Firm, Universe, keyed_on_universe, month_number, ticker_key, universe
from neuter.types import Document

if TYPE_CHECKING:
    import polars as pl


def firm_label(document: Document) -> str:
    """The label of a document's firm: "cik:0000320193", "ticker:XYZ", "name:some words", or "" if unknown.

    A CIK that is given stands. Else the ticker and the name are looked up in the universe as of the
    document's date (assumed from its fiscal period where it has none), so GOOG and GOOGL are one firm.
    """
    on = day_of(document.date, document.fiscal_year, document.fiscal_quarter, document.fiscal_year_end)
    return firm_label_of(document.ticker, document.firm, document.cik, on)


def firm_label_of(
    ticker: str | None = None, firm: str | None = None, cik: int | None = None, on: date | None = None
) -> str:
    """``firm_label`` from fields; ``on`` decides where a ticker belonged to several firms over time."""
    if cik is not None and cik > 0:
        return f"cik:{cik:010d}"
    return _label(ticker or "", firm or "", None if on is None else month_number(on))


def labels_of(metadata: pl.DataFrame) -> pl.Series:
    """Labels for a frame with any of the columns ticker, firm, cik, date, fiscal_year, fiscal_quarter.

    Each distinct row is looked up once and joined back: a million rows of some thousand firms take about a second.
    """
    import polars as pl

    columns = ["ticker", "firm", "cik", "date", "fiscal_year", "fiscal_quarter", "fiscal_year_end"]
    asked = metadata.select(
        pl.col(name) if name in metadata.columns else pl.lit(None).alias(name) for name in columns
    )
    if not asked.height:
        return pl.Series("label", [], dtype=pl.String)
    if "cik" in metadata.columns and asked["cik"].dtype.is_integer():
        return _with_ciks(asked)
    return _looked_up(asked, columns)


def _with_ciks(asked: pl.DataFrame) -> pl.Series:
    """Labels where some rows give a CIK: it stands, and only the rest is looked up."""
    import polars as pl

    given = (asked["cik"] > 0).fill_null(False)
    own = pl.select(pl.when(given).then("cik:" + asked["cik"].cast(pl.String).str.zfill(10))).to_series()
    if given.all():
        return own.alias("label")
    rest = _looked_up(asked.filter(~given), asked.columns)
    return own.scatter((~given).arg_true(), rest).alias("label")


def _looked_up(asked: pl.DataFrame, columns: list[str]) -> pl.Series:
    import polars as pl

    # Within a month a firm's label is the same, so that days of one month are one question.
    if asked.schema["date"] in (pl.Date, pl.Datetime):
        asked = asked.with_columns(pl.col("date").dt.truncate("1mo"))
    return by_distinct(asked, columns, _labels_of_rows).alias("label")


def _labels_of_rows(rows: Sequence[tuple[Any, ...]]) -> pl.Series:
    import polars as pl

    found = [firm_label_of(t, f, c, day_of(d, y, q, e)) for t, f, c, d, y, q, e in rows]
    return pl.Series(found, dtype=pl.String)


def display_name(label: str) -> str:
    """A label as a person would write it: the firm's ticker and name, or what the label holds.

    >>> display_name("cik:0000320193")
    'AAPL (Apple Inc.)'
    """
    number = universe().by_label.get(label)
    if number is not None:
        firm = universe().firms[number]
        return f"{firm.ticker} ({firm.name})" if firm.ticker else firm.name
    return label.partition(":")[2] or label


def firm_of(label: str) -> Firm | None:
    """The universe's firm with that label, or None."""
    number = universe().by_label.get(label)
    return None if number is None else universe().firms[number]


def known_names(label: str) -> tuple[str, ...]:
    """All names, former names and aliases of a firm in the universe (not its tickers), longest first."""
    firm = firm_of(label)
    if firm is None:
        return ()
    names = {firm.name, *(span.value for span in firm.names), *firm.aliases}
    return tuple(sorted(names, key=lambda name: (-len(name), name)))


@keyed_on_universe
@lru_cache(maxsize=100_000)
def _label(ticker: str, firm: str, month: int | None) -> str:
    index = universe()
    name = without_security(firm)
    words = () if not name or names_nobody(name) else full_form(name)
    symbol = _symbol(index, ticker)
    if words and not chosen(index.full.get(words, ()), month):
        # A column of names that holds tickers: "AAPL", "AAPL US Equity" says no more than the ticker does.
        said = _symbol(index, name) if name.isupper() or symbol else ""
        if said in index.tickers and said == (symbol or said):
            symbol, words = said, ()
    by_ticker = frozenset(chosen(index.tickers.get(symbol, ()), month) if symbol else ())
    by_name = frozenset(chosen(index.full.get(words, ()), month) if words else ())
    agreed = by_ticker & by_name if by_ticker and by_name else by_ticker | by_name
    # A name outlives a ticker: where the two disagree, the name says which firm it is.
    found = agreed or by_name
    if len(found) == 1:
        number = next(iter(found))
        if by_name or not words or _plausible(index.firms[number], words):
            return index.firms[number].label
    if symbol:
        return f"ticker:{symbol}"
    return "name:" + " ".join(words) if words else ""


def _symbol(index: Universe, ticker: str) -> str:
    """A corpus's ticker without what data vendors add to it (AAPL US Equity, AAPL.O, AAPL:US, NASDAQ:AAPL).

    Another country's exchange stays with it: LSE:PRU is not the NYSE's PRU.
    """
    text = ticker.strip().upper()
    forms = ticker_forms(text)
    return next((form for form in forms if form in index.tickers), forms[0] if forms else ticker_key(text))


def _plausible(firm: Firm, words: Sequence[str]) -> bool:
    """The ticker's firm has at least one word (or the letters) of the name that the document gives."""
    from neuter.firms.names import lexicon

    said = {w for w in words if w not in lexicon().descriptors} or set(words)
    own = [full_form(span.value) for span in firm.names] + [full_form(alias) for alias in firm.aliases]
    letters = "".join(words)
    return any(
        said & set(form) or "".join(form) in letters or letters in "".join(form) for form in own if form
    )
