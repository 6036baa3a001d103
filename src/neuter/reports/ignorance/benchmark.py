"""What ``neuter.benchmark("ignorance")`` returns: a run that shows itself as the paper's tables and a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.errors import UsageError
from neuter.reports.evaluation import Evaluation, ScoreView
from neuter.reports.ignorance.verdict import heads, verdict_lines
from neuter.reports.recall.table_values import RecallTable
from neuter.reports.wording import one_line, plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console, ConsoleOptions
    from rich.table import Table

#: Tables that a terminal shows unasked, with the paper's own.
_SHOWN = ("gaps",)
#: As many verdicts of single models are told at the end; all are in the table ``verdicts``.
_VERDICTS = 18


class IgnoranceBenchmark(Evaluation):
    """The result of the suite ``ignorance``, read from its run folder when it is asked for.

    ``verdict`` says whether simulated ignorance can stand for true ignorance; ``table("3")`` is a table of the paper
    with its figures beside, ``table("gaps")`` one beyond it, and ``plot("2")`` a figure.
    """

    @property
    def verdict(self) -> str:
        """The verdicts in words, those over all models first, a paragraph each."""
        return "\n\n".join(verdict_lines(self.run))

    @property
    def summary(self) -> list[str]:
        """The run's figures in sentences."""
        from neuter.reports.ignorance.about_run import about
        from neuter.reports.ignorance.score_lookup import ForecastScores
        from neuter.reports.ignorance.summary import findings

        known = ForecastScores(self.scores)
        return findings(self.run, about(self.run, known), known)

    def tables(self, name: str | int | None = None) -> list[RecallTable]:
        """The tables as values.

        Args:
            name: ``1`` (or ``table-1``) to ``6``; ``verdicts``, ``brier``, ``gaps``, ``effects``, ``groups``,
                ``trace-audit``, ``decomposition``, ``difficulty``, ``discontinuity``, ``horizon``, ``tests``,
                ``bounds``; or ``paper``, ``beyond`` for all of that kind; None for all.

        Raises:
            UsageError: the run has no such table.
        """
        every = self._tables
        if name is None:
            return every
        wanted = str(name).lower().removeprefix("table-").removeprefix("table ")
        found = [one for one in every if wanted in (one.name.removeprefix("table-"), _kind(one))]
        if not found:
            known = dict.fromkeys([*(one.name for one in every), *map(_kind, every)])
            raise UsageError(f"this run has no table {name!r}", todo=f"It has: {', '.join(known) or 'none'}")
        return found

    def table(self, name: str | int | None = None) -> ScoreView:  # type: ignore[override]  # by what such a run has
        """The tables of :meth:`tables`, which show themselves; without a name the paper's, the gaps and the verdict."""
        if name is not None:
            return IgnoranceShown(self, self.tables(name), ())
        shown = [one for one in self._tables if not one.beyond or one.name in _SHOWN]
        return IgnoranceShown(self, shown, self._closing())

    def _closing(self) -> list[str]:
        """The figures in sentences, and after an empty one the verdicts: of the models one by one in a line each."""
        each = heads(self.run)
        more = f"{plural(len(each) - _VERDICTS, 'more verdict')}: see the table “verdicts”."
        shown = [*each[:_VERDICTS], *([more] if len(each) > _VERDICTS else [])]
        from neuter.reports.ignorance.tables import lacking

        return [*self.summary, *lacking(self._tables), "", *verdict_lines(self.run, whole=True), *shown]

    def plot(self, figure: str | int = "2") -> Figure:  # type: ignore[override]  # by what such a run has
        """A figure: ``1`` to ``6`` of the paper, or ``calibration``, ``placebo``.

        Raises:
            UsageError: there is no such figure, or the run has nothing for it.
        """
        from neuter.reports.ignorance.figures import ignorance_figure

        return ignorance_figure(self.folder, self.run, self.scores, str(figure)).figure

    def to_html(self, path: str | Path) -> Path:
        """Write the report as one HTML file to ``path`` and return it. Raises RunError where it cannot be."""
        from neuter.reports.ignorance.report import write_html

        write_html(self.folder, Path(path))
        return Path(path)

    def to_markdown(self, name: str | int | None = None) -> str:  # type: ignore[override]  # by what such a run has
        """The tables of :meth:`tables` in Markdown, the verdict first where all are asked for."""
        from neuter.reports.recall.markdown import escape_markdown, markdown_of

        tables = markdown_of(self.tables(name))
        if name is not None:
            return tables
        return "\n".join([*(f"{escape_markdown(line)}\n" for line in verdict_lines(self.run)), tables])

    def to_latex(self) -> dict[str, str]:
        """The tables for LaTeX, by file name without its ending."""
        from neuter.reports.recall.latex import latex_of

        return latex_of(self.tables())

    @cached_property
    def _tables(self) -> list[RecallTable]:
        from neuter.reports.ignorance.tables import ignorance_tables

        return ignorance_tables(self.folder, self.run, self.scores)

    def __repr__(self) -> str:
        models = plural(len(self.run.get("models") or ()), "model")
        outcomes = self.run.get("outcomes") or {}
        asked = plural(sum(int(count) for count in outcomes.values()), "call")
        status = one_line(str(self.run.get("status") or "unknown"))
        return f"IgnoranceBenchmark({str(self.folder)!r}, {models}, {asked}, {status})"


class IgnoranceShown(ScoreView):
    """Tables and sentences that print themselves: in a REPL, with rich, and in a notebook."""

    def __init__(
        self, benchmark: IgnoranceBenchmark, tables: Sequence[RecallTable], closing: Sequence[str]
    ) -> None:
        super().__init__(benchmark, "all", ())
        self._tables, self._closing = tables, closing

    def __rich__(self) -> Table:
        return _InOrder(self._tables, self._evaluation.not_run, self._closing)  # type: ignore[return-value]

    def _repr_html_(self) -> str:
        from html import escape

        from neuter.reports.recall.report import tables_html

        said = "".join(f"<p>{escape(line)}</p>" for line in self._closing if line)
        return tables_html(self._tables, self._evaluation.not_run) + said


class _InOrder:
    """The tables, then the sentences: what a reader remembers stands last in a terminal."""

    def __init__(self, tables: Sequence[RecallTable], not_run: Any, closing: Sequence[str]) -> None:
        self._tables, self._not_run, self._closing = tables, not_run, closing

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        from rich.text import Text

        from neuter.reports.recall.terminal import RecallView

        yield RecallView(self._tables, self._not_run)
        found = list(self._closing)
        place = found.index("") if "" in found else 0
        for line in found[:place]:
            yield Text(f"• {line}")
        if found[place + 1 :]:
            yield Text("")
            yield Text("Verdict", style="bold")
        for line in found[place + 1 :]:
            yield Text(line)


def _kind(table: RecallTable) -> str:
    return "beyond" if table.beyond else "paper"
