"""A run as one HTML file that needs no network: words first, then scores, a chart, and documents side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.reports.page_parts import asset, environment, policy
from neuter.reports.payload import documents_payload, script_json
from neuter.reports.run_files import read_manifest
from neuter.reports.run_record import caveats, comparisons, failures, methods
from neuter.reports.run_view import Originals, RunView, load_run
from neuter.reports.score_blocks import Block, blocks_of, metrics_in
from neuter.reports.summary import closing_sentence, findings, opening_sentence, status_sentence
from neuter.reports.table_notes import caveat_lines
from neuter.reports.tables import caption, not_run_of
from neuter.reports.wording import (
    BASELINE_NOTE,
    MAIN_METRICS,
    SMALL_MODEL_NOTE,
    UNITS,
    is_small_model,
    measure,
    one_line,
    plural,
)
from neuter.suites.ignorance.names import is_ignorance
from neuter.suites.recall.names import is_recall
from neuter.whole_files import write_whole

if TYPE_CHECKING:
    import polars as pl

    from neuter.reports.table_7 import Table7

#: Groupings whose rows the score table offers beside All, with the words of its menu.
_GROUPINGS = {"size": "by size", "firm": "by firm", "sector": "by sector", "year": "by year"}


def write_report(folder: Path, originals: Originals | None = None) -> Path:
    """Make report.html, figures/ and tables/ of the run in ``folder`` from its own files.

    Args:
        folder: a run folder.
        originals: texts by id, for the documents side by side; a scheme ``none`` in the run gives them too.

    Returns the path of the report.

    Raises:
        RunError: the run is damaged, or something cannot be written.
    """
    from neuter.reports.figures import write_figures
    from neuter.reports.latex import write_latex

    folder = Path(folder)
    record = read_manifest(folder)
    if is_recall(record):
        from neuter.reports.recall.report import write_recall_report

        return write_recall_report(folder)
    if is_ignorance(record):
        from neuter.reports.ignorance.report import write_ignorance_report

        return write_ignorance_report(folder)
    view = load_run(folder, originals)
    write_figures(view.scores, folder / "figures")
    write_latex(view.scores, folder / "tables", view.run)
    path = folder / "report.html"
    write_html(view, path)
    return path


def write_html(view: RunView, path: Path) -> None:
    """Write the report of ``view`` to ``path``, whole or not at all. Raises RunError where that cannot be."""
    write_whole(Path(path), to_html(view))


def to_html(view: RunView) -> str:
    """The report of ``view`` as a page: its style and script inside, no address of any other file in it.

    A content security policy lets only the page's own script run, by its hash. Everything that comes from a
    text, a name or an answer is escaped by the template, or is data that the script shows as text.
    """
    style, script = asset("report.css"), asset("report.js")
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            title=one_line(str(view.run.get("name") or view.folder.name)),
            style=style,
            script=script,
            policy=policy(style, script),
            data=script_json(documents_payload(view.documents)),
            run=view.run,
            summary=_summary(view),
            table=_score_rows(view.scores),
            paper_tables=_paper_tables(view),
            caveats=caveats(view.run),
            charts=_charts(view.scores),
            measures=_measures(view.scores),
            comparisons=comparisons(view.run),
            shown=_shown(view),
            schemes=_schemes(view),
            attackers=_attackers(view),
            notes=[one_line(note) for note in view.notes],
            not_run=[not_run_of(raw) for raw in view.run.get("not_run") or ()],
            failures=failures(view.run),
            methods=methods(view.run),
            baseline_note=BASELINE_NOTE,
            small_model_note=SMALL_MODEL_NOTE if _has_small_model(view.scores) else "",
        )
    )


def table_html(
    scores: pl.DataFrame,
    *,
    by: str,
    metrics: Sequence[str],
    not_run: Iterable[Mapping[str, Any]] = (),
    caveats: Iterable[Mapping[str, Any]] = (),
) -> str:
    """The score table alone, for a notebook's cell."""
    blocks = blocks_of(scores, by)
    return (
        environment()
        .get_template("table.html.j2")
        .render(
            metrics=[measure(metric) for metric in metrics],
            rows=[row for block in blocks for row in _block_rows(block, metrics, by, with_all=True)],
            not_run=[not_run_of(raw) for raw in not_run],
            caption=" ".join([caption(blocks), *caveat_lines(list(caveats), blocks, metrics)]),
        )
    )


def table_7_html(tables: Sequence[Table7], not_run: Iterable[Mapping[str, Any]] = ()) -> str:
    """Table 7 alone, for a notebook's cell."""
    template = environment().get_template("table_7.html.j2")
    return template.render(tables=tables, left_out=[not_run_of(raw) for raw in not_run])


