"""The small calls of the batch API: files and batches, each within a deadline and by the one retry policy."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeVar
from urllib.parse import quote

from neuter.errors import ModelError
from neuter.models.batch.remote import Remote, is_full, read_page, read_remote, string_in
from neuter.models.complaints import hopeless, server_down
from neuter.models.providers import Provider, clean_url
from neuter.models.replies import Fault, MalformedReply, Reply, is_redirect, read_fault
from neuter.models.retry import RETRIED, Kind, RetryPolicy, kind_of_status, retry_after
from neuter.models.transport import broken, described

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_T = TypeVar("_T")
#: Batches a page of the server's list.
PAGE = 100
_CHUNK = 1 << 16


class Refused(Exception):
    """The server said no to this call, and would say it again."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(_said(fault))
        self.fault = fault


class _Trouble(Exception):
    """One try that came to nothing; ``wait`` is what the server asked for, in seconds."""

    def __init__(self, kind: Kind, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.kind, self.reason, self.wait = kind, reason, wait


class BatchServer:
    """The batch API of one server, behind an openai client whose own retries are off.

    ``timeout`` is the seconds of each small call, ``transfer`` those of a whole file, up or down. What the server
    says passes through ``without_key`` before it is kept or shown.

    Every method that asks the server raises:
        ModelError: the server is down, refuses the key, or did not answer within the policy.
        Refused: it says no to this call.
    """

    def __init__(
        self,
        client: AsyncOpenAI,
        *,
        provider: Provider,
        model: str,
        policy: RetryPolicy,
        timeout: float,
        transfer: float,
        without_key: Callable[[str], str],
    ) -> None:
        self._client, self._provider, self._model = client, provider, model
        self.policy, self._timeout, self._transfer = policy, timeout, transfer
        self._address = clean_url(str(client.base_url))
        self.without_key = without_key
        self._has_answered = False

    @property
    def where(self) -> str:
        """Model and address, for messages to the user."""
        return f"{self._model} at {self._address}"

    async def upload(self, name: str, file: IO[bytes]) -> str:
        """Send ``file`` from its start; the server's id of it."""

        async def send() -> str:
            file.seek(0)
            parts = [("file", (name, file, "application/jsonl"))]
            reply = await self._exchange("POST", "/files", {"purpose": "batch"}, files=parts)
            return string_in(reply.body, "id")

        return await self._again("upload of the requests", send, self._transfer)

    async def create(self, intent: str, input_file: str, url: str, settle: float) -> Remote:
        """Create the batch of ``intent``. Where the reply was lost the server's list is looked through, ``settle``
        seconds later, before it is tried again: no intent becomes two batches."""
        body = {
            "input_file_id": input_file,
            "endpoint": url,
            "completion_window": "24h",
            "metadata": {"neuter": intent},
        }

        async def send() -> Remote:
            return read_remote((await self._exchange("POST", "/batches", body)).body)

        async def lost() -> Remote | None:
            await asyncio.sleep(settle)
            return await self.find(intent, input_file)

        return await self._again("creation of the batch", send, self._timeout, lost)

    async def retrieve(self, batch: str) -> Remote:
        """The batch as it stands."""

        async def send() -> Remote:
            return read_remote((await self._exchange("GET", f"/batches/{_segment(batch)}")).body)

        return await self._again(f"look at the batch {batch}", send, self._timeout)

    async def cancel(self, batch: str) -> Remote:
        """Ask the server to stop the batch; what it has done by then is still given out, and billed."""

        async def send() -> Remote:
            return read_remote((await self._exchange("POST", f"/batches/{_segment(batch)}/cancel", {})).body)

        return await self._again(f"cancelling of the batch {batch}", send, self._timeout)

    async def find(self, intent: str, input_file: str) -> Remote | None:
        """The batch of ``intent`` in the server's list, known by its metadata or its input file; None: not there."""
        after, seen = "", set[str]()
        while True:
            page, more = await self._page(after)
            new = [remote for remote in page if remote.id not in seen]
            for remote in new:
                if remote.intent == intent or (input_file and remote.input_file == input_file):
                    return remote
            # A server that gives the same page for ever has no more than that.
            if not more or not new:
                return None
            seen.update(remote.id for remote in new)
            after = new[-1].id

    async def download(self, file_id: str, into: IO[bytes]) -> None:
        """The whole file ``file_id``; ``into`` holds that and nothing else, and stands at its start."""

        async def send() -> None:
            into.seek(0)
            into.truncate()
            await self._stream(file_id, into)
            into.seek(0)

        await self._again(f"download of the answers {file_id}", send, self._transfer)

    async def delete(self, file_id: str) -> None:
        """Remove a file, if the server lets us: one try, since nothing depends on it."""
        with contextlib.suppress(_Trouble, Refused, TimeoutError, ModelError):
            async with asyncio.timeout(self._timeout):
                await self._exchange("DELETE", f"/files/{_segment(file_id)}")

    async def _page(self, after: str) -> tuple[list[Remote], bool]:
        async def send() -> tuple[list[Remote], bool]:
            place = f"&after={_segment(after)}" if after else ""
            return read_page((await self._exchange("GET", f"/batches?limit={PAGE}{place}")).body)

        try:
            return await self._again("list of batches", send, self._timeout)
        except Refused as error:
            raise ModelError(
                f"whether a batch was created cannot be found out: {error}",
                where=self.where,
                todo="Look for it at the provider before you give it up",
            ) from error

    # One try, and the loop around it

    async def _again(
        self,
        what: str,
        send: Callable[[], Awaitable[_T]],
        seconds: float,
        lost: Callable[[], Awaitable[_T | None]] | None = None,
    ) -> _T:
        """``send`` until it succeeds, is refused, or the policy has run out. ``lost`` is asked first where a try may
        have done its work unseen."""
        started, attempt = time.monotonic(), 0
        while True:
            attempt += 1
            try:
                async with asyncio.timeout(seconds):
                    return await send()
            except TimeoutError:
                trouble = _Trouble(Kind.AMBIGUOUS, f"no answer within {seconds:g} seconds")
            except MalformedReply as error:
                trouble = _Trouble(Kind.AMBIGUOUS, str(error))
            except _Trouble as error:
                trouble = error
            self._give_up(what, trouble, attempt, time.monotonic() - started)
            await asyncio.sleep(self.policy.wait(attempt, trouble.wait))
            if lost and trouble.kind not in {Kind.UNREACHABLE, Kind.RATE_LIMITED}:
                found = await lost()
                if found is not None:
                    return found

    def _give_up(self, what: str, trouble: _Trouble, attempt: int, passed: float) -> None:
        """Raise where there is to be no next try. Rate limits end by time alone."""
        policy = self.policy
        if trouble.kind is Kind.UNREACHABLE and not self._has_answered and attempt >= policy.first_contact:
            raise server_down(self._provider, self._model, self._address, trouble.reason)
        tried_enough = attempt >= policy.attempts and trouble.kind is not Kind.RATE_LIMITED
        if tried_enough or passed + (trouble.wait or 0) >= policy.total:
            raise ModelError(
                f"the {what} failed: {trouble.reason} (after {attempt} attempts)",
                where=self.where,
                todo="Batches under way are kept: the same command goes on with them",
            )

    async def _exchange(
        self, method: str, path: str, body: dict[str, Any] | None = None, files: Any = None
    ) -> Reply:
        import httpx2
        import openai

        headers = {"Content-Type": "multipart/form-data"} if files else {}
        try:
            if method == "POST":
                response = await self._client.post(
                    path, body=body, files=files, cast_to=httpx2.Response, options={"headers": headers}
                )
            elif method == "DELETE":
                response = await self._client.delete(path, cast_to=httpx2.Response)
            else:
                response = await self._client.get(path, cast_to=httpx2.Response)
        except openai.APIStatusError as error:
            self._complain(error.response)
        except broken() as error:
            raise self._broken(error) from error
        self._has_answered = True
        return Reply(response.status_code, self.without_key(_text(response)))

    async def _stream(self, file_id: str, into: IO[bytes]) -> None:
        import openai

        read = self._client.files.with_streaming_response.content
        try:
            async with read(file_id) as response:
                async for chunk in response.iter_bytes(_CHUNK):
                    into.write(chunk)
        except openai.APIStatusError as error:
            self._complain(error.response)
        except broken() as error:
            raise self._broken(error) from error
        self._has_answered = True

    def _complain(self, response: Any) -> NoReturn:
        """What an error status means for the next try."""
        self._has_answered = True
        headers = {name.lower(): self.without_key(value) for name, value in response.headers.items()}
        fault = read_fault(Reply(response.status_code, self.without_key(_text(response)), headers))
        kind = kind_of_status(fault.status, fault.code)
        if is_redirect(fault.status):
            raise hopeless(fault, self._provider, self._model, self._address)
        if is_full(fault.code, fault.message):
            # Room comes as batches end, not as seconds pass: whoever made the batch must know.
            raise Refused(fault)
        if kind in RETRIED:
            raise _Trouble(kind, _said(fault), retry_after(headers))
        if kind is Kind.HOPELESS and fault.status != 404:
            raise hopeless(fault, self._provider, self._model, self._address)
        raise Refused(fault)

    def _broken(self, error: BaseException) -> _Trouble:
        reason, sent = described(error)
        return _Trouble(Kind.AMBIGUOUS if sent else Kind.UNREACHABLE, self.without_key(reason))


def _said(fault: Fault) -> str:
    return f"the server answered {fault.status}: {fault.message or fault.code or 'no reason given'}"


def _text(response: Any) -> str:
    text: str = response.content.decode("utf-8", "replace")
    return text


def _segment(name: str) -> str:
    """A server's id inside a path: whatever it holds, it stays one segment."""
    return quote(name, safe="")
