"""``neuter.power``: what difference a sample can show, and how many firms and documents one needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neuter.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from rich.table import Table

    from neuter.scoring.power import Kind, Setting

_WHAT = {
    "paired": "Two schemes on the same documents",
    "unpaired": "Two schemes on documents of different firms (each on its own sample)",
    "baseline": "One accuracy against a known baseline",
}


@dataclass(frozen=True)
class Plan:
    """A sample: how many firms of how many documents, the smallest difference it shows, its power for the one wanted.

    ``documents`` is None where no number is enough, and so are the figures that follow from it; ``firms``
    where a thousand million are too few. ``detectable`` is a share, None where no difference is large enough.
    """

    name: str
    firms: int | None
    documents: int | None
    detectable: float | None
    power: float | None

    @property
    def in_all(self) -> int | None:
        """Documents in all (of each scheme where they are unpaired)."""
        return None if self.firms is None or self.documents is None else self.firms * self.documents


@dataclass(frozen=True)
class Power:
    """What a sample can show of a difference of ``effect`` (a share), and what that difference needs.

    ``plans``: the sample as given; the same firms with as many documents as are needed; as many firms as are
    needed with the same documents a firm, and with one document each.
    """

    effect: float
    setting: Setting
    plans: tuple[Plan, ...]

    @property
    def given(self) -> Plan:
        return self.plans[0]

    def sentences(self) -> tuple[str, ...]:
        """The answer in words."""
        given, more_documents, more_firms = self.plans[:3]
        power = f"{self.setting.power:.0%}"
        seen = "no difference, however large," if given.detectable is None else _points(given.detectable)
        found = (
            f"finds {seen} with a power of {power}; for {_points(self.effect)} its power is {given.power:.0%}"
        )
        firms = f"{_many(given.firms, 'firm')} of {_many(given.documents, 'document')}"
        said = [f"{_WHAT[self.setting.kind]}: a sample of {firms} {found}."]
        if given.power is not None and given.power >= self.setting.power:
            return (*said, f"That is enough; {_needed(more_firms)} would do.")
        if more_documents.documents is None:
            said.append(
                f"No number of documents is enough with {_many(given.firms, 'firm')}, because documents of a firm are "
                f"alike: {_needed(more_firms)} are needed."
            )
        else:
            said.append(f"Needed: {_needed(more_documents)}, or {_needed(more_firms)}.")
        return tuple(said)

    def assumed(self) -> str:
        """What was assumed, in one line."""
        s = self.setting
        parts = [f"accuracy {s.accuracy:g}", f"correlation within a firm {s.correlation:g}"]
        if s.kind == "paired":
            parts.append(
                f"agreement {s.agreed():.3g}{'' if s.agreement is not None else ' (halfway from chance to 1)'}"
            )
        return f"Assumed: {', '.join(parts)}; two-sided test at {s.level:g}."

    def to_dict(self) -> dict[str, Any]:
        """For JSON: shares as shares, and the sentences."""
        from dataclasses import asdict

        return {
            "effect": self.effect,
            **asdict(self.setting),
            "agreement": self.setting.agreed() if self.setting.kind == "paired" else None,
            "plans": [_row(plan) for plan in self.plans],
            "sentences": [*self.sentences(), self.assumed()],
        }

    def to_polars(self) -> pl.DataFrame:
        """A row a plan: plan, firms, documents, in_all, detectable, power."""
        import polars as pl

        kinds = dict.fromkeys(("firms", "documents", "in_all"), pl.Int64)
        shares = dict.fromkeys(("detectable", "power"), pl.Float64)
        return pl.DataFrame(
            [_row(plan) for plan in self.plans], schema={"plan": pl.String, **kinds, **shares}
        )

    def to_pandas(self) -> pd.DataFrame:
        """The same for pandas; whole numbers are ``Int64``, which may be missing.

        Raises:
            MissingExtra: pandas or pyarrow is not installed.
        """
        from neuter.reports.pandas_frames import pandas_of

        return pandas_of(self.to_polars(), nullable=("firms", "documents", "in_all"))

    def table(self) -> Table:
        """The plans, for a terminal of 80 columns."""
        from rich.table import Table

        table = Table("sample")
        wanted = f"power for\n{_points(self.effect)}"
        for head in ("firms", "documents\na firm", "documents\nin all", "finds\n(points)", wanted):
            table.add_column(head, justify="right")
        for plan in self.plans:
            table.add_row(
                plan.name,
                _number(plan.firms, "too many"),
                _number(plan.documents, "no number"),
                _number(plan.in_all),
                "—" if plan.detectable is None else _points(plan.detectable).removesuffix(" points"),
                "—" if plan.power is None else f"{plan.power:.0%}",
            )
        return table

    def __str__(self) -> str:
        return "\n".join((*self.sentences(), self.assumed()))

    def _repr_html_(self) -> str:
        """For a notebook; every word of it is ours, so nothing needs escaping."""
        head = "".join(f"<th>{name}</th>" for name in _row(self.given))
        rows = (
            "".join(f"<td>{'—' if cell is None else cell}</td>" for cell in _row(plan).values())
            for plan in self.plans
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        said = "".join(f"<p>{line}</p>" for line in str(self).splitlines())
        return f"{said}<table><tr>{head}</tr>{body}</table>"


def power(
    *,
    firms: int,
    documents: int = 1,
    effect: float,
    kind: Kind = "paired",
    accuracy: float = 0.5,
    correlation: float | None = None,
    agreement: float | None = None,
    power: float = 0.8,
    level: float = 0.05,
) -> Power:
    """What a sample can show, and what it takes to show a difference of ``effect``.

    Args:
        firms: how many; at least 2.
        documents: of each firm.
        effect: the difference to be found, as a share: 0.05 is 5 percentage points.
        kind: ``paired``, two schemes (or models) on the same documents; ``unpaired``, on documents of different
            firms; ``baseline``, one accuracy against a known figure.
        accuracy: halfway between the two, or the one that is held against the baseline.
        correlation: within a firm; by default 0.25, near what Table 7 of The Memorization Problem gives for years.
        agreement: of the two schemes, where paired; by default halfway from chance to 1.
        power: the chance of finding the difference.
        level: of the two-sided test.

    Raises:
        UsageError: a share that is none (5 for 0.05), less than two firms, or figures that cannot be together.

    >>> import neuter
    >>> neuter.power(firms=50, documents=8, effect=0.05).plans[2].firms
    270
    """
    from neuter.scoring import power as sizing

    within = sizing.CORRELATION if correlation is None else correlation
    _check_correlation(within)
    setting = sizing.Setting(kind, accuracy, within, agreement, power, level)
    samples: list[tuple[str, int | None, int | None]] = [
        ("as given", firms, documents),
        ("same firms", firms, sizing.documents_needed(effect, firms, setting)),
        ("same documents", sizing.firms_needed(effect, documents, setting), documents),
    ]
    if documents > 1:
        samples.append(("one document each", sizing.firms_needed(effect, 1, setting), 1))
    return Power(effect, setting, tuple(_plan(*sample, effect, setting) for sample in samples))


def _check_correlation(value: float) -> None:
    """Refuse a correlation out of bounds: unlike a share, nobody means it in percent.

    Raises:
        UsageError: it does not lie within 0 and 1.
    """
    if not 0 <= value <= 1:
        raise UsageError(
            f"correlation is {value:g}",
            todo="It lies within 0 and 1. At 1 all documents of a firm are the same",
        )


def _plan(name: str, firms: int | None, documents: int | None, effect: float, setting: Setting) -> Plan:
    from neuter.scoring.power import achieved_power, detectable_effect

    if firms is None or documents is None:
        return Plan(name, firms, documents, None, None)
    found = detectable_effect(firms, documents, setting)
    return Plan(name, firms, documents, found, achieved_power(effect, firms, documents, setting))


def _row(plan: Plan) -> dict[str, Any]:
    return {
        "plan": plan.name,
        "firms": plan.firms,
        "documents": plan.documents,
        "in_all": plan.in_all,
        "detectable": plan.detectable,
        "power": plan.power,
    }


def _points(share: float) -> str:
    """A share as percentage points, rounded up: what is said to be found is found."""
    points = 100 * share
    digits = 1 if points >= 0.1 else int(1 - math.floor(math.log10(points)))
    rounded = float(math.ceil(points * 10.0**digits - 1e-6)) / 10.0**digits
    return f"{rounded:.{digits}f} points"


def _many(number: int | None, what: str) -> str:
    return f"{_number(number)} {what}{'' if number == 1 else 's'}"


def _needed(plan: Plan) -> str:
    if plan.in_all is None:
        return "more than a thousand million firms"
    return f"{_many(plan.firms, 'firm')} of {_many(plan.documents, 'document')} ({plan.in_all:,} in all)"


def _number(value: int | None, none: str = "—") -> str:
    return none if value is None else f"{value:,}"
