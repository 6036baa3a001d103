"""The suite ``masking``: Table 7 of The Memorization Problem, what a model identifies from masked texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from neuter.errors import CorpusError, UsageError
from neuter.suites.corpus_part import CorpusPart
from neuter.suites.estimating import requests_of
from neuter.suites.evaluation import run_evaluation
from neuter.suites.panels import THE_SEVEN, panel_scorer, the_seven
from neuter.suites.plan import Plan, SizeAsOf, needs_model
from neuter.suites.run_folder import PANEL_A, RunFolder
from neuter.suites.suite import Setting
from neuter.types import Scheme

if TYPE_CHECKING:
    from neuter.corpus import Corpus

#: Which quarter a guess is held against: the fiscal one, that in which the fiscal period ends, or that of the date.
Reading = Literal["fiscal", "calendar", "call", "all"]
READINGS = ("fiscal", "calendar", "call", "all")
#: Where Panel A is made when the corpus given holds none of its firms, by kind of document.
_SAMPLES = {"headline": "corpora:sample/headlines", "call": "corpora:sample"}


@dataclass(frozen=True)
class Part:
    """Documents that are evaluated together, and the panels that they give.

    ``borrowed`` documents are not of the user's corpus.
    """

    panels: str
    plan: Plan
    borrowed: bool = False

    @property
    def label(self) -> str:
        return f"Panel {self.panels} ({self.plan.corpus.name})"


class Masking:
    """Both panels of Table 7: the Magnificent Seven one by one, and all firms by NYSE size tercile.

    Args:
        corpus: transcripts, filings or headlines, not mixed; by default ``corpora:sample``.
        schemes: by default ``rules``, which needs no model. The paper's own is ``entity-neutering``.
        masker: the model that masks, for schemes that need one; by default the first of the models.
        panel: "A" or "B" alone; None for both. A asks only about documents of the seven.
        reading: which reading of quarter and year stands in the table; all three are scored whatever it is.
        model_sample: documents that a model is asked about, stratified by size; 0 for all; by default all, and 8 for
            ``local/`` models.
        breakpoints: a file of market-cap percentiles, or "corpus"; by default those of the NYSE that ship.
        size_as_of: "month" or "year".
    """

    name: ClassVar[str] = "masking"
    title: ClassVar[str] = "Masking effectiveness (Table 7 of The Memorization Problem)"

    def __init__(
        self,
        *,
        corpus: Corpus | None = None,
        schemes: Sequence[Scheme] = (),
        masker: str | None = None,
        panel: Literal["A", "B"] | None = None,
        reading: Reading = "fiscal",
        model_sample: int | None = None,
        breakpoints: Path | Literal["corpus"] | None = None,
        size_as_of: SizeAsOf = "month",
    ) -> None:
        self.corpus = corpus
        self.schemes = schemes
        self.masker = masker
        self.panel = panel
        self.reading = reading
        self.model_sample = model_sample
        self.breakpoints = breakpoints
        self.size_as_of = size_as_of

    def configuration(self, setting: Setting) -> dict[str, Any]:
        """The evaluation's, with the suite, the panel, and what Panel A is made on where that is another corpus."""
        *borrowed, main = self._parts(setting)
        return {
            **main.plan.configuration(),
            "suite": self.name,
            "panel": self.panel,
            "panel_a": borrowed[0].plan.configuration() if borrowed else None,
        }

    def about(self) -> dict[str, Any]:
        """The suite, the reading, what the documents are, and the corpus of each panel."""
        panels = {
            letter: {"corpus": part.plan.corpus.name, "borrowed": part.borrowed}
            for part in self._parts(Setting())
            for letter in part.panels
        }
        kind = "headline" if self._of_headlines else "call"
        return {"suite": self.name, "reading": self.reading, "documents_are": kind, "panels": panels}

    def reads(self) -> Iterable[Path]:
        """The corpus's files."""
        return [
            *self.whole.source.files,
            *([self.breakpoints] if isinstance(self.breakpoints, Path) else []),
        ]

    def requests(self, setting: Setting) -> list[dict[str, Any]]:
        """What both panels would ask of models."""
        parts = self._parts(setting)
        return [
            row
            for part in parts
            for row in requests_of(part.plan, f"{part.label}: " if len(parts) > 1 else "")
        ]

    def run(self, setting: Setting, folder: RunFolder) -> None:
        """Evaluate each part; a borrowed Panel A is a run of its own in ``panel-a/``, and its scores go into both.

        Raises:
            NeuterError: as :func:`neuter.suites.evaluation.run_evaluation`.
        """
        *borrowed, main = self._parts(setting)
        folder.save(**self.about())
        if not borrowed:
            run_evaluation(main.plan, folder)
            return
        (part,) = borrowed
        path = folder.path / PANEL_A
        with RunFolder.open(path, part.plan.configuration(), command="benchmark") as inside:
            panels = {"A": {"corpus": part.plan.corpus.name, "borrowed": True}}
            inside.save(**{**self.about(), "panels": panels}, id=folder.id)
            run_evaluation(part.plan, inside)
        run_evaluation(main.plan, folder, after=path, label=part.label)

    def _parts(self, setting: Setting) -> list[Part]:
        """What is evaluated, the user's own corpus last."""
        self._check()
        if self.panel == "B":
            return [Part("B", self._plan(setting, self.whole, "B"))]
        if not self._seven:
            sample = Part("A", self._plan(setting, self._sample(), "A"), borrowed=True)
            return [sample] if self.panel else [sample, Part("B", self._plan(setting, self.whole, "B"))]
        if self.panel == "A":
            return [Part("A", self._plan(setting, CorpusPart(self.whole, self._seven, THE_SEVEN), "A"))]
        return [Part("AB", self._plan(setting, self.whole, "AB"))]

    def _check(self) -> None:
        if self.panel not in (None, "A", "B"):
            raise UsageError(f"there is no panel {self.panel!r}", todo="Table 7 has the panels A and B")
        if self.reading not in READINGS:
            raise UsageError(f"there is no reading {self.reading!r}", todo=f"Known: {', '.join(READINGS)}")
        if self.size_as_of not in ("month", "year"):
            raise UsageError(f"no size as of a {self.size_as_of!r}", todo="Known: month, year")

    def _plan(self, setting: Setting, corpus: Corpus, panels: str) -> Plan:
        from neuter.attacks import LLM, Prior

        schemes = tuple(self.schemes) or (_rules(),)
        masker = self.masker or next(iter(setting.models), None)
        return Plan(
            corpus=corpus,
            schemes=schemes,
            attackers=(LLM(), Prior()),
            models=setting.models,
            masker=masker if any(map(needs_model, schemes)) else None,
            model_sample=self.model_sample,
            breakpoints=self.breakpoints,
            size_as_of=self.size_as_of,
            seed=setting.seed,
            draws=setting.draws,
            required=frozenset({*setting.required, *([self.masker] if self.masker else [])}),
            connect=setting.connect,
            progress=setting.progress,
            spending=setting.spending,
            suite=self.name,
            scorer=panel_scorer(panels, published=not self._of_headlines),
        )

    @cached_property
    def whole(self) -> Corpus:
        """The corpus that was given, or the default."""
        from neuter.corpus import read_corpus

        return self.corpus if self.corpus is not None else read_corpus(_SAMPLES["call"])

    @cached_property
    def _facts(self) -> tuple[frozenset[str], bool]:
        """The ids of the documents of the seven, and whether these are headlines.

        Raises:
            CorpusError: headlines and longer texts in one corpus.
        """
        metadata = self.whole.metadata()
        headlines = (metadata["kind"] == "headline").sum()
        if 0 < headlines < metadata.height:
            raise CorpusError(
                f"holds {headlines} headlines among {metadata.height} documents",
                where=self.whole.name,
                todo="Headlines have a date where calls have a quarter, so they need a table and a file of their own",
            )
        return frozenset(the_seven(metadata)["id"]), headlines > 0

    @property
    def _seven(self) -> frozenset[str]:
        return self._facts[0]

    @property
    def _of_headlines(self) -> bool:
        return self._facts[1]

    def _sample(self) -> Corpus:
        from neuter.corpus import read_corpus

        whole = read_corpus(_SAMPLES["headline" if self._of_headlines else "call"])
        if opening := self.whole.options.opening:
            whole = read_corpus(whole, opening=opening)
        return CorpusPart(whole, frozenset(the_seven(whole.metadata())["id"]), THE_SEVEN)


def _rules() -> Scheme:
    from neuter.masking.rules import Rules

    return Rules()
