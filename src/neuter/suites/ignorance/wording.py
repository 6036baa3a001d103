"""The prompts of the four conditions, filled with a question."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import polars as pl

from neuter.prompts.forecasting import instrument
from neuter.scoring.forecasts.schema import CONDITIONS

#: The instrument of each condition (Simulated Ignorance Fails, section 3.4; the prompts are ours).
INSTRUMENTS = {"G1": "direct", "G2": "reasoning", "G1′": "direct_cutoff", "G2′": "reasoning_cutoff"}
#: Conditions that ask for a chain of thought, and those that name a cutoff.
WITH_REASONING = ("G2", "G2′")
WITH_CUTOFF = ("G1′", "G2′")
#: What a user may write for the conditions.
_SPELLED = {"G1'": "G1′", "G2'": "G2′", "G1P": "G1′", "G2P": "G2′", "G1-CUTOFF": "G1′", "G2-CUTOFF": "G2′"}

#: A row a question and condition: the prompt that was sent.
PROMPT_SCHEMA = dict.fromkeys(("id", "condition", "prompt"), pl.String)


def condition_named(given: str) -> str | None:
    """A condition as the scores name it: ``g1'`` and ``G1-cutoff`` are ``G1′``; None where it is none.

    >>> condition_named("g2'"), condition_named("G1"), condition_named("G3")
    ('G2′', 'G1', None)
    """
    said = given.strip().upper()
    said = _SPELLED.get(said, said)
    return said if said in CONDITIONS else None


def said_cutoff(day: date) -> str:
    """The cutoff as the paper writes it (section 3.4): 2023-01-01."""
    return day.isoformat()


def prompt_of(
    condition: str,
    *,
    question: str,
    cutoff: date,
    background: str = "",
    criteria: str = "",
) -> str:
    """What a model is asked about one question; an empty background or empty criteria leave nothing behind."""
    known = {
        "question": _text(question),
        "background": _part("background", background),
        "criteria": _part("criteria", criteria),
        "cutoff_date": said_cutoff(cutoff),
    }
    chosen = instrument(INSTRUMENTS[condition])
    return chosen.fill(**{slot: known[slot] for slot in chosen.slots})


def prompts_of(
    questions: pl.DataFrame, conditions: Iterable[str], cutoff: date, *, background: bool
) -> pl.DataFrame:
    """The prompts of questions (QUESTION_SCHEMA), condition by condition (PROMPT_SCHEMA)."""
    rows = [
        (
            row["id"],
            condition,
            prompt_of(
                condition,
                question=row["question"],
                cutoff=cutoff,
                background=row["background"] if background else "",
                criteria=row["resolution_criteria"],
            ),
        )
        for condition in conditions
        for row in questions.iter_rows(named=True)
    ]
    return pl.DataFrame(rows, schema=PROMPT_SCHEMA, orient="row")


def _part(name: str, text: str) -> str:
    said = _text(text)
    return f"\n\n{instrument(name).fill(text=said)}" if said else ""


def _text(text: str | None) -> str:
    return (text or "").strip()
