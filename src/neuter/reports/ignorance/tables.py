"""All tables of an ignorance run: Tables 1 to 6 of the paper, then those beyond it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.reports.ignorance import layer_tables, scoring_tables
from neuter.reports.ignorance.about_run import about
from neuter.reports.ignorance.case_pairs import case_pairs
from neuter.reports.ignorance.case_table import table_6
from neuter.reports.ignorance.paper_tables import table_1, table_2, trace_audit
from neuter.reports.ignorance.robustness_tables import table_3, table_4, table_5
from neuter.reports.ignorance.run_frames import read_questions, read_tests
from neuter.reports.ignorance.score_lookup import ForecastScores
from neuter.reports.recall.table_values import RecallTable

if TYPE_CHECKING:
    import polars as pl

#: What each table of the paper needs that a run may not have.
_NEEDS = {
    "table-1": "a model",
    "table-2": "chains of thought under G2′; for their logic a judge (--judge MODEL)",
    "table-3": "two models of different cutoffs, and 10 or more questions resolved between them",
    "table-4": "questions with a crowd's forecast on both sides of the cutoffs",
    "table-5": "people's labels of traces (neuter traces label, then --labels FILE)",
    "table-6": "a question that a model got right before its cutoff and one of the same domain that it got wrong after",
}


def lacking(tables: Iterable[RecallTable]) -> list[str]:
    """The paper's tables that a run has not, each with what it needs."""
    there = {one.name for one in tables}
    return [
        f"No Table {name.removeprefix('table-')}: it needs {needs}."
        for name, needs in _NEEDS.items()
        if name not in there
    ]


def ignorance_tables(folder: Path, run: Mapping[str, Any], scores: pl.DataFrame) -> list[RecallTable]:
    """The paper's tables that the run has figures for, then those beyond the paper.

    Args:
        folder: the run folder; its questions, answers, traces and tests are read where they are there.
        run: its run.json.
        scores: its scores.

    Raises:
        RunError: a file is damaged, or columns are missing.
    """
    known = ForecastScores(scores, run.get("caveats") or ())
    its = about(run, known)
    made = [
        table_1(known, its),
        table_2(known, its),
        table_3(known, its, read_questions(folder)),
        table_4(known, its),
        table_5(known, its),
        table_6(case_pairs(folder, its, its.main), its, its.main),
        scoring_tables.verdicts(run, its),
        layer_tables.brier(known, its),
        layer_tables.gaps(known, its),
        layer_tables.effects(known, its),
        layer_tables.groups(known, its),
        trace_audit(known, its),
        scoring_tables.decomposition(known, its),
        scoring_tables.difficulty(known, its),
        scoring_tables.discontinuity(known, its),
        scoring_tables.horizon(known, its),
        scoring_tables.tests(read_tests(folder), its),
        layer_tables.bounds(known, its),
    ]
    return [one for one in made if one is not None]
