"""Identification scores: who was found, and when the text is from, by size, firm and sector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from neuter.scoring.baselines import HITS, another_firms_text
from neuter.scoring.block import ROWS_SCHEMA, Block
from neuter.scoring.caveats import CAVEATS_SCHEMA, about_documents
from neuter.scoring.groups import groupings
from neuter.scoring.interval_queue import IntervalQueue
from neuter.scoring.judging import Judged, judge
from neuter.scoring.known import KnownDocuments
from neuter.scoring.measures import Measure, numbers
from neuter.scoring.statistics import firm_weights
from neuter.scoring.table import SCORES_SCHEMA, empty_scores, validate


@dataclass(frozen=True, slots=True)
class Scored:
    """``frame`` has the scores' columns; ``caveats`` says what to know about some of its rows.

    ``caveats`` has the columns group_by, group, metric, text. An empty metric or group means all of them.
    """

    frame: pl.DataFrame
    caveats: pl.DataFrame


def score_identification(
    truth: pl.DataFrame, guesses: pl.DataFrame, *, suite: str = "evaluate", seed: int = 0, draws: int = 2000
) -> pl.DataFrame:
    """The rows of ``score`` without its caveats."""
    return score(truth, guesses, suite=suite, seed=seed, draws=draws).frame


def score(
    truth: pl.DataFrame,
    guesses: pl.DataFrame,
    *,
    prior: pl.DataFrame | None = None,
    suite: str = "evaluate",
    seed: int = 0,
    draws: int = 2000,
) -> Scored:
    """Scores the guesses of ONE scheme, attacker and model; returns rows of the tidy scores table.

    Args:
        truth: the corpus' metadata, a row a document. A document without a guess is not scored: an attacker
            that was tried on a sample is judged on that sample. A document that could not be masked or
            attacked must have a guess row with its outcome.
        guesses: a row a document: id, scheme, attacker, model, outcome, firm, industry, quarter, year, date,
            confidence, candidates.
        prior: the guesses that the same model makes without a text, for METRIC_prior.
        seed, draws: of the bootstrap over firms.

    Returns:
        METRIC: over answered documents that have the truth in question (``n`` of them; a field that was left
        empty in an answer counts as wrong, and is left out of differences in years and days; an industry that no
        list knows counts as ``unparsed``). METRIC_all: over all documents that have the truth, unanswered ones as
        not identified: what the attack achieved. METRIC_low and METRIC_high: the bounds, with every unanswered
        document wrong, and right. ``_all`` and ``_low`` are equal in value by this definition. ``baseline`` is the
        best constant guess on the same documents; METRIC_uniform, METRIC_permutation and METRIC_prior are what a
        guess at random, the guess made of another firm's text, and the model's prior would score on them.
        Accuracies are in percent. Docs: docs/scores.md.

    Raises:
        UsageError: more than one scheme, attacker or model, or an id twice.
        RunError: a guess of a document that is not in ``truth``.
    """
    if not guesses.height:
        return Scored(empty_scores(), pl.DataFrame(schema=CAVEATS_SCHEMA))
    judged = _with_prior(judge(truth, guesses), truth, prior)
    blocks = list(_blocks(judged, seed=seed, draws=draws))
    named = {
        "suite": suite,
        "split": "all",
        **{column: str(guesses[column][0] or "") for column in ("scheme", "attacker", "model")},
    }
    rows = pl.concat([pl.DataFrame(schema=ROWS_SCHEMA), *(b.frame for b in blocks)])
    rows = rows.sort("_group_at", "_measure_at", "_variant_at", maintain_order=True)
    filled = rows.with_columns(pl.lit(value).alias(name) for name, value in named.items())
    absent = [
        pl.lit(None, dtype=kind).alias(n) for n, kind in SCORES_SCHEMA.items() if n not in filled.columns
    ]
    frame = validate(filled.with_columns(absent).select(list(SCORES_SCHEMA)))
    caveats = pl.concat([about_documents(judged), *(b.caveats for b in blocks)])
    return Scored(frame, caveats)


def _with_prior(judged: Judged, truth: pl.DataFrame, prior: pl.DataFrame | None) -> Judged:
    """The same with each measure's value of the prior guess beside it, document by document."""
    if prior is None or not prior.height:
        return judged
    blind = judge(truth, prior.filter(pl.col("id").is_in(truth["id"].implode())))
    ids = pl.DataFrame({"id": blind.frame["id"]})
    values = {m.metric: np.where(m.usable(blind.answered), m.values, np.nan) for m in blind.measures}
    table = ids.with_columns(pl.Series(metric, value) for metric, value in values.items())
    beside = judged.frame.select("id").join(table, on="id", how="left", maintain_order="left")
    measures = [
        replace(m, prior=numbers(beside[m.metric])) if m.metric in values else m for m in judged.measures
    ]
    return replace(judged, measures=measures)


def _swapped(judged: Judged, measure: Measure) -> Measure:
    """The same with the chance of another firm's text beside it, document by document."""
    at = np.flatnonzero(measure.usable(judged.answered))
    if measure.said is None or measure.kind not in HITS or not at.size:
        return measure
    swapped = np.full(judged.frame.height, np.nan)
    swapped[at] = another_firms_text(measure.kind, judged.firms[at], measure.truth[at], measure.said[at])
    return replace(measure, swapped=swapped)


def _blocks(judged: Judged, *, seed: int, draws: int) -> Iterator[Block]:
    """One block a measure and grouping."""
    queue = IntervalQueue(firm_weights(judged.firm_labels, seed=seed, draws=draws))
    grouped, documents = groupings(judged.frame), KnownDocuments(judged)
    firsts = np.cumsum([0, *(len(grouping.names) for grouping in grouped)])
    for place, measure in enumerate(judged.measures):
        held = _swapped(judged, measure)
        for grouping, first in zip(grouped, firsts, strict=False):
            yield Block(judged, grouping, held, documents, queue, first=int(first), place=place)
