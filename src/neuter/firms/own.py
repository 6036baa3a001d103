"""The user's own firms (``--firms FILE``), which join the shipped universe before anything is looked up."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from neuter.errors import CorpusError
from neuter.firms.index import EVER, Firm, Span
from neuter.firms.names import full_form
from neuter.firms.own_files import OwnFirm, read_firms_file
from neuter.firms.universe import forget_universe, universe

__all__ = ["OwnFirm", "firms_hash", "firms_in_use", "read_firms_file", "use_firms", "with_own_firms"]


@dataclass(frozen=True, slots=True)
class _Files:
    paths: tuple[Path, ...] = ()
    firms: tuple[OwnFirm, ...] = ()
    digest: str | None = None


@dataclass(slots=True)
class _InUse:
    files: _Files


_in_use = _InUse(_Files())


def use_firms(*paths: str | Path) -> None:
    """Makes the universe include the firms of these files, in place of those of earlier calls.

    A row whose cik (or, without one, whose ticker and name together) is a known firm's extends that firm; any
    other row is a new firm. Without a path the shipped universe alone is used again. The choice is the process's:
    a worker process has to make it for itself.

    Raises:
        CorpusError: a file is missing or has a bad row; the firms in use are then as before.
    """
    files = tuple(Path(path) for path in paths)
    firms = tuple(firm for path in files for firm in read_firms_file(path))
    before = _in_use.files
    _in_use.files = _Files(files, firms, _digest(files) if files else None)
    forget_universe()
    try:
        if files:
            universe()
    except CorpusError:
        _in_use.files = before
        forget_universe()
        raise


def firms_in_use() -> tuple[Path, ...]:
    """The files given to ``use_firms``."""
    return _in_use.files.paths


def firms_hash() -> str | None:
    """SHA-256 (hex) over the contents of the files in use, in their order; None without any."""
    return _in_use.files.digest


def _digest(paths: tuple[Path, ...]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def with_own_firms(shipped: tuple[Firm, ...]) -> tuple[Firm, ...]:
    """The shipped firms, extended by the user's rows and followed by the user's new firms.

    Raises:
        CorpusError: a new firm that could not be told from another one.
    """
    if not _in_use.files.firms:
        return shipped
    firms = list(shipped)
    by_cik = {firm.cik: number for number, firm in enumerate(firms) if firm.cik}
    labels = {firm.label for firm in firms}
    holders: dict[str, set[int]] = defaultdict(set)
    for number, firm in enumerate(firms):
        for span in firm.tickers:
            holders[span.value].add(number)
    for own in _in_use.files.firms:
        at = by_cik.get(own.cik) if own.cik else None
        at = _same_ticker_and_name(firms, holders, own) if at is None else at
        if at is None:
            at = len(firms)
            firms.append(_new_firm(own, holders, labels))
        else:
            firms[at] = _extended(firms[at], own)
        labels.add(firms[at].label)
        if own.cik:
            by_cik[own.cik] = at
        if own.ticker:
            holders[own.ticker].add(at)
    return tuple(firms)


def _same_ticker_and_name(firms: list[Firm], holders: dict[str, set[int]], own: OwnFirm) -> int | None:
    """The firm that holds the row's ticker now and bears its name; with another cik it is another firm."""
    words = full_form(own.name)
    for number in sorted(holders.get(own.ticker, ())):
        firm = firms[number]
        now = any(span.value == own.ticker and span.last == EVER[1] for span in firm.tickers)
        named = any(full_form(name) == words for name in (firm.name, *_names(firm)))
        if now and named and (own.cik is None or firm.cik is None):
            return number
    return None


def _names(firm: Firm) -> tuple[str, ...]:
    return (*(span.value for span in firm.names), *firm.aliases)


def _extended(firm: Firm, own: OwnFirm) -> Firm:
    known = {full_form(name) for name in _names(firm)}
    names = [n for n in (own.name, *own.former_names) if full_form(n) not in known]
    ticker = Span(own.ticker, own.first, own.last)
    held = tuple(span for span in firm.tickers if span.value != own.ticker)
    dated = (own.first, own.last) != EVER or len(held) == len(firm.tickers)
    return replace(
        firm,
        label=f"cik:{own.cik:010d}" if own.cik else firm.label,
        cik=own.cik or firm.cik,
        ticker=firm.ticker or own.ticker,
        exchange=own.exchange or firm.exchange,
        sector=own.sector or firm.sector,
        tickers=(*held, ticker) if own.ticker and dated else firm.tickers,
        names=(*firm.names, *(Span(name, *EVER) for name in names)),
        aliases=(*firm.aliases, *(alias for alias in own.aliases if alias not in firm.aliases)),
        fiscal_year_end=own.fiscal_year_end or firm.fiscal_year_end,
        parent=own.parent or firm.parent,
    )


def _new_firm(own: OwnFirm, holders: dict[str, set[int]], labels: set[str]) -> Firm:
    if own.cik:
        label = f"cik:{own.cik:010d}"
    elif own.ticker and own.ticker not in holders and f"ticker:{own.ticker}" not in labels:
        label = f"ticker:{own.ticker}"
    else:
        label = "name:" + " ".join(full_form(own.name))
    if label in labels:
        raise CorpusError(
            f"{own.name!r} could not be told from another firm of that name",
            where=own.where,
            todo="Give its cik, or a ticker that no other firm has held",
        )
    tickers = (Span(own.ticker, own.first, own.last),) if own.ticker else ()
    names = tuple(Span(name, *EVER) for name in (own.name, *own.former_names))
    return Firm(
        *(label, own.cik, own.ticker, own.name, own.exchange, own.sector, tickers, names, own.aliases),
        fiscal_year_end=own.fiscal_year_end,
        parent=own.parent,
    )
