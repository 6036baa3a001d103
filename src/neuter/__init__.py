"""neuter: mask financial text, attack the masks, and measure what a language model has memorized.

Names load when they are used: ``import neuter`` imports nothing heavy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter._version import __version__
from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.api import attack as attack
    from neuter.api import benchmark as benchmark
    from neuter.api import evaluate as evaluate
    from neuter.api import mask as mask
    from neuter.api import power as power
    from neuter.api import rescore as rescore
    from neuter.api import unmask as unmask
    from neuter.corpus import Corpus as Corpus
    from neuter.corpus import read_corpus as read_corpus
    from neuter.types import Document as Document
    from neuter.types import Guess as Guess
    from neuter.types import MaskedDocument as MaskedDocument
    from neuter.types import Outcome as Outcome
    from neuter.types import Replacement as Replacement

_HOME = {
    "read_corpus": "corpus",
    "Corpus": "corpus",
    "mask": "api",
    "unmask": "api",
    "attack": "api",
    "benchmark": "api",
    "evaluate": "api",
    "power": "api",
    "rescore": "api",
    "Document": "types",
    "MaskedDocument": "types",
    "Replacement": "types",
    "Guess": "types",
    "Outcome": "types",
}

__all__ = [  # noqa: PLE0604
    "__version__",
    *_HOME,
]


__getattr__, _ = lazily(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
