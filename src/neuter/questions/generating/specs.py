"""What questions are made about: series, thresholds and words, from ``templates.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from neuter.errors import UsageError

Kind = Literal["close", "print", "cap"]
Change = Literal["percent", "points"]


@dataclass(frozen=True, slots=True)
class Wording:
    """The sentences of one kind of question, with slots."""

    above: str
    above_by: str
    below_by: str
    criteria: str


@dataclass(frozen=True, slots=True)
class Spec:
    """What is asked of one series, or of each of the largest firms; see ``templates.toml``."""

    name: str
    said: str
    domain: str
    family: str
    kind: Kind
    change: Change
    thresholds: tuple[float, ...]
    horizons: tuple[int, ...]
    unit: str = ""
    points: str = ""
    digits: int = 2
    largest: int = 0

    @property
    def wording(self) -> Wording:
        """The sentences of its kind."""
        return Wording(**_raw()["wording"][self.kind])


def spec_of(name: str) -> Spec:
    """What is asked of a series, or of ``firms``.

    Raises:
        UsageError: no questions are made about it.
    """
    if name not in names():
        raise UsageError(f"no questions are made about {name!r}", todo=f"Known: {', '.join(names())}")
    raw: dict[str, Any] = _raw()["firms"] if name == "firms" else _raw()["series"][name]
    return Spec(
        **{
            **raw,
            "name": name,
            "thresholds": tuple(map(float, raw["thresholds"])),
            "horizons": tuple(raw["horizons"]),
        }
    )


def names() -> tuple[str, ...]:
    """Everything that questions are made about."""
    return (*_raw()["series"], "firms")


def is_delayed(period: date) -> bool:
    """Whether the first print of a period came late, or never, so that nobody can say when it was known."""
    delays = _raw()["delays"]
    return bool(delays["first"] <= period <= delays["last"])


@cache
def _raw() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "templates.toml").read_text(encoding="utf-8"))
