"""What is behind a model's name: a server over HTTP, or a model embedded in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from neuter.models.clients import read_headers, read_key, server_address
from neuter.models.providers import EMBEDDED, Provider, find_provider, split_name
from neuter.models.simulated.names import is_simulated
from neuter.models.transport import OpenAITransport, Transport


class Engine(Protocol):
    """``base_url`` stands in the store's keys; ``check`` needs no network; ``open`` runs on the loop."""

    @property
    def provider(self) -> Provider: ...

    @property
    def base_url(self) -> str: ...

    def check(self) -> None: ...

    def open(self, *, timeout: float, concurrency: int) -> Transport: ...


class RemoteEngine:
    """A server that speaks the OpenAI protocol; ``name`` is the model's after the provider's."""

    def __init__(self, provider: Provider, name: str = "") -> None:
        self.provider, self._name = provider, name
        self.base_url = server_address(provider, name)

    def check(self) -> None:
        """Raise ModelError where the key, or a header's value in the environment, is missing."""
        read_key(self.provider)
        read_headers(self.provider)

    def open(self, *, timeout: float, concurrency: int) -> OpenAITransport:
        return OpenAITransport(self.provider, timeout=timeout, concurrency=concurrency, model=self._name)


def find_engine(model: str, config: Path | None = None) -> Engine:
    """The engine for ``PROVIDER/NAME``.

    Raises:
        ModelError: the provider is not configured.
        UsageError: the name or the configuration file is wrong.
        UnknownName: an embedded model of that name does not exist.
    """
    provider, name = split_name(model)
    if is_simulated(model):
        from neuter.models.simulated import SimulatedEngine

        return SimulatedEngine(model)
    if provider in EMBEDDED:
        from neuter.models.local import LocalEngine

        return LocalEngine(model)
    return RemoteEngine(find_provider(model, config), name)
