"""A run folder read for showing: its scores, and a few of its documents with every mask and every guess."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.errors import RunError
from neuter.types import Replacement

if TYPE_CHECKING:
    import polars as pl

_AGAIN = "Give the folder that neuter evaluate wrote, or make it again with the same command"
_TRUTH = "id kind ticker firm cik date fiscal_year fiscal_quarter size sector".split()
_GUESS = "id scheme attacker model outcome firm".split()


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of a document: the right answer to every guess."""

    id: str
    kind: str = "transcript"
    ticker: str | None = None
    firm: str | None = None
    cik: int | None = None
    date: date | None = None
    fiscal_year: int | None = None
    fiscal_quarter: int | None = None
    size: str | None = None
    sector: str | None = None


#: Says whether a guessed firm (a label, ticker or name as the attacker gave it) is the firm of the truth.
SameFirm = Callable[[str, Truth], bool]


@dataclass(frozen=True, slots=True)
class GuessView:
    """One attacker's guess at one masked document, and what of it is right (None: nothing to compare)."""

    attacker: str
    model: str | None
    outcome: str
    firm: str | None
    industry: str | None
    quarter: int | None
    year: int | None
    date: date | None
    confidence: float | None
    candidates: tuple[str, ...]
    scores: tuple[float, ...]
    answer: str | None
    reason: str
    firm_right: bool | None
    quarter_right: bool | None
    year_right: bool | None


@dataclass(frozen=True, slots=True)
class MaskedView:
    """A document under one scheme. ``replacements`` is None where the scheme rewrites the text."""

    scheme: str
    text: str | None
    replacements: tuple[Replacement, ...] | None
    outcome: str
    reason: str
    guesses: tuple[GuessView, ...]


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document with its original text (None where nobody gave it) and every mask of it."""

    truth: Truth
    original: str | None
    masked: tuple[MaskedView, ...]


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything that a report shows of a run. ``total`` is how many documents ``documents`` were chosen from."""

    folder: Path
    run: Mapping[str, Any]
    scores: pl.DataFrame
    documents: tuple[DocumentView, ...]
    total: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What the run has to say about itself."""
        return tuple(str(note) for note in self.run.get("notes") or ())


def load_run(
    folder: Path,
    originals: Mapping[str, str] | None = None,
    documents: int = 60,
    same_firm: SameFirm | None = None,
) -> RunView:
    """Read the run in ``folder`` and choose ``documents`` of its documents, stratified by size.

    The choice is drawn with the run's own seed, prefers documents that every attacker saw, and comes in the
    order of the corpus.

    Args:
        folder: a run folder with run.json and scores.parquet, and masked/ and guesses/ where they exist.
        originals: texts by id. A scheme that changes nothing (``none``) gives them too.
        documents: how many to choose at most.
        same_firm: decides whether a guessed firm is right; ``neuter.firms`` does where None.

    Raises:
        RunError: a file is missing, unreadable, or not of a run; the message names it.
    """
    from neuter.reports.choice import choose

    folder = Path(folder)
    run = read_manifest(folder)
    scores = read_scores(folder)
    masked = _masked_files(folder / "masked", _names(run, "schemes"))
    guesses = _read_guesses(folder)
    truths = _read_truths(masked.values())
    chosen = choose(truths, guesses["id"].to_list() if guesses is not None else [], documents, run.get("seed"))
    known = dict(originals or {})
    pages = {scheme: _read_rows(path, chosen) for scheme, path in masked.items()}
    for page in pages.values():
        known = {row["id"]: row["text"] for row in page.values() if _unchanged(row)} | known
    by_document = _by_document(guesses, chosen)
    judge = same_firm or _same_firm()
    views = tuple(
        DocumentView(
            truths[id_],
            known.get(id_),
            tuple(
                _masked(page[id_], [_guess(raw, truths[id_], judge) for raw in by_document.get((id_, scheme), ())])
                for scheme, page in pages.items()
                if id_ in page
            ),
        )
        for id_ in chosen
    )
    return RunView(folder, run, scores, views, len(truths))


def read_manifest(folder: Path) -> dict[str, Any]:
    """``run.json`` of ``folder``.

    Raises:
        RunError: there is none, or it is not the JSON object that neuter writes.
    """
    path = Path(folder) / "run.json"
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError("there is no run.json, so this is no run folder", where=str(folder), todo=_AGAIN) from None
    except (ValueError, OSError) as error:
        raise RunError(f"cannot be read ({error})", where=str(path), todo=_AGAIN) from error
    if not isinstance(run, dict) or "command" not in run:
        raise RunError("is not the run.json of neuter: it has no 'command'", where=str(path), todo=_AGAIN)
    return run


def read_scores(folder: Path) -> pl.DataFrame:
    """``scores.parquet`` of ``folder``, checked for its columns.

    Raises:
        RunError: it is missing, damaged, or lacks columns of the tidy scores table.
    """
    from neuter.reports.score_blocks import check_columns

    path = Path(folder) / "scores.parquet"
    if not path.is_file():
        raise RunError("there is no scores.parquet: the run has not finished", where=str(folder), todo=_AGAIN)
    scores = _read(path)
    check_columns(scores)
    return scores


def _read(path: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    import polars as pl

    try:
        return pl.read_parquet(path, columns=list(columns) if columns else None)
    except pl.exceptions.ColumnNotFoundError as error:
        raise RunError(f"lacks a column ({error})", where=str(path), todo=_AGAIN) from error
    except (pl.exceptions.PolarsError, OSError) as error:
        raise RunError(f"cannot be read, it may be damaged ({error})", where=str(path), todo=_AGAIN) from error


def _names(run: Mapping[str, Any], key: str) -> list[str]:
    return [item["name"] if isinstance(item, Mapping) else str(item) for item in run.get(key) or ()]


def _masked_files(folder: Path, names: Sequence[str]) -> dict[str, Path]:
    """The masked corpora by scheme, in the order of run.json. The scheme stands in the file: names are slugs."""
    places = {name: place for place, name in enumerate(names)}
    found = {}
    for path in sorted(folder.glob("*.parquet")):
        schemes = _read(path, ["scheme"])["scheme"].unique().to_list()
        found.update({scheme: path for scheme in schemes})
    return dict(sorted(found.items(), key=lambda item: places.get(item[0], len(places))))


def _read_truths(paths: Iterable[Path]) -> dict[str, Truth]:
    """What is known of each document, in corpus order, without reading any text."""
    truths: dict[str, Truth] = {}
    for path in paths:
        for row in _read(path, _TRUTH).iter_rows(named=True):
            truths.setdefault(row["id"], Truth(**row))
    return truths


def _read_rows(path: Path, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The chosen rows of a masked corpus by id; the others are never in memory."""
    import polars as pl

    columns = ["id", "text", "scheme", "replacements", "outcome", "reason"]
    try:
        frame = pl.scan_parquet(path).filter(pl.col("id").is_in(list(ids))).select(columns).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise RunError(f"cannot be read, it may be damaged ({error})", where=str(path), todo=_AGAIN) from error
    return {row["id"]: row for row in frame.iter_rows(named=True)}


