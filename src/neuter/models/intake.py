"""From a request to the call that it takes, or to the response that the store has for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from neuter.errors import UsageError
from neuter.models.abilities import left_out
from neuter.models.calls import Call
from neuter.models.catalog import ModelFacts
from neuter.models.context import too_long
from neuter.models.keys import request_body, request_key
from neuter.models.providers import split_name
from neuter.models.store import Store
from neuter.models.store.records import StoredResponse
from neuter.models.versions import Versions
from neuter.types import Outcome, Request, Response


class Intake:
    """Looks requests to one model up in the store. ``retry`` are outcomes that are asked again, once."""

    def __init__(
        self, model: str, *, base_url: str, facts: ModelFacts, store: Store, retry: Collection[Outcome]
    ) -> None:
        self._model, self._base_url, self._facts = model, base_url, facts
        self._store, self._retry = store, frozenset(retry)
        self._name = split_name(model)[1]
        self._opened_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._left_out: set[str] = set()
        self._looked_at: Mapping[str, Any] | None = None
        self.versions = Versions(model)

    @property
    def notes(self) -> list[str]:
        """What a reader of the results must know: what was not sent, and that the model changed under its name."""
        refused = [f"{name} was not sent to {self._model}: it takes none" for name in sorted(self._left_out)]
        return [*refused, *self.versions.notes()]

    def call_of(self, request: Request) -> Call | Response:
        """What is to be sent, or a failure where the text cannot fit.

        Raises:
            UsageError: a parameter has no form in JSON.
        """
        if reason := too_long(request.messages, self._facts):
            return Response(request.id, Outcome.FAILED, reason=reason)
        if request.parameters != self._looked_at:
            self._looked_at = request.parameters
            self._left_out.update(left_out(request.parameters, self._facts))
        for name in ("model", "messages"):
            if name in request.parameters:
                raise UsageError(
                    f"{name!r} is no parameter of a request",
                    where=f"request {request.id!r} to {self._model}",
                    todo="Name the model where it is connected, and give messages as messages",
                )
        body = request_body(request, self._name, self._facts)
        try:
            key = request_key(body, self._base_url, request.sample)
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"a parameter or message cannot be sent as JSON: {error}",
                where=f"request {request.id!r} to {self._model}",
                todo="Use texts, finite numbers, true and false, lists and dictionaries",
            ) from error
        return Call(key, body, request.sample)

    def stored(self, request: Request, call: Call) -> StoredResponse | Call:
        """The stored response that is good for ``request``, or the call to make (which may replace a stored one)."""
        stored = self._store.find(call.key)
        if stored is None:
            return call
        if self._is_asked_again(request, stored):
            return Call(call.key, call.body, call.sample, stored.created_at)
        self.versions.see(stored)
        return stored

    def _is_asked_again(self, request: Request, stored: StoredResponse) -> bool:
        """An outcome that the user wants asked again, unless that was done since this model was connected."""
        if not self._retry or stored.created_at >= self._opened_at:
            return False
        outcome = stored.outcome
        if outcome is Outcome.ANSWERED and request.outcome_of is not None:
            outcome = request.outcome_of(stored.text or "")
        return outcome in self._retry


def response_of(request: Request, stored: StoredResponse, *, reused: bool) -> Response:
    """A stored response as the answer to ``request``."""
    return Response(
        id=request.id,
        outcome=stored.outcome,
        text=stored.text,
        model=stored.server_model or stored.model,
        key=stored.key.hex(),
        reused=reused,
        finish_reason=stored.finish_reason,
        prompt_tokens=stored.prompt_tokens,
        completion_tokens=stored.completion_tokens,
        reason=stored.reason,
    )
