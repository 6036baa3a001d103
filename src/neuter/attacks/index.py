"""A TF-IDF index of reference documents, held sparse: the texts themselves pass through and are gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, HashingVectorizer, TfidfTransformer

from neuter.attacks.knowledge import Period, firm_of, period_of
from neuter.attacks.words import words_of
from neuter.types import Document

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

#: Code of "no firm" and of "no period".
NONE = -1
_CHUNK = 256
#: By name, so that the attacker's parameters are plain values.
STOP_WORDS: Mapping[str, Set[str]] = {"english": ENGLISH_STOP_WORDS, "none": frozenset()}


@dataclass(slots=True)
class _Facts:
    """What is kept of each reference document beside its row of the matrix."""

    ids: list[str] = field(default_factory=list)
    firms: list[str | None] = field(default_factory=list)
    periods: list[Period | None] = field(default_factory=list)
    sectors: list[str | None] = field(default_factory=list)

    def add(self, document: Document) -> str:
        self.ids.append(document.id)
        self.firms.append(firm_of(document))
        self.periods.append(period_of(document))
        self.sectors.append(document.sector)
        return document.text


@dataclass(frozen=True, slots=True)
class Weighting:
    """Text to rows of length one in the reference's space: hashing, then TF-IDF fitted on the reference."""

    vectorizer: HashingVectorizer
    known: npt.NDArray[np.bool_]
    tfidf: TfidfTransformer

    def rows(self, texts: Sequence[str]) -> Any:
        """A sparse matrix, one row a text; empty for a text that shares no feature with the reference."""
        counts = _only(self.vectorizer.transform(texts), self.known)
        return self.tfidf.transform(counts, copy=False)


@dataclass(frozen=True, slots=True)
class ReferenceIndex:
    """Reference documents in the order in which they were read.

    ``columns`` is the transposed TF-IDF matrix (features by documents). ``firm`` and ``period`` hold for
    each document a position in ``firms`` and ``periods`` (both sorted), or ``NONE``; ``by_firm`` holds the
    documents' positions sorted by firm, those without one first.
    """

    weighting: Weighting
    columns: Any
    positions: dict[str, tuple[int, ...]]
    firms: tuple[str, ...]
    firm: Integers
    by_firm: Integers
    periods: tuple[Period, ...]
    period: Integers
    sectors: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.firm)

    def similarities(self, texts: Sequence[str], ids: Sequence[str]) -> Floats:
        """Cosine similarity of each text (row) with each reference document (column).

        A document never sees itself: where ``ids[i]`` is in the reference, it has -inf.
        """
        if not texts:
            return np.zeros((0, len(self)), dtype=np.float32)
        found: Floats = (self.weighting.rows(texts) @ self.columns).toarray()
        for row, id_ in enumerate(ids):
            found[row, list(self.positions.get(id_, ()))] = -np.inf
        return found

    def best_of_firms(self, similarities: Floats) -> Floats:
        """The similarity of the nearest document of each of ``firms``, from one row of ``similarities``."""
        if not self.firms:
            return similarities[:0]
        starts = np.searchsorted(self.firm[self.by_firm], np.arange(len(self.firms)))
        best: Floats = np.maximum.reduceat(similarities[self.by_firm], starts)
        return best


def build_index(
    reference: Iterable[Document],
    *,
    ngram_max: int,
    min_df: int,
    sublinear_tf: bool,
    stop_words: Set[str],
    features: int,
) -> ReferenceIndex:
    """Read the reference once, in chunks. ``features`` is the width of the hashed space."""
    vectorizer = HashingVectorizer(
        analyzer=partial(words_of, ngram_max=ngram_max, stop_words=stop_words),
        n_features=features,
        alternate_sign=False,
        norm=None,
        dtype=np.float32,
    )
    facts = _Facts()
    counts = sparse.vstack(list(_count(reference, vectorizer, facts)), format="csr")
    known = np.bincount(counts.indices, minlength=features) >= min_df
    counts = _only(counts, known)
    tfidf = TfidfTransformer(sublinear_tf=sublinear_tf).fit(counts)
    columns = tfidf.transform(counts, copy=False).T.tocsr()
    return _indexed(Weighting(vectorizer, known, tfidf), columns, facts)


def _count(reference: Iterable[Document], vectorizer: HashingVectorizer, facts: _Facts) -> Iterator[Any]:
    documents = iter(reference)
    while chunk := [facts.add(document) for document in islice(documents, _CHUNK)]:
        yield vectorizer.transform(chunk)


def _only(counts: Any, known: npt.NDArray[np.bool_]) -> Any:
    counts.data[~known[counts.indices]] = 0
    counts.eliminate_zeros()
    return counts


def _indexed(weighting: Weighting, columns: Any, facts: _Facts) -> ReferenceIndex:
    firms, firm = _coded(facts.firms, key=str)
    periods, period = _coded(facts.periods, key=lambda each: each.rank)
    positions: dict[str, tuple[int, ...]] = {}
    for position, id_ in enumerate(facts.ids):
        positions[id_] = (*positions.get(id_, ()), position)
    return ReferenceIndex(
        weighting=weighting,
        columns=columns,
        positions=positions,
        firms=firms,
        firm=firm,
        by_firm=np.argsort(firm, kind="stable"),
        periods=periods,
        period=period,
        sectors=tuple(facts.sectors),
    )


def _coded(values: Sequence[Any], key: Any) -> tuple[tuple[Any, ...], Integers]:
    """The distinct values, sorted, and the position of each value among them."""
    distinct = tuple(sorted({value for value in values if value is not None}, key=key))
    code = {value: position for position, value in enumerate(distinct)}
    return distinct, np.array([code.get(value, NONE) for value in values], dtype=np.int64)
