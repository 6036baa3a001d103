"""The scheme ``rules``: patterns, word lists, the document's own firm, spaCy's names, and unexplained capitals.

No key, no cost, the same result every time. What is found once in a document holds everywhere in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import ClassVar, Self

from neuter.masking import capitals, own_firm, patterns, spans, tagger
from neuter.masking.spans import Span
from neuter.types import Document, MaskedDocument

#: spaCy's labels (OntoNotes 5) in the words of the paper's placeholders.
KIND_OF = {
    "PERSON": "name",
    "NORP": "location",
    "FAC": "location",
    "ORG": "company",
    "GPE": "location",
    "LOC": "location",
    "PRODUCT": "product",
    "EVENT": "event",
    "WORK_OF_ART": "product",
    "LAW": "event",
    "LANGUAGE": "location",
    "DATE": "time",
    "TIME": "time",
    "PERCENT": "number",
    "MONEY": "number",
    "QUANTITY": "number",
    "ORDINAL": "number",
    "CARDINAL": "number",
}
_NAMES = frozenset({"name", "company", "location", "product", "event"})
_TAGGER_WEIGHT = 5
_KNOWN_WEIGHT = 4


class Rules:
    """Masks what identifies firm and period by rules and a named-entity tagger.

    Parameters:
        spacy_model: an installed spaCy model with a tagger of named entities.
        use_capitals: treat capitals inside a sentence that nothing explains as names.
    """

    name: ClassVar[str] = "rules"
    reversible: ClassVar[bool] = True

    def __init__(self, spacy_model: str = tagger.DEFAULT_MODEL, use_capitals: bool = True) -> None:
        self.spacy_model = spacy_model
        self.use_capitals = use_capitals

    def fit(self, documents: Iterable[Document]) -> Self:  # noqa: ARG002
        return self

    def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]:
        for document in documents:
            yield spans.masked(document, self.spans(document), self.name)

    def spans(self, document: Document) -> list[Span]:
        """What is replaced in a document, in order and without overlap."""
        text = document.text
        found = [*patterns.find(text), *own_firm.find(document, _aliases(document)), *self._tagged(text)]
        if self.use_capitals and not capitals.is_caseless(text):
            found += capitals.unexplained(text)
        found += _everywhere(text, found)
        return _with_entities(text, spans.merge(found))

    def _tagged(self, text: str) -> list[Span]:
        nlp = tagger.entity_tagger(self.spacy_model)
        return [
            Span(offset + e.start_char, offset + e.end_char, KIND_OF[e.label_], _TAGGER_WEIGHT)
            for offset, piece in tagger.pieces(text)
            for e in nlp(piece).ents
            if e.label_ in KIND_OF and not _is_word_of_the_trade(e.text)
        ]


def _is_word_of_the_trade(name: str) -> bool:
    """EBITDA, GAAP, Chief Financial Officer: tagged as names, but they name nobody."""
    words = re.findall(r"[\w&'-]+", name)
    return bool(words) and all(capitals.is_explained(word) for word in words)


def _aliases(document: Document) -> tuple[str, ...]:
    from neuter.firms import firm_label, known_names

    return tuple(known_names(firm_label(document)))


def _everywhere(text: str, found: Iterable[Span]) -> list[Span]:
    """Further mentions of the names found: elsewhere in the document, and a person's surname or first name alone."""
    kinds: dict[str, Counter[str]] = {}
    for span in found:
        if span.kind not in _NAMES or span.weight > own_firm.WEIGHT - 1:
            continue
        for form in _forms(text[span.start : span.end], span.kind):
            kinds.setdefault(form, Counter())[span.kind] += 1 + 10 * span.weight
    if not kinds:
        return []
    wanted = "|".join(re.escape(form) for form in sorted(kinds, key=lambda f: (-len(f), f)))
    return [
        Span(m.start(), m.end(), _likeliest(kinds[m.group(1)]), _KNOWN_WEIGHT)
        for m in re.finditer(rf"(?<!\w)({wanted})(?:['’]s)?(?!\w)", text)
    ]


def _likeliest(counts: Counter[str]) -> str:
    return min(counts, key=lambda kind: (-counts[kind], kind))


def _forms(surface: str, kind: str) -> Iterator[str]:
    name = re.sub(r"['’]s$", "", surface.strip())
    name = re.sub(r"^(?:the|The)\s", "", name)
    if len(name) > 2 and any(c.isupper() for c in name) and "\n" not in name:
        yield name
    if kind == "name":
        yield from (p for p in name.split() if len(p) > 2 and p[0].isupper() and not capitals.is_explained(p))


def _with_entities(text: str, merged: list[Span]) -> list[Span]:
    """One entity for a person's full name and its parts, and for a firm with and without its legal form."""
    whole = _whole_names(text, merged)
    return [
        s if s.entity or s.kind not in {"name", "company"} else replace(s, entity=_entity(text, s, whole))
        for s in merged
    ]


def _entity(text: str, span: Span, whole: dict[str, str]) -> str:
    surface = text[span.start : span.end]
    if span.kind == "company":
        forms = sorted(own_firm.short_forms(re.sub(r"['’]s$", "", surface)), key=len)
        return min((f for f in forms if " " in f or len(forms) == 1), key=len, default=surface).casefold()
    name = spans.normalised(surface)
    return whole.get(name, name)


def _whole_names(text: str, merged: Iterable[Span]) -> dict[str, str]:
    """A surname or first name to the one full name of the document that it is part of; shared ones are left out."""
    names = {spans.normalised(text[s.start : s.end]) for s in merged if s.kind == "name"}
    owners: dict[str, set[str]] = {}
    for name in names:
        for part in name.split():
            if part != name:
                owners.setdefault(part, set()).add(name)
    return {part: next(iter(full)) for part, full in owners.items() if len(full) == 1}
