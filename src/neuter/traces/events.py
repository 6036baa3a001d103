"""Well-known events of 2023 and later (``events.toml``), and where a text names them as having happened."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from importlib.resources import files

from neuter.traces.mentions import Mention


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened on ``day``.

    Attributes:
        name: what it is, in a few words.
        area: politics, markets, technology, entertainment, sport, science or conflict.
        keys: a text names it only if it holds one of these, in lower case: looked for first, since that is fast.
        pattern: what names it, in any case.
        source: where the fact is from.
    """

    name: str
    day: date
    area: str
    keys: tuple[str, ...]
    pattern: re.Pattern[str]
    source: str


@cache
def events() -> tuple[Event, ...]:
    """Every event that ships, in the order of their days."""
    raw = tomllib.loads((files("neuter.traces") / "events.toml").read_text(encoding="utf-8"))
    found = [
        Event(
            name=one["name"],
            day=one["day"],
            area=one["area"],
            keys=tuple(one["keys"]),
            pattern=re.compile(rf"(?<!\w)(?:{'|'.join(one['patterns'])})(?!\w)", re.IGNORECASE),
            source=one["source"],
        )
        for one in raw["event"]
    ]
    return tuple(sorted(found, key=lambda event: (event.day, event.name)))


@lru_cache(maxsize=256)
def events_since(cutoff: date) -> tuple[Event, ...]:
    """Events on or after a day."""
    return tuple(event for event in events() if event.day >= cutoff)


def events_in(text: str, among: Sequence[Event]) -> list[tuple[str, Mention]]:
    """The name and first place of each event that ``text`` names."""
    lowered = text.lower()
    found = []
    for event in among:
        if any(key in lowered for key in event.keys) and (match := event.pattern.search(text)):
            found.append((event.name, Mention(match.start(), match.end(), "event", event.day, event.day)))
    return found
