"""One call against a transport that is told what to do: what it costs, when it ends, what the ledger says of it."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from neuter.errors import LimitReached, ModelError
from neuter.models import Store
from neuter.models.budget import Budget, SpendingLimits
from neuter.models.caller import Call, Caller, read_reply
from neuter.models.costs import Costs
from neuter.models.dispatch import on_loop
from neuter.models.limits import Limits
from neuter.models.prices import Price
from neuter.models.providers import Provider
from neuter.models.replies import Reply
from neuter.models.retry import Kind, RetryPolicy
from neuter.models.store.sessions import LEASE_MARGIN
from neuter.models.transport import NoReply
from neuter.types import Outcome

#: A dollar for a token each way. The estimate of a call: 4 around the message, 8 // 4 characters, 4 of answer: 10.
PRICE = Price(input=1_000_000, output=1_000_000)
POLICY = RetryPolicy(first_wait=0.01, longest_wait=0.02, total=10.0)


def good(prompt_tokens=3, completion_tokens=1, **more):
    message = {"role": "assistant", "content": "hello"}
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    raw = {"model": "served", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    return Reply(200, json.dumps({**raw, **more}))


def bad(status, wait=None, **error):
    return Reply(status, json.dumps({"error": error}), {} if wait is None else {"retry-after": str(wait)})


def call(name=0, **parameters):
    body = {"model": "m", "messages": [{"role": "user", "content": f"please {name}"}], "max_tokens": 4}
    return Call(bytes([name]) * 32, {**body, **parameters}, 0)


class Told:
    """A transport that answers with ``script``, one after the other and the last for ever."""

    address = "http://told/v1"

    def __init__(self, *script):
        self.script, self.sent, self.times = list(script), [], []

    async def send(self, body):
        self.sent.append(body["messages"][-1]["content"])
        self.times.append(time.monotonic())
        told = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(told, float):
            await asyncio.sleep(told)
            return good()
        if isinstance(told, Exception):
            raise told
        return told


class World:
    def __init__(self, store):
        self.store, self.budget, self.limits = store, None, None

    def run(
        self, transport, scenario, *, policy=POLICY, limits=None, timeout=5.0, concurrency=8, most=8, **caps
    ):
        """What ``scenario(caller)`` comes to, on the background loop."""

        async def go():
            self.budget = Budget("r", limits)
            self.budget.start(self.store)
            self.limits = Limits(most, **caps)
            caller = Caller(
                model="lo/m",
                provider=Provider("lo", base_url="http://told/v1"),
                transport=transport,
                base_url="http://told/v1",
                store=self.store,
                limits=self.limits,
                concurrency=concurrency,
                policy=policy,
                timeout=timeout,
                budget=self.budget,
                costs=Costs(PRICE),
            )
            return await asyncio.wait_for(scenario(caller), 20)

        return on_loop(go())

    def one(self, transport, **options):
        return self.run(transport, lambda caller: caller.call(call(), asyncio.Event()), **options)

    def rows(self, columns):
        self.store.flush()
        return self.store.read(lambda c: c.execute(f"SELECT {columns} FROM attempts ORDER BY id").fetchall())


@pytest.fixture
def world(tmp_path):
    with Store(Path(tmp_path) / "s.sqlite") as store:
        yield World(store)


def test_an_answer_is_kept_with_all_that_it_said(world):
    usage = {
        "prompt_tokens": 30,
        "completion_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 20},
        "completion_tokens_details": {"reasoning_tokens": 7},
    }
    result = world.one(Told(good(usage=usage, system_fingerprint="fp", provider="who")))
    kept = world.store.find(call().key)
    assert result.response == kept
    assert (kept.prompt_tokens, kept.completion_tokens, kept.cached_tokens, kept.reasoning_tokens) == (
        30,
        10,
        20,
        7,
    )
    assert (kept.fingerprint, kept.server_model, json.loads(kept.extra)) == (
        "fp",
        "served",
        {"provider": "who"},
    )
    # The model has a column of its own, and the messages a table.
    assert json.loads(kept.parameters) == {"max_tokens": 4}
    assert world.rows("kind, status, prompt_tokens, completion_tokens, cost, run, number") == [
        ("answered", 200, 30, 10, 40.0, "r", 1)
    ]


@pytest.mark.parametrize(
    ("fault", "attempts", "possibly"),
    [
        (bad(429, message="slow"), 1, 0.0),  # turned away: as if it had never been
        (NoReply("refused", sent=False), 1, 0.0),
        (bad(500, message="oops"), 2, 0.0),  # taken up, and not billed
        (NoReply("broken", sent=True), 2, 10.0),  # perhaps billed: its estimate stands
        (Reply(200, "<html>"), 2, 10.0),
        (bad(408, message="time"), 2, 10.0),
    ],
)
def test_each_end_of_an_attempt_has_its_place_in_the_budget_and_the_ledger(world, fault, attempts, possibly):
    result = world.one(Told(fault, good()))
    assert (result.response.text, result.attempts) == ("hello", 2)
    spent = world.budget.spent
    assert (spent.attempts, spent.cost, spent.possibly) == (attempts, 4.0, possibly)
    assert world.budget._reserved == {}
    assert world.rows("cost, estimated_cost") == [(None, possibly or None), (4.0, None)]


def test_an_attempt_without_an_answer_within_the_deadline_is_possibly_billed(world):
    assert world.one(Told(5.0, good()), timeout=0.1).response.text == "hello"
    assert world.rows("kind, estimated_cost, reason")[0] == (
        "ambiguous",
        10.0,
        "no answer within 0.1 seconds",
    )


def test_a_lease_ends_no_sooner_than_the_attempt_itself(world):
    before = time.time()
    world.one(Told(good()), timeout=30.0)
    ((lease,),) = world.rows("lease")
    assert before + 30 + LEASE_MARGIN <= lease <= time.time() + 30 + LEASE_MARGIN


def test_who_is_called_off_while_the_server_works_is_possibly_billed(world):
    async def scenario(caller):
        sending = asyncio.Event()
        task = asyncio.ensure_future(caller.call(call(), sending))
        await sending.wait()  # a request with the server is told to whoever might call it off
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return caller._places.inside, world.limits._places.inside

    assert world.run(Told(5.0), scenario) == (0, 0)
    assert world.rows("kind, reason, estimated_cost") == [("ambiguous", "called off", 10.0)]
    assert (world.budget.spent.attempts, world.budget.spent.possibly, world.budget._reserved) == (1, 10.0, {})


def test_between_two_attempts_nothing_is_with_the_server(world):
    async def scenario(caller):
        sending = asyncio.Event()
        task = asyncio.ensure_future(caller.call(call(), sending))
        await sending.wait()
        await asyncio.sleep(0.15)
        waiting = sending.is_set()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return waiting

    policy = RetryPolicy(first_wait=5.0)
    assert world.run(Told(bad(500, message="x")), scenario, policy=policy) is False
    assert world.rows("kind, estimated_cost") == [("transient", None)]


def test_a_held_or_kept_request_gives_its_money_back(world):
    async def scenario(caller):
        first = await caller.call(call(), asyncio.Event())
        again = await caller.call(call(), asyncio.Event())
        return first, again

    first, again = world.run(Told(good()), scenario)
    assert (first.kept, first.attempts) == (False, 1)
    assert (again.kept, again.attempts, again.response) == (True, 0, first.response)
    assert (world.budget.spent.attempts, world.budget._reserved) == (1, {})


def test_an_answer_that_another_brought_meanwhile_counts_the_attempts_before_it(world):
    """The first attempt fails; before the second somebody else's response is there."""
    transport = Told(bad(500, message="x"), good())

    async def scenario(caller):
        task = asyncio.ensure_future(caller.call(call(), asyncio.Event()))
        while not transport.sent:
            await asyncio.sleep(0.005)
        other = await caller.call(call(), asyncio.Event())
        return other, await task

    other, waited = world.run(transport, scenario, policy=RetryPolicy(first_wait=1.0))
    assert (other.attempts, other.kept) == (1, False)
    assert (waited.attempts, waited.kept, waited.response) == (1, True, other.response)


