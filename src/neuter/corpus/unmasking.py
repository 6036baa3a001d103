"""The original corpus back from a masked one and its key."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from neuter.corpus.columns import CANONICAL
from neuter.corpus.keys import KeyFile
from neuter.corpus.masked import MaskedCorpus, read_masked
from neuter.corpus.schema import TYPES, Schema, carried_types
from neuter.corpus.tables import writing_rows
from neuter.errors import UsageError
from neuter.types import Document
from neuter.whole_files import refuse_folder


def unmask_corpus(masked: str | Path | MaskedCorpus, key: str | Path, out: str | Path) -> int:
    """Write the corpus with its original texts to ``out``; returns how many documents it has.

    Each text is proven by the sha256 that the key holds. Documents that failed have no text and are left out.

    Args:
        out: .parquet, .jsonl or .csv, the columns of the masked corpus less its own.

    Raises:
        MaskingError: naming the id: the masked text was changed since, or the key belongs to another corpus.
        UsageError: ``out`` is a folder, or one of the files that are read.
    """
    masked = masked if isinstance(masked, MaskedCorpus) else read_masked(masked)
    out = Path(out)
    _check_paths(out, [*masked.source.files, Path(key)])
    keys = KeyFile(Path(key))
    schema = _schema(masked)
    written = 0
    with keys.reading() as reader, writing_rows(out, schema) as rows:
        for document, mask in masked.pairs():
            if mask.text is not None:
                rows.add(_row(document, schema, reader.original(mask)))
                written += 1
    return written


def _schema(masked: MaskedCorpus) -> Schema:
    have = {name for mapped in masked.tables for name in mapped.columns.fields}
    return {**{name: TYPES[name] for name in CANONICAL if name in have}, **carried_types(masked.tables)}


def _row(document: Document, schema: Schema, text: str) -> dict[str, Any]:
    known = {name: getattr(document, name) for name in schema if name in TYPES}
    return {**document.extra, **known, "text": text}


def _check_paths(out: Path, inputs: list[Path]) -> None:
    refuse_folder(out)
    if os.path.realpath(out) in {os.path.realpath(path) for path in inputs}:
        raise UsageError("would overwrite what it is made from", where=str(out), todo="Choose another name")
