"""``neuter traces``: chains of thought of a run, for people to label."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neuter.cli import options

if TYPE_CHECKING:
    import polars as pl

    from neuter.traces.labelling import Item

app = typer.Typer(no_args_is_help=True, help="Label chains of thought of a run, blind.")

Run = Annotated[Path, typer.Argument(help="A run folder of the suite ignorance.", metavar="RUN")]
Size = Annotated[int, typer.Option("--n", min=1, help="How many; the paper has 36.", metavar="N")]
_PAPER_SIZE = 36


@app.command("label")
def label(
    run: Run,
    out: Annotated[
        Path, typer.Option("--out", help="Labels, a CSV file; one that is there is gone on with.")
    ],
    by: Annotated[str, typer.Option("--by", help="Who labels: a name or initials.", metavar="NAME")],
    n: Size = _PAPER_SIZE,
    seed: options.Seed = 0,
) -> int:
    """Label a stratified sample in the terminal: two keys an item, written after each.

    You see the question and the reasoning, and neither model, condition, verdict, outcome nor probability. Keys: y, n,
    b (back), c (a note), q (quit; the same command goes on). Give the file to neuter benchmark ignorance --labels.
    """
    from neuter.cli import console
    from neuter.errors import UsageError
    from neuter.traces.labelling import Labels, items_of, label_items, see_name

    name = see_name(by)
    drawn = _drawn(run, n, seed)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "labelling needs a terminal",
            where="neuter traces label",
            todo="Write the sample to a file with neuter traces sample, and label it there",
        )
    items = items_of(drawn.sample, drawn.questions)
    done = label_items(items, Labels(out, name), _Terminal(drawn.cutoff))
    console.say(f"{done} of {len(items)} are labelled in {out}.")
    return 0


@app.command("sample")
def sample(
    run: Run,
    out: Annotated[
        Path, typer.Option("--out", help="A CSV file with empty columns logic, clean, by and note.")
    ],
    n: Size = _PAPER_SIZE,
    seed: options.Seed = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
) -> int:
    """Write the same sample to a CSV file, to be labelled elsewhere: yes or no in logic and clean, a name in by."""
    from neuter.cli import console
    from neuter.errors import UsageError
    from neuter.traces.labels import write_to_label

    if out.exists() and not overwrite:
        raise UsageError(
            "is there, and may hold labels", where=f"--out {out}", todo="Give another, or --overwrite"
        )
    drawn = _drawn(run, n, seed)
    write_to_label(out, drawn.sample, drawn.questions)
    console.say(f"{drawn.sample.height} chains of thought are in {out}; the cutoff is {drawn.cutoff}.")
    return 0


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A sample, the texts of its questions, and C."""

    sample: pl.DataFrame
    questions: Mapping[str, str]
    cutoff: str


def _drawn(run: Path, n: int, seed: int) -> _Drawn:
    from neuter.errors import RunError
    from neuter.suites.frames import read_frame
    from neuter.suites.run_folder import read_record
    from neuter.traces import stratified
    from neuter.traces.schema import TRACE_SCHEMA

    record = read_record(run)
    file = run / "traces.parquet"
    if not file.is_file():
        raise RunError(
            "holds no chains of thought",
            where=str(run),
            todo="Give a run of neuter benchmark ignorance with the conditions G2 or G2′",
        )
    traces, questions = read_frame(file), read_frame(run / "questions.parquet")
    if missing := [name for name in TRACE_SCHEMA if name not in traces.columns]:
        raise RunError(f"lacks {', '.join(missing)}", where=str(file), todo="Run the same command again")
    groups = record.get("groups")
    drawn = stratified(traces, groups if isinstance(groups, dict) else {}, n=n, seed=seed)
    return _Drawn(drawn, _texts(questions), str(record.get("simulated_cutoff") or ""))


def _texts(questions: pl.DataFrame) -> dict[str, str]:
    """Question and resolution criteria by id."""
    told = questions.select("id", "question", "resolution_criteria").iter_rows()
    return {
        id_: "\n\n".join(text for text in (question, criteria) if text) for id_, question, criteria in told
    }


class _Terminal:
    """Shows an item and reads single keys; nothing in a text is markup, or moves the cursor."""

    def __init__(self, cutoff: str) -> None:
        from neuter.cli.console import out

        self._out, self._cutoff = out(), cutoff

    def show(self, item: Item, number: int, total: int, done: int, before: Mapping[str, str] | None) -> None:
        from rich.text import Text

        self._out.clear()
        self._out.rule(Text(f"{number} of {total} · {done} labelled · cutoff {self._cutoff}"))
        self._part("Question", item.question)
        self._part("Reasoning", item.trace)
        self._out.rule()
        if before is not None:
            self.say(f"Labelled before: consistent {before['logic']}, free of references {before['clean']}")

    def ask(self, question: str) -> str:
        from click import getchar

        asked = f"{question} (y/n, b back, c note, q quit) "
        self._out.print(asked, end="", markup=False, highlight=False, soft_wrap=True)
        try:
            key = getchar().lower()
        except EOFError:
            key = "q"
        self._out.print(key if key.isprintable() else "", markup=False, highlight=False)
        return key

    def line(self, prompt: str) -> str:
        self._out.print(f"{prompt}: ", end="", markup=False, highlight=False)
        return " ".join(sys.stdin.readline().split())

    def say(self, text: str) -> None:
        self._out.print(text, markup=False, highlight=False)

    def _part(self, title: str, text: str) -> None:
        from neuter.reports.wording import visible

        self._out.print(f"[bold]{title}[/bold]")
        self._out.print(visible(text), markup=False, highlight=False, soft_wrap=False)
        self._out.print()