def test_once_hopeless_nothing_more_is_sent_and_all_are_told_the_same(world):
    transport = Told(bad(401, message="who are you"))

    async def scenario(caller):
        told = []
        for name in range(3):
            told += await asyncio.gather(caller.call(call(name), asyncio.Event()), return_exceptions=True)
        return told

    told = world.run(transport, scenario)
    assert len(transport.sent) == 1
    assert all(isinstance(error, ModelError) for error in told)
    assert told[0] is told[1] is told[2]


def test_what_stopped_the_run_first_is_what_is_told(world):
    async def scenario(caller):
        first, second = LimitReached("one"), LimitReached("two")
        return caller._stop(first) is first, caller._stop(second) is first

    assert world.run(Told(good()), scenario) == (True, True)


@pytest.mark.parametrize("contact", [1, 3])
def test_a_server_that_is_not_there_is_tried_as_often_as_the_policy_says(world, contact):
    transport = Told(NoReply("refused", sent=False))
    policy = RetryPolicy(first_wait=0.01, first_contact=contact)
    with pytest.raises(ModelError, match="cannot be reached"):
        world.one(transport, policy=policy)
    assert len(transport.sent) == contact


def test_a_server_that_was_never_there_is_not_slowed_down_for(world):
    async def scenario(caller):
        await asyncio.gather(
            *(caller.call(call(name), asyncio.Event()) for name in range(8)), return_exceptions=True
        )

    policy = RetryPolicy(first_wait=0.01, first_contact=50, attempts=3)
    world.run(Told(NoReply("refused", sent=False)), scenario, policy=policy)
    assert world.limits.allowed == 8
    assert world.limits._streak == 0


