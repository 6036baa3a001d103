"""What people read: terminal tables, one-file HTML reports, figures and LaTeX tables of a run. Loaded when used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.reports.evaluation import Evaluation as Evaluation
    from neuter.reports.evaluation import open_run as open_run
    from neuter.reports.figures import accuracy_figure as accuracy_figure
    from neuter.reports.figures import write_figures as write_figures
    from neuter.reports.html import write_html as write_html
    from neuter.reports.html import write_report as write_report
    from neuter.reports.latex import to_latex as to_latex
    from neuter.reports.latex import write_latex as write_latex
    from neuter.reports.run_view import RunView as RunView
    from neuter.reports.run_view import load_run as load_run
    from neuter.reports.tables import score_table as score_table
    from neuter.reports.tables import to_markdown as to_markdown

_HOME = {
    "Evaluation": "evaluation",
    "open_run": "evaluation",
    "accuracy_figure": "figures",
    "write_figures": "figures",
    "write_html": "html",
    "write_report": "html",
    "to_latex": "latex",
    "write_latex": "latex",
    "RunView": "run_view",
    "load_run": "run_view",
    "score_table": "tables",
    "to_markdown": "tables",
}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
