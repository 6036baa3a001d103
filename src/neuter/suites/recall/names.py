"""The names of the recall suites, for those who must tell them from others without loading them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SUITES = ("macro", "indices", "headlines", "stocks", "portfolios", "summary", "cutoff")


def is_recall(record: Mapping[str, Any]) -> bool:
    """Whether a run's record is of one of them.

    >>> is_recall({"suite": "macro"}), is_recall({"suite": "masking"}), is_recall({})
    (True, False, False)
    """
    return record.get("suite") in SUITES
