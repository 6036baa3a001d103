"""A run folder: everything that a command made, each file whole or absent, so that a run can be resumed.

A stage is done when its file stands under its final name. ``run.json`` holds the configuration and its hash; a
folder made under another configuration is never mixed with this one's results.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter._version import __version__
from neuter.errors import Interrupted, LimitReached, RunError
from neuter.whole_files import write_whole

if TYPE_CHECKING:
    from filelock import BaseFileLock

_FILES = (
    *("run.json", "documents.parquet", "questions.parquet", "actual.parquet"),
    *("prompts.parquet", "traces.parquet", "tests.parquet", "labels.csv"),
    *("scores.csv", "scores.parquet", "report.html"),
)
#: A run within the run: Panel A of the masking suite where it is made on another corpus.
PANEL_A = "panel-a"
_OURS = (
    *("masked", "masked-reference", "guesses", "guesses-by-reference", "answers", "figures", "tables"),
    PANEL_A,
)


def config_hash(configuration: Mapping[str, Any]) -> str:
    """sha256 of the configuration's canonical JSON: equal hashes mean the same work."""
    text = json.dumps(configuration, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


#: Names of devices: on Windows no file may be called so, whatever its extension.
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
)


def slug(name: str) -> str:
    """A name as part of a file's name, on any system; two names never share one.

    >>> slug("rules"), slug("local/smollm2-135m"), slug("con")
    ('rules', 'local_smollm2-135m-e750e9', '_con-1143da')
    """
    # Two dashes separate the names in a file's name, so none holds them.
    plain = re.sub(r"-{2,}", "-", re.sub(r"[^a-z0-9.+@-]+", "_", name.lower())).strip("._-")[:80] or "unnamed"
    hashed = f"{plain}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:6]}"
    chosen = plain if plain == name else hashed
    return f"_{hashed}" if chosen.partition(".")[0] in _DEVICES else chosen


class RunFolder:
    """The folder of one run. Use as a context manager: it is locked while open."""

    def __init__(self, path: Path, configuration: Mapping[str, Any], record: dict[str, Any]) -> None:
        self.path = path
        self.configuration = configuration
        self.record = record
        self._lock: BaseFileLock | None = None

    @classmethod
    def open(
        cls,
        path: Path,
        configuration: Mapping[str, Any],
        *,
        command: str,
        overwrite: bool = False,
        reads: Iterable[Path] = (),
    ) -> RunFolder:
        """Create the folder, or go on with the run of this very configuration that it holds.

        ``reads`` are the files that the run reads: none of them may be among what is replaced.

        Raises:
            RunError: the folder holds something else, another process works in it, or it cannot be written.
        """
        lock = _locked(path)
        try:
            found = _existing(path)
            if found is not None and (overwrite or found.get("config_hash") != config_hash(configuration)):
                if not overwrite and _holds_results(path):
                    raise RunError(
                        f"holds a run of another configuration ({_differences(found, configuration)} differ)",
                        where=str(path),
                        todo="Choose another --out, or give --overwrite to replace it",
                    )
                _refuse_to_remove(path, reads)
                _clear(path)
                found = None
            folder = cls(path, configuration, found or {})
            folder._lock = lock
            folder.record.pop("reason", None)
            folder.record.update(
                id=folder.record.get("id") or uuid.uuid4().hex,
                neuter=__version__,
                command=command,
                name=path.name,
                config=dict(configuration),
                config_hash=config_hash(configuration),
                status="running",
            )
            folder.save()
        except BaseException:
            lock.release()
            raise
        return folder

    @classmethod
    def reopen(cls, path: Path) -> RunFolder:
        """The folder of a run as it is, to make something anew of what it holds.

        Raises:
            RunError: it is no run folder, or another process works in it.
        """
        record = read_record(path)
        folder = cls(path, record.get("config") or {}, record)
        folder._lock = _locked(path)
        return folder

    @staticmethod
    def goes_on(path: Path, configuration: Mapping[str, Any]) -> bool:
        """Whether ``path`` holds a run of this very configuration: opening it would go on with that.

        Raises:
            RunError: the folder holds something else, or its record is damaged.
        """
        found = _existing(path)
        return found is not None and found.get("config_hash") == config_hash(configuration)

    @property
    def id(self) -> str:
        """This run's in the ledger: the same over all its resumptions, another after ``--overwrite``."""
        return str(self.record["id"])

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        status = _status_after(error)
        if status and self.record.get("status") == "running":
            with suppress(RunError):
                self.save(status=status, reason=str(error) or status)
        if self._lock is not None:
            self._lock.release()

    def masked(self, scheme: str, *, beside: str = "masked") -> Path:
        return self._file(beside, f"{slug(scheme)}.parquet")

    def guesses(
        self, scheme: str, attacker: str, model: str | None = None, *, beside: str = "guesses"
    ) -> Path:
        parts = [slug(scheme), slug(attacker), *([slug(model)] if model else [])]
        return self._file(beside, "--".join(parts) + ".parquet")

    def forget_guesses(self, scheme: str) -> None:
        """Remove the guesses at a scheme's masked texts: they are masked anew."""
        for name in ("guesses", "guesses-by-reference"):
            for file in (self.path / name).glob(f"{slug(scheme)}--*.parquet"):
                file.unlink()

    def documents(self) -> Path:
        """What is known of each document, with the size tercile that the scores use."""
        return self.path / "documents.parquet"

    def questions(self) -> Path:
        """What a recall suite asks, with what is right."""
        return self.path / "questions.parquet"

    def actual(self) -> Path:
        """The actual values that a recall suite's baselines are made of."""
        return self.path / "actual.parquet"

    def prompts(self) -> Path:
        """What was sent, where one question is asked in several ways."""
        return self.path / "prompts.parquet"

    def traces(self) -> Path:
        """Chains of thought, and what was found in them."""
        return self.path / "traces.parquet"

    def labels(self) -> Path:
        """What people said of chains of thought."""
        return self.path / "labels.csv"

    def answers(self, series: str, model: str) -> Path:
        """A model's answers about one series, or under one condition."""
        return self._file("answers", f"{slug(series)}--{slug(model)}.parquet")

    def save(self, **changes: Any) -> None:
        """Write ``run.json`` with these changes, whole."""
        self.record.update(changes)
        text = json.dumps(self.record, indent=1, ensure_ascii=False, default=str) + "\n"
        write_whole(self.path / "run.json", text.encode())

    def _file(self, folder: str, name: str) -> Path:
        try:
            (self.path / folder).mkdir(exist_ok=True)
        except OSError as error:
            raise RunError(f"cannot be written ({error.strerror})", where=str(self.path / folder)) from error
        return self.path / folder / name


