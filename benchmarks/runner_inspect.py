"""The peer inspect_ai for runner.py: its ``generate`` over the same prompts. Runs in a Python that has inspect_ai.

    PYTHON benchmarks/runner_inspect.py BASE_URL REQUESTS CONCURRENCY

prints ``{"seconds": ..., "answered": ...}``. The leanest way that inspect_ai offers: ``Model.generate`` out of a pool
of workers, with no task, no log of samples, no cache, no retries, no display; its provider for OpenAI-compatible
servers.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from inspect_ai.model import GenerateConfig, get_model


async def measure(base_url: str, requests: int, concurrency: int) -> dict[str, float]:
    model = get_model(
        "openai-api/loopback/m",
        base_url=base_url,
        api_key="none",
        config=GenerateConfig(max_connections=concurrency, max_retries=0, max_tokens=16),
    )
    numbers, answered = iter(range(requests)), 0

    async def work() -> None:
        nonlocal answered
        for number in numbers:
            output = await model.generate(f"Question {number}: is it so?", cache=False)
            answered += bool(output.completion)

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(concurrency)))
    return {"seconds": time.perf_counter() - began, "answered": answered}


if __name__ == "__main__":
    found = asyncio.run(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
    print(json.dumps(found))
