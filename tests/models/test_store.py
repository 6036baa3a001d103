"""The store: nothing counts until it is committed, and what is committed survives everything."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from asking import questions

from neuter.errors import StoreError
from neuter.models import Store
from neuter.models.store import default_path, schema
from neuter.models.testing import loopback_server
from neuter.types import Outcome

ASKING = Path(__file__).parent
CHILD = """
import resource, sys
from pathlib import Path
sys.path.insert(0, {asking!r})
from asking import questions
from neuter.errors import NeuterError
from neuter.models import connect
if {limit}:
    resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    with connect("lo/m", store=Path({store!r}), config=Path({config!r}), concurrency=4) as model:
        for response in model.ask(questions({count})):
            print(response.id, response.outcome, response.text, flush=True)
except NeuterError as error:
    print("ERROR", type(error).__name__, error)
except KeyboardInterrupt:
    print("INTERRUPTED")
"""


@pytest.fixture
def child(tmp_path):
    """A process that asks a loopback server; killed at the end if it still runs."""
    with contextlib.ExitStack() as stack:

        def start(server, count, limit=0):
            config = tmp_path / "child.toml"
            config.write_text(f'[providers.lo]\nbase_url = "{server.base_url}"\n')
            code = CHILD.format(
                asking=str(ASKING),
                store=str(tmp_path / "s.sqlite"),
                config=str(config),
                count=count,
                limit=limit,
            )
            process = subprocess.Popen(
                [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            stack.callback(process.kill)
            return process

        yield start


def echo(body):
    return "answer to " + body["messages"][-1]["content"]


def rows(path, table="responses"):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def test_a_killed_run_resumes_without_a_repeated_call(child, tmp_path):
    """kill -9 halfway through 200 requests: each is answered once; only calls under way are made again."""
    with loopback_server(answer=echo, delay=0.02) as server:
        process = child(server, 200)
        deadline = time.monotonic() + 30
        while server.requests < 100 and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen = [line.split()[0] for line in process.stdout.read().splitlines() if line.count(" ") > 2]
        asked, kept = server.requests, rows(tmp_path / "s.sqlite")
        assert 50 <= asked < 200
        assert len(seen) <= kept
        assert asked - kept <= 4

        out, _ = child(server, 200).communicate(timeout=60)
        assert [line.split()[0] for line in out.splitlines()] == [f"id{i}" for i in range(200)]
        assert all(f"answered answer to question {i}" in line for i, line in enumerate(out.splitlines()))
        assert server.unique == 200
        assert server.requests <= 200 + 4
        before = server.requests
        child(server, 200).communicate(timeout=60)
        assert server.requests == before
    assert rows(tmp_path / "s.sqlite") == 200
    with contextlib.closing(sqlite3.connect(tmp_path / "s.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupted_run_keeps_what_was_under_way(child, tmp_path):
    with loopback_server(answer=echo, delay=0.05) as server:
        process = child(server, 200)
        while server.requests < 20:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=30)
        assert "INTERRUPTED" in out, errors
        assert server.requests < 60
        assert rows(tmp_path / "s.sqlite") == server.requests


@pytest.mark.skipif(os.name == "nt", reason="RLIMIT_FSIZE")
def test_a_file_that_may_not_grow_is_said_and_what_is_there_stays(child, tmp_path):
    with loopback_server(answer=lambda body: "x" * 20_000) as server:
        out, errors = child(server, 100, limit=300_000).communicate(timeout=60)
        *answered, last = out.splitlines()
        assert last.startswith("ERROR StoreError"), errors
        assert "s.sqlite: the disk is full, or the file may not grow" in last
        assert "NEUTER_STORE" in last
        assert 0 < len(answered) <= rows(tmp_path / "s.sqlite") < 100
        out, _ = child(server, 100).communicate(timeout=60)
        assert len(out.splitlines()) == 100


def test_a_full_disk_stops_the_run_with_the_file_named(connected):
    with loopback_server(answer="y" * 50_000) as server, connected(server, concurrency=1) as model:
        assert len(list(model.ask(questions(2)))) == 2
        pages = model._store._writer.connection.execute("PRAGMA page_count").fetchone()[0]
        model._store._writer.connection.execute(f"PRAGMA max_page_count = {pages + 20}")
        with pytest.raises(StoreError, match=r"store\.sqlite: the disk is full"):
            list(model.ask(questions(20)))
        assert len(list(model.ask(questions(2)))) == 2


def test_a_damaged_store_is_said(tmp_path):
    path = tmp_path / "damaged.sqlite"
    path.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(StoreError, match=r"damaged\.sqlite: the store is damaged.*Move it away"):
        Store(path)


def test_a_store_cut_short_is_said(connected, tmp_path):
    path = tmp_path / "cut.sqlite"
    with loopback_server(answer="z" * 9000) as server:
        with connected(server, store=path) as model:
            list(model.ask(questions(50)))
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        with (
            pytest.raises(StoreError, match=r"cut\.sqlite: the store is damaged"),
            connected(server, store=path) as model,
        ):
            list(model.ask(questions(50)))


def test_a_store_of_a_newer_version_is_left_alone(tmp_path):
    path = tmp_path / "newer.sqlite"
    Store(path).close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {schema.NEWEST + 1}")
    with pytest.raises(StoreError, match=r"newer neuter .*Upgrade neuter"):
        Store(path)


def test_a_database_of_something_else_is_left_alone(tmp_path):
    path = tmp_path / "other.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mine(a)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not a store"):
        Store(path)
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used as a store"):
        Store(tmp_path / "file" / "s.sqlite")


def test_an_empty_store_is_brought_to_the_newest_version(tmp_path):
    path = tmp_path / "new.sqlite"
    Store(path).close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert schema.version_of(connection) == schema.NEWEST
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert not schema.is_foreign(connection)


def test_every_attempt_has_a_row_and_prompts_are_kept_once(connected, tmp_path):
    path = tmp_path / "rows.sqlite"
    with loopback_server(faults=["500"], times=1) as server, connected(server, store=path) as model:
        list(model.ask(questions(3)))
        list(model.ask(questions(3, temperature=0)))
    assert (rows(path), rows(path, "prompts"), rows(path, "attempts")) == (6, 3, 12)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        row = connection.execute("SELECT * FROM responses WHERE parameters != '{}'").fetchone()
        kinds = connection.execute("SELECT kind, status, count(*) FROM attempts GROUP BY kind").fetchall()
    assert json.loads(row["parameters"]) == {"temperature": 0}
    assert (row["server_model"], row["fingerprint"]) == ("m-loopback", "fp_loopback")
    assert row["outcome"] == Outcome.ANSWERED
    assert row["latency"] > 0
    assert row["created_at"].endswith("+00:00")
    assert [tuple(kind) for kind in kinds] == [("answered", 200, 6), ("transient", 500, 6)]


def test_two_processes_may_share_a_store(child, tmp_path):
    with loopback_server(answer=echo, delay=0.005) as server:
        first, second = child(server, 60), child(server, 60)
        outs = [process.communicate(timeout=60)[0].splitlines() for process in (first, second)]
    assert outs[0] == outs[1]
    assert len(outs[0]) == 60
    assert rows(tmp_path / "s.sqlite") == 60


def test_the_store_lies_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("NEUTER_STORE", str(tmp_path / "mine.sqlite"))
    assert default_path() == tmp_path / "mine.sqlite"
    monkeypatch.delenv("NEUTER_STORE")
    assert default_path().name == "responses.sqlite"
