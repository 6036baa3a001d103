"""The loopback server: what it answers, how it misbehaves, what it allows, what it counts."""

import http.client
import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime

import pytest

from neuter.models.testing import Behaviour, LoopbackServer, loopback_server, main
from neuter.models.testing.faults import FAULTS, PASSING
from neuter.models.testing.limits import Gate, Refusal, waiting_headers
from neuter.models.testing.process import loopback_process

#: What the standard library raises where a connection breaks.
BROKEN = (OSError, http.client.HTTPException)
DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def post(base_url, content, raw=None, **parameters):
    """Status, headers and body, whatever the status."""
    body = {"model": "m", "messages": [{"role": "user", "content": content}], **parameters}
    headers = {"Content-Type": "application/json", "Authorization": "Bearer sk-one"}
    request = urllib.request.Request(
        f"{base_url}/chat/completions", raw or json.dumps(body).encode(), headers
    )
    try:
        with DIRECTLY.open(request, timeout=10) as reply:
            return reply.status, reply.headers, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def answered(base_url, content, **parameters):
    status, _, body = post(base_url, content, **parameters)
    assert status == 200
    return json.loads(body)


# As a program


def test_it_answers_misbehaves_and_counts(tmp_path):
    file = tmp_path / "count.json"
    options = ["--answer", "hello", "--fault", "500", "--times", "1", "--count-file", str(file)]
    with loopback_process(*options) as program:
        assert post(program.base_url, "a")[0] == 500
        assert answered(program.base_url, "a")["choices"][0]["message"]["content"] == "hello"
        assert post(program.base_url, "b")[0] == 500
        with DIRECTLY.open(f"{program.base_url}/models", timeout=10) as reply:
            assert json.loads(reply.read())["object"] == "list"
        counts = program.counts()
    assert counts == {
        "requests": 3,
        "unique": 2,
        "most": 2,
        "peak": 1,
        "granted": 3,
        "refused": 0,
        "faulted": 2,
        "answered": 1,
    }
    assert json.loads(file.read_text()) == counts


def test_a_program_that_does_not_start_is_said(capfd):
    with pytest.raises(OSError, match="did not start: --rate 0"), loopback_process("--rate", "0"):
        pass
    assert "0 is not above 0" in capfd.readouterr().err


