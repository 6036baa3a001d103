"""How much goes into batches: the server's queue of tokens, and what the run may spend."""

import pytest
from batching import calls_for, echo, filled, kinds, states, table, texts

from neuter.errors import LimitReached, ModelError
from neuter.models.budget import SpendingLimits
from neuter.models.retry import RetryPolicy
from neuter.models.testing import loopback_server
from neuter.models.testing.batch import tell_batches


def test_a_known_limit_of_enqueued_tokens_lets_batches_wait_for_each_other(tmp_path):
    """A prompt has 40 characters as it is stored, 10 tokens: of 25 in the queue two are let in at a time."""
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, most_tokens=25)
        assert filled(store, server.base_url, calls_for(server.base_url, 9), most_tokens=25) == {}
        assert server.most == 1
    assert states(store) == {"harvested": 5}
    assert table(store, "SELECT requests FROM batches ORDER BY rowid") == [(2,)] * 4 + [(1,)]


def test_an_unknown_limit_is_found_by_halving_and_no_request_counts_as_tried(tmp_path):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, most_tokens=40)
        policy = RetryPolicy(attempts=1, first_wait=0.01)
        assert filled(store, server.base_url, calls_for(server.base_url, 16), policy=policy) == {}
        assert (server.requests, server.most) == (16, 1)
    assert states(store)["failed"] >= 1
    assert set(kinds(store)) == {"answered", "rate_limited"}
    assert table(store, "SELECT sum(estimated_cost) FROM attempts WHERE kind = 'rate_limited'") == [(None,)]


def test_a_queue_with_no_room_for_one_request_is_an_error_with_the_servers_words(tmp_path):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, most_tokens=1)
        with pytest.raises(ModelError, match="Enqueued token limit reached"):
            filled(store, server.base_url, calls_for(server.base_url, 4))
        tell_batches(server.base_url, most_tokens=None)
        assert filled(store, server.base_url, calls_for(server.base_url, 4)) == {}
        assert server.most == 1


# What the run may spend


def test_max_requests_sends_so_many_and_says_how_to_go_on(tmp_path):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        calls = calls_for(server.base_url, 12)
        with pytest.raises(LimitReached, match=r"5 requests that count .*, and --max-requests is 5"):
            filled(store, server.base_url, calls, budget=("r", SpendingLimits(max_requests=5)))
        assert (server.requests, len(texts(store))) == (5, 5)
        with pytest.raises(LimitReached):
            filled(store, server.base_url, calls, budget=("r", SpendingLimits(max_requests=5)))
        assert filled(store, server.base_url, calls, budget=("r", SpendingLimits(max_requests=12))) == {}
        assert (server.requests, server.most) == (12, 1)


def test_max_cost_is_not_passed_and_what_was_estimated_too_high_is_used_for_more(tmp_path):
    """By estimate a request costs 406 millionths of a dollar, in truth 18: two fit into 1000. Once it is known that
    answers have four tokens and not a hundred, the estimate is 22, and the other four fit as well."""
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        calls = calls_for(server.base_url, 6, max_tokens=100)
        limits = SpendingLimits(max_cost=1000e-6)
        assert filled(store, server.base_url, calls, budget=("r", limits)) == {}
        assert table(store, "SELECT requests FROM batches ORDER BY rowid") == [(2,), (4,)]
        with pytest.raises(LimitReached, match="might pass --max-cost"):
            filled(
                store,
                server.base_url,
                calls_for(server.base_url, 2, start=50, max_tokens=100),
                budget=("r", SpendingLimits(max_cost=200e-6)),
            )
        assert server.requests == 6


def test_when_the_time_of_the_run_is_up_the_batch_is_kept(tmp_path):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, delay=1.0)
        calls = calls_for(server.base_url, 2)

        async def hurried(batches, calls):
            batches._budget.start(batches._store)
            with pytest.raises(LimitReached, match="max-minutes"):
                await batches.fill(calls)

        filled(
            store, server.base_url, calls, then=hurried, budget=("r", SpendingLimits(max_minutes=0.3 / 60))
        )
        assert states(store) == {"submitted": 1}
        assert filled(store, server.base_url, calls) == {}
        assert server.most == 1