def _status_after(error: BaseException | None) -> str | None:
    """What a run is that ``error`` ended before it was done."""
    if isinstance(error, LimitReached):
        return "stopped"
    if isinstance(error, (KeyboardInterrupt, Interrupted)):
        return "interrupted"
    return "failed" if isinstance(error, Exception) else None


def read_record(path: Path) -> dict[str, Any]:
    """The ``run.json`` of a run folder.

    Raises:
        RunError: there is none, or it is damaged.
    """
    record = _existing(path)
    if record is None:
        raise RunError("is not a run folder (it has no run.json)", where=str(path))
    return record


def _counts(entry: Path) -> bool:
    """True for a file, or a folder with files, that is not the lock or left over from a write that was killed."""
    if entry.is_dir():
        return entry.name not in _OURS or any(entry.iterdir())
    return entry.name != ".lock" and not (entry.name.startswith(".") and entry.name.endswith(".tmp"))


def _existing(path: Path) -> dict[str, Any] | None:
    file = path / "run.json"
    if not file.is_file():
        others = [p.name for p in path.iterdir() if _counts(p)] if path.is_dir() else []
        if others:
            raise RunError(
                f"holds other files ({', '.join(sorted(others)[:3])}) and no run.json",
                where=str(path),
                todo="Choose an empty or new folder for --out",
            )
        return None
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError("cannot be read as JSON", where=str(file), todo="Choose another --out") from error
    if not isinstance(record, dict):
        raise RunError("is not the record of a run", where=str(file))
    return record


def _holds_results(path: Path) -> bool:
    """True where at least one stage is done: a run that failed before its first stage leaves nothing to keep."""
    stages = ("masked", "guesses", "answers")
    return any(any((place / name).glob("*.parquet")) for place in (path, path / PANEL_A) for name in stages)


def _differences(found: Mapping[str, Any], configuration: Mapping[str, Any]) -> str:
    before = found.get("config") or {}
    now = json.loads(json.dumps(configuration, default=str))
    return ", ".join(key for key in {**now, **before} if before.get(key) != now.get(key)) or "versions"


def _locked(path: Path) -> BaseFileLock:
    from filelock import FileLock, Timeout

    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path / ".lock", timeout=0)
        return lock.acquire().lock
    except Timeout as error:
        raise RunError(
            "another process is working in this run folder",
            where=str(path),
            todo="Wait for it, or choose another --out",
        ) from error
    except OSError as error:
        raise RunError(f"cannot be made or written ({error.strerror})", where=str(path)) from error


def _refuse_to_remove(path: Path, reads: Iterable[Path]) -> None:
    for file in reads:
        inside = file.resolve().parts[len(path.resolve().parts) :]
        if file.resolve().is_relative_to(path.resolve()) and inside[0] in {*_OURS, *_FILES}:
            raise RunError(
                f"holds {'/'.join(inside)}, which this run reads",
                where=str(path),
                todo="Choose another --out",
            )


def _clear(path: Path) -> None:
    """Remove what runs write, and nothing else that a user may have put beside it."""
    for name in _OURS:
        shutil.rmtree(path / name, ignore_errors=True)
    for name in _FILES:
        (path / name).unlink(missing_ok=True)
