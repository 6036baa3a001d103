"""The store's rows one by one: who may send, what is kept, what is undone, and what the user is told."""

import asyncio
import contextlib
import errno
import os
import sqlite3
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from neuter.errors import StoreError
from neuter.models import Store
from neuter.models.dispatch import on_loop
from neuter.models.store import default_path, errors, network_files, open_store, schema, sessions
from neuter.models.store import file as store_file
from neuter.models.store.records import Attempt, Begun, Ended, Held, Kept, StoredResponse
from neuter.models.store.rows import End, Start, begin, end, keep
from neuter.models.store.writing import GROUP, Job, Writer
from neuter.types import Outcome

OLD = "2026-11-29T00:00:00.000+00:00"


@pytest.fixture
def store(tmp_path):
    with Store(Path(tmp_path) / "s.sqlite") as store:
        yield store


def response(key=b"k" * 32, text="x", created_at=OLD, prompt=b"p"):
    return StoredResponse(
        key=key,
        prompt=prompt,
        messages="[]",
        model="lo/m",
        base_url="u",
        parameters="{}",
        sample=0,
        outcome=Outcome.ANSWERED,
        text=text,
        finish_reason=None,
        reason="",
        server_model=None,
        fingerprint=None,
        prompt_tokens=None,
        completion_tokens=None,
        latency=0.1,
        created_at=created_at,
    )


def attempt(id_, key=b"k" * 32, session=1, lease=60.0):
    return Attempt(id_, key, 1, "lo/m", "u", session, OLD, time.time() + lease)


def ended(id_, kind="answered"):
    return Ended(id_, 0.1, 200, kind)


def all_of(store, query):
    return store.read(lambda c: c.execute(query).fetchall())


# Who may send


def test_one_commit_lets_one_of_equal_requests_begin(store):
    told = store.write(lambda c: begin(c, [Start(attempt(1)), Start(attempt(2))], 1))
    assert (told[0], type(told[1])) == (Begun(), Held)
    assert all_of(store, "SELECT id, kind FROM attempts") == [(1, "under_way")]


def test_what_is_kept_is_not_sent_unless_it_is_the_one_to_replace(store):
    store.write(lambda c: keep(c, [response()]))
    told = store.write(
        lambda c: begin(c, [Start(attempt(1)), Start(attempt(2), "another time"), Start(attempt(3), OLD)], 1)
    )
    assert told == [Kept(), Kept(), Begun()]


def test_a_batchs_requests_hold_nobody_online_up(store):
    store.write(
        lambda c: c.execute(
            "INSERT INTO attempts(id, key, number, session, started_at, kind, channel, lease) "
            "VALUES (9, ?, 1, 1, '', 'under_way', 'batch', 1e12)",
            (b"k" * 32,),
        )
    )
    assert store.write(lambda c: begin(c, [Start(attempt(1))], 1)) == [Begun()]


def test_what_is_under_way_in_this_session_holds_though_the_session_has_no_row(store):
    store.write(lambda c: begin(c, [Start(attempt(1, session=7))], 7))
    assert isinstance(store.write(lambda c: begin(c, [Start(attempt(2, session=7))], 7))[0], Held)


def test_a_dead_sessions_attempts_are_given_up_when_somebody_asks_for_one(store):
    store.write(
        lambda c: begin(c, [Start(attempt(1, session=7)), Start(attempt(2, b"o" * 32, session=7))], 7)
    )
    assert store.write(lambda c: begin(c, [Start(attempt(3))], store.session)) == [Begun()]
    assert all_of(store, "SELECT id, kind FROM attempts ORDER BY id") == [
        (1, "abandoned"),
        (2, "abandoned"),
        (3, "under_way"),
    ]


def test_more_keys_than_one_statement_takes_are_all_looked_up(store):
    keys = [n.to_bytes(32, "big") for n in range(1203)]
    store.write(lambda c: keep(c, [response(key) for key in keys]))
    assert all_of(store, "SELECT count(*) FROM responses") == [(1203,)]
    told = store.write(lambda c: begin(c, [Start(attempt(n, key)) for n, key in enumerate(keys)], 1))
    assert told == [Kept()] * 1203


# What is kept


def test_a_key_keeps_its_first_response(store):
    store.write(lambda c: end(c, [End(ended(1), response(text="first"))]))
    store.write(lambda c: end(c, [End(ended(2), response(text="second"))]))
    assert store.find(b"k" * 32).text == "first"


