"""Attackers: what guesses firm, industry, quarter and year from masked text, and guesses as a table.

Modules are loaded on first use, so that importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.attacks.baselines import Majority, Prior
    from neuter.attacks.guesses import (
        GUESSES_SCHEMA,
        frame_of_guesses,
        guesses_of_frame,
        read_guess_frame,
        read_guesses,
        write_guesses,
    )
    from neuter.attacks.linkage import Linkage, linkable
    from neuter.attacks.llm import LLM
    from neuter.attacks.worst import masked_reference, worse_for_the_scheme

_HOME = {
    "GUESSES_SCHEMA": "guesses",
    "LLM": "llm",
    "Linkage": "linkage",
    "Majority": "baselines",
    "Prior": "baselines",
    "frame_of_guesses": "guesses",
    "guesses_of_frame": "guesses",
    "linkable": "linkage",
    "masked_reference": "worst",
    "read_guess_frame": "guesses",
    "read_guesses": "guesses",
    "worse_for_the_scheme": "worst",
    "write_guesses": "guesses",
}

__all__ = [
    "GUESSES_SCHEMA",
    "LLM",
    "Linkage",
    "Majority",
    "Prior",
    "frame_of_guesses",
    "guesses_of_frame",
    "linkable",
    "masked_reference",
    "read_guess_frame",
    "read_guesses",
    "worse_for_the_scheme",
    "write_guesses",
]

__getattr__, __dir__ = lazily(__name__, _HOME)
