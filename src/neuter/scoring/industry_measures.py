"""Was the industry found? Guess and truth are brought to the same eleven sectors by the shipped lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from neuter.firms.distinct import by_distinct
from neuter.firms.sectors import SECTORS, classified_sectors, sector_of_label, sectors_of
from neuter.scoring.measures import Bools, Measure

_BIT = {sector: 1 << place for place, sector in enumerate(SECTORS)}


def industry_measures(frame: pl.DataFrame, answered: Bools) -> list[Measure]:
    """``industry_accuracy``: a guess is right where it and the document's sector meet in one of the eleven.

    An industry that was left out is wrong; one that no list knows is ``unparsed`` (paper-decisions). A document
    without a sector takes its firm's from the universe. Nothing for an attacker that never names an industry.
    """
    named = ((frame["said_industry"].fill_null("") != "").to_numpy() & answered).any()
    if not named and (answered.any() or not frame["said_model"].is_not_null().any()):
        return []
    true = by_distinct(frame, ["sector", "label"], _true).to_numpy().astype(np.int64)
    said = by_distinct(frame, ["said_industry"], _said).to_numpy().astype(np.int64)
    given = (frame["said_industry"].fill_null("").str.strip_chars() != "").to_numpy()
    return [
        Measure(
            "industry_accuracy",
            "membership",
            ((said & true) > 0).astype(np.float64),
            known=true > 0,
            truth=true,
            said=said,
            unparsed=given & (said == 0),
        )
    ]


def _true(rows: Sequence[tuple[Any, ...]]) -> pl.Series:
    return _sets(classified_sectors(sector) or sector_of_label(label) for sector, label in rows)


def _said(rows: Sequence[tuple[Any, ...]]) -> pl.Series:
    return _sets(sectors_of(industry) for (industry,) in rows)


def _sets(sets: Iterable[frozenset[str]]) -> pl.Series:
    """Sets of sectors as numbers, a bit a sector."""
    return pl.Series([sum(_BIT[sector] for sector in one) for one in sets], dtype=pl.Int64)