@pytest.mark.parametrize(("status", "wait"), [(429, 10), (429, 60), (503, 60)])
def test_a_wait_as_long_as_a_call_may_take_stops_the_run(world, status, wait):
    transport = Told(bad(status, wait=wait, message="slow"))
    with pytest.raises(ModelError, match=f"asks to wait {wait} seconds"):
        world.one(transport)
    assert len(transport.sent) == 1


def test_a_wait_of_another_kind_that_would_be_too_long_fails_alone_at_once(world):
    began = time.monotonic()
    result = world.one(Told(bad(500, wait=60, message="busy")))
    assert result.reason == "the server answered 500: busy (after 1 attempt and 10 seconds)"
    assert time.monotonic() - began < 5


def test_a_call_may_fail_while_others_are_answered_and_stops_nobody(world):
    """Its time is over, but the server has answered another one meanwhile."""

    class Some(Told):
        async def send(self, body):
            text = body["messages"][-1]["content"]
            self.sent.append(text)
            await asyncio.sleep(0.02)
            return bad(500, message="x") if text == "please 0" else good()

    async def scenario(caller):
        failing = asyncio.ensure_future(caller.call(call(0), asyncio.Event()))
        for name in range(1, 6):
            await caller.call(call(name), asyncio.Event())
            await asyncio.sleep(0.08)
        return await failing

    policy = RetryPolicy(attempts=1000, first_wait=0.01, longest_wait=0.02, total=0.3)
    transport = Some(good())
    result = world.run(transport, scenario, policy=policy)
    assert result.response is None
    assert result.reason.endswith("attempts and 0.3 seconds)")
    # Its clock runs from its first attempt on, and not from its last.
    assert transport.sent.count("please 0") > 2


def test_no_wait_goes_past_the_time_of_the_call_or_of_the_run(world):
    began = time.monotonic()
    policy = RetryPolicy(first_wait=30.0, longest_wait=30.0, total=0.4)
    with pytest.raises(ModelError, match="answered nothing"):
        world.one(Told(bad(500, message="x")), policy=policy)
    with pytest.raises(LimitReached, match="max-minutes"):
        world.one(
            Told(bad(500, message="x")),
            policy=RetryPolicy(first_wait=30.0, longest_wait=30.0),
            limits=SpendingLimits(max_minutes=0.4 / 60),
        )
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("status", [503, 529])
def test_a_server_that_says_it_is_overloaded_is_asked_less(world, status):
    transport = Told(*[bad(status, wait=0, message="busy")] * 6, good())

    async def scenario(caller):
        await asyncio.gather(*(caller.call(call(name), asyncio.Event()) for name in range(6)))

    world.run(transport, scenario)
    assert world.limits.allowed < 8
    assert world.limits.pace.rate < 1000


