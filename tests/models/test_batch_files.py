"""The files of a batch and the server's description of one, in all the forms that they come in."""

import io
import json

import pytest
from batching import calls_for

from neuter.models.batch.files import (
    LONGEST_LINE,
    Room,
    queued_tokens,
    read_line,
    read_lines,
    request_line,
    write_part,
)
from neuter.models.batch.remote import read_page, read_remote
from neuter.models.calls import Call
from neuter.models.replies import MalformedReply
from neuter.models.retry import Kind
from neuter.types import Outcome

KEY = bytes(range(32))
URL = "/v1/chat/completions"


def line(**fields):
    return read_line(json.dumps({"custom_id": KEY.hex(), **fields}))


def completion(text="Yes.", **fields):
    message = {"role": "assistant", "content": text}
    return {"choices": [{"message": message, "finish_reason": "stop"}], "model": "m-1", **fields}


def written(calls, **room):
    file = io.BytesIO()
    limits = {"requests": 100, "bytes": 10_000, **room}
    part = write_part(calls, file, url=URL, room=Room(**limits), dollars_of=lambda _: 0.25)
    return part, file.getvalue().splitlines()


# Requests


def test_a_request_line_is_what_the_api_documents_with_the_body_as_it_is_sent_online():
    [call] = calls_for("u", 1, temperature=0, max_tokens=5)
    assert json.loads(request_line(call, URL)) == {
        "custom_id": call.key.hex(),
        "method": "POST",
        "url": URL,
        "body": call.body,
    }
    assert len(call.key.hex()) == 64  # the longest id that is said to be taken


def test_text_of_any_kind_makes_one_line_that_reads_back_the_same():
    text = 'line\nbreak \u2028 "quotes" \\ Größe 株 \U0001f600 \x00'
    call = Call(KEY, {"model": "m", "messages": [{"role": "user", "content": text}]}, 0)
    raw = request_line(call, URL)
    assert raw.count(b"\n") == 1
    assert json.loads(raw)["body"]["messages"][0]["content"] == text
    lone = Call(KEY, {"model": "m", "messages": [{"role": "user", "content": "half \ud83d pair"}]}, 0)
    assert json.loads(request_line(lone, URL))["body"]["messages"][0]["content"] == "half \ud83d pair"


def test_a_part_ends_before_the_limit_that_comes_first():
    calls = calls_for("u", 9)
    size = len(request_line(calls[0], URL))
    rooms = ({}, {"requests": 4}, {"bytes": 3 * size})
    assert [len(written(calls, **room)[0].calls) for room in rooms] == [9, 4, 3]
    assert [len(written(calls, dollars=dollars)[0].calls) for dollars in (0.2, 0.25, 1.1)] == [0, 1, 4]
    assert queued_tokens(calls[0].body) == 10  # [{"content":"question 0","role":"user"}]: 40 characters
    assert [len(written(calls, tokens=tokens)[0].calls) for tokens in (1, 20, 39)] == [1, 2, 3]
    part, lines = written(calls, requests=4)
    assert [json.loads(raw)["custom_id"] for raw in lines] == [call.key.hex() for call in calls[:4]]
    assert part.too_long == ()


def test_a_request_longer_than_a_file_is_set_apart():
    huge = Call(KEY, {"model": "m", "messages": [{"role": "user", "content": "x" * 400}]}, 0)
    [call] = calls_for("u", 1)
    part, lines = written([huge, call], bytes=300)
    assert (part.calls, part.too_long, len(lines)) == ((call,), (huge,), 1)


# Answers


def test_an_answer_is_read_as_online():
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 3}}
    found = line(response={"status_code": 200, "body": completion(usage=usage)}, error=None)
    assert (found.key, found.tried.kind, found.tried.status) == (KEY, Kind.ANSWERED, 200)
    answer = found.tried.answer
    assert (answer.outcome, answer.text, answer.server_model) == (Outcome.ANSWERED, "Yes.", "m-1")
    assert (answer.prompt_tokens, answer.completion_tokens, answer.cached_tokens) == (7, 2, 3)


@pytest.mark.parametrize(
    ("fields", "kind", "reason"),
    [
        (
            {"response": {"status_code": 429, "body": {"error": {"message": "slow"}}}},
            Kind.RATE_LIMITED,
            "slow",
        ),
        ({"response": {"status_code": 500, "body": {"error": {}}}}, Kind.TRANSIENT, "500"),
        ({"response": {"status_code": 504, "body": "<html>"}}, Kind.AMBIGUOUS, "504"),
        ({"response": {"status_code": 400, "body": {"error": {"message": "bad"}}}}, Kind.REJECTED, "bad"),
        ({"response": {"status_code": 404, "body": {"error": {"message": "gone"}}}}, Kind.HOPELESS, "gone"),
        # Together puts the words beside the status.
        ({"response": {"status_code": 500, "message": "inner"}}, Kind.TRANSIENT, "inner"),
        ({"response": {"status_code": 200, "body": {"choices": []}}}, Kind.AMBIGUOUS, "no choice"),
        ({"response": {"status_code": 200, "body": "half an answ"}}, Kind.AMBIGUOUS, "not JSON"),
        ({"response": {"status_code": 200, "body": None}}, Kind.AMBIGUOUS, "no answer"),
        ({"response": {}}, Kind.AMBIGUOUS, "no answer"),
        (
            {"response": None, "error": {"code": "batch_expired", "message": "too late"}},
            Kind.TRANSIENT,
            "too late",
        ),
        ({"response": None, "error": {"code": "batch_expired"}}, Kind.TRANSIENT, "said: "),
        ({"error": "broken"}, Kind.TRANSIENT, "broken"),
        ({"response": None, "error": None}, Kind.AMBIGUOUS, "neither"),
        ({"response": 5, "error": []}, Kind.AMBIGUOUS, "neither"),
    ],
)
def test_a_line_without_an_answer_says_whether_another_try_is_worth_it(fields, kind, reason):
    tried = line(**fields).tried
    assert (tried.kind, tried.answer) == (kind, None)
    assert reason in tried.reason


