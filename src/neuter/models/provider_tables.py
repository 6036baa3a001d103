"""Checking the tables ``[providers.NAME]`` of ``neuter.toml``: every value is of its kind, and none is a secret."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from neuter.errors import UsageError
from neuter.models.configuration import unknown_key

#: Kinds of servers: the plain protocol, and Azure's addresses with a deployment and a version in them.
SERVERS = ("openai", "azure")
_KINDS: Mapping[str, tuple[type, ...]] = {
    "base_url": (str,),
    "kind": (str,),
    "api_key_env": (str,),
    "api_version": (str,),
    "deployments": (dict,),
    "headers": (dict,),
    "organization": (str,),
    "project": (str,),
    "extra_body": (dict,),
    "batch_url": (str,),
    "concurrency": (int,),
    "timeout": (int, float),
    "requests_per_minute": (int, float),
    "tokens_per_minute": (int, float),
}
_WORDS: Mapping[type, str] = {
    str: "text in quotes",
    dict: "a table",
    int: "a whole number",
    float: "a number",
}
#: Parts of a request's body that belong to the request and are no defaults.
_OF_THE_REQUEST = ("model", "messages", "stream", "n", "max_tokens", "max_completion_tokens")
#: Headers that the client sets itself.
_OF_THE_CLIENT = frozenset({"host", "content-type", "content-length", "transfer-encoding", "connection"})
_SECRET_WORDS = ("auth", "key", "token", "secret", "cookie", "password")


@dataclass(frozen=True, slots=True)
class FromEnvironment:
    """A value that is read from the environment variable ``name`` when a connection is made."""

    name: str


Header = str | FromEnvironment


def check_provider(table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The values of a provider's table, addresses in their one form and headers read.

    Raises:
        UsageError: an unknown key, a value of the wrong kind, or a secret in the file.
    """
    for key, value in table.items():
        _check_value(key, value, where)
    values = dict(table)
    if "base_url" in table:
        values["base_url"] = checked_url(table["base_url"], "base_url", where)
    if "headers" in table:
        values["headers"] = {name: _header(name, value, where) for name, value in table["headers"].items()}
    check_extra_body(table.get("extra_body", {}), where)
    _check_kind(table, where)
    if table.get("kind") == "azure" and "base_url" in table:
        values["base_url"] = _resource(values["base_url"], where)
    return values


def check_extra_body(extra: Mapping[str, Any], where: str) -> None:
    """Check defaults for the request's body.

    Raises:
        UsageError: one of them belongs to the request, or has no form in JSON (a date, infinity).
    """
    for key in _OF_THE_REQUEST:
        if key in extra:
            raise UsageError(
                f"extra_body holds {key!r}, which each request sets itself", where=where, todo="Take it out"
            )
    try:
        json.dumps(extra, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UsageError(f"extra_body has no form in JSON: {error}", where=where) from error


def clean_url(url: str) -> str:
    """``url`` in the one form that enters the store's key: lower-case host, no slash at the end.

    >>> clean_url("HTTP://Localhost:8000/v1/")
    'http://localhost:8000/v1'
    """
    parts = urlsplit(url.strip())
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path.rstrip("/"), parts.query, ""))


def checked_url(url: str, field: str, where: str) -> str:
    """``url`` in its one form.

    Raises:
        UsageError: it is no http address, or holds a user name, a password or a key.
    """
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
    for name, _ in parse_qsl(parts.query, keep_blank_values=True):
        if any(word in name.lower() for word in (*_SECRET_WORDS, "sig")):
            raise UsageError(
                f"{field} may hold a key ({name}=…)",
                where=where,
                todo=f'Take it out; put it into an environment variable and send it as a header: headers = {{ "{name}" '
                '= { env = "NAME" } }, or as api_key_env',
            )
    if not good:
        raise UsageError(
            f"{field} = {url!r} is not an http address", where=where, todo="Write http://HOST:PORT/v1"
        )
    return clean_url(url)


