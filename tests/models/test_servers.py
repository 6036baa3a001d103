"""Servers that speak the OpenAI protocol each in their own way: replies composed after their public documentation."""

import json

import pytest

from neuter.models.replies import Answer, Fault, MalformedReply, Reply, read_answer, read_fault
from neuter.types import Outcome


def completion(message, *, finish="stop", usage=None, choice=None, **around):
    chosen = {
        "index": 0,
        "message": {"role": "assistant", **message},
        "finish_reason": finish,
        **(choice or {}),
    }
    return json.dumps({"object": "chat.completion", "choices": [chosen], "usage": usage or {}, **around})


OLLAMA = completion(
    {"content": "AAPL", "reasoning": "It sells phones."},
    usage={"prompt_tokens": 26, "completion_tokens": 5, "total_tokens": 31},
    id="chatcmpl-1",
    model="llama3.3:70b",
    system_fingerprint="fp_ollama",
)
VLLM = completion(
    {"content": "AAPL", "reasoning_content": None, "tool_calls": []},
    usage={"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": None},
    choice={"logprobs": {"content": [{"token": "AA", "logprob": -0.1}]}, "stop_reason": None},
    model="meta-llama/Llama-3.3-70B-Instruct",
    prompt_logprobs=[None, {"128000": {"logprob": -1.5, "rank": 1, "decoded_token": "x"}}],
    kv_transfer_params=None,
)
LLAMACPP = completion(
    {"content": "AAPL"},
    usage={"prompt_tokens": 12, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
    model="gpt-3.5-turbo",
    system_fingerprint="b6000-abc",
    timings={"prompt_n": 8, "predicted_per_second": 50.1},
)
OPENROUTER = completion(
    {"content": "AAPL", "refusal": None, "reasoning": "It sells phones."},
    usage={
        "prompt_tokens": 10,
        "completion_tokens": 8,
        "cost": 0.0001,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 6},
    },
    choice={"native_finish_reason": "completed", "logprobs": None},
    model="openai/gpt-oss-20b",
    provider="Groq",
)
DEEPSEEK = completion(
    {"content": "AAPL", "reasoning_content": "It sells phones."},
    usage={
        "prompt_tokens": 100,
        "completion_tokens": 50,
        "prompt_cache_hit_tokens": 64,
        "prompt_cache_miss_tokens": 36,
        "completion_tokens_details": {"reasoning_tokens": 40},
    },
    model="deepseek-reasoner",
)
OPENAI = completion(
    {"content": "AAPL", "refusal": None, "annotations": []},
    usage={
        "prompt_tokens": 2006,
        "completion_tokens": 300,
        "prompt_tokens_details": {"cached_tokens": 1920, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 256, "accepted_prediction_tokens": 0},
    },
    model="gpt-5-2025-08-07",
    service_tier="default",
)


@pytest.mark.parametrize(
    ("body", "prompt", "cached", "written", "reasoned"),
    [
        (OLLAMA, 26, None, 5, None),
        (VLLM, 3, None, 2, None),
        (LLAMACPP, 12, 4, 2, None),
        (OPENROUTER, 10, 0, 8, 6),
        (DEEPSEEK, 100, 64, 50, 40),
        (OPENAI, 2006, 1920, 300, 256),
    ],
    ids=["ollama", "vllm", "llama.cpp", "openrouter", "deepseek", "openai"],
)
def test_answer_and_usage_are_read(body, prompt, cached, written, reasoned):
    answer = read_answer(body)
    assert isinstance(answer, Answer)
    assert (answer.outcome, answer.text) == (Outcome.ANSWERED, "AAPL")
    assert (answer.prompt_tokens, answer.cached_tokens) == (prompt, cached)
    assert (answer.completion_tokens, answer.reasoning_tokens) == (written, reasoned)


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (OLLAMA, {"reasoning": "It sells phones."}),
        (
            OPENROUTER,
            {"reasoning": "It sells phones.", "native_finish_reason": "completed", "provider": "Groq"},
        ),
        (DEEPSEEK, {"reasoning_content": "It sells phones."}),
        (OPENAI, {"service_tier": "default"}),
    ],
)
def test_who_served_it_and_what_it_thought_is_kept(body, kept):
    assert json.loads(read_answer(body).extra) == kept


