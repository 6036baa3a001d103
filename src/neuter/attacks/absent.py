"""The guess about a document that nobody could attack: it has no text, or no answer came."""

from __future__ import annotations

from neuter.types import Guess, MaskedDocument, Outcome


def absent(document: MaskedDocument, attacker: str, model: str | None = None) -> Guess:
    """A ``FAILED`` guess that says why there is no other."""
    return Guess(
        id=document.id,
        scheme=document.scheme,
        attacker=attacker,
        model=model,
        outcome=Outcome.FAILED,
        reason=_reason(document),
    )


def _reason(document: MaskedDocument) -> str:
    if document.text is not None:
        return "the model gave no answer"
    return f"masking failed: {document.reason or 'no text and no reason given'}"
