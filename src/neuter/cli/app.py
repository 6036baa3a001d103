"""The application: its commands, and what becomes of an error."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from neuter._version import __version__
from neuter.cli import (
    attack,
    batches,
    benchmark,
    corpus,
    evaluate,
    mask,
    models,
    power,
    preview,
    questions,
    report,
    runs,
    spent,
    traces,
    unmask,
)
from neuter.errors import Interrupted, NeuterError

#: Exit status where neuter itself is at fault (sysexits.h: EX_SOFTWARE).
DEFECT = 70

app = typer.Typer(
    name="neuter",
    help="Mask financial text, attack the masks, and measure what a language model has memorized.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("evaluate")(evaluate.evaluate)
app.command("benchmark")(benchmark.benchmark)
app.command("preview")(preview.preview)
app.command("mask")(mask.mask)
app.command("unmask")(unmask.unmask)
app.command("attack")(attack.attack)
app.command("power")(power.power)
app.add_typer(report.app, name="report")
app.add_typer(corpus.app, name="corpus")
app.add_typer(questions.app, name="questions")
app.add_typer(models.app, name="models")
app.add_typer(runs.app, name="runs")
app.add_typer(traces.app, name="traces")
models.app.command("spent")(spent.spent)
models.app.command("batches")(batches.batches)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"neuter {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status: 0, 1, 2, 3 or 130 as the design says."""
    # Being told to end is being interrupted: what is under way is put away in order.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    _heed_hanging_up()
    try:
        result = app(args=list(arguments), standalone_mode=False)
    except NeuterError as error:
        _complain(str(error))
        return error.exit_status
    except KeyboardInterrupt:
        _complain("interrupted; what is done is kept")
        return Interrupted.exit_status
    except BrokenPipeError:
        # What is still in the buffer has nowhere to go; without this Python complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except typer.Abort:
        _complain("interrupted; what is done is kept")
        return Interrupted.exit_status
    except Exception as error:  # noqa: BLE001  click's own errors carry their message; the rest must be seen
        return _other(error)
    return result if isinstance(result, int) else 0


def _heed_hanging_up() -> None:
    """A connection that drops ends a run as being told to end does; under nohup, which ignores it, the run goes on."""
    hanging_up = getattr(signal, "SIGHUP", None)
    if hanging_up is None or signal.getsignal(hanging_up) is signal.SIG_IGN:
        return
    terminals = [number for number in (1, 2) if os.isatty(number)]

    def interrupt(number: int, _: object) -> None:
        # The system and the shell both say so, and a second interruption would not wait for what is under way.
        signal.signal(number, signal.SIG_IGN)
        for stream in terminals:
            if not os.isatty(stream):
                # It is gone: what would be said to it must not end in an error.
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        raise KeyboardInterrupt

    signal.signal(hanging_up, interrupt)


def _other(error: Exception) -> int:
    show = getattr(error, "show", None)
    if callable(show):
        show()
        return int(getattr(error, "exit_code", 2))
    traceback.print_exception(error)
    _complain(
        f"a defect of neuter, not of what you did ({type(error).__name__}): please report the lines above"
    )
    return DEFECT


def _complain(text: str) -> None:
    from neuter.cli.console import say

    say(f"neuter: {text}")
