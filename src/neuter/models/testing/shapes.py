"""Errors in the shapes of the servers that speak the OpenAI protocol: OpenRouter, vLLM, llama.cpp, Ollama, Azure.

The shapes are those of the servers' public documentation and issue trackers as of 2026-11; the words are our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Shape:
    """One reply: what it is, its status, its JSON body, its headers."""

    what: str
    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


def _error(**fields: Any) -> dict[str, Any]:
    return {"error": fields}


_TOO_LONG = "This model's maximum context length is 8 tokens, and the messages are longer"
_CATEGORIES = {
    "hate": {"filtered": True, "severity": "high"},
    "self_harm": {"filtered": False, "severity": "safe"},
    "sexual": {"filtered": False, "severity": "safe"},
    "violence": {"filtered": False, "severity": "safe"},
}

SHAPES: Mapping[str, Shape] = {
    "half-pair": Shape(
        "status 500 with half a surrogate pair in message and code",
        500,
        _error(message="cut in the middle: \ud83d", code="\ude00"),
    ),
    "openai-too-long": Shape(
        "status 400: longer than the context (OpenAI)",
        400,
        _error(
            message=_TOO_LONG, type="invalid_request_error", param="messages", code="context_length_exceeded"
        ),
    ),
    "openrouter-502": Shape(
        "status 200 with an error 502 in the body (OpenRouter)",
        200,
        {
            **_error(code=502, message="Provider returned error", metadata={"provider_name": "Loopback"}),
            "user_id": "user_loopback",
        },
    ),
    "openrouter-429": Shape(
        "status 200 with an error 429 in the body (OpenRouter)",
        200,
        _error(code=429, message="The provider limits the rate", metadata={"raw": "slow down"}),
    ),
    "openrouter-moderated": Shape(
        "status 403: the prompt was flagged (OpenRouter)",
        403,
        _error(
            code=403,
            message="The chosen model requires moderation, and the input was flagged",
            metadata={"reasons": ["violence"], "flagged_input": "question", "provider_name": "Loopback"},
        ),
    ),
    "vllm-too-long": Shape(
        "status 400: longer than the context (vLLM)",
        400,
        _error(message=_TOO_LONG, type="BadRequestError", param=None, code=400),
    ),
    "vllm-too-long-old": Shape(
        "status 400, the error not within a field error (vLLM before 0.10.1)",
        400,
        {"object": "error", "message": _TOO_LONG, "type": "BadRequestError", "param": None, "code": 400},
    ),
    "llamacpp-too-long": Shape(
        "status 400: longer than the context (llama.cpp)",
        400,
        _error(
            code=400,
            message="the request exceeds the available context size",
            type="exceed_context_size_error",
            n_prompt_tokens=9,
            n_ctx=8,
        ),
    ),
    "llamacpp-loading": Shape(
        "status 503: the model is being loaded (llama.cpp)",
        503,
        _error(code=503, message="Loading model", type="unavailable_error"),
    ),
    "ollama-unknown": Shape(
        "status 404: no such model (Ollama)",
        404,
        _error(message="model 'm' not found", type="api_error", param=None, code=None),
    ),
    "azure-filter": Shape(
        "status 400 with the code content_filter (Azure)",
        400,
        _error(
            message="The response was filtered: the prompt triggered the content management policy",
            type=None,
            param="prompt",
            code="content_filter",
            status=400,
            innererror={"code": "ResponsibleAIPolicyViolation", "content_filter_result": _CATEGORIES},
        ),
    ),
    "azure-429": Shape(
        "status 429 with the code as text (Azure)",
        429,
        _error(code="429", message="Requests have exceeded the rate limit; retry after 0 seconds"),
        {"Retry-After": "0"},
    ),
    "detail": Shape("status 422 with a field detail (FastAPI)", 422, {"detail": [{"msg": "field required"}]}),
}
