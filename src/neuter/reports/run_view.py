"""A run folder read for showing: its scores, and a few of its documents with every mask and every guess."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.reports.run_files import (
    masked_files,
    read_guesses,
    read_manifest,
    read_rows,
    read_scores,
    read_truths,
)
from neuter.reports.wording import firm_name, one_line
from neuter.types import Document, Replacement

if TYPE_CHECKING:
    import polars as pl


#: Original texts by id, or documents that hold them.
Originals = Mapping[str, str] | Iterable[Document]

#: Says whether a guessed firm (a label, ticker or name as the attacker gave it) is the firm of the document.
SameFirm = Callable[[str, Document], bool]


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
    date_right: bool | None = None


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
    """A document with its original text (None where nobody gave it) and every mask of it.

    ``truth`` is what is known of it, without its text.
    """

    truth: Document
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
    originals: Originals | None = None,
    documents: int = 60,
    same_firm: SameFirm | None = None,
) -> RunView:
    """Read the run in ``folder`` and choose ``documents`` of its documents, stratified by size.

    The choice is drawn with the run's own seed, prefers documents that every attacker saw, and comes in the
    order of the corpus.

    Args:
        folder: a run folder with run.json and scores.parquet, and masked/ and guesses/ where they exist.
        originals: texts by id, or the documents themselves, read once and only as far as they are shown. A scheme
            that changes nothing (``none``) gives them too.
        documents: how many to choose at most.
        same_firm: decides whether a guessed firm is right; ``neuter.firms`` does where None.

    Raises:
        RunError: a file is missing, unreadable, or not of a run; the message names it.
    """
    from neuter.reports.choice import choose

    folder = Path(folder)
    run, scores = read_manifest(folder), read_scores(folder)
    masked = masked_files(folder / "masked", _scheme_names(run))
    guesses = read_guesses(folder / "guesses")
    truths = read_truths([folder / "documents.parquet", *masked.values()])
    firms = firm_names(truths.values())
    chosen = choose(
        truths, guesses["id"].to_list() if guesses is not None else [], documents, run.get("seed")
    )
    pages = {scheme: read_rows(path, chosen) for scheme, path in masked.items()}
    texts = _originals(pages)
    texts |= _texts_of(originals, set(chosen) - set(texts))
    judge = same_firm or _matching()
    found = _by_document(guesses, chosen, lambda raw: _guess(raw, truths[raw["id"]], judge, firms))
    views = (
        DocumentView(
            truths[id_],
            texts.get(id_),
            tuple(_masked(p[id_], found.get((id_, scheme), ())) for scheme, p in pages.items() if id_ in p),
        )
        for id_ in chosen
    )
    return RunView(folder, run, scores, tuple(views), len(truths))


def firm_names(truths: Iterable[Document]) -> dict[str, str]:
    """How the corpus calls its firms, by label: ``AAPL (Apple Inc.)``, or what it has of ticker and name."""
    from neuter.firms import firm_label

    names: dict[str, str] = {}
    for truth in truths:
        if label := firm_label(truth):
            both = (
                f"{truth.ticker} ({truth.firm})"
                if truth.ticker and truth.firm
                else truth.ticker or truth.firm
            )
            names.setdefault(label, one_line(both or label))
    return names


def _scheme_names(run: Mapping[str, Any]) -> list[str]:
    items = run.get("schemes") or ()
    return [str(item.get("name") if isinstance(item, Mapping) else item) for item in items]


def _by_document(
    guesses: pl.DataFrame | None, ids: Sequence[str], view: Callable[[Mapping[str, Any]], GuessView]
) -> dict[tuple[str, str], list[GuessView]]:
    """The guesses at the chosen documents, by document and scheme."""
    import polars as pl

    found: dict[tuple[str, str], list[GuessView]] = {}
    if guesses is None:
        return found
    for row in guesses.filter(pl.col("id").is_in(list(ids))).iter_rows(named=True):
        found.setdefault((row["id"], row["scheme"]), []).append(view(row))
    return found


def _originals(pages: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, str]:
    """A mask of the scheme ``none`` is the original text."""
    return {id_: row["text"] for id_, row in pages.get("none", {}).items() if row["text"] is not None}


def _texts_of(originals: Originals | None, wanted: Collection[str]) -> dict[str, str]:
    """The texts that are wanted, without ever holding the others."""
    if originals is None or not wanted:
        return {}
    if isinstance(originals, Mapping):
        return {id_: originals[id_] for id_ in wanted if id_ in originals}
    return {document.id: document.text for document in originals if document.id in wanted}


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


def _guess(
    raw: Mapping[str, Any], truth: Document, same_firm: SameFirm, firms: Mapping[str, str]
) -> GuessView:
    answered = raw["outcome"] == "answered"
    firm = raw["firm"]
    known = bool(truth.firm or truth.ticker or truth.cik)
    return GuessView(
        attacker=raw["attacker"],
        model=raw["model"] or None,
        outcome=raw["outcome"],
        firm=firm_name(firm, firms) or None,
        industry=raw.get("industry"),
        quarter=raw.get("quarter"),
        year=raw.get("year"),
        date=raw.get("date"),
        confidence=raw.get("confidence"),
        candidates=tuple(firm_name(label, firms) for label in (raw.get("candidates") or ())[:5]),
        scores=tuple((raw.get("scores") or ())[:5]),
        answer=raw.get("answer"),
        reason=raw.get("reason") or "",
        firm_right=same_firm(firm, truth) if answered and firm and known else None,
        quarter_right=_equal(raw.get("quarter"), truth.fiscal_quarter) if answered else None,
        year_right=_equal(raw.get("year"), truth.fiscal_year) if answered else None,
        date_right=_equal(raw.get("date"), None if truth.date_assumed else truth.date) if answered else None,
    )


def _equal(guess: int | date | None, truth: int | date | None) -> bool | None:
    return None if guess is None or truth is None else guess == truth


def _matching() -> SameFirm:
    from neuter.firms import same_firm

    return same_firm
