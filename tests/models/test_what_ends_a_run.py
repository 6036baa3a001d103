"""What ends a run at once and says so: a fork, a store that is gone, time that is up, a server that asks for too much."""

import os
import time

import pytest
from asking import questions

from neuter.errors import LimitReached, ModelError, StoreError, UsageError
from neuter.models import replies
from neuter.models.budget import Budget, SpendingLimits
from neuter.models.store.ledger import spent_by_run
from neuter.models.testing import loopback_server
from neuter.models.transport import OpenAITransport
from neuter.types import Outcome

PRICED = '[prices."lo/m"]\ninput = 1000000\noutput = 1000000\nas_of = 2026-11-30'


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_must_connect_anew_and_does_its_parent_no_harm(connected):
    with loopback_server(answer="x") as server, connected(server) as model:
        list(model.ask(questions(2)))
        child = os.fork()
        if child == 0:
            try:
                list(model.ask(questions(3)))
            except UsageError as error:
                model.close()
                os._exit(7 if "forked process" in str(error) else 1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert len(list(model.ask(questions(4)))) == 4
    assert server.requests == 4


def test_a_closed_model_says_so(connected):
    with loopback_server() as server, connected(server) as model:
        pass
    with pytest.raises(UsageError, match=r"lo/m: the model is closed\. Connect anew"):
        model.ask(questions(1))
    model.close()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_store_that_is_removed_or_replaced_in_use_stops_the_run(connected, tmp_path, replaced, monkeypatch):
    monkeypatch.setattr("neuter.models.store.file._LOOK", 0.05)
    with loopback_server(delay=0.05) as server, connected(server, concurrency=1) as model:
        asking = model.ask(questions(200))
        next(asking)
        (tmp_path / "store.sqlite").rename(tmp_path / "away.sqlite")
        if replaced:
            (tmp_path / "store.sqlite").write_bytes(b"")
        with pytest.raises(StoreError, match="removed or replaced while it was in use"):
            list(asking)
    assert server.requests < 20


def test_calls_that_wait_for_their_turn_hear_that_the_time_is_up(connected):
    budget = Budget("r", SpendingLimits(max_minutes=2 / 60))
    with (
        loopback_server() as server,
        connected(server, extra="requests_per_minute = 1", budget=budget) as model,
    ):
        started = time.monotonic()
        with pytest.raises(LimitReached, match="--max-minutes"):
            list(model.ask(questions(10)))
        assert time.monotonic() - started < 5
    assert server.requests <= 1


@pytest.mark.parametrize("fault", ["429", "503-wait"])
def test_a_server_that_asks_to_wait_longer_than_a_call_may_take_holds_nobody_up(connected, fault):
    with loopback_server(faults=[fault], retry_after="100000") as server, connected(server) as model:
        started = time.monotonic()
        with pytest.raises(ModelError, match="asks to wait 100,000 seconds"):
            list(model.ask(questions(10)))
        assert time.monotonic() - started < 4


def test_answers_without_a_count_of_tokens_count_by_their_estimate(connected, monkeypatch):
    monkeypatch.setattr(replies, "_count", lambda usage, name: None)
    budget = Budget("r", SpendingLimits(max_cost=60.0))
    with (
        loopback_server(answer="x") as server,
        connected(server, extra=PRICED, budget=budget, concurrency=1) as model,
    ):
        with pytest.raises(LimitReached, match="--max-cost 60"):
            list(model.ask(questions(20, max_tokens=4)))
        spent = spent_by_run(model._store, "r")
    assert server.requests == 6  # ten dollars each: 6 tokens sent, 4 expected back
    assert (spent.cost, spent.possibly, spent.unpriced) == (0.0, 60.0, 6)


def test_a_server_that_cuts_every_prompt_stops_the_run(connected, monkeypatch):
    monkeypatch.setattr(replies, "_count", lambda usage, name: 1)
    with loopback_server() as server, connected(server, concurrency=1) as model:
        asking = model.ask(questions(50))
        with pytest.raises(ModelError, match="one prompt after the other was cut"):
            assert {response.outcome for response in asking} == {Outcome.FAILED}
    assert server.requests == 8


def test_money_that_was_set_aside_is_let_go_whatever_happens_to_the_call(connected, monkeypatch):
    async def broken(self, body):
        raise ZeroDivisionError

    budget = Budget("r", SpendingLimits(max_cost=10_000.0))
    with loopback_server() as server, connected(server, extra=PRICED, budget=budget) as model:
        with monkeypatch.context() as patch:
            patch.setattr(OpenAITransport, "send", broken)
            with pytest.raises(ZeroDivisionError):
                list(model.ask(questions(3)))
        assert len(list(model.ask(questions(3)))) == 3


def test_a_call_that_is_being_paid_for_is_finished_when_another_stops_the_run(connected, monkeypatch):
    with (
        loopback_server(delay=0.2) as server,
        connected(server, budget=Budget("r", SpendingLimits(max_requests=5)), concurrency=5) as model,
    ):
        with pytest.raises(LimitReached):
            list(model.ask(questions(50)))
        assert spent_by_run(model._store, "r").answered == server.requests == 5
