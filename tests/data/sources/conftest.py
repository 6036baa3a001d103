"""A loopback server that answers as the services do, in shapes that we wrote ourselves."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest


@dataclass
class Answer:
    """One answer; ``cut`` closes the connection in the middle of the body, ``delay`` waits before it."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    delay: threading.Event | None = None


class _Quiet(ThreadingHTTPServer):
    """A client that gives up is no news here."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


class Loopback:
    """A server whose answers a test sets; ``asked`` has the query of each request."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.answers: list[Answer] = []
        self.reply: Callable[[str, dict[str, str]], Answer] | None = None
        self.server = _Quiet(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, path: str, query: dict[str, str]) -> Answer:
        self.paths.append(path)
        self.asked.append(query)
        if self.reply is not None:
            return self.reply(path, query)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                answer = outer.answer(
                    parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()}
                )
                if answer.delay is not None:
                    answer.delay.wait(5)
                body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in {**answer.headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body[: len(body) // 2] if answer.cut else body)

            def log_message(self, *args: Any) -> None:
                pass

        return Handler


@pytest.fixture
def loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    served = Loopback()
    yield served
    served.server.shutdown()
    served.server.server_close()


@pytest.fixture
def answer() -> type[Answer]:
    return Answer
