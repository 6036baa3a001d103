"""Values that a series cannot have: a price of 0, a rate of unemployment below it."""

from __future__ import annotations

import polars as pl

from neuter.data.sources.known import Sign

#: What a message says of a series whose values have such a sign.
SIGN_WORDS: dict[Sign, str] = {"any": "", "not negative": "is never below 0", "positive": "is always above 0"}


def is_impossible(value: pl.Expr, sign: Sign) -> pl.Expr:
    """Whether a value is one that its series cannot have; null where there is no value.

    >>> one = pl.DataFrame({"close": [903.25, 0.0, None]})
    >>> one.select(is_impossible(pl.col("close"), "positive"))["close"].to_list()
    [False, True, None]
    """
    return {"any": pl.lit(False), "not negative": value < 0, "positive": value <= 0}[sign]
