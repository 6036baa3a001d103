"""A sample of chains of thought for people to label, with what is rare in it, and what each of them stands for."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import polars as pl

from neuter.errors import UsageError
from neuter.traces.schema import with_keys

#: The size of the paper's sample (Simulated Ignorance Fails, section 5.2).
PAPER_SIZE = 36


def with_strata(traces: pl.DataFrame, groups: Mapping[str, str]) -> pl.DataFrame:
    """The traces with ``stratum``: the model's group, the condition and the verdict (the judge's, else the rule's)."""
    group = (
        pl.col("model").replace_strict(dict(groups), default="", return_dtype=pl.String)
        if groups
        else pl.lit("")
    )
    judged = pl.format("logic {}, clean {}", _word("judge_logic"), _word("judge_clean"))
    ruled = pl.format("rule clean {}", _word("rule_clean"))
    verdict = pl.when(pl.col("judge_clean").is_not_null()).then(judged).otherwise(ruled)
    return traces.with_columns(pl.format("{}, {}, {}", group, pl.col("condition"), verdict).alias("stratum"))


def _word(name: str) -> pl.Expr:
    said = pl.when(pl.col(name)).then(pl.lit("yes")).otherwise(pl.lit("no"))
    return pl.when(pl.col(name).is_null()).then(pl.lit("unknown")).otherwise(said)


def stratified(
    traces: pl.DataFrame, groups: Mapping[str, str], *, n: int = PAPER_SIZE, seed: int = 0
) -> pl.DataFrame:
    """``n`` traces with ``key`` and ``stratum``, in random order, as many from each stratum as from another.

    Rare violations are in it for that reason, and :func:`stratum_weights` weighs them back. The draw depends on the
    seed and each trace alone, not on their order.

    Raises:
        UsageError: no trace, or n is not at least 1.
    """
    if n < 1:
        raise UsageError(f"a sample of {n}", where="--n", todo="Take at least 1; the paper has 36")
    if traces.is_empty():
        raise UsageError("there is no chain of thought", todo="Run neuter benchmark ignorance with G2 or G2′")
    told = with_strata(with_keys(traces), groups).unique("key", keep="first", maintain_order=True)
    drawn = told.with_columns(
        pl.Series("_draw", [_draw(seed, key) for key in told["key"].to_list()], dtype=pl.String)
    ).sort("_draw")
    sizes = dict(drawn["stratum"].value_counts().iter_rows())
    wanted = allotted(sizes, n)
    rank = pl.int_range(pl.len()).over("stratum")
    most = pl.col("stratum").replace_strict(wanted, return_dtype=pl.Int64)
    return drawn.filter(rank < most).drop("_draw")


def allotted(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    """How many to take of each stratum: equal shares of ``n``, what a small one cannot give spread over the others.

    Where there are more strata than ``n``, the smallest come first.

    >>> allotted({"a": 100, "b": 2, "c": 50}, 12)
    {'b': 2, 'c': 5, 'a': 5}
    """
    order = sorted(sizes, key=lambda name: (sizes[name], name))
    taken = dict.fromkeys(order, 0)
    left = min(n, sum(sizes.values()))
    while left:
        for name in order:
            if left and taken[name] < sizes[name]:
                taken[name] += 1
                left -= 1
    return taken


def stratum_weights(strata: pl.Series, population: pl.Series) -> dict[str, float]:
    """How many traces of a run each sampled one of a stratum stands for.

    Args:
        strata: of the sampled traces.
        population: of every trace of the run.
    """
    sizes = dict(population.value_counts().iter_rows())
    return {name: sizes[name] / count for name, count in strata.value_counts().iter_rows()}


def _draw(seed: int, key: str) -> str:
    return hashlib.blake2b(f"{seed}\x00{key}".encode(), digest_size=16).hexdigest()