def test_log_probabilities_of_answer_and_prompt_are_kept():
    extra = json.loads(read_answer(VLLM).extra)
    assert extra["logprobs"]["content"][0]["logprob"] == -0.1
    assert extra["prompt_logprobs"][1]["128000"]["logprob"] == -1.5
    assert read_answer(LLAMACPP).extra is None


@pytest.mark.parametrize(
    "wrong", [{"cached_tokens": -1}, {"cached_tokens": True}, {"cached_tokens": "3"}, [], 7]
)
def test_counts_that_are_none_are_not_known(wrong):
    usage = {"prompt_tokens": 3, "prompt_tokens_details": wrong, "completion_tokens_details": wrong}
    answer = read_answer(completion({"content": "x"}, usage=usage))
    assert (answer.cached_tokens, answer.reasoning_tokens, answer.prompt_tokens) == (None, None, 3)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ('{"error": {"code": 502, "message": "Provider returned error", "metadata": {"provider_name": "X", "raw": "down"}}, "user_id": "u"}', 502, "Provider returned error"),
        ('{"id": "gen-1", "choices": [{"error": {"code": 503, "message": "overloaded"}, "message": {"content": ""}, "finish_reason": "error"}]}', 503, "overloaded"),
        ('{"choices": [{"error": {"message": "no code"}, "finish_reason": "error"}]}', 502, "no code"),
    ],
)  # fmt: skip
def test_an_error_of_openrouter_inside_status_200_is_an_error(body, status, message):
    fault = read_answer(body)
    assert isinstance(fault, Fault)
    assert (fault.status, fault.message, fault.filtered) == (status, message, False)


def test_a_prompt_that_openrouters_moderator_flags_is_filtered():
    error = {
        "code": 403,
        "message": "your input was flagged",
        "metadata": {
            "reasons": ["violence"],
            "flagged_input": "a b",
            "provider_name": "X",
            "model_slug": "m",
        },
    }
    assert read_fault(Reply(403, json.dumps({"error": error}))).filtered
    permission = {"code": 403, "message": "key limit", "metadata": {"provider_name": "X"}}
    assert not read_fault(Reply(403, json.dumps({"error": permission}))).filtered


@pytest.mark.parametrize(
    ("status", "body", "code", "message"),
    [
        (404, {"error": {"message": 'model "x" not found', "type": "not_found_error", "param": None, "code": None}}, "not_found_error", 'model "x" not found'),
        (400, {"object": "error", "message": "too long", "type": "BadRequestError", "param": None, "code": 400}, "BadRequestError", "too long"),
        (400, {"error": {"message": "too long", "type": "BadRequestError", "param": "input_tokens", "code": 400}}, "BadRequestError", "too long"),
        (400, {"error": {"code": 400, "message": "request (9 tokens) exceeds the available context size", "type": "exceed_context_size_error", "n_prompt_tokens": 9, "n_ctx": 8}}, "exceed_context_size_error", "request (9 tokens) exceeds the available context size"),
        (503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, "unavailable_error", "Loading model"),
        (422, {"detail": [{"loc": ["body", "model"], "msg": "field required"}]}, "", "[{'loc': ['body', 'model'], 'msg': 'field required'}]"),
    ],
    ids=["ollama", "old vllm", "vllm", "llama.cpp", "llama.cpp loading", "a FastAPI server"],
)  # fmt: skip
def test_the_words_of_each_servers_error_are_read(status, body, code, message):
    fault = read_fault(Reply(status, json.dumps(body)))
    assert (fault.status, fault.code, fault.message, fault.filtered) == (status, code, message, False)


def test_a_choice_without_message_or_reason_is_still_no_answer():
    for choice in ({}, {"finish_reason": "stop"}, {"message": None, "finish_reason": "length"}):
        with pytest.raises(MalformedReply):
            read_answer(json.dumps({"choices": [choice]}))
