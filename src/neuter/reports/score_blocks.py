"""The tidy scores table read as blocks: one for each scheme and attacker, with a row for each group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from neuter.errors import RunError, UsageError
from neuter.reports.wording import LOST, firm_name, is_small_model, one_line, slug

if TYPE_CHECKING:
    import polars as pl

SIZES = ("Large", "Mid", "Small")
GROUPINGS = ("all", "size", "firm", "sector", "domain", "year")
_NEEDED = ("scheme", "attacker", "model", "group_by", "group", "metric", "value", "n")


@dataclass(frozen=True, slots=True)
class Series:
    """Whose guesses a block is about."""

    scheme: str
    attacker: str
    model: str | None = None
    condition: str | None = None

    @property
    def model_title(self) -> str:
        """The model, with a dagger where it knows little finance, and the condition; empty without either."""
        mark = " †" if is_small_model(self.model) else ""
        parts = [f"{self.model}{mark}" if self.model else "", self.condition or ""]
        return one_line(", ".join(filter(None, parts)))

    @property
    def attacker_title(self) -> str:
        """``linkage``, or ``llm (openai/gpt-4o)``."""
        name = one_line(self.attacker) or ("model" if self.model_title else "")
        return f"{name} ({self.model_title})" if self.model_title else name

    @property
    def title(self) -> str:
        """``rules · linkage``; what is left open stands for all."""
        return " · ".join(filter(None, (one_line(self.scheme) or "every scheme", self.attacker_title)))

    @property
    def file_name(self) -> str:
        parts = (self.scheme, self.attacker, self.model, self.condition)
        return "--".join(slug(part) for part in parts if part)


@dataclass(frozen=True, slots=True)
class Cell:
    """One row of the scores table: a value with its interval, its baseline and what it is over."""

    metric: str
    unit: str
    value: float | None
    low: float | None
    high: float | None
    baseline: float | None
    published: float | None
    n: int
    lost: Mapping[str, int]

    @property
    def asked(self) -> int:
        return self.n + sum(self.lost.values())


@dataclass(frozen=True, slots=True)
class Row:
    """A group (All, Large, a firm …) with its cells by metric. ``title`` is the group in readable words."""

    group_by: str
    group: str
    title: str
    cells: Mapping[str, Cell]

    @property
    def n(self) -> int:
        """Over how many documents the row's own values are (those of the variants _low and _high are over all)."""
        return max((cell.n for metric, cell in self.cells.items() if not _is_variant(metric)), default=0)

    @property
    def lost(self) -> Mapping[str, int]:
        """How many guesses are missing, by outcome, where any are.

        An industry that no list knows counts as unparsed in its own rows alone: that guess is not missing.
        """
        cells = [cell for metric, cell in self.cells.items() if not metric.startswith("industry_")]
        counts = {name: max((cell.lost[name] for cell in cells), default=0) for name in LOST}
        return {name: count for name, count in counts.items() if count}

    def span(self, metric: str) -> tuple[float, float] | None:
        """``metric`` with all failures counted wrong, and with all counted right, if they make a difference."""
        low, high = self.cells.get(f"{metric}_low"), self.cells.get(f"{metric}_high")
        if low is None or high is None or low.value is None or high.value is None:
            return None
        return (low.value, high.value) if low.value != high.value else None


@dataclass(frozen=True, slots=True)
class Block:
    """What one attacker found under one scheme: the row over all documents first, then the groups."""

    series: Series
    rows: tuple[Row, ...]

    @property
    def whole(self) -> Row | None:
        return next((row for row in self.rows if row.group_by == "all"), None)


#: Attackers that read no text: their figures are the same under every scheme.
_READ_NO_TEXT = frozenset({"prior", "majority"})


def once(blocks: Iterable[Block]) -> list[Block]:
    """The blocks, those of a baseline that are the same under every scheme told once, for every scheme."""
    kept: list[Block] = []
    places: dict[tuple[str, str | None, str | None], list[int]] = {}
    for block in blocks:
        if block.series.attacker not in _READ_NO_TEXT:
            kept.append(block)
            continue
        own = places.setdefault((block.series.attacker, block.series.model, block.series.condition), [])
        alike = next((k for k in own if kept[k].rows == block.rows), None)
        if alike is None:
            own.append(len(kept))
            kept.append(block)
        else:
            kept[alike] = Block(replace(block.series, scheme=""), block.rows)
    return kept


