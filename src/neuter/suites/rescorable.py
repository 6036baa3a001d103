"""Whether a run folder holds all that its scores were made of: a partial copy must not be scored as a whole one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from neuter.errors import RunError
from neuter.suites.run_folder import PANEL_A, RunFolder

#: Attackers whose guesses are parsed from what a model wrote, by the parser that ships.
PARSED = ("llm", "prior")
#: So many missing files are named.
_NAMED = 5


def is_ours(attacker: Mapping[str, Any]) -> bool:
    """Whether our parser reads its answers; an attacker from a file of the user's own may bear the same name."""
    return attacker["name"] in PARSED and "source" not in attacker


def refuse_partial(folder: RunFolder) -> None:
    """See that every file is there which the run's record and scores say was made; nothing is written.

    Raises:
        RunError: files are missing (the first of them are named), or one cannot be read.
    """
    if missing := sorted(set(_missing(folder))):
        more = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
        raise RunError(
            f"is not whole: {', '.join(missing[:_NAMED])}{more} missing, of which its scores were made; "
            "nothing was written",
            where=str(folder.path),
            todo="Copy the whole folder again",
        )
    _see_that_all_are_readable(folder.path)


def _missing(folder: RunFolder) -> Iterator[str]:
    """Paths within the folder."""
    if not folder.documents().is_file():
        yield folder.documents().name
    panels = folder.record.get("panels") or {}
    if any(panel.get("borrowed") for panel in panels.values()) and _is_outer(folder):
        yield f"{PANEL_A}/run.json"
    if not (folder.path / "guesses").is_dir():
        yield "guesses/"
        return
    yield from (name for name in _made(folder) if not (folder.path / name).is_file())


def _is_outer(folder: RunFolder) -> bool:
    """A run of which another, that lay within it, is gone; the inner one's own panels are all borrowed."""
    panels = folder.record["panels"].values()
    return (
        not all(panel.get("borrowed") for panel in panels)
        and not (folder.path / PANEL_A / "run.json").is_file()
    )


def _made(folder: RunFolder) -> Iterator[str]:
    """The files of guesses that there must be: no one record has them all."""
    known = {_name(folder, *one) for one in {*_scored(folder), *_planned(folder)}}
    if not folder.record.get("not_run"):
        # Else a stage may have been made, and lost its texts, and not have been made again.
        known |= {name for name in folder.record.get("answered_by") or {} if name.startswith("guesses/")}
    yield from known
    yield from _without_any(folder, known)


def _scored(folder: RunFolder) -> set[tuple[str, str, str | None]]:
    """What the run's own scores are of: scheme, attacker and model. Empty where there are no scores."""
    from neuter.scoring.table import read_scores

    path = folder.path / "scores.parquet"
    if not path.is_file():
        return set()
    names = ["scheme", "attacker", "model"]
    scores = read_scores(path)
    inner = folder.path / PANEL_A / "scores.parquet"
    if inner.is_file():
        # Scores of the run within go first, and are made of its own guesses.
        scores = scores.slice(read_scores(inner).height)
    return {(scheme, attacker, model or None) for scheme, attacker, model in scores[names].unique().rows()}


def _planned(folder: RunFolder) -> Iterator[tuple[str, str, str | None]]:
    """What the run was to ask models, without what it says was not run."""
    config = folder.record["config"]
    for attacker in config["attackers"]:
        if not is_ours(attacker):
            continue
        for model in config["models"]:
            for scheme in config["schemes"]:
                if not _is_left_out(folder.record, scheme["name"], attacker["name"], model):
                    yield scheme["name"], attacker["name"], model


def _without_any(folder: RunFolder, known: Collection[str]) -> Iterator[str]:
    """A file for each scheme and attacker of which there is none, nor any ``known``: what models it works through,
    if it does, only an attacker itself could tell.
    """
    config = folder.record["config"]
    for attacker in config["attackers"]:
        for scheme in (one["name"] for one in config["schemes"]):
            names = [_name(folder, scheme, attacker["name"], model) for model in (None, *config["models"])]
            is_there = any(name in known or (folder.path / name).is_file() for name in names)
            if not (is_there or is_ours(attacker) or _is_left_out(folder.record, scheme, attacker["name"])):
                yield names[0]


def _is_left_out(record: Mapping[str, Any], scheme: str, attacker: str, model: str | None = None) -> bool:
    """Whether ``not_run`` has it: the scheme, or the attacker (with this model, or any where None is given)."""
    return any(
        one["scheme"] == scheme
        or (one["attacker"] == attacker and (model is None or one["model"] in (None, model)))
        for one in record.get("not_run") or ()
    )


def _name(folder: RunFolder, scheme: str, attacker: str, model: str | None) -> str:
    return folder.guesses(scheme, attacker, model).relative_to(folder.path).as_posix()


def _see_that_all_are_readable(path: Path) -> None:
    """A file that was cut off is found before the first is written."""
    from neuter.attacks import read_guess_frame

    for file in sorted((path / "guesses").glob("*.parquet")):
        read_guess_frame(file)
