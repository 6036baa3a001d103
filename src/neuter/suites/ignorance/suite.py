"""The suite ``ignorance``: its parameters, the questions that it asks, and what a run of it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from neuter._version import __version__
from neuter.errors import UsageError
from neuter.models.simulated.names import is_simulated
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.schema import CONDITIONS
from neuter.suites.cutoffs import cutoffs_of, source_of_cutoff
from neuter.suites.days import read_day
from neuter.suites.given import check_number, check_switch, check_whole, several
from neuter.suites.ignorance.asked import sampled, see_both_sides, usable
from neuter.suites.ignorance.groups import groups_of
from neuter.suites.ignorance.names import SUITE
from neuter.suites.ignorance.scored import PAPERS_CUTOFF
from neuter.suites.ignorance.wording import condition_named
from neuter.suites.suite import Setting

if TYPE_CHECKING:
    import polars as pl

    from neuter.questions import QuestionSet
    from neuter.suites.run_folder import RunFolder

SHIPPED = "corpora:questions"
#: Parameters that take one name or several.
_SEVERAL = ("questions", "conditions", "reasoning", "labels")
#: Files: what they hold decides the run, and not where they lie.
_FILES = ("questions", "resolutions", "labels", "columns")


@dataclass(frozen=True, kw_only=True)
class Ignorance:
    """Whether an instruction to forget makes a model forecast as if it did not know (Simulated Ignorance Fails).

    Args:
        questions: files of resolved yes-or-no questions (docs/questions.md), or ``corpora:questions``, the default.
        format, columns, resolutions, day_first: how they are read (:func:`neuter.questions.read_questions`).
        skip_invalid: leaves out and counts bad rows, and questions that resolved before the simulated cutoff.
        generate: so many generated questions beside those, as many before the earliest cutoff as after the latest.
        conditions: of ``G1``, ``G2``, ``G1′``, ``G2′`` (or ``G1'``); by default all.
        simulated_cutoff: C, the day that the instruction names.
        runs: how often each question is asked; the answers are averaged.
        background: whether the prompt tells a question's background. The paper does not say; ours leaves it out, since
            it was written after C.
        cutoff: YYYY-MM or YYYY-MM-DD, in place of the catalog's, for every model.
        reasoning: models that count as trained to reason; by default the paper's table and the catalog decide.
        judge: a model that reads the chains of thought; ``judge_itself`` allows one of those judged.
        labels: files of people's labels (``neuter traces label``), held against the judge's.
        sample, limit: so many questions, drawn or the first.
        margin: a gap in Brier points that would not matter.
        structured: asks for structured output where a model is known to offer it.
        max_tokens, temperature: of each answer; None leaves them to the server (``local/`` models: 60 tokens, 240 with
            a chain of thought, and a temperature of 0.7 where a question is asked more than once).
    """

    name: ClassVar[str] = SUITE
    title: ClassVar[str] = "Simulated against true ignorance (Simulated Ignorance Fails)"
    #: Every condition that ``--condition`` may name, as the suite spells it.
    all_conditions: ClassVar[tuple[str, ...]] = CONDITIONS

    questions: str | Path | Sequence[str | Path] = ()
    format: str | None = None
    columns: Mapping[str, str] | None = None
    resolutions: str | Path | None = None
    day_first: bool | None = None
    skip_invalid: bool = False
    generate: int | None = None
    conditions: str | Sequence[str] = ()
    simulated_cutoff: str | date = PAPERS_CUTOFF
    runs: int = 3
    background: bool = False
    cutoff: str | date | None = None
    reasoning: str | Sequence[str] = ()
    judge: str | None = None
    judge_itself: bool = False
    labels: str | Path | Sequence[str | Path] = ()
    sample: int | None = None
    limit: int | None = None
    margin: float = 0.02
    structured: bool = True
    max_tokens: int | None = None
    temperature: float | None = None

    # What is asked

    @cached_property
    def read(self) -> tuple[QuestionSet, ...]:
        """The questions as their files hold them, file by file.

        Raises:
            DataError, UsageError: a file cannot be read as questions.
        """
        from neuter.questions import read_questions

        return tuple(
            read_questions(
                source,
                format=self.format,
                columns=dict(self.columns or {}),
                resolutions=self.resolutions,
                day_first=self.day_first,
                skip_invalid=self.skip_invalid,
            )
            for source in several(self.questions, "questions") or (SHIPPED,)
        )

    @cached_property
    def _kept(self) -> dict[str, pl.DataFrame]:
        return {}

    def asked(self, setting: Setting) -> pl.DataFrame:
        """The questions that are asked, in their order (QUESTION_SCHEMA).

        Raises:
            UsageError: some resolved before the simulated cutoff, or there is none before or after the models' cutoffs.
            DataError: two files have a question of one id.
        """
        cutoffs = self.cutoffs(setting)
        known = f"{setting.seed} {sorted(cutoffs.items())}"
        if known not in self._kept:
            self._kept[known] = self._asked(setting.seed, cutoffs)
        return self._kept[known]

    def _asked(self, seed: int, cutoffs: Mapping[str, date]) -> pl.DataFrame:
        self.check()
        every = self._all(seed, cutoffs)
        late, _ = usable(every, self.told_cutoff, skip_invalid=self.skip_invalid)
        see_both_sides(late, cutoffs)
        chosen = sampled(late, self.sample, self.limit, seed, cutoffs)
        see_both_sides(chosen, cutoffs)
        return chosen

    def _all(self, seed: int, cutoffs: Mapping[str, date]) -> pl.DataFrame:
        import polars as pl

        from neuter.suites.ignorance.generated import generated

        parts = [one.frame for one in self.read]
        if self.generate:
            parts.append(generated(self.generate, self.told_cutoff, cutoffs, seed))
        every = pl.concat(parts)
        if every["id"].is_duplicated().any():
            twice = every.filter(every["id"].is_duplicated())["id"][0]
            raise UsageError(
                f"two questions have the id {twice!r}",
                where="--questions",
                todo="Give each file once, and each id once",
            )
        return every

    def prompts(self, setting: Setting) -> pl.DataFrame:
        """What is sent, condition by condition (PROMPT_SCHEMA)."""
        from neuter.suites.ignorance.wording import prompts_of

        return prompts_of(
            self.asked(setting), self.chosen_conditions, self.told_cutoff, background=self.background
        )

    @classmethod
    def takes_condition(cls, name: str) -> bool:
        """Whether a condition of that name may be this suite's to ask under."""
        return condition_named(name) is not None

    @property
    def told_cutoff(self) -> date:
        """C, the day that the instruction names."""
        return read_day(self.simulated_cutoff, "--simulated-cutoff")

    @property
    def chosen_conditions(self) -> tuple[str, ...]:
        """The conditions that are asked under, in the paper's order.

        Raises:
            UsageError: there is none of that name.
        """
        given = several(self.conditions, "conditions")
        named = {one: condition_named(one) for one in given}
        if strange := [one for one, name in named.items() if name is None]:
            raise UsageError(
                f"the suite {self.name!r} has no condition {strange[0]!r}",
                todo=f"Known: {', '.join(CONDITIONS)} (or G1', G2')",
            )
        return tuple(name for name in CONDITIONS if not given or name in named.values())

    # What a run is

    def check(self) -> None:
        """Refuse parameters that do not fit, before anything is read.

        Raises:
            UsageError: the message says which.
        """
        _ = self.chosen_conditions, self.told_cutoff
        for name in ("runs", "sample", "limit", "generate", "max_tokens"):
            check_whole(getattr(self, name), name)
        for name in ("background", "structured", "skip_invalid", "judge_itself"):
            check_switch(getattr(self, name), name)
        check_number(self.temperature, "temperature")
        check_number(self.margin, "margin")
        if self.cutoff is not None:
            read_day(self.cutoff, "--cutoff")
        for label in several(self.labels, "labels"):
            if not Path(label).is_file():
                raise UsageError("there is no such file", where=f"--labels {label}")

    def cutoffs(self, setting: Setting) -> dict[str, date]:
        """K(m), the cutoff of each model.

        Raises:
            UsageError: nobody knows one.
        """
        return cutoffs_of(setting.models, self.cutoff, setting.config)

    def sources_of_cutoffs(self, setting: Setting) -> dict[str, str]:
        """Where each model's cutoff is from."""
        return {model: source_of_cutoff(model, self.cutoff, setting.config) for model in setting.models}

    def scoring(self, setting: Setting) -> ForecastScoring:
        """How the forecasts are scored.

        Raises:
            UsageError: a margin that is none, or ``reasoning`` names a model that is not asked.
        """
        reasoning = several(self.reasoning, "reasoning")
        return ForecastScoring(
            cutoffs=self.cutoffs(setting),
            simulated_cutoff=self.told_cutoff,
            groups=groups_of(setting.models, reasoning, setting.config),
            seed=setting.seed,
            draws=setting.draws,
            margin=self.margin,
        )

    def configuration(self, setting: Setting) -> dict[str, Any]:
        """Everything that decides the result."""
        from neuter.suites.frames import frame_hash
        from neuter.suites.ignorance.frames import questions_hash

        how, asked = self.scoring(setting), self.asked(setting)
        self._refuse_judge(setting)
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in _FILES}
        plain = own | {name: list(several(own[name], name)) for name in _SEVERAL if name in own}
        return {
            "neuter": __version__,
            "suite": self.name,
            **plain,
            "conditions": list(self.chosen_conditions),
            "simulated_cutoff": str(self.told_cutoff),
            "models": list(setting.models),
            "cutoffs": {model: str(day) for model, day in how.cutoffs.items()},
            "groups": dict(how.groups),
            "questions": questions_hash(asked),
            "prompts": frame_hash(self.prompts(setting)),
            "seed": setting.seed,
            "draws": setting.draws,
        }

    def _refuse_judge(self, setting: Setting) -> None:
        from neuter.traces import refuse_itself

        if self.judge is None:
            return
        if is_simulated(self.judge):
            raise UsageError(
                "a simulated model reads no text, so it cannot judge one",
                where=f"--judge {self.judge}",
                todo="Name a real model, or leave the judge out: the check by rule needs none",
            )
        refuse_itself(self.judge, setting.models, forced=self.judge_itself)

    def about(self) -> dict[str, Any]:
        """The suite, and what its tables need beside the scores."""
        return {
            "suite": self.name,
            "conditions": list(self.chosen_conditions),
            "simulated_cutoff": str(self.told_cutoff),
            "runs": self.runs,
            "judge": self.judge,
        }

    def reads(self) -> Iterable[Path]:
        """The user's own files."""
        given = [*several(self.questions, "questions"), *several(self.labels, "labels")]
        given += [str(self.resolutions)] if self.resolutions else []
        return [Path(one) for one in given if not one.startswith("corpora:")]

    def set_aside(self, setting: Setting) -> dict[str, int]:
        """Questions that were not asked, by reason."""
        counts: dict[str, int] = {}
        for one in self.read:
            for reason, count in one.set_aside.items():
                counts[reason] = counts.get(reason, 0) + count
        _, early = usable(
            self._all(setting.seed, self.cutoffs(setting)), self.told_cutoff, skip_invalid=self.skip_invalid
        )
        return counts | ({"resolved before the simulated cutoff": early} if early else {})

    def requests(self, setting: Setting) -> list[dict[str, Any]]:
        """What it would ask of models."""
        from neuter.suites.ignorance.estimating import requests_of

        self._refuse_judge(setting)
        return requests_of(self, setting)

    def run(self, setting: Setting, folder: RunFolder) -> None:
        """Ask, judge, score and keep it all in ``folder``; answers that are there are not asked for again."""
        from neuter.suites.ignorance.running import run_ignorance

        run_ignorance(self, setting, folder)
