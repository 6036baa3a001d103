"""The public functions: the command line is a thin layer over these, and so is a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

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

__getattr__, __dir__ = lazily(__name__, _HOME)
