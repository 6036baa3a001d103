"""Where the data that ships with neuter lies: a checkout, an installed wheel, or the user's folder."""

from __future__ import annotations

import os
from pathlib import Path

from neuter.errors import CorpusError

#: Environment variable naming another folder to be used in place of the shipped ``corpora``.
VARIABLE = "NEUTER_CORPORA"


def shipped_path(*parts: str) -> Path:
    """The path of ``parts`` inside the shipped data, whether or not that file exists.

    A folder named by the environment variable NEUTER_CORPORA comes first, then ``neuter/corpora`` of an
    installed wheel, then ``corpora/`` at the root of a checkout.

    Raises:
        CorpusError: there is no shipped data at all, or NEUTER_CORPORA names no folder.
    """
    return _root().joinpath(*parts)


def _root() -> Path:
    named = os.environ.get(VARIABLE)
    if named:
        root = Path(named).expanduser()
        if not root.is_dir():
            raise CorpusError("no such folder", where=f"{VARIABLE}={named}", todo="correct or unset it")
        return root
    package = Path(__file__).resolve().parent
    for root in (package / "corpora", package.parents[1] / "corpora"):
        if root.is_dir():
            return root
    raise CorpusError(
        "the shipped data is missing", where=str(package / "corpora"), todo="Install neuter again"
    )
