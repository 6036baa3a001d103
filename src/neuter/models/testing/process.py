"""The loopback server in a process of its own: for benchmarks, and for tests that kill their client."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

#: Asked without a proxy, whatever the environment says.
_DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True, slots=True)
class LoopbackProcess:
    """A server in another process: its address and its process id."""

    base_url: str
    pid: int

    def counts(self) -> dict[str, int]:
        """What it has counted so far (see ``LoopbackServer.counts``)."""
        with _DIRECTLY.open(f"{self.base_url.removesuffix('/v1')}/_count", timeout=30) as reply:
            found: dict[str, int] = json.loads(reply.read())
        return found


@contextmanager
def loopback_process(*options: str) -> Iterator[LoopbackProcess]:
    """Run ``python -m neuter.models.testing OPTIONS`` until the block ends.

    Raises:
        OSError: the server did not start (its own message is on standard error).
    """
    command = [sys.executable, "-m", "neuter.models.testing", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            base_url = process.stdout.readline().strip() if process.stdout else ""
            if not base_url:
                raise OSError(f"the loopback server did not start: {' '.join(options)}")
            yield LoopbackProcess(base_url, process.pid)
        finally:
            process.kill()
