"""Tables 1 and 2 of Simulated Ignorance Fails of a run: its models, and the audit of their traces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neuter.reports.ignorance.about_run import GROUPS, AboutRun
from neuter.reports.ignorance.score_lookup import ForecastScores
from neuter.reports.ignorance.table_building import (
    Notes,
    block,
    count_column,
    figure,
    our_row,
    panel,
    paper_row,
    said,
    table,
    text_column,
)
from neuter.reports.recall.table_values import RecallBlock, RecallRow, RecallTable
from neuter.reports.wording import one_line
from neuter.suites.ignorance.published import PaperModel, paper_model

_TABLE_1 = (
    text_column("Cutoff"),
    text_column("n pre"),
    text_column("n post"),
    text_column("n between"),
)


def table_1(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """Models with their cutoffs, groups and numbers of questions (fixed partition)."""
    notes = Notes()
    blocks = [_group(GROUPS.get(group, "No group"), group, scores, run, notes) for group in (*GROUPS, "")]
    fixed = [
        "A cutoff is the first day that the model cannot know. Pre is resolved before the earliest cutoff of all the "
        "models, post from the latest on; between is used by the natural experiment and the quarterly curve.",
        "n counts questions with an answered run; a range where conditions differ.",
        "The paper's nine models have 199 to 201 questions pre and 273 to 276 post.",
    ]
    made = [panel(_TABLE_1, blocks, whole=True)]
    return table("table-1", "Models, cutoffs and questions", made, notes=notes, remarks=fixed)


def _group(title: str, group: str, scores: ForecastScores, run: AboutRun, notes: Notes) -> RecallBlock | None:
    models = [model for model in run.models if run.groups.get(model, "") == group]
    return block(title, [row for model in models for row in _model(model, scores, run, notes)])


def _model(model: str, scores: ForecastScores, run: AboutRun, notes: Notes) -> Iterator[RecallRow]:
    counts = [_counted(scores, run.conditions, model, split) for split in ("pre", "post", "between")]
    cutoff = run.cutoffs.get(model)
    told = [cutoff.isoformat() if cutoff else "unknown", *counts]
    source = run.sources.get(model)
    told_by = (notes.add(f"Cutoff: {source}."),) if source else ()
    yield RecallRow(one_line(model), tuple(said(text) for text in told), told_by)
    if known := paper_model(model):
        yield _of_paper(known)


def _of_paper(known: PaperModel) -> RecallRow:
    told = [known.cutoff, str(known.pre), str(known.post), ""]
    return RecallRow(f"paper: {known.label}", tuple(said(text) for text in told), reference=True)


def _counted(scores: ForecastScores, conditions: Sequence[str], model: str, split: str) -> str:
    """How many questions have an answered run, over the conditions; a range where they differ."""
    rows = [scores.row("brier", condition=name, split=split, model=model) for name in conditions]
    counts = sorted({int(row["n"]) for row in rows if row and row["n"] is not None})
    return f"{counts[0]:,}–{counts[-1]:,}" if len(counts) > 1 else f"{counts[0]:,}" if counts else "0"


_AUDIT = (
    figure("Logic (%), judge", "logic_consistency", 1, attacker="judge"),
    figure("Clean (%), judge", "cutoff_compliance", 1, attacker="judge"),
    figure("Clean (%), rule", "cutoff_compliance", 1, attacker="rule"),
)


def table_2(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """The trace audit by group under the chain of thought with a cutoff (G2′)."""
    notes, at = Notes(), {"panel": "traces", "condition": "G2′"}
    blocks = []
    for split, title in (("pre", "Pre-cutoff questions (SI)"), ("post", "Post-cutoff questions (TI)")):
        rows: list[RecallRow | None] = []
        for group, name in GROUPS.items():
            place = {"group_by": "model_group", "group": group, "split": split}
            rows += [
                our_row(name, _AUDIT, scores, notes, **at, **place),
                paper_row(_AUDIT, notes, **at, **place),
            ]
        rows += [
            our_row(run.title(one), _AUDIT, scores, notes, **at, split=split, model=one) for one in run.whose
        ]
        blocks.append(block(title, rows, ours=split == "post"))
    columns = [one.column for one in _AUDIT]
    remarks = [
        "Logic: the judge finds the trace consistent. Clean: no explicit reference to what came after the cutoff, as "
        "the judge reads it, and by a rule without a judge (dates and events after the cutoff, told as past).",
        "A clean trace is no proof: compare the gaps below. The paper audits pre-cutoff questions.",
    ]
    return table("table-2", "Trace audit under G2′", [panel(columns, blocks)], notes=notes, remarks=remarks)


def trace_audit(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """The audit without and with the instruction (Figure 4B), by model."""
    notes = Notes()
    columns = [*(one.column for one in _AUDIT), count_column("Questions")]
    blocks = [
        block(
            f"{condition}, {split}",
            [
                _with_count(our_row(run.title(one), _AUDIT, scores, notes, **place, model=one))
                for one in run.whose
            ],
        )
        for condition in run.reasoned
        for split in ("pre", "post")
        if (place := {"panel": "traces", "condition": condition, "split": split})
    ]
    return table("trace-audit", "Trace audit by condition and model", [panel(columns, blocks)], notes=notes)


def _with_count(row: RecallRow | None) -> RecallRow | None:
    if row is None:
        return None
    counts = [cell.n for cell in row.cells if cell.n is not None]
    return RecallRow(row.title, (*row.cells, said(max(counts, default=None), "count")), row.notes)
