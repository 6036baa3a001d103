"""Every fault of the loopback server, in every call of the batch API and in every line of a batch: each ends in the
right outcome or a completed retry, and nothing is asked twice that was answered once."""

import io
import time

import pytest
from batching import calls_for, echo, filled, kinds, states, table, texts

from neuter.errors import ModelError
from neuter.models.retry import RetryPolicy
from neuter.models.testing import loopback_server
from neuter.models.testing.batch import tell_batches
from neuter.models.testing.batch_state import BATCH_FAULTS
from neuter.models.testing.faults import FAULTS

#: A server that keeps to one of these says no, and says it again: an error for the user at once.
REFUSALS = {
    *("307", "400", "401", "402", "403", "404", "413", "422", "quota"),
    *("openai-too-long", "vllm-too-long", "vllm-too-long-old", "llamacpp-too-long", "ollama-unknown"),
    *("azure-filter", "openrouter-moderated", "detail"),
}
#: A file of answers that is not there is looked for again, then taken to be deleted: no error.
GONE = {"404", "ollama-unknown"}
#: Whether such a creation came to be is looked up when the next run begins: one step more to stop at.
HOPELESS = {"307", "401", "402", "403", "quota", "openrouter-moderated"}
#: Of the refusals, the ones that reject a single request and stop nothing else.
REJECTIONS = {
    *("400", "413", "422", "detail"),
    *("openai-too-long", "vllm-too-long", "vllm-too-long-old", "llamacpp-too-long"),
}
#: What a single request comes to where its line holds an answer of a kind.
OUTCOMES = {
    "filter": "filtered",
    "refuse": "refused",
    "blank": "unparsed",
    "length": "truncated",
    "azure-filter": "filtered",
    "openrouter-moderated": "filtered",
}
#: One of each sort, for the tests that take longer.
OFTEN = ("429", "500", "drop", "hang", "html", "400", "401")
STEPS = ("upload", "create", "retrieve", "content", "delete")
IMPATIENT = {"timeout": 0.2, "transfer": 0.2}
ALL = {f"question {i}": f"answer to question {i}" for i in range(4)}


def stops(fault):
    """How many steps of upload, creation, look and download stop at a fault."""
    return 0 if fault not in REFUSALS else 3 if fault in GONE else 5 if fault in HOPELESS else 4


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_each_small_call_passes_or_stops_the_run_and_costs_nothing_twice(tmp_path, fault):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        calls = calls_for(server.base_url, 4)
        tell_batches(server.base_url, faults=[fault], times=1)
        started = time.monotonic()
        # A refusal stops the run at each step whose answer is needed, and each run gets one step further.
        for _ in range(stops(fault)):
            with pytest.raises(ModelError):
                filled(store, server.base_url, calls, **IMPATIENT)
        assert filled(store, server.base_url, calls, **IMPATIENT) == {}
        assert time.monotonic() - started < 8
        assert (server.requests, server.most) == (4, 1)
        asked = tell_batches(server.base_url)["calls"]
        assert min(asked[step] for step in STEPS if step != "delete") >= 2, asked
    assert texts(store) == ALL
    assert kinds(store)["answered"] == 4


@pytest.mark.parametrize(
    "fault", [f if f in OFTEN else pytest.param(f, marks=pytest.mark.slow) for f in FAULTS]
)
def test_a_fault_that_does_not_end_is_an_error_in_time_and_the_next_run_goes_on(tmp_path, fault):
    store, twice = tmp_path / "s.sqlite", RetryPolicy(attempts=2, first_wait=0.01, total=0.4, first_contact=2)
    with loopback_server(answer=echo, retry_after="0.2") as server:
        calls = calls_for(server.base_url, 4)
        for step in ("upload", "create", "retrieve"):
            tell_batches(server.base_url, faults=[fault], times=None, scope=[step])
            started = time.monotonic()
            with pytest.raises(ModelError):
                filled(store, server.base_url, calls, policy=twice, **IMPATIENT)
            assert time.monotonic() - started < 4, step
        tell_batches(server.base_url, faults=[])
        assert filled(store, server.base_url, calls) == {}
        assert server.most == 1
    assert texts(store) == ALL


@pytest.mark.parametrize("fault", FAULTS)
def test_a_line_with_a_fault_is_read_as_the_same_reply_online(tmp_path, fault):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo, faults=[fault], times=1) as server:
        calls = calls_for(server.base_url, 2)
        if fault in REFUSALS - REJECTIONS - set(OUTCOMES):
            with pytest.raises(ModelError):
                filled(store, server.base_url, calls)
            return
        reasons = filled(store, server.base_url, calls)
    outcomes = [outcome for (outcome,) in table(store, "SELECT outcome FROM responses")]
    if fault in REJECTIONS:
        assert set(reasons) == {call.key for call in calls}
        assert kinds(store) == {"rejected": 2}
        assert all("the server answered 4" in reason for reason in reasons.values())
    elif fault in OUTCOMES:
        assert (reasons, outcomes) == ({}, [OUTCOMES[fault]] * 2)
        assert server.most == 1
    else:
        assert (reasons, outcomes) == ({}, ["answered"] * 2)
        assert server.most == 2
        assert states(store) == {"harvested": 2}


