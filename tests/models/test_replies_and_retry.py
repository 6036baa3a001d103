"""What a server's reply means, and how long to wait before the next attempt."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuter.models.calls import read_reply
from neuter.models.replies import Answer, Fault, MalformedReply, Reply, read_answer, read_fault
from neuter.models.retry import Kind, RetryPolicy, kind_of_status, retry_after
from neuter.types import Outcome


def body(message, finish="stop", **more):
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}], **more})


@pytest.mark.parametrize(
    ("raw", "outcome", "text"),
    [
        (body({"content": "x"}), Outcome.ANSWERED, "x"),
        (body({"content": "x"}, "length"), Outcome.TRUNCATED, "x"),
        (body({"content": "x"}, "content_filter"), Outcome.FILTERED, "x"),
        (body({"content": None, "refusal": "no"}), Outcome.REFUSED, "no"),
        (body({"content": "", "refusal": None}), Outcome.UNPARSED, ""),
        (body({"content": None}), Outcome.UNPARSED, None),
        (body({"content": " \n"}), Outcome.UNPARSED, " \n"),
        (
            body({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
            Outcome.ANSWERED,
            "ab",
        ),
        (body({"content": "half \ud83d pair"}), Outcome.ANSWERED, "half \ufffd pair"),
        (body({"content": "Zürich 😀"}, None), Outcome.ANSWERED, "Zürich 😀"),
    ],
)
def test_an_answer_has_its_outcome(raw, outcome, text):
    answer = read_answer(raw)
    assert isinstance(answer, Answer)
    assert (answer.outcome, answer.text) == (outcome, text)


def test_usage_model_fingerprint_and_extras_are_kept():
    raw = body(
        {"content": "x", "reasoning_content": "thought"},
        model="m-1",
        system_fingerprint="fp",
        usage={"prompt_tokens": 3, "completion_tokens": True},
    )
    answer = read_answer(raw)
    assert (answer.server_model, answer.fingerprint, answer.prompt_tokens) == ("m-1", "fp", 3)
    assert answer.completion_tokens is None
    assert json.loads(answer.extra) == {"reasoning_content": "thought"}


@pytest.mark.parametrize(
    "raw",
    ["", "<html>", "[]", "null", '{"choices": []}', '{"choices": [{}]}', '{"choices": 1}', "[" * 10_000],
)
def test_what_is_no_answer_is_malformed(raw):
    with pytest.raises(MalformedReply):
        read_answer(raw)


def test_thoughts_that_only_the_total_counts_are_tokens_out_as_well():
    def out(**usage):
        raw = {"choices": [{"message": {"content": "x"}}], "usage": usage}
        return read_answer(json.dumps(raw)).completion_tokens

    assert out(prompt_tokens=20, completion_tokens=424, total_tokens=1016) == 996
    assert out(prompt_tokens=20, completion_tokens=424, total_tokens=444) == 424
    assert out(prompt_tokens=20, completion_tokens=424) == 424
    assert out(prompt_tokens=20, total_tokens=30) is None


def test_an_error_after_the_answer_had_begun_may_have_been_billed():
    error = {"code": 502, "message": "upstream"}
    choice = {"finish_reason": "error", "error": error}
    assert read_reply(Reply(200, json.dumps({"choices": [choice]}))).kind is Kind.AMBIGUOUS
    assert read_reply(Reply(200, json.dumps({"error": error}))).kind is Kind.TRANSIENT


def test_an_error_wrapped_into_status_200_is_an_error():
    fault = read_answer('{"error": {"code": 429, "message": "slow down"}}')
    assert isinstance(fault, Fault)
    assert (fault.status, fault.message) == (429, "slow down")
    assert read_answer('{"error": "down"}').status == 502


def test_the_servers_own_words_are_read():
    fault = read_fault(
        Reply(400, '{"error": {"code": 400, "type": "exceed_context_size_error", "message": "too  long"}}')
    )
    assert (fault.code, fault.message, fault.filtered) == ("exceed_context_size_error", "too long", False)
    assert read_fault(Reply(400, '{"error": {"code": "content_filter", "message": "m"}}')).filtered
    assert read_fault(Reply(403, '{"error": {"message": "m", "metadata": {"flagged": "x"}}}')).filtered
    assert read_fault(Reply(500, "<html>oops")).message == "<html>oops"
    assert len(read_fault(Reply(500, "x" * 5000)).message) < 400


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda s: (
            st.lists(s)
            | st.dictionaries(
                st.sampled_from(
                    ["choices", "message", "content", "error", "code", "usage", "refusal", "metadata"]
                ),
                s,
            )
        ),
        max_leaves=15,
    )
)
def test_no_reply_crashes(value):
    raw = json.dumps(value)
    read_fault(Reply(500, raw))
    try:
        read_answer(raw)
    except MalformedReply:
        return


@pytest.mark.parametrize(
    ("status", "kind"),
    [(200, Kind.ANSWERED), (400, Kind.REJECTED), (401, Kind.HOPELESS), (403, Kind.HOPELESS), (404, Kind.HOPELESS), (407, Kind.HOPELESS), (408, Kind.AMBIGUOUS), (504, Kind.AMBIGUOUS), (409, Kind.TRANSIENT), (413, Kind.REJECTED), (422, Kind.REJECTED), (429, Kind.RATE_LIMITED), (500, Kind.TRANSIENT), (529, Kind.TRANSIENT)],
)  # fmt: skip
def test_each_status_has_its_kind(status, kind):
    assert kind_of_status(status) is kind


def test_waits_double_with_jitter_up_to_the_longest():
    policy = RetryPolicy(first_wait=1, longest_wait=10)
    for attempt, top in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (2000, 10)][:5]:
        waits = [policy.wait(attempt, None) for _ in range(50)]
        assert top / 2 <= min(waits) <= max(waits) <= top
        assert len(set(waits)) > 1
    assert 7 <= policy.wait(1, 7.0) <= 7.1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 50.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:05 GMT"}, 0.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_seconds_or_as_a_date(headers, seconds):
    assert retry_after(headers, now=10.0) == seconds


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its zone")
def test_a_date_without_a_zone_is_in_utc_wherever_this_machine_is(monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        assert retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:00 -0000"}, now=10.0) == 50.0
    finally:
        monkeypatch.undo()
        time.tzset()


@given(st.text(max_size=40), st.text(max_size=10))
def test_no_retry_after_crashes(value, milliseconds):
    found = retry_after({"retry-after": value, "retry-after-ms": milliseconds})
    assert found is None or 0 <= found < float("inf")


def test_half_surrogate_pairs_are_replaced_in_every_text_and_whole_ones_kept():
    half = json.loads('"a \\ud83d b"')
    body = {
        "model": half,
        "system_fingerprint": half,
        "provider": half,
        "choices": [{"finish_reason": half, "message": {"content": f"{half} \U0001f600", "reasoning": half}}],
    }
    answer = read_answer(json.dumps(body))
    whole = "a \ufffd b"
    assert (answer.text, answer.finish_reason) == (f"{whole} \U0001f600", whole)
    assert (answer.server_model, answer.fingerprint) == (whole, whole)
    assert json.loads(answer.extra) == {"reasoning": whole, "provider": whole}
    fault = read_fault(Reply(400, json.dumps({"error": {"message": half, "code": half}})))
    assert (fault.message, fault.code) == (whole, whole)
    assert read_fault(Reply(400, json.dumps({"error": half}, ensure_ascii=False))).message == whole


@pytest.mark.parametrize(
    ("told", "count"), [(12.0, 12), (12.5, None), (2**40, None), (1e300, None), (True, None), (-1.0, None)]
)
def test_a_count_is_whole_and_not_beyond_reason(told, count):
    body = {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": told}}
    assert read_answer(json.dumps(body)).prompt_tokens == count
