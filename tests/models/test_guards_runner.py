"""Between the user's thread and the loop: who shares a call, who calls it off, what is counted, and the edges."""

import asyncio
import threading
import time
from concurrent.futures import CancelledError
from types import SimpleNamespace

import pytest
from asking import questions

from neuter.errors import ModelError, UsageError
from neuter.models import in_batches
from neuter.models.budget import Budget, SpendingLimits
from neuter.models.caller import Call, Result
from neuter.models.catalog import ModelFacts
from neuter.models.context import read_in_part, too_long
from neuter.models.dispatch import Dispatcher, Waiting, listen, on_loop
from neuter.models.providers import Provider
from neuter.models.retry import Kind, RetryPolicy, kind_of_status, retry_after
from neuter.models.testing import loopback_server
from neuter.models.transport import OpenAITransport

KEY = b"k" * 32


def echo(body):
    return "answer to " + body["messages"][-1]["content"]


class Slow:
    """A caller whose calls end when they are told to; ``sent`` says whether they are with the server."""

    def __init__(self, sent=False):
        self.sent, self.calls, self.cancelled = sent, 0, 0
        self.go = asyncio.Event()

    async def call(self, call, sending):
        self.calls += 1
        if self.sent:
            sending.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return Result(None, "told")


async def nothing():
    await asyncio.sleep(0.02)


@pytest.fixture
def slow():
    made = []

    def make(**options):
        made.append(Slow(**options))
        return made[-1]

    yield make

    async def end():
        for one in made:
            one.go.set()

    on_loop(end())


def test_a_call_that_nobody_wants_is_called_off_and_one_that_somebody_wants_is_not(slow):
    caller, dispatcher = slow(), Dispatcher()
    waiting = dispatcher.start(caller, Call(KEY, {}, 0))
    assert dispatcher.join(KEY) is waiting
    on_loop(nothing())
    dispatcher.leave(waiting)
    on_loop(nothing())
    assert (waiting.wanted, waiting.future.done(), caller.cancelled) == (1, False, 0)
    dispatcher.leave(waiting)
    on_loop(nothing())
    assert (waiting.future.cancelled(), caller.cancelled) == (True, 1)
    assert dispatcher.join(KEY) is None


def test_a_call_that_is_with_the_server_is_not_called_off_for_want_of_interest(slow):
    caller, dispatcher = slow(sent=True), Dispatcher()
    waiting = dispatcher.start(caller, Call(KEY, {}, 0))
    on_loop(nothing())
    dispatcher.leave(waiting)
    on_loop(nothing())
    assert (waiting.future.done(), caller.cancelled) == (False, 0)
    assert dispatcher.join(KEY) is waiting  # whoever asks again shares it


def test_who_joins_in_the_moment_of_the_calling_off_keeps_the_call(slow):
    caller, dispatcher = slow(), Dispatcher()
    waiting = dispatcher.start(caller, Call(KEY, {}, 0))
    on_loop(nothing())

    async def both():
        # The loop is busy here: both happen before it can call anything off.
        dispatcher.leave(waiting)
        assert dispatcher.join(KEY) is waiting

    on_loop(both())
    on_loop(nothing())
    assert (waiting.wanted, caller.cancelled) == (1, 0)


def test_a_call_that_was_called_off_is_not_joined_and_its_end_leaves_the_new_one_alone(slow):
    first, second, dispatcher = slow(), slow(), Dispatcher()
    old = dispatcher.start(first, Call(KEY, {}, 0))
    on_loop(nothing())

    async def call_off_and_start_anew():
        dispatcher._call_off(old, False)
        told = dispatcher._call_off(old, True) or dispatcher.join(KEY)
        return told, dispatcher.start(second, Call(KEY, {}, 0))

    joined, new = on_loop(call_off_and_start_anew())
    on_loop(nothing())
    assert joined is None
    assert old.future.cancelled()
    assert dispatcher.join(KEY) is new


