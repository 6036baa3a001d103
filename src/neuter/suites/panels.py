"""Panels of Table 7: whose documents they hold, how they are scored, and what the paper published."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from neuter.suites.published_figures import published_table
from neuter.suites.scorers import score_plainly

if TYPE_CHECKING:
    import polars as pl

    from neuter.scoring.identification import Scored
    from neuter.suites.plan import Scorer, Scoring

THE_SEVEN = "the Magnificent Seven"
#: What Panel B prints; the same documents by firm and sector are no panel of the paper's.
_OF_PANEL_B = ("all", "size")


@cache
def _labels() -> dict[str, str]:
    """The seven's names in the paper by the labels of their firms."""
    firms = published_table("table_7").firms
    return {f"cik:{cik:010d}": name for name, numbers in firms.items() for cik in numbers}


def the_seven(metadata: pl.DataFrame) -> pl.DataFrame:
    """The rows of the Magnificent Seven, with the ticker and the CIK that the firm has in the paper's table.

    GOOG, GOOGL and Google are one firm, and so are FB and META.
    """
    import polars as pl

    from neuter.firms import labels_of

    numbers = {name: ciks[0] for name, ciks in published_table("table_7").firms.items()}
    named = metadata.with_columns(
        labels_of(metadata).replace_strict(_labels(), default=None, return_dtype=pl.String).alias("ticker")
    ).filter(pl.col("ticker").is_not_null())
    return named.with_columns(
        pl.col("ticker").replace_strict(numbers, default=None, return_dtype=pl.Int64).alias("cik")
    )


def panel_scorer(panels: str, *, published: bool) -> Scorer:
    """A scorer that fills ``panel`` and ``published``.

    Panel A: the seven's documents, all and by firm. Panel B: every document, all and by size. The same documents by
    firm and sector have no panel. ``published`` stands beside figures of the attacker ``llm`` alone: it is what GPT-4o
    read from the texts.
    """

    def scored(
        how: Scoring, truth: pl.DataFrame, guesses: pl.DataFrame, prior: pl.DataFrame | None = None
    ) -> Scored:
        import polars as pl

        parts = []
        if "A" in panels:
            known = the_seven(truth)
            own = guesses.filter(pl.col("id").is_in(known["id"].implode()))
            parts.append(
                _in_panel("A", score_plainly(how, known, own, prior), ("all", "firm"), keep_others=False)
            )
        if "B" in panels:
            parts.append(
                _in_panel("B", score_plainly(how, truth, guesses, prior), _OF_PANEL_B, keep_others=True)
            )
        frame = pl.concat([part.frame for part in parts])
        caveats = pl.concat([part.caveats for part in parts])
        return replace(parts[0], frame=with_published(frame) if published else frame, caveats=caveats)

    return scored


def _in_panel(letter: str, scored: Scored, groupings: tuple[str, ...], *, keep_others: bool) -> Scored:
    import polars as pl

    inside = pl.col("group_by").is_in(list(groupings))
    panel = pl.when(inside).then(pl.lit(letter)).otherwise(pl.lit("")).alias("panel")
    wanted = pl.lit(True) if keep_others else inside
    return replace(
        scored,
        frame=scored.frame.filter(wanted).with_columns(panel).select(scored.frame.columns),
        caveats=scored.caveats.filter(wanted).with_columns(panel),
    )


def with_published(scores: pl.DataFrame) -> pl.DataFrame:
    """The scores with the paper's figures in ``published``, in the rows of the attacker ``llm`` that it prints."""
    import polars as pl

    figures = [
        {"panel": panel.letter, "group": group, "metric": metric, "attacker": "llm", "_published": value}
        for panel in published_table("table_7").panels.values()
        for group, row in panel.rows.items()
        for metric, value in row.items()
        if metric != "n"
    ]
    keys = ["panel", "group", "metric", "attacker"]
    joined = scores.join(pl.DataFrame(figures), on=keys, how="left", maintain_order="left")
    return joined.with_columns(pl.col("_published").alias("published")).select(scores.columns)
