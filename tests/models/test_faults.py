"""Every fault of the loopback server, once and always: the right end, within its deadline, rightly in the ledger."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from asking import questions

from neuter.errors import ModelError
from neuter.models import connect
from neuter.models.retry import RetryPolicy
from neuter.models.testing import loopback_server
from neuter.models.testing.faults import FAULTS, PASSING
from neuter.types import Outcome, Response

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
        "llamacpp-loading",
        "half-pair",
    ),
    "ambiguous": (
        "408",
        "504",
        "524",
        "drop",
        "reset",
        "garbled",
        "half",
        "short",
        "drip",
        "hang",
        "html",
        "no-body",
        "empty",
        "null-choices",
        "no-message",
        "choice-error",
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
    "hopeless": ("307", "401", "402", "403", "404", "quota", "ollama-unknown"),
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

POLICY = RetryPolicy(attempts=3, first_wait=0.01, longest_wait=0.05, total=20.0)
#: For a server that would refuse for ever.
IMPATIENT = replace(POLICY, total=1.2)
#: Seconds of an attempt: short where it is waited for, else so long that a slow machine changes nothing.
TIMEOUTS = {"hang": 1.0, "drip": 1.0}
LONG = 30.0
#: Seconds beside the policy's total that starting, closing and a slow machine may take.
MARGIN = 10.0


@dataclass(frozen=True)
class End:
    """What became of one question to a server with a fault, and of the same question once the fault was gone."""

    response: Response | None
    error: str
    kinds: list[str]
    requests: int
    seconds: float
    later: Response
    later_kinds: list[str]


def attempts(store):
    with closing(sqlite3.connect(store)) as connection:
        return [kind for (kind,) in connection.execute("SELECT kind FROM attempts ORDER BY id")]


def asked(server, folder, policy, timeout):
    config, store = folder / "loopback.toml", folder / "store.sqlite"
    config.write_text(f'[providers.lo]\nbase_url = "{server.base_url}"\n')
    response, error = None, ""
    try:
        with connect("lo/m", config=config, store=store, policy=policy, timeout=timeout) as model:
            (response,) = model.ask(questions(1))
    except ModelError as caught:
        error = str(caught)
    return response, error, attempts(store)


def end(fault, times, folder):
    policy = IMPATIENT if times is None and fault in KINDS["rate_limited"] else POLICY
    folder.mkdir()
    with loopback_server(faults=[fault], times=times) as server:
        began = time.monotonic()
        response, error, kinds = asked(server, folder, policy, TIMEOUTS.get(fault, LONG))
        seconds, requests = time.monotonic() - began, server.requests
        server.behaviour.faults = ()
        later, _, later_kinds = asked(server, folder, POLICY, LONG)
    return End(response, error, kinds, requests, seconds, later, later_kinds)


@pytest.fixture(scope="module")
def ends(tmp_path_factory):
    """All ends by fault and times; most of the time is waiting, so they wait together."""
    folder = tmp_path_factory.mktemp("faults")
    with pytest.MonkeyPatch.context() as patched, ThreadPoolExecutor(24) as pool:
        patched.setattr("neuter.models.configuration.user_file", lambda: Path(folder / "none.toml"))
        patched.setenv("NO_PROXY", "127.0.0.1")
        patched.chdir(folder)
        wanted = [("429-ms", 4), *((fault, times) for times in (None, 1) for fault in FAULTS)]
        under_way = [pool.submit(end, fault, times, folder / f"{fault}-{times}") for fault, times in wanted]
        return dict(zip(wanted, (future.result() for future in under_way), strict=True))


def test_every_fault_is_in_this_matrix():
    named = [fault for faults in KINDS.values() for fault in faults] + list(KEPT)
    assert sorted(named) == sorted(FAULTS)


@pytest.mark.parametrize("times", [1, None])
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_ends_within_the_deadline_and_is_got_over(ends, fault, times):
    found = ends[fault, times]
    policy = IMPATIENT if times is None and fault in KINDS["rate_limited"] else POLICY
    assert found.seconds < policy.total + TIMEOUTS.get(fault, 0) + MARGIN
    assert found.later.outcome is KEPT.get(fault, Outcome.ANSWERED)
    assert "under_way" not in found.kinds
    assert len(found.kinds) == found.requests


@pytest.mark.parametrize(("fault", "kind"), RETRIED)
def test_once_it_is_tried_again_and_answered(ends, fault, kind):
    found = ends[fault, 1]
    assert (found.response.outcome, found.response.reused) == (Outcome.ANSWERED, False)
    assert found.kinds == [kind, "answered"]
    assert found.later.reused


def test_refusals_for_the_rate_do_not_count_as_attempts(ends):
    found = ends["429-ms", 4]
    assert found.response.outcome is Outcome.ANSWERED
    assert found.kinds == ["rate_limited"] * 4 + ["answered"]
    assert POLICY.attempts < 4


@pytest.mark.parametrize(("fault", "kind"), COUNTED)
def test_always_it_ends_as_a_failure_that_is_asked_again_next_time(ends, fault, kind):
    found = ends[fault, None]
    assert (found.response.outcome, found.response.text) == (Outcome.FAILED, None)
    assert "after 3 attempts" in found.response.reason
    assert found.kinds == [kind] * 3
    assert found.later_kinds == [kind] * 3 + ["answered"]


@pytest.mark.parametrize("fault", KINDS["rate_limited"])
def test_a_server_that_refuses_for_ever_is_given_up_with_its_words(ends, fault):
    """By the call alone where the server asks to wait too long, for the whole run where it answers nobody."""
    found = ends[fault, None]
    assert found.response is None or found.response.outcome is Outcome.FAILED
    assert "429" in (found.error or found.response.reason)
    assert set(found.kinds) == {"rate_limited"}


@pytest.mark.parametrize("times", [1, None])
@pytest.mark.parametrize("fault", KINDS["rejected"])
def test_a_rejected_request_is_sent_once_and_fails_alone(ends, fault, times):
    found = ends[fault, times]
    assert found.response.outcome is Outcome.FAILED
    assert "server answered 4" in found.response.reason
    assert found.later_kinds == ["rejected", "answered"]


@pytest.mark.parametrize("times", [1, None])
@pytest.mark.parametrize("fault", KINDS["hopeless"])
def test_what_no_other_request_would_fare_better_with_is_an_error(ends, fault, times):
    found = ends[fault, times]
    assert found.response is None
    assert "lo/m at http://127.0.0.1" in found.error
    assert found.later_kinds == ["hopeless", "answered"]


@pytest.mark.parametrize("fault", KINDS["hopeless"])
def test_a_hopeless_run_stops_with_the_calls_that_are_under_way(connected, tmp_path, fault):
    """What was entered in the ledger and called off before it was sent is not left there as possibly billed."""
    with (
        loopback_server(faults=[fault]) as server,
        connected(server, policy=POLICY, concurrency=16) as model,
        pytest.raises(ModelError, match="lo/m at"),
    ):
        list(model.ask(questions(50)))
    kinds = attempts(tmp_path / "store.sqlite")
    assert 1 <= server.requests <= 16
    assert kinds.count("hopeless") == server.requests
    assert set(kinds) <= {"hopeless", "unreachable"}


@pytest.mark.parametrize("times", [1, None])
@pytest.mark.parametrize(("fault", "outcome"), KEPT.items())
def test_an_outcome_that_is_kept_is_asked_once(ends, fault, outcome, times):
    found = ends[fault, times]
    assert (found.response.outcome, found.response.reused, found.later.reused) == (outcome, False, True)
    assert found.kinds == found.later_kinds == ["answered"]


def test_faults_by_chance_lose_no_answer_and_pay_for_none_twice(connected, tmp_path):
    # Not among them: 429 and 503, after which all calls rest, and "empty", which is billed.
    unbilled = [fault for fault in PASSING if fault not in {"429", "503", "empty"}]
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
def test_a_server_that_bears_few_calls_at_once_loses_none(connected, tmp_path, status):
    with (
        loopback_server(most_at_once=4, busy_status=status, delay=0.02) as server,
        connected(server, concurrency=8, policy=RetryPolicy(attempts=30, first_wait=0.02)) as model,
    ):
        responses = list(model.ask(questions(12)))
    assert [r.outcome for r in responses] == [Outcome.ANSWERED] * 12
    assert server.granted == 12
    kinds = attempts(tmp_path / "store.sqlite")
    assert kinds.count("answered") == 12
    assert kinds.count("rate_limited" if status == 429 else "transient") == server.refused > 0
