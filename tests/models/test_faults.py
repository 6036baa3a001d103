"""Every fault of the loopback server, once and always: the right end, within its deadline, rightly in the ledger."""

import sqlite3
import time
from contextlib import closing
from dataclasses import replace

import pytest
from asking import questions

from neuter.errors import ModelError
from neuter.models.retry import RetryPolicy
from neuter.models.testing import loopback_server
from neuter.models.testing_faults import FAULTS, PASSING
from neuter.types import Outcome

#: What each fault is in the ledger (docs/runner.md, "The store").
KINDS = {
    "rate_limited": ("429", "429-date", "429-ms", "429-bare", "openrouter-429", "azure-429"),
    "transient": (
        "500",
        "502",
        "503",
        "503-wait",
        "409",
        "echo-key",
        "openrouter-502",
        "choice-error",
        "llamacpp-loading",
    ),
    "ambiguous": (
        "408",
        "504",
        "524",
        "drop",
        "reset",
        "half",
        "short",
        "drip",
        "hang",
        "html",
        "no-body",
        "empty",
        "null-choices",
        "no-message",
    ),
    "rejected": (
        "400",
        "413",
        "422",
        "openai-too-long",
        "vllm-too-long",
        "vllm-too-long-old",
        "llamacpp-too-long",
        "detail",
    ),
    "hopeless": ("401", "402", "403", "404", "quota", "ollama-unknown"),
}
#: Faults that end the call with a response that is kept.
KEPT = {
    "blank": Outcome.UNPARSED,
    "filter": Outcome.FILTERED,
    "refuse": Outcome.REFUSED,
    "length": Outcome.TRUNCATED,
    "openrouter-moderated": Outcome.FILTERED,
    "azure-filter": Outcome.FILTERED,
}
#: What is worth another attempt, and how the ledger shows it.
RETRIED = [(fault, kind) for kind in ("rate_limited", "transient", "ambiguous") for fault in KINDS[kind]]
COUNTED = [(fault, kind) for fault, kind in RETRIED if kind != "rate_limited"]

POLICY = RetryPolicy(attempts=3, first_wait=0.01, longest_wait=0.05, total=5.0)
#: For a server that would refuse for ever.
IMPATIENT = replace(POLICY, total=1.2)
#: Seconds of an attempt; only a hang and a drip come near it.
TIMEOUT = 0.4
#: Seconds beside the policy's total that starting, closing and a slow machine may take.
MARGIN = 8.0


@pytest.fixture
def ask(connected, tmp_path):
    """Ask one question of a server with short deadlines; the response, and the kinds of all attempts so far."""

    def once(server, policy=POLICY):
        began = time.monotonic()
        try:
            with connected(server, policy=policy, timeout=TIMEOUT) as model:
                (response,) = model.ask(questions(1))
        finally:
            assert time.monotonic() - began < policy.total + TIMEOUT + MARGIN
        return response, attempts(tmp_path / "store.sqlite")

    return once


def attempts(store):
    with closing(sqlite3.connect(store)) as connection:
        return [kind for (kind,) in connection.execute("SELECT kind FROM attempts ORDER BY id")]


def test_every_fault_is_in_this_matrix():
    named = [fault for faults in KINDS.values() for fault in faults] + list(KEPT)
    assert sorted(named) == sorted(FAULTS)


@pytest.mark.parametrize(("fault", "kind"), RETRIED)
def test_once_it_is_tried_again_and_answered(ask, fault, kind):
    with loopback_server(faults=[fault], times=1) as server:
        response, kinds = ask(server)
    assert (response.outcome, response.reused) == (Outcome.ANSWERED, False)
    assert kinds == [kind, "answered"]
    assert (server.requests, server.faulted) == (2, 1)


@pytest.mark.parametrize(("fault", "kind"), COUNTED)
def test_always_it_ends_as_a_failure_that_is_asked_again_next_time(ask, fault, kind):
    with loopback_server(faults=[fault]) as server:
        response, kinds = ask(server)
        assert (response.outcome, response.text) == (Outcome.FAILED, None)
        assert "after 3 attempts" in response.reason
        assert kinds == [kind] * 3
        server.behaviour.faults = ()
        response, kinds = ask(server)
    assert response.outcome is Outcome.ANSWERED
    assert kinds == [kind] * 3 + ["answered"]


