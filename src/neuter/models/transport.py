"""Sending one request body and getting one reply: over HTTP with the openai client, retries switched off."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Protocol

from neuter.errors import ModelError
from neuter.models.providers import Provider, clean_url
from neuter.models.replies import Reply

#: Sent where a server needs no key: the client insists on one.
_NO_KEY = "none"
#: Seconds to wait for a connection, within the time-out of the attempt.
CONNECT_SECONDS = 10.0
_KEPT_HEADERS = ("retry-after", "retry-after-ms")


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


def read_key(provider: Provider) -> str | None:
    """The provider's key from its environment variable; None where it needs none.

    Raises:
        ModelError: the variable is not set, or holds something that cannot be a key. The key is not shown.
    """
    variable = provider.api_key_env
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    where = f"provider {provider.name!r} ({provider.where})"
    if not key:
        raise ModelError(
            f"the environment variable {variable} holds no key",
            where=where,
            todo=f"Set it: export {variable}=…",
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ModelError(
            f"the environment variable {variable} holds characters that no key has (blanks, line breaks, accents)",
            where=where,
            todo="Set it again, to the key alone",
        )
    return key


def server_address(provider: Provider) -> str:
    """The base URL as it enters the store's key: the configured one, or the openai client's own."""
    if provider.base_url:
        return clean_url(provider.base_url)
    import openai

    return clean_url(str(openai.OpenAI(api_key=_NO_KEY).base_url))


class OpenAITransport:
    """A server that speaks the OpenAI protocol. To be made and used on the background loop."""

    def __init__(self, provider: Provider, *, timeout: float, concurrency: int) -> None:
        import httpx2
        from openai import AsyncOpenAI, DefaultAioHttpClient

        self._key = read_key(provider)
        limits = httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        self._client = AsyncOpenAI(
            api_key=self._key or _NO_KEY,
            base_url=provider.base_url,
            max_retries=0,
            timeout=httpx2.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
            http_client=DefaultAioHttpClient(limits=limits),
        )
        self._address = clean_url(str(self._client.base_url))

    @property
    def address(self) -> str:
        return self._address

    async def send(self, body: Mapping[str, Any]) -> Reply:
        return await self._exchange("POST", "/chat/completions", body)

    async def ping(self) -> Reply:
        return await self._exchange("GET", "/models", None)

    async def close(self) -> None:
        await self._client.close()

    async def _exchange(self, method: str, path: str, body: Mapping[str, Any] | None) -> Reply:
        import httpx2
        import openai

        try:
            if method == "GET":
                response = await self._client.get(path, cast_to=httpx2.Response)
            else:
                response = await self._client.post(path, body=body, cast_to=httpx2.Response)
        except openai.APIStatusError as error:
            response = error.response
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            raise self._no_reply(error) from error
        return self._reply(response)

    def _reply(self, response: Any) -> Reply:
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        return Reply(response.status_code, self._without_key(response.text), headers)

    def _no_reply(self, error: BaseException) -> NoReply:
        import aiohttp

        causes = _causes(error)
        never_sent = any(isinstance(cause, aiohttp.ClientConnectorError) for cause in causes)
        # The client's own words hide what happened ("timed out" for a refused connection).
        telling = [cause for cause in causes if isinstance(cause, aiohttp.ClientError)] or causes
        return NoReply(self._without_key(_shown(telling[-1])), sent=not never_sent)

    def _without_key(self, text: str) -> str:
        """A server may send the key back; it must enter no file and no message."""
        return text.replace(self._key, "[key]") if self._key and self._key in text else text


def _causes(error: BaseException) -> list[BaseException]:
    causes = [error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    return causes


def _shown(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return " ".join(str(error).split()) or type(error).__name__
