"""The way into neuter for text: ``read_corpus``."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from neuter.corpus.columns import KINDS, check_given, load_preset
from neuter.corpus.corpus import Corpus, Options
from neuter.corpus.sources import open_source
from neuter.errors import UsageError


def read_corpus(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    preset: str | None = None,
    kind: str | None = None,
    skip_invalid: bool = False,
    opening: int | None = None,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> Corpus:
    """A corpus, read no further than its header; documents are read as they are asked for.

    Args:
        source: a path (.jsonl, .ndjson, .json, .csv, .tsv, .parquet), a glob, a folder of .txt files, an
            ``hf://`` Parquet address, ``corpora:NAME`` or ``corpora:NAME/FILE``, a polars or pandas frame, an
            iterable of Documents, or a Corpus (which is then read with other options).
        columns: canonical name → the file's name, as ``{"text": "Body Text"}``; "" sets a column aside.
        preset: the column names of a known source, as ``capital-iq`` (see docs/formats.md).
        kind: ``transcript``, ``headline``, ``filing`` or ``question``, for every document.
        skip_invalid: leave bad rows out (they are in ``Corpus.problems``) instead of stopping.
        opening: keep the first so many characters of each text.
        limit: the first so many documents.
        sample: so many documents at random, by ``seed``, with the shares of the size groups kept.

    Raises:
        CorpusError: the source does not exist, or lacks a column.
        UsageError: an option that does not fit.
    """
    for name, number in (("opening", opening), ("limit", limit), ("sample", sample)):
        if number is not None and number < 1:
            raise UsageError(f"must be 1 or more, not {number}", where=f"--{name}")
    check_given(columns or {})
    if preset:
        load_preset(preset)
    options = Options(
        dict(columns or {}), preset, kind and _kind(kind), skip_invalid, opening, limit, sample, seed
    )
    if isinstance(source, Corpus):
        return Corpus(source.source, _over(source.options, options))
    return Corpus(open_source(source), options)


def _kind(kind: str) -> str:
    if kind in KINDS:
        return kind
    near = difflib.get_close_matches(kind, KINDS, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise UsageError(f"unknown kind {kind!r}", where="--kind", todo=f"{hint}The kinds are {', '.join(KINDS)}")


def _over(old: Options, new: Options) -> Options:
    """``old`` with what is set in ``new``."""
    default = Options()
    names = Options.__slots__
    changed = {name: getattr(new, name) for name in names if getattr(new, name) != getattr(default, name)}
    return replace(old, **changed)
