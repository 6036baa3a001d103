"""Firms: the shipped universe, which firm a guess names, fiscal and calendar periods, size terciles."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neuter.firms.corpus_firms import firms_with_at_least as firms_with_at_least
    from neuter.firms.labels import display_name as display_name
    from neuter.firms.labels import firm_label as firm_label
    from neuter.firms.labels import firm_label_of as firm_label_of
    from neuter.firms.labels import known_names as known_names
    from neuter.firms.labels import labels_of as labels_of
    from neuter.firms.matching import resolve as resolve
    from neuter.firms.matching import resolve_many as resolve_many
    from neuter.firms.matching import same_firm as same_firm
    from neuter.firms.periods import assumed_date as assumed_date
    from neuter.firms.sizes import SizeAssignment as SizeAssignment
    from neuter.firms.sizes import assign_sizes as assign_sizes

_HOME = {
    "firm_label": "labels",
    "firm_label_of": "labels",
    "labels_of": "labels",
    "display_name": "labels",
    "known_names": "labels",
    "same_firm": "matching",
    "resolve": "matching",
    "resolve_many": "matching",
    "assign_sizes": "sizes",
    "SizeAssignment": "sizes",
    "assumed_date": "periods",
    "firms_with_at_least": "corpus_firms",
}

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'neuter.firms' has no attribute {name!r}")
    return getattr(importlib.import_module(f"neuter.firms.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
