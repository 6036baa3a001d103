"""The name of the suite, for those who must tell its runs from others without loading it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SUITE = "ignorance"


def is_ignorance(record: Mapping[str, Any]) -> bool:
    """Whether a run's record is of this suite.

    >>> is_ignorance({"suite": "ignorance"}), is_ignorance({"suite": "macro"}), is_ignorance({})
    (True, False, False)
    """
    return record.get("suite") == SUITE