def test_answers_let_more_be_asked_at_once(world):
    async def scenario(caller):
        for name in range(5):
            await caller.call(call(name), asyncio.Event())

    world.run(Told(good()), scenario, most=100)
    assert world.limits.allowed == 16 + 5


def test_tokens_that_were_reserved_in_vain_are_given_back_and_those_used_are_taken(world):
    async def scenario(caller):
        before = world.limits._next_tokens
        await caller.call(call(), asyncio.Event())
        return world.limits._next_tokens - max(before, began)

    began = time.monotonic()
    # 60 a minute: a second for a token. 10 are reserved, 30 + 11 used.
    moved = world.run(Told(good(30, 11)), scenario, tokens_per_minute=60)
    assert 40.5 < moved < 42.5


def test_who_tries_again_goes_before_those_who_have_not_been_sent(world):
    transport = Told(bad(500, message="x"), good())

    async def scenario(caller):
        await asyncio.gather(*(caller.call(call(name), asyncio.Event()) for name in range(4)))

    policy = RetryPolicy(first_wait=0.001, longest_wait=0.001)

    class Slow(Told):
        async def send(self, body):
            reply = await super().send(body)
            await asyncio.sleep(0.1)
            return reply

    transport = Slow(*transport.script)
    world.run(transport, scenario, policy=policy, concurrency=1)
    assert transport.sent == ["please 0", "please 1", "please 0", "please 2", "please 3"]


def test_in_the_queue_of_the_server_too_the_second_attempt_goes_first(world):
    class Slow(Told):
        async def send(self, body):
            reply = await super().send(body)
            await asyncio.sleep(0.1)
            return reply

    transport = Slow(bad(500, message="x"), good())

    async def scenario(caller):
        await asyncio.gather(*(caller.call(call(name), asyncio.Event()) for name in range(4)))

    world.run(transport, scenario, policy=RetryPolicy(first_wait=0.001, longest_wait=0.001), most=1)
    assert transport.sent == ["please 0", "please 1", "please 0", "please 2", "please 3"]


def test_an_answer_to_a_text_that_was_cut_is_paid_and_not_kept_and_not_asked_again(world):
    transport = Told(good(prompt_tokens=1))  # two words
    result = world.one(transport)
    assert result.response is None
    assert result.reason.startswith("the server read only 1 tokens of a prompt of at least 2")
    assert len(transport.sent) == 1
    assert world.store.find(call().key) is None
    assert world.rows("kind, cost") == [("rejected", 2.0)]
    assert world.budget.spent.cost == 2.0


def test_a_filter_that_stopped_the_prompt_is_an_answer_with_its_code_and_words():
    tried = read_reply(bad(400, code="content_filter", message="not this"))
    assert tried.kind is Kind.ANSWERED
    assert (tried.answer.outcome, tried.answer.finish_reason, tried.answer.reason) == (
        Outcome.FILTERED,
        "content_filter",
        "not this",
    )


def test_the_reason_of_a_filter_is_kept(world):
    world.one(Told(bad(400, code="content_filter", message="not this")))
    kept = world.store.find(call().key)
    assert (kept.outcome, kept.reason, kept.finish_reason) == (Outcome.FILTERED, "not this", "content_filter")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ({"message": "words", "code": "c"}, "the server answered 400: words"),
        (
            {"type": "typed", "message": ""},
            'the server answered 400: {"error": {"type": "typed", "message": ""}}',
        ),
    ],
)
def test_a_servers_words_are_told(error, told):
    assert read_reply(bad(400, **error)).reason == told


def test_attempts_are_counted_in_words(world):
    once = world.one(Told(bad(500, message="x")), policy=RetryPolicy(attempts=1))
    assert once.reason == "the server answered 500: x (after 1 attempt)"
    twice = world.one(Told(bad(500, message="x")), policy=RetryPolicy(attempts=2, first_wait=0.01))
    assert twice.reason == "the server answered 500: x (after 2 attempts)"


