"""Whether people see in chains of thought what the judge and the rule see (Simulated Ignorance Fails, Table 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np
import polars as pl

from neuter.errors import DataError
from neuter.scoring.forecasts.row import Row
from neuter.traces.agreement import Agreement, agreement, table_of
from neuter.traces.sampling import stratum_weights, with_strata
from neuter.traces.schema import TRACED_CONDITIONS, with_keys

#: What is judged: the name of the score, the people's column, and the auditors' columns.
_DIMENSIONS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("logic_consistency", "logic", {"judge": "judge_logic"}),
    ("cutoff_compliance", "clean", {"judge": "judge_clean", "rule": "rule_clean"}),
)


def validation_rows(
    traces: pl.DataFrame, labels: pl.DataFrame, groups: Mapping[str, str], *, seed: int
) -> list[Row]:
    """The rows ``audit_validation`` of docs/ignorance-scores.md.

    ``kappa`` and ``agreement`` are over the labelled traces, as the paper's are. The sample is stratified, so that rare
    verdicts are in it more often than among all traces; ``kappa_population`` and ``agreement_population`` weigh each
    trace by how many of its stratum it stands for. With several labellers a trace is worth one, split among them; each
    of them (``group_by`` labeller) and each two of them (attacker ``people``) have rows of their own.

    Args:
        traces: TRACE_SCHEMA. labels: LABEL_SCHEMA. groups: of the models.

    Raises:
        DataError: a label of no trace of the run, or of other words than yes and no.
    """
    every = with_strata(with_keys(traces), groups).unique("key", keep="first", maintain_order=True)
    labelled = labels.join(every, on="key", how="left", maintain_order="left")
    _see(labelled)
    # A condition's sample is weighed by the traces of that condition, since the condition is part of a stratum.
    weights = stratum_weights(labelled.unique("key")["stratum"], every["stratum"]) if labelled.height else {}
    labelled = labelled.with_columns(
        pl.col("stratum").replace_strict(weights, default=1.0, return_dtype=pl.Float64).alias("weight")
    )
    return list(_rows(labelled, _unseen(every, weights), seed))


def _see(labelled: pl.DataFrame) -> None:
    lost = labelled.filter(pl.col("stratum").is_null())
    if lost.height:
        key = lost["key"][0]
        others = f" and {lost.height - 1} others" if lost.height > 1 else ""
        raise DataError(
            f"the label {key}{others} is of no trace of this run",
            where="labels",
            todo="Give labels of this very run: a text that changed has another key",
        )
    strange = labelled.filter(~pl.col("logic").is_in(["yes", "no"]) | ~pl.col("clean").is_in(["yes", "no"]))
    if strange.height:
        raise DataError("a label is neither yes nor no", where=f"labels, {strange['key'][0]}")


def _unseen(every: pl.DataFrame, weights: Mapping[str, float]) -> str:
    """What is said of strata of which nothing was labelled."""
    share = float((~every["stratum"].is_in(list(weights))).mean() or 0.0)  # type: ignore[arg-type]
    return f"strata with {share:.1%} of all traces were not labelled" if share else ""


def _rows(labelled: pl.DataFrame, unseen: str, seed: int) -> Iterator[Row]:
    people = sorted(labelled["by"].unique().to_list())
    for condition in (*TRACED_CONDITIONS, ""):
        part = labelled if not condition else labelled.filter(pl.col("condition") == condition)
        for series, column, auditors in _DIMENSIONS:
            place = {"series": series, "condition": condition}
            for attacker, told in auditors.items():
                here = part.filter(pl.col(told).is_not_null())
                yield from _compared(here, (told, column), {**place, "attacker": attacker}, unseen, seed)
                for name in people if len(people) > 1 else ():
                    own = {**place, "attacker": attacker, "group_by": "labeller", "group": name}
                    yield from _compared(here.filter(pl.col("by") == name), (told, column), own, unseen, seed)
            for one, other in combinations(people, 2):
                both = _both(part, column, one, other)
                own = {**place, "attacker": "people", "group_by": "labellers", "group": f"{one} and {other}"}
                yield from _compared(both, ("first", "second"), own, unseen, seed)


def _both(part: pl.DataFrame, column: str, one: str, other: str) -> pl.DataFrame:
    """The traces that both labelled: what the one said as a truth, and what the other said in words."""
    first = part.filter(pl.col("by") == one).with_columns((pl.col(column) == "yes").alias("first"))
    second = part.filter(pl.col("by") == other).select("key", pl.col(column).alias("second"))
    return first.join(second, on="key", how="inner", maintain_order="left")


def _compared(
    part: pl.DataFrame, columns: tuple[str, str], place: Mapping[str, str], unseen: str, seed: int
) -> Iterator[Row]:
    if part.is_empty():
        return
    tables = [table_of(a, b == "yes") for a, b in part.select(*columns).iter_rows()]
    split = part.select(
        "key", "weight", pl.DataFrame(tables, schema=list("abcd"), orient="row").to_struct("cells")
    )
    by_key = split.group_by("key", maintain_order=True).agg(
        pl.col("weight").first(), *(pl.col("cells").struct.field(name).mean() for name in "abcd")
    )
    cells, weights = by_key.select(list("abcd")).to_numpy(), by_key["weight"].to_numpy()
    yield from _of(agreement(cells, np.ones(len(cells)), seed=seed), "", place, part.height, "")
    yield from _of(agreement(cells, weights, seed=seed), "_population", place, part.height, unseen)


def _of(found: Agreement, suffix: str, place: Mapping[str, str], labels: int, more: str) -> Iterator[Row]:
    caveats = [caveat for caveat in (found.caveat, more) if caveat]
    yield Row(
        panel="audit_validation",
        metric=f"kappa{suffix}",
        unit="share",
        value=found.kappa,
        ci_low=found.kappa_low,
        ci_high=found.kappa_high,
        n=found.n,
        answered=labels,
        caveat="; ".join(caveats),
        **place,  # type: ignore[arg-type]
    )
    yield Row(
        panel="audit_validation",
        metric=f"agreement{suffix}",
        unit="percent",
        value=_percent(found.agreement),
        ci_low=_percent(found.agreement_low),
        ci_high=_percent(found.agreement_high),
        n=found.n,
        answered=labels,
        caveat=more,
        **place,  # type: ignore[arg-type]
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