@pytest.mark.parametrize("fault", KINDS["rate_limited"])
def test_a_server_that_refuses_everybody_for_its_rate_stops_the_run_in_time(ask, fault, tmp_path):
    with loopback_server(faults=[fault]) as server:
        with pytest.raises(ModelError, match="429"):
            ask(server, IMPATIENT)
        assert set(attempts(tmp_path / "store.sqlite")) == {"rate_limited"}
        server.behaviour.faults = ()
        response, kinds = ask(server)
    assert (response.outcome, kinds[-1]) == (Outcome.ANSWERED, "answered")


@pytest.mark.parametrize("fault", KINDS["rejected"])
def test_a_rejected_request_is_sent_once_and_fails_alone(connected, tmp_path, fault):
    with loopback_server(faults=[fault], times=1) as server, connected(server, policy=POLICY) as model:
        first = list(model.ask(questions(2)))
        again = list(model.ask(questions(2)))
    assert [r.outcome for r in first] == [Outcome.FAILED] * 2
    assert [r.outcome for r in again] == [Outcome.ANSWERED] * 2
    assert sorted(attempts(tmp_path / "store.sqlite")) == ["answered"] * 2 + ["rejected"] * 2


@pytest.mark.parametrize("fault", KINDS["hopeless"])
def test_what_no_other_request_would_fare_better_with_stops_the_run(ask, connected, tmp_path, fault):
    with loopback_server(faults=[fault]) as server:
        with (
            connected(server, policy=POLICY, concurrency=4) as model,
            pytest.raises(ModelError, match="lo/m at"),
        ):
            list(model.ask(questions(50)))
        kinds = attempts(tmp_path / "store.sqlite")
        assert set(kinds) == {"hopeless"}
        assert 1 <= len(kinds) == server.requests <= 4
        server.behaviour.faults = ()
        response, _ = ask(server)
    assert response.outcome is Outcome.ANSWERED


@pytest.mark.parametrize(("fault", "outcome"), KEPT.items())
def test_an_outcome_that_is_kept_is_asked_once(ask, fault, outcome):
    with loopback_server(faults=[fault]) as server:
        first, kinds = ask(server)
        second, again = ask(server)
    assert (first.outcome, first.reused) == (second.outcome, not second.reused) == (outcome, False)
    assert kinds == again == ["answered"]
    assert server.requests == 1


def test_faults_by_chance_lose_no_answer_and_pay_for_none_twice(connected, tmp_path):
    unbilled = [fault for fault in PASSING if fault != "empty"]
    with (
        loopback_server(fault_share=0.2, seed=1, faults=unbilled) as server,
        connected(server, policy=RetryPolicy(attempts=9, first_wait=0.01, longest_wait=0.05)) as model,
    ):
        responses = list(model.ask(questions(300)))
    assert [r.outcome for r in responses] == [Outcome.ANSWERED] * 300
    assert server.answered == len(server.answered_by_body) == 300
    kinds = attempts(tmp_path / "store.sqlite")
    assert (kinds.count("answered"), len(kinds)) == (300, server.requests)
    assert server.faulted == server.requests - 300 > 30


@pytest.mark.parametrize("how", ["seconds", "ms", "date", "none"])
def test_a_rate_that_is_too_low_for_us_loses_nothing(connected, tmp_path, how):
    """Twice as many calls at once as the server grants in a second."""
    with (
        loopback_server(rate=50, burst=25, retry_after_as=how) as server,
        connected(server, concurrency=100, policy=RetryPolicy(total=60)) as model,
    ):
        responses = list(model.ask(questions(100)))
    assert [r.outcome for r in responses] == [Outcome.ANSWERED] * 100
    kinds = attempts(tmp_path / "store.sqlite")
    assert kinds.count("answered") == server.granted == 100
    assert kinds.count("rate_limited") == server.refused > 0


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_bears_few_calls_at_once_is_given_few(connected, tmp_path, status):
    with (
        loopback_server(most_at_once=4, busy_status=status, delay=0.02) as server,
        connected(server, concurrency=32, policy=RetryPolicy(attempts=30, first_wait=0.02)) as model,
    ):
        responses = list(model.ask(questions(80)))
    assert [r.outcome for r in responses] == [Outcome.ANSWERED] * 80
    assert server.granted == 80
    assert attempts(tmp_path / "store.sqlite").count("answered") == 80