def test_a_response_is_replaced_only_where_it_is_still_that_one(store):
    store.write(lambda c: keep(c, [response(text="old")]))
    store.write(lambda c: end(c, [End(ended(1), response(text="wrong", created_at="n"), "another time")]))
    assert store.find(b"k" * 32).text == "old"
    store.write(lambda c: end(c, [End(ended(2), response(text="new", created_at="n"), OLD)]))
    store.write(lambda c: end(c, [End(ended(3), response(text="late", created_at="l"), OLD)]))
    assert store.find(b"k" * 32).text == "new"
    assert all_of(store, "SELECT text, created_at, length(replaced_at) FROM earlier_responses") == [
        ("old", OLD, 24)
    ]


def test_an_end_that_comes_in_one_commit_with_its_beginning_has_the_last_word(tmp_path):
    """Called off while its row was still to be written."""
    with contextlib.closing(sqlite3.connect(tmp_path / "s.sqlite", isolation_level=None)) as connection:
        schema.migrate(connection)
        writer = Writer(connection, 1, lambda error: StoreError(str(error)))
        group = [
            Job(End(ended(1, "unreachable"))),
            Job(Start(attempt(1))),
            Job(Start(attempt(2, b"o" * 32))),
        ]
        writer._commit(group)
        assert connection.execute("SELECT id, kind FROM attempts").fetchall() == [
            (1, "unreachable"),
            (2, "under_way"),
        ]
        # The end of an earlier one frees its key for a beginning in the same commit.
        group = [Job(Start(attempt(3, b"o" * 32))), Job(End(ended(2)))]
        writer._commit(group)
        assert group[0].result == Begun()


