"""Parameters as a user gave them: one name or several, whole numbers, switches, and words of a list."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from neuter.errors import UsageError


def several(given: object, what: str) -> tuple[str, ...]:
    """One name, or each of several; a name alone is never taken for its letters.

    >>> several("gdp_growth", "series"), several(["a", "b"], "series"), several(None, "series")
    (('gdp_growth',), ('a', 'b'), ())

    Raises:
        UsageError: they are no names.
    """
    if given is None:
        return ()
    if isinstance(given, str | Path):
        return (str(given),)
    if isinstance(given, Collection) and all(isinstance(one, str | Path) for one in given):
        return tuple(map(str, given))
    shown = repr(given) if isinstance(given, int | float) else f"a {type(given).__name__}"
    raise UsageError(f"{shown} is neither a name nor several", where=what, todo="Give text, or a list of it")


def check_whole(given: object, what: str) -> None:
    """Raises UsageError where ``given`` is set and no whole number above 0."""
    if given is not None and (type(given) is not int or given < 1):
        raise UsageError(f"{what} = {given!r}", todo="Give a whole number above 0")


def check_number(given: object, what: str) -> None:
    """Raises UsageError where ``given`` is set and no number from 0 on."""
    if given is not None and (
        isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0
    ):
        raise UsageError(f"{what} = {given!r}", todo="Give a number, 0 or more")


def check_switch(given: object, what: str) -> None:
    """Raises UsageError where ``given`` is neither True nor False."""
    if not isinstance(given, bool):
        raise UsageError(f"{what} = {given!r}", todo="Give True or False")


def check_word(given: object, what: str, among: Collection[str]) -> None:
    """Raises UsageError where ``given`` is set and none of ``among``."""
    if given is not None and given not in among:
        raise UsageError(f"no {what} {given!r}", todo=f"Known: {', '.join(among)}")
