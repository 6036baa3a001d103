"""Asking a model on a loopback server: order, reuse, retries, bounds, and honest failures."""

import itertools
import threading
import time
from email.utils import formatdate

import pytest
from asking import questions

from neuter.errors import ModelError
from neuter.models.limits import FIRST
from neuter.models.retry import RetryPolicy
from neuter.models.testing import loopback_server
from neuter.types import Outcome, Request


def echo(body):
    return "answer to " + body["messages"][-1]["content"]


def test_responses_come_in_the_order_of_the_requests(connected):
    def slow_when_even(body):
        time.sleep(0.02 if body["messages"][0]["content"].endswith(("0", "2", "4", "6", "8")) else 0)
        return echo(body)

    with loopback_server(answer=slow_when_even) as server, connected(server) as model:
        responses = list(model.ask(questions(30)))
    assert [r.id for r in responses] == [f"id{i}" for i in range(30)]
    assert [r.text for r in responses] == [f"answer to question {i}" for i in range(30)]
    assert {(r.outcome, r.reused, r.model, r.finish_reason) for r in responses} == {
        (Outcome.ANSWERED, False, "m-loopback", "stop")
    }
    assert (responses[0].prompt_tokens, responses[0].completion_tokens) == (2, 4)
    assert model.model == "lo/m"


def test_a_second_run_makes_no_call_even_with_the_server_gone(connected):
    with loopback_server(answer=echo) as server:
        with connected(server) as model:
            first = list(model.ask(questions(20)))
        with connected(server) as again:
            second = list(again.ask(questions(20)))
        assert server.requests == 20
    with connected(server) as offline:
        third = list(offline.ask(questions(20)))
    assert [r.text for r in first] == [r.text for r in second] == [r.text for r in third]
    assert all(r.reused for r in second + third)
    assert (model.usage.made, model.usage.attempts, model.usage.prompt_tokens) == (20, 20, 40)
    assert (again.usage.reused, again.usage.attempts, again.usage.prompt_tokens) == (20, 0, 0)


def test_what_differs_in_body_server_or_sample_is_asked_anew_and_ids_do_not_matter(connected):
    prompt = (("user", "hello"),)
    requests = [
        Request("a", prompt),
        Request("b", prompt),
        Request("c", prompt, {"temperature": 0}),
        Request("d", prompt, sample=1),
        Request("e", (("system", "hello"),)),
    ]
    with loopback_server() as server, connected(server) as model:
        responses = list(model.ask(requests))
        list(connected(server, model="lo/other").ask(requests[:1]))
        assert server.requests == 5
    assert responses[0].key == responses[1].key
    assert len({r.key for r in responses}) == 4


def test_identical_requests_under_way_are_made_once(connected):
    requests = [Request(str(i), (("user", "same"),)) for i in range(16)]
    with loopback_server(delay=0.1) as server, connected(server) as model:
        responses = list(model.ask(requests))
        assert server.requests == 1
    assert [r.reused for r in responses] == [False] + [True] * 15


def test_no_more_calls_at_once_than_allowed_and_as_many(connected):
    with loopback_server(delay=0.05) as server, connected(server, concurrency=3) as model:
        list(model.ask(questions(15)))
    assert server.peak == 3


def test_concurrency_may_be_configured(connected):
    with (
        loopback_server(delay=0.05) as server,
        connected(server, extra="concurrency = 2") as model,
    ):
        list(model.ask(questions(8)))
    assert server.peak == 2


def test_requests_per_minute_space_the_calls(connected):
    with (
        loopback_server() as server,
        connected(server, extra="requests_per_minute = 600") as model,
    ):
        started = time.monotonic()
        list(model.ask(questions(6)))
    assert time.monotonic() - started >= 0.5


def test_requests_are_read_lazily_from_an_endless_source(connected):
    read = []

    def endless():
        for i in itertools.count():
            read.append(i)
            yield Request(str(i), (("user", str(i)),))

    with loopback_server() as server, connected(server, concurrency=2) as model:
        taken = list(itertools.islice(model.ask(endless()), 10))
    assert [r.id for r in taken] == [str(i) for i in range(10)]
    assert len(read) <= 10 + 4 * 2


