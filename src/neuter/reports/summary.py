"""The result of a run in a few sentences: what was masked, and how often the firm was found all the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neuter.reports.score_blocks import Block, Cell, blocks_of
from neuter.reports.wording import (
    READS_NOTHING,
    SMALL_MODEL,
    is_small_model,
    listing,
    measure,
    number,
    one_line,
    plural,
)

if TYPE_CHECKING:
    import polars as pl

    from neuter.reports.run_view import RunView

STATUS = {
    "done": "The run is complete.",
    "running": "The run was still going on when this report was made: its figures are not final.",
    "interrupted": "The run was interrupted: its figures are not final. The same command goes on from there.",
    "finished with failures": "The run finished, but some of it failed; see below what is missing and why.",
}
LOWER_BOUND = "An attacker that was not tried may find more: every figure here is a lower bound."


@dataclass(frozen=True, slots=True)
class Finding:
    """What the strongest attacker found under one scheme, over all documents."""

    scheme: str
    attacker: str
    metric: str
    value: str
    interval: str
    baseline: str
    n: int
    small_model: bool

    @property
    def sentence(self) -> str:
        """``linkage found the firm in 97.9% of 96 documents; the best constant guess would get 4.2%``."""
        what = "the firm" if self.metric == "firm_accuracy" else f"“{measure(self.metric).title.lower()}”"
        text = f"{self.attacker} found {what} in {self.value}% of {plural(self.n, 'document')}"
        text += f" (95% interval {self.interval})" if self.interval else ""
        text += f"; the best constant guess would get {self.baseline}%" if self.baseline else ""
        return text + (f". This embedded model {SMALL_MODEL}" if self.small_model else "")


def opening_sentence(run: Mapping[str, Any]) -> str:
    """What was masked, how, and who attacked it."""
    corpus = run.get("corpus") or {}
    schemes = _names(run, "schemes")
    attackers = _names(run, "attackers")
    source = one_line(str(corpus.get("name") or corpus.get("source") or "the corpus"))
    text = f"{plural(int(corpus.get('documents') or 0), 'document')} of {source}"
    if corpus.get("opening"):
        text += f" (the first {corpus['opening']:,} characters of each)"
    text += f" were masked with {plural(len(schemes), 'scheme')} ({listing(schemes)})"
    verb = "attacker" if len(attackers) == 1 else "attackers"
    return f"{text}, and {len(attackers)} {verb} ({listing(attackers)}) guessed from what was left."


def findings(scores: pl.DataFrame) -> list[Finding]:
    """For each scheme its strongest attacker: the one that named most firms (or years, where no firm is known).

    Attackers that read no text (``prior``, ``majority``) count only where no other ran.
    """
    every = blocks_of(scores, "all")
    blocks = [block for block in every if block.series.attacker not in READS_NOTHING] or every
    metric = _leading_metric(blocks)
    if metric is None:
        return []
    best: dict[str, tuple[Cell, Block]] = {}
    for block in blocks:
        cell = block.whole.cells.get(metric) if block.whole else None
        if cell is None or cell.value is None:
            continue
        known = best.get(block.series.scheme)
        if known is None or cell.value > (known[0].value or 0.0):
            best[block.series.scheme] = (cell, block)
    return [_finding(cell, block) for cell, block in best.values()]


def closing_sentence(found: Sequence[Finding]) -> str:
    """Which scheme let the strongest attacker find most, and which least."""
    if len(found) < 2:
        return LOWER_BOUND
    ordered = sorted(found, key=lambda item: float(item.value))
    least, most = ordered[0], ordered[-1]
    if least.value == most.value:
        return f"The schemes do not differ: {least.value}% each. {LOWER_BOUND}"
    text = f"Least was found under {least.scheme} ({least.value}%), most under {most.scheme} ({most.value}%)."
    return f"{text} {LOWER_BOUND}"


def _leading_metric(blocks: Sequence[Block]) -> str | None:
    present = {
        metric
        for block in blocks
        if block.whole
        for metric, cell in block.whole.cells.items()
        if cell.value is not None
    }
    return next((m for m in ("firm_accuracy", "year_accuracy", "industry_accuracy") if m in present), None)


def _finding(cell: Cell, block: Block) -> Finding:
    interval = ""
    if cell.low is not None and cell.high is not None:
        interval = f"{number(cell.low)} to {number(cell.high)}"
    return Finding(
        scheme=one_line(block.series.scheme),
        attacker=block.series.attacker_title,
        metric=cell.metric,
        value=number(cell.value),
        interval=interval,
        baseline="" if cell.baseline is None else number(cell.baseline),
        n=cell.n,
        small_model=is_small_model(block.series.model),
    )


def status_sentence(view: RunView) -> str:
    """How the run ended, in words."""
    status = str(view.run.get("status") or "")
    return STATUS.get(status, f"The run's status is “{one_line(status)}”." if status else "")


def _names(run: Mapping[str, Any], key: str) -> list[str]:
    items = run.get(key) or ()
    return [one_line(str(item.get("name") if isinstance(item, dict) else item)) for item in items]
