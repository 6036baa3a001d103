"""What to know about a figure: one firm, few firms, assumed dates, answers that no list could read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from neuter.firms.universe import universe
from neuter.scoring.groups import Grouping
from neuter.scoring.judging import Judged
from neuter.scoring.measures import Ints, Measure
from neuter.scoring.statistics import Interval

CAVEATS_SCHEMA = dict.fromkeys(("group_by", "group", "metric", "text"), pl.String)
ONE_FIRM = "one firm: no interval over firms"


def about_documents(judged: Judged) -> pl.DataFrame:
    """What holds for all rows: documents that name no firm, or whose ticker and name are two firms'."""
    of, labels = f"of {judged.frame.height} documents", judged.frame["label"]
    told = []
    if nameless := int((labels == "").sum()):
        told.append(
            f"{nameless} {of} name no firm: they have no firm score, and each counts as a firm of its own in intervals"
        )
    index = universe()
    tickers = [label for ticker in index.tickers if (label := f"ticker:{ticker}") not in index.by_label]
    known = pl.Series(tickers, dtype=pl.String)
    disputed = judged.frame.filter(labels.is_in(known.implode()) & judged.frame["firm"].is_not_null())
    if disputed.height:
        ticker, firm = disputed.select("ticker", "firm").row(0)
        told.append(
            f"{disputed.height} {of} have a known ticker and another firm's name ({ticker}: {firm}): they are taken "
            "for firms that are in no list, and only their own ticker or name is right"
        )
    return caveats(("all", "all", "", text) for text in told)


def about_intervals(
    grouping: Grouping, groups: Ints, metric: str, intervals: Sequence[Interval]
) -> pl.DataFrame:
    """The caveats that intervals came with, for each group's figure."""
    rows = zip(groups, intervals, strict=True)
    return caveats((grouping.by, grouping.names[g], metric, _told(i)) for g, i in rows if i.caveat)


def _told(interval: Interval) -> str:
    """The caveat, with what follows from it where there is an interval."""
    return interval.caveat if interval.low is None else f"{interval.caveat}: the interval is approximate"


def about_assumptions(grouping: Grouping, measure: Measure, at: Ints) -> pl.DataFrame:
    """How many of the documents behind a figure have a truth that was assumed; ``at`` are their places."""
    if measure.assumed is None or not measure.assumed[at].any():
        return caveats([])
    groups, n = grouping.codes[at], len(grouping.names)
    assumed = np.bincount(groups[measure.assumed[at]], minlength=n)
    total = np.bincount(groups, minlength=n)
    return caveats(
        (grouping.by, grouping.names[g], measure.metric, f"{assumed[g]} of {total[g]} {measure.assumption}")
        for g in np.flatnonzero(assumed)
    )


def caveats(rows: Iterable[tuple[str, str, str, str]]) -> pl.DataFrame:
    """A frame of caveats."""
    return pl.DataFrame(list(rows), schema=CAVEATS_SCHEMA, orient="row")
