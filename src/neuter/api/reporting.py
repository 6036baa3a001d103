"""``neuter.report`` and ``neuter.rescore``: a run shown again from its folder, and scored anew."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from neuter.api import asking
from neuter.errors import CorpusError, RunError

if TYPE_CHECKING:
    from neuter.corpus import Corpus
    from neuter.reports import Evaluation
    from neuter.suites.rescoring import Rescoring

#: Options of reading a corpus that a suite's arguments hold beside its own.
_READING = ("columns", "preset", "opening", "limit", "sample", "skip_invalid")


def report(folder: str | Path, *, corpus: str | Path | None = None) -> Evaluation:
    """Write the report of a run folder anew and return the evaluation.

    Args:
        corpus: where the original texts are now; by default where the run read them. They are shown only if the
            data's hash is the run's; without them the report shows masked texts alone.
    """
    from neuter.reports import open_run, write_report

    path = Path(folder)
    with asking.own_firms(_firms(path)):
        originals = _originals(path, corpus)
        write_report(path, originals=originals)
        return open_run(path, originals=originals)


@dataclass(frozen=True)
class Rescored:
    """A run scored anew: ``result`` is what it shows now, ``done`` what changed."""

    result: Evaluation
    done: Rescoring


def rescore(folder: str | Path, *, corpus: str | Path | None = None) -> Rescored:
    """Parse every stored answer of a finished run anew, score it anew, and write its report: nothing is asked.

    What models wrote is not touched: only what is read from it. A note in ``run.json`` says how many guesses changed.

    Args:
        corpus: where the original texts are now, for the report (:func:`report`).

    Raises:
        RunError: no finished run, or one made with firms of the user's own that are not there any more.
    """
    from neuter.suites.rescoring import rescore_run

    path = Path(folder)
    with asking.own_firms(_firms(path)):
        _refuse_other_firms(path)
        done = rescore_run(path)
    return Rescored(report(path, corpus=corpus), done)


def _refuse_other_firms(path: Path) -> None:
    from neuter.firms import firms_hash
    from neuter.suites.run_folder import read_record

    made_with = (read_record(path).get("config") or {}).get("firms")
    if made_with != firms_hash():
        raise RunError(
            "was made with other firms of your own (--firms) than those at hand",
            where=str(path),
            todo="Put the files back where they were, or in Python call neuter.firms.use_firms first",
        )


def _firms(path: Path) -> list[str] | None:
    """The user's own firms that the run was made with, where they are still there."""
    from neuter.suites.run_folder import read_record

    given = (read_record(path).get("arguments") or {}).get("firms")
    return given if given and all(Path(file).is_file() for file in given) else None


def _originals(path: Path, corpus: str | Path | None) -> Corpus | None:
    """The corpus that the run read, if it is there and has not changed since."""
    from neuter.corpus import read_corpus
    from neuter.suites.run_folder import read_record

    record = read_record(path)
    arguments = record.get("arguments") or {}
    suite = record.get("command") == "benchmark"
    source = corpus or arguments.get("corpus") or ("corpora:sample" if suite else None)
    if not source:
        return None
    options = {name: arguments[name] for name in _READING if name in arguments}
    if options.get("sample"):
        options["seed"] = arguments.get("seed", 0)
    try:
        read = read_corpus(str(source), **(options if suite else arguments.get("reading", {})))
        if read.data_hash() != (record.get("corpus") or {}).get("hash"):
            return None
        return read
    except CorpusError:
        return None
