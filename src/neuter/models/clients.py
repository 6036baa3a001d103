"""Making the openai client for a provider: its address, key, headers, proxies and certificates."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from neuter.errors import ModelError
from neuter.models.bounded import bounded_client
from neuter.models.provider_tables import FromEnvironment
from neuter.models.providers import Provider, clean_url

if TYPE_CHECKING:
    import ssl

    import httpx2
    from openai import AsyncOpenAI

#: Sent where a server needs no key: the client insists on one.
_NO_KEY = "none"
#: Seconds to wait for a connection, within the time-out of the attempt.
CONNECT_SECONDS = 10.0
#: A key or a header's value shorter than this ("none", "ollama") is no secret, and could stand in any text by chance.
_SHORTEST_SECRET = 8
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")


def read_key(provider: Provider) -> str | None:
    """The provider's key from its environment variable; None where it needs none.

    Raises:
        ModelError: the variable is not set, or holds something that cannot be a key. The key is not shown.
    """
    if provider.api_key_env is None:
        return None
    return _from_environment(provider.api_key_env, "key", provider)


def read_headers(provider: Provider) -> dict[str, str]:
    """The provider's further headers, those from the environment with their values.

    Raises:
        ModelError: a variable is not set. No value is shown.
    """
    return {
        name: _from_environment(value.name, f"value for the header {name}", provider)
        if isinstance(value, FromEnvironment)
        else value
        for name, value in provider.headers.items()
    }


def secret_values(provider: Provider, key: str | None, headers: Mapping[str, str]) -> tuple[str, ...]:
    """What must not be seen anywhere: the key, and the headers' values that came from the environment."""
    taken = [headers[name] for name, value in provider.headers.items() if isinstance(value, FromEnvironment)]
    return tuple(value for value in (key or "", *taken) if len(value) >= _SHORTEST_SECRET)


def server_address(provider: Provider, model: str = "") -> str:
    """The base URL as it enters the store's key: the configured one, or the openai client's own.

    On Azure it names the deployment that serves ``model``, so that two deployments never share a response; the
    version of the interface is not in it, because it is transport.
    """
    if provider.kind == "azure":
        return f"{provider.base_url}/openai/deployments/{quote(_deployment(provider, model), safe='')}"
    if provider.base_url:
        return clean_url(provider.base_url)
    import openai

    return clean_url(str(openai.OpenAI(api_key=_NO_KEY).base_url))


def proxy_for(address: str) -> str | None:
    """The proxy that the environment names for ``address``, without user and password; None: a direct connection."""
    from urllib.request import getproxies, proxy_bypass

    parts, proxies = urlsplit(address), getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.hostname or ""):
        return None
    scheme, _, rest = proxy.rpartition("://")
    return f"{scheme or 'http'}://{rest.rpartition('@')[2]}"


def make_client(
    provider: Provider,
    *,
    key: str | None,
    headers: Mapping[str, str],
    model: str,
    timeout: float,
    http_client: httpx2.AsyncClient,
) -> AsyncOpenAI:
    """The client: no retries of its own, connections kept open, proxies of the usual environment variables."""
    import httpx2
    from openai import AsyncAzureOpenAI, AsyncOpenAI

    proxy = proxy_for(server_address(provider, model))
    if proxy and not proxy.startswith(("http://", "https://")):
        raise _wrong_proxy(proxy)
    shared: dict[str, Any] = {
        "api_key": key or _NO_KEY,
        "organization": provider.organization,
        "project": provider.project,
        "default_headers": dict(headers),
        "max_retries": 0,
        "timeout": httpx2.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
        "http_client": http_client,
    }
    if provider.kind == "azure":
        client: AsyncOpenAI = AsyncAzureOpenAI(
            azure_endpoint=str(provider.base_url),
            azure_deployment=quote(_deployment(provider, model), safe="") if model else None,
            api_version=provider.api_version,
            **shared,
        )
    else:
        client = AsyncOpenAI(base_url=provider.base_url, **shared)
    if provider.name != "openai":
        # The client takes these from OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS: they are no
        # other server's business.
        client.organization, client.project = provider.organization, provider.project
        client._custom_headers = dict(headers)
    return client


def make_http_client(concurrency: int) -> httpx2.AsyncClient:
    """The HTTP client under it: so many connections, kept open.

    SSL_CERT_FILE and SSL_CERT_DIR it reads itself; REQUESTS_CA_BUNDLE is taken as other clients take it.

    Raises:
        ModelError: certificates or a proxy that the environment names are no good.
    """
    import httpx2

    named = next((name for name in _CERTIFICATES if os.environ.get(name, "").strip()), "")
    bundle = os.environ[named].strip() if named == "REQUESTS_CA_BUNDLE" else ""
    limits = httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    try:
        return bounded_client(limits=limits, verify=_trusting(bundle) if bundle else True)
    except OSError as error:
        raise ModelError(
            f"no certificates can be read ({error})",
            where=f"{named}={os.environ[named]}" if named else "the certificates of this system",
            todo=f"Let {named or 'SSL_CERT_FILE'} name a file of certificates in PEM form, or unset it",
        ) from error
    except ValueError as error:
        raise _wrong_proxy(str(error)) from error


def _wrong_proxy(proxy: str) -> ModelError:
    # The client would speak HTTP to it: a SOCKS proxy does not understand that.
    return ModelError(
        "proxies of this kind cannot be used",
        where=proxy,
        todo="Let HTTP_PROXY, HTTPS_PROXY or ALL_PROXY name one with http:// or https://, or set NO_PROXY",
    )


def _trusting(bundle: str) -> ssl.SSLContext:
    import ssl

    if Path(bundle).is_dir():
        return ssl.create_default_context(capath=bundle)
    return ssl.create_default_context(cafile=bundle)


def _deployment(provider: Provider, model: str) -> str:
    return provider.deployments.get(model, model)


def _from_environment(variable: str, what: str, provider: Provider) -> str:
    value = os.environ.get(variable, "").strip()
    where = f"provider {provider.name!r} ({provider.where})"
    if not value:
        raise ModelError(
            f"the environment variable {variable} holds no {what}",
            where=where,
            todo=f"Set it: export {variable}=…",
        )
    if not value.isascii() or not value.isprintable() or (what == "key" and " " in value):
        raise ModelError(
            f"the environment variable {variable} holds characters that no {what} has "
            "(blanks, line breaks, accents)",
            where=where,
            todo=f"Set it again, to the {what} alone",
        )
    return value
