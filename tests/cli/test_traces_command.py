"""``neuter traces``: a sample written for others, and labels given key by key in a real terminal."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import sys
import time
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.cli.app import run
from neuter.traces import read_labels
from neuter.traces.extracting import in_schema

HOSTILE = "Rare [bold]so far[/bold].\x1b[2J\x07 In March 2023 \u202eX resigned."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of two models with a chain of thought on each of four questions."""
    path = tmp_path / "run"
    path.mkdir()
    told = {"suite": "ignorance", "simulated_cutoff": "2023-01-01", "groups": {"secret/model-a": "reasoning"}}
    (path / "run.json").write_text(json.dumps(told))
    rows = [
        {
            "id": f"q{at}",
            "model": model,
            "condition": "G2′",
            "run": 0,
            "trace": HOSTILE if at else "Short.",
            "rule_clean": bool(at),
        }
        for at in range(4)
        for model in ("secret/model-a", "secret/model-b")
    ]
    in_schema(pl.DataFrame(rows)).write_parquet(path / "traces.parquet")
    questions = [(f"q{at}", f"Will X{at} resign?", "By decree.", date(2023, 6, 1)) for at in range(4)]
    names = ["id", "question", "resolution_criteria", "resolution_date"]
    pl.DataFrame(questions, schema=names, orient="row").write_parquet(path / "questions.parquet")
    return path


def test_a_sample_is_written_blind_and_read_back_once_it_is_filled_in(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder.parent / "to_label.csv"
    assert run(["traces", "sample", str(folder), "--n", "5", "--out", str(out)]) == 0
    assert "the cutoff is 2023-01-01" in capsys.readouterr().err
    text = out.read_text()
    assert not re.search("secret|G2|reasoning|clean yes", text)
    frame = pl.read_csv(out, infer_schema=False)
    assert frame.height == 5
    assert "By decree." in frame["question"][0]
    filled = frame.with_columns(logic=pl.lit("yes"), clean=pl.lit("no"), by=pl.lit("ann"))
    filled.write_csv(out)
    assert read_labels(out)["key"].to_list() == frame["key"].to_list()


def test_a_file_that_may_hold_labels_is_not_replaced(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder.parent / "to_label.csv"
    out.write_text("mine")
    assert run(["traces", "sample", str(folder), "--out", str(out)]) == 2
    assert out.read_text() == "mine"
    assert "--overwrite" in capsys.readouterr().err
    assert run(["traces", "sample", str(folder), "--out", str(out), "--overwrite"]) == 0


def test_without_a_terminal_the_other_way_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["traces", "label", str(folder), "--out", str(folder.parent / "l.csv"), "--by", "ann"]) == 2
    assert "neuter traces sample" in capsys.readouterr().err


def test_a_run_without_chains_of_thought_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "traces.parquet").unlink()
    assert run(["traces", "sample", str(folder), "--out", str(folder.parent / "l.csv")]) == 2
    assert "holds no chains of thought" in capsys.readouterr().err
    assert run(["traces", "sample", str(folder.parent / "none"), "--out", str(folder.parent / "l.csv")]) == 2


def test_traces_of_another_version_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pl.read_parquet(folder / "traces.parquet").drop("judge_quote_found").write_parquet(
        folder / "traces.parquet"
    )
    assert run(["traces", "sample", str(folder), "--out", str(folder.parent / "l.csv")]) == 2
    assert "lacks judge_quote_found" in capsys.readouterr().err


def in_terminal(arguments: list[str], keys: list[str]) -> tuple[str, int]:
    """What a command shows in a terminal of its own, each key pressed once it asks for one."""
    import pty
    import termios

    child, descriptor = pty.fork()
    if not child:
        os.execv(sys.executable, [sys.executable, "-m", "neuter", *arguments])
    seen, waiting, end = "", list(keys), time.monotonic() + 30
    while time.monotonic() < end:
        ready, _, _ = select.select([descriptor], [], [], 0.02)
        if ready:
            try:
                piece = os.read(descriptor, 65536).decode("utf-8", "replace")
            except OSError:
                break
            if not piece:
                break
            seen += piece
        # What is typed before the command reads single keys is thrown away.
        single = not termios.tcgetattr(descriptor)[3] & termios.ICANON
        if waiting and single and seen.count("q quit)") > len(keys) - len(waiting):
            os.write(descriptor, waiting.pop(0).encode())
    else:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(descriptor)
    return seen, os.waitstatus_to_exitcode(status)


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals of this kind there")
def test_keys_in_a_terminal_label_and_the_same_command_goes_on(folder: Path) -> None:
    out = folder.parent / "labels.csv"
    command = ["traces", "label", str(folder), "--out", str(out), "--by", "ann", "--n", "4"]
    seen, status = in_terminal(command, ["y", "n", "q"])
    assert status == 0
    assert "1 of 4 are labelled" in seen
    assert read_labels(out).height == 1
    assert not re.search("secret|G2|model-a|model-b", seen)
    assert "cutoff 2023-01-01" in seen
    seen, status = in_terminal(command, ["n", "y", "y", "y", "n", "n"])
    assert (status, read_labels(out).height) == (0, 4)
    assert "4 of 4 are labelled" in seen
    # A text is shown as it is: no markup, no escape of its own.
    assert "[bold]so far[/bold]" in seen
    assert "␛[2J␇" in seen
    assert "\u202e" not in seen


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals of this kind there")
def test_an_interruption_keeps_what_is_labelled(folder: Path) -> None:
    out = folder.parent / "labels.csv"
    _, status = in_terminal(
        ["traces", "label", str(folder), "--out", str(out), "--by", "ann"], ["y", "y", "n", "\x03"]
    )
    assert status == 130
    assert read_labels(out).height == 1
