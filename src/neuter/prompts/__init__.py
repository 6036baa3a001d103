"""The papers' prompts, word for word, each a data file with its paper and section beside it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Prompt:
    """An instrument of a paper: ``template`` holds ``slot`` where the text goes."""

    name: str
    paper: str
    section: str
    title: str
    slot: str
    template: str

    def fill(self, text: str) -> str:
        """The prompt with ``text`` in its slot; an empty text leaves the prompt alone (the prior)."""
        filled = self.template.strip().replace(self.slot, text, 1)
        return filled if text else filled.strip()


@cache
def load(name: str) -> Prompt:
    """The prompt stored as ``prompts/NAME.toml``.

    Raises:
        FileNotFoundError: no such prompt ships.
    """
    raw = tomllib.loads((files(__name__) / f"{name}.toml").read_text(encoding="utf-8"))
    return Prompt(name=name, **raw)
