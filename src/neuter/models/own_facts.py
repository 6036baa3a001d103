"""The user's own facts about models: the tables ``[models."PROVIDER/NAME"]`` of ``neuter.toml``, checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from neuter.errors import UsageError
from neuter.models.configuration import tables, unknown_key
from neuter.models.provider_tables import check_extra_body
from neuter.models.providers import split_name
from neuter.models.simulated.names import is_simulated

STRUCTURED_OUTPUTS = ("json_schema", "json_object", "grammar")


def own_facts(config: Path | None = None) -> dict[str, dict[str, Any]]:
    """The user's facts by model; a table in a later file replaces the same one in an earlier.

    A cutoff without a source names the file as its source, and takes away the source of the catalog's.

    Raises:
        UsageError: a file is wrong; file, table and key are named.
    """
    found = {}
    for file, model, table in tables("models", config):
        where = f'{file}: [models."{model}"]'
        _check_name(model, where)
        check_facts(table, where)
        sourced = {"source": f"{file}", "checked": None} if "cutoff" in table else {}
        found[model] = {**sourced, **table}
    return found


def check_facts(table: Mapping[str, Any], where: str) -> None:
    """Check a table of facts, a user's or the catalog's.

    Raises:
        UsageError: a key is unknown (the nearest is named) or a value is not of its kind.
    """
    for key, value in table.items():
        if key not in _KINDS:
            unknown_key(key, _KINDS, where)
        fits, wanted = _KINDS[key]
        if not fits(value):
            raise UsageError(f"{key} = {value!r} does not fit", where=where, todo=f"Write {wanted}")
    check_extra_body(table.get("extra_body", {}), where)


def _check_name(model: str, where: str) -> None:
    try:
        split_name(model)
    except UsageError as error:
        raise UsageError(error.what, where=where, todo=error.todo) from None
    if is_simulated(model):
        raise UsageError(
            "a simulated model's facts are its settings", where=where, todo="Take this table out"
        )


def _one_of(*allowed: object) -> Callable[[object], bool]:
    # 1 == True in Python, and a context of True is no context.
    return lambda value: any(value == one and type(value) is type(one) for one in allowed)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    return type(value) is int and value > 0


def _is_month(value: object) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(r"(19|20)\d\d-(0[1-9]|1[0-2])", value))


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word for word in value)


def _is_structured(value: object) -> bool:
    return isinstance(value, list) and all(word in STRUCTURED_OUTPUTS for word in value)


_BOOLEAN = (_one_of(True, False), "true or false")
_COUNT = (_is_count, "a whole number of tokens above 0")
_TEXT = (_is_text, "a text in quotes")
_KINDS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "cutoff": (_is_month, 'the month in which the training data ends: cutoff = "2024-06"'),
    "source": _TEXT,
    "context": _COUNT,
    "longest_answer": _COUNT,
    "token_limit": (
        _one_of("max_tokens", "max_completion_tokens"),
        '"max_tokens" or "max_completion_tokens"',
    ),
    "temperature": (
        _one_of(True, False, "only 1", "without reasoning"),
        'true, false, "only 1" or "without reasoning"',
    ),
    "seed": _BOOLEAN,
    "logprobs": (_one_of(True, False, "without reasoning"), 'true, false or "without reasoning"'),
    "top_logprobs": (lambda value: type(value) is int and value >= 0, "the most that may be asked for"),
    "structured_output": (_is_structured, f"a list of {', '.join(STRUCTURED_OUTPUTS)}, or []"),
    "reasoning": _BOOLEAN,
    "reasoning_effort": (_is_words, 'the efforts to choose from: ["low", "medium", "high"]'),
    "default_effort": _TEXT,
    "system_role": (_one_of("system", "developer"), '"system" or "developer"'),
    "open_weights": _BOOLEAN,
    "note": _TEXT,
    "extra_body": (lambda value: isinstance(value, dict), "a table"),
}
