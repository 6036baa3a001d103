"""What a suite is: one table of the papers, made again with other models and other data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from neuter.suites.plan import Connect, quiet
from neuter.suites.spending import Spending
from neuter.types import Progress

if TYPE_CHECKING:
    from neuter.suites.run_folder import RunFolder


@dataclass(frozen=True)
class Setting:
    """What every suite is given beside its own parameters.

    ``required`` names what the user asked for: if it cannot run, that is a failure and not only a note. ``config`` is
    the user's ``neuter.toml``, where one is named: a suite looks up there what is known of a model.
    """

    models: tuple[str, ...] = ()
    seed: int = 0
    draws: int = 2000
    required: frozenset[str] = frozenset()
    connect: Connect | None = None
    progress: Progress = field(default=quiet)
    spending: Spending = field(default_factory=Spending)
    config: Path | None = None


@runtime_checkable
class Suite(Protocol):
    """One table of the papers. The constructor only stores its keyword parameters.

    ``about`` is what ``run.json`` says of it: ``suite`` (its name) and whatever its report needs. A suite that works on
    a corpus has the parameters ``corpus`` and ``schemes`` and gets them made.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    def configuration(self, setting: Setting) -> dict[str, Any]:
        """Everything that decides the result, for ``run.json`` and its hash."""

    def about(self) -> dict[str, Any]: ...

    def reads(self) -> Iterable[Path]:
        """The files that it reads: none of them may lie where the run is written."""

    def requests(self, setting: Setting) -> list[dict[str, Any]]:
        """What it would ask of models: dicts with what, model, requests, prompt_tokens, completion_tokens, tokens_are;
        sizes where known (see :func:`neuter.suites.estimating.requests_of`)."""

    def run(self, setting: Setting, folder: RunFolder) -> None:
        """Carry it out in ``folder``: stages whose file is there are not done again."""
