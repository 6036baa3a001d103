"""The recall suites' questions and contexts, each a data file with its paper and section, filled by named slots."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from neuter.errors import UsageError

#: ``paper`` of an instrument begins with this where the paper prints none.
OURS = "none: ours"
_SLOT = re.compile(r"\{([a-z_]+[0-9]*)\}")


@dataclass(frozen=True, slots=True)
class Instrument:
    """A prompt, or the context of one. ``template`` holds ``{slot}`` for each of ``slots``, some of them twice."""

    name: str
    paper: str
    section: str
    title: str
    slots: tuple[str, ...]
    template: str

    @property
    def ours(self) -> bool:
        """Whether it is ours, and no paper's."""
        return self.paper.startswith(OURS)

    def fill(self, **texts: str) -> str:
        """The template with each slot's text in its place, word for word.

        Slots are filled at once, so that braces in what is filled in stay text. An empty one at the top leaves no
        blank lines behind.

        Raises:
            UsageError: a slot without a text, or a text without a slot.
        """
        if set(texts) != set(self.slots):
            missing, strange = set(self.slots) - set(texts), set(texts) - set(self.slots)
            raise UsageError(
                f"slots without a text {sorted(missing)}, texts without a slot {sorted(strange)}",
                where=f"prompt {self.name}",
                todo=f"Give {', '.join(self.slots)}",
            )
        return _SLOT.sub(lambda slot: texts[slot[1]], self.template).strip()


@cache
def instrument(name: str) -> Instrument:
    """The instrument stored as ``prompts/recall/NAME.toml``.

    Raises:
        UsageError: no such instrument ships.
    """
    path = files(__name__) / f"{name}.toml"
    if name not in instrument_names():
        raise UsageError(f"no prompt {name!r}", todo=f"Known: {', '.join(instrument_names())}")
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    return Instrument(
        **{**raw, "name": name, "slots": tuple(raw["slots"]), "template": raw["template"].strip()}
    )


@cache
def instrument_names() -> tuple[str, ...]:
    """Every instrument that ships, in the order of the alphabet."""
    stored = (path.name for path in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in stored if name.endswith(".toml")))
