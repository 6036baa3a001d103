"""Tables beyond the paper of how good the forecasts are: decomposition, skill, difficulty, breaks, horizon, tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from neuter.reports.ignorance.about_run import AboutRun
from neuter.reports.ignorance.score_lookup import ForecastScores
from neuter.reports.ignorance.table_building import (
    BRIER,
    Notes,
    block,
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
from neuter.reports.ignorance.verdict import SaidVerdict, verdicts_of
from neuter.reports.recall.table_values import RecallCell, RecallRow, RecallTable
from neuter.reports.wording import one_line, plural
from neuter.suites.ignorance.published import paper_model

if TYPE_CHECKING:
    import polars as pl

_QUALITY = (
    figure("Brier", "brier"),
    figure("Reliability", "reliability"),
    figure("Resolution", "resolution"),
    figure("Uncertainty", "uncertainty"),
    figure("Log score", "log_score"),
)
_SKILL = {"uninformed": "one half", "base_rate": "base rate", "crowd": "crowd"}
#: As many tests are shown; the rest are in tests.parquet.
_TESTS = 60


def decomposition(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """The Brier score in its three parts, the log score, and the skill against what knows nothing."""
    notes = Notes()
    asked = [*_QUALITY, *(figure(f"Skill, {t}", "brier_skill", 2, series=s) for s, t in _SKILL.items())]
    blocks = [
        block(
            f"{condition}, {split}",
            [
                our_row(run.title(model), asked, scores, notes, condition=condition, split=split, model=model)
                for model in run.whose
            ],
        )
        for condition in run.conditions
        for split in ("pre", "post")
    ]
    remarks = [
        "Brier score = reliability − resolution + uncertainty (docs/ignorance-scores.md). Skill is 1 − Brier score / "
        "Brier score of the reference, on the same questions; 0 is no better than it.",
    ]
    columns = [one.column for one in asked]
    return table(
        "decomposition", "Quality of the forecasts", [panel(columns, blocks)], notes=notes, remarks=remarks
    )


def difficulty(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """The gap less what difficulty explains: by crowd, by base rate, and by fixed effects of question and model."""
    notes = Notes()
    asked = [
        figure("Gap", "si_ti_gap"),
        figure("Gap less the crowd's", "si_ti_gap_adjusted", series="crowd"),
        figure("Gap less the base rate's", "si_ti_gap_adjusted", series="base_rate"),
        figure("Gap less either's", "si_ti_gap_adjusted", series="crowd_or_base_rate"),
    ]
    blocks = [
        block(name, [our_row(run.title(m), asked, scores, notes, condition=name, model=m) for m in run.whose])
        for name in run.conditions
    ]
    effect = [figure(name, "si_effect", condition=name, panel="fixed_effects") for name in run.conditions]
    models = [
        our_row(run.title(model) if model else "All models", effect, scores, notes, model=model)
        for model in ("", *run.models)
    ]
    both = panel(
        [one.column for one in effect],
        [block("", models)],
        "Two-way fixed effects: Brier score after a model's own cutoff, less before, within questions and models",
    )
    remarks = [
        "A reference's gap is what questions post-cutoff are harder by, as it finds them; it knows no outcome."
    ]
    return table(
        "difficulty",
        "Is it difficulty?",
        [panel([one.column for one in asked], blocks), both],
        notes=notes,
        remarks=remarks,
    )


def discontinuity(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """The jump at each model's own cutoff, beside the placebo dates (Figure 6)."""
    asked = [
        figure("Jump", "jump", panel="discontinuity"),
        figure("Bandwidth (days)", "bandwidth", 0, panel="discontinuity"),
        figure("Break off by (days)", "break_date_error", 0, panel="discontinuity"),
        figure("Placebo jumps as large (%)", "placebo_p", 1, panel="discontinuity"),
    ]
    notes, blocks = Notes(), []
    for condition in run.conditions:
        rows: list[RecallRow | None] = []
        for model in run.whose:
            known = paper_model(model)
            rows.append(our_row(run.title(model), asked, scores, notes, condition=condition, model=model))
            if known:
                place = {"panel": "discontinuity", "condition": condition, "model": known.label}
                bare = [figure(one.column.title, one.metric) for one in asked]
                rows.append(paper_row(bare, notes, f"paper: {known.label}", **place))
        blocks.append(block(condition, rows))
    remarks = [
        "Jump: local linear regression of the Brier score on the resolution date at the model's cutoff. A break of the "
        "calendar, not of the model, would show at other dates as well: the placebos.",
    ]
    columns = [one.column for one in asked]
    return table(
        "discontinuity", "Break at the own cutoff", [panel(columns, blocks)], notes=notes, remarks=remarks
    )