def test_a_call_that_is_called_off_before_it_began_is_never_made(slow):
    caller, dispatcher = slow(), Dispatcher()
    waiting = Waiting(Call(KEY, {}, 0), wanted=0)

    async def in_one_moment():
        dispatcher._calls[KEY] = waiting
        dispatcher._call_off(waiting, False)
        dispatcher._launch(caller, waiting)

    on_loop(in_one_moment())
    on_loop(nothing())
    assert (caller.calls, waiting.task, dispatcher._calls) == (0, None, {})
    with pytest.raises(CancelledError):
        listen(waiting.future)


def test_an_end_is_forgotten_before_it_is_told(slow):
    caller, dispatcher = slow(), Dispatcher()
    waiting = dispatcher.start(caller, Call(KEY, {}, 0))
    seen = []
    waiting.future.add_done_callback(lambda _: seen.append(dict(dispatcher._calls)))

    async def end():
        caller.go.set()

    on_loop(end())
    assert listen(waiting.future) == Result(None, "told")
    assert seen == [{}]
    assert dispatcher.join(KEY) is None


def test_draining_waits_so_long_then_calls_off_and_waits_for_that(slow):
    caller, dispatcher = slow(sent=True), Dispatcher()
    waiting = dispatcher.start(caller, Call(KEY, {}, 0))
    began = time.monotonic()
    dispatcher.drain(0.2)
    assert 0.15 < time.monotonic() - began < 2
    assert (caller.cancelled, waiting.future.cancelled(), dispatcher._calls) == (1, True, {})


# A model


def test_closing_waits_for_what_is_under_way_unless_told_otherwise(connected):
    with loopback_server(answer=echo, delay=0.3) as server:
        for wait, kept in ((None, 1), (0.0, 0)):
            model = connected(server)
            asking = model.ask(questions(1, seed=kept))
            thread = threading.Thread(target=lambda asking=asking: _ignore(asking), daemon=True)
            before = server.requests
            thread.start()
            _until(lambda before=before: server.requests > before)
            model.close(wait=wait)
            thread.join(5)
            with connected(server) as again:
                (response,) = again.ask(questions(1, seed=kept))
                assert response.reused == bool(kept)


def _ignore(asking):
    try:
        list(asking)
    except BaseException:
        return


