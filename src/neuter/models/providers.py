"""Where models are served: the tables ``[providers.NAME]`` of ``neuter.toml``, and the built-in providers."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from neuter.errors import ModelError, UsageError
from neuter.models.configuration import FILE, tables, unknown_key, user_file

#: Providers inside the process; nothing can be configured under their names.
EMBEDDED = ("local", "simulated")


@dataclass(frozen=True, slots=True)
class Provider:
    """A server that speaks the OpenAI protocol.

    ``base_url`` is None where the openai client's own address holds. ``api_key_env`` names the environment
    variable with the key; the key itself is never kept here. ``timeout`` is in seconds, for each attempt.
    """

    name: str
    base_url: str | None = None
    api_key_env: str | None = None
    concurrency: int = 8
    timeout: float = 120.0
    requests_per_minute: float | None = None
    where: str = "built in"


_KINDS: Mapping[str, tuple[type, ...]] = {
    "base_url": (str,),
    "api_key_env": (str,),
    "concurrency": (int,),
    "timeout": (int, float),
    "requests_per_minute": (int, float),
}


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


def clean_url(url: str) -> str:
    """``url`` in the one form that enters the store's key: lower-case host, no slash at the end.

    >>> clean_url("HTTP://Localhost:8000/v1/")
    'http://localhost:8000/v1'
    """
    parts = urlsplit(url.strip())
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path.rstrip("/"), parts.query, ""))


def _openai() -> Provider:
    base_url = os.environ.get("OPENAI_BASE_URL", "").strip() or None
    if base_url:
        base_url = _checked_url(base_url, "OPENAI_BASE_URL", "the environment variable")
    return Provider("openai", base_url=base_url, api_key_env="OPENAI_API_KEY")


def _provider(name: str, table: Mapping[str, Any], file: Path, base: Provider | None) -> Provider:
    where = f"{file}: [providers.{name}]"
    if name in EMBEDDED:
        raise UsageError(f"{name!r} is built into neuter", where=where, todo="Choose another name")
    for key, value in table.items():
        _check_value(key, value, where)
    values = dict(table)
    if "base_url" in values:
        values["base_url"] = _checked_url(values["base_url"], "base_url", where)
    elif base is None:
        raise UsageError("base_url is missing", where=where, todo='Write base_url = "http://HOST:PORT/v1"')
    elif base.name == "openai":
        values["base_url"] = base.base_url
    if name == "openai":
        values.setdefault("api_key_env", "OPENAI_API_KEY")
    return Provider(name, where=str(file), **values)


def _check_value(key: str, value: object, where: str) -> None:
    if key in {"api_key", "key"}:
        raise UsageError(
            f"{key} does not belong in a file",
            where=where,
            todo="Put the key into an environment variable and name that variable: api_key_env",
        )
    if key not in _KINDS:
        unknown_key(key, _KINDS, where)
    if isinstance(value, bool) or not isinstance(value, _KINDS[key]):
        raise UsageError(f"{key} = {value!r} is not {_KINDS[key][-1].__name__}", where=where)
    if isinstance(value, int | float) and not 0 < value < float("inf"):
        raise UsageError(f"{key} = {value!r} is not above 0", where=where)


def _checked_url(url: str, field: str, where: str) -> str:
    try:
        parts = urlsplit(url.strip())
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise UsageError(
            f"{field} is not an address", where=where, todo="Write http://HOST:PORT/v1"
        ) from None
    if parts.username or parts.password:
        raise UsageError(
            f"{field} holds a user name or password", where=where, todo="Use api_key_env for the key instead"
        )
    if not good:
        raise UsageError(
            f"{field} = {url!r} is not an http address", where=where, todo="Write http://HOST:PORT/v1"
        )
    return clean_url(url)
