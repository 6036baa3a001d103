"""What is taken from a scheme: a text that can be used, and replacements that lead to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neuter.corpus.unpaired import first_unpaired, without_unpaired
from neuter.errors import MaskingError
from neuter.types import Document, MaskedDocument, Outcome, Replacement


def usable(mask: MaskedDocument) -> MaskedDocument:
    """``mask`` as it may be passed on: with a text only where masking succeeded and the text can be read back.

    A document that was not answered loses its text, which may be the original. One that was answered without a
    text, or with one that is blank or that no file can hold, becomes UNPARSED, with the reason.
    """
    mask = replace(mask, reason=without_unpaired(str(mask.reason or "")))
    if mask.outcome != Outcome.ANSWERED:
        return _without_text(mask)
    if problem := _unusable(mask.text):
        return _without_text(replace(mask, outcome=Outcome.UNPARSED, reason=problem))
    return mask


def prove(document: Document, mask: MaskedDocument) -> None:
    """Check that the replacements make the masked text of the original.

    Nothing is to prove of a document without text, or of a scheme that rewrites.

    Raises:
        MaskingError: naming scheme and document: replacements overlap, lie outside the text, or give another one.
    """
    if mask.text is None or mask.replacements is None:
        return
    try:
        wrong = _difference(mask.text, _applied(document.text, mask.replacements))
        if not all(isinstance(one.kind, str) for one in mask.replacements):
            wrong = wrong or "the kind of a replacement is no text"
    except (AttributeError, TypeError):
        wrong = "its replacements are not a tuple of Replacement(start, end, placeholder, kind)"
    except MaskingError as error:
        wrong = f"its replacements do not fit: {error.what}"
    if wrong:
        raise MaskingError(
            wrong,
            where=f"scheme {mask.scheme!r}, document {document.id!r}",
            todo="Mend the scheme; one that rewrites texts gives replacements=None",
        )


def _unusable(text: object) -> str:
    if text is None:
        return "the scheme gave no text"
    if not isinstance(text, str):
        return f"the masked text is no text but {type(text).__name__}"
    if not text.strip():
        return "the masked text is blank"
    if "\0" in text:
        return f"the masked text holds a NUL byte at character {text.index(chr(0)) + 1}"
    if (at := first_unpaired(text)) is not None:
        return f"the masked text holds half a character (an unpaired surrogate) at character {at + 1}"
    return ""


def _without_text(mask: MaskedDocument) -> MaskedDocument:
    return replace(mask, text=None, replacements=None if mask.replacements is None else ())


def _applied(text: str, replacements: Sequence[Replacement]) -> str:
    """``text`` with its replacements made, in the order in which :func:`restore` undoes them."""
    pieces: list[str] = []
    at = 0
    for one in sorted(replacements, key=lambda one: (one.start, one.end)):
        if not at <= one.start <= one.end <= len(text):
            raise MaskingError(_misplaced(one, at, len(text)))
        pieces += text[at : one.start], one.placeholder
        at = one.end
    return "".join([*pieces, text[at:]])


def _misplaced(one: Replacement, after: int, length: int) -> str:
    place = f"that of characters {one.start} to {one.end} ({one.placeholder!r})"
    if one.start < 0 or one.end > length or one.end < one.start:
        return f"{place} lies outside the text, which has {length} characters"
    return f"{place} overlaps the one before it, which ends at {after}"


def _difference(given: str, made: str) -> str:
    if given == made:
        return ""
    pairs = enumerate(zip(given, made, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), min(len(given), len(made)))
    return f"its masked text is not the original with its replacements made: it differs from character {at + 1} on"
