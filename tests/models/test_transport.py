"""Sending: the requests after the first are what the openai client itself would send."""

import asyncio
import contextlib
import gzip
import json

import pytest
from aiohttp import web
from asking import questions

from neuter.errors import ModelError, UsageError
from neuter.models.bounded import LARGEST
from neuter.models.providers import Provider
from neuter.models.replies import read_answer
from neuter.models.testing import loopback_server
from neuter.models.transport import NoReply, OpenAITransport, encoded
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


async def _ends(replies):
    """What becomes of each of two sends and a ping to a server that answers each connection with such bytes."""

    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            for piece in replies():
                writer.write(piece)
                await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        transport = OpenAITransport(Provider("lo", base_url=base_url), timeout=20, concurrency=2, model="m")
        ends = []
        for call in (lambda: transport.send(BODY), lambda: transport.send(BODY), transport.ping):
            try:
                ends.append(await call())
            except NoReply as error:
                ends.append((error.reason, error.sent))
            await asyncio.sleep(0.05)  # a connection that was broken off is closed by then
        await transport.close()
    return ends


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
GARBLED = {
    "no http": b"hello\r\n\r\n",
    "length": HEAD + b"Content-Length: -5\r\n\r\n{}",
    "header": HEAD + b"X: " + b"a" * 100_000 + b"\r\n\r\n",
    "chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "gzip": HEAD + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
    "no text": b"HTTP/1.1 500 No\r\nContent-Type: text/plain; charset=hex\r\nContent-Length: 3\r\n\r\nxyz",
}


@pytest.mark.parametrize("reply", GARBLED)
@pytest.mark.parametrize("already", [False, True], ids=["first", "later"])
def test_garbled_http_is_no_reply_and_may_have_been_billed(reply, already):
    good = HEAD + b"Content-Length: 2\r\nConnection: close\r\n\r\n{}"
    told = iter([good] * already)
    ends = asyncio.run(_ends(lambda: [next(told, GARBLED[reply])]))
    if already:
        assert ends.pop(0).body == "{}"
    for end in ends:
        # With a status to go by, a body in no text that anybody could read is a reply none the less.
        said = end if isinstance(end, tuple) else (end.body, True)
        assert said[0]
        assert said[1] is True


def test_a_reply_is_read_up_to_its_largest_and_no_further():
    """Also one that unpacks to more than that: 65 MiB of zeros are 66 kB in gzip."""
    packed = gzip.compress(bytes(LARGEST + 2**20))
    bomb = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed
    sent = []

    def endless():
        yield HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
        for _ in range(1000):
            sent.append(1)
            yield b"100000\r\n" + bytes(2**20) + b"\r\n"

    for replies in (endless, lambda: [bomb]):
        ends = asyncio.run(_ends(replies))
        assert ends == [("the reply is larger than 64 MiB", True)] * 3
    assert len(sent) < 3 * 80


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_its_address_is_named(connected, status):
    place = b"Location: http://localhost:1/other/v1/chat/completions?key=x\r\n"
    reply = b"HTTP/1.1 %d Moved\r\n%bContent-Length: 0\r\nConnection: close\r\n\r\n" % (status, place)
    ends = asyncio.run(_ends(lambda: [reply]))
    assert [end.status for end in ends] == [status] * 3
    with loopback_server(faults=["307"]) as server, connected(server) as model:
        with pytest.raises(
            ModelError,
            match=r"answered 307: it sends on to https://elsewhere.invalid/v1\. Correct base_url of \[providers.lo\]",
        ):
            list(model.ask(questions(3)))
        assert server.requests <= 3
