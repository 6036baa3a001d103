"""What a call will cost, what it has cost, and when a run may send no more: by hand."""

import asyncio
import math
from datetime import UTC, datetime
from pathlib import Path

import pytest
from asking import questions

from neuter.errors import LimitReached, UsageError
from neuter.models import Store
from neuter.models.budget import Budget, SpendingLimits
from neuter.models.catalog import ModelFacts
from neuter.models.costs import EXPECTED_ANSWER, Costs
from neuter.models.dispatch import on_loop
from neuter.models.intake import Intake
from neuter.models.prices import Price
from neuter.models.replies import Answer
from neuter.models.store.ledger import Spent, enter_run, spent_by_model, spent_by_run
from neuter.models.store.records import StoredResponse
from neuter.models.testing import loopback_server
from neuter.models.usage import Usage
from neuter.models.versions import Versions
from neuter.types import Outcome, Request

PRICE = Price(input=1_000_000, output=2_000_000, cached_input=500_000, batch_share=0.5)


@pytest.fixture
def store(tmp_path):
    with Store(Path(tmp_path) / "s.sqlite") as store:
        yield store


def body(text="", **limit):
    return {"model": "m", "messages": [{"role": "user", "content": text}], **limit}


def answer(prompt_tokens=10, completion_tokens=6, cached_tokens=None):
    return Answer(
        Outcome.ANSWERED,
        "x",
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cached_tokens=cached_tokens,
    )


def on(scenario):
    async def go():
        return await asyncio.wait_for(scenario(), 10)

    return on_loop(go())


# Costs


def test_a_prompt_is_four_tokens_a_message_and_one_for_four_characters():
    two = {"messages": [{"role": "system", "content": "x" * 7}, {"role": "user", "content": "x" * 8}]}
    assert Costs(None).prompt_tokens(two) == 4 + 1 + 4 + 2


@pytest.mark.parametrize(
    ("limit", "first", "then"),
    [
        ({}, EXPECTED_ANSWER, 20),
        ({"max_tokens": 8}, 8, 8),
        ({"max_tokens": 500}, 500, 20),
        ({"max_completion_tokens": 500}, 500, 20),
        ({"max_completion_tokens": 9, "max_tokens": 500}, 9, 9),
        ({"max_tokens": -1}, EXPECTED_ANSWER, 20),
        ({"max_tokens": None}, EXPECTED_ANSWER, 20),
    ],
)
def test_an_answer_is_as_long_as_allowed_or_as_those_before(limit, first, then):
    costs = Costs(PRICE)
    assert costs.answer_tokens(body(**limit)) == first
    for tokens in (10, 30, None):
        costs.of(answer(completion_tokens=tokens))
    assert costs.answer_tokens(body(**limit)) == then


def test_an_answer_costs_its_tokens_with_those_seen_before_cheaper_and_a_batch_half():
    costs = Costs(PRICE)
    assert costs.of(answer(10, 6)) == 10 + 12
    assert costs.of(answer(10, 6, cached_tokens=4)) == 6 + 2 + 12
    assert costs.of(answer(10, 6), batch=True) == 11
    assert costs.estimate(body("x" * 8, max_tokens=3)) == 6 + 2 * 3


@pytest.mark.parametrize(("sent", "back"), [(None, 6), (10, None), (None, None)])
def test_what_a_server_did_not_count_has_no_cost_unless_all_is_free(sent, back):
    assert Costs(PRICE).of(answer(sent, back)) is None
    assert Costs(Price(0, 0)).of(answer(sent, back)) == 0.0
    assert Costs(None).of(answer()) is None


# Limits of a run


def reserve(budget, attempt, dollars):
    return budget.reserve(attempt, lambda: dollars)


@pytest.mark.parametrize("bad", [math.inf, math.nan, 0, -1])
@pytest.mark.parametrize("name", ["max_cost", "max_requests", "max_minutes"])
def test_a_limit_is_above_nothing_and_finite(name, bad):
    with pytest.raises(UsageError, match=name.replace("_", "-")):
        SpendingLimits(**{name: bad})


def test_a_run_begins_once_though_it_has_several_models(store):
    budget = Budget("r", SpendingLimits(max_minutes=1))
    budget.start(store)
    assert 58 < budget.seconds_left <= 60
    budget.settle(1, 5.0)
    deadline = budget._deadline
    budget.start(store)
    assert (budget.spent.cost, budget._deadline) == (5.0, deadline)


def test_a_limit_may_be_spent_to_the_last_cent_and_no_further(store):
    async def scenario():
        budget = Budget(None, SpendingLimits(max_cost=10.0))
        await reserve(budget, 1, 6.0)
        await reserve(budget, 2, 4.0)
        budget.settle(1, 6.0)
        budget.settle(2, 4.0)
        with pytest.raises(
            LimitReached, match=r"has spent \$10\.0000, and the next request might pass --max-cost 10"
        ):
            await reserve(budget, 3, 0.1)

    on(scenario)


