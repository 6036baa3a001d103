"""The guess about a document that masking failed on: there is no text, so no attacker may answer."""

from __future__ import annotations

from neuter.types import Guess, MaskedDocument, Outcome


def absent(document: MaskedDocument, attacker: str, model: str | None = None) -> Guess:
    """A ``FAILED`` guess that says why there was nothing to attack."""
    return Guess(
        id=document.id,
        scheme=document.scheme,
        attacker=attacker,
        model=model,
        outcome=Outcome.FAILED,
        reason=f"masking failed: {document.reason or 'no text and no reason given'}",
    )
