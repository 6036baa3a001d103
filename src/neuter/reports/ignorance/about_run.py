"""What run.json says of an ignorance run: models, their cutoffs and groups, conditions, and whose means are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from neuter.reports.ignorance.score_lookup import ForecastScores
from neuter.reports.wording import one_line
from neuter.scoring.forecasts.how import NON_REASONING, REASONING
from neuter.scoring.forecasts.schema import CONDITIONS

#: How the two groups of Table 1 are called.
GROUPS = {REASONING: "Reasoning-optimized", NON_REASONING: "Non-reasoning"}
#: What a condition is in words.
IN_WORDS = {
    "G1": "direct, no cutoff instruction",
    "G2": "chain of thought, no cutoff instruction",
    "G1′": "direct, told the cutoff",
    "G2′": "chain of thought, told the cutoff",
}
MEAN = "Mean over models"


@dataclass(frozen=True, slots=True)
class AboutRun:
    """``whole`` is whose figures stand for the run: "" (the mean over models), or its only model."""

    models: tuple[str, ...]
    cutoffs: Mapping[str, date]
    sources: Mapping[str, str]
    groups: Mapping[str, str]
    conditions: tuple[str, ...]
    simulated_cutoff: date | None
    whole: str

    @property
    def section_5_cutoffs(self) -> dict[str, date]:
        """Each model's cutoff as Table 3 and Figure 6 take it."""
        from neuter.scoring.forecasts.own_cutoffs import section_5_cutoff

        return {model: section_5_cutoff(model, stated) for model, stated in self.cutoffs.items()}

    @property
    def whose(self) -> list[str]:
        """The models, then the mean over them where there are several."""
        return [*self.models, *([] if self.whole else [""])]

    def title(self, model: str) -> str:
        """The model's name, without its provider's where it is told apart without; its mean where it is none."""
        last = model.rpartition("/")[2]
        alone = sum(one.rpartition("/")[2] == last for one in self.models) < 2
        return one_line(last if alone else model) or MEAN

    @property
    def whole_title(self) -> str:
        return self.title(self.whole) if self.whole else f"mean over {len(self.models)} models"

    @property
    def told(self) -> tuple[str, ...]:
        """The conditions that name a cutoff."""
        return tuple(name for name in self.conditions if name.endswith("′"))

    @property
    def reasoned(self) -> tuple[str, ...]:
        """The conditions with a chain of thought."""
        return tuple(name for name in self.conditions if name.startswith("G2"))

    @property
    def main(self) -> str:
        """The condition that the paper's robustness checks are of (G2′), or the nearest that was asked."""
        order = ("G2′", "G1′", "G2", "G1")
        return next((name for name in order if name in self.conditions), "")

    @property
    def first_cutoff(self) -> date | None:
        return min(self.cutoffs.values(), default=None)

    @property
    def last_cutoff(self) -> date | None:
        return max(self.cutoffs.values(), default=None)


def about(run: Mapping[str, Any], scores: ForecastScores) -> AboutRun:
    """What is known of a run; models and conditions that only the scores name are there too."""
    asked = [str(one) for one in run.get("models") or ()]
    scored = scores.distinct("model", panel="fixed", attacker="llm")
    models = tuple(dict.fromkeys([*asked, *filter(None, scored)]))
    given = {str(one) for one in run.get("conditions") or ()} | set(
        scores.distinct("condition", panel="fixed")
    )
    return AboutRun(
        models=models,
        cutoffs={str(k): day for k, v in (run.get("cutoffs") or {}).items() if (day := _day(v))},
        sources={str(k): one_line(str(v)) for k, v in (run.get("cutoff_sources") or {}).items() if v},
        groups={str(k): str(v) for k, v in (run.get("groups") or {}).items()},
        conditions=tuple(name for name in CONDITIONS if name in given),
        simulated_cutoff=_day(
            run.get("simulated_cutoff") or (run.get("scoring") or {}).get("simulated_cutoff")
        ),
        whole=models[0] if len(models) == 1 else "",
    )


def _day(said: Any) -> date | None:
    try:
        return date.fromisoformat(str(said)[:10])
    except ValueError:
        return None
