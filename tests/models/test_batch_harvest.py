"""Harvesting the files of a batch: an answer counts once, before any failure, and never over one that came first."""

import asyncio
import json
import time

import pytest
from batching import PRICE, QUICK, calls_for

from neuter.models.batch.harvest import Incomplete, harvest
from neuter.models.batch.remote import Remote
from neuter.models.batch.rows import (
    ANSWERED,
    ONLINE,
    Intent,
    close,
    intend,
    open_batches,
    place_of,
    read_closed,
)
from neuter.models.batch.transport import Refused
from neuter.models.costs import Costs
from neuter.models.keys import canonical, prompt_hash
from neuter.models.replies import Fault
from neuter.models.retry import Kind
from neuter.models.store import Store
from neuter.models.store.records import Attempt, Ended, StoredResponse
from neuter.types import Outcome

URL = "http://127.0.0.1:9/v1"


class Files:
    """A server that has nothing but files."""

    policy = QUICK
    where = "here"

    def __init__(self, **files):
        self.files, self.fetched = files, 0

    async def download(self, name, into):
        self.fetched += 1
        if name not in self.files:
            raise Refused(Fault(404, "", "no such file"))
        into.write(b"".join(json.dumps(line).encode() + b"\n" for line in self.files[name]))
        into.seek(0)

    async def delete(self, name):
        raise AssertionError("there is no input file")

    def without_key(self, text):
        return text


def answer(call, text, tokens=4):
    usage = {"prompt_tokens": 2, "completion_tokens": tokens}
    message = {"role": "assistant", "content": text}
    body = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    return {"custom_id": call.key.hex(), "response": {"status_code": 200, "body": body}}


def failure(call, status=500):
    return {
        "custom_id": call.key.hex(),
        "response": {"status_code": status, "body": {"error": {"message": "no"}}},
    }


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "s.sqlite") as opened:
        yield opened


def intended(store, calls, name="b"):
    intent = Intent(name, "lo/m", URL, None, store.session)
    keys = store.write(
        lambda connection: intend(
            connection, intent, calls, new_attempt=store.new_attempt, estimate=lambda _: 0.5, rounds={}
        )
    )
    assert keys == {call.key for call in calls}
    return next(batch for batch in open_batches(store) if batch.id == name)


def harvested(store, batch, status="completed", done=0, **files):
    remote = Remote("batch_1", status, output_file="output", error_file="errors", done=done)
    server = Files(**{"output": [], "errors": [], **files})
    asyncio.run(harvest(batch, remote, server=server, store=store, costs=Costs(PRICE)))
    return server


def ledger(store):
    query = "SELECT kind, cost, estimated_cost FROM attempts ORDER BY id"
    return store.read(lambda connection: connection.execute(query).fetchall())


def test_the_first_of_two_answers_counts_wherever_the_second_stands(store):
    """A second line in the same piece, in another file, and in a second harvest changes neither text nor cost."""
    calls = calls_for(URL, 2)
    batch = intended(store, calls)
    first = [answer(calls[0], "first"), answer(calls[0], "second", 400), answer(calls[1], "first")]
    harvested(store, batch, output=first, errors=[answer(calls[1], "third", 400), failure(calls[0])])
    harvested(store, batch, output=[answer(calls[0], "fourth", 400)])
    assert [store.find(call.key).text for call in calls] == ["first", "first"]
    assert ledger(store) == [("answered", pytest.approx(18e-6), None)] * 2


def test_an_answer_counts_before_a_failure_that_stands_before_it(store):
    calls = calls_for(URL, 2)
    batch = intended(store, calls)
    harvested(
        store,
        batch,
        output=[failure(calls[0]), failure(calls[1]), answer(calls[0], "yes")],
        errors=[answer(calls[1], "yes")],
    )
    assert [kind for kind, _, _ in ledger(store)] == ["answered", "answered"]


def test_the_first_of_two_failures_is_the_one_that_is_kept(store):
    [call] = calls_for(URL, 1)
    harvested(store, intended(store, [call]), output=[failure(call, 400)], errors=[failure(call, 504)])
    assert ledger(store) == [("rejected", None, None)]


def test_lines_of_requests_that_the_batch_does_not_hold_change_nothing(store):
    calls = calls_for(URL, 2)
    harvested(
        store, intended(store, calls[:1]), output=[answer(calls[1], "whose?"), answer(calls[0], "mine")]
    )
    assert store.find(calls[1].key) is None
    assert store.find(calls[0].key).text == "mine"


def test_an_answer_that_came_online_meanwhile_stays(store):
    """Both were paid for, and the ledger has both; the response in force is the one that was there first."""
    [call] = calls_for(URL, 1)
    batch = intended(store, [call])
    asyncio.run(answered_online(store, call, "9999-01-01T00:00:00.000+00:00"))
    harvested(store, batch, output=[answer(call, "batch")])
    assert store.find(call.key).text == "online"
    assert [kind for kind, _, _ in ledger(store)] == ["answered", "answered"]
    assert store.read(
        lambda connection: connection.execute("SELECT count(*) FROM earlier_responses").fetchone()
    ) == (0,)


