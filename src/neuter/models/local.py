"""The embedded model: llama.cpp inside this process (package xllamacpp), deterministic, no network."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import secrets
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neuter.errors import MissingExtra, ModelError
from neuter.models.providers import Provider, split_name
from neuter.models.replies import Reply
from neuter.models.weights import is_pulled, sha256_of, weights_file, weights_of

#: More threads than this bring so small a model nothing.
MOST_THREADS = 4
SEED = 1
#: Tokens of an answer where the request sets no limit: a small model may not find an end.
LONGEST_ANSWER = 1024

_lock = threading.Lock()
_loaded: dict[Path, Any] = {}


class LocalEngine:
    """``local/NAME``: weights from the user's cache, run in this process, one request at a time."""

    def __init__(self, model: str) -> None:
        self._model = model
        weights = weights_of(model)
        self.provider = Provider("local", concurrency=1, timeout=600.0)
        self.base_url = f"local://{split_name(model)[1]}@{weights.sha256}"

    def check(self) -> None:
        """Raise MissingExtra without xllamacpp, ModelError without the weights."""
        if not is_installed():
            raise MissingExtra(
                "the embedded model needs the package xllamacpp",
                where=self._model,
                todo='python -m pip install "neuter[local]"',
            )
        if not is_pulled(self._model):
            raise ModelError(
                "its weights are not on this machine",
                where=self._model,
                todo=f"Fetch them once: neuter models pull {self._model}",
            )

    def open(self, *, timeout: float, concurrency: int) -> LocalTransport:  # noqa: ARG002
        return LocalTransport(self._model)


class LocalTransport:
    """Answers request bodies with the embedded model."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._file = weights_file(model)
        self._one_at_a_time = asyncio.Lock()

    @property
    def address(self) -> str:
        return str(self._file)

    async def send(self, body: Mapping[str, Any]) -> Reply:
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._answer, {"seed": SEED, "temperature": 0, **body})

    async def ping(self) -> Reply:
        await asyncio.to_thread(_load, self._model, self._file)
        return Reply(200, "{}")

    async def close(self) -> None:
        """The model stays loaded for the next connection of this process."""

    def _answer(self, body: dict[str, Any]) -> Reply:
        raw = _load(self._model, self._file).handle_chat_completions(body)
        if "error" in raw:
            return Reply(int(raw["error"].get("code", 500)), json.dumps(raw))
        raw["model"] = body["model"]
        raw["system_fingerprint"] = f"xllamacpp {_engine_version()}"
        return Reply(200, json.dumps(raw))


def is_installed() -> bool:
    """Whether the package that runs embedded models is there."""
    return importlib.util.find_spec("xllamacpp") is not None


def _engine_version() -> str:
    from importlib.metadata import version

    return version("xllamacpp")


def _load(model: str, file: Path) -> Any:
    """The running model; loaded once in a process, which takes about a second."""
    with _lock:
        if file not in _loaded:
            if sha256_of(file) != weights_of(model).sha256:
                raise ModelError(
                    "the weights are damaged (their SHA-256 is not the pinned one)",
                    where=str(file),
                    todo=f"Delete the file and fetch it again: neuter models pull {model}",
                )
            _loaded[file] = _start(file)
        return _loaded[file]


def _threads() -> int:
    """One less than there are idle processors: the threads wait for each other at every step, so that two
    threads on busy processors were seen to be nine times slower than one."""
    processors = os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    others = max(0.0, load - 1.0)  # this process is most likely one of those that run
    return max(1, min(MOST_THREADS, processors - round(others) - 1))


def _start(file: Path) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.offline = True
    params.verbosity = 0
    params.n_gpu_layers = 0
    params.n_ctx = 8192
    params.n_predict = LONGEST_ANSWER
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _threads()
    # With flash attention the text depends on the number of threads; without it, it does not.
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    # What was read before must not change an answer: no prompt cache of any kind.
    params.cache_prompt = params.cache_idle_slots = False
    params.cache_ram_mib = 0
    params.fit_params = params.warmup = params.ui = False
    params.sampling.seed, params.sampling.temp = SEED, 0.0
    # It also listens on loopback; nobody else is to use it.
    params.api_keys = [secrets.token_hex(16)]
    params.cors_origins = ""
    return xllamacpp.Server(params)
