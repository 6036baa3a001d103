"""What runner.py measures, each in a process of its own: ours, and the bare loops that it is compared with.

    python benchmarks/runner_workers.py NAME '{"base_url": ..., ...}'

prints one line of JSON. Clocks start after imports and the making of clients; connections are opened within.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

MEGABYTE = 1024 * 1024


def prompt(number: int) -> str:
    return f"Question {number}: is it so?"


async def _pool(ask: Callable[[int], Awaitable[bool]], requests: int, concurrency: int) -> dict[str, Any]:
    """Workers that pull from one iterator: no task for each request, no semaphore."""
    numbers, answered = iter(range(requests)), 0

    async def work() -> None:
        nonlocal answered
        for number in numbers:
            good = await ask(number)
            answered += good

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(concurrency)))
    return {"seconds": time.perf_counter() - began, "answered": answered}


async def _raw(base_url: str, requests: int, concurrency: int) -> dict[str, Any]:
    """aiohttp alone, the body read and thrown away: what the server can do."""
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=concurrency)) as session:

        async def ask(number: int) -> bool:
            body = {"model": "m", "messages": [{"role": "user", "content": prompt(number)}], "max_tokens": 16}
            async with session.post(f"{base_url}/chat/completions", json=body) as reply:
                return bool(await reply.read())

        return await _pool(ask, requests, concurrency)


@asynccontextmanager
async def _bare_client(base_url: str, concurrency: int, aiohttp: bool) -> AsyncIterator[Any]:
    import httpx2
    from openai import AsyncOpenAI, DefaultAioHttpClient

    limits = httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    own = {"http_client": DefaultAioHttpClient(limits=limits)} if aiohttp else {}
    async with AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0, **own) as client:
        yield client


async def _bare(base_url: str, requests: int, concurrency: int, aiohttp: bool) -> dict[str, Any]:
    async with _bare_client(base_url, concurrency, aiohttp) as client:

        async def ask(number: int) -> bool:
            messages = [{"role": "user", "content": prompt(number)}]
            reply = await client.chat.completions.create(model="m", messages=messages, max_tokens=16)
            return bool(reply.choices[0].message.content)

        return await _pool(ask, requests, concurrency)


def raw(**options: Any) -> dict[str, Any]:
    return asyncio.run(_raw(**options))


def bare_aiohttp(**options: Any) -> dict[str, Any]:
    return asyncio.run(_bare(aiohttp=True, **options))


def bare_default(**options: Any) -> dict[str, Any]:
    return asyncio.run(_bare(aiohttp=False, **options))


def _connect(folder: str, base_url: str, concurrency: int) -> Any:
    from neuter.models import connect

    config = Path(folder) / "loopback.toml"
    config.write_text(f'[providers.lo]\nbase_url = "{base_url}"\n', encoding="utf-8")
    return connect("lo/m", store=Path(folder) / "store.sqlite", config=config, concurrency=concurrency)


def _requests(count: int) -> Iterator[Any]:
    from neuter.types import Request

    for number in range(count):
        yield Request(str(number), (("user", prompt(number)),), {"max_tokens": 16})


def ours(base_url: str, requests: int, concurrency: int, folder: str) -> dict[str, Any]:
    """Through ``ask``; what the store in ``folder`` holds is answered from there."""
    import openai  # noqa: F401  as with the peers, the client's import is not timed

    outcomes: Counter[str] = Counter()
    with _connect(folder, base_url, concurrency) as model:
        began = time.perf_counter()
        for response in model.ask(_requests(requests)):
            outcomes[f"{response.outcome}{' again' if response.reused else ''}"] += 1
        seconds = time.perf_counter() - began
    return {"seconds": seconds, "outcomes": outcomes, "answered": outcomes["answered"]}


class _Watch(threading.Thread):
    """Notes the largest resident size of this process, looking every 20 ms; works on every system."""

    def __init__(self) -> None:
        import psutil

        super().__init__(daemon=True)
        self._process, self._ended = psutil.Process(), threading.Event()
        self.idle = self.peak = self.now()

    def now(self) -> int:
        return int(self._process.memory_info().rss)

    def run(self) -> None:
        while not self._ended.wait(0.02):
            self.peak = max(self.peak, self.now())

    def stop(self) -> None:
        self._ended.set()
        self.join()


def memory(base_url: str, requests: int, concurrency: int, folder: str) -> dict[str, Any]:
    """Peak resident size over that of the process when it is connected and idle, in MB."""
    import openai  # noqa: F401

    answered = 0
    with _connect(folder, base_url, concurrency) as model:
        watch = _Watch()
        watch.start()
        began = time.perf_counter()
        for response in model.ask(_requests(requests)):
            answered += response.outcome == "answered"
        seconds = time.perf_counter() - began
        watch.stop()
    return {
        "seconds": seconds,
        "answered": answered,
        "idle": watch.idle / MEGABYTE,
        "over": (watch.peak - watch.idle) / MEGABYTE,
    }


WORKERS = {worker.__name__: worker for worker in (raw, bare_aiohttp, bare_default, ours, memory)}

if __name__ == "__main__":
    print(json.dumps(WORKERS[sys.argv[1]](**json.loads(sys.argv[2]))))
