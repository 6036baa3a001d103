"""Tables 3 to 5 of Simulated Ignorance Fails of a run: natural experiment, human baseline, check of the audit."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from neuter.reports.ignorance.about_run import AboutRun
from neuter.reports.ignorance.score_lookup import ForecastScores
from neuter.reports.ignorance.table_building import (
    Notes,
    block,
    cell_of,
    count_column,
    figure,
    figure_column,
    our_row,
    panel,
    paper_row,
    said,
    table,
    text_column,
)
from neuter.reports.recall.table_values import RecallBlock, RecallCell, RecallRow, RecallTable
from neuter.reports.wording import one_line, plural
from neuter.suites.ignorance.published import paper_series, published_ignorance

if TYPE_CHECKING:
    import polars as pl

#: As many pairs of models are in the table; those with most questions between their cutoffs.
_PAIRS = 3
_DAYS_A_MONTH = 30.4375
_TABLE_3 = (
    text_column("Status"),
    figure_column("Brier, between"),
    text_column("Horizon (months)"),
    count_column("n"),
    figure_column("Brier, pre (both SI)"),
    figure_column("Brier, post (both TI)"),
)


def table_3(scores: ForecastScores, run: AboutRun, questions: pl.DataFrame | None) -> RecallTable | None:
    """The natural experiment: the same questions, after one model's cutoff and before the other's."""
    condition = next(
        (c for c in ("G2′", "G1′", "G2", "G1") if scores.having(panel="natural_experiment", condition=c)), ""
    )
    pairs = _pairs(scores, condition)
    notes = Notes()
    at = {"panel": "natural_experiment", "condition": condition}
    blocks = [_pair({**at, "series": series}, run, scores, questions, notes) for series in pairs[:_PAIRS]]
    remarks = [
        f"Under {condition}. The questions resolved between the two cutoffs: unknown to the first model (TI), known "
        "to the second (SI). The gap is the first model's Brier score less the second's, on the same questions.",
        "Horizon: from the model's own cutoff to the resolution, the shortest and the longest of these questions; "
        "where it is negative, the model's data end after the question was resolved.",
    ]
    if len(pairs) > _PAIRS:
        remarks.append(f"{plural(len(pairs) - _PAIRS, 'more pair')} of models in scores.csv.")
    made = [panel(_TABLE_3, blocks, whole=True)]
    return table("table-3", "Cross-model natural experiment", made, notes=notes, remarks=remarks)


def _pairs(scores: ForecastScores, condition: str) -> list[str]:
    """The pairs with questions between their cutoffs: the paper's own, then those with most questions."""
    place = {"panel": "natural_experiment", "condition": condition, "split": "between"}
    rows = [row for row in scores.having(**place, metric="brier_difference") if row["value"] is not None]
    most = sorted(rows, key=lambda row: (not paper_series(row["series"]), -(row["n"] or 0)))
    return list(dict.fromkeys(row["series"] for row in most))


def _pair(
    place: dict[str, str], run: AboutRun, scores: ForecastScores, questions: pl.DataFrame | None, notes: Notes
) -> RecallBlock | None:
    series = place["series"]
    first, _, second = series.partition(" and ")
    between = _between(questions, run.section_5_cutoffs.get(first), run.section_5_cutoffs.get(second))
    rows: list[RecallRow] = []
    for model, status in ((first, "TI"), (second, "SI")):
        cells = [_brier(scores, model, split, place) for split in ("between", "pre", "post")]
        horizon = _horizon(between, run.section_5_cutoffs.get(model))
        told = (said(status), cells[0], said(horizon), said(cells[0].n, "count"), *cells[1:])
        cutoff = run.section_5_cutoffs.get(model)
        rows.append(RecallRow(f"{run.title(model)} ({cutoff:%Y-%m})" if cutoff else run.title(model), told))
    rows.append(_gap(scores, place, notes))
    rows += _paper_pair(series, notes)
    return block("", rows)


def _brier(scores: ForecastScores, model: str, split: str, place: dict[str, str]) -> RecallCell:
    """The model's Brier score; the rows name the model as group, and may as model too."""
    for own in ("", model):
        found = scores.row("brier", **place, split=split, group_by="model", group=model, model=own)
        if found is not None:
            return cell_of(found)
    return RecallCell(unit="brier")


def _gap(scores: ForecastScores, place: dict[str, str], notes: Notes) -> RecallRow:
    found = [
        scores.row("brier_difference", **place, split=split, group_by="model", group="difference")
        for split in ("between", "pre", "post")
    ]
    cells = list(map(cell_of, found))
    told = dict.fromkeys(text for row in found if row for text in scores.caveats(row))
    shown = (said(None), cells[0], said(None), said(cells[0].n, "count"), *cells[1:])
    return RecallRow("Gap", shown, tuple(map(notes.add, told)))


def _between(questions: pl.DataFrame | None, first: date | None, second: date | None) -> list[date]:
    """When the questions between the two cutoffs were resolved."""
    if questions is None or first is None or second is None:
        return []
    days = questions["resolution_date"].drop_nulls().to_list()
    return [day for day in days if first <= day < second]


def _horizon(days: list[date], cutoff: date | None) -> str:
    if not days or cutoff is None:
        return ""
    low, high = (round((day - cutoff).days / _DAYS_A_MONTH) for day in (min(days), max(days)))
    span = f"{low}" if low == high else f"{low} to {high}"
    return span.replace("-", "−")


