"""``neuter.report``: a run shown again from its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from neuter.errors import CorpusError

if TYPE_CHECKING:
    from neuter.corpus import Corpus
    from neuter.reports import Evaluation


def report(folder: str | Path, *, corpus: str | Path | None = None) -> Evaluation:
    """Write the report of a run folder anew and return the evaluation.

    Args:
        corpus: where the original texts are now; by default where the run read them. They are shown only if the
            data's hash is the run's; without them the report shows masked texts alone.
    """
    from neuter.reports import Evaluation, write_report

    path = Path(folder)
    originals = _originals(path, corpus)
    write_report(path, originals=originals)
    return Evaluation(path, originals=originals)


def _originals(path: Path, corpus: str | Path | None) -> Corpus | None:
    """The corpus that the run read, if it is there and has not changed since."""
    from neuter.corpus import read_corpus
    from neuter.suites.run_folder import read_record

    record = read_record(path)
    arguments = record.get("arguments") or {}
    source = corpus or arguments.get("corpus")
    if not source:
        return None
    try:
        read = read_corpus(str(source), **arguments.get("reading", {}))
        if read.data_hash() != (record.get("corpus") or {}).get("hash"):
            return None
        return read
    except CorpusError:
        return None
