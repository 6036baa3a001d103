"""The scores of an audit of chains of thought: how many are consistent, and how many keep to the cutoff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from neuter.errors import UsageError
from neuter.scoring.bootstrap import LEVEL
from neuter.scoring.forecasts.averaged import OUTCOMES, Bools
from neuter.scoring.forecasts.how import NON_REASONING, REASONING, ForecastScoring
from neuter.scoring.forecasts.intervals import Clusters, Side, averaged_sides
from neuter.scoring.forecasts.row import Row
from neuter.scoring.statistics import share_interval
from neuter.traces.schema import TRACED_CONDITIONS
from neuter.traces.validation import validation_rows

#: Attacker, metric and the column that it is of.
_FIGURES = (
    ("rule", "cutoff_compliance", "rule_clean"),
    ("judge", "cutoff_compliance", "judge_clean"),
    ("judge", "logic_consistency", "judge_logic"),
)
_UNFOUND = "{} of {} references that the judge quotes are not in the traces"


def score_traces(
    traces: pl.DataFrame, labels: pl.DataFrame | None, questions: pl.DataFrame, how: ForecastScoring
) -> list[Row]:
    """The rows ``traces`` and, with labels, ``audit_validation`` of docs/ignorance-scores.md.

    A percentage is over the questions of a split of the fixed partition, each worth one, whatever its runs; the mean
    over models and that of a group give each model the same weight. Intervals are over clusters of questions, the
    models being fixed.

    Args:
        traces: TRACE_SCHEMA, checked; the judge's columns may be null.
        labels: LABEL_SCHEMA.
        questions: RESOLVED_SCHEMA; those of the traces at least.

    Raises:
        UsageError: a trace of no question.
        DataError: a label of no trace.
    """
    scored = _Audit(traces, questions, how)
    rows = [row for condition in TRACED_CONDITIONS for row in scored.rows(condition)]
    if labels is not None and labels.height:
        rows += validation_rows(traces, labels, how.groups, seed=how.seed)
    return rows


class _Audit:
    def __init__(self, traces: pl.DataFrame, questions: pl.DataFrame, how: ForecastScoring) -> None:
        self._how, self._traces = how, _numbered(traces, questions)
        self._models = tuple(traces["model"].unique(maintain_order=True).to_list())
        self._clusters, self._resolved = _clusters(questions, how), questions["resolution_date"]
        self._splits = _splits(questions["resolution_date"], how)
        self._n = questions.height

    def rows(self, condition: str) -> Iterator[Row]:
        """Those of a condition, by split, group and figure."""
        part = self._traces.filter(pl.col("condition") == condition)
        for split, inside in self._splits.items():
            for names, models in self._whose():
                here = part.filter(
                    pl.col("model").is_in(models)
                    & pl.Series(inside[part["question"].to_numpy()], dtype=pl.Boolean)
                )
                for attacker, metric, column in _FIGURES:
                    asked = here if attacker == "rule" else here.filter(pl.col("judge_outcome").is_not_null())
                    if asked.height:
                        place = {"condition": condition, "split": split, "attacker": attacker, **names}
                        yield self._row(asked, metric, column, models, place)

    def _whose(self) -> Iterator[tuple[dict[str, str], list[str]]]:
        """Each model, the mean over them where there are several, and the two groups where there are both."""
        for model in self._models:
            yield {"model": model}, [model]
        if len(self._models) > 1:
            yield {"model": ""}, list(self._models)
        groups = {
            group: [model for model in self._models if self._how.groups.get(model) == group]
            for group in (REASONING, NON_REASONING)
        }
        if all(groups.values()):
            for group, models in groups.items():
                yield {"model": "", "group_by": "model_group", "group": group}, models

    def _row(
        self, asked: pl.DataFrame, metric: str, column: str, models: list[str], place: Mapping[str, str]
    ) -> Row:
        side = averaged_sides(
            [self._side(asked.filter(pl.col("model") == model), column) for model in models]
        )
        low, high, caveat = self._interval(side)
        unfound = _unfound(asked) if metric == "cutoff_compliance" and place["attacker"] == "judge" else ""
        names: dict[str, Any] = {**place, **_calls(asked, place["attacker"])}
        told = asked.filter(pl.col(column).is_not_null())
        days = self._resolved.gather(told["question"].unique().to_list())
        return Row(
            panel="traces",
            metric=metric,
            unit="percent",
            value=100 * side.mean if side.n else None,
            ci_low=low,
            ci_high=high,
            n=told["question"].n_unique(),
            first_date=_day(days.min()),
            last_date=_day(days.max()),
            caveat="; ".join(filter(None, (caveat, unfound))),
            **names,
        )

    def _side(self, part: pl.DataFrame, column: str) -> Side:
        """By cluster, the sum and the number of the questions' means over their runs."""
        means = part.group_by("question").agg(pl.col(column).cast(pl.Float64).mean()).drop_nulls()
        values = np.full(self._n, np.nan)
        values[means["question"].to_numpy()] = means[column].to_numpy()
        return self._clusters.side(values, np.ones(self._n, dtype=np.bool_))

    def _interval(self, side: Side) -> tuple[float | None, float | None, str]:
        """In percent. Nearly all traces may be clean: an interval of a share, which is not empty where all are."""
        if self._how.level != LEVEL:
            found = self._clusters.mean(side)
            return _percent(found.low), _percent(found.high), found.caveat
        if not side.n:
            return None, None, "no chain of thought was judged"
        share = share_interval(side.sums, side.counts, self._clusters.weights)
        caveat = share.caveat.replace("firms", "clusters of questions").replace(
            "firm", "cluster of questions"
        )
        return _percent(share.low), _percent(share.high), caveat


