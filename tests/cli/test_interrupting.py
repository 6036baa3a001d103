"""Ctrl-C once waits for what is under way, and twice does not; a terminal that is gone is Ctrl-C once; all go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from spending_runs import RIGHT, configured

from neuter.models import Store
from neuter.models.testing import LoopbackServer, loopback_server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a signal of Unix")


@contextmanager
def asking(tmp_path: Path, server: LoopbackServer, **started: Any) -> Iterator[subprocess.Popen[str]]:
    """The command with requests at the server; ``started`` are options of the process."""
    config = configured(tmp_path, server.base_url, '[prices."loop/m"]\ninput = 1\noutput = 1\n')
    command = ["evaluate", "corpora:sample", "--scheme", "none", "--attacker", "llm", "--model", "loop/m"]
    command += [
        "--limit",
        "6",
        "--config",
        config,
        "--store",
        tmp_path / "s.sqlite",
        "--out",
        tmp_path / "run",
    ]
    begun = server.requests
    process = subprocess.Popen(
        [sys.executable, "-m", "neuter", *map(str, command)],
        **{"stderr": subprocess.PIPE, "text": True, **started},
    )
    try:
        deadline = time.monotonic() + 60
        while server.requests == begun and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.05)
        yield process
    finally:
        process.kill()


def ended(process: subprocess.Popen[str]) -> str:
    """What it said, in one line."""
    assert process.stderr is not None
    said = process.stderr.read()
    process.wait(60)
    return " ".join(said.split())


def test_once_waits_for_what_is_under_way_and_says_how_to_go_on(tmp_path: Path) -> None:
    with loopback_server(answer=RIGHT, delay=0.3) as server:
        with asking(tmp_path, server) as process:
            process.send_signal(signal.SIGINT)
            said = ended(process)
        assert process.returncode == 130
        assert "finishing the calls under way (Ctrl-C once more does not wait for them)" in said
        assert "interrupted; what is done is kept. The same command goes on from there. Sent" in said
        told = json.loads((tmp_path / "run/run.json").read_text())
        assert told["status"] == "interrupted"
        spent = told["spent"]["loop/m"]
        assert spent["attempts"] == spent["answered"] == server.requests < 6
        with asking(tmp_path, server) as process:
            ended(process)
        assert process.returncode == 0
        assert (server.requests, server.most) == (6, 1)


def test_twice_does_not_wait_and_says_what_may_have_been_billed(tmp_path: Path) -> None:
    with loopback_server(answer=RIGHT, delay=40) as server, asking(tmp_path, server) as process:
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        said = ""
        while "once more" not in said and process.poll() is None:
            said = process.stderr.readline()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        said = ended(process)
    assert process.returncode == 130
    assert "1 attempt without an answer may have been billed besides ($" in said
    told = json.loads((tmp_path / "run/run.json").read_text())
    assert told["status"] == "interrupted"
    assert told["spent"]["loop/m"]["possibly_billed"] == 1


def test_a_terminal_that_is_gone_is_an_interruption_that_waits(tmp_path: Path) -> None:
    master, slave = os.openpty()
    with loopback_server(answer=RIGHT, delay=0.5) as server:
        lost = dict.fromkeys(("stdin", "stdout", "stderr"), slave)
        with asking(tmp_path, server, **lost, preexec_fn=os.setsid) as process:
            # The slave is what the command writes to; with the master all that is written there fails.
            os.close(slave)
            os.close(master)
            for _ in range(3):
                process.send_signal(signal.SIGHUP)
                time.sleep(0.05)
            process.wait(60)
        spent = json.loads((tmp_path / "run/run.json").read_text())["spent"]["loop/m"]
    assert process.returncode == 130
    assert json.loads((tmp_path / "run/run.json").read_text())["status"] == "interrupted"
    assert spent["attempts"] == spent["answered"] == server.requests < 6


def test_under_nohup_a_terminal_that_is_gone_ends_nothing(tmp_path: Path) -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with (
        loopback_server(answer=RIGHT, delay=0.1) as server,
        asking(tmp_path, server, preexec_fn=ignore) as process,
    ):
        process.send_signal(signal.SIGHUP)
        ended(process)
    assert (process.returncode, server.requests) == (0, 6)


def test_what_a_killed_session_may_have_been_billed_is_told_by_the_next(tmp_path: Path) -> None:
    with loopback_server(answer=RIGHT, delay=0.3) as server:
        with asking(tmp_path, server) as process:
            process.kill()
            process.wait(60)
        with asking(tmp_path, server) as process:
            said = ended(process)
    assert process.returncode == 0
    with Store(tmp_path / "s.sqlite") as store:
        ((dollars,),) = store.read(
            lambda c: c.execute("SELECT estimated_cost FROM attempts WHERE kind = 'abandoned'").fetchall()
        )
    assert dollars > 0
    shown = f"{float(f'{dollars:.2g}'):.10f}".rstrip("0")
    assert f"; 1 attempt of earlier sessions may have been billed besides (${shown})" in said
    assert "without an answer" not in said


def test_a_terminal_that_is_gone_before_the_signal_comes_loses_what_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from neuter.cli import console

    master, slave = os.openpty()
    with os.fdopen(slave, "w") as stream:
        monkeypatch.setattr("sys.stderr", stream)
        console.say("heard")
        assert b"heard" in os.read(master, 100)
        os.close(master)
        console.say("lost")
        console.say("lost, too")


def test_another_fault_of_a_terminal_is_one() -> None:
    from neuter.cli.console import _Terminal

    class Full:
        def write(self, text: str) -> int:
            raise OSError(28, "no space")

    with pytest.raises(OSError, match="no space"):
        _Terminal(Full()).write("x")  # type: ignore[arg-type]