def test_an_error_of_the_source_is_passed_on_and_the_model_stays_usable(connected):
    def broken():
        yield from questions(3)
        raise ZeroDivisionError

    with loopback_server() as server, connected(server) as model:
        with pytest.raises(ZeroDivisionError):
            list(model.ask(broken()))
        assert len(list(model.ask(questions(3)))) == 3


@pytest.mark.parametrize("fault", ["429", "500", "408", "drop", "half", "html", "empty"])
def test_a_passing_fault_is_retried(connected, fault):
    with loopback_server(answer=echo, faults=[fault], times=2) as server, connected(server) as model:
        responses = list(model.ask(questions(4)))
    assert [r.text for r in responses] == [f"answer to question {i}" for i in range(4)]
    assert server.requests == 12
    assert model.usage.attempts == 12


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("500", "500"),
        ("drop", "disconnected"),
        ("half", "not completed"),
        ("html", "not JSON"),
        ("empty", "no choice"),
    ],
)
def test_a_lasting_fault_is_a_failure_with_its_reason_and_is_not_kept(connected, fault, reason):
    policy = RetryPolicy(attempts=3, first_wait=0.01, longest_wait=0.02)
    with loopback_server(faults=[fault]) as server, connected(server, policy=policy) as model:
        (response,) = model.ask(questions(1))
        assert response.outcome is Outcome.FAILED
        assert response.text is None
        assert reason.lower() in response.reason.lower()
        assert "3 attempts" in response.reason
        assert server.requests == 3
        server.behaviour.faults = ()
        (later,) = model.ask(questions(1))
        assert later.outcome is Outcome.ANSWERED
    assert (model.usage.failed, model.usage.made) == (1, 1)


@pytest.mark.parametrize("fault", ["429", "500"])
def test_a_server_that_answers_nobody_stops_the_run(connected, fault):
    policy = RetryPolicy(attempts=10_000, first_wait=0.05, longest_wait=0.1, total=1.0)
    with (
        loopback_server(faults=[fault]) as server,
        connected(server, policy=policy) as model,
        pytest.raises(ModelError, match=r"answered nothing for 1 seconds.*goes on from here"),
    ):
        list(model.ask(questions(3)))


def test_refusals_for_the_rate_do_not_count_as_attempts(connected):
    policy = RetryPolicy(attempts=2, first_wait=0.01, total=30.0)
    with (
        loopback_server(answer=echo, faults=["429"], times=5) as server,
        connected(server, policy=policy) as model,
    ):
        (response,) = model.ask(questions(1))
    assert response.text == "answer to question 0"
    assert server.requests == 6


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_an_attempt_has_a_deadline(connected, fault):
    policy = RetryPolicy(attempts=2, first_wait=0.01)
    started = time.monotonic()
    with loopback_server(faults=[fault]) as server, connected(server, policy=policy, timeout=0.2) as model:
        (response,) = model.ask(questions(1))
    assert response.outcome is Outcome.FAILED
    assert "no answer within 0.2 seconds (after 2 attempts)" in response.reason
    assert time.monotonic() - started < 3


def test_retry_after_in_seconds_is_honoured(connected):
    with loopback_server(faults=["429"], times=1, retry_after="1") as server, connected(server) as model:
        started = time.monotonic()
        assert next(iter(model.ask(questions(1)))).outcome is Outcome.ANSWERED
    assert 1.0 <= time.monotonic() - started < 5
    assert server.requests == 2


def test_retry_after_as_a_date_is_honoured(connected):
    date = formatdate(time.time() + 2.5, usegmt=True)
    with loopback_server(faults=["429"], times=1, retry_after=date) as server, connected(server) as model:
        started = time.monotonic()
        assert next(iter(model.ask(questions(1)))).outcome is Outcome.ANSWERED
    assert 1.0 <= time.monotonic() - started < 6


def test_a_wait_longer_than_a_call_may_take_stops_the_run_at_once(connected):
    with loopback_server(faults=["429"], retry_after="3600") as server, connected(server) as model:
        started = time.monotonic()
        with pytest.raises(ModelError, match="asks to wait 3,600 seconds"):
            list(model.ask(questions(1)))
    assert server.requests == 1
    assert time.monotonic() - started < 3