def test_help_names_every_fault(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    listed = {line.split()[0] for line in text.split("faults by name:")[1].splitlines() if line[:3].strip()}
    assert listed == set(FAULTS)


@pytest.mark.parametrize(
    "options",
    [
        ("--fault", "nonsense"),
        ("--fault-share", "1.5"),
        ("--fault-share", "nan"),
        ("--rate", "-1"),
        ("--rate", "inf"),
        ("--delay", "-1"),
        ("--change", "nonsense"),
    ],
)
def test_a_wrong_option_is_refused(options, capsys):
    with pytest.raises(SystemExit) as ended:
        main(options)
    assert ended.value.code == 2
    assert options[0] in capsys.readouterr().err


# Answers


def test_usage_counts_words_and_shows_its_details():
    with loopback_server(answer="one two three", cached_tokens=2, reasoning_tokens=5) as server:
        assert answered(server.base_url, "a b c d")["usage"] == {
            "prompt_tokens": 4,
            "completion_tokens": 8,
            "total_tokens": 12,
            "prompt_tokens_details": {"cached_tokens": 2},
            "completion_tokens_details": {"reasoning_tokens": 5},
        }
        assert answered(server.base_url, "a")["usage"]["prompt_tokens_details"] == {"cached_tokens": 1}


def test_log_probabilities_come_where_they_are_asked_for():
    with loopback_server(answer="so be it") as server:
        assert "logprobs" not in answered(server.base_url, "a")["choices"][0]
        asked = answered(server.base_url, "a", logprobs=True, top_logprobs=2)["choices"][0]["logprobs"]
        without = answered(server.base_url, "a", logprobs=True)["choices"][0]["logprobs"]
    assert "".join(entry["token"] for entry in asked["content"]) == "so be it"
    first = asked["content"][0]
    assert first["logprob"] == pytest.approx(-0.693147, abs=1e-6)  # ln 0.5
    assert bytes(first["bytes"]) == b"so"
    assert [other["logprob"] for other in first["top_logprobs"]] == pytest.approx(
        [-0.693147, -1.386294], abs=1e-6
    )
    assert first["top_logprobs"][0]["token"] == "so"
    assert without["content"][0]["top_logprobs"] == []


@pytest.mark.parametrize(
    ("changes", "model", "fingerprint"),
    [
        (("model",), "m-loopback-changed", "fp_loopback"),
        (("fingerprint",), "m-loopback", "fp_loopback_changed"),
        (("model", "fingerprint"), "m-loopback-changed", "fp_loopback_changed"),
    ],
)
def test_the_model_changes_under_its_name(changes, model, fingerprint):
    with loopback_server(change_after=2, changes=changes) as server:
        seen = [answered(server.base_url, str(i)) for i in range(3)]
    assert [(s["model"], s["system_fingerprint"]) for s in seen] == [
        ("m-loopback", "fp_loopback"),
        ("m-loopback", "fp_loopback"),
        (model, fingerprint),
    ]


def test_a_body_that_is_no_json_object_is_an_error_and_not_counted():
    with loopback_server() as server:
        for raw in (b"{", b"[]", b"\xff"):
            assert post(server.base_url, "", raw=raw)[0] == 400
        assert server.requests == 0


# Faults


@pytest.mark.parametrize("fault", sorted(name for name in FAULTS if name[:3].isdigit()))
def test_a_status_is_what_its_name_says(fault):
    with loopback_server(faults=[fault], retry_after="7") as server:
        status, headers, _ = post(server.base_url, "a")
    assert status == int(fault[:3])
    said = headers.get("Retry-After"), headers.get("retry-after-ms")
    if fault == "429-date":
        assert parsedate_to_datetime(said[0])
    elif fault == "429-ms":
        assert said == (None, "7000")
    else:
        assert said == (("7", None) if fault in {"429", "503-wait"} else (None, None))


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("drop", http.client.RemoteDisconnected),
        ("reset", ConnectionResetError),
        ("garbled", http.client.BadStatusLine),
        ("half", http.client.IncompleteRead),
    ],
)
def test_a_broken_connection_is_broken_in_its_way(fault, error):
    with loopback_server(faults=[fault]) as server, pytest.raises(BROKEN) as caught:
        post(server.base_url, "a")
    assert type(getattr(caught.value, "reason", caught.value)) is error


def test_a_body_cut_short_claims_to_be_whole():
    with loopback_server(faults=["short"]) as server:
        status, headers, body = post(server.base_url, "a")
    assert (status, int(headers["Content-Length"])) == (200, len(body))
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(body)


def test_the_key_comes_back_in_many_forms():
    with loopback_server(faults=["401", "echo-key"], key="sk/one+") as server:
        assert b"sk-one" in post(server.base_url, "a")[2]
        server.behaviour.key = None
        server.behaviour.faults = ["echo-key"]
        status, _, body = post(server.base_url, "a")
    assert status == 500
    assert b"sk-one" in body
    assert b"c2stb25l" in body  # base64 of sk-one


@pytest.mark.parametrize(
    ("fault", "status", "inside"),
    [
        ("openrouter-502", 200, ("error", "code", 502)),
        ("openrouter-429", 200, ("error", "code", 429)),
        ("openrouter-moderated", 403, ("error", "code", 403)),
        ("vllm-too-long", 400, ("error", "type", "BadRequestError")),
        ("llamacpp-too-long", 400, ("error", "type", "exceed_context_size_error")),
        ("llamacpp-loading", 503, ("error", "type", "unavailable_error")),
        ("azure-filter", 400, ("error", "code", "content_filter")),
        ("azure-429", 429, ("error", "code", "429")),
    ],
)
def test_other_servers_say_it_in_their_own_way(fault, status, inside):
    with loopback_server(faults=[fault]) as server:
        found, _, body = post(server.base_url, "a")
    assert found == status
    assert json.loads(body)[inside[0]][inside[1]] == inside[2]


def test_faults_come_in_turn_and_each_body_meets_its_number():
    with loopback_server(faults=["500", "408"], times=2) as server:
        assert [post(server.base_url, "a")[0] for _ in range(3)] == [500, 408, 200]
        assert [post(server.base_url, "b")[0] for _ in range(3)] == [500, 408, 200]
    with loopback_server(faults=["500", "408"]) as server:
        assert [post(server.base_url, name)[0] for name in "abc"] == [500, 408, 500]
    assert (server.faulted, server.answered) == (3, 0)


def by_chance(count, body="x", **behaviour):
    server = LoopbackServer(Behaviour(**behaviour))
    return [server.fault(body) for _ in range(count)]