def _read_guesses(folder: Path) -> pl.DataFrame | None:
    import polars as pl

    frames = [_read(path) for path in sorted((folder / "guesses").glob("*.parquet"))]
    for path, frame in zip(sorted((folder / "guesses").glob("*.parquet")), frames, strict=True):
        if missing := [name for name in _GUESS if name not in frame.columns]:
            raise RunError(f"lacks the columns {', '.join(missing)}", where=str(path), todo=_AGAIN)
    return pl.concat(frames, how="diagonal_relaxed") if frames else None


def _by_document(guesses: pl.DataFrame | None, ids: Sequence[str]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    import polars as pl

    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    if guesses is None:
        return found
    for row in guesses.filter(pl.col("id").is_in(list(ids))).iter_rows(named=True):
        found.setdefault((row["id"], row["scheme"]), []).append(row)
    return found


def _unchanged(row: Mapping[str, Any]) -> bool:
    """A mask that replaced nothing because its scheme is ``none`` holds the original text."""
    return row["scheme"] == "none" and row["text"] is not None


def _masked(row: Mapping[str, Any], guesses: Sequence[GuessView]) -> MaskedView:
    spans = row["replacements"]
    return MaskedView(
        scheme=row["scheme"],
        text=row["text"],
        replacements=None if spans is None else tuple(sorted(Replacement(**span) for span in spans)),
        outcome=row["outcome"] or "answered",
        reason=row["reason"] or "",
        guesses=tuple(guesses),
    )


def _guess(raw: Mapping[str, Any], truth: Truth, same_firm: SameFirm) -> GuessView:
    from neuter.reports.wording import firm_name

    answered = raw["outcome"] == "answered"
    firm = raw["firm"]
    return GuessView(
        attacker=raw["attacker"],
        model=raw["model"],
        outcome=raw["outcome"],
        firm=firm_name(firm) or None,
        industry=raw.get("industry"),
        quarter=raw.get("quarter"),
        year=raw.get("year"),
        date=raw.get("date"),
        confidence=raw.get("confidence"),
        candidates=tuple(firm_name(label) for label in (raw.get("candidates") or ())[:5]),
        scores=tuple((raw.get("scores") or ())[:5]),
        answer=raw.get("answer"),
        reason=raw.get("reason") or "",
        firm_right=same_firm(firm, truth) if answered and firm and (truth.firm or truth.ticker or truth.cik) else None,
        quarter_right=_equal(raw.get("quarter"), truth.fiscal_quarter) if answered else None,
        year_right=_equal(raw.get("year"), truth.fiscal_year) if answered else None,
    )


def _equal(guess: int | None, truth: int | None) -> bool | None:
    return None if guess is None or truth is None else guess == truth


def _same_firm() -> SameFirm:
    """The matching of neuter.firms where it is there, and else an exact comparison with ticker, name and CIK."""
    return _exactly


def _exactly(guess: str, truth: Truth) -> bool:
    labels = {truth.ticker, truth.firm, f"cik:{truth.cik:010d}" if truth.cik is not None else None}
    return guess.casefold() in {label.casefold() for label in labels if label}
