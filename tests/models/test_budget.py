"""What a run may spend: nothing is sent that would pass a limit, and resumptions count."""

import sqlite3
import time
from contextlib import closing
from dataclasses import replace

import pytest
from asking import questions

from neuter.errors import LimitReached, UsageError
from neuter.models.budget import Budget, SpendingLimits
from neuter.models.retry import RetryPolicy
from neuter.models.store.ledger import spent_by_model, spent_by_run
from neuter.models.testing import loopback_server
from neuter.types import Outcome

#: The loopback server counts words: 2 in "question 0", 4 in its answer. A dollar for a token each way: 6 a call.
PRICED = '[prices."lo/m"]\ninput = 1000000\noutput = 1000000\nas_of = 2026-11-30'


def echo(body):
    return "answer to " + body["messages"][-1]["content"]


def limited(run="r1", **limits):
    return Budget(run, SpendingLimits(**limits))


def answered(model, count):
    """Responses until the run stops, and what stopped it."""
    texts = []
    try:
        for response in model.ask(questions(count, max_tokens=4)):
            texts.append(response.text)
    except LimitReached as stop:
        return texts, stop
    return texts, None


def rows(path, query):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_no_more_requests_than_allowed_are_sent_over_all_resumptions(connected, tmp_path):
    with loopback_server(answer=echo) as server:
        with connected(server, budget=limited(max_requests=7), concurrency=3) as model:
            texts, stop = answered(model, 20)
            assert texts == [f"answer to question {i}" for i in range(len(texts))]
        assert server.requests == 7
        assert "sent 7 requests" in str(stop)
        assert "--max-requests is 7" in str(stop)
        assert "goes on from there" in str(stop)
        with connected(server, budget=limited(max_requests=7)) as model:
            assert answered(model, 20)[1] is not None
        assert server.requests == 7
        with connected(server, budget=limited(max_requests=20)) as model:
            texts, stop = answered(model, 20)
        assert (len(texts), stop, server.requests, server.unique) == (20, None, 20, 20)


def test_the_limit_of_one_run_is_not_that_of_another(connected):
    with loopback_server(answer=echo) as server:
        with connected(server, budget=limited("r1", max_requests=5)) as model:
            answered(model, 5)
        with connected(server, budget=limited("r2", max_requests=5)) as model:
            assert len(answered(model, 10)[0]) == 10  # five from the store, five sent


def test_no_more_dollars_than_allowed_are_spent(connected, tmp_path):
    with loopback_server(answer=echo) as server:
        with connected(server, extra=PRICED, budget=limited(max_cost=47.0), concurrency=4) as model:
            _, stop = answered(model, 20)
        assert server.requests == 7  # 42 dollars; an eighth might take 10 (its estimate)
        assert "$42.0000" in str(stop)
        assert "--max-cost 47" in str(stop)
        assert model.usage.cost == pytest.approx(42.0)
        with connected(server, extra=PRICED, budget=limited(max_cost=65.0)) as model:
            answered(model, 20)
            assert spent_by_run(model._store, "r1").cost == pytest.approx(60.0)
    assert server.requests == 10
    assert rows(tmp_path / "store.sqlite", "SELECT DISTINCT cost FROM responses") == [(6.0,)]


def test_one_answer_is_waited_for_before_more_is_spent_on_answers_of_unknown_length(connected):
    def fifty(body):
        return "word " * 50

    with loopback_server(answer=fifty, delay=0.05) as server:
        with connected(server, extra=PRICED, budget=limited(max_cost=400.0)) as model:
            with pytest.raises(LimitReached):
                list(model.ask(questions(40)))
            assert spent_by_run(model._store, "r1").cost == pytest.approx(7 * 52)
        assert server.requests == 7
        # What is in the store tells a resumption how long the answers are.
        with connected(server, extra=PRICED, budget=limited(max_cost=600.0)) as model:
            with pytest.raises(LimitReached):
                list(model.ask(questions(40)))
            assert spent_by_run(model._store, "r1").cost == pytest.approx(11 * 52)


def test_an_attempt_that_may_have_been_billed_counts_and_is_shown(connected):
    policy = RetryPolicy(first_wait=0.01)
    with (
        loopback_server(answer=echo, faults=["half"], times=1) as server,
        connected(server, extra=PRICED, budget=limited(max_cost=1000.0), policy=policy) as model,
    ):
        answered(model, 2)
        spent = spent_by_run(model._store, "r1")
    assert (spent.attempts, spent.answered, spent.possibly_billed) == (4, 2, 2)
    assert spent.cost == pytest.approx(12.0)
    # Its estimate: 4 tokens around the message, 10 characters at 4 a token, and the 4 that the answer may have.
    assert spent.possibly == pytest.approx(2 * (4 + 2 + 4))
    assert spent.at_most == pytest.approx(32.0)