def test_faults_by_chance_follow_the_seed_and_not_the_body():
    first = by_chance(10_000, fault_share=0.1, seed=1)
    assert first == by_chance(10_000, body="y", fault_share=0.1, seed=1)
    assert first != by_chance(10_000, fault_share=0.1, seed=2)
    share = sum(fault is not None for fault in first) / 10_000
    assert 0.09 < share < 0.11  # three standard deviations of a share of 0.1 are 0.009
    assert set(first) == {None, *PASSING}
    assert set(by_chance(1000, fault_share=0.5, faults=["html"])) == {None, "html"}


# Limits


def test_a_rate_is_a_bucket_that_starts_full_and_refills():
    gate = Gate(rate=2.0, burst=3.0)
    assert [gate.refusal(0, 0, now=10.0) for _ in range(3)] == [None] * 3
    assert gate.refusal(0, 0, now=10.0) == Refusal(429, 0.5)
    assert gate.refusal(0, 0, now=10.4) == Refusal(429, pytest.approx(0.1))
    assert gate.refusal(0, 0, now=10.5) is None
    assert [gate.refusal(0, 0, now=100.0) for _ in range(4)] == [None] * 3 + [Refusal(429, 0.5)]


def test_without_a_burst_a_second_s_worth_is_granted_at_once():
    gate = Gate(rate=5.0)
    assert sum(gate.refusal(0, 0, now=1.0) is None for _ in range(20)) == 5
    slow = Gate(rate=0.1)
    assert slow.refusal(0, 0, now=1.0) is None
    assert slow.refusal(0, 0, now=3.0) == Refusal(429, pytest.approx(8.0)), "one in ten seconds, not in one"


def test_tokens_have_a_bucket_of_their_own():
    gate = Gate(tokens_per_minute=60.0)  # one a second; the bucket holds ten
    assert gate.refusal(8, 0, now=0.0) is None
    assert gate.refusal(8, 0, now=0.0) == Refusal(429, 6.0)
    assert gate.refusal(8, 0, now=6.0) is None
    assert gate.refusal(500, 0, now=6.0) == Refusal(429, 10.0)
    assert gate.refusal(500, 0, now=16.0) is None, "what is larger than the bucket takes a full one"


def test_a_refusal_for_tokens_takes_no_request():
    gate = Gate(rate=1.0, burst=1.0, tokens_per_minute=60.0)
    assert gate.refusal(10, 0, now=0.0) is None
    assert gate.refusal(10, 0, now=1.0) == Refusal(429, 9.0)
    assert gate.refusal(10, 0, now=10.0) is None


@pytest.mark.parametrize(
    ("how", "said"),
    [("seconds", {"Retry-After": "1"}), ("ms", {"retry-after-ms": "500"}), ("none", {})],
)
def test_a_refusal_says_the_true_wait(how, said):
    assert waiting_headers(0.5, how) == said
    with loopback_server(rate=0.001, burst=1, retry_after_as=how) as server:
        assert post(server.base_url, "a")[0] == 200
        status, headers, _ = post(server.base_url, "a")
    assert status == 429
    assert {name for name in ("Retry-After", "retry-after-ms") if name in headers} == set(said)
    assert (server.requests, server.granted, server.refused, server.answered) == (2, 1, 1, 1)
    if how == "seconds":
        assert 900 < int(headers["Retry-After"]) <= 1000  # one in a thousand seconds, less what has passed


def test_a_date_is_never_before_the_wait_is_over():
    said = parsedate_to_datetime(waiting_headers(8.2, "date", now=1000.5)["Retry-After"])
    assert said.timestamp() == 1009  # 1008.7, and a date has no parts of a second


@pytest.mark.parametrize("status", [429, 503])
def test_calls_beyond_the_most_at_once_are_refused(status):
    with (
        loopback_server(most_at_once=2, busy_status=status, delay=0.3) as server,
        ThreadPoolExecutor(6) as pool,
    ):
        found = sorted(pool.map(lambda i: post(server.base_url, str(i))[0], range(6)))
    assert found == [200, 200, status, status, status, status]
    assert (server.granted, server.refused) == (2, 4)


def test_tokens_count_as_used():
    with loopback_server(answer="a b c", tokens_per_minute=60) as server:
        assert [post(server.base_url, "d e f")[0] for _ in range(2)] == [200, 429]
