"""What people read of a recall run: the tables of the paper with its figures beside, and its figures drawn anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.reports.recall.benchmark import RecallBenchmark as RecallBenchmark
    from neuter.reports.recall.figures import recall_figure as recall_figure
    from neuter.reports.recall.report import write_recall_report as write_recall_report
    from neuter.reports.recall.table_values import RecallTable as RecallTable
    from neuter.reports.recall.tables import recall_tables as recall_tables

_HOME = {
    "RecallBenchmark": "benchmark",
    "RecallTable": "table_values",
    "recall_figure": "figures",
    "recall_tables": "tables",
    "write_recall_report": "report",
}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
