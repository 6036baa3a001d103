"""kill -9 at random moments of a run with faults on: nothing is lost, and only what was under way is asked again."""

import json
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing

import pytest

from neuter.models.testing import loopback_server

REQUESTS, KILLS, AT_ONCE = 2000, 20, 16
CHILD = f"""
import sys
from pathlib import Path
from neuter.models import connect
from neuter.models.retry import RetryPolicy
from neuter.types import Request
store, config = map(Path, sys.argv[1:])
asked = (Request(str(i), (("user", f"question {{i}}"),)) for i in range({REQUESTS}))
policy = RetryPolicy(attempts=20, first_wait=0.01, longest_wait=0.05)
with connect("lo/m", store=store, config=config, concurrency={AT_ONCE}, policy=policy, timeout=5) as model:
    answers = going = 0
    for response in model.ask(asked):
        answers += response.text == f"answer to question {{response.id}}"
        if not going and not response.reused:
            going = print("GO", flush=True) or 1
    print("DONE", answers, model.usage.made, model.usage.failed)
"""


def echo(body):
    return "answer to " + body["messages"][-1]["content"]


def read(store, query):
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture
def run(tmp_path):
    """Runs the same command again, killed after so many seconds of asking, or to its end."""
    store, config = tmp_path / "s.sqlite", tmp_path / "n.toml"

    def start(server, seconds=None):
        config.write_text(f'[providers.lo]\nbase_url = "{server.base_url}"\n')
        process = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(store), str(config)], stdout=subprocess.PIPE, text=True
        )
        if seconds is not None:
            assert process.stdout.readline() == "GO\n"  # its first call is answered: its others are under way
            time.sleep(seconds)
            process.kill()
        return process.communicate(timeout=120)[0]

    return start, store


def test_twenty_kills_lose_nothing_and_repeat_only_what_was_under_way(run):
    start, store = run
    random.seed(20261130)
    faults = ("500", "drop", "half", "429", "html", "empty")
    with loopback_server(
        answer=echo, faults=faults, fault_share=0.1, seed=4, delay=0.004, keep_bodies=True
    ) as server:
        for _ in range(KILLS):
            start(server, random.uniform(0, 0.12))
        under_way = Counter(
            dict(
                read(
                    store,
                    "SELECT key, count(*) FROM attempts WHERE kind IN ('under_way', 'abandoned') GROUP BY 1",
                )
            )
        )
        assert read(store, "PRAGMA integrity_check") == [("ok",)]
        answered_before = read(store, "SELECT count(*) FROM responses")[0][0]
        assert 0 < answered_before < REQUESTS, "the kills must fall into the run"
        told = start(server)
    assert told == f"GO\nDONE {REQUESTS} {REQUESTS - answered_before} 0\n"
    assert read(store, "PRAGMA integrity_check") == [("ok",)]
    assert read(store, "SELECT count(*), count(DISTINCT key) FROM responses") == [(REQUESTS, REQUESTS)]
    assert 0 < sum(under_way.values()) <= KILLS * AT_ONCE
    check_the_ledger(store, server, under_way)


def check_the_ledger(store, server, under_way):
    """Each request was answered once; the server was sent what the ledger says, and no more than that."""
    rows = read(store, "SELECT key, kind, count(*) FROM attempts GROUP BY 1, 2")
    kinds = {}
    for key, kind, count in rows:
        kinds.setdefault(key, Counter())[kind] = count
    assert len(kinds) == REQUESTS
    assert all(found["answered"] == 1 and found["under_way"] == 0 for found in kinds.values())
    assert {key: found["abandoned"] for key, found in kinds.items() if found["abandoned"]} == under_way
    prompts = read(store, "SELECT r.key, p.messages FROM responses r JOIN prompts p ON p.hash = r.prompt")
    sent = Counter(body["messages"][-1]["content"] for body in server.bodies)
    for key, messages in prompts:
        found, count = kinds[key], sent[json.loads(messages)[0]["content"]]
        faulted = found.total() - 1 - found["abandoned"]
        # An abandoned attempt may have been killed before its request left the process.
        assert 1 + faulted <= count <= 1 + faulted + found["abandoned"]