def _until(condition, seconds=5.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_closing_closes_the_connections(connected, monkeypatch):
    closed, close = [], OpenAITransport.close

    async def watched(transport):
        closed.append(transport)
        await close(transport)

    monkeypatch.setattr(OpenAITransport, "close", watched)
    with loopback_server(answer=echo) as server:
        model = connected(server)
        list(model.ask(questions(1)))
        model.close()
        assert len(closed) == 1
        with connected(server) as idle:
            list(idle.ask(questions(1)))  # out of the store: no connection was made
        assert len(closed) == 1


def test_no_more_is_read_ahead_than_four_for_each_call_at_once(connected):
    read = []

    def source():
        for request in questions(100):
            read.append(request.id)
            yield request

    with loopback_server(answer=echo, delay=0.2) as server, connected(server, concurrency=2) as model:
        asking = model.ask(source())
        assert next(asking).text == "answer to question 0"
        assert len(read) <= 8 + 1
        asking.close()


def test_an_answer_that_is_there_is_given_before_more_is_read(connected):
    read = []

    def source():
        for request in questions(40):
            read.append(request.id)
            yield request

    with loopback_server(answer=echo) as server, connected(server, concurrency=2) as model:
        list(model.ask(questions(40)))
        ahead = [len(read) - count for count, _ in enumerate(model.ask(source()))]
    assert set(ahead) == {1}  # all are in the store: each is read and given at once


def test_what_is_not_wanted_any_more_is_not_sent(connected):
    with loopback_server(answer=echo, delay=0.1) as server:
        with connected(server, concurrency=2) as model:
            asking = model.ask(questions(100))
            next(asking)
            asking.close()
        assert server.requests <= 2 + 2 + 1


def test_one_answer_for_two_requests_is_paid_once_and_reused_once(connected):
    with loopback_server(answer=echo, delay=0.05) as server, connected(server) as model:
        twice = [*questions(1), *questions(1)]
        told = [r.reused for r in model.ask(twice)]
        usage = model.usage
    assert told == [False, True]
    assert (server.requests, usage.made, usage.reused, usage.attempts) == (1, 1, 1, 1)
    assert (usage.prompt_tokens, usage.completion_tokens) == (2, 4)


def test_an_answer_that_another_brought_meanwhile_is_reused_and_not_paid(connected):
    told = {}

    def ask(name, model):
        told[name] = [r.reused for r in model.ask(questions(4))]

    with (
        loopback_server(answer=echo, delay=0.4) as server,
        connected(server) as one,
        connected(server) as other,
    ):
        threads = [threading.Thread(target=ask, args=pair) for pair in (("one", one), ("other", other))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        usages = one.usage, other.usage
    # Each request was sent by one of the two, and the other waited for its answer.
    assert server.requests == 4
    assert [a != b for a, b in zip(told["one"], told["other"], strict=True)] == [True] * 4
    assert sum(u.made for u in usages) == sum(u.reused for u in usages) == 4
    assert sum(u.attempts for u in usages) == 4


def test_attempts_are_counted_and_not_calls(connected):
    with loopback_server(answer=echo, faults=["500"], times=2) as server, connected(server) as model:
        list(model.ask(questions(1)))
    assert (model.usage.attempts, model.usage.made) == (3, 1)


@pytest.mark.parametrize(("options", "seconds"), [({}, 0.3), ({"timeout": 0.1}, 0.1)])
def test_the_time_of_an_attempt_is_the_providers_where_nothing_is_said(connected, options, seconds):
    policy = RetryPolicy(attempts=1)
    with (
        loopback_server(delay=1.0) as server,
        connected(server, extra="timeout = 0.3", policy=policy, **options) as model,
    ):
        (response,) = model.ask(questions(1))
    assert f"no answer within {seconds} seconds" in response.reason


def test_a_limit_on_cost_without_a_price_is_refused_before_the_store_is_opened(connected, tmp_path):
    with loopback_server() as server, pytest.raises(UsageError):
        connected(server, budget=Budget("r", SpendingLimits(max_cost=1.0)))
    assert not (tmp_path / "store.sqlite").exists()


# In batches


def test_a_slice_ends_with_its_requests_or_its_characters(monkeypatch):
    def look_up(request):
        return Call(request.id.encode(), {}, 0)

    def sizes(requests):
        return [len(part.places) for part in in_batches.slices(requests, look_up)]

    monkeypatch.setattr(in_batches, "SLICE", 4)
    assert sizes(questions(9)) == [4, 4, 1]
    assert sizes(questions(4)) == [4]
    assert sizes([]) == []
    monkeypatch.setattr(in_batches, "SLICE_CHARACTERS", 20)  # "question 0" has ten
    assert sizes(questions(5)) == [2, 2, 1]


def test_a_key_that_stands_twice_in_a_slice_is_one_call():
    one, same, other = Call(b"1", {}, 0), Call(b"1", {}, 0), Call(b"2", {}, 0)
    part = in_batches.Slice([(None, one), (None, other), (None, same)])
    assert [call.key for call in part.calls] == [b"1", b"2"]


def test_waiting_for_batches_that_is_interrupted_ends_the_waiting(monkeypatch):
    ended = threading.Event()

    class Endless:
        async def fill(self, calls, told):
            try:
                await asyncio.sleep(60)
            finally:
                ended.set()

    def interrupt(future):
        time.sleep(0.05)
        raise KeyboardInterrupt

    monkeypatch.setattr(in_batches, "listen", interrupt)
    with pytest.raises(KeyboardInterrupt):
        in_batches.fill(Endless(), [], None)
    assert ended.wait(2)


@pytest.mark.parametrize(
    ("kind", "path"), [("openai", "/v1/chat/completions"), ("azure", "/chat/completions")]
)
def test_a_batchs_lines_have_the_path_of_their_server(kind, path):
    provider = Provider("lo", base_url="http://127.0.0.1:1", kind=kind, api_version="2024-10-21")

    class Client(OpenAITransport):
        def __init__(self):
            self.without_key = str
            self.client = SimpleNamespace(base_url="http://127.0.0.1:1")

    async def make():
        return in_batches.batches_of(
            "lo/m",
            SimpleNamespace(provider=provider, base_url="u"),
            Client(),
            store=None,
            costs=SimpleNamespace(price=None),
            policy=RetryPolicy(),
            budget=Budget(),
        )

    assert on_loop(make())._settings.url == path


def test_a_batch_that_has_ended_stops_nobody_online(connected):
    model = connect_with_batch(connected)
    store, key = model._store, KEY
    in_batches.refuse_to_pay_twice(store, "lo/m", key)  # its attempt has ended
    store.write(lambda c: c.execute("UPDATE attempts SET kind = 'under_way'"))
    with pytest.raises(ModelError, match=r"waits in batch remote-1 \(made 2026-11-30T00:00, 1 requests\)"):
        in_batches.refuse_to_pay_twice(store, "lo/m", key)
    store.write(lambda c: c.execute("UPDATE batches SET remote = NULL"))
    with pytest.raises(ModelError, match="waits in batch b1"):
        in_batches.refuse_to_pay_twice(store, "lo/m", key)
    model.close()


def connect_with_batch(connected):
    model = connected(SimpleNamespace(base_url="http://127.0.0.1:9/v1"))

    def put(c):
        c.execute("INSERT INTO prompts VALUES (x'01', '[]')")
        c.execute(
            "INSERT INTO batches(id, model, base_url, state, requests, remote, created_at, changed_at) "
            "VALUES ('b1', 'lo/m', 'u', 'submitted', 1, 'remote-1', '2026-11-30T00:00:00.000', '')"
        )
        c.execute("INSERT INTO batch_requests VALUES ('b1', ?, x'01', '{}', 0, 5)", (KEY,))
        c.execute(
            "INSERT INTO attempts(id, key, number, started_at, kind, channel) VALUES (5, ?, 1, '', 'answered', 'batch')",
            (KEY,),
        )

    model._store.write(put)
    return model


# Waits and contexts at their edges


def test_a_wait_that_a_server_asked_for_is_kept_with_next_to_no_jitter():
    policy = RetryPolicy()
    waits = [policy.wait(1, 20.0) for _ in range(200)]
    assert 20.0 <= min(waits) <= max(waits) <= 20.1
    waits = [policy.wait(3, None) for _ in range(200)]
    assert 1.0 <= min(waits) < 1.2 < 1.8 < max(waits) <= 2.0


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (500, Kind.TRANSIENT),
        (501, Kind.TRANSIENT),
        (425, Kind.TRANSIENT),
        (524, Kind.AMBIGUOUS),
        (407, Kind.HOPELESS),
        (400, Kind.REJECTED),
        (499, Kind.REJECTED),
        (399, Kind.ANSWERED),
    ],
)
def test_statuses_at_the_edges(status, kind):
    assert kind_of_status(status) is kind


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
    ],
)
def test_waits_at_the_edges(headers, seconds):
    assert retry_after(headers, now=1445412490.0) == seconds


class Exact:
    exact = True

    def __init__(self, tokens):
        self.tokens = tokens

    def count(self, _):
        return self.tokens


@pytest.mark.parametrize(("words", "fits"), [(9, True), (10, False)])
def test_a_text_that_fills_the_context_leaves_no_room_for_an_answer(words, fits):
    facts = ModelFacts("lo/m", context=10)
    text = " ".join(["word"] * words)
    assert (too_long([("user", text)], facts, lambda _: Exact(words)) == "") == fits


@pytest.mark.parametrize(("tokens", "fits"), [(9, True), (10, False)])
def test_with_a_vocabulary_the_last_token_counts(tokens, fits):
    facts = ModelFacts("lo/m", context=10)
    assert (too_long([("user", "twelve chars")], facts, lambda _: Exact(tokens)) == "") == fits


def test_a_server_that_read_as_many_tokens_as_there_are_words_may_have_read_all():
    asked = [("user", "one two three")]
    assert read_in_part(asked, 3) == ""
    assert read_in_part(asked, 0) == ""
    assert read_in_part(asked, None) == ""
    assert "only 2 tokens" in read_in_part(asked, 2)
