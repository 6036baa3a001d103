"""Sending one request body and getting one reply: over HTTP with the openai client, retries switched off."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from neuter.models.bounded import read_bounded
from neuter.models.clients import (
    make_client,
    make_http_client,
    read_headers,
    read_key,
    secret_values,
    server_address,
)
from neuter.models.providers import Provider
from neuter.models.redaction import Redaction
from neuter.models.replies import Reply

_KEPT_HEADERS = ("retry-after", "retry-after-ms", "location")


class NoReply(Exception):
    """Nothing came back. ``sent`` says whether the request may have reached the server (and been billed)."""

    def __init__(self, reason: str, *, sent: bool) -> None:
        super().__init__(reason)
        self.reason, self.sent = reason, sent


class Transport(Protocol):
    """Something that answers request bodies. ``address`` is for messages to the user."""

    @property
    def address(self) -> str: ...

    async def send(self, body: Mapping[str, Any]) -> Reply:
        """One attempt. Raises NoReply where nothing came back."""
        ...

    async def ping(self) -> Reply:
        """Something cheap that needs the key and no model."""
        ...

    async def close(self) -> None: ...


class OpenAITransport:
    """A server that speaks the OpenAI protocol. To be made and used on the background loop.

    ``client`` is the openai client with its retries switched off; whatever is read through it goes through
    ``without_key`` before it is kept or shown: a server may send back the key, and headers' values from the
    environment. ``model`` is the name after the provider's.
    """

    def __init__(self, provider: Provider, *, timeout: float, concurrency: int, model: str = "") -> None:
        key = read_key(provider)
        headers = read_headers(provider)
        self.without_key = Redaction(secret_values(provider, key, headers))
        self._http = make_http_client(concurrency)
        self.client = make_client(
            provider, key=key, headers=headers, model=model, timeout=timeout, http_client=self._http
        )
        self._address = server_address(provider, model)
        self._first: Any = None

    @property
    def address(self) -> str:
        return self._address

    async def send(self, body: Mapping[str, Any]) -> Reply:
        """One attempt, through the openai client the first time, which settles address and headers.

        Those that follow are the same request with another body, given to the client's HTTP client as they are:
        what the client does to build a request takes as long as sending it.
        """
        content = encoded(body)
        if self._first is None:
            return await self._exchange("POST", "/chat/completions", content)
        import httpx2

        url, headers, extensions = self._first
        request = httpx2.Request("POST", url, headers=headers, content=content, extensions=extensions)
        try:
            response = await self._http.send(request, stream=True)
            return self._reply(response, await read_bounded(response))
        except broken() as error:
            raise self._no_reply(error) from error

    async def ping(self) -> Reply:
        return await self._exchange("GET", "/models", None)

    async def close(self) -> None:
        await self.client.close()

    async def _exchange(self, method: str, path: str, content: bytes | None) -> Reply:
        import httpx2
        import openai

        try:
            if method == "GET":
                response = await self.client.get(path, cast_to=httpx2.Response)
            else:
                response = await self.client.post(path, content=content, cast_to=httpx2.Response)
        except openai.APIStatusError as error:
            response = error.response
        except broken() as error:
            raise self._no_reply(error) from error
        if method == "POST":
            sent = response.request
            headers = [
                (name, value) for name, value in sent.headers.items() if name.lower() != "content-length"
            ]
            self._first = sent.url, headers, {"timeout": sent.extensions["timeout"]}
        return self._reply(response, response.content)

    def _reply(self, response: Any, content: bytes) -> Reply:
        headers = {
            name: self.without_key(response.headers[name])
            for name in _KEPT_HEADERS
            if name in response.headers
        }
        return Reply(response.status_code, self.without_key(content.decode("utf-8", "replace")), headers)

    def _no_reply(self, error: BaseException) -> NoReply:
        reason, sent = described(error)
        return NoReply(self.without_key(reason), sent=sent)


def encoded(body: Mapping[str, Any]) -> bytes:
    """A request body as it is sent: JSON in UTF-8, in which half a surrogate pair goes out as JSON's escape."""
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except UnicodeEncodeError:
        return json.dumps(body, separators=(",", ":"), allow_nan=False).encode()


def broken() -> tuple[type[Exception], ...]:
    """What the clients raise where a connection or a reply is broken: garbled HTTP too, which aiohttp reports itself,
    and a character set that the openai client stumbles over as it words an error."""
    import aiohttp
    import httpx2
    import openai

    return openai.APIConnectionError, httpx2.HTTPError, aiohttp.ClientError, LookupError, ValueError


def described(error: BaseException) -> tuple[str, bool]:
    """What broke a connection, in words, and whether the request may have reached the server."""
    import aiohttp

    causes = _causes(error)
    never_sent = (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError, aiohttp.InvalidURL)
    sent = not any(isinstance(cause, never_sent) for cause in causes)
    # The client's own words hide what happened ("timed out" for a refused connection).
    telling = [cause for cause in causes if isinstance(cause, aiohttp.ClientError)] or causes
    return _shown(telling[-1]), sent


def _causes(error: BaseException) -> list[BaseException]:
    causes = [error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    return causes


def _shown(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return " ".join(str(error).split()) or type(error).__name__
