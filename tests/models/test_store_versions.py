"""A store of an older version is brought up with all that it holds; one on a network file system is used alone."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psutil
import pytest
from asking import questions

from neuter.errors import StoreError
from neuter.models import Store
from neuter.models.store import network_files, schema, sessions
from neuter.models.testing import loopback_server
from neuter.types import Outcome

KEY = bytes(range(32))


def first_version(path):
    """A store as neuter 0.1.0 wrote it before the ledger: one response after a failed attempt."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in schema.MIGRATIONS[0]:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("INSERT INTO prompts VALUES (x'01', '[]')")
        connection.execute(
            "INSERT INTO responses(key, prompt, model, base_url, parameters, sample, outcome, text, reason, latency, "
            "created_at) VALUES (?, x'01', 'lo/m', 'http://h/v1', '{}', 0, 'answered', 'AAPL', '', 0.5, '2026-11-29')",
            (KEY,),
        )
        for number, kind in ((1, "transient"), (2, "answered")):
            connection.execute(
                "INSERT INTO attempts(key, number, started_at, latency, status, kind, reason) "
                "VALUES (?, ?, '2026-11-29', 0.5, 200, ?, 'why')",
                (KEY, number, kind),
            )


def test_a_store_of_the_first_version_keeps_all_that_it_holds(tmp_path):
    path = tmp_path / "s.sqlite"
    first_version(path)
    with Store(path) as store:
        found = store.find(KEY)
        attempts = store.read(
            lambda c: c.execute(
                "SELECT number, kind, latency, status, reason, model, base_url, channel FROM attempts ORDER BY id"
            ).fetchall()
        )
    assert (found.outcome, found.text, found.channel, found.cost) == (
        Outcome.ANSWERED,
        "AAPL",
        "online",
        None,
    )
    assert attempts == [
        (1, "transient", 0.5, 200, "why", "lo/m", "http://h/v1", "online"),
        (2, "answered", 0.5, 200, "why", "lo/m", "http://h/v1", "online"),
    ]


def test_a_migration_that_fails_leaves_the_old_version_whole(tmp_path, monkeypatch):
    path = tmp_path / "s.sqlite"
    first_version(path)
    broken = (*schema.MIGRATIONS[1], "CREATE TABLE prompts (again)")
    monkeypatch.setattr(schema, "MIGRATIONS", (schema.MIGRATIONS[0], broken))
    with pytest.raises(StoreError, match="already exists"):
        Store(path)
    monkeypatch.undo()
    with closing(sqlite3.connect(path)) as connection:
        assert schema.version_of(connection) == 1
    with Store(path) as store:
        assert store.find(KEY).text == "AAPL"


def test_versions_are_only_ever_added():
    # A change of a published migration would leave stores in the field that no version describes.
    assert len(schema.MIGRATIONS) >= 2
    tables = {
        statement.split()[2] for statement in schema.MIGRATIONS[0] if statement.startswith("CREATE TABLE")
    }
    assert tables == {"prompts", "responses", "attempts"}


@pytest.fixture
def on_network(monkeypatch):
    monkeypatch.setattr(network_files, "file_system", lambda _: "nfs4")


@pytest.mark.usefixtures("on_network")
def test_on_a_network_file_system_a_second_process_is_told_to_wait(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        store.write(lambda c: c.execute("INSERT INTO prompts VALUES (x'01', '[]')"))
        assert store.read(lambda c: c.execute("SELECT count(*) FROM prompts").fetchone()) == (1,)
        with pytest.raises(StoreError, match=r"s.sqlite: another process uses .*\(nfs4\).*NEUTER_STORE"):
            Store(path)
        # No shared memory: it does not work over a network.
        assert not (tmp_path / "s.sqlite-shm").exists()
    with Store(path) as store:
        assert store.read(lambda c: c.execute("SELECT count(*) FROM prompts").fetchone()) == (1,)


@pytest.mark.usefixtures("on_network")
def test_two_models_of_one_process_share_a_store_on_a_network_file_system(connected):
    with loopback_server(answer="x", delay=0.2) as server:
        with connected(server) as one, connected(server) as other:
            pairs = list(zip(one.ask(questions(3)), other.ask(questions(3)), strict=True))
        with connected(server) as model:
            assert all(r.reused for r in model.ask(questions(3)))
    assert [a.text == b.text == "x" for a, b in pairs] == [True] * 3
    assert server.requests == 3


@pytest.mark.usefixtures("on_network")
def test_on_a_network_file_system_nothing_is_read_before_it_is_committed(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:

        def insert_and_fail(connection):
            connection.execute("INSERT INTO prompts VALUES (x'01', '[]')")
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            store.write(insert_and_fail)
        assert store.read(lambda c: c.execute("SELECT count(*) FROM prompts").fetchone()) == (0,)


@pytest.mark.skipif(not Path("/proc/mounts").exists(), reason="knows this system's mounts from /proc")
def test_the_file_system_is_that_of_the_nearest_mount(tmp_path):
    assert network_files.file_system(tmp_path)
    assert network_files.file_system(Path("/proc/self")) == "proc"
    assert not network_files.is_on_network(tmp_path / "s.sqlite")


def test_a_write_that_fails_is_its_callers_and_spoils_no_other(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.write(lambda c: c.execute("INSERT INTO prompts VALUES (x'01', '[]')"))
        with pytest.raises(sqlite3.IntegrityError):
            store.write(lambda c: c.execute("INSERT INTO prompts VALUES (x'01', '[]')"))
        store.write(lambda c: c.execute("INSERT INTO prompts VALUES (x'02', '[]')"))
        store.flush()
        assert store.read(lambda c: c.execute("SELECT count(*) FROM prompts").fetchone()) == (2,)


def test_a_store_opens_in_a_process_whose_folder_is_gone(tmp_path):
    code = "import os, sys, shutil\nfrom pathlib import Path\nfrom neuter.models import Store\n"
    code += "d = Path(sys.argv[1])\nd.mkdir()\nos.chdir(d)\nshutil.rmtree(d)\n"
    code += "with Store(Path(sys.argv[2])) as s: print(s.find(bytes(32)))"
    arguments = [sys.executable, "-c", code, str(tmp_path / "gone"), str(tmp_path / "s.sqlite")]
    assert subprocess.run(arguments, capture_output=True, text=True, check=True).stdout == "None\n"


def test_a_closed_store_says_so_and_keeps_nobody_waiting(tmp_path):
    store = Store(tmp_path / "s.sqlite")
    store.close()
    with pytest.raises(StoreError, match="the store is closed"):
        store.write(lambda _: None)


def test_a_process_that_may_not_be_looked_at_is_taken_to_live(monkeypatch):
    def denied(*_):
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil.Process, "create_time", denied)
    assert sessions._runs(os.getpid(), 0.0)
    monkeypatch.undo()
    assert not sessions._runs(os.getpid(), 0.0)
    assert not sessions._runs(2**22 + 1, 0.0)


def test_a_symlink_to_a_network_file_system_is_followed(tmp_path, monkeypatch):
    (tmp_path / "far").mkdir()
    (tmp_path / "s.sqlite").symlink_to(tmp_path / "far" / "s.sqlite")
    monkeypatch.setattr(network_files, "file_system", lambda place: "nfs4" if place.name == "far" else "ext4")
    assert network_files.is_on_network(tmp_path / "s.sqlite")
    assert not network_files.is_on_network(tmp_path / "t.sqlite")
