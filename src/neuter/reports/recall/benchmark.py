"""What ``neuter.benchmark("macro")`` and its like return: a run that shows itself as the paper's tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from neuter.errors import UsageError
from neuter.reports.evaluation import Evaluation, ScoreView
from neuter.reports.recall.table_values import RecallTable
from neuter.reports.wording import one_line, plural

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure
    from rich.table import Table


class RecallBenchmark(Evaluation):
    """The result of a recall suite, read from its run folder when it is asked for.

    ``table()`` is the paper's table with the published figures, and those beyond the paper; ``plot("1")`` a figure.
    """

    def tables(self, name: str | None = None) -> list[RecallTable]:
        """The tables as values, for each model.

        Args:
            name: ``table-1`` (or ``1``) to ``table-6``, ``table-a1``, ``baselines``, ``which-reading``,
                ``exact-recall``, ``effective-cutoff``, ``outcomes``; or ``paper``, ``beyond`` for all
                of that kind; None for all.

        Raises:
            UsageError: the run has no such table.
        """
        every = self._tables
        if name is None:
            return every
        wanted = name.lower().removeprefix("table-").removeprefix("table ")
        found = [table for table in every if wanted in (table.name.removeprefix("table-"), _kind(table))]
        if not found:
            known = dict.fromkeys([*(table.name for table in every), *map(_kind, every)])
            raise UsageError(f"this run has no table {name!r}", todo=f"It has: {', '.join(known) or 'none'}")
        return found

    def table(self, name: str | None = None) -> ScoreView:  # type: ignore[override]  # by what a recall run has
        """The tables of :meth:`tables`, which show themselves in a terminal and in a notebook."""
        return RecallShown(self, self.tables(name), [] if name else self._followed)

    def plot(  # type: ignore[override]  # by what a recall run has
        self,
        figure: str | int | None = None,
        *,
        model: str | None = None,
        post: bool = False,
        condition: str = "",
    ) -> Figure:
        """A figure of the paper by its number, or of a series by its name: actual against estimated, and the errors.

        Args:
            figure: ``1``, ``3`` to ``7``, ``cutoff``, or ``sp500``, ``AAPL`` ...; by default the run's first.
            model: by default the run's first.
            post: draws what is after the model's cutoff too, shaded.
            condition: of a series' figure: none, history, news, both, system or user.

        Raises:
            UsageError: the run has no such figure or model.
        """
        from neuter.reports.recall.drawn_series import names_of
        from neuter.reports.recall.figures import recall_figure

        names = names_of(str(self.run.get("suite") or ""), self.estimates)
        name = str(figure) if figure is not None else next(iter(names), "")
        made = recall_figure(self.estimates, self.run, name, model=model, post=post, condition=condition)
        return made.figure

    @cached_property
    def estimates(self) -> pl.DataFrame:
        """A row a question and model: panel, series, condition, date, cluster, model, outcome, actual, estimated."""
        from neuter.reports.recall.answers import read_estimates

        return read_estimates(self.folder)

    def to_html(self, path: str | Path) -> Path:
        """Write the report as one HTML file to ``path`` and return it. Raises RunError where it cannot be."""
        from neuter.reports.recall.report import write_html

        write_html(self.folder, Path(path))
        return Path(path)

    def to_markdown(self, name: str | None = None) -> str:  # type: ignore[override]  # by what a recall run has
        """The tables of :meth:`tables` in Markdown; before all of them whether a told cutoff was held to."""
        from neuter.reports.recall.markdown import escape_markdown, markdown_of

        tables = markdown_of(self.tables(name))
        return "\n".join([*(f"{escape_markdown(line)}\n" for line in self._followed if not name), tables])

    def to_latex(self) -> dict[str, str]:
        """The tables for LaTeX, in the paper's layout, by file name without its ending."""
        from neuter.reports.recall.latex import latex_of

        return latex_of(self.tables())

    @cached_property
    def _tables(self) -> list[RecallTable]:
        from neuter.reports.recall.tables import recall_tables

        return recall_tables(self.scores, self.run)

    @cached_property
    def _followed(self) -> list[str]:
        """Whether each model held to the cutoff that it was told; empty where none was told."""
        from neuter.reports.recall.score_index import ScoreIndex
        from neuter.reports.recall.summary import followed

        return followed(ScoreIndex(self.scores), self.run)

    def __repr__(self) -> str:
        outcomes = self.run.get("outcomes") or {}
        asked = plural(sum(int(count) for count in outcomes.values()), "answer")
        suite = one_line(str(self.run.get("suite") or "unknown"))
        status = one_line(str(self.run.get("status") or "unknown"))
        return f"RecallBenchmark({str(self.folder)!r}, {suite}, {asked}, {status})"


class RecallShown(ScoreView):
    """Recall tables that print themselves: in a REPL, with rich, and in a notebook."""

    def __init__(
        self, benchmark: RecallBenchmark, tables: Sequence[RecallTable], closing: Sequence[str] = ()
    ) -> None:
        super().__init__(benchmark, "all", ())
        self._tables, self._closing = tables, closing

    def __rich__(self) -> Table:
        from neuter.reports.recall.terminal import RecallView

        return RecallView(self._tables, self._evaluation.not_run, self._closing)  # type: ignore[return-value]

    def _repr_html_(self) -> str:
        from html import escape

        from neuter.reports.recall.report import tables_html

        said = "".join(f"<p>{escape(line)}</p>" for line in self._closing)
        return tables_html(self._tables, self._evaluation.not_run) + said


def _kind(table: RecallTable) -> str:
    return "beyond" if table.beyond else "paper"