def _numbered(traces: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """The traces with the place of their question."""
    places = questions.select("id", pl.int_range(questions.height, dtype=pl.Int64).alias("question"))
    found = traces.join(places, on="id", how="left", maintain_order="left")
    if found["question"].null_count():
        lost = found.filter(pl.col("question").is_null())["id"][0]
        raise UsageError("a chain of thought of no question", where=str(lost))
    return found


def _clusters(questions: pl.DataFrame, how: ForecastScoring) -> Clusters:
    """Told by the first of their questions, as those of the forecasts are; a question without one is its own."""
    named = (
        pl.when(pl.col("cluster").fill_null("") == "")
        .then("q:" + pl.col("id"))
        .otherwise("c:" + pl.col("cluster"))
    )
    names = questions.select(named.alias("name"), "id")
    first = names.unique("name", keep="first", maintain_order=True)
    places = names["name"].replace_strict(
        first["name"].to_list(), list(range(first.height)), return_dtype=pl.Int64
    )
    return Clusters(places.to_numpy(), first["id"].to_list(), how)


def _splits(resolved: pl.Series, how: ForecastScoring) -> dict[str, Bools]:
    """Before the earliest cutoff of all models, and from the latest on (Simulated Ignorance Fails, section 3.3)."""
    first, last = min(how.cutoffs.values()), max(how.cutoffs.values())
    return {"pre": (resolved < first).to_numpy(), "post": (resolved >= last).to_numpy()}


def _calls(asked: pl.DataFrame, attacker: str) -> dict[str, int]:
    """Traces read by the rule, or calls to the judge by outcome."""
    if attacker == "rule":
        return {"answered": asked.height}
    counts = Counter(asked["judge_outcome"].to_list())
    return {name: counts[name] for name in OUTCOMES}


def _unfound(asked: pl.DataFrame) -> str:
    quoted = asked["judge_quote_found"].drop_nulls()
    wrong = int((~quoted).sum())
    return _UNFOUND.format(wrong, quoted.len()) if wrong else ""


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _day(found: object) -> date | None:
    return found if isinstance(found, date) else None
