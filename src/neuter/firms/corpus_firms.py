"""Firms of a corpus: which of them have enough documents to be found by their other ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def firms_with_at_least(metadata: pl.DataFrame, n: int = 2) -> tuple[list[str], int]:
    """Ids (in corpus order) of documents whose firm has ``n`` documents or more, and how many were left out.

    A document whose firm is unknown is left out: nothing says which other documents are its firm's.
    """
    import polars as pl

    from neuter.firms.labels import labels_of

    labelled = pl.DataFrame({"id": metadata["id"], "label": labels_of(metadata)})
    many = labelled.filter((pl.col("label") != "") & (pl.len().over("label") >= n))
    return many["id"].to_list(), metadata.height - many.height
