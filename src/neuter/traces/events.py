"""Well-known events of 2023 and later (``events.toml``), and where a text names them as having happened."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from importlib.resources import files

from neuter.traces.mentions import Mention


@dataclass(frozen=True, slots=True, eq=False)
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
def _keys_since(cutoff: date) -> tuple[tuple[str, Event], ...]:
    """Each key of the events on or after a day, with its event."""
    return tuple((key, event) for event in events() if event.day >= cutoff for key in event.keys)


def events_in(text: str, since: date) -> list[tuple[str, Mention]]:
    """The name and first place of each event on or after a day that ``text`` names."""
    lowered = text.lower()
    named = dict.fromkeys(event for key, event in _keys_since(since) if key in lowered)
    found = [(event, event.pattern.search(text)) for event in named]
    return [
        (event.name, Mention(match.start(), match.end(), "event", event.day, event.day))
        for event, match in found
        if match is not None
    ]
