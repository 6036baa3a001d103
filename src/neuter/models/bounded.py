"""The HTTP client below the openai client: it follows no redirects, and reads no endless reply."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2

#: Bytes of a reply, unpacked; no answer is so long, and a server that sends more would fill the memory.
LARGEST = 64 * 2**20
#: Headers that do not hold for the bytes any more; a character set that is none (hex) would stop the openai client.
_UNPACKED = frozenset({"content-encoding", "content-length", "transfer-encoding", "content-type"})


def bounded_client(**options: Any) -> httpx2.AsyncClient:
    """An HTTP client whose replies are read up to LARGEST bytes; ``options`` are those of the openai client's own.

    A redirect is a reply like any other: followed, it would take prompts and secrets to another server.
    """
    made: httpx2.AsyncClient = _client_class()(follow_redirects=False, **options)
    return made


async def read_bounded(response: httpx2.Response, largest: int | None = None) -> bytes:
    """The body of a response that was asked for as a stream.

    Raises:
        httpx2.ReadError: it is longer than ``largest`` bytes (LARGEST where none are given), or broke off.
    """
    import httpx2

    most = LARGEST if largest is None else largest
    parts, size = list[bytes](), 0
    try:
        async for part in response.aiter_bytes():
            size += len(part)
            if size > most:
                raise httpx2.ReadError(
                    f"the reply is larger than {most // 2**20} MiB", request=response.request
                )
            parts.append(part)
    finally:
        await response.aclose()
    return parts[0] if len(parts) == 1 else b"".join(parts)


@cache
def _client_class() -> Any:
    import httpx2
    from openai import DefaultAioHttpClient

    class BoundedClient(DefaultAioHttpClient):
        async def send(
            self, request: httpx2.Request, *, stream: bool = False, **options: Any
        ) -> httpx2.Response:
            response = await super().send(request, stream=True, **options)
            if stream and response.is_success:
                return response
            content = await read_bounded(response)
            kept = [(name, value) for name, value in response.headers.multi_items() if name not in _UNPACKED]
            return httpx2.Response(
                response.status_code, headers=kept, content=content, request=response.request
            )

    return BoundedClient