def _paper_pair(series: str, notes: Notes) -> Iterator[RecallRow]:
    """What the paper prints of its pair; for other pairs too, so that there is something to compare with."""
    paper = published_ignorance()
    pair = "GPT-5.1 and DeepSeek-V3.2-Exp"
    same = paper_series(series) == pair
    told = {"GPT-5.1": ("TI", "1 to 3"), "DeepSeek-V3.2-Exp": ("SI", "1 to 3"), "difference": ("", "")}
    for group, (status, horizon) in told.items():
        metric = "brier_difference" if group == "difference" else "brier"
        at = {"series": pair, "condition": "G2′", "group_by": "model", "group": group}
        found = [
            paper.figure("natural_experiment", metric, **at, split=split) for split in ("between", "post")
        ]
        between, post = (one.value if one else None for one in found)
        flags = tuple({notes.number(one) for one in found if one})
        title = "paper: gap" if group == "difference" else f"paper: {group}"
        other = () if same else (notes.add("Of another pair of models than ours."),)
        cells = (said(status), said(between), said(horizon), said(None, "count"), said(None), said(post))
        yield RecallRow(title, cells, (*flags, *other), reference=True)


_HUMAN = figure("Crowd", "brier", attacker="crowd")


def table_4(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """The human baseline: what a crowd said of the same questions, beside the models by condition."""
    notes = Notes()
    crowd = next(
        (c for c in ("", *run.conditions) if scores.having(panel="human", attacker="crowd", condition=c)), ""
    )
    rows: list[RecallRow | None] = []
    for split, title in (("pre", "Pre-cutoff"), ("post", "Post-cutoff"), ("all", "Δ")):
        metric = "si_ti_gap" if split == "all" else "brier"
        asked = [
            figure("Crowd", metric, attacker="crowd", condition=crowd, model=_crowd_model(scores, crowd)),
            *(figure(f"Models, {one}", metric, condition=one, model=run.whole) for one in run.conditions),
        ]
        rows.append(our_row(title, asked, scores, notes, panel="human", split=split))
        theirs = [
            figure("Crowd", metric, attacker="crowd", condition="", model=""),
            *(figure(one, metric, condition=one, model="") for one in run.conditions),
        ]
        rows.append(paper_row(theirs, notes, panel="human", split=split))
    columns = [
        figure_column("Crowd"),
        *(figure_column(f"Models, {one}") for one in run.conditions),
    ]
    whose = f"Models: {run.whole_title}, on the questions with a crowd's forecast."
    remarks = [
        whose,
        "The crowd's forecast is the mean of each question's first two weeks where there is a series of them, else the "
        "last before it was frozen. Without a difference in the crowd's column, post-cutoff questions are no harder.",
    ]
    return table(
        "table-4", "Human baseline", [panel(columns, [block("", rows)])], notes=notes, remarks=remarks
    )


def _crowd_model(scores: ForecastScores, condition: str) -> str:
    """Whose rows the crowd's are: they are nobody's, or repeated for each model."""
    models = scores.distinct("model", panel="human", attacker="crowd", condition=condition)
    return "" if "" in models or not models else models[0]


_CHECKED = (
    figure("κ, judge", "kappa", 2, attacker="judge"),
    figure("Agreement (%), judge", "agreement", 0, attacker="judge"),
    figure("κ, judge, weighted", "kappa_population", 2, attacker="judge"),
    figure("κ, rule", "kappa", 2, attacker="rule"),
    figure("Agreement (%), rule", "agreement", 0, attacker="rule"),
)


def table_5(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """The audit held against people's labels."""
    notes, blocks = Notes(), []
    for condition in ("", *run.reasoned):
        rows: list[RecallRow | None] = []
        for series, title in (
            ("logic_consistency", "Logic consistency"),
            ("cutoff_compliance", "Cutoff compliance"),
        ):
            place = {"panel": "audit_validation", "series": series, "condition": condition}
            row = our_row(title, _CHECKED, scores, notes, **place)
            own = [_with_n(row), *_labellers(scores, notes, place)]
            if any(own) and not condition:
                own.append(_paper_check(notes, **place))
            rows += own
        blocks.append(block(condition, rows))
    columns = [*(one.column for one in _CHECKED), count_column("n")]
    remarks = [
        "Labels by people who saw neither model, condition nor verdict; the paper has 36. Weighted: each trace "
        "counts for all of its stratum, since the sample is stratified. Between: two labellers with each other."
    ]
    return table(
        "table-5", "Validation of the trace audit", [panel(columns, blocks)], notes=notes, remarks=remarks
    )


def _labellers(scores: ForecastScores, notes: Notes, place: dict[str, str]) -> Iterator[RecallRow | None]:
    """How far each two labellers agree with each other: the judge can do no better than they."""
    for pair in scores.distinct("group", **place, group_by="labellers"):
        asked = [figure(one.column.title, one.metric, 2, attacker="people") for one in _CHECKED[:3]]
        row = our_row(
            f"between {one_line(pair)}", asked, scores, notes, **place, group_by="labellers", group=pair
        )
        if row is not None:
            blank = (said(None),) * (len(_CHECKED) - len(row.cells))
            yield _with_n(RecallRow(row.title, (*row.cells, *blank), row.notes))


def _with_n(row: RecallRow | None) -> RecallRow | None:
    if row is None:
        return None
    counts = [cell.n for cell in row.cells if cell.n is not None]
    return RecallRow(row.title, (*row.cells, said(max(counts, default=None), "count")), row.notes)


def _paper_check(notes: Notes, **place: str) -> RecallRow | None:
    row = paper_row(_CHECKED, notes, "paper", **place)
    return (
        None
        if row is None
        else RecallRow(row.title, (*row.cells, said(36, "count")), row.notes, reference=True)
    )
