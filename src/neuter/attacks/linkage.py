"""The linkage attacker: finds a firm by its other documents, as an archive of past texts would."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from neuter.attacks.absent import absent
from neuter.attacks.knowledge import firm_of
from neuter.errors import UsageError
from neuter.types import Document, Guess, MaskedDocument

if TYPE_CHECKING:
    from neuter.attacks.index import Floats, ReferenceIndex

# Similarities held at once (texts by reference documents, four bytes each): bounds the memory of an attack.
_CELLS = 4_000_000
_MOST_TEXTS = 256


class Linkage:
    """TF-IDF over words and runs of words; the nearest other document names the firm.

    No language model and no world knowledge: what it finds, anybody with the firm's other texts can find.

    Args:
        ngram_max: longest run of words that is a feature (1: single words).
        min_df: features in fewer reference documents than this are left out.
        sublinear_tf: weigh a word by 1 + ln(count) instead of by its count.
        stop_words: "english" leaves out scikit-learn's list of English function words before runs are
            made, "none" keeps every word.
        neighbours: how many of the nearest documents vote on the period.
        candidates: how many firms a guess ranks at most.
        features: width of the hashed feature space; hashing keeps no dictionary of words in memory.
    """

    name: ClassVar[str] = "linkage"
    _index: ReferenceIndex | None = None

    def __init__(
        self,
        *,
        ngram_max: int = 2,
        min_df: int = 1,
        sublinear_tf: bool = True,
        stop_words: Literal["english", "none"] = "english",
        neighbours: int = 50,
        candidates: int = 20,
        features: int = 2**20,
    ) -> None:
        self.ngram_max = ngram_max
        self.min_df = min_df
        self.sublinear_tf = sublinear_tf
        self.stop_words = stop_words
        self.neighbours = neighbours
        self.candidates = candidates
        self.features = features

    def fit(self, reference: Iterable[Document]) -> Self:
        """Index the reference, reading it once; its texts are not kept.

        Raises:
            UsageError: the reference holds no document, or ``stop_words`` is no list's name.
        """
        from neuter.attacks.index import STOP_WORDS, build_index

        if self.stop_words not in STOP_WORDS:
            raise UsageError(
                f"unknown stop_words {self.stop_words!r}", todo=f"Use one of: {', '.join(STOP_WORDS)}"
            )
        documents = iter(reference)
        first = next(documents, None)
        if first is None:
            raise UsageError(
                "the linkage attacker's reference holds no document", todo="Give --reference CORPUS"
            )
        self._index = build_index(
            chain([first], documents),
            ngram_max=self.ngram_max,
            min_df=self.min_df,
            sublinear_tf=self.sublinear_tf,
            stop_words=STOP_WORDS[self.stop_words],
            features=self.features,
        )
        return self

    def attack(self, documents: Iterable[MaskedDocument]) -> Iterator[Guess]:
        """One guess a document, in order; a document is never compared with the reference's own copy of it.

        ``scores`` are cosine similarities with each firm's nearest document. A document that shares no
        feature with the reference gets the attacker's prior: the most frequent firm and period, scores 0.

        Raises:
            UsageError: ``fit`` was not called.
        """
        index = self._index
        if index is None:
            raise UsageError("the linkage attacker has no reference", todo="Call fit(reference) first")
        size = max(1, min(_MOST_TEXTS, _CELLS // len(index)))
        source = iter(documents)
        while batch := list(islice(source, size)):
            yield from self._attack_batch(batch, index)

    def _attack_batch(self, batch: Sequence[MaskedDocument], index: ReferenceIndex) -> Iterator[Guess]:
        with_text = [(document.id, document.text) for document in batch if document.text is not None]
        rows = iter(index.similarities([text for _, text in with_text], [id_ for id_, _ in with_text]))
        for document in batch:
            if document.text is None:
                yield absent(document, self.name)
            else:
                yield self._guess(document, next(rows), index)

    def _guess(self, document: MaskedDocument, similarities: Floats, index: ReferenceIndex) -> Guess:
        from neuter.attacks.neighbours import prior, read_off

        if (similarities > 0).any():
            reason = ""
            found = read_off(index, similarities, neighbours=self.neighbours, candidates=self.candidates)
        else:
            reason = "nothing in common with the reference: its most frequent firm and period"
            found = prior(index, document.id, candidates=self.candidates)
        return found.guess(document, self.name, reason)


def linkable(reference: Iterable[Document]) -> set[str]:
    """Ids of the documents whose firm has another document in ``reference``.

    Only these can be found by linkage; the others count as left out, neither as found nor as safe.
    """
    ids_by_firm: dict[str, set[str]] = {}
    for document in reference:
        firm = firm_of(document)
        if firm is not None:
            ids_by_firm.setdefault(firm, set()).add(document.id)
    return {id_ for ids in ids_by_firm.values() if len(ids) > 1 for id_ in ids}