def test_what_stops_the_run_reaches_those_who_wait_and_spares_what_is_under_way(world):
    """One call is with the server, one waits before its second attempt, one for a place; then the key is refused."""

    class Some(Told):
        async def send(self, body):
            text = body["messages"][-1]["content"]
            self.sent.append(text)
            if text == "please 0":
                await asyncio.sleep(0.4)
                return good()
            if text == "please 1":
                return bad(500, message="x")
            await asyncio.sleep(0.2)
            return bad(401, message="who are you")

    async def scenario(caller):
        tasks = []
        for name in range(4):
            tasks.append(asyncio.ensure_future(caller.call(call(name), asyncio.Event())))
            await asyncio.sleep(0.02)
        began = time.monotonic()
        told = await asyncio.gather(*tasks, return_exceptions=True)
        return told, time.monotonic() - began, caller._places.inside, world.limits._places.inside

    policy = RetryPolicy(first_wait=15.0, longest_wait=15.0, total=100.0)
    transport = Some(good())
    (first, *others), took, *inside = world.run(transport, scenario, policy=policy, concurrency=2)
    assert first.response.text == "hello"
    assert all(isinstance(error, ModelError) for error in others)
    assert transport.sent == ["please 0", "please 1", "please 2"]
    assert took < 5
    assert inside == [0, 0]
    assert world.budget._reserved == {}


def test_who_has_looked_at_what_another_holds_is_still_told_of_a_stop(world):
    async def scenario(caller):
        waiting = asyncio.ensure_future(caller.call(call(), asyncio.Event()))
        await asyncio.sleep(0.1)
        caller._stop(LimitReached("enough"))
        with pytest.raises(LimitReached):
            await asyncio.wait_for(waiting, 0.1)

    with Store(world.store.path) as other:
        row = (other.new_attempt(), call().key, other.session, time.time() + 60)
        other.write(
            lambda c: c.execute(
                "INSERT INTO attempts(id, key, session, lease, number, started_at, kind) "
                "VALUES (?, ?, ?, ?, 1, '', 'under_way')",
                row,
            )
        )
        world.run(Told(good()), scenario)
    assert world.budget._reserved == {}


def test_the_end_of_a_runs_time_reaches_those_who_wait_for_a_rest_to_end(world):
    async def scenario(caller):
        world.limits.rest(15.0)
        with pytest.raises(LimitReached, match="max-minutes"):
            await caller.call(call(), asyncio.Event())

    began = time.monotonic()
    world.run(Told(good()), scenario, limits=SpendingLimits(max_minutes=0.3 / 60))
    assert time.monotonic() - began < 5


def test_a_wait_that_ends_the_run_lets_nobody_else_rest(world):
    async def scenario(caller):
        await asyncio.gather(
            *(caller.call(call(name), asyncio.Event()) for name in range(8)), return_exceptions=True
        )

    world.run(Told(bad(429, wait=60, message="slow")), scenario)
    assert world.limits._rest_until < time.monotonic()


def test_an_answer_without_a_count_of_tokens_is_put_down_at_its_estimate(world):
    world.one(Told(good(usage=None)))
    assert world.rows("kind, cost, estimated_cost") == [("answered", None, 10.0)]
    assert (world.budget.spent.cost, world.budget.spent.possibly) == (0.0, 10.0)


@pytest.mark.parametrize(("between", "stops"), [(False, True), (True, False)])
def test_a_server_that_cuts_every_text_stops_the_run_and_one_that_cuts_some_does_not(world, between, stops):
    script = [good(prompt_tokens=1)] * 7 + [good()] * between + [good(prompt_tokens=1)] * 3
    transport = Told(*script)

    async def scenario(caller):
        told = []
        for name in range(len(script)):
            told += await asyncio.gather(caller.call(call(name), asyncio.Event()), return_exceptions=True)
        return told

    told = world.run(transport, scenario)
    assert any(isinstance(one, ModelError) for one in told) == stops
    assert len(transport.sent) == (8 if stops else 11)


def test_who_is_called_off_while_its_row_is_written_was_never_sent(world):
    transport = Told(good())

    async def scenario(caller):
        gate = asyncio.ensure_future(world.store.transact(lambda _: time.sleep(0.2)))
        await asyncio.sleep(0.05)
        task = asyncio.ensure_future(caller.call(call(), asyncio.Event()))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.gather(task, gate, return_exceptions=True)

    world.run(transport, scenario)
    assert transport.sent == []
    assert world.rows("kind, reason, cost, estimated_cost") == [("unreachable", "not sent", None, None)]
    assert (world.budget._reserved, world.budget.spent.attempts) == ({}, 0)