async def answered_online(store, call, when):
    online = Attempt(store.new_attempt(), call.key, 1, "lo/m", URL, store.session, when, time.time() + 9)
    await store.begin(online)
    response = StoredResponse(
        key=call.key,
        prompt=prompt_hash(call.body),
        messages=canonical(call.body["messages"]),
        model="lo/m",
        base_url=URL,
        parameters="{}",
        sample=0,
        outcome=Outcome.ANSWERED,
        text="online",
        finish_reason="stop",
        reason="",
        server_model=None,
        fingerprint=None,
        prompt_tokens=None,
        completion_tokens=None,
        latency=0.1,
        created_at=when,
    )
    await store.end(Ended(online.id, 0.1, 200, "answered"), response)


@pytest.mark.parametrize(
    ("status", "done"), [("completed", 3), ("completed", 0), ("expired", 3), ("completed", 9)]
)
def test_what_the_server_did_and_its_files_lack_is_fetched_again_and_keeps_the_batch_open(
    store, status, done
):
    """To ask for it again would be to pay for it again: that is the user's to say."""
    calls = calls_for(URL, 3)
    batch = intended(store, calls)
    told = "of the 3 requests that batch batch_1 is said to have done, its files hold 2"
    with pytest.raises(Incomplete, match=f"{told}.*--give-up batch_1") as caught:
        harvested(store, batch, status, done, output=[answer(calls[0], "yes")], errors=[failure(calls[1])])
    assert [one.cost for one in caught.value.settled] == [pytest.approx(18e-6), None]
    assert [row[0] for row in ledger(store)] == ["answered", "transient", "under_way"]
    assert [one.id for one in open_batches(store)] == ["b"]


def test_files_that_are_complete_only_when_they_are_fetched_again_close_the_batch(store):
    calls = calls_for(URL, 2)
    batch, whole = intended(store, calls), [answer(call, "yes") for call in calls]
    server = Files(errors=[], output=whole[:1])
    fetch = server.download

    async def late(name, into):
        server.files["output"] = whole if server.fetched > 3 else whole[:1]
        await fetch(name, into)

    server.download = late
    remote = Remote("batch_1", "completed", output_file="output", error_file="errors", done=2)
    asyncio.run(harvest(batch, remote, server=server, store=store, costs=Costs(PRICE)))
    assert server.fetched == 6
    assert [kind for kind, _, _ in ledger(store)] == ["answered", "answered"]
    assert open_batches(store) == []


def test_half_a_surrogate_pair_in_a_line_stops_no_other_line(store):
    calls = calls_for(URL, 4)
    spoilt, word = failure(calls[0], 400), answer(calls[1], "fine")
    spoilt["response"]["body"]["error"]["message"] = "cut \ud83d"
    word["response"]["body"]["choices"][0]["finish_reason"] = "\ude00"
    error = {
        "custom_id": calls[2].key.hex(),
        "response": None,
        "error": {"message": "\ud83d!", "code": "\ud83d"},
    }
    harvested(
        store, intended(store, calls), output=[spoilt, word, error, answer(calls[3], "\U0001f600 \ud83d")]
    )
    assert [kind for kind, _, _ in ledger(store)] == ["rejected", "answered", "transient", "answered"]
    assert store.find(calls[1].key).finish_reason == "\ufffd"
    assert store.find(calls[3].key).text == "\U0001f600 \ufffd"
    reasons = store.read(
        lambda connection: connection.execute("SELECT reason FROM attempts ORDER BY id").fetchall()
    )
    assert reasons[0][0] == "the server answered 400: cut \ufffd"
    assert reasons[2][0] == "the server said: \ufffd!"


@pytest.mark.parametrize(
    ("status", "done", "kind"),
    [
        ("expired", 1, "transient"),
        ("cancelled", 0, "transient"),
        ("completed", 1, "ambiguous"),
    ],
)
def test_what_the_server_says_that_it_did_not_do_is_not_billed_unless_the_batch_is_complete(
    store, status, done, kind
):
    """Of two requests one is in the files; the server says that it did ``done`` (0: it does not say)."""
    calls = calls_for(URL, 2)
    harvested(store, intended(store, calls), status, done, output=[answer(calls[0], "yes")])
    assert [row[0] for row in ledger(store)] == ["answered", kind]
    assert ledger(store)[1][2] == (0.5 if kind == "ambiguous" else None)
    closed = store.read(lambda connection: read_closed(connection, "b"))
    assert closed.state == ("cancelled" if status == "cancelled" else "harvested")


def test_where_a_call_is_that_need_not_be_sent(store):
    """In the store, in an open batch, online with somebody, or nowhere; and nowhere again once a batch has failed."""
    kept, held, online, free = calls_for(URL, 4)
    place = lambda call: store.read(lambda connection: place_of(connection, call, URL))  # noqa: E731
    asyncio.run(answered_online(store, kept, "2026-01-01T00:00:00.000+00:00"))
    intended(store, [held], "batch-1")
    lease = time.time() + 60
    attempt = Attempt(store.new_attempt(), online.key, 1, "lo/m", URL, store.session, "2026-01-01", lease)
    asyncio.run(store.begin(attempt))
    assert [place(call) for call in (kept, held, online, free)] == [ANSWERED, "batch-1", ONLINE, None]
    store.write(lambda connection: close(connection, "batch-1", "failed", Kind.TRANSIENT, "no"))
    assert place(held) is None
    store.write(lambda connection: connection.execute("UPDATE attempts SET lease = 1").rowcount)
    assert place(online) is None