def blocks_of(scores: pl.DataFrame, by: str = "size", panel: str | None = None) -> list[Block]:
    """The blocks of ``scores`` in the order of the frame, each with the row All and the groups of ``by``.

    ``panel`` is one of a table's panels; None stands for all documents: of a table whose Panel A is about a few firms,
    everything but that panel (unless it is all there is).

    Raises:
        UsageError: ``by`` is no grouping.
        RunError: columns of the tidy scores table are missing.
    """
    if by not in GROUPINGS:
        raise UsageError(f"no grouping {by!r}", todo=f"choose one of: {', '.join(GROUPINGS)}")
    check_columns(scores)
    found: dict[Series, dict[tuple[str, str], dict[str, Cell]]] = {}
    for raw in _wanted(scores, by, panel).iter_rows(named=True):
        cell = _cell(raw)
        group = "All" if raw["group_by"] == "all" else str(raw["group"])
        rows = found.setdefault(series_of(raw), {})
        rows.setdefault((raw["group_by"], group), {})[cell.metric] = cell
    return [Block(series, _rows(groups)) for series, groups in found.items()]


def _wanted(scores: pl.DataFrame, by: str, panel: str | None) -> pl.DataFrame:
    """The rows of all documents and of the groups of ``by``, over the whole period, of the panels that are wanted."""
    import polars as pl

    rows = scores.filter(pl.col("group_by").is_in(["all", by]))
    if "split" in rows.columns:
        rows = rows.filter(pl.col("split").fill_null("").is_in(["", "all"]))
    if "panel" in rows.columns:
        rows = rows.filter(pl.col("panel").fill_null("").is_in(list(_panels(scores, panel))))
    return rows


def _panels(scores: pl.DataFrame, panel: str | None) -> set[str]:
    """The values of the column ``panel`` whose rows are wanted."""
    if panel is not None:
        return {panel}
    present = set(scores["panel"].fill_null("")) if "panel" in scores.columns else {""}
    return present - {"A"} or present


def check_columns(scores: pl.DataFrame, needed: Sequence[str] = _NEEDED) -> None:
    """Raise RunError unless ``scores`` has the columns of the tidy scores table that are needed."""
    missing = [name for name in needed if name not in scores.columns]
    if missing:
        raise RunError(
            f"the scores table lacks {', '.join(missing)}",
            where="scores.parquet",
            todo="Is it a run of neuter? Make it again with: neuter report rescore RUN",
        )


def metrics_in(blocks: Sequence[Block]) -> list[str]:
    """Every metric that the blocks hold, in order, leaving out variants (_all, _low, _high and what chance gives)."""
    seen = {metric: None for block in blocks for row in block.rows for metric in row.cells}
    return [metric for metric in seen if not _is_variant(metric)]


def _is_variant(metric: str) -> bool:
    return metric.endswith(("_all", "_low", "_high", "_uniform", "_permutation"))


def series_of(raw: Mapping[str, Any]) -> Series:
    """Whose a row of the scores, or of run.json's lists, is."""
    condition = raw.get("condition")
    return Series(
        str(raw.get("scheme") or ""),
        str(raw.get("attacker") or ""),
        raw.get("model") or None,
        None if condition in (None, "", "none") else condition,
    )


def _cell(raw: Mapping[str, Any]) -> Cell:
    return Cell(
        metric=raw["metric"],
        unit=raw.get("unit") or "percent",
        value=raw["value"],
        low=raw.get("ci_low"),
        high=raw.get("ci_high"),
        baseline=raw.get("baseline"),
        published=raw.get("published"),
        n=raw["n"] or 0,
        lost={name: raw.get(name) or 0 for name in LOST},
    )


def _rows(groups: Mapping[tuple[str, str], Mapping[str, Cell]]) -> tuple[Row, ...]:
    rows = [Row(by, group, _title(by, group), cells) for (by, group), cells in groups.items()]
    return tuple(sorted(rows, key=_place))


def _title(by: str, group: str) -> str:
    return firm_name(group) if by == "firm" else one_line(group)


def _place(row: Row) -> tuple[bool, int]:
    """All comes first, sizes from large to small; everything else stays in the frame's order (sort is stable)."""
    return (row.group_by != "all", SIZES.index(row.group) if row.group in SIZES else len(SIZES))
