"""A recall run as one HTML file that needs no network: words first, then tables, figures, and answers not used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.reports.money import spent_rows
from neuter.reports.page_parts import asset, environment, policy
from neuter.reports.recall.answers import read_estimates, troubled_answers
from neuter.reports.recall.layouts import Column
from neuter.reports.recall.score_index import ScoreIndex
from neuter.reports.recall.summary import findings, opening_sentence
from neuter.reports.recall.table_values import (
    RecallCell,
    RecallTable,
    interval_text,
    published_text,
    value_text,
)
from neuter.reports.recall.tables import recall_tables
from neuter.reports.run_files import read_manifest, read_scores
from neuter.reports.summary import STATUS
from neuter.reports.tables import not_run_of
from neuter.reports.wording import one_line
from neuter.whole_files import write_whole

if TYPE_CHECKING:
    from jinja2 import Environment


def write_recall_report(folder: str | Path) -> Path:
    """Make report.html, figures/ and tables/ of a recall run from its own files; returns the report's path.

    Raises:
        RunError: the run is damaged, or something cannot be written.
    """
    from neuter.reports.recall.figures import write_figures
    from neuter.reports.recall.latex import write_latex

    place = Path(folder)
    run, scores = read_manifest(place), read_scores(place)
    write_figures(read_estimates(place), run, place / "figures")
    write_latex(recall_tables(scores, run), place / "tables")
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
    from neuter.reports.recall.figures import page_figures

    run, scores = read_manifest(folder), read_scores(folder)
    tables = recall_tables(scores, run)
    return page_html(
        folder,
        run,
        tables,
        summary=_summary(ScoreIndex(scores), run),
        has_published=any(table.published for table in tables if not table.beyond),
        figures=page_figures(read_estimates(folder), run),
        troubled=troubled_answers(folder),
        data=_data(run),
        methods=methods_of(run),
    )


def page_html(
    folder: Path,
    run: Mapping[str, Any],
    tables: Sequence[RecallTable],
    *,
    notes: Iterable[str] = (),
    troubled: tuple[Sequence[Any], int],
    **parts: Any,
) -> str:
    """The page of a run of questions: ``notes`` stand behind the run's own, ``parts`` go to the template as they are.

    ``troubled`` are the answers not used that are shown, and how many there are.
    """
    style = f"{asset('report.css')}\n{asset('recall.css')}"
    shown, total = troubled
    return (
        page_environment()
        .get_template("recall.html.j2")
        .render(
            title=one_line(str(run.get("name") or folder.name)),
            style=style,
            policy=policy(style, ""),
            paper=[table for table in tables if not table.beyond],
            beyond=[table for table in tables if table.beyond],
            asked=bool(run.get("models")),
            troubled=shown,
            troubled_total=total,
            notes=[one_line(str(note)) for note in (*(run.get("notes") or ()), *notes)],
            not_run=[not_run_of(raw) for raw in run.get("not_run") or ()],
            **parts,
        )
    )


def tables_html(tables: Sequence[RecallTable], not_run: Iterable[Mapping[str, Any]] = ()) -> str:
    """The tables alone, for a notebook's cell."""
    template = page_environment().get_template("recall_tables.html.j2")
    return template.render(tables=tables, anchors=False, left_out=[not_run_of(raw) for raw in not_run])


def page_environment() -> Environment:
    """The templates, with the filters that show the cells of a table."""
    made = environment()
    made.filters |= {"ours": _ours, "theirs": published_text, "interval": interval_text}
    return made


def _ours(cell: RecallCell, column: Column) -> str:
    empty = "–" if column.kind in ("figure", "month") else ""
    return value_text(cell.value, column, cell.unit) or empty


def _summary(index: ScoreIndex, run: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "opening": opening_sentence(run),
        "verdict": [],
        "findings": findings(index, run),
        **status_of(run),
    }


def status_of(run: Mapping[str, Any]) -> dict[str, Any]:
    """What to say of a run's status, and whether that is to be seen."""
    status = str(run.get("status") or "")
    told = STATUS.get(status, f"The run's status is “{one_line(status)}”." if status else "")
    return {"status": told, "alarming": status not in ("done", "")}


def _data(run: Mapping[str, Any]) -> list[dict[str, str]]:
    """The series that truths and baselines are of, each with where it is from."""
    raw = run.get("data") or {}
    known = (
        [(name, one) for name, one in raw.items() if isinstance(one, Mapping)]
        if isinstance(raw, Mapping)
        else []
    )
    return [
        {
            "name": one_line(str(name)),
            **{key: one_line(str(one.get(key) or "")) for key in ("source", "hash")},
        }
        for name, one in known
    ]


def methods_of(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Labels and values that say how to make the run again."""
    sources = run.get("cutoff_sources") or {}
    config = {
        key: value
        for key, value in (run.get("config") or {}).items()
        if value not in (None, "", [], {}, False)
    }
    facts = [
        ("Command", run.get("command")),
        ("Suite", run.get("suite")),
        ("Models", ", ".join(str(model) for model in run.get("models") or ())),
        *(
            (f"Cutoff of {model}", f"{day} ({sources[model]})" if sources.get(model) else day)
            for model, day in (run.get("cutoffs") or {}).items()
        ),
        (
            "Options",
            "; ".join(f"{key} = {_option(value)}" for key, value in config.items() if key not in _TOLD),
        ),
        ("Questions hash", config.get("questions")),
        ("Sources hash", config.get("sources")),
        ("Seed", run.get("seed")),
        ("Configuration hash", run.get("config_hash")),
        *((f"Asked of {model}", text) for model, text in spent_rows(run)),
        ("Outcomes", ", ".join(f"{count} {name}" for name, count in (run.get("outcomes") or {}).items())),
        ("neuter", run.get("neuter")),
        ("Versions", ", ".join(f"{name} {version}" for name, version in (run.get("versions") or {}).items())),
    ]
    return [(one_line(str(label)), one_line(str(value))) for label, value in facts if value not in (None, "")]


#: Parts of the configuration that have lines of their own.
_TOLD = frozenset({"neuter", "suite", "models", "cutoffs", "questions", "sources", "seed"})


def _option(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
