"""Batches through crashes: after whatever step a process dies, the next one loses nothing and pays for nothing twice."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from batching import batches_for, calls_for, client_for, echo, filled, kinds, states, table, texts

from neuter.models.batch import harvest, open_batches, rows
from neuter.models.batch.rows import INTENDED, SUBMITTED, UPLOADED
from neuter.models.batch.submit import Submitter
from neuter.models.batch.transport import BatchServer
from neuter.models.store import Store
from neuter.models.testing import loopback_server
from neuter.models.testing.batch import tell_batches
from neuter.models.testing.process import loopback_process

HERE = Path(__file__).parent
ALL = {f"question {i}": f"answer to question {i}" for i in range(8)}


class Died(BaseException):
    """Stands for the end of a process: nothing in the package catches it."""


def dies(*_, **__):
    raise Died


async def dies_later(*_, **__):
    raise Died


def at_upload(patch):
    patch.setattr(BatchServer, "upload", dies_later)


def before_upload_is_recorded(patch):
    real = Submitter._advance

    async def advance(self, batch, state, **values):
        if state == UPLOADED:
            raise Died
        await real(self, batch, state, **values)

    patch.setattr(Submitter, "_advance", advance)


def at_creation(patch):
    patch.setattr(BatchServer, "create", dies_later)


def before_creation_is_recorded(patch):
    real = BatchServer.create

    async def create(self, *values):
        await real(self, *values)
        raise Died

    patch.setattr(BatchServer, "create", create)


def at_the_first_look(patch):
    patch.setattr(BatchServer, "retrieve", dies_later)


def before_an_answer_is_kept(patch):
    patch.setattr(BatchServer, "download", dies_later)


def in_the_middle_of_the_harvest(patch):
    """One piece of three lines is kept, and the process dies before the next."""
    real = harvest._pieces
    patch.setattr(harvest, "PIECE", 3)

    def one_piece(lines):
        yield next(real(lines))
        raise Died

    patch.setattr(harvest, "_pieces", one_piece)


def before_the_harvest_is_recorded(patch):
    real = harvest.heard

    def heard(connection, batch):
        real(connection, batch)
        raise Died

    patch.setattr(harvest, "heard", heard)


def at_the_deletion_of_the_input(patch):
    patch.setattr(BatchServer, "delete", dies_later)


#: Where the process dies; what the batch's state is then; how many of the eight answers are in the store; and how
#: many attempts were entered and never sent.
DEATHS = {
    at_upload: (INTENDED, 0, 8),
    before_upload_is_recorded: (INTENDED, 0, 8),
    at_creation: (UPLOADED, 0, 8),
    before_creation_is_recorded: (UPLOADED, 0, 0),
    at_the_first_look: (SUBMITTED, 0, 0),
    before_an_answer_is_kept: (SUBMITTED, 0, 0),
    in_the_middle_of_the_harvest: (SUBMITTED, 3, 0),
    before_the_harvest_is_recorded: (SUBMITTED, 8, 0),
    at_the_deletion_of_the_input: ("harvested", 8, 0),
}


@pytest.mark.parametrize("death", DEATHS, ids=lambda death: death.__name__)
def test_after_a_death_the_next_run_asks_and_pays_for_nothing_twice(tmp_path, monkeypatch, death):
    state, kept, never_sent = DEATHS[death]
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        calls = calls_for(server.base_url, 8)
        with monkeypatch.context() as patch:
            death(patch)
            with pytest.raises(Died):
                filled(store, server.base_url, calls)
        assert states(store) == {state: 1}
        assert len(texts(store)) == kept
        assert filled(store, server.base_url, calls) == {}
        assert (server.requests, server.most) == (8, 1)
        # Only what was uploaded can have been created: for nothing else the server's list is looked through.
        assert ("list" in tell_batches(server.base_url)["calls"]) == (state == UPLOADED)
    assert texts(store) == ALL
    assert kinds(store) == {"answered": 8} | ({"unreachable": never_sent} if never_sent else {})
    # Two words asked and four answered, at 2 and 8 dollars a million, half of it in a batch.
    [(cost, possibly)] = table(store, "SELECT sum(cost), sum(estimated_cost) FROM attempts")
    assert cost == pytest.approx(8 * (2 * 2 + 4 * 8) / 1e6 / 2)
    assert possibly is None


def test_a_batch_of_an_earlier_process_that_the_server_refused_is_made_anew(tmp_path, monkeypatch):
    """What was wrong then may be right by now; only a refusal of what this process made is an error."""
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, faults=["batch-fails"], times=1)
        calls = calls_for(server.base_url, 8)
        with monkeypatch.context() as patch:
            at_the_first_look(patch)
            with pytest.raises(Died):
                filled(store, server.base_url, calls)
        assert filled(store, server.base_url, calls) == {}
        assert server.requests == 8
    assert states(store) == {"failed": 1, "harvested": 1}
    assert kinds(store) == {"transient": 8, "answered": 8}


def test_a_batch_found_again_needs_no_metadata_where_the_server_keeps_none(tmp_path, monkeypatch):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, keeps_metadata=False)
        calls = calls_for(server.base_url, 8)
        with monkeypatch.context() as patch:
            before_creation_is_recorded(patch)
            with pytest.raises(Died):
                filled(store, server.base_url, calls)
        assert filled(store, server.base_url, calls) == {}
        assert (server.requests, tell_batches(server.base_url)["batches"]) == (8, 1)


def test_a_lost_batch_is_found_on_a_later_page_of_a_long_list(tmp_path, monkeypatch):
    """The server gives 20 batches a page; 45 of others were made since."""
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        calls = calls_for(server.base_url, 8)
        with monkeypatch.context() as patch:
            before_creation_is_recorded(patch)
            with pytest.raises(Died):
                filled(store, server.base_url, calls)
        filled(
            tmp_path / "other.sqlite",
            server.base_url,
            calls_for(server.base_url, 45, start=100),
            most_requests=1,
        )
        assert filled(store, server.base_url, calls) == {}
        assert (server.requests, server.most) == (53, 1)
        assert tell_batches(server.base_url)["calls"]["list"] == 3


def test_a_batch_that_the_list_does_not_show_at_once_is_looked_for_again(tmp_path):
    """The reply to the creation is lost, and the list is behind: waiting a moment is cheaper than a second batch."""
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, faults=["batch-lost-reply"], hidden=0.15)
        assert filled(store, server.base_url, calls_for(server.base_url, 8), settle=0.3) == {}
        assert (server.requests, tell_batches(server.base_url)["batches"]) == (8, 1)


def test_an_interrupted_wait_keeps_the_ids_and_another_run_of_fewer_calls_harvests_all(tmp_path):
    store = tmp_path / "s.sqlite"

    async def interrupted(batches, calls):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(batches.fill(calls), 0.3)

    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, delay=0.5)
        calls = calls_for(server.base_url, 8)
        filled(store, server.base_url, calls, then=interrupted)
        with Store(store) as opened:
            [batch] = open_batches(opened, "lo/m")
            assert (batch.state, batch.requests, batch.remote) == (SUBMITTED, 8, "batch_000002")
            assert open_batches(opened, "lo/other") == []
        time.sleep(0.5)
        assert filled(store, server.base_url, calls[:2]) == {}
        assert (server.requests, server.most, tell_batches(server.base_url)["batches"]) == (8, 1, 1)
    assert texts(store) == ALL


def test_two_processes_with_the_same_requests_make_each_once(tmp_path):
    store, reasons = tmp_path / "s.sqlite", {}
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, delay=0.2)
        calls = calls_for(server.base_url, 30)

        def run(name, mine):
            reasons[name] = filled(store, server.base_url, mine, most_requests=7)

        threads = [
            threading.Thread(target=run, args=(name, calls[at:])) for name, at in (("a", 0), ("b", 10))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert (server.requests, server.most) == (30, 1)
    assert reasons == {"a": {}, "b": {}}
    assert kinds(store) == {"answered": 30}
    assert len(texts(store)) == 30


def test_a_batch_that_a_living_process_is_about_to_create_is_left_to_it(tmp_path):
    """The other process has intended and not yet uploaded: its keys are waited for, not sent."""
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        calls = calls_for(server.base_url, 8)

        async def run():
            with Store(store) as first, Store(store) as second:
                async with client_for(server.base_url) as client:
                    one, two = (batches_for(server.base_url, opened, client) for opened in (first, second))
                    gate, upload = asyncio.Event(), one._server.upload

                    async def slow(*values):
                        await gate.wait()
                        return await upload(*values)

                    one._server.upload = slow
                    tasks = [asyncio.create_task(one.fill(calls))]
                    await asyncio.sleep(0.1)
                    tasks.append(asyncio.create_task(two.fill(calls)))
                    await asyncio.sleep(0.3)
                    assert tell_batches(server.base_url)["batches"] == 0
                    gate.set()
                    return await asyncio.gather(*tasks)

        assert asyncio.run(run()) == [{}, {}]
        assert (server.requests, server.most) == (8, 1)
    assert states(store) == {"harvested": 1}


def test_a_process_that_takes_longer_to_create_a_batch_than_its_lease_is_not_waited_for(
    tmp_path, monkeypatch
):
    """It lives (it is this one), yet an hour after the intent it will not create the batch any more."""
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server, Store(store) as living:
        calls = calls_for(server.base_url, 8)
        lease = {"now": 60.0, "over": -1.0}
        for when, found in (("now", {INTENDED: 1}), ("over", {"lost": 1, "harvested": 1})):

            async def stuck():
                async with client_for(server.base_url) as client:
                    one = batches_for(server.base_url, living, client)
                    one._server.upload = dies_later
                    with pytest.raises(Died):
                        await one.fill(calls)

            async def impatient(batches, calls):
                return await asyncio.wait_for(batches.fill(calls), 0.5)

            monkeypatch.setattr(rows, "CREATION_LEASE", lease[when])
            asyncio.run(stuck())
            if when == "now":
                with pytest.raises(TimeoutError):
                    filled(store, server.base_url, calls, then=impatient)
            else:
                assert filled(store, server.base_url, calls, then=impatient) == {}
            assert states(store) == found
            living.write(lambda connection: connection.execute("DELETE FROM batches").rowcount)
            living.write(lambda connection: connection.execute("DELETE FROM batch_requests").rowcount)


CHILD = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
from batching import calls_for, filled
from neuter.models.retry import RetryPolicy
policy = RetryPolicy(first_wait=0.01, longest_wait=0.05, total=20.0, attempts=12)
reasons = filled(
    Path({store!r}), {url!r}, calls_for({url!r}, 120), policy=policy, most_requests=3, settle=0.1, timeout=1.0
)
print("DONE", reasons, flush=True)
"""


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_random_moments_with_faults_on_every_request_is_answered_once(tmp_path, kills):
    """kill -9 at random moments, with lost replies, dropped connections and broken files all along."""
    store, chance = tmp_path / "s.sqlite", random.Random(3)
    with loopback_process() as server:
        tell_batches(
            server.base_url,
            faults=["drop", "batch-lost-reply", "500", "batch-duplicate", "half", "429"],
            every=3,
            delay=0.05,
        )
        code = CHILD.format(here=str(HERE), store=str(store), url=server.base_url)
        for _ in range(kills):
            child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
            time.sleep(chance.uniform(0.6, 1.6))
            os.kill(child.pid, signal.SIGKILL)
            child.communicate()
        tell_batches(server.base_url, faults=[])
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.stdout.strip() == "DONE {}", done.stderr
        counts = server.counts()
    found = kinds(store)
    assert found["answered"] == 120
    assert counts["requests"] == 120 + found.get("ambiguous", 0)
    assert len(texts(store)) == 120
    assert table(store, "PRAGMA integrity_check") == [("ok",)]
    assert set(states(store)) <= {"harvested", "lost", "failed"}
