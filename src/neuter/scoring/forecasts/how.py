"""How forecasts are scored: cutoffs, groups of models, and the choices that the paper leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from neuter.errors import UsageError

#: The two groups of Simulated Ignorance Fails (Table 1), as the scores name them.
REASONING, NON_REASONING = "reasoning", "non_reasoning"


@dataclass(frozen=True, slots=True)
class ForecastScoring:
    """How forecasts are scored.

    Attributes:
        cutoffs: K(m), the first day that each model cannot know.
        simulated_cutoff: C, the day that the instruction names.
        groups: ``reasoning`` or ``non_reasoning`` by model; a model without one is in neither.
        seed, draws: of the bootstrap over clusters of questions.
        level: of the intervals.
        margin: a gap (in Brier points) that would not matter: within it SI may stand for TI.
        suite: as it stands in the rows.
    """

    cutoffs: Mapping[str, date]
    simulated_cutoff: date
    groups: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    draws: int = 2000
    level: float = 0.95
    margin: float = 0.02
    suite: str = "ignorance"

    def __post_init__(self) -> None:
        for name in ("level", "margin"):
            if not isinstance(getattr(self, name), int | float):
                raise UsageError(f"{name} = {getattr(self, name)!r}", todo="Give a number")
        if not 0.5 <= self.level < 1:
            raise UsageError(f"intervals at a level of {self.level:g}", todo="Give a share such as 0.95")
        if not 0 < self.margin < 1:
            raise UsageError(f"a margin of {self.margin:g}", todo="Give Brier points such as 0.02")
        for day in (*self.cutoffs.values(), self.simulated_cutoff):
            if not isinstance(day, date):
                raise UsageError(f"a cutoff of {day!r}", todo="Give a datetime.date")
        strange = sorted(set(self.groups.values()) - {REASONING, NON_REASONING})
        if strange:
            raise UsageError(f"no group {strange[0]!r}", todo=f"Known: {REASONING}, {NON_REASONING}")