@pytest.mark.parametrize("fault", BATCH_FAULTS)
def test_a_fault_of_a_whole_batch_ends_as_it_must(tmp_path, fault):
    """Each fault meets the first batch; the figures are worked by hand for four requests, of which two are odd."""
    expected = {
        "batch-expires": ({"answered": 4, "transient": 2}, 4, 1, 2),
        "batch-partial": ({"answered": 4, "rate_limited": 1, "transient": 1}, 6, 2, 2),
        "batch-forgets": ({"answered": 4, "ambiguous": 2}, 6, 2, 2),
        "batch-lost-reply": ({"answered": 4}, 4, 1, 1),
        "batch-duplicate": ({"answered": 4}, 4, 1, 1),
        "batch-garbage": ({"answered": 4}, 4, 1, 1),
        "batch-full": ({"answered": 4, "rate_limited": 4}, 4, 1, 2),
        "batch-create-500": ({"answered": 4}, 4, 1, 1),
    }
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        calls = calls_for(server.base_url, 4)
        tell_batches(
            server.base_url, faults=[fault], times=1, window=-1.0 if fault == "batch-hang" else 86400.0
        )
        if fault == "batch-fails":
            with pytest.raises(ModelError, match=r"This line is not parseable as valid JSON \(line 1\)"):
                filled(store, server.base_url, calls)
            assert (server.requests, kinds(store), states(store)) == (0, {"transient": 4}, {"failed": 1})
        elif fault in {"batch-no-files", "batch-half-line"}:
            held = {"batch-no-files": 0, "batch-half-line": 3}[fault]
            for _ in range(2):
                with pytest.raises(
                    ModelError, match=f"the 4 requests .* said to have done, its files hold {held}"
                ):
                    filled(store, server.base_url, calls)
            assert (server.requests, tell_batches(server.base_url)["batches"]) == (4, 1)
            assert kinds(store) == {k: n for k, n in {"answered": held, "under_way": 4 - held}.items() if n}
            filled(store, server.base_url, [], then=lambda batches, _: batches.give_up("batch_000002"))
            assert (kinds(store).get("ambiguous"), states(store)) == (4 - held, {"given_up": 1})
        elif fault == "batch-hang":
            reasons = filled(store, server.base_url, calls, grace=0.0)
            assert set(reasons) == {call.key for call in calls}
            assert all("did not end the batch" in reason for reason in reasons.values())
            assert (kinds(store), states(store)) == ({"ambiguous": 4}, {"given_up": 1})
        elif fault == "batch-cancelled":
            reasons = filled(store, server.base_url, calls)
            assert set(reasons) == {calls[0].key, calls[2].key}
            assert all("cancelled" in reason for reason in reasons.values())
            assert (server.requests, states(store)) == (2, {"cancelled": 1})
        else:
            assert filled(store, server.base_url, calls) == {}
            found = (kinds(store), server.requests, server.most, tell_batches(server.base_url)["batches"])
            assert found == expected[fault]
        tell_batches(server.base_url, faults=[], window=86400.0)
        assert filled(store, server.base_url, calls) == {}
    assert texts(store) == ALL


def test_rate_limits_do_not_count_as_attempts(tmp_path):
    """Each small call is turned away five times, and may be attempted twice."""
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, faults=["429"], times=5)
        policy = RetryPolicy(attempts=2, first_wait=0.01, total=10.0)
        assert filled(store, server.base_url, calls_for(server.base_url, 2), policy=policy) == {}
        assert tell_batches(server.base_url)["calls"]["upload"] == 6


def test_a_download_that_broke_leaves_nothing_in_the_file(tmp_path):
    """The first try brings a hundred thousand bytes and breaks off; the second brings five."""

    async def there_and_back(batches, _):
        real, tries, into = batches._server._stream, [], io.BytesIO()

        async def stream(name, into):
            tries.append(name)
            if len(tries) == 1:
                into.write(b"x" * 100_000)
                raise TimeoutError
            await real(name, into)

        batches._server._stream = stream
        await batches._server.download(await batches._server.upload("five", io.BytesIO(b"12345")), into)
        return len(tries), into.read()

    with loopback_server() as server:
        assert filled(tmp_path / "s.sqlite", server.base_url, [], then=there_and_back) == (2, b"12345")


def test_a_batch_that_expires_each_time_is_made_again_for_what_is_left(tmp_path):
    """Four requests, of which each batch does every other: 2, 1 and 1 in three batches, none of them twice."""
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, faults=["batch-expires"])
        assert filled(store, server.base_url, calls_for(server.base_url, 4)) == {}
        assert (server.requests, server.most) == (4, 1)
    assert table(store, "SELECT requests FROM batches ORDER BY created_at, requests DESC") == [
        (4,),
        (2,),
        (1,),
    ]


def test_what_fails_in_every_batch_is_given_up_after_as_many_as_the_policy_has_attempts(tmp_path):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo, faults=["500"]) as server:
        calls = calls_for(server.base_url, 2)
        reasons = filled(store, server.base_url, calls, policy=RetryPolicy(attempts=3, first_wait=0.01))
        assert (server.requests, server.most) == (6, 3)
    assert set(reasons) == {call.key for call in calls}
    assert set(reasons.values()) == {
        "the server answered 500: the server was told to answer 500 (after 3 batches)"
    }
    assert table(store, "SELECT number FROM attempts ORDER BY id") == [(1,), (1,), (2,), (2,), (3,), (3,)]
