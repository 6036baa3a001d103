"""What people read of an ignorance run: a verdict in words, Tables 1 to 6, Figures 1 to 6, and what is beyond."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.reports.ignorance.benchmark import IgnoranceBenchmark as IgnoranceBenchmark
    from neuter.reports.ignorance.figures import ignorance_figure as ignorance_figure
    from neuter.reports.ignorance.report import write_ignorance_report as write_ignorance_report
    from neuter.reports.ignorance.tables import ignorance_tables as ignorance_tables

_HOME = {
    "IgnoranceBenchmark": "benchmark",
    "ignorance_figure": "figures",
    "ignorance_tables": "tables",
    "write_ignorance_report": "report",
}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