def test_a_content_filter_is_an_outcome_in_a_response_and_in_an_error():
    error = {"code": "content_filter", "message": "filtered"}
    for fields in (
        {"response": {"status_code": 400, "body": {"error": error}}},
        {"response": None, "error": error},
    ):
        assert line(**fields).tried.answer.outcome is Outcome.FILTERED


@pytest.mark.parametrize(
    "text",
    [
        '{"custom_id": "00',
        "",
        "null",
        "[]",
        "7",
        '"a"',
        '{"custom_id": null}',
        '{"custom_id": "xyz"}',
        "{}",
        "[" * 99999,
    ],
)
def test_a_line_that_names_no_request_is_nothing_and_no_error(text):
    assert read_line(text) is None


def test_lines_are_read_one_by_one_past_blank_broken_and_endless_ones():
    good = json.dumps(
        {"custom_id": KEY.hex(), "response": {"status_code": 200, "body": completion()}}
    ).encode()
    endless = b"x" * (LONGEST_LINE + 10)
    file = io.BytesIO(b"\n\r\n" + good + b"\n\xff\xfe\n" + endless + b"\n" + good[:50] + b"\n" + good)
    found = list(read_lines(file, lambda text: text))
    assert [bool(one) for one in found] == [True, False, False, False, False, True]


# The server's description


def test_a_batch_is_read_with_what_the_api_documents():
    found = read_remote(
        json.dumps(
            {
                "id": "batch_1",
                "status": "completed",
                "input_file_id": "file_1",
                "output_file_id": "file_2",
                "error_file_id": "file_3",
                "created_at": 1000,
                "completed_at": 1060,
                "expires_at": 90000,
                "request_counts": {"total": 9, "completed": 6, "failed": 2},
                "metadata": {"neuter": "abc"},
            }
        )
    )
    assert (found.id, found.intent, found.input_file) == ("batch_1", "abc", "file_1")
    assert (found.output_file, found.error_file, found.ended, found.done) == ("file_2", "file_3", True, 8)
    assert (found.created_at, found.ended_at, found.expires_at) == (1000.0, 1060.0, 90000.0)


def test_other_servers_leave_out_or_spell_otherwise():
    """Capitals, empty ids, null counts and times as words are in public reports of servers that speak the protocol."""
    found = read_remote(
        '{"id": "b", "status": "EXPIRED", "output_file_id": "", "request_counts": null, "expires_at": "soon"}'
    )
    assert (found.status, found.ended, found.output_file, found.done, found.expires_at) == (
        "expired",
        True,
        None,
        0,
        None,
    )


def test_what_was_wrong_with_a_batch_is_said_in_the_servers_words():
    data = [
        {"code": "token_limit_exceeded", "message": "Enqueued token limit reached for m.", "line": None},
        {"code": "invalid_json_line", "message": "not JSON", "line": 3},
    ]
    found = read_remote(
        json.dumps({"id": "b", "status": "failed", "errors": {"object": "list", "data": data}})
    )
    assert found.complaint == "Enqueued token limit reached for m.; not JSON (line 3)"
    assert found.full
    for errors, words in (
        ("plain words", "plain words"),
        ([{"code": "c"}], "c"),
        ({"message": "m"}, "m"),
        (None, ""),
    ):
        other = read_remote(json.dumps({"id": "b", "status": "failed", "errors": errors}))
        assert (other.complaint, other.full) == (words, False)


@pytest.mark.parametrize(
    "body", ["<html>", "[]", "{}", '{"id": "b"}', '{"id": "", "status": "x"}', '{"id": 1, "status": "x"}']
)
def test_what_is_no_batch_is_malformed(body):
    with pytest.raises(MalformedReply):
        read_remote(body)


def test_a_page_of_the_list_passes_over_what_is_no_batch():
    body = {"data": [{"id": "a", "status": "completed"}, None, {"id": "b"}, {"id": "c", "status": "failed"}]}
    assert [[b.id for b in batches] + [more] for batches, more in [read_page(json.dumps(body))]] == [
        ["a", "c", False]
    ]
    with pytest.raises(MalformedReply):
        read_page('{"data": null}')
