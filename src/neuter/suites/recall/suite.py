"""What the recall suites share: their parameters, the questions that are asked, and what a run of them is."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, cast, get_args

from neuter._version import __version__
from neuter.data.sources import Sources, find_series, hash_of
from neuter.errors import UsageError
from neuter.suites.recall.building import check_conditions
from neuter.suites.recall.sampling import check_every, sampled
from neuter.suites.recall.specs import specs_of
from neuter.suites.recall.splits import cutoffs_of, read_cutoff, source_of_cutoff, years_before
from neuter.suites.suite import Setting

if TYPE_CHECKING:
    import polars as pl

    from neuter.corpus.importers import ImportedHeadlines
    from neuter.data.headline_sets import HeadlineSets
    from neuter.data.series import DataSeries
    from neuter.suites.run_folder import RunFolder

_T = TypeVar("_T")

#: Against what a change is told right or wrong: the actual value one period before, or the model's own estimate of it.
Change = Literal["previous_actual", "previous_estimate"]
#: How intervals allow for dependence in time.
Intervals = Literal["cosines", "blocks"]
_PATHS = ("data", "philadelphia_fed", "crsp")


@dataclass(frozen=True, kw_only=True)
class RecallSuite:
    """A suite that asks for values on dates, and holds the answers against what they were.

    Args:
        context: what prompts tell beside the question (``none``, ``history``, ``news``); by default the paper's.
        panels: kinds of questions, by default the paper's; ``all`` adds ours.
        series: only these of the suite's series.
        since, until: only dates from and up to these (YYYY-MM-DD).
        every: only the last date of each ``month``, ``quarter`` or ``year``.
        sample: so many dates a series and kind of question, drawn with the seed, spread over time and split.
        limit: the first so many.
        cutoff: YYYY-MM or YYYY-MM-DD, in place of the catalog's.
        recent_years: the split ``recent`` begins so many years before the cutoff; by default as the paper's table.
        change: ``previous_actual`` or ``previous_estimate``.
        intervals: ``cosines`` or ``blocks``, the block bootstrap (docs/recall-scores.md has what each holds).
        zero_is_answer: takes 0 for an answer, not for a refusal.
        max_tokens: the longest answer; None leaves it to the server (for ``local/`` models 160).
        temperature: None leaves it to the server; the paper names none.
        headlines: a file of headlines, for the context ``news`` (:func:`neuter.corpus.importers.read_headlines`).
        columns, day_first, skip_invalid: how that file is read: names of its columns, whether 03/04/2019 is in April,
            and that bad rows are left out and counted.
        data: ``NAME=FILE`` of own values; fred, alfred, philadelphia_fed, yahoo, crsp: see docs/own-data.md.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    #: False for a suite that only computes.
    asks: ClassVar[bool] = True
    #: Every kind of question that the suite has, the paper's first; and how many of them are the paper's.
    all_panels: ClassVar[tuple[str, ...]] = ()
    papers: ClassVar[int] = 1
    default_context: ClassVar[tuple[str, ...]] = ("none",)
    #: Where the paper's table begins its recent part; None where it has none.
    recent_from: ClassVar[date | None] = None

    context: Sequence[str] = ()
    panels: Sequence[str] = ()
    series: Sequence[str] = ()
    since: str | None = None
    until: str | None = None
    every: str | None = None
    sample: int | None = None
    limit: int | None = None
    cutoff: str | None = None
    recent_years: int | None = None
    change: Change = "previous_actual"
    intervals: Intervals = "cosines"
    zero_is_answer: bool = False
    max_tokens: int | None = None
    temperature: float | None = None
    headlines: str | Path | None = None
    columns: Mapping[str, str] | None = None
    day_first: bool = False
    skip_invalid: bool = False
    data: Sequence[str] = ()
    fred: bool = False
    alfred: bool = False
    philadelphia_fed: Sequence[str] = ()
    yahoo: bool = False
    crsp: Sequence[str] = ()

    # What is asked

    def everything(self, seed: int) -> pl.DataFrame:
        """Every question of the suite, before any is left out (QUESTIONS_SCHEMA)."""
        raise NotImplementedError

    def actual(self) -> Mapping[str, DataSeries]:
        """The series that baselines are made of, by the name that they have in the scores."""
        return {name: self.found(name) for name in self.names}

    def histories(self, seed: int) -> pl.DataFrame:  # noqa: ARG002  (nothing is drawn)
        """The histories that baselines are made of (ACTUAL_SCHEMA)."""
        from neuter.suites.recall.scored import actual_frame

        return actual_frame(self.actual())

    def questions(self, setting: Setting) -> pl.DataFrame:
        """The questions that are asked, in their order."""
        import polars as pl

        self.check()
        made = self._made(setting.seed)
        for word, bound in (("since", self.since), ("until", self.until)):
            if bound is not None:
                day = day_of(word, bound)
                made = made.filter(pl.col("date") >= day if word == "since" else pl.col("date") <= day)
        asked = sampled(
            made,
            every=self.every,
            sample=self.sample,
            limit=self.limit,
            seed=setting.seed,
            cutoffs=list(self.cutoffs(setting).values()),
        )
        if asked.is_empty():
            raise UsageError(
                f"the suite {self.name!r} has no question left", todo="Widen --since, --until or --series"
            )
        return asked

    @property
    def conditions(self) -> tuple[str, ...]:
        return check_conditions(self.context or self.default_context)

    @property
    def chosen_panels(self) -> tuple[str, ...]:
        """The kinds of questions that are asked.

        Raises:
            UsageError: there is none of that name.
        """
        if "all" in self.panels:
            return self.all_panels
        strange = [name for name in self.panels if name not in self.all_panels]
        if strange:
            raise UsageError(
                f"the suite {self.name!r} has no panel {strange[0]!r}",
                todo=f"Known: {', '.join(self.all_panels)}, all",
            )
        return tuple(dict.fromkeys(self.panels)) or self.all_panels[: self.papers]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The series that are asked about, in the paper's order.

        Raises:
            UsageError: the suite has no such series.
        """
        known = [spec.name for spec in specs_of(self.name)]
        strange = [name for name in self.series if name not in known]
        if strange:
            raise UsageError(
                f"the suite {self.name!r} has no series {strange[0]!r}", todo=f"Known: {', '.join(known)}"
            )
        return tuple(name for name in known if not self.series or name in self.series)

    def found(self, name: str) -> DataSeries:
        """A series, from the user's sources where they have it."""
        return self._found(name)

    @property
    def sources(self) -> Sources:
        return Sources(
            data=tuple(self.data),
            fred=self.fred,
            alfred=self.alfred,
            philadelphia_fed=tuple(self.philadelphia_fed),
            yahoo=self.yahoo,
            crsp=tuple(self.crsp),
        )

    @cached_property
    def headline_sets(self) -> HeadlineSets:
        """The user's headlines, or the shipped sample."""
        from neuter.data.headline_sets import sets_of, shipped_headlines

        read = self._headlines_read
        return shipped_headlines() if read is None else sets_of(read.frame, source=", ".join(read.files))

    @cached_property
    def _headlines_read(self) -> ImportedHeadlines | None:
        from neuter.corpus.importers import import_headlines

        if self.headlines is None:
            return None
        return import_headlines(
            Path(self.headlines),
            columns=dict(self.columns or {}),
            day_first=self.day_first or None,
            skip_invalid=self.skip_invalid,
        )

    # What a run is

    def check(self) -> None:
        """Refuse parameters that do not fit, before anything is read.

        Raises:
            UsageError: the message says which.
        """
        check_every(self.every)
        _ = self.conditions, self.chosen_panels, self.names
        for what, given, among in (
            ("change against", self.change, get_args(Change)),
            ("intervals of", self.intervals, get_args(Intervals)),
        ):
            if given not in among:
                raise UsageError(f"no {what} {given!r}", todo=f"Known: {', '.join(among)}")
        for name in ("sample", "limit", "recent_years", "max_tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"{name} = {value}", todo="Give a whole number above 0")
        if self.cutoff is not None:
            read_cutoff(self.cutoff)

    def cutoffs(self, setting: Setting) -> dict[str, date]:
        """The cutoff of each model."""
        return cutoffs_of(setting.models, self.cutoff, setting.config)

    def recent(self, cutoff: date) -> date | None:
        """Where the recent part begins for a model with this cutoff; None where there is no such part."""
        if self.recent_years is not None:
            return years_before(cutoff, self.recent_years)
        return self.recent_from if self.recent_from and self.recent_from < cutoff else None

    @property
    def other_truths(self) -> tuple[str, ...]:
        """Series that are held against another truth than the paper's: its figures do not stand beside them."""
        return ()

    @property
    def scored_by(self) -> dict[str, Any]:
        """Options of the scoring beside cutoff, seed and draws."""
        return {"change": self.change, "intervals": self.intervals}

    def configuration(self, setting: Setting) -> dict[str, Any]:
        """Everything that decides the result."""
        questions = self.questions(setting)
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in own.items()}
        return {
            "neuter": __version__,
            "suite": self.name,
            **{name: value for name, value in plain.items() if name not in (*_PATHS, "headlines")},
            "models": list(setting.models),
            "cutoffs": {model: str(day) for model, day in self.cutoffs(setting).items()},
            "questions": _hash(questions),
            "sources": hash_of(self.sources),
            "seed": setting.seed,
            "draws": setting.draws,
        }

    def about(self) -> dict[str, Any]:
        """The suite, and what its tables need beside the scores."""
        return {"suite": self.name, "panels": list(self.chosen_panels), "conditions": list(self.conditions)}

    def reads(self) -> Iterable[Path]:
        """The user's own files."""
        named = [one.partition("=")[2] for one in self.data]
        files = [*named, *self.philadelphia_fed, *self.crsp, *([self.headlines] if self.headlines else [])]
        return [Path(file) for file in files if file]

    def sources_of_cutoffs(self, setting: Setting) -> dict[str, str]:
        """Where each model's cutoff is from."""
        return {model: source_of_cutoff(model, self.cutoff, setting.config) for model in setting.models}

    def notes(self) -> list[str]:
        """What a reader must know of the data, once the questions are made."""
        gaps = {name: len(series.gaps) for name, series in self.actual().items() if series.gaps}
        told = ", ".join(f"{name} {count:,}" for name, count in gaps.items())
        return [f"Dates without a value in the data, which are not asked about: {told}."] if told else []

    def requests(self, setting: Setting) -> list[dict[str, Any]]:
        """What it would ask of models."""
        from neuter.suites.recall.estimating import requests_of

        return requests_of(self, setting)

    def run(self, setting: Setting, folder: RunFolder) -> None:
        """Ask, score and keep it all in ``folder``; answers that are there are not asked for again."""
        from neuter.suites.recall.running import run_recall

        run_recall(self, setting, folder)

    def _made(self, seed: int) -> pl.DataFrame:
        return once(self, f"everything {seed}", lambda: self.everything(seed))

    def _found(self, name: str) -> DataSeries:
        return once(self, f"series {name}", lambda: find_series(name, self.sources))


def once(suite: RecallSuite, what: str, make: Callable[[], _T]) -> _T:
    """What was made once for this very suite: sources may be slow, and a run needs them several times."""
    kept = suite.__dict__.setdefault("_kept", {})
    if what not in kept:
        kept[what] = make()
    return cast(_T, kept[what])


def _hash(questions: pl.DataFrame) -> str:
    """sha256 of what is asked, and of what is held to be right."""
    from io import BytesIO

    held = BytesIO()
    questions.write_csv(held)
    return hashlib.sha256(held.getvalue()).hexdigest()


def day_of(name: str, text: str) -> date:
    try:
        return date.fromisoformat(f"{text}-01" if len(text) == 7 else text)
    except ValueError:
        raise UsageError(f"--{name} {text!r} is no date", todo="Write YYYY-MM-DD") from None
