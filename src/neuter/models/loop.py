"""The one event loop of the process, on a thread of its own: calls work alike in a script, Jupyter and pytest."""

from __future__ import annotations

import asyncio
import os
import threading

_lock = threading.Lock()
_running: dict[int, asyncio.AbstractEventLoop] = {}


def background_loop() -> asyncio.AbstractEventLoop:
    """The running loop; started at first use, and anew in a forked process, where threads do not survive."""
    with _lock:
        loop = _running.get(os.getpid())
        if loop is None or loop.is_closed():
            loop = asyncio.new_event_loop()
            _running.clear()
            _running[os.getpid()] = loop
            threading.Thread(target=_run, args=(loop,), name="neuter-loop", daemon=True).start()
        return loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