def test_what_may_have_been_billed_counts_towards_the_limit():
    async def scenario():
        budget = Budget(None, SpendingLimits(max_cost=10.0))
        await reserve(budget, 1, 6.0)
        budget.settle(1, None, 6.0)
        with pytest.raises(LimitReached, match=r"\$6\.0000 \(\$6\.0000 of it possibly\)"):
            await reserve(budget, 2, 5.0)

    on(scenario)


@pytest.mark.parametrize("ends", ["settle", "release"])
def test_who_waits_for_money_goes_on_when_another_turns_out_cheaper(ends):
    async def scenario():
        budget = Budget(None, SpendingLimits(max_cost=10.0))
        await reserve(budget, 1, 8.0)
        waiting = asyncio.ensure_future(reserve(budget, 2, 8.0))
        small = asyncio.ensure_future(reserve(budget, 3, 1.0))
        await asyncio.sleep(0.02)
        told = [waiting.done(), small.done()]  # nobody goes before the one that waits
        if ends == "settle":
            budget.settle(1, 1.0)
        else:
            budget.release(1)
        await asyncio.wait_for(waiting, 1)
        await asyncio.wait_for(small, 1)
        return told, sorted(budget._reserved)

    assert on(scenario) == ([False, False], [2, 3])


def test_one_who_gives_up_waiting_for_money_leaves_nothing_behind():
    async def scenario():
        budget = Budget(None, SpendingLimits(max_cost=10.0))
        await reserve(budget, 1, 8.0)
        waiting = asyncio.ensure_future(reserve(budget, 2, 8.0))
        await asyncio.sleep(0.02)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await asyncio.wait_for(reserve(budget, 3, 1.0), 1)
        return sorted(budget._reserved)

    assert on(scenario) == [1, 3]


def test_requests_under_way_count_towards_their_limit():
    async def scenario():
        budget = Budget(None, SpendingLimits(max_requests=2))
        await reserve(budget, 1, None)
        await reserve(budget, 2, None)
        with pytest.raises(LimitReached, match=r"has sent 2 requests .*--max-requests is 2"):
            await reserve(budget, 3, None)

    on(scenario)


def test_a_run_whose_time_is_up_sends_nothing(store):
    async def scenario():
        budget = Budget(None, SpendingLimits(max_minutes=1e-9))
        budget.start(store)
        with pytest.raises(LimitReached, match="--max-minutes"):
            await reserve(budget, 1, None)

    on(scenario)


# The ledger


@pytest.fixture
def ledger(store):
    rows = [
        # kind, model, run, prompt, completion, cost, estimate
        ("answered", "a", "r", 10, 1, 1.0, None),
        ("answered", "a", "r", 20, 2, None, 9.0),  # the server did not count: its estimate stands
        ("rate_limited", "a", "r", None, None, None, None),
        ("unreachable", "a", "r", None, None, None, None),
        ("transient", "a", "r", None, None, None, None),
        ("rejected", "a", "r", 30, 3, 2.0, None),
        ("ambiguous", "a", "r", None, None, None, 4.0),
        ("abandoned", "a", "r", None, None, None, 8.0),
        ("under_way", "a", "r", None, None, None, 16.0),
        ("answered", "b", "s", 1, 1, 64.0, None),
    ]
    store.write(
        lambda c: c.executemany(
            "INSERT INTO attempts(kind, model, run, prompt_tokens, completion_tokens, cost, estimated_cost, key, "
            "number, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, x'00', 1, '')",
            rows,
        )
    )
    return store


OF_R = Spent(
    attempts=7,
    turned_away=1,
    unreachable=1,
    under_way=1,
    answered=2,
    possibly_billed=2,
    unpriced=1,
    prompt_tokens=60,
    completion_tokens=6,
    cost=3.0,
    possibly=21.0,
    under_way_cost=16.0,
)
OF_S = Spent(attempts=1, answered=1, prompt_tokens=1, completion_tokens=1, cost=64.0)


def test_a_run_has_spent_what_its_attempts_say(ledger):
    assert spent_by_run(ledger, "r") == OF_R
    assert OF_R.at_most == 40.0
    assert spent_by_run(ledger, "nobody's") == Spent()
    assert OF_R.plus(None, None).attempts == 8
    assert OF_R.plus(2.0, 1.0).at_most == 43.0


def test_models_come_dearest_first_over_the_store_or_one_run(ledger):
    assert list(spent_by_model(ledger).items()) == [("b", OF_S), ("a", OF_R)]
    assert spent_by_model(ledger, "r") == {"a": OF_R}


def test_a_run_keeps_its_first_row(store):
    enter_run(store, "r", "first", None, "1")
    enter_run(store, "r", "second", "folder", "2")
    assert store.read(lambda c: c.execute("SELECT * FROM runs").fetchall()) == [("r", "first", None, "1")]


# What was seen


