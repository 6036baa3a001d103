"""The frames of an audit of chains of thought: what was found in each of them, and what people said of some."""

from __future__ import annotations

import hashlib

import polars as pl

#: The conditions that ask for a chain of thought (Simulated Ignorance Fails, section 3.4).
TRACED_CONDITIONS = ("G2", "G2′")

#: What the rule found: ``text`` at ``start`` to ``end`` of the trace names a day, month, quarter, year or event, and
#: ``day`` is the first day that it can mean. ``told``: the prompt had it; ``forward``: spoken of as the future. One
#: that is neither is a violation.
FINDING = pl.Struct(
    {
        **dict.fromkeys(("start", "end"), pl.Int32),
        **dict.fromkeys(("text", "kind"), pl.String),
        "day": pl.Date,
        **dict.fromkeys(("told", "forward"), pl.Boolean),
    }
)

#: A row a chain of thought. ``judge`` to ``judge_quote_found`` are null where nobody judged; ``judge_logic`` (it is
#: consistent) and ``judge_clean`` (nothing after the cutoff) are null unless ``judge_outcome`` is ``answered``.
#: ``judge_quote`` is what the judge quotes as a reference after the cutoff, ``judge_quote_found`` whether the trace
#: holds it: null without a quote.
TRACE_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    **dict.fromkeys(("id", "model", "condition"), pl.String),
    "run": pl.Int16,
    "trace": pl.String,
    "rule_clean": pl.Boolean,
    "rule_findings": pl.List(FINDING),
    **dict.fromkeys(("judge", "judge_outcome"), pl.String),
    **dict.fromkeys(("judge_logic", "judge_clean"), pl.Boolean),
    **dict.fromkeys(("judge_reason", "judge_quote"), pl.String),
    "judge_quote_found": pl.Boolean,
}

#: A row a label. ``key`` names the trace (:func:`trace_key`), ``logic`` and ``clean`` are ``yes`` or ``no``.
LABEL_SCHEMA: dict[str, type[pl.DataType]] = dict.fromkeys(("key", "logic", "clean", "by", "note"), pl.String)


def trace_key(id_: str, model: str, condition: str, run: int, trace: str) -> str:
    """A name for a trace that says nothing of its model: 16 hexadecimal digits.

    The text is in it, so that a label of another text never counts for this one.
    """
    told = "\x00".join((id_, model, condition, str(run), trace))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def with_keys(traces: pl.DataFrame) -> pl.DataFrame:
    """The traces with their ``key``."""
    columns = (traces[name].to_list() for name in ("id", "model", "condition", "run", "trace"))
    keys = [trace_key(*row) for row in zip(*columns, strict=True)]
    return traces.with_columns(pl.Series("key", keys, dtype=pl.String))
