"""A server on loopback that answers with what it is told, and keeps what it was asked: for tests of the client."""

import asyncio
import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field

ANSWER = {
    "model": "served",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1},
}


@dataclass
class Asked:
    method: str
    target: str
    headers: dict
    body: bytes


@dataclass
class Recorder:
    """``address`` without a path; ``asked`` in order; ``reply`` is JSON as a dictionary, or a raw text."""

    status: int = 200
    reply: dict | str = field(default_factory=lambda: ANSWER)
    address: str = ""
    asked: list = field(default_factory=list)

    @property
    def port(self):
        return int(self.address.rpartition(":")[2])


@contextmanager
def recording_server(certificate=None, **behaviour):
    """``certificate`` is a PEM file with key and certificate: the server then speaks TLS."""
    recorder = Recorder(**behaviour)
    loop, started = asyncio.new_event_loop(), threading.Event()
    ended = asyncio.Event()

    async def serve():
        server = await asyncio.start_server(
            lambda r, w: _answer(recorder, r, w), "127.0.0.1", 0, ssl=_context(certificate)
        )
        scheme = "https" if certificate else "http"
        recorder.address = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        started.set()
        await ended.wait()
        server.close()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    started.wait()
    try:
        yield recorder
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()


async def _answer(recorder, reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, target, _ = head[0].split(" ")
            headers = dict(line.split(": ", 1) for line in head[1:] if line)
            headers = {name.lower(): value for name, value in headers.items()}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            recorder.asked.append(Asked(method, target, headers, body))
            told = recorder.reply
            reply = (told if isinstance(told, str) else json.dumps(told)).encode()
            writer.write(
                b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                % (recorder.status, len(reply), reply)
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def _context(certificate):
    if certificate is None:
        return None
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
