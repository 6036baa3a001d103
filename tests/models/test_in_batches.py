"""A connected model that asks through the provider's batch API: the same requests, responses and keys as online."""

import functools

import pytest
from asking import questions

from neuter.errors import LimitReached, ModelError, UsageError
from neuter.models import connect, in_batches, replies
from neuter.models.batch.settings import BatchSettings
from neuter.models.budget import Budget, SpendingLimits
from neuter.models.store.ledger import spent_by_run
from neuter.models.testing import loopback_server
from neuter.models.testing.batch import tell_batches
from neuter.types import Outcome

PRICED = '[prices."lo/m"]\ninput = 1000000\noutput = 1000000\nbatch_share = 0.5\nas_of = 2026-11-30'


def echo(body):
    return "answer to " + body["messages"][-1]["content"]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    quick = functools.partial(BatchSettings, first_poll=0.05, longest_poll=0.1, settle=0.1)
    monkeypatch.setattr(in_batches, "BatchSettings", quick)


def test_batch_and_online_fill_each_other(connected):
    with loopback_server(answer=echo) as server:
        with connected(server) as online:
            list(online.ask(questions(5)))
        with connected(server, batch=True) as model:
            responses = list(model.ask(questions(12)))
        assert [r.text for r in responses] == [f"answer to question {i}" for i in range(12)]
        assert [r.reused for r in responses] == [True] * 5 + [False] * 7
        assert (model.usage.made, model.usage.reused, model.usage.failed) == (7, 5, 0)
        with connected(server) as online:
            assert all(r.reused for r in online.ask(questions(12)))
    assert (server.requests, server.unique) == (12, 12)


def test_a_request_that_comes_twice_is_in_the_batch_once(connected):
    with loopback_server(answer=echo) as server, connected(server, batch=True) as model:
        responses = list(model.ask([*questions(3), *questions(3)]))
    assert [r.reused for r in responses] == [False] * 3 + [True] * 3
    assert server.requests == 3
    assert model.usage.made == 3


def test_a_slice_is_filled_before_the_next_is_read(connected, monkeypatch):
    monkeypatch.setattr(in_batches, "SLICE", 4)
    read = []

    def source():
        for question in questions(10):
            read.append(question.id)
            yield question

    with loopback_server(answer=echo) as server, connected(server, batch=True) as model:
        asking = model.ask(source())
        assert next(asking).text == "answer to question 0"
        assert len(read) == 4
        assert len(list(asking)) == 9
    assert server.requests == 10


def test_a_batch_costs_its_share_and_keeps_to_the_limit(connected):
    budget = Budget("r", SpendingLimits(max_cost=200.0))
    with (
        loopback_server(answer=echo) as server,
        connected(server, extra=PRICED, batch=True, budget=budget) as model,
    ):
        list(model.ask(questions(4)))
    assert model.usage.cost == pytest.approx(4 * 6 * 0.5)
    budget = Budget("r", SpendingLimits(max_cost=20.0))
    with (
        loopback_server(answer=echo) as server,
        connected(server, extra=PRICED, batch=True, budget=budget) as model,
        pytest.raises(LimitReached, match="--max-cost 20"),
    ):
        list(model.ask(questions(400)))
    assert server.requests == 2  # 12 dollars were spent by the run; an answer is estimated at 5 and costs 3


def test_a_first_batch_is_small_where_money_is_limited_and_nothing_is_known_of_the_answers(connected):
    def long(body):
        return "word " * 1000

    budget = Budget("r", SpendingLimits(max_cost=100_000.0))
    with (
        loopback_server(answer=long) as server,
        connected(server, extra=PRICED, batch=True, budget=budget) as model,
        pytest.raises(LimitReached, match="--max-cost"),
    ):
        list(model.ask(questions(1000)))
    # 501 dollars an answer: on the guess of 300 tokens all 650 that seem to fit would have cost 325,000.
    assert 20 < server.requests <= 199


def test_what_a_batch_read_from_its_cache_costs_what_the_provider_says(connected):
    extra = PRICED.replace("output = 1000000", "output = 0\ncached_input = 500000")
    with (
        loopback_server(answer=echo, cached_tokens=1) as server,
        connected(server, extra=extra, batch=True) as model,
    ):
        list(model.ask(questions(1)))
    # Two tokens in, one of them cached: no discount on those in a batch is known, so both cost 0.5.
    assert model.usage.cost == pytest.approx(1.0)


def test_an_answer_without_a_count_of_tokens_costs_its_estimate_in_a_batch_as_well(connected, monkeypatch):
    monkeypatch.setattr(replies, "_count", lambda usage, name: None)
    budget = Budget("r")
    with (
        loopback_server(answer=echo) as server,
        connected(server, extra=PRICED, batch=True, budget=budget) as model,
    ):
        list(model.ask(questions(1, max_tokens=4)))
        spent = spent_by_run(model._store, "r")
    # Six tokens sent and four expected back, at half a dollar each.
    assert (spent.cost, spent.possibly, spent.unpriced) == (0.0, 5.0, 1)


def test_what_fails_in_a_batch_is_a_failure_with_its_reason(connected):
    with loopback_server(answer=echo, faults=["400"]) as server, connected(server, batch=True) as model:
        responses = list(model.ask(questions(2)))
    assert {r.outcome for r in responses} == {Outcome.FAILED}
    assert "400" in responses[0].reason
    assert model.usage.failed == 2


def test_a_model_inside_this_process_has_no_batch_api():
    with (
        connect("simulated/well-read", batch=True) as model,
        pytest.raises(UsageError, match=r"no batch API.*--batch"),
    ):
        list(model.ask(questions(1)))


def test_what_waits_in_a_batch_is_not_paid_online_as_well(connected):
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, faults=["batch-hang"], times=None)
        budget = Budget("r", SpendingLimits(max_minutes=0.02))
        with (
            connected(server, batch=True, budget=budget) as model,
            pytest.raises(LimitReached, match="--max-minutes"),
        ):
            list(model.ask(questions(3)))
        with connected(server) as model:
            assert len(list(model.ask(questions(5)[3:]))) == 2
            with pytest.raises(ModelError, match=r"waits in batch batch.* paid twice.*--give-up batch"):
                list(model.ask(questions(3)))
    assert server.requests == 2