def _paper_tables(view: RunView) -> list[Table7]:
    """Table 7 of a run of the suite ``masking``; nothing of another run."""
    if view.run.get("suite") != "masking":
        return []
    from neuter.reports.table_7 import tables_of

    reading = str(view.run.get("reading") or "fiscal")
    asked = [*tables_of(view.scores, view.run, reading=reading)]
    # The other readings are always in the report.
    return asked if reading == "all" else [*asked, *tables_of(view.scores, view.run, reading="all")[1::2]]


def _summary(view: RunView) -> dict[str, Any]:
    found = findings(view.scores)
    return {
        "opening": opening_sentence(view.run),
        "status": status_sentence(view),
        "alarming": view.run.get("status") not in ("done", None),
        "findings": found,
        "closing": closing_sentence(found),
    }


def _score_rows(scores: pl.DataFrame) -> dict[str, Any]:
    """The rows of the score table: All once, then the groups of every grouping that the scores hold."""
    present = set(scores["group_by"])
    groupings = {by: words for by, words in _GROUPINGS.items() if by in present}
    blocks = {by: blocks_of(scores, by) for by in groupings or {"all": ""}}
    known = [metric for metric in metrics_in(next(iter(blocks.values()), [])) if metric in MAIN_METRICS]
    metrics = sorted(known, key=MAIN_METRICS.index)
    rows: list[dict[str, Any]] = []
    for place, (by, found) in enumerate(blocks.items()):
        for block in found:
            rows += _block_rows(block, metrics, by, with_all=place == 0)
    return {
        "metrics": [measure(metric) for metric in metrics],
        "groupings": groupings,
        "rows": rows,
        "schemes": list(dict.fromkeys(row["scheme"] for row in rows)),
        "attackers": list(dict.fromkeys(row["attacker"] for row in rows)),
    }


def _block_rows(block: Block, metrics: Sequence[str], by: str, *, with_all: bool) -> Iterable[dict[str, Any]]:
    for row in block.rows:
        if row.group_by == "all" and not with_all:
            continue
        yield {
            "scheme": one_line(block.series.scheme),
            "attacker": block.series.attacker_title,
            "who": one_line(block.series.attacker),
            "model": block.series.model_title,
            "small": is_small_model(block.series.model),
            "by": "all" if row.group_by == "all" else by,
            "group": row.title,
            "n": row.n,
            "lost": ", ".join(f"{count:,} {name}" for name, count in row.lost.items()),
            "span": row.span("firm_accuracy"),
            "cells": [row.cells.get(metric) for metric in metrics],
        }


def _charts(scores: pl.DataFrame) -> list[dict[str, Any]]:
    from neuter.reports.figures import drawable, groupings_drawn, inline_svg

    drawn = [(metric, by, panel) for metric in drawable(scores) for by, panel in groupings_drawn(scores)]
    return [
        {
            "title": measure(metric).title + (" by firm" if by == "firm" else ""),
            "svg": inline_svg(scores, metric, f"chart{place}", by=by, panel=panel),
        }
        for place, (metric, by, panel) in enumerate(drawn)
    ]


def _measures(scores: pl.DataFrame) -> list[dict[str, Any]]:
    """Every metric over all documents, for those who want more than the main table."""
    blocks = blocks_of(scores, "all")
    return [
        {
            "series": block.series,
            "measure": measure(metric),
            "unit": UNITS.get(cell.unit, cell.unit),
            "cell": cell,
        }
        for metric in metrics_in(blocks)
        for block in blocks
        if block.whole and (cell := block.whole.cells.get(metric)) and cell.value is not None
    ]


def _shown(view: RunView) -> str:
    if len(view.documents) == view.total:
        return f"All {plural(view.total, 'document')} of the run are here."
    return (
        f"{len(view.documents):,} of {plural(view.total, 'document')} are here: a seeded choice, "
        "each size with its share."
    )


def _schemes(view: RunView) -> list[str]:
    return list(
        dict.fromkeys(one_line(mask.scheme) for document in view.documents for mask in document.masked)
    )


def _attackers(view: RunView) -> list[str]:
    guesses = (guess for document in view.documents for mask in document.masked for guess in mask.guesses)
    return list(
        dict.fromkeys(one_line(f"{g.attacker} ({g.model})" if g.model else g.attacker) for g in guesses)
    )


def _has_small_model(scores: pl.DataFrame) -> bool:
    return any(is_small_model(model) for model in scores["model"].unique().to_list())
