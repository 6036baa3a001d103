"""The scheme ``presidio``: Microsoft Presidio as its users know it, the baseline for every other scheme.

Its default analyzer (all default recognizers, its own default configuration with only the spaCy model's name
changed) finds the entities; its anonymizer settles overlaps; placeholders number the instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, Self

from neuter.masking import spans, tagger
from neuter.types import Document, MaskedDocument

#: Presidio's entity types in the words of the paper's placeholders; what is not here becomes a number,
#: since the rest are identifiers written in digits (cards, accounts, telephones, licences, addresses).
KIND_OF = {
    "PERSON": "name",
    "NRP": "location",
    "LOCATION": "location",
    "ORGANIZATION": "company",
    "DATE_TIME": "time",
    "URL": "link",
    "EMAIL_ADDRESS": "link",
}


class Presidio:
    """Presidio's default analyzer and anonymizer over a spaCy model, one placeholder an entity."""

    name: ClassVar[str] = "presidio"
    reversible: ClassVar[bool] = True

    def __init__(self, spacy_model: str = tagger.DEFAULT_MODEL) -> None:
        self.spacy_model = spacy_model

    def fit(self, documents: Iterable[Document]) -> Self:  # noqa: ARG002
        return self

    def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]:
        for document in documents:
            yield spans.masked(document, self.spans(document.text), self.name)

    def spans(self, text: str) -> list[spans.Span]:
        """What Presidio finds, without overlaps, in order."""
        found = [
            spans.Span(offset + start, offset + end, KIND_OF.get(kind, "number"))
            for offset, piece in tagger.pieces(text)
            for start, end, kind in _resolved(piece, self.spacy_model)
        ]
        return spans.merge(found)


def _resolved(text: str, model: str) -> list[tuple[int, int, str]]:
    from presidio_anonymizer.entities import OperatorConfig, RecognizerResult

    analyzer, anonymizer = _engines(model)
    found = [
        RecognizerResult(r.entity_type, r.start, r.end, r.score)
        for r in analyzer.analyze(text, language="en")
    ]
    # The operator "keep" leaves the text alone, so the anonymizer's own offsets are those of the original.
    kept = anonymizer.anonymize(text, found, {"DEFAULT": OperatorConfig("keep")})
    return sorted((item.start, item.end, item.entity_type) for item in kept.items)


@cache
def _engines(model: str) -> tuple[Any, Any]:
    import yaml  # type: ignore[import-untyped]
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider
    from presidio_anonymizer import AnonymizerEngine

    tagger.entity_tagger(model)  # a missing model is our message, not Presidio's attempt to download one
    _use_packaged_suffix_list()
    configuration = yaml.safe_load(
        (files("presidio_analyzer") / "conf" / "default.yaml").read_text(encoding="utf-8")
    )
    configuration["models"] = [{"lang_code": "en", "model_name": model}]
    engine = NlpEngineProvider(nlp_configuration=configuration).create_engine()
    return AnalyzerEngine(nlp_engine=engine), AnonymizerEngine()  # type: ignore[no-untyped-call]


def _use_packaged_suffix_list() -> None:
    """Keep tldextract, which Presidio's e-mail and link recognizers call, from fetching its list from a server."""
    import tldextract.tldextract as module

    module.TLD_EXTRACTOR = module.TLDExtract(suffix_list_urls=(), cache_dir=None)
