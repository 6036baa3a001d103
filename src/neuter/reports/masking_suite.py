"""What ``neuter.benchmark("masking")`` returns: an evaluation that shows itself as Table 7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from neuter.errors import UsageError
from neuter.reports.evaluation import Evaluation, ScoreView
from neuter.reports.wording import MAIN_METRICS, READINGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from neuter.reports.table_7 import Table7

_PANELS = (None, "A", "B")


class MaskingBenchmark(Evaluation):
    """The result of the suite ``masking``, read from its run folder when it is asked for.

    ``table()`` is Table 7; with ``by`` it is the table of an evaluation, over all documents.
    """

    @property
    def reading(self) -> str:
        """The reading of year and quarter that the run was asked for."""
        asked = str(self.run.get("reading") or "fiscal")
        return asked if asked in {*READINGS, "all"} else "fiscal"

    def tables(self, reading: str | None = None, panel: str | None = None) -> list[Table7]:
        """Table 7 for each scheme and model, as values.

        Raises:
            UsageError: no such reading or panel.
        """
        from neuter.reports.table_7 import tables_of

        chosen = reading or self.reading
        if chosen not in {*READINGS, "all"}:
            raise UsageError(f"there is no reading {chosen!r}", todo=f"Known: {', '.join(READINGS)}, all")
        if panel not in _PANELS:
            raise UsageError(f"there is no panel {panel!r}", todo="Table 7 has the panels A and B")
        return tables_of(self.scores, self.run, reading=chosen, panel=panel)

    def table(
        self,
        by: str | None = None,
        metrics: Sequence[str] = MAIN_METRICS,
        *,
        reading: str | None = None,
        panel: str | None = None,
    ) -> ScoreView:
        """Table 7 with the published figures; with ``by`` a row for each group of it, as of an evaluation."""
        if by is not None:
            return super().table(by, metrics)
        return Table7Shown(self, self.tables(reading, panel))

    def plot(self, metric: str = "firm_accuracy", by: str = "size") -> Figure:
        """``metric`` by scheme and group, with intervals and published marks; ``by`` firm is Panel A."""
        from neuter.reports.figures import accuracy_figure

        panel = "A" if by == "firm" and "A" in (self.run.get("panels") or {}) else None
        return accuracy_figure(self.scores, metric=metric, by=by, panel=panel)

    def to_latex(self) -> dict[str, str]:
        """Table 7 with the published columns beside, for each scheme and model, by file name."""
        from neuter.reports.table_7_latex import latex_of

        return latex_of(self.tables("all"))

    def __repr__(self) -> str:
        return super().__repr__().replace("Evaluation(", "MaskingBenchmark(", 1)


class Table7Shown(ScoreView):
    """Table 7 that prints itself: in a REPL, with rich, and in a notebook."""

    def __init__(self, benchmark: MaskingBenchmark, tables: Sequence[Table7]) -> None:
        super().__init__(benchmark, "size", ())
        self._tables = tables

    def __rich__(self) -> Table:
        from neuter.reports.table_7_terminal import Table7View

        return Table7View(self._tables, self._evaluation.not_run)  # type: ignore[return-value]

    def _repr_html_(self) -> str:
        from neuter.reports.html import table_7_html

        return table_7_html(self._tables, self._evaluation.not_run)
