"""What a forecasting question is: one resolved yes-or-no question with its dates, its outcome and what a crowd said."""

from __future__ import annotations

import polars as pl

#: The six domains of Simulated Ignorance Fails (section 3.2), by the name that they have in scores.
DOMAINS = {
    "business": "Business",
    "economics_finance": "Economics/Finance",
    "social": "Social/institutional",
    "entertainment": "Entertainment",
    "technology": "Technology/innovation",
    "politics_geopolitics": "Politics/Geopolitics",
}

#: A row a question. ``open`` and ``close`` are when forecasts could be made, null where unknown; ``resolution_date`` is
#: when the outcome was known, and decides what is before and after a cutoff. ``resolution`` is 1 (yes) or 0 (no);
#: whatever is neither never gets here. ``domain`` is a key of :data:`DOMAINS`, or "" where it is unknown. ``cluster``
#: groups questions that are not independent (one event, one series over overlapping days); "" is a cluster of its own.
#: ``base_rate`` is how often such questions came out yes before this one opened, where that is known. ``community`` is
#: what a crowd said and when, in the order of dates; a forecast frozen once is a list of one.
QUESTION_SCHEMA: dict[str, pl.DataType] = {
    **dict.fromkeys(("id", "question", "background", "resolution_criteria"), pl.String()),
    **dict.fromkeys(("open", "close", "resolution_date"), pl.Date()),
    "resolution": pl.Int8(),
    **dict.fromkeys(("domain", "source", "url", "cluster"), pl.String()),
    "base_rate": pl.Float64(),
    "community": pl.List(pl.Struct({"date": pl.Date(), "probability": pl.Float64()})),
}
