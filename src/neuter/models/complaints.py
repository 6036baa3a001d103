"""What to tell the user when a model cannot be asked at all: what is wrong, where, and what to do."""

from __future__ import annotations

from neuter.errors import ModelError
from neuter.models.clients import proxy_for
from neuter.models.providers import Provider
from neuter.models.replies import Fault, is_redirect


def hopeless(fault: Fault, provider: Provider, model: str, address: str) -> ModelError:
    """An error that every further call would end in. A key is named by its variable, never shown."""
    where = f"{model} at {address}"
    variable = provider.api_key_env
    if fault.status == 401 and variable:
        return ModelError(
            "the server refused the key (401)",
            where=where,
            todo=f"Check the key in the environment variable {variable}",
        )
    if fault.status == 401:
        return ModelError(
            "the server asks for a key (401)",
            where=where,
            todo=f"Put the key into an environment variable and name that: api_key_env in [providers.{provider.name}]",
        )
    said = f"the server answered {fault.status}: {fault.message or fault.code or 'no reason given'}"
    if is_redirect(fault.status):
        # Followed, it would take prompts and secrets to whatever server it names.
        return ModelError(
            said,
            where=where,
            todo=f"Correct base_url of [providers.{provider.name}] to the address that it names",
        )
    name = "deployment's name (deployments in neuter.toml)" if provider.kind == "azure" else "model's name"
    todo = {
        402: "Pay the account, or choose another model",
        403: f"The key{f' in {variable}' if variable else ''} may not use this model; choose another",
        407: "Give user and password in the proxy's address: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT",
        404: f"Check the {name}, and base_url in neuter.toml"
        f"{'' if provider.kind == 'azure' else ' (it mostly ends in /v1)'}",
        429: "The account's quota is used up; the same command goes on from here once it is not",
    }
    return ModelError(said, where=where, todo=todo.get(fault.status, "Check neuter.toml"))


def server_down(provider: Provider, model: str, address: str, reason: str) -> ModelError:
    """A server that cannot be reached."""
    proxy = proxy_for(address)
    through = f" through the proxy {proxy}" if proxy else ""
    return ModelError(
        f"the server cannot be reached{through} ({reason})",
        where=f"{model} at {address}",
        todo=_todo_where_down(provider, proxy, reason),
    )


def _todo_where_down(provider: Provider, proxy: str | None, reason: str) -> str:
    if "certificate" in reason.lower():
        return "Let SSL_CERT_FILE name the file of certificates that your network trusts"
    if proxy:
        return "Correct HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or add the server to NO_PROXY"
    if provider.base_url:
        return f"Start it, or correct base_url of [providers.{provider.name}] in neuter.toml"
    return "Check the network connection (and set HTTPS_PROXY if you need a proxy)"


def asks_to_wait(seconds: float, provider: Provider, model: str, address: str) -> ModelError:
    """A server that lets nobody in for longer than a call may take."""
    return ModelError(
        f"the server asks to wait {seconds:,.0f} seconds (a limit on requests is used up)",
        where=f"{model} at {address}",
        todo=f"The same command goes on from here after that; requests_per_minute in [providers.{provider.name}] of "
        "neuter.toml keeps below a limit",
    )


def silent(reason: str, seconds: float, provider: Provider, model: str, address: str) -> ModelError:  # noqa: ARG001
    """A server that has answered nobody for as long as a call may take."""
    return ModelError(
        f"the server has answered nothing for {seconds:,.0f} seconds (last: {reason})",
        where=f"{model} at {address}",
        todo="The same command goes on from here once it answers again",
    )


def cuts_texts(reason: str, provider: Provider, model: str, address: str) -> ModelError:  # noqa: ARG001
    """A server that reads one prompt after the other in part, and is paid for each."""
    return ModelError(
        f"one prompt after the other was cut: {reason}",
        where=f"{model} at {address}",
        todo="The same command goes on from here after that; if the server merely leaves cached tokens out of its "
        "count, switch its prompt cache off",
    )
