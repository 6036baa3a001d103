"""A masked corpus as a file, with the key that restores it where one is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from neuter.corpus.accepting import prove, usable
from neuter.corpus.corpus import Corpus
from neuter.corpus.keys import KeyWriter, writing_key
from neuter.corpus.schema import Schema, corpus_row, corpus_schema
from neuter.corpus.tables import check_extension, writing_rows
from neuter.errors import MaskingError, UsageError
from neuter.types import Document, MaskedDocument
from neuter.whole_files import refuse_folder

REPLACEMENTS = pl.List(
    pl.Struct({"start": pl.Int64(), "end": pl.Int64(), "placeholder": pl.String(), "kind": pl.String()})
)
_MASKED: Schema = {"scheme": pl.String(), "replacements": REPLACEMENTS}
_FAILED: Schema = {"outcome": pl.String(), "reason": pl.String()}


@dataclass(frozen=True, slots=True)
class WriteSummary:
    """How many masked documents a file has, and (id, reason) of those that could not be masked."""

    written: int
    failed: tuple[tuple[str, str], ...] = ()


def write_masked(
    path: str | Path,
    corpus: Corpus,
    masked: Iterable[MaskedDocument],
    *,
    key: str | Path | None = None,
    keep_failed: bool = False,
) -> WriteSummary:
    """The rows of ``corpus`` with the texts of ``masked``, and the columns ``scheme`` and ``replacements``.

    A document whose outcome is not ANSWERED, or whose masked text cannot be used (see :func:`usable`), has failed:
    its text is written nowhere. Replacements are proven: made in the original, they give the masked text.

    Reads the corpus beside ``masked``, holds a piece in memory, and leaves a whole file or none.

    Args:
        path: .parquet, .jsonl or .csv.
        masked: one for each document of the corpus, in its order.
        key: where to write the originals, for :func:`unmask_corpus`; mode 0600.
        keep_failed: give a document that could not be masked a row without text, and all rows the columns
            ``outcome`` and ``reason``; else it has no row.

    Raises:
        MaskingError: ``masked`` does not follow the corpus, its replacements do not fit, or a key is wanted of a
            scheme that rewrites.
        UsageError: an extension that is not written, a folder, or a path that is the corpus' own.
        RunError: a full disk; nothing is left behind.
    """
    path = Path(path)
    check_extension(path)
    _check_paths(path, Path(key) if key else None, corpus)
    columns, extra = corpus.columns, corpus.extra_columns
    schema = {**corpus_schema(columns, corpus.tables), **_MASKED, **(_FAILED if keep_failed else {})}
    failed: list[tuple[str, str]] = []
    written = 0
    with ExitStack() as stack:
        rows = stack.enter_context(writing_rows(path, schema))
        keys = stack.enter_context(writing_key(Path(key), corpus.name)) if key else None
        for document, given in in_step(corpus.documents(), masked):
            mask = usable(given)
            prove(document, mask)
            written += mask.text is not None
            if mask.text is None:
                failed.append((mask.id, mask.reason or str(mask.outcome)))
            _write_key(keys, document, mask)
            if mask.text is not None or keep_failed:
                rows.add({**corpus_row(document, columns, extra), **_masked_row(mask)})
        # Both are on the disk before either takes its place, so that a corpus and its key stay a pair.
        rows.finish()
        if keys is not None:
            keys.finish()
    return WriteSummary(written, tuple(failed))


def in_step(
    documents: Iterable[Document], masked: Iterable[MaskedDocument]
) -> Iterator[tuple[Document, MaskedDocument]]:
    """Each document with its masked form.

    Raises:
        MaskingError: they do not have the same ids in the same order.
    """
    todo = "A scheme yields exactly one masked document for each document, in order"
    rest: Iterator[Any] = iter(masked)
    last = "none"
    for document in documents:
        mask = next(rest, None)
        if mask is None:
            raise MaskingError(
                f"no masked document came for {document.id!r}", where=f"after {last}", todo=todo
            )
        if not isinstance(mask, MaskedDocument):
            what = f"a {type(mask).__name__} came where the masked document {document.id!r} was due"
            raise MaskingError(what, todo=todo)
        if mask.id != document.id:
            what = f"the masked document {mask.id!r} came where {document.id!r} was due"
            raise MaskingError(what, where=f"scheme {mask.scheme!r}", todo=todo)
        last = repr(document.id)
        yield document, mask
    extra = next(rest, None)
    if extra is not None:
        what = f"a masked document {extra.id!r} came after the corpus had ended"
        raise MaskingError(what, where=f"scheme {extra.scheme!r}", todo=todo)


def _write_key(keys: KeyWriter | None, document: Document, mask: MaskedDocument) -> None:
    if keys is not None:
        keys.add(document, mask)


def _masked_row(mask: MaskedDocument) -> dict[str, Any]:
    spans = None
    if mask.replacements is not None and mask.text is not None:
        spans = [
            {"start": int(one.start), "end": int(one.end), "placeholder": one.placeholder, "kind": one.kind}
            for one in mask.replacements
        ]
    return {
        "text": mask.text,
        "scheme": mask.scheme,
        "replacements": spans,
        "outcome": str(mask.outcome),
        "reason": mask.reason,
    }


def _check_paths(path: Path, key: Path | None, corpus: Corpus) -> None:
    outputs = [path, *([key] if key else [])]
    inputs = {os.path.realpath(file) for file in corpus.source.files}
    for output in outputs:
        refuse_folder(output)
        if os.path.realpath(output) in inputs:
            raise UsageError(
                "would overwrite the corpus itself", where=str(output), todo="Choose another name"
            )
    if key and os.path.realpath(path) == os.path.realpath(key):
        raise UsageError("is both the masked corpus and its key", where=str(path), todo="Choose another name")