@pytest.mark.parametrize(
    ("fault", "outcome", "text"),
    [
        ("filter", Outcome.FILTERED, "cut"),
        ("refuse", Outcome.REFUSED, "I'm sorry, I can't help with that."),
        ("length", Outcome.TRUNCATED, "cut"),
        ("blank", Outcome.UNPARSED, ""),
    ],
)
def test_outcomes_without_a_usable_answer_are_kept_and_reused(connected, fault, outcome, text):
    with loopback_server(answer="cut", faults=[fault]) as server, connected(server) as model:
        (first,) = model.ask(questions(1))
        (second,) = model.ask(questions(1))
    assert (first.outcome, first.text) == (second.outcome, second.text) == (outcome, text)
    assert first.reason
    assert server.requests == 1


def test_a_rejected_request_fails_alone_without_a_retry(connected):
    with loopback_server(faults=["400"]) as server, connected(server) as model:
        responses = list(model.ask(questions(3)))
    assert [r.outcome for r in responses] == [Outcome.FAILED] * 3
    assert "400" in responses[0].reason
    assert server.requests == 3


def test_an_unknown_model_stops_the_run(connected):
    with (
        loopback_server(faults=["404"]) as server,
        connected(server) as model,
        pytest.raises(ModelError, match=r"404.*model's name"),
    ):
        list(model.ask(questions(50)))
    assert server.requests <= FIRST  # those that were under way together


def test_a_used_up_quota_stops_the_run(connected):
    with (
        loopback_server(faults=["quota"]) as server,
        connected(server) as model,
        pytest.raises(ModelError, match="quota is used up"),
    ):
        list(model.ask(questions(50)))
    assert server.requests <= FIRST  # those that were under way together


def test_a_server_that_is_down_is_said_before_anything_is_spent(connected):
    with loopback_server() as server:
        pass
    with connected(server) as model:
        started = time.monotonic()
        with pytest.raises(
            ModelError, match=f"lo/m at {server.base_url}: the server cannot be reached"
        ) as caught:
            list(model.ask(questions(50)))
        assert "base_url of [providers.lo]" in caught.value.todo
        with pytest.raises(ModelError, match="cannot be reached"):
            model.check()
    assert time.monotonic() - started < 5


def test_a_server_that_goes_down_in_mid_run_makes_failures(connected):
    with loopback_server() as server:
        model = connected(server)
        assert next(model.ask(questions(1))).outcome is Outcome.ANSWERED
    later = Request("later", (("user", "later"),))
    (response,) = model.ask([later])
    assert response.outcome is Outcome.FAILED
    assert "6 attempts" in response.reason
    model.close()


def test_check_reaches_the_server_without_asking_the_model(connected):
    with loopback_server() as server, connected(server) as model:
        model.check()
    assert server.requests == 0


def test_a_text_longer_than_the_context_fails_uncut(connected, monkeypatch):
    from neuter.models import facts

    long = Request("long", (("user", "word " * 200_000),))
    with loopback_server() as server, connected(server, model="lo/gpt-4o-2024-08-06") as model:
        assert facts("lo/gpt-4o-2024-08-06").context == 128_000
        (response,) = model.ask([long])
    assert response.outcome is Outcome.FAILED
    assert "200000 tokens" in response.reason
    assert server.requests == 0


def test_progress_is_told_of_each_response(connected):
    told = []
    with loopback_server() as server, connected(server, progress=lambda *what: told.append(what)) as model:
        list(model.ask(questions(3)))
    assert told == [("lo/m", 1, None), ("lo/m", 2, None), ("lo/m", 3, None)]


def test_two_threads_may_ask_one_model(connected):
    answers = {}
    with loopback_server(answer=echo, delay=0.01) as server, connected(server) as model:

        def ask(number):
            answers[number] = [r.text for r in model.ask(questions(20))]

        threads = [threading.Thread(target=ask, args=(n,)) for n in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers[0] == answers[1] == [f"answer to question {i}" for i in range(20)]
    assert server.requests == 20


def test_it_works_inside_a_running_event_loop(connected):
    import asyncio

    with loopback_server(answer=echo) as server, connected(server) as model:

        async def notebook_cell():
            return [r.text for r in model.ask(questions(2))]

        assert asyncio.run(notebook_cell()) == ["answer to question 0", "answer to question 1"]