def horizon(scores: ForecastScores, run: AboutRun) -> RecallTable | None:
    """Brier scores by the time from the cutoff to the resolution, and their slope."""
    notes = Notes()
    blocks = []
    for series, title in (
        ("own_cutoff", "From the own cutoff"),
        ("simulated_cutoff", "From the simulated cutoff"),
    ):
        place = {"panel": "horizon", "series": series, "model": run.whole}
        bins = scores.distinct("group", **place, group_by="horizon")
        asked = [
            figure(f"{name}, {split}", "brier", condition=name, split=split)
            for name in run.told or run.conditions
            for split in ("pre", "post")
        ]
        rows = [
            our_row(f"{one_line(days)} days", asked, scores, notes, **place, group_by="horizon", group=days)
            for days in bins
        ]
        slopes = [figure(one.column.title, "horizon_slope", BRIER, **one.place) for one in asked]
        rows.append(our_row("Slope a year", slopes, scores, notes, **place))
        blocks.append((asked, block(title, rows)))
    columns = [one.column for one in blocks[0][0]]
    remarks = [f"{run.whole_title[:1].upper()}{run.whole_title[1:]}. Slope: Brier points a year of horizon."]
    return table(
        "horizon", "Horizon", [panel(columns, [one for _, one in blocks])], notes=notes, remarks=remarks
    )


_TEST_COLUMNS = (
    text_column("Condition"),
    text_column("Split"),
    text_column("Measure"),
    figure_column("Difference"),
    figure_column("p", 4),
    figure_column("p (Holm)", 4),
    figure_column("Smallest seen"),
    count_column("n"),
)


def tests(frame: pl.DataFrame | None, run: AboutRun) -> RecallTable | None:
    """Paired tests with Holm's correction and the smallest difference that could have been seen."""
    if frame is None or not frame.height:
        return None
    order = [row for row in frame.iter_rows(named=True) if row.get("panel") in ("fixed", "", None)]
    shown = (order or list(frame.iter_rows(named=True)))[:_TESTS]
    blocks = [
        block(
            comparison, [_test(row, run) for row in shown if one_line(str(row["comparison"])) == comparison]
        )
        for comparison in dict.fromkeys(one_line(str(row["comparison"])) for row in shown)
    ]
    more = frame.height - len(shown)
    remarks = [
        "The second less the first (of a gap: after less before), paired by question; p by sign flips of whole "
        "clusters, corrected by Holm within a family. Smallest seen: the difference that would have been found four "
        "times in five.",
        f"{plural(more, 'more test')} in tests.parquet." if more else "",
    ]
    return table("tests", "Paired tests", [panel(_TEST_COLUMNS, blocks)], remarks=remarks)


def _test(row: Mapping[str, Any], run: AboutRun) -> RecallRow:
    told = [one_line(str(row.get(name) or "")) for name in ("condition", "split", "metric")]
    difference = RecallCell(
        value=row.get("difference"), low=row.get("ci_low"), high=row.get("ci_high"), unit="brier"
    )
    rest = (said(row.get(name)) for name in ("p", "p_holm", "smallest"))
    cells = (*map(said, told), difference, *rest, said(row.get("n"), "count"))
    model = str(row.get("model") or "")
    return RecallRow(run.title(model) if model else "All models", cells)


_VERDICTS = (
    figure_column("Gap"),
    count_column("Pre"),
    count_column("Post"),
    figure_column("Smallest seen"),
    count_column("Questions needed"),
    text_column("Verdict", long=True),
)


def verdicts(run: Mapping[str, Any], whose: AboutRun) -> RecallTable | None:
    """The verdict of each model and condition: the gap that it is about, how much was seen, and the words."""
    rows = [
        RecallRow(f"{whose.title(one.model)}, {one.condition}", tuple(_verdict(one)))
        for one in verdicts_of(run)
    ]
    remarks = [
        "Gap: less that of the crowd or the base rate where most questions have one, as the words say. Smallest seen: "
        "the gap that would have been found in 80 of 100 such samples; questions needed: to find one of the margin's "
        "size so often, before and after the cutoff together.",
    ]
    made = [panel(_VERDICTS, [block("", rows)])]
    return table("verdicts", "Can SI stand for TI?", made, remarks=remarks)


def _verdict(one: SaidVerdict) -> Iterator[RecallCell]:
    known = one.figures
    yield RecallCell(value=known.get("gap"), low=known.get("low"), high=known.get("high"), unit="brier")
    yield from (said(known.get(name), "count") for name in ("pre", "post"))
    yield said(known.get("smallest"))
    yield said(known.get("needed"), "count")
    yield said(one.words)
