"""Ctrl-C once waits for what is under way, and twice does not; either way the same command goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from spending_runs import RIGHT, configured

from neuter.models.testing import LoopbackServer, loopback_server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a signal of Unix")


@contextmanager
def asking(tmp_path: Path, server: LoopbackServer) -> Iterator[subprocess.Popen[str]]:
    """The command with requests at the server."""
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
        [sys.executable, "-m", "neuter", *map(str, command)], stderr=subprocess.PIPE, text=True
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
