"""The original of a masked text, from its replacements and the strings that they replaced."""

from __future__ import annotations

from collections.abc import Sequence

from neuter.errors import MaskingError
from neuter.types import Replacement


def restore(masked_text: str, replacements: Sequence[Replacement], originals: Sequence[str]) -> str:
    """The text before masking. ``originals[i]`` is what ``replacements[i]`` replaced.

    Offsets are those of the ORIGINAL; where a placeholder lies in the masked text follows from the lengths of
    those before it.

    >>> restore("Company_1 sold number_a cars.", [Replacement(0, 4, "Company_1", "firm"),
    ...     Replacement(10, 12, "number_a", "number")], ["Ford", "70"])
    'Ford sold 70 cars.'

    Raises:
        MaskingError: a placeholder is not where it should be, replacements overlap, or lengths differ.
    """
    if len(replacements) != len(originals):
        raise MaskingError(f"{len(replacements)} replacements but {len(originals)} original strings")
    pieces: list[str] = []
    original_at = masked_at = 0
    pairs = zip(replacements, originals, strict=True)
    for replacement, original in sorted(pairs, key=lambda pair: (pair[0].start, pair[0].end)):
        start = masked_at + replacement.start - original_at
        _check(replacement, original, original_at, masked_text, start)
        pieces += masked_text[masked_at:start], original
        original_at, masked_at = replacement.end, start + len(replacement.placeholder)
    return "".join([*pieces, masked_text[masked_at:]])


def _check(replacement: Replacement, original: str, after: int, masked_text: str, start: int) -> None:
    place = f"characters {replacement.start} to {replacement.end} ({replacement.placeholder!r})"
    if replacement.start < after:
        raise MaskingError(f"the replacement of {place} overlaps the one before it")
    if replacement.end - replacement.start != len(original):
        raise MaskingError(f"the key has {len(original)} characters for {place}")
    if not masked_text.startswith(replacement.placeholder, start):
        found = masked_text[start : start + len(replacement.placeholder)]
        raise MaskingError(f"the masked text has {found!r} at character {start} in place of {place}")