def _check_value(key: str, value: object, where: str) -> None:
    if key in {"api_key", "key", "token"}:
        raise UsageError(
            f"{key} does not belong in a file",
            where=where,
            todo="Put the key into an environment variable and name that variable: api_key_env",
        )
    if key not in _KINDS:
        unknown_key(key, _KINDS, where)
    kinds = _KINDS[key]
    if isinstance(value, bool) or not isinstance(value, kinds):
        shown = "…" if "key" in key else repr(value)  # somebody may have put the key itself there
        raise UsageError(f"{key} = {shown} is not {_WORDS[kinds[-1]]}", where=where)
    if isinstance(value, int | float) and not 0 < value < float("inf"):
        raise UsageError(f"{key} = {value!r} is not above 0", where=where)
    if key in {"organization", "project", "api_version"} and not _is_plain(value):
        raise UsageError(f"{key} = {value!r} is not a line of plain characters", where=where)
    if key == "batch_url" and not re.fullmatch(r"/[\w./-]+", str(value)):
        raise UsageError(
            f"batch_url = {value!r} is no path", where=where, todo='Write batch_url = "/v1/chat/completions"'
        )
    if key == "api_key_env" and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", str(value)):
        raise UsageError(
            "api_key_env is not the name of an environment variable",
            where=where,
            todo='Write the variable\'s name, not the key: api_key_env = "MY_API_KEY"',
        )


def _is_plain(value: object) -> bool:
    return isinstance(value, str) and bool(value) and value.isascii() and value.isprintable()


def _header(name: str, value: object, where: str) -> Header:
    where = f"{where}, headers"
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name) or name.lower() in _OF_THE_CLIENT:
        raise UsageError(f"{name!r} is not a header that can be set", where=where)
    if isinstance(value, dict) and list(value) == ["env"] and isinstance(value["env"], str):
        return FromEnvironment(value["env"])
    if any(word in name.lower() for word in _SECRET_WORDS):
        raise UsageError(
            f"the value of {name} may be a secret, which does not belong in a file",
            where=where,
            todo=f'Put it into an environment variable: "{name}" = {{ env = "NAME" }}',
        )
    if not _is_plain(value):
        raise UsageError(
            f"{name} = {value!r} is not a line of plain characters",
            where=where,
            todo=f'Write "{name}" = "TEXT" or "{name}" = {{ env = "NAME" }}',
        )
    return str(value)


def _check_kind(table: Mapping[str, Any], where: str) -> None:
    kind = table.get("kind", "openai")
    if kind not in SERVERS:
        raise UsageError(
            f"kind = {kind!r} is not known",
            where=where,
            todo=f"Known: {', '.join(SERVERS)}; vLLM, Ollama, llama.cpp and OpenRouter are of the kind openai",
        )
    if kind == "azure" and "api_version" not in table:
        raise UsageError(
            "api_version is missing",
            where=where,
            todo='Write api_version = "2024-10-21", or whichever your resource has; or leave kind out and let '
            "base_url end in /openai/v1",
        )
    for key in ("api_version", "deployments"):
        if kind != "azure" and key in table:
            raise UsageError(
                f"{key} is for servers of the kind azure", where=where, todo='Write kind = "azure"'
            )
    for model, deployment in table.get("deployments", {}).items():
        if not isinstance(deployment, str) or not re.fullmatch(r"[A-Za-z0-9_.-]+", deployment):
            raise UsageError(f"deployments: {model} = {deployment!r} is no name of a deployment", where=where)


def _resource(url: str, where: str) -> str:
    """The resource's address; the client adds ``/openai/deployments/NAME`` itself."""
    path = urlsplit(url).path
    if path.endswith("/v1") or "/deployments" in path:
        raise UsageError(
            f"base_url = {url!r} is more than the resource's address",
            where=where,
            todo='Write "https://RESOURCE.openai.azure.com"; for an address that ends in /openai/v1 leave kind '
            "and api_version out",
        )
    return url.removesuffix("/openai")
