"""Pairs of like questions, one known and one unknown to the model, chosen by a rule (Table 6, Figure 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.reports.ignorance.about_run import AboutRun
from neuter.reports.ignorance.run_frames import (
    answers_where,
    averaged_forecasts,
    read_forecasts,
    read_questions,
    traces_where,
    with_split,
)
from neuter.reports.wording import one_line

if TYPE_CHECKING:
    import polars as pl

#: A forecast this near to the outcome has a small error; one this far or more a large one: no better than one half.
SMALL, LARGE = 0.25, 0.5
#: The rule in words, for a note.
RULE = (
    "Chosen by rule: of all pairs of a pre-cutoff question that the model got right (forecast within "
    f"{SMALL:g} of the outcome) and a post-cutoff one of the same domain that it did not ({LARGE:g} or more away), "
    "those whose texts are most alike (share of equal words, order aside); each question once, each model once before "
    "any twice."
)
#: As many questions of a side, domain and model are compared, those with the smallest or the largest error.
_MOST = 400
#: A question's best partners: others are less alike, and its own pair is among these.
_PARTNERS = 4
#: Characters of a trace that are shown.
_SNIPPET = 320


@dataclass(frozen=True, slots=True)
class Case:
    """A question as one model answered it. ``period`` is pre or post; ``trace`` the beginning of one run's."""

    period: str
    id: str
    question: str
    model: str
    forecast: float
    outcome: int
    trace: str = ""

    @property
    def brier(self) -> float:
        return (self.forecast - self.outcome) ** 2


@dataclass(frozen=True, slots=True)
class CasePair:
    """``likeness`` is the texts', from 0 to 100."""

    pre: Case
    post: Case
    domain: str
    likeness: float


def case_pairs(folder: Path, run: AboutRun, condition: str, most: int = 2) -> list[CasePair]:
    """At most ``most`` pairs under a condition, by :data:`RULE`; the same run gives the same pairs.

    Raises:
        RunError: a file of the run is damaged.
    """
    questions, forecasts = read_questions(folder), read_forecasts(folder)
    if questions is None or forecasts is None or not condition:
        return []
    found = _candidates(questions, forecasts, run, condition)
    pairs = sorted(_alike(found), key=lambda one: (-one.likeness, one.pre.model, one.pre.id, one.post.id))
    chosen = _chosen(pairs, most)
    return [_with_traces(pair, folder, condition) for pair in chosen]


def _candidates(
    questions: pl.DataFrame, forecasts: pl.DataFrame, run: AboutRun, condition: str
) -> pl.DataFrame:
    """Questions of either side with the error that the rule wants: one row a model."""
    import polars as pl

    asked = with_split(questions, run).filter(pl.col("split").is_in(["pre", "post"]))
    said = averaged_forecasts(forecasts, condition).join(asked, on="id", maintain_order="left")
    error = (pl.col("p") - pl.col("resolution")).abs()
    small = (pl.col("split") == "pre") & (error <= SMALL)
    large = (pl.col("split") == "post") & (error >= LARGE)
    return said.with_columns(error.alias("error")).filter(small | large)


def _alike(candidates: pl.DataFrame) -> Iterator[CasePair]:
    """For each model and domain its most alike pairs."""
    import numpy as np
    import polars as pl
    from rapidfuzz.fuzz import token_sort_ratio
    from rapidfuzz.process import cdist
    from rapidfuzz.utils import default_process

    for (model, domain), part in candidates.group_by("model", "domain", maintain_order=True):
        pre = part.filter(pl.col("split") == "pre").sort("error", "id").head(_MOST).to_dicts()
        post = part.filter(pl.col("split") == "post").sort("error", "id", descending=[True, False])
        after = post.head(_MOST).to_dicts()
        if not pre or not after:
            continue
        # In the order of ids, so that a stable sort settles equals by them.
        after.sort(key=lambda row: str(row["id"]))
        texts = ([row["question"] or "" for row in side] for side in (pre, after))
        alike = cdist(*texts, scorer=token_sort_ratio, processor=default_process)
        best = np.argsort(-alike, axis=1, kind="stable")[:, :_PARTNERS]
        for k, partners in enumerate(best):
            for j in partners:
                cases = _case(pre[k], str(model)), _case(after[j], str(model))
                yield CasePair(*cases, str(domain or ""), float(alike[k, j]))


def _case(row: Mapping[str, Any], model: str) -> Case:
    return Case(
        row["split"],
        row["id"],
        one_line(row["question"] or ""),
        model,
        float(row["p"]),
        int(row["resolution"]),
    )


def _chosen(pairs: list[CasePair], most: int) -> list[CasePair]:
    """The most alike, each question once and each model once before any twice."""
    chosen: list[CasePair] = []
    for again in (False, True):
        for pair in pairs:
            used = {case.id for one in chosen for case in (one.pre, one.post)}
            fresh = again or pair.pre.model not in {one.pre.model for one in chosen}
            if len(chosen) < most and fresh and not used & {pair.pre.id, pair.post.id}:
                chosen.append(pair)
    return chosen


def _with_traces(pair: CasePair, folder: Path, condition: str) -> CasePair:
    told = [_with_trace(case, folder, condition) for case in (pair.pre, pair.post)]
    return CasePair(told[0], told[1], pair.domain, pair.likeness)


def _with_trace(case: Case, folder: Path, condition: str) -> Case:
    text = _trace(case, folder, condition)
    return Case(case.period, case.id, case.question, case.model, case.forecast, case.outcome, text)


def _trace(case: Case, folder: Path, condition: str) -> str:
    """The beginning of the trace of the run that is nearest to the mean; of the answer where no trace was kept."""
    import polars as pl

    whose = (pl.col("id") == case.id) & (pl.col("model") == case.model) & (pl.col("condition") == condition)
    said = answers_where(folder, whose)
    runs = said.filter(pl.col("probability").is_not_null())
    runs = runs.sort((pl.col("probability") - case.forecast).abs(), pl.col("run"))
    if not runs.height:
        return ""
    kept = traces_where(folder, whose & (pl.col("run") == runs["run"][0]))
    text = kept["trace"][0] if kept is not None and kept.height else runs["answer"][0]
    return _beginning(one_line(text or ""))


def _beginning(text: str) -> str:
    if len(text) <= _SNIPPET:
        return text
    return f"{text[:_SNIPPET].rsplit(' ', 1)[0]} …"
