"""The recall tables as the paper prints them, with what cannot be right, beside our scores."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import polars as pl

#: The table of each suite.
TABLES = {
    "macro": "table_1",
    "indices": "table_2",
    "headlines": "table_3",
    "stocks": "table_4",
    "portfolios": "table_5",
    "summary": "table_a1",
    "cutoff": "table_6",
}
_PLACE = ("panel", "series", "condition", "split")
#: ``published`` is what a figure of ours is compared with: the printed one, corrected where that is settled, and null
#: where it cannot be right. ``printed`` is null where the paper prints none. ``flag`` says what is wrong with it, or is
#: empty. ``unit`` is that of the scores which it may stand beside, "" for any.
FIGURES_SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys((*_PLACE, "metric"), pl.String),
    "published": pl.Float64,
    "printed": pl.Float64,
    "flag": pl.String,
    "unit": pl.String,
}
#: Over what each published row is. ``title`` heads its block, ``label`` is its name there; ``n`` and ``refusals`` are
#: as ``published`` of the figures.
ROWS_SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys((*_PLACE, "title", "label"), pl.String),
    "n": pl.Int64,
    "refusals": pl.Int64,
    "first_date": pl.Date,
    "last_date": pl.Date,
}
_DATES, _COUNTS = ("first_date", "last_date"), ("n", "refusals")


@cache
def published_figures(suite: str) -> pl.DataFrame:
    """Every figure that the paper prints for a suite (FIGURES_SCHEMA), ``n`` and ``refusals`` among them.

    No rows for a suite that the paper's recall tables do not have.
    """
    table = _table(suite)
    rows = [
        _figure(table, place, metric, value)
        for place, row in _printed_rows(table)
        for metric, value in row.items()
        if metric not in _DATES and value != ""
    ]
    extra = [{**one, "printed": None, "flag": one["note"], "unit": ""} for one in table.get("worked_out", ())]
    columns = [{name: row[name] for name in FIGURES_SCHEMA} for row in [*rows, *extra]]
    return pl.DataFrame(columns, schema=FIGURES_SCHEMA, orient="row")


@cache
def published_rows(suite: str) -> pl.DataFrame:
    """Every row that the paper prints for a suite (ROWS_SCHEMA), in its order, with its dates and counts."""
    rows = [
        {**place, **{name: row.get(name) for name in _DATES}} for place, row in _printed_rows(_table(suite))
    ]
    frame = pl.DataFrame(
        rows, schema={name: ROWS_SCHEMA[name] for name in (*_PLACE, "title", "label", *_DATES)}
    )
    for count in _COUNTS:
        counted = published_figures(suite).filter(pl.col("metric") == count)
        counted = counted.select(*_PLACE, pl.col("published").cast(pl.Int64).alias(count))
        frame = frame.join(counted, on=_PLACE, how="left", maintain_order="left")
    return frame.select(list(ROWS_SCHEMA))


def published_notes(suite: str) -> tuple[str, ...]:
    """What holds for the whole of a published table."""
    return tuple(_table(suite).get("notes", ()))


def with_published(scores: pl.DataFrame) -> pl.DataFrame:
    """Scores (SCORES_SCHEMA) with ``published`` filled in: in the rows of models and in Table A1's, null elsewhere.

    A figure in another unit stays without (returns in percent of the return beside percentage points). So does one of
    Table 5 over data that begin later than the paper's: it needs prices and market caps from 1990.
    """
    joined = scores.join(_beside(), on=["suite", *_PLACE, "metric"], how="left", maintain_order="left")
    of_model = (pl.col("attacker") == "llm") | (pl.col("suite") == "summary")
    comparable = (
        of_model
        & (pl.col("group_by") == "all")
        & ((pl.col("_unit") == "") | (pl.col("_unit") == pl.col("unit")))
        & (pl.col("_from_by").is_null() | (pl.col("first_date") <= pl.col("_from_by")))
    )
    return joined.with_columns(published=pl.when(comparable).then("_told")).select(scores.columns)


@cache
def _beside() -> pl.DataFrame:
    """Every published figure by suite and place; ``_from_by`` is the day by which our data must begin, if it must."""
    parts = []
    for suite in TABLES:
        within = _table(suite).get("begins_within_days")
        latest = pl.col("first_date") + pl.duration(days=within) if within else pl.lit(None, pl.Date)
        dates = published_rows(suite).select(*_PLACE, latest.alias("_from_by"))
        figures = published_figures(suite).rename({"published": "_told", "unit": "_unit"})
        told = figures.select(pl.lit(suite).alias("suite"), *_PLACE, "metric", "_told", "_unit")
        parts.append(told.join(dates, on=_PLACE, how="left"))
    return pl.concat(parts)


def _printed_rows(table: Mapping[str, Any]) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """Each row's place, and what it prints by metric."""
    for block in table.get("blocks", ()):
        for series, label, *values in block["rows"]:
            place = {name: block[name] for name in ("panel", "condition", "split", "title")}
            yield (
                {**place, "series": series, "label": label},
                dict(zip(block["columns"], values, strict=True)),
            )


def _figure(
    table: Mapping[str, Any], place: Mapping[str, str], metric: str, printed: float
) -> dict[str, Any]:
    """A figure with its flag, if one is for it."""
    said: dict[str, Any] = {
        **place,
        "metric": metric,
        "printed": printed,
        "published": printed,
        "flag": "",
        "unit": "",
    }
    for flag in table.get("flags", ()):
        if _is_for(flag, place, metric):
            settled = round(printed * flag["factor"], 6) if "factor" in flag else printed
            kept = flag.get("keep", "factor" in flag)
            said |= {
                "published": settled if kept else None,
                "flag": flag["note"],
                "unit": flag.get("unit", ""),
            }
    return said


def _is_for(flag: Mapping[str, Any], place: Mapping[str, str], metric: str) -> bool:
    here = all(flag.get(name, place[name]) == place[name] for name in ("panel", "condition", "split"))
    return here and place["series"] in flag.get("series", [place["series"]]) and metric in flag["metrics"]


@cache
def _table(suite: str) -> dict[str, Any]:
    """The suite's table as ``suites/published`` keeps it."""
    if suite not in TABLES:
        return {}
    path = files("neuter.suites") / "published" / f"{TABLES[suite]}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))
