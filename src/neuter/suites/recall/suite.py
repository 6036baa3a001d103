"""What the recall suites share: their parameters, the questions that are asked, and what a run of them is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from neuter._version import __version__
from neuter.data.sources import check_sources, hash_of
from neuter.errors import DataError, UsageError
from neuter.suites.cutoffs import cutoffs_of, source_of_cutoff
from neuter.suites.days import read_day, years_before
from neuter.suites.frames import frame_hash
from neuter.suites.given import check_number, check_switch, check_whole, check_word, several
from neuter.suites.recall.building import check_conditions
from neuter.suites.recall.sampling import check_every, sampled
from neuter.suites.recall.sourced import Sourced
from neuter.suites.recall.specs import specs_of
from neuter.suites.suite import Setting

if TYPE_CHECKING:
    import polars as pl

    from neuter.corpus.importers import ImportedHeadlines
    from neuter.data.headline_sets import HeadlineSets
    from neuter.data.series import DataSeries
    from neuter.suites.run_folder import RunFolder

#: Against what a change is told right or wrong: the actual value one period before, or the model's own estimate of it.
Change = Literal["previous_actual", "previous_estimate"]
#: How intervals allow for dependence in time.
Intervals = Literal["cosines", "blocks"]
#: Parameters that take one name or several.
_SEVERAL = ("context", "panels", "series")
#: Files: what they hold decides the run, and not where they lie.
_FILES = ("data", "philadelphia_fed", "crsp", "headlines")


@dataclass(frozen=True, kw_only=True)
class RecallSuite(Sourced):
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
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    #: Every kind of question that the suite has, the paper's first; and how many of them are the paper's.
    all_panels: ClassVar[tuple[str, ...]] = ()
    papers: ClassVar[int] = 1
    default_context: ClassVar[tuple[str, ...]] = ("none",)
    #: Where the paper's table begins its recent part; None where it has none.
    recent_from: ClassVar[date | None] = None

    context: str | Sequence[str] = ()
    panels: str | Sequence[str] = ()
    series: str | Sequence[str] = ()
    since: str | date | None = None
    until: str | date | None = None
    every: str | None = None
    sample: int | None = None
    limit: int | None = None
    cutoff: str | date | None = None
    recent_years: int | None = None
    change: Change = "previous_actual"
    intervals: Intervals = "cosines"
    zero_is_answer: bool = False
    max_tokens: int | None = None
    temperature: float | None = None
    headlines: str | Path | None = None
    columns: Mapping[str, str] | None = None
    day_first: bool | None = None
    skip_invalid: bool = False

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

        return actual_frame(self.actual(), self.reading_of)

    def questions(self, setting: Setting) -> pl.DataFrame:
        """The questions that are asked, in their order."""
        cutoffs = self.cutoffs(setting)
        return self.once(f"questions {setting.seed} {cutoffs}", lambda: self._asked(setting.seed, cutoffs))

    def _asked(self, seed: int, cutoffs: Mapping[str, date]) -> pl.DataFrame:
        import polars as pl

        self.check()
        made = self.everything(seed)
        if self.since is not None:
            made = made.filter(pl.col("date") >= read_day(self.since, "--since"))
        if self.until is not None:
            made = made.filter(pl.col("date") <= read_day(self.until, "--until", last=True))
        asked = sampled(
            made,
            every=self.every,
            sample=self.sample,
            limit=self.limit,
            seed=seed,
            cutoffs=self.split_days(cutoffs),
        )
        if asked.is_empty():
            raise UsageError(
                f"the suite {self.name!r} has no question left",
                todo="Widen --since and --until, --series, --ask or --context (news needs headlines of days before)",
            )
        _see_truths(asked)
        return asked

    def split_days(self, cutoffs: Mapping[str, date]) -> list[date]:
        """The days between which a sample takes a part of each stretch."""
        return list(cutoffs.values())

    @property
    def chosen_conditions(self) -> tuple[str, ...]:
        """What prompts tell beside the question, in the order given."""
        return check_conditions(several(self.context, "context") or self.default_context)

    @property
    def chosen_panels(self) -> tuple[str, ...]:
        """The kinds of questions that are asked.

        Raises:
            UsageError: there is none of that name.
        """
        given = several(self.panels, "panels")
        if "all" in given:
            return self.all_panels
        strange = [name for name in given if name not in self.all_panels]
        if strange:
            raise UsageError(
                f"the suite {self.name!r} has no panel {strange[0]!r}",
                todo=f"Known: {', '.join(self.all_panels)}, all",
            )
        return tuple(dict.fromkeys(given)) or self.all_panels[: self.papers]

    @classmethod
    def known_series(cls) -> tuple[str, ...]:
        """Every series that the suite can ask about, in the paper's order."""
        return tuple(spec.name for spec in specs_of(cls.name))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The series that are asked about, in the paper's order.

        Raises:
            UsageError: the suite has no such series.
        """
        known, given = self.known_series(), tuple(dict.fromkeys(several(self.series, "series")))
        further = tuple(name for name in given if name not in known)
        strange = [name for name in further if not self.has_further(name)]
        if strange:
            raise UsageError(
                f"the suite {self.name!r} has no series {strange[0]!r}", todo=self.known_in_words(strange[0])
            )
        return (*(name for name in known if not given or name in given), *further)

    @classmethod
    def takes(cls, name: str) -> bool:
        """Whether a series of that name may be this suite's to ask about."""
        return name in cls.known_series()

    def has_further(self, name: str) -> bool:  # noqa: ARG002  (no suite but the stocks has any)
        """Whether a series that the suite does not know can be had from a source of the user's."""
        return False

    def known_in_words(self, strange: str) -> str:  # noqa: ARG002
        """What to do about a series that there is not."""
        return f"Known: {', '.join(self.known_series())}"

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
            day_first=self.day_first,
            skip_invalid=self.skip_invalid,
        )

    # What a run is

    def check(self) -> None:
        """Refuse parameters that do not fit, before anything is read.

        Raises:
            UsageError: the message says which.
        """
        check_every(self.every)
        _ = self.chosen_conditions, self.chosen_panels, self.names
        check_word(self.change, "change against", get_args(Change))
        check_word(self.intervals, "intervals of", get_args(Intervals))
        for name in ("sample", "limit", "recent_years", "max_tokens"):
            check_whole(getattr(self, name), name)
        for name in ("zero_is_answer", "skip_invalid", "fred", "alfred", "yahoo"):
            check_switch(getattr(self, name), name)
        if self.day_first is not None:
            check_switch(self.day_first, "day_first")
        check_number(self.temperature, "temperature")
        if self.cutoff is not None:
            read_day(self.cutoff, "--cutoff")
        if self.headlines is not None and not Path(self.headlines).exists():
            raise UsageError("there is no such file or folder", where=f"--headlines {self.headlines}")
        check_sources(self.sources)

    def cutoffs(self, setting: Setting) -> dict[str, date]:
        """The cutoff of each model."""
        return cutoffs_of(setting.models, self.cutoff, setting.config)

    def recent(self, cutoff: date) -> date | None:
        """Where the recent part begins for a model with this cutoff; None where there is no such part."""
        if self.recent_years is not None:
            return years_before(cutoff, self.recent_years)
        return self.recent_from if self.recent_from and self.recent_from < cutoff else None

    def reading_of(self, name: str) -> str | None:  # noqa: ARG002  (most suites leave no choice)
        """The reading of a series that was chosen for the truth; None for its default."""
        return None

    @property
    def other_truths(self) -> tuple[str, ...]:
        """Series that are held against another truth than the paper's: its figures do not stand beside them."""
        return tuple(
            name
            for name, one in self.actual().items()
            if self.reading_of(name) not in (None, one.readings[0])
        )

    @property
    def scored_by(self) -> dict[str, Any]:
        """Options of the scoring beside cutoff, seed and draws."""
        return {"change": self.change, "intervals": self.intervals}

    def configuration(self, setting: Setting) -> dict[str, Any]:
        """Everything that decides the result."""
        questions = self.questions(setting)
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in _FILES}
        plain = own | {name: list(several(own[name], name)) for name in _SEVERAL}
        return {
            "neuter": __version__,
            "suite": self.name,
            **plain,
            "models": list(setting.models),
            "cutoffs": {model: str(day) for model, day in self.cutoffs(setting).items()},
            "questions": frame_hash(questions),
            "sources": hash_of(self.sources),
            "seed": setting.seed,
            "draws": setting.draws,
        }

    def about(self) -> dict[str, Any]:
        """The suite, and what its tables need beside the scores."""
        return {
            "suite": self.name,
            "panels": list(self.chosen_panels),
            "conditions": list(self.chosen_conditions),
        }

    def reads(self) -> Iterable[Path]:
        """The user's own files."""
        return [*self.source_files(), *([Path(self.headlines)] if self.headlines else [])]

    def sources_of_cutoffs(self, setting: Setting) -> dict[str, str]:
        """Where each model's cutoff is from."""
        return {model: source_of_cutoff(model, self.cutoff, setting.config) for model in setting.models}

    def notes(self) -> list[str]:
        """What a reader must know of the data, once the questions are made."""
        gaps = {name: len(series.gaps) for name, series in self.actual().items() if series.gaps}
        told = ", ".join(f"{name} {count:,}" for name, count in gaps.items())
        missing = f"Dates without a value in the data, which are not asked about: {told}."
        lost = "--headlines was not used: they are the context news." if self._headlines_unused else ""
        return [*(note for note in (missing if told else "", lost) if note), *self.unused_sources()]

    @property
    def _headlines_unused(self) -> bool:
        return self.headlines is not None and "news" not in self.chosen_conditions

    def requests(self, setting: Setting) -> list[dict[str, Any]]:
        """What it would ask of models."""
        from neuter.suites.recall.estimating import requests_of

        return requests_of(self, setting)

    def run(self, setting: Setting, folder: RunFolder) -> None:
        """Ask, score and keep it all in ``folder``; answers that are there are not asked for again."""
        from neuter.suites.recall.running import run_recall

        run_recall(self, setting, folder)


def _see_truths(asked: pl.DataFrame) -> None:
    """Raises DataError where a truth is no finite number: a close of 0, for one, has no return."""
    import polars as pl

    strange = asked.filter(~pl.col("truth").is_finite())
    if strange.height:
        row = strange.row(0, named=True)
        raise DataError(
            f"what is right on {row['date']} is no finite number ({row['panel'].replace('_', ' ')})",
            where=row["series"],
            todo="See that the values before it are not 0",
        )