def stored(key=b"k" * 32, created_at="2026-11-30T00:00:00.000+00:00", **more):
    plain = {
        "prompt": b"p",
        "messages": "[]",
        "model": "lo/m",
        "base_url": "u",
        "parameters": "{}",
        "sample": 0,
        "outcome": Outcome.ANSWERED,
        "text": "x",
        "finish_reason": "stop",
        "reason": "",
        "server_model": None,
        "fingerprint": None,
        "prompt_tokens": 3,
        "completion_tokens": 2,
        "latency": 0.1,
    }
    return StoredResponse(key=key, created_at=created_at, **{**plain, **more})


def test_usage_adds_up():
    usage = Usage().with_made(stored(cost=1.5)).with_made(stored(cost=None)).with_failed().with_reused(4)
    assert usage == Usage(0, 2, 4, 1, 6, 4, 1.5, 1)


def test_a_model_is_told_of_by_its_five_commonest_names():
    versions = Versions("lo/m")
    versions.see(stored(server_model="one", fingerprint="f1"))
    assert versions.notes() == []
    for n in range(7):
        for _ in range(n):
            versions.see(stored(server_model=f"v{n}", fingerprint=f"f{n}"))
    name, fingerprint = versions.notes()
    assert "v6 (6), v5 (5), v4 (4), v3 (3), v2 (2), and 2 more" in name
    assert "7 system fingerprints" not in name
    assert fingerprint.startswith("lo/m answered with 6 system fingerprints: f6 (6), f5 (5)")


# Looking up


def intake(store, retry=(), facts=None, **more):
    return Intake(
        "lo/m", base_url="http://h/v1", facts=facts or ModelFacts("lo/m", **more), store=store, retry=retry
    )


def test_each_kind_of_parameters_is_looked_at_for_what_is_left_out(store):
    taken = intake(store, seed=False, temperature=False)
    taken.call_of(Request("a", (("user", "x"),), {}))
    taken.call_of(Request("b", (("user", "x"),), {"seed": 1}))
    taken.call_of(Request("c", (("user", "x"),), {"temperature": 0}))
    assert taken.notes == [
        "seed was not sent to lo/m: it takes none",
        "temperature was not sent to lo/m: it takes none",
    ]


def test_what_this_model_was_asked_again_is_not_asked_a_second_time(store):
    taken = intake(store, retry=[Outcome.REFUSED])
    request = Request("a", (("user", "x"),))
    call = taken.call_of(request)

    def put(created_at, outcome=Outcome.REFUSED):
        from neuter.models.store.rows import keep

        store.write(lambda c: c.execute("DELETE FROM responses"))
        store.write(lambda c: keep(c, [stored(key=call.key, created_at=created_at, outcome=outcome)]))

    put("2000-01-01T00:00:00.000+00:00")
    assert taken.stored(request, call).replaces == "2000-01-01T00:00:00.000+00:00"
    put("2000-01-01T00:00:00.000+00:00", Outcome.ANSWERED)
    assert taken.stored(request, call).text == "x"
    for again in (taken._opened_at, datetime.now(UTC).isoformat(timespec="milliseconds")):
        put(again)
        assert taken.stored(request, call).created_at == again
    assert intake(store).stored(request, call).outcome is Outcome.REFUSED


def test_the_cost_of_many_models_counts_towards_one_limit(connected):
    priced = '[prices."lo/m"]\ninput = 1000000\noutput = 1000000\nas_of = 2026-11-30'
    budget = Budget("r", SpendingLimits(max_cost=30.0))
    with (
        loopback_server(answer=lambda body: "a b c d") as server,
        connected(server, extra=priced, budget=budget, concurrency=1) as one,
        connected(server, extra=priced, budget=budget, concurrency=1) as other,
    ):
        assert len(list(one.ask(questions(2, max_tokens=4)))) == 2
        with pytest.raises(LimitReached):
            list(other.ask(questions(9, max_tokens=4, seed=1)))
    # Six dollars each, ten reserved: after four (24) the fifth does not fit.
    assert server.requests == 4


@pytest.mark.parametrize(("most", "waits"), [(100.0, True), (None, False)])
def test_of_answers_that_nobody_can_foresee_one_is_waited_for_where_there_is_a_limit(most, waits):
    async def scenario():
        budget = Budget(None, SpendingLimits(max_cost=most))
        blind, dollars = [True], [8.0]

        def take(attempt):
            return budget.reserve(attempt, lambda: dollars[0], lambda: blind[0])

        assert await take(1) == 8.0  # the first is not waited for
        second = asyncio.ensure_future(take(2))
        await asyncio.sleep(0.02)
        waited = not second.done()
        blind[0], dollars[0] = False, 2.0
        budget.settle(1, 2.0)
        # What is set aside is what is known by then.
        return waited, await asyncio.wait_for(second, 1), budget._reserved[2]

    assert on(scenario) == (waits, 2.0 if waits else 8.0, 2.0 if waits else 8.0)


def test_a_resumption_begins_with_what_the_run_has_spent(ledger):
    budget = Budget("r")
    budget.start(ledger)
    assert budget.spent == OF_R
