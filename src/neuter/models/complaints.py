"""What to tell the user when a model cannot be asked at all: what is wrong, where, and what to do."""

from __future__ import annotations

from neuter.errors import ModelError
from neuter.models.providers import Provider
from neuter.models.replies import Fault


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
    todo = {
        402: "Pay the account, or choose another model",
        403: f"The key{f' in {variable}' if variable else ''} may not use this model; choose another",
        404: "Check the model's name, and base_url in neuter.toml (it mostly ends in /v1)",
        429: "The account's quota is used up; the same command goes on from here once it is not",
    }
    return ModelError(said, where=where, todo=todo.get(fault.status, "Check neuter.toml"))


def server_down(provider: Provider, model: str, address: str, reason: str) -> ModelError:
    """A server that cannot be reached."""
    return ModelError(
        f"the server cannot be reached ({reason})",
        where=f"{model} at {address}",
        todo=f"Start it, or correct base_url of [providers.{provider.name}] in neuter.toml"
        if provider.base_url
        else "Check the network connection (and the proxy's environment variables, if there is one)",
    )
