"""Where models are served: the tables ``[providers.NAME]`` of ``neuter.toml``, and the built-in providers."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neuter.errors import ModelError, UsageError
from neuter.models.configuration import FILE, tables, user_file
from neuter.models.provider_tables import Header, check_provider, checked_url
from neuter.models.provider_tables import clean_url as clean_url  # noqa: PLC0414 - others take it from here

#: Providers inside the process; nothing can be configured under their names.
EMBEDDED = ("local", "simulated")
#: Calls at once that a server may get where nothing else is written; one that says it is too much gets fewer.
MOST_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Provider:
    """A server that speaks the OpenAI protocol.

    ``base_url`` is None where the openai client's own address holds; for the kind ``azure`` it is the
    resource's address, and ``deployments`` says which deployment serves which model where the names differ.
    ``api_key_env`` names the environment variable with the key; the key itself is never kept here, nor is a
    header's value from the environment. ``extra_body`` goes into every request, below its own parameters.
    ``batch_url`` is the path in each line of a batch, ``concurrency`` the most calls at once, ``timeout`` in
    seconds for each attempt.
    """

    name: str
    base_url: str | None = None
    api_key_env: str | None = None
    concurrency: int = MOST_AT_ONCE
    timeout: float = 120.0
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    kind: str = "openai"
    api_version: str | None = None
    deployments: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, Header] = field(default_factory=dict)
    organization: str | None = None
    project: str | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    batch_url: str | None = None
    where: str = "built in"

    @property
    def batch_path(self) -> str:
        """The ``url`` of each line of a batch: where its requests would go one by one."""
        return self.batch_url or ("/chat/completions" if self.kind == "azure" else "/v1/chat/completions")


def load_providers(config: Path | None = None) -> dict[str, Provider]:
    """Providers by name: built-in ones, then the user's file, the working folder's, and ``config`` on top.

    Raises:
        UsageError: ``config`` does not exist, or a file is not TOML or has an unknown key or a wrong value.
    """
    found = {"openai": _openai()}
    for file, name, table in tables("providers", config):
        found[name] = _provider(name, table, file, found.get(name))
    return found


def split_name(model: str) -> tuple[str, str]:
    """Provider and name of ``PROVIDER/NAME``.

    >>> split_name("openrouter/meta-llama/llama-4")
    ('openrouter', 'meta-llama/llama-4')

    Raises:
        UsageError: there is no provider or no name in it.
    """
    provider, _, name = model.partition("/")
    if not provider or not name:
        raise UsageError(
            f"model {model!r} has no provider",
            todo="Models are named PROVIDER/NAME, for example local/smollm2-135m or openai/gpt-4o-2024-08-06",
        )
    return provider, name


def find_provider(model: str, config: Path | None = None) -> Provider:
    """The provider that serves ``model``.

    Raises:
        ModelError: nothing of that name is configured; the message shows what to write, and where.
    """
    wanted, _ = split_name(model)
    providers = load_providers(config)
    if wanted in providers:
        return providers[wanted]
    near = difflib.get_close_matches(wanted, [*providers, *EMBEDDED], n=1, cutoff=0.6)
    hint = f"Did you mean {near[0]}? Otherwise write" if near else "Write"
    raise ModelError(
        f"no provider {wanted!r} is configured",
        where=model,
        todo=f"{hint} in {FILE} (in the working folder, or {user_file()}):\n[providers.{wanted}]\n"
        'base_url = "http://127.0.0.1:8000/v1"\n'
        'api_key_env = "MY_API_KEY"  # the environment variable that holds the key, if one is needed',
    )


def _openai() -> Provider:
    base_url = os.environ.get("OPENAI_BASE_URL", "").strip() or None
    if base_url:
        base_url = checked_url(base_url, "OPENAI_BASE_URL", "the environment variable")
    return Provider("openai", base_url=base_url, api_key_env="OPENAI_API_KEY")


def _provider(name: str, table: Mapping[str, Any], file: Path, base: Provider | None) -> Provider:
    where = f"{file}: [providers.{name}]"
    if name in EMBEDDED:
        raise UsageError(f"{name!r} is built into neuter", where=where, todo="Choose another name")
    values = check_provider(table, where)
    if "base_url" not in values:
        # Without an address of its own, the client would send the key to the address of OpenAI.
        if base is None or name != "openai" or values.get("kind") == "azure":
            raise UsageError("base_url is missing", where=where, todo=_address_of(values))
        values["base_url"] = base.base_url
    if name == "openai":
        values.setdefault("api_key_env", "OPENAI_API_KEY")
    elif values.get("kind") == "azure":
        values.setdefault("api_key_env", "AZURE_OPENAI_API_KEY")
    return Provider(name, where=str(file), **values)


def _address_of(values: Mapping[str, Any]) -> str:
    if values.get("kind") == "azure":
        return 'Write base_url = "https://RESOURCE.openai.azure.com"'
    return 'Write base_url = "http://HOST:PORT/v1"'
