"""An ignorance run as one HTML file that needs no network: the verdict first, then tables, figures, what is beyond."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from neuter.reports.ignorance.about_run import about
from neuter.reports.ignorance.figures import page_figures, write_figures
from neuter.reports.ignorance.score_lookup import ForecastScores
from neuter.reports.ignorance.summary import findings, opening_sentence
from neuter.reports.ignorance.tables import ignorance_tables, lacking
from neuter.reports.ignorance.troubled import troubled_answers
from neuter.reports.ignorance.verdict import verdict_lines
from neuter.reports.recall.report import methods_of, page_html, status_of
from neuter.reports.run_files import read_manifest, read_scores
from neuter.reports.wording import one_line
from neuter.suites.ignorance.published import published_ignorance
from neuter.whole_files import write_whole


def write_ignorance_report(folder: str | Path) -> Path:
    """Make report.html, figures/ and tables/ of a run from its own files; returns the report's path.

    Raises:
        RunError: the run is damaged, or something cannot be written.
    """
    from neuter.reports.recall.latex import write_latex

    place = Path(folder)
    run, scores = read_manifest(place), read_scores(place)
    write_figures(place, run, scores)
    write_latex(ignorance_tables(place, run, scores), place / "tables")
    path = place / "report.html"
    write_html(place, path)
    return path


def write_html(folder: Path, path: Path) -> None:
    """Write the report of the run in ``folder`` to ``path``, whole or not at all.

    Raises:
        RunError: the run is damaged, or the file cannot be written.
    """
    write_whole(path, to_html(folder))


def to_html(folder: Path) -> str:
    """The report as a page: its style inside, no script, no address of any other file in it."""
    run, scores = read_manifest(folder), read_scores(folder)
    tables = ignorance_tables(folder, run, scores)
    paper = [table for table in tables if not table.beyond]
    return page_html(
        folder,
        run,
        tables,
        summary=_summary(run, ForecastScores(scores)),
        has_published=any(row.reference for one in paper for p in one.panels for row in p.rows),
        figures=page_figures(folder, run, scores),
        troubled=troubled_answers(folder),
        notes=[*lacking(tables), *_about_paper()],
        data=[],
        methods=[*methods_of(run), *_set_aside(run)],
    )


def _summary(run: dict[str, Any], scores: ForecastScores) -> dict[str, Any]:
    its = about(run, scores)
    return {
        "verdict": verdict_lines(run, whole=True),
        "opening": opening_sentence(run, its, scores),
        "findings": findings(run, its, scores),
        **status_of(run),
    }


def _about_paper() -> list[str]:
    paper = published_ignorance()
    return [f"Published figures are those of {paper.paper}.", *paper.notes]


def _set_aside(run: dict[str, Any]) -> list[tuple[str, str]]:
    """Questions that were set aside, by reason."""
    counts = run.get("set_aside") or {}
    if not isinstance(counts, dict) or not any(counts.values()):
        return []
    told = (f"{count} {one_line(str(reason))}" for reason, count in counts.items() if count)
    return [("Questions set aside", ", ".join(told))]
