"""Two processes on one store: each request is sent by one of them, and a dead one holds nobody up."""

import contextlib
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from asking import questions

from neuter.models import Store, connect
from neuter.models.dispatch import on_loop
from neuter.models.retry import RetryPolicy
from neuter.models.store.records import Attempt, Begun, Ended, Held
from neuter.models.testing import loopback_server

CHILD = """
import sys
from pathlib import Path
from neuter.models import connect
from neuter.types import Request
store, config, count = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
with connect("lo/m", store=store, config=config, concurrency=8) as model:
    asked = [Request(str(i), (("user", f"question {i}"),)) for i in range(count)]
    print("GO", flush=True)
    print(sum(r.text == f"answer to question {r.id}" for r in model.ask(asked)), model.usage.made)
"""


def echo(body):
    return "answer to " + body["messages"][-1]["content"]


def rows(path, query):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture
def child(tmp_path):
    with contextlib.ExitStack() as stack:

        def start(server, count):
            config = tmp_path / "n.toml"
            config.write_text(f'[providers.lo]\nbase_url = "{server.base_url}"\n')
            arguments = [sys.executable, "-c", CHILD, str(tmp_path / "s.sqlite"), str(config), str(count)]
            process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
            stack.callback(process.kill)
            assert process.stdout.readline() == "GO\n"
            return process

        yield start


def test_two_processes_with_the_same_requests_send_each_once(child):
    with loopback_server(answer=echo, delay=0.1) as server:
        first, second = child(server, 100), child(server, 100)
        told = [process.communicate(timeout=60)[0].split() for process in (first, second)]
    assert [answers for answers, _ in told] == ["100", "100"]
    made = [int(made) for _, made in told]
    assert sum(made) == 100
    assert min(made) > 0, "both must have worked at once for this to show anything"
    assert (server.requests, server.unique) == (100, 100)


def test_what_a_killed_process_had_under_way_is_sent_by_the_other_at_once(child, tmp_path):
    with loopback_server(answer=echo, delay=3.0) as server:
        first = child(server, 8)
        wait_for(lambda: server.requests == 8)
        second = child(server, 8)
        time.sleep(0.5)
        assert server.requests == 8
        first.kill()
        server.behaviour.delay = 0.0
        assert second.communicate(timeout=20)[0] == "8 8\n"
    assert server.requests == 16
    assert rows(tmp_path / "s.sqlite", "SELECT kind, count(*) FROM attempts GROUP BY 1 ORDER BY 1") == [
        ("abandoned", 8),
        ("answered", 8),
    ]


def test_two_models_of_one_process_send_a_request_once(tmp_path):
    config = tmp_path / "n.toml"
    with loopback_server(answer=echo, delay=0.3) as server:
        config.write_text(f'[providers.lo]\nbase_url = "{server.base_url}"\n')
        policy = RetryPolicy(first_wait=0.01)
        with (
            connect("lo/m", config=config, policy=policy) as one,
            connect("lo/m", config=config, policy=policy) as other,
        ):
            asking = one.ask(questions(5)), other.ask(questions(5))
            pairs = list(zip(*asking, strict=True))
    assert [a.text == b.text for a, b in pairs] == [True] * 5
    assert server.requests == 5
    assert (one.usage.made + other.usage.made, one.usage.failed + other.usage.failed) == (5, 0)


@pytest.fixture
def two_stores(tmp_path):
    with Store(tmp_path / "s.sqlite") as one, Store(tmp_path / "s.sqlite") as other:
        yield one, other


def begin(store, attempt):
    return on_loop(store.begin(attempt))


def attempt(store, key=b"k" * 32, lease=60.0):
    return Attempt(
        store.new_attempt(), key, 1, "lo/m", "http://h/v1", store.session, "2026-11-30", time.time() + lease
    )


@pytest.mark.parametrize(("lease", "told"), [(60.0, Held), (-1.0, Begun)])
def test_a_request_under_way_elsewhere_is_held_until_its_lease_ends(two_stores, lease, told):
    one, other = two_stores
    assert begin(one, attempt(one, lease=lease)) == Begun()
    assert isinstance(begin(other, attempt(other)), told)


def test_a_request_that_has_ended_is_free_again(two_stores):
    one, other = two_stores
    first = attempt(one)
    begin(one, first)
    on_loop(one.end(Ended(first.id, 0.1, 500, "transient")))
    assert begin(other, attempt(other)) == Begun()


def test_another_machine_is_believed_until_its_lease_ends(two_stores):
    one, other = two_stores
    begin(one, attempt(one))
    one.write(
        lambda c: c.execute("UPDATE sessions SET host = 'elsewhere', pid = 1 WHERE id = ?", (one.session,))
    )
    assert isinstance(begin(other, attempt(other)), Held)
    one.write(lambda c: c.execute("UPDATE attempts SET lease = 0"))
    assert begin(other, attempt(other)) == Begun()


def test_a_reused_pid_is_not_taken_for_the_process_that_had_it(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        store.write(
            lambda c: c.execute(
                "INSERT INTO attempts(id, key, number, session, started_at, lease, kind) "
                "VALUES (1, x'00', 1, ?, '', 1e12, 'under_way')",
                (store.session,),
            )
        )
        store.write(lambda c: c.execute("UPDATE sessions SET pid_started = pid_started - 100"))
        with Store(path):
            assert rows(path, "SELECT kind FROM attempts") == [("abandoned",)]


def wait_for(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)