def test_two_sessions_never_give_one_number_to_two_attempts(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store(path) as one, Store(path) as other:
        assert other.session == one.session + 1
        assert len({s.new_attempt() for s in (one, other) for _ in range(100)}) == 200


# The writing thread


def test_a_group_has_an_end(tmp_path):
    writer = Writer(None, 1, lambda error: StoreError(str(error)))
    for _ in range(GROUP + 1):
        writer.put(Job(lambda _: None))
    writer._jobs.put(None)
    assert [(len(group), more) for group, more in (writer._next_group(), writer._next_group())] == [
        (GROUP, True),
        (1, False),
    ]


def test_a_write_that_fails_is_undone_as_a_whole(store):
    def half(connection):
        connection.execute("INSERT INTO prompts VALUES (x'01', '[]')")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write(half)
    store.write(lambda c: c.execute("INSERT INTO prompts VALUES (x'02', '[]')"))
    assert all_of(store, "SELECT hash FROM prompts") == [(b"\x02",)]


def test_what_the_file_refuses_is_everybodys_error_and_the_thread_goes_on(store):
    def refuse(_):
        raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(StoreError, match=r"s\.sqlite"):
        store.write(refuse)
    with pytest.raises(StoreError, match=r"s\.sqlite"):
        store.flush()
    store.write(lambda c: c.execute("INSERT INTO prompts VALUES (x'02', '[]')"))
    assert all_of(store, "SELECT count(*) FROM prompts") == [(1,)]


def test_a_loop_that_is_gone_or_a_waiter_that_gave_up_does_not_stop_the_thread(store):
    async def leave():
        task = asyncio.ensure_future(store.transact(lambda _: time.sleep(0.2)))
        await asyncio.sleep(0.05)
        return task.done()

    assert asyncio.run(leave()) is False

    async def give_up():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(store.transact(lambda _: time.sleep(0.2)), 0.05)
        errors = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
        await store.transact(lambda _: None)
        await asyncio.sleep(0.3)
        return errors

    assert on_loop(give_up()) == []

    async def closed_before_it_is_told():
        loop = asyncio.get_running_loop()
        gate = threading.Event()
        task = asyncio.ensure_future(store.transact(lambda _: gate.wait(5)))
        await asyncio.sleep(0.05)
        return loop, gate, task

    loop, gate, _ = asyncio.run(closed_before_it_is_told())
    assert loop.is_closed()
    gate.set()
    assert store.write(lambda _: 5) == 5


# Opening and closing


def test_every_commit_is_on_the_disk_before_it_counts(store):
    assert store._writer.connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert store._writer.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_closed_store_has_no_session_open(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        session = store.session
    with Store(path) as store:
        assert store.read(lambda c: sessions.is_alive(c, session)) is False
        assert store.read(lambda c: sessions.is_alive(c, store.session)) is True
        assert store.read(lambda c: sessions.is_alive(c, None)) is False


def test_a_second_opening_waits_for_the_switch_to_the_log_and_not_for_ever(monkeypatch):
    class Locked:
        def __init__(self, times, words="database is locked"):
            self.times, self.words = times, words

        def execute(self, _):
            if self.times:
                self.times -= 1
                raise sqlite3.OperationalError(self.words)

    store_file._use_write_ahead_log(Locked(2))
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        store_file._use_write_ahead_log(Locked(2, "readonly"))
    monkeypatch.setattr(store_file, "BUSY_SECONDS", 0.1)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        store_file._use_write_ahead_log(Locked(10**6))


def test_the_name_of_the_store_is_trimmed_and_may_begin_with_the_home(monkeypatch):
    monkeypatch.setenv("NEUTER_STORE", " ~/mine.sqlite ")
    assert default_path() == Path.home() / "mine.sqlite"
    monkeypatch.setenv("NEUTER_STORE", "  ")
    assert default_path().name == "responses.sqlite"


@pytest.fixture
def on_network(monkeypatch):
    monkeypatch.setattr(network_files, "file_system", lambda _: "nfs4")


@pytest.mark.usefixtures("on_network")
def test_a_shared_store_closes_with_its_last_user_and_then_opens_anew(tmp_path):
    path = tmp_path / "s.sqlite"
    one, two = open_store(path), open_store(path)
    assert one is two
    one.close()
    assert two.write(lambda _: 1) == 1
    two.close()
    with open_store(path) as three:
        assert three is not one
        assert three.find(bytes(32)) is None


@pytest.mark.usefixtures("on_network")
def test_on_a_network_file_system_a_reader_waits_for_the_transaction(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        began = threading.Event()

        def slow(connection):
            connection.execute("INSERT INTO prompts VALUES (x'01', '[]')")
            began.set()
            time.sleep(0.3)
            raise ZeroDivisionError

        def write():
            with contextlib.suppress(ZeroDivisionError):
                store.write(slow)

        thread = threading.Thread(target=write)
        thread.start()
        began.wait(5)
        seen = all_of(store, "SELECT count(*) FROM prompts")
        thread.join()
    assert seen == [(0,)]


def mounts(monkeypatch, *pairs):
    parts = [SimpleNamespace(mountpoint=str(point), fstype=kind, opts="rw") for point, kind in pairs]
    monkeypatch.setattr(psutil, "disk_partitions", lambda all: parts)


def test_the_nearest_and_latest_mount_counts(monkeypatch, tmp_path):
    inner = tmp_path / "in"
    mounts(monkeypatch, (tmp_path, "NFS4"), ("/", "ext4"), ("/elsewhere", "cifs"))
    assert network_files.file_system(inner) == "NFS4"
    assert network_files.is_on_network(inner / "s.sqlite")
    mounts(monkeypatch, (tmp_path, "autofs"), (tmp_path, "nfs"), ("/", "ext4"))
    assert network_files.file_system(inner) == "nfs"
    mounts(monkeypatch, ("/elsewhere", "nfs"))
    assert network_files.file_system(inner) == ""


def test_a_system_that_tells_no_mounts_is_taken_to_be_local(monkeypatch, tmp_path):
    def refuse(all):
        raise PermissionError

    monkeypatch.setattr(psutil, "disk_partitions", refuse)
    assert not network_files.is_on_network(tmp_path / "s.sqlite")


# Sessions


def put_session(store, host, pid, started):
    return store.write(
        lambda c: (
            c.execute(
                "INSERT INTO sessions(host, pid, pid_started, started_at) VALUES (?, ?, ?, '')",
                (host, pid, started),
            ).lastrowid
        )
    )


def alive(store, session):
    return store.read(lambda c: sessions.is_alive(c, session))


def test_another_machine_has_a_margin_after_its_lease_and_lives_only_by_one(store):
    other = put_session(store, "elsewhere", 1, 0.0)
    assert alive(store, other) is False

    def leased(seconds):
        store.write(lambda c: c.execute("DELETE FROM attempts"))
        store.write(lambda c: begin(c, [Start(attempt(1, session=other, lease=seconds))], other))
        return alive(store, other)

    assert leased(60) is True
    assert leased(1 - sessions.LEASE_MARGIN) is True
    assert leased(-1 - sessions.LEASE_MARGIN) is False


def test_a_process_is_known_by_its_number_and_start(store):
    import socket

    here, me = socket.gethostname(), psutil.Process()
    assert alive(store, put_session(store, here, me.pid, me.create_time() + 1)) is True
    assert alive(store, put_session(store, here, me.pid, me.create_time() + 3)) is False
    assert alive(store, put_session(store, here, 2**22 + 1, me.create_time())) is False


@pytest.mark.skipif(os.name == "nt", reason="no zombies there")
def test_a_process_that_has_ended_and_was_not_waited_for_is_dead():
    import subprocess
    import sys

    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    started = psutil.Process(child.pid).create_time()
    assert sessions._runs(child.pid, started)
    child.kill()
    until = time.monotonic() + 5
    while sessions._runs(child.pid, started) and time.monotonic() < until:
        time.sleep(0.01)
    assert not sessions._runs(child.pid, started)
    child.stdin.close()
    child.wait()


def test_what_a_dead_session_had_in_a_batch_is_not_given_up(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        store.write(
            lambda c: c.executemany(
                "INSERT INTO attempts(id, key, number, session, started_at, kind, channel) "
                "VALUES (?, x'00', 1, ?, '', 'under_way', ?)",
                [(1, 99, "online"), (2, 99, "batch"), (3, None, "online")],
            )
        )
    with Store(path) as store:
        assert all_of(store, "SELECT id, kind FROM attempts ORDER BY id") == [
            (1, "abandoned"),
            (2, "under_way"),
            (3, "abandoned"),
        ]


# Words for the user


def sqlite_error(code):
    error = sqlite3.OperationalError("words")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (sqlite_error(sqlite3.SQLITE_FULL), "the disk is full"),
        (sqlite_error(sqlite3.SQLITE_IOERR_WRITE), "the disk is full"),
        (OSError(errno.ENOSPC, "no space"), "the disk is full"),
        (OSError(errno.EFBIG, "too big"), "the disk is full"),
        (OSError(errno.EACCES, "no"), "cannot be used as a store"),
        (sqlite_error(sqlite3.SQLITE_CORRUPT), "the store is damaged"),
        (sqlite_error(sqlite3.SQLITE_CORRUPT_INDEX), "the store is damaged"),
        (sqlite_error(sqlite3.SQLITE_NOTADB), "the store is damaged"),
        (sqlite_error(sqlite3.SQLITE_BUSY), "another process has held the store for 60 seconds"),
        (sqlite_error(sqlite3.SQLITE_BUSY_SNAPSHOT), "another process has held the store for 60 seconds"),
        (sqlite_error(sqlite3.SQLITE_READONLY), "cannot be used as a store"),
        (ValueError("words"), "cannot be used as a store"),
    ],
)
def test_each_error_has_its_words(error, told):
    assert told in str(errors.explain(error, Path("s.sqlite")))


def test_a_database_of_something_else_is_one_with_tables_and_without_our_mark(tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "f.sqlite")) as connection:
        assert not schema.is_foreign(connection)
        connection.execute("CREATE TABLE mine(a)")
        assert schema.is_foreign(connection)
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        assert not schema.is_foreign(connection)


def test_a_store_of_this_version_is_not_written_when_it_is_brought_up(tmp_path):
    path = tmp_path / "s.sqlite"
    Store(path).close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        before = connection.total_changes, connection.execute("PRAGMA data_version").fetchone()
        seen = []
        connection.set_trace_callback(seen.append)
        schema.migrate(connection)
        assert seen == ["PRAGMA user_version"]
        assert (connection.total_changes, connection.execute("PRAGMA data_version").fetchone()) == before


def test_a_row_that_nobody_can_write_costs_no_answer_beside_it(tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "s.sqlite", isolation_level=None)) as connection:
        schema.migrate(connection)
        writer = Writer(connection, 1, lambda error: StoreError(str(error)))
        writer._commit([Job(Start(attempt(1))), Job(Start(attempt(2, b"o" * 32)))])
        bad = Job(End(Ended(1, 0.1, 400, "rejected", "half a pair: \ud800")))
        good = Job(End(ended(2), response(b"o" * 32)))
        writer._commit([bad, good])
        assert isinstance(bad.error, StoreError)
        assert good.error is None
        assert connection.execute("SELECT key FROM responses").fetchall() == [(b"o" * 32,)]
        kinds = connection.execute("SELECT id, kind FROM attempts ORDER BY id").fetchall()
        assert kinds == [(1, "under_way"), (2, "answered")]
