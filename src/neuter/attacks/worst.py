"""One attacker against two references, raw and masked texts: which of them is worse for the scheme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from neuter.errors import UsageError
from neuter.types import Document, Guess, MaskedDocument

#: Names of the two references: the raw full texts, and the texts as the scheme masked them.
RAW = "raw"
MASKED = "masked"


def worse_for_the_scheme(
    guesses_by_reference: Mapping[str, Sequence[Guess]], correct: Callable[[Guess], bool]
) -> str:
    """The reference against which more of the scheme's firms are found; its guesses are the ones to report.

    The choice is made once for the whole scheme and not document by document: taking the better guess for
    each document would need the truth, which no attacker has. Equal accuracy goes to ``RAW``, then to the
    reference named first.

    Args:
        guesses_by_reference: for each reference the guesses to be reported (those of linkable documents).
        correct: whether a guess names the right firm; a guess that was not answered is not right.

    Raises:
        UsageError: there is no reference to choose from.
    """
    if not guesses_by_reference:
        raise UsageError("no reference to compare", todo="Give the guesses against at least one reference")
    ordered = sorted(guesses_by_reference, key=lambda name: name != RAW)
    return max(ordered, key=lambda name: _accuracy(guesses_by_reference[name], correct))


def masked_reference(documents: Iterable[Document], masked: Iterable[MaskedDocument]) -> Iterator[Document]:
    """The documents with their masked text, for an attacker who knows how the scheme writes.

    Both are in the same order, one for one; documents whose masking failed are left out.

    Raises:
        UsageError: the two do not go together.
    """
    for document, hidden in zip_longest(documents, masked):
        if document is None or hidden is None:
            raise UsageError("not as many masked documents as documents", todo="Mask this very corpus")
        if document.id != hidden.id:
            raise UsageError(
                f"masked document {hidden.id!r} stands where {document.id!r} should",
                todo="Mask this very corpus, in its order",
            )
        if hidden.text is not None:
            yield replace(document, text=hidden.text)


def _accuracy(guesses: Sequence[Guess], correct: Callable[[Guess], bool]) -> float:
    return sum(map(correct, guesses)) / len(guesses) if guesses else 0.0
