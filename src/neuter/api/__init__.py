"""The public functions: the command line is a thin layer over these, and so is a notebook."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neuter.api.attacking import attack as attack
    from neuter.api.benchmarking import benchmark as benchmark
    from neuter.api.evaluating import evaluate as evaluate
    from neuter.api.masking import mask as mask
    from neuter.api.masking import preview as preview
    from neuter.api.masking import unmask as unmask
    from neuter.api.powering import power as power
    from neuter.api.reporting import report as report
    from neuter.api.reporting import rescore as rescore

_HOME = {
    "attack": "attacking",
    "benchmark": "benchmarking",
    "evaluate": "evaluating",
    "mask": "masking",
    "preview": "masking",
    "unmask": "masking",
    "power": "powering",
    "report": "reporting",
    "rescore": "reporting",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
