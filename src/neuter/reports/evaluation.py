"""What ``neuter.evaluate`` returns: a run folder that shows itself in a terminal, a notebook and a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.reports.run_files import read_manifest, read_scores
from neuter.reports.run_view import Originals, load_run
from neuter.reports.wording import MAIN_METRICS, one_line, plural
from neuter.suites.ignorance.names import is_ignorance
from neuter.suites.recall.names import is_recall

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure
    from rich.table import Table


class Evaluation:
    """The result of an evaluation, read from its run folder when it is asked for.

    Args:
        folder: the run folder.
        originals: texts by id, for reports that show documents side by side; a scheme ``none`` gives them too.
        asked: what the call that made it has asked of models and spent, in a sentence; empty where it asked nothing.

    Raises:
        RunError: the folder is no run, or is damaged.
    """

    def __init__(self, folder: str | Path, originals: Originals | None = None, asked: str = "") -> None:
        self.folder = Path(folder)
        self.asked = asked
        self.run: Mapping[str, Any] = read_manifest(self.folder)
        self._originals = originals

    @cached_property
    def scores(self) -> pl.DataFrame:
        """The tidy scores table (docs/scores.md tells its columns)."""
        return read_scores(self.folder)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the run has to say about itself: what was left out, sampled, or assumed."""
        return tuple(str(note) for note in self.run.get("notes") or ())

    @property
    def not_run(self) -> tuple[Mapping[str, Any], ...]:
        """Schemes, attackers and models that were left out, each with its reason."""
        return tuple(self.run.get("not_run") or ())

    @property
    def failures(self) -> tuple[Mapping[str, Any], ...]:
        """Documents that could not be masked, each with its scheme and reason."""
        return tuple(self.run.get("failures") or ())

    @property
    def caveats(self) -> tuple[Mapping[str, Any], ...]:
        """What to know about rows of the scores: dicts with scheme, attacker, model, text and ``of``."""
        return tuple(self.run.get("caveats") or ())

    @property
    def spent(self) -> Mapping[str, Mapping[str, Any]]:
        """What the run has spent in all, by model: the sums of its attempts in the ledger of the store."""
        return self.run.get("spent") or {}

    def to_polars(self) -> pl.DataFrame:
        """The scores as a polars frame."""
        return self.scores

    def to_pandas(self) -> pd.DataFrame:
        """The scores as a pandas frame.

        Raises:
            MissingExtra: pandas or pyarrow is not installed.
        """
        from neuter.reports.pandas_frames import pandas_of

        return pandas_of(self.scores)

    def table(self, by: str = "size", metrics: Sequence[str] = MAIN_METRICS) -> ScoreView:
        """The scores as a table that shows itself, with a row for All and each group of ``by``.

        ``by`` is ``all``, ``size``, ``firm``, ``sector`` or ``year``; ``metrics`` are the columns.
        """
        return ScoreView(self, by, tuple(metrics))

    def plot(self, metric: str = "firm_accuracy", by: str = "size") -> Figure:
        """A matplotlib figure: a panel for each attacker, ``metric`` by scheme and group, with intervals."""
        from neuter.reports.figures import accuracy_figure

        return accuracy_figure(self.scores, metric=metric, by=by)

    def to_html(self, path: str | Path) -> Path:
        """Write the report as one HTML file to ``path`` and return it. Raises RunError where it cannot be."""
        from neuter.reports.html import write_html

        write_html(load_run(self.folder, self._originals), Path(path))
        return Path(path)

    def to_markdown(self, by: str = "size", metrics: Sequence[str] = MAIN_METRICS) -> str:
        """The scores as a Markdown table."""
        from neuter.reports.tables import to_markdown

        return to_markdown(self.scores, by=by, metrics=metrics)

    def to_latex(self) -> dict[str, str]:
        """A LaTeX table for each scheme and attacker, by name, in the layout of the paper's Table 7."""
        from neuter.reports.latex import to_latex

        return to_latex(self.scores, caveats=self.caveats)

    def __repr__(self) -> str:
        corpus = self.run.get("corpus") or {}
        documents = plural(int(corpus.get("documents") or 0), "document")
        status = one_line(str(self.run.get("status") or "unknown"))
        return f"Evaluation({str(self.folder)!r}, {documents}, {status})"

    def __rich__(self) -> Table:
        return self.table().__rich__()

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


class ScoreView:
    """A score table that prints itself: in a REPL, with rich, and in a notebook."""

    def __init__(self, evaluation: Evaluation, by: str, metrics: tuple[str, ...]) -> None:
        self.by, self.metrics = by, metrics
        self._evaluation = evaluation

    def __rich__(self) -> Table:
        from neuter.reports.tables import score_table

        run = self._evaluation
        return score_table(
            run.scores, by=self.by, metrics=self.metrics, not_run=run.not_run, caveats=run.caveats
        )

    def __repr__(self) -> str:
        from rich.console import Console

        console = Console(color_system=None, legacy_windows=False)
        with console.capture() as captured:
            console.print(self)
        return captured.get().rstrip()

    def _repr_html_(self) -> str:
        from neuter.reports.html import table_html

        run = self._evaluation
        return table_html(
            run.scores, by=self.by, metrics=self.metrics, not_run=run.not_run, caveats=run.caveats
        )


def open_run(folder: str | Path, originals: Originals | None = None, asked: str = "") -> Evaluation:
    """The run in ``folder`` as what its command returned: a suite's table, or an evaluation.

    Raises:
        RunError: the folder is no run, or is damaged.
    """
    record = read_manifest(Path(folder))
    if is_recall(record):
        from neuter.reports.recall.benchmark import RecallBenchmark

        return RecallBenchmark(folder, asked=asked)
    if is_ignorance(record):
        from neuter.reports.ignorance.benchmark import IgnoranceBenchmark

        return IgnoranceBenchmark(folder, asked=asked)
    if record.get("suite") == "masking":
        from neuter.reports.masking_suite import MaskingBenchmark

        return MaskingBenchmark(folder, originals, asked)
    return Evaluation(folder, originals, asked)
