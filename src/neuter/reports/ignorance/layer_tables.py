"""Tables behind Figures 2 to 5: Brier scores by model and condition, gaps and what closes them, effects, groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neuter.questions.schema import DOMAINS
from neuter.reports.ignorance.about_run import GROUPS, AboutRun
from neuter.reports.ignorance.score_lookup import ForecastScores
from neuter.reports.ignorance.table_building import (
    BRIER,
    Asked,
    Notes,
    block,
    count_column,
    figure,
    our_row,
    panel,
    paper_row,
    said,
    table,
)
from neuter.reports.recall.table_values import RecallBlock, RecallPanel, RecallRow, RecallTable
from neuter.reports.wording import LOST, one_line

_SPLITS = {
    "pre": "Pre-cutoff (SI under an instruction)",
    "between": "Between the cutoffs",
    "post": "Post-cutoff (TI)",
}


def brier(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """Brier scores by model and condition, with how many calls gave no forecast."""
    asked = [figure(name, "brier", condition=name) for name in run.conditions]
    notes = Notes()
    blocks = [_of_split(split, asked, scores, run, notes) for split in _SPLITS]
    columns = [*(one.column for one in asked), count_column("Questions"), count_column("No forecast")]
    remarks = [
        "Mean squared distance of forecast and outcome, less is better; always saying one half gives 0.250. The mean "
        "over models gives each model the same weight.",
        "No forecast: calls of all conditions that were refused, filtered, truncated, unparsed or failed. They are "
        "left out, as in the paper; the table of bounds has them the worst way.",
    ]
    return table(
        "brier", "Brier score by model and condition", [panel(columns, blocks)], notes=notes, remarks=remarks
    )


def _of_split(
    split: str, asked: Sequence[Asked], scores: ForecastScores, run: AboutRun, notes: Notes
) -> RecallBlock | None:
    rows: list[RecallRow | None] = []
    for model in run.whose:
        row = our_row(run.title(model), asked, scores, notes, split=split, model=model)
        rows.append(row and _with_counts(row, scores, run, split, model))
    theirs = paper_row(asked, notes, split=split)
    rows.append(theirs and _padded(theirs))
    return block(_SPLITS[split], rows)


def _with_counts(row: RecallRow, scores: ForecastScores, run: AboutRun, split: str, model: str) -> RecallRow:
    found = [scores.row("brier", condition=name, split=split, model=model) for name in run.conditions]
    lost = sum(one.get(name) or 0 for one in found if one for name in LOST)
    most = max((one["n"] or 0 for one in found if one), default=None)
    return RecallRow(row.title, (*row.cells, said(most, "count"), said(lost, "count")), row.notes)


def _padded(row: RecallRow) -> RecallRow:
    return RecallRow(
        row.title, (*row.cells, said(None, "count"), said(None, "count")), row.notes, reference=True
    )


def gaps(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """The SI-TI gap by model and by domain, and the share of it that the instruction closes."""
    asked = [figure(f"Gap, {name}", "si_ti_gap", condition=name) for name in run.conditions]
    for name in run.told:
        asked.append(figure(f"Closed by {name} (%)", "gap_closed", 1, condition=name))
        asked.append(figure(f"Remains under {name} (%)", "gap_remaining", 1, condition=name))
    notes = Notes()
    by_model = [our_row(run.title(model), asked, scores, notes, model=model) for model in run.whose]
    blocks = [block("By model", [*by_model, paper_row(asked, notes)]), _by_domain(asked, scores, run, notes)]
    columns = [one.column for one in asked]
    own = _own_partition(scores, run, notes)
    remarks = [
        "Gap: the mean Brier score post-cutoff less that pre-cutoff (S, equation 1). Under an instruction it should be "
        "near 0 if the model could forget; without one it is what the model knows.",
        "Closed: (pre told − pre not told) / (post told − pre not told), in percent; empty where that is undefined.",
    ]
    return table(
        "gaps", "SI-TI gap and the share closed", [panel(columns, blocks), own], notes=notes, remarks=remarks
    )


def _by_domain(
    asked: Sequence[Asked], scores: ForecastScores, run: AboutRun, notes: Notes
) -> RecallBlock | None:
    rows: list[RecallRow | None] = []
    for domain in domains_of(scores, run):
        place = {"group_by": "domain", "group": domain}
        rows.append(
            our_row(DOMAINS.get(domain, one_line(domain)), asked, scores, notes, model=run.whole, **place)
        )
        rows.append(paper_row(asked, notes, **place))
    return block(f"By domain, {run.whole_title}", rows)


def domains_of(scores: ForecastScores, run: AboutRun) -> list[str]:
    """The domains of the scores, in the paper's order."""
    found = scores.distinct("group", panel="fixed", group_by="domain", model=run.whole)
    order = list(DOMAINS)
    return sorted(filter(None, found), key=lambda one: order.index(one) if one in order else len(order))


