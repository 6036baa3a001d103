"""Small runs against the loopback server, for the tests of limits, repetitions and rescoring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

import neuter as nt
from neuter.types import Document

RIGHT = "Company Estimate: AAPL, Industry Estimate: Cider, Quarter Estimate: 1, Year Estimate: 2022"
REFUSAL = "I'm sorry, but I cannot identify the company."
TICKERS = {"AAPL": 2.5e12, "HOG": 5e9, "ETD": 6e8}


def calls(copies: int = 4) -> list[Document]:
    """Twelve calls of three firms."""
    return [
        Document(
            id=f"{ticker}-{k}",
            text=f"Statement {k} of a firm of {cap:.0f} dollars: we sold.",
            ticker=ticker,
            fiscal_year=2022,
            fiscal_quarter=k,
            market_cap=cap,
        )
        for ticker, cap in TICKERS.items()
        for k in range(1, copies + 1)
    ]


def configured(tmp_path: Path, base_url: str, more: str = "") -> Path:
    """A configuration with the server as ``loop``, one call at once."""
    path = tmp_path / "neuter.toml"
    path.write_text(f'[providers.loop]\nbase_url = "{base_url}"\nconcurrency = 1\n{more}')
    return path


def evaluate(tmp_path: Path, **options: Any) -> Any:
    """Ask one model about twelve raw texts, and once without a text: thirteen calls."""
    chosen = {
        "schemes": ["none"],
        "attackers": ["llm", "prior"],
        "models": ["loop/m"],
        "config": tmp_path / "neuter.toml",
        "store": tmp_path / "store.sqlite",
        "out": tmp_path / "run",
        **options,
    }
    return nt.evaluate(calls(), **chosen)


def record(run: Path) -> dict[str, Any]:
    return json.loads((run / "run.json").read_text())


def outcomes(run: Path, attacker: str = "llm") -> list[str]:
    (file,) = (run / "guesses").glob(f"none--{attacker}--*.parquet")
    return pl.read_parquet(file)["outcome"].to_list()
