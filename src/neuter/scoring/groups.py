"""Groups of documents that scores are given for: all, by size, by firm and by sector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from neuter.firms.labels import firm_of
from neuter.firms.sizes import SIZES
from neuter.scoring.measures import NO_CLASS, Ints


@dataclass(frozen=True, slots=True)
class Grouping:
    """One way to group documents: ``codes`` is each document's place in ``names``, -1 for none."""

    by: str
    names: list[str]
    codes: Ints


def groupings(frame: pl.DataFrame) -> list[Grouping]:
    """All documents, then sizes from large to small, firms by name, and sectors by name."""
    everything = Grouping("all", ["all"], np.zeros(frame.height, dtype=np.int64))
    return [
        everything,
        _grouping("size", frame["size"], list(SIZES)),
        _grouping("firm", firm_names(frame)),
        _grouping("sector", frame["sector"]),
    ]


def _grouping(by: str, column: pl.Series, order: list[str] | None = None) -> Grouping:
    """Nulls, empty strings and names that are not in ``order`` are no group."""
    present = set(column.drop_nulls().unique()) - {""}
    names = [name for name in order if name in present] if order else sorted(present)
    places = pl.DataFrame(
        {"name": names, "place": np.arange(len(names))}, schema_overrides={"name": pl.String}
    )
    found = pl.DataFrame({"name": column.cast(pl.String)}).join(
        places, on="name", how="left", maintain_order="left"
    )
    return Grouping(by, names, found["place"].fill_null(NO_CLASS).to_numpy().astype(np.int64))


def firm_names(frame: pl.DataFrame) -> pl.Series:
    """What each document's firm is called in the table: its ticker, else its name; never one name for two."""
    told = frame.select("label", pl.coalesce(_given("ticker"), _given("firm")).alias("name"))
    counted = (
        told.filter(pl.col("label") != "")
        .with_row_index("at")
        .group_by("label", "name")
        .agg(pl.len().alias("times"), pl.col("at").min())
        .with_columns((pl.col("times") * pl.col("name").is_not_null()).alias("times"))
        .sort(["times", "at"], descending=[True, False])
        .unique("label", keep="first", maintain_order=True)
        .with_columns(pl.coalesce("name", "label").alias("name"))
        .with_columns((pl.len().over("name") > 1).alias("shared"))
    )
    shown = [
        f"{name} ({_told_apart(label)})" if shared else name
        for label, name, shared in counted.select("label", "name", "shared").rows()
    ]
    table = counted.select("label", pl.Series("group", shown, dtype=pl.String))
    return told.select("label").join(table, on="label", how="left", maintain_order="left")["group"]


def _given(column: str) -> pl.Expr:
    return pl.when(pl.col(column).fill_null("") != "").then(pl.col(column))


def _told_apart(label: str) -> str:
    firm = firm_of(label)
    return firm.name if firm else label
