"""Where a suite's actual values are from: the user's own sources, and what ships."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from neuter.data.sources import Sources, find_series, unused
from neuter.suites.given import several

if TYPE_CHECKING:
    from neuter.data.series import DataSeries

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class Sourced:
    """A suite whose values may come from elsewhere.

    Args:
        data: ``NAME=FILE`` of own values; fred, alfred, philadelphia_fed, yahoo, crsp: see docs/own-data.md.
    """

    data: str | Sequence[str] = ()
    fred: bool = False
    alfred: bool = False
    philadelphia_fed: str | Sequence[str] = ()
    yahoo: bool = False
    crsp: str | Sequence[str] = ()

    @property
    def sources(self) -> Sources:
        """What the user named.

        Raises:
            UsageError: a pair that is none, or a series that there is not.
        """
        return Sources(
            data=several(self.data, "data"),
            fred=self.fred,
            alfred=self.alfred,
            philadelphia_fed=several(self.philadelphia_fed, "philadelphia_fed"),
            yahoo=self.yahoo,
            crsp=several(self.crsp, "crsp"),
        )

    def found(self, name: str) -> DataSeries:
        """A series, from the user's sources where they have it."""
        return self.once(f"series {name}", lambda: find_series(name, self.sources))

    def unused_sources(self, *, panel: bool = False) -> list[str]:
        """A sentence for each source that the user named and no series came to ask."""
        looked_for = {what.partition(" ")[2] for what in self._kept if what.startswith("series ")}
        return unused(self.sources, looked_for, panel=panel)

    def source_files(self) -> Iterable[Path]:
        """The user's own files."""
        sources = self.sources
        named = [pair.partition("=")[2] for pair in sources.data]
        return [Path(file) for file in (*named, *sources.philadelphia_fed, *sources.crsp)]

    def once(self, what: str, make: Callable[[], _T]) -> _T:
        """What was made once for this very suite: sources may be slow, and a run needs them several times."""
        if what not in self._kept:
            self._kept[what] = make()
        return cast(_T, self._kept[what])

    @property
    def _kept(self) -> dict[str, Any]:
        kept: dict[str, Any] = self.__dict__.setdefault("_made_once", {})
        return kept