def _own_partition(scores: ForecastScores, run: AboutRun, notes: Notes) -> RecallPanel | None:
    asked = [figure(f"Gap, {name}", "si_ti_gap", condition=name, panel="own") for name in run.conditions]
    rows = [our_row(run.title(model), asked, scores, notes, model=model) for model in run.whose]
    title = "Each model by its own cutoff, not the earliest and latest of all"
    return panel([one.column for one in asked], [block("", rows)], title)


def effects(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """What the chain of thought and the instruction do to the Brier score (Figures 3 and 4A)."""
    notes = Notes()
    asked = [
        *(
            figure(f"Penalty, {name}, pre", "cutoff_penalty", condition=name, split="pre")
            for name in run.told
        ),
        *(
            figure(f"Reasoning, {name}, {split}", "cot_effect", condition=name, split=split)
            for name in run.reasoned
            for split in ("pre", "post")
        ),
    ]
    rows = [our_row(run.title(model), asked, scores, notes, model=model) for model in run.whose]
    groups = [
        our_row(title, asked, scores, notes, group_by="model_group", group=group)
        for group, title in GROUPS.items()
    ]
    remarks = [
        "Penalty: Brier score with the instruction less that without it, on pre-cutoff questions; above 0 it makes the "
        "model worse, as forgetting should. Reasoning: with a chain of thought less that without one.",
    ]
    columns = [one.column for one in asked]
    blocks = [block("By model", rows), block("By group", groups)]
    return table(
        "effects",
        "Effects of the instruction and of reasoning",
        [panel(columns, blocks)],
        notes=notes,
        remarks=remarks,
    )


def groups(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """The gap of reasoning-optimized and other models, and their difference (Figure 5)."""
    asked = [figure(name, "si_ti_gap", condition=name) for name in run.conditions]
    notes = Notes()
    rows: list[RecallRow | None] = []
    for group, title in {**GROUPS, "difference": "Difference"}.items():
        place = {"group_by": "model_group", "group": group}
        rows += [our_row(title, asked, scores, notes, **place), paper_row(asked, notes, **place)]
    columns = [one.column for one in asked]
    made = [panel(columns, [block("SI-TI gap", rows), *_levels(asked, scores, notes)])]
    remarks = ["Difference: reasoning-optimized less the others, on the same questions."]
    return table("groups", "Reasoning-optimized and other models", made, notes=notes, remarks=remarks)


def _levels(asked: Sequence[Asked], scores: ForecastScores, notes: Notes) -> Iterable[RecallBlock | None]:
    levels = [figure(one.column.title, "brier", BRIER, **one.place) for one in asked]
    for split, name in (("pre", "Brier score, pre-cutoff"), ("post", "Brier score, post-cutoff")):
        place = {"group_by": "model_group", "split": split}
        yield block(name, [our_row(t, levels, scores, notes, **place, group=g) for g, t in GROUPS.items()])


def bounds(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """What the failures could change: Brier scores and gaps with them all right, all wrong, or at one half."""
    notes, blocks = Notes(), []
    for name in run.told or run.conditions:
        asked = [
            figure(f"{split}, {title}", metric, condition=name, split=split)
            for split in ("pre", "post")
            for title, metric in (
                ("answered", "brier"),
                ("failures one half", "brier_all"),
                ("failures right", "brier_low"),
                ("failures wrong", "brier_high"),
            )
        ]
        asked += [
            figure("Gap, lowest", "si_ti_gap_low", condition=name),
            figure("Gap, highest", "si_ti_gap_high", condition=name),
        ]
        rows = [our_row(run.title(model), asked, scores, notes, model=model) for model in run.whose]
        blocks.append((asked, block(name, rows)))
    columns = [one.column for one in blocks[0][0]] if blocks else []
    made = panel(columns, [one for _, one in blocks])
    remarks = ["Gap, lowest and highest: the failures of either side the worst way for it."]
    return table("bounds", "Bounds by failures", [made], notes=notes, remarks=remarks)