def test_refusals_for_the_rate_cost_nothing_and_use_up_no_request(connected):
    with (
        loopback_server(answer=echo, faults=["429"], times=2) as server,
        connected(server, budget=limited(max_requests=3)) as model,
    ):
        texts, stop = answered(model, 3)
        spent = spent_by_run(model._store, "r1")
    assert (len(texts), stop, server.requests) == (3, None, 9)
    assert (spent.attempts, spent.turned_away, spent.possibly_billed) == (3, 6, 0)


def test_the_time_that_a_run_has_ends_it_cleanly(connected):
    with (
        loopback_server(answer=echo, delay=0.4) as server,
        connected(server, budget=limited(max_minutes=3 / 60), concurrency=1) as model,
    ):
        started = time.monotonic()
        texts, stop = answered(model, 100)
        assert time.monotonic() - started < 8
    assert "--max-minutes" in str(stop)
    assert 1 <= len(texts) <= 8
    assert len(texts) == server.requests


def test_a_limit_on_cost_needs_a_price(connected):
    with (
        loopback_server() as server,
        pytest.raises(UsageError, match=r'lo/m: --max-cost needs .*\[prices."lo/m"\]'),
    ):
        connected(server, budget=limited(max_cost=1.0))


@pytest.mark.parametrize("bad", [{"max_cost": 0}, {"max_requests": -1}, {"max_minutes": float("nan")}])
def test_limits_that_are_none_are_refused(bad):
    with pytest.raises(UsageError, match="is not above 0"):
        SpendingLimits(**bad)


def test_what_a_cost_is_not_known_of_is_counted_and_never_zero(connected):
    with loopback_server(answer=echo) as server, connected(server, budget=Budget("r1")) as model:
        answered(model, 3)
        assert spent_by_model(model._store) == {"lo/m": spent_by_run(model._store, "r1")}
        assert spent_by_run(model._store, "r1").unpriced == 3
    assert (model.usage.unpriced, model.usage.cost) == (3, 0.0)


def test_stored_responses_of_named_outcomes_are_asked_again_once(connected, tmp_path):
    def outcome_of(text):
        return Outcome.REFUSED if "sorry" in text else Outcome.ANSWERED

    asked = [replace(q, outcome_of=outcome_of) for q in questions(4)]
    with loopback_server(answer="sorry, no", faults=["filter"], times=1) as server:
        with connected(server) as model:
            assert {r.outcome for r in model.ask(asked)} == {Outcome.FILTERED}
        with connected(server, retry=[Outcome.REFUSED]) as model:
            assert {r.outcome for r in model.ask(asked)} == {Outcome.FILTERED}
        assert server.requests == 4
        with connected(server, retry=[Outcome.FILTERED]) as model:
            first = [r.text for r in model.ask(asked)]
            assert [r.reused for r in model.ask(asked)] == [True] * 4
        assert first == ["sorry, no"] * 4
        assert server.requests == 8
        server.behaviour.answer = "AAPL"
        with connected(server, retry=[Outcome.REFUSED]) as model:
            assert [r.text for r in model.ask(asked)] == ["AAPL"] * 4
        with connected(server, retry=[Outcome.REFUSED]) as model:
            assert [r.reused for r in model.ask(asked)] == [True] * 4
    assert server.requests == 12
    path = tmp_path / "store.sqlite"
    assert rows(path, "SELECT outcome, text, count(*) FROM earlier_responses GROUP BY 1, 2") == [
        ("answered", "sorry, no", 4),
        ("filtered", "sorry, no", 4),
    ]
    assert rows(path, "SELECT count(*) FROM responses") == [(4,)]


def test_a_retry_that_fails_leaves_the_stored_response_in_force(connected):
    with loopback_server(answer="x", faults=["filter"], times=1) as server:
        with connected(server) as model:
            list(model.ask(questions(1)))
        server.behaviour.faults, server.behaviour.times = ("400",), None
        with connected(server, retry=[Outcome.FILTERED]) as model:
            (response,) = model.ask(questions(1))
            assert response.outcome is Outcome.FAILED
        with connected(server) as model:
            (response,) = model.ask(questions(1))
            assert (response.outcome, response.reused) == (Outcome.FILTERED, True)


def test_a_model_that_changes_under_its_name_is_told(connected):
    with (
        loopback_server(answer=echo, change_after=3, changes=("model", "fingerprint")) as server,
        connected(server, concurrency=1) as model,
    ):
        list(model.ask(questions(3)))
        assert model.notes == []
        list(model.ask(questions(5)))
        name, fingerprint = model.notes
    assert name.startswith("WARNING: lo/m was answered by different models: ")
    assert "m-loopback (6), m-loopback-changed (2)" in name  # three of the first kind were used twice
    assert "2 system fingerprints" in fingerprint
