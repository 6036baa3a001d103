"""An instrument with named slots: a question, a context or an instruction, each a data file with its source beside."""

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
    """A prompt, or a part of one. ``template`` holds ``{slot}`` for each of ``slots``, some of them twice."""

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
def shipped_instrument(package: str, name: str) -> Instrument:
    """The instrument stored as ``NAME.toml`` in ``neuter.prompts.PACKAGE``.

    Raises:
        UsageError: no such instrument ships.
    """
    if name not in shipped_names(package):
        raise UsageError(f"no prompt {name!r}", todo=f"Known: {', '.join(shipped_names(package))}")
    path = files(f"neuter.prompts.{package}") / f"{name}.toml"
    return instrument_in(path.read_text(encoding="utf-8"), name)


def instrument_in(text: str, name: str) -> Instrument:
    """The instrument that a TOML file says."""
    raw = tomllib.loads(text)
    return Instrument(
        **{**raw, "name": name, "slots": tuple(raw["slots"]), "template": raw["template"].strip()}
    )


@cache
def shipped_names(package: str) -> tuple[str, ...]:
    """Every instrument that ships in ``neuter.prompts.PACKAGE``, in the order of the alphabet."""
    stored = (path.name for path in files(f"neuter.prompts.{package}").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in stored if name.endswith(".toml")))
