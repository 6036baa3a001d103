"""Sending: the requests after the first are what the openai client itself would send."""

import asyncio
import json

import pytest
from aiohttp import web
from asking import questions

from neuter.errors import UsageError
from neuter.models.providers import Provider
from neuter.models.replies import read_answer
from neuter.models.testing import loopback_server
from neuter.models.transport import OpenAITransport, encoded
from neuter.types import Outcome, Request

BODY = {"model": "m", "messages": [{"role": "user", "content": "Größe, 大小 and\nlines"}], "temperature": 0.0}


async def _seen_by_a_server(provider_of, bodies):
    """What a server is sent for each body: path, query, headers and body."""
    seen = []

    async def answer(request):
        headers = sorted((name.lower(), value) for name, value in request.headers.items())
        seen.append((request.path_qs, headers, await request.json()))
        return web.json_response({"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]})

    app = web.Application()
    app.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    transport = OpenAITransport(
        provider_of(f"http://127.0.0.1:{runner.addresses[0][1]}"), timeout=5, concurrency=2, model="m"
    )
    try:
        for body in bodies:
            reply = await transport.send(body)
            assert read_answer(reply.body).text == "x"
    finally:
        await transport.close()
        await runner.cleanup()
    return seen


def plain(address):
    return Provider("lo", base_url=f"{address}/v1", headers={"X-Team": "quant"})


def azure(address):
    return Provider("az", base_url=address, kind="azure", api_version="2024-10-21", api_key_env="AZ_KEY")


@pytest.mark.parametrize("provider_of", [plain, azure])
def test_every_request_has_the_address_and_headers_of_the_first(provider_of, monkeypatch):
    monkeypatch.setenv("AZ_KEY", "a-key-of-azure")
    other = {**BODY, "messages": [{"role": "user", "content": "a longer text than the first " * 9}]}
    first, second, third = asyncio.run(_seen_by_a_server(provider_of, [BODY, other, BODY]))
    assert third == first
    assert second[0] == first[0]
    assert [h for h in second[1] if h[0] != "content-length"] == [
        h for h in first[1] if h[0] != "content-length"
    ]
    assert (first[2], second[2]) == (BODY, other)


def test_a_body_is_json_in_utf_8_and_half_a_surrogate_pair_its_escape():
    assert encoded({"a": "Größe 大"}) == '{"a":"Größe 大"}'.encode()
    assert encoded({"a": "\ud800!"}) == b'{"a":"\\ud800!"}'
    with pytest.raises(ValueError, match="JSON compliant"):
        encoded({"a": float("nan")})


def test_a_text_with_half_a_surrogate_pair_is_asked_and_kept(connected):
    asked = [Request("a", (("user", "before \ud83d after"),)), *questions(1)]
    with loopback_server(keep_bodies=True) as server:
        with connected(server) as model:
            assert [r.outcome for r in model.ask(asked)] == [Outcome.ANSWERED] * 2
        with connected(server) as model:
            assert [r.reused for r in model.ask(asked)] == [True] * 2
    assert json.dumps(server.bodies[0]["messages"][0]["content"]) in {
        '"before \\ud83d after"',
        '"question 0"',
    }


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"bytes", {1, 2}, object()])
def test_a_parameter_that_is_no_json_is_said_before_anything_is_sent(connected, value):
    with (
        loopback_server() as server,
        connected(server) as model,
        pytest.raises(
            UsageError, match="request 'id0' to lo/m: a parameter or message cannot be sent as JSON"
        ),
    ):
        list(model.ask(questions(1, seed=value)))
    assert server.requests == 0
