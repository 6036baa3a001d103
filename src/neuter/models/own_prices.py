"""Checks of a user's own price, a table ``[prices."PROVIDER/NAME"]`` of ``neuter.toml``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from neuter.errors import UsageError
from neuter.models.configuration import unknown_key
from neuter.models.providers import EMBEDDED, split_name

_KEYS = ("input", "output", "cached_input", "batch_share", "batch_cached_input", "as_of", "source")
_NUMBERS = frozenset(_KEYS) - {"as_of", "source"}


def checked(table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The values of a price table, numbers as floats.

    Raises:
        UsageError: an unknown key, a missing one, or a value that is none; the message begins with ``where``.
    """
    for key, value in table.items():
        if key not in _KEYS:
            unknown_key(key, _KEYS, where)
        _check(key, value, where)
    for key in ("input", "output"):
        if key not in table:
            raise UsageError(
                f"{key} is missing",
                where=where,
                todo="Write input and output, in US dollars a million tokens",
            )
    return {key: float(value) if key in _NUMBERS else value for key, value in table.items()}


def check_model(name: str, where: str) -> None:
    """Refuse a table's name that is no model which could have a price.

    Raises:
        UsageError: there is no provider in it, or the model runs inside the process and costs nothing.
    """
    try:
        provider, _ = split_name(name)
    except UsageError as error:
        raise UsageError(error.what, where=where, todo='Write [prices."PROVIDER/NAME"]') from None
    if provider in EMBEDDED:
        raise UsageError("models inside the process cost nothing", where=where, todo="Leave this table out")


def _check(key: str, value: object, where: str) -> None:
    if key in _NUMBERS:
        _check_number(key, value, where)
    elif key == "as_of" and (not isinstance(value, date) or isinstance(value, datetime)):
        raise UsageError(
            f"as_of = {value!r} is not a date", where=where, todo="Write as_of = 2026-11-30, without quotes"
        )
    elif key == "source" and not isinstance(value, str):
        raise UsageError(f"source = {value!r} is not a text", where=where)


def _check_number(key: str, value: object, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(
            f"{key} = {value!r} is not a number", where=where, todo=f"Write {key} = 2.5, without quotes"
        )
    if not math.isfinite(value) or value < 0:
        raise UsageError(f"{key} = {value!r} is not 0 or more", where=where)
    if key == "batch_share" and value > 1:
        raise UsageError(
            f"batch_share = {value!r} is above 1",
            where=where,
            todo="It is the part of the online price that a batch costs: 0.5 for half",
        )
