"""Which blocks and rows a run's table has: the paper's, and those that the run asked beyond them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from neuter.reports.recall.layouts import BlockLayout, Layouts, PanelLayout, TableLayout
from neuter.reports.recall.score_index import Place, ScoreIndex
from neuter.reports.wording import one_line

_CONDITIONS = ("none", "history", "news")
#: Splits that a table has where its layout names none; ``all`` is their sum.
_SPLITS = ("pre", "pre_fake", "post_fake", "post")


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """A row's title and where its figures are; ``lacking`` says why they are empty where they are."""

    title: str
    place: Place
    lacking: str = ""


@dataclass(frozen=True, slots=True)
class PlannedBlock:
    """``absent``: titles of the layout's rows about which nothing was asked."""

    title: str
    rows: tuple[PlannedRow, ...]
    ours: bool = False
    absent: tuple[str, ...] = ()


def panels_of(table: TableLayout, index: ScoreIndex, known: Layouts) -> list[PanelLayout]:
    """The layout's panels, and one more for each context that the run has and the paper's table has not."""
    if table.kind == "beyond":
        return list(table.panels)
    whole = [replace(panel, blocks=tuple(_with_recent(panel))) for panel in table.panels]
    theirs = {(block.panel, block.condition) for panel in whole for block in panel.blocks}
    more = [made for panel in whole for made in _other_contexts(panel, theirs, index, known)]
    return [*whole, *more]


def blocks_of(panel: PanelLayout, index: ScoreIndex, model: str, known: Layouts) -> Iterator[PlannedBlock]:
    """The panel's blocks for one model; those about which nothing was asked have no rows."""
    for block in panel.blocks:
        places = [place for place in _places(block, index) if index.at(place, model)]
        if block.condition or block.series:
            yield _of_the_paper(block, places, panel, known)
        else:
            yield from _of_everything(block, places, known)


def label_of(series: str, known: Layouts, own: dict[str, str] | None = None) -> str:
    """How the paper calls a series; one that it has not keeps its name."""
    return (own or {}).get(series) or known.labels.get(series) or one_line(series)


def _with_recent(panel: PanelLayout) -> Iterator[BlockLayout]:
    """The panel's blocks, each pre-cutoff one followed by its recent part unless the layout has that already."""
    present = {(block.panel, block.condition, block.split) for block in panel.blocks}
    for block in panel.blocks:
        yield block
        if block.split == "pre" and (block.panel, block.condition, "recent") not in present:
            yield _recent_of(block)


def _recent_of(block: BlockLayout) -> BlockLayout:
    if block.label:
        return replace(block, split="recent", label="Recent period", ours=True)
    title = block.title.replace("Pre-cutoff", "Recent period")
    told = ", ".join(filter(None, [title, "recent period" if title else "Recent period"]))
    return replace(block, split="recent", title=title if title != block.title else told, ours=True)


def _other_contexts(
    panel: PanelLayout, theirs: set[tuple[str, str]], index: ScoreIndex, known: Layouts
) -> Iterator[PanelLayout]:
    plain = [block for block in panel.blocks if block.condition == "none"]
    asked = {place.condition for block in plain for place in index.places(block.panel)}
    for condition in (name for name in _CONDITIONS if name in asked):
        blocks = [
            replace(block, condition=condition, ours=True)
            for block in plain
            if (block.panel, condition) not in theirs
        ]
        if blocks:
            title = ", ".join(filter(None, [panel.title, known.conditions.get(condition, condition)]))
            yield replace(panel, title=title, blocks=tuple(blocks), ours=True)


def _places(block: BlockLayout, index: ScoreIndex) -> list[Place]:
    """The places of the scores that a block is about."""
    splits = block.splits or ((block.split,) if block.split else ())
    return [
        place
        for place in index.places(block.panel)
        if block.condition in ("", place.condition) and (not splits or place.split in splits)
    ]


def _of_the_paper(
    block: BlockLayout, places: Iterable[Place], panel: PanelLayout, known: Layouts
) -> PlannedBlock:
    """The layout's series in its order, then others that were asked."""
    found = {place.series: place for place in places}
    order = [*block.series, *(series for series in found if series not in block.series)]
    titles = {series: _title(series, block, panel, known) for series in order}
    rows = tuple(PlannedRow(titles[name], found[name], block.lacking) for name in order if name in found)
    absent = tuple(titles[name] for name in block.series if name not in found)
    return PlannedBlock(block.title, rows, block.ours or panel.ours, absent)


def _title(series: str, block: BlockLayout, panel: PanelLayout, known: Layouts) -> str:
    name = label_of(series, known, dict(panel.labels))
    return block.label.replace("{}", name) if block.label else name


def _of_everything(block: BlockLayout, places: Iterable[Place], known: Layouts) -> Iterator[PlannedBlock]:
    """A block for each condition and split, with all series that it has."""
    splits = block.splits or _SPLITS
    # Series of the paper in its order; others as the scores have them; the pooled one comes last.
    order = {series: place for place, series in enumerate(known.labels) if series != "all"}
    order["all"] = len(order) + 1
    grouped: dict[tuple[str, str], list[Place]] = {
        (condition, split): [] for condition in _CONDITIONS for split in splits
    }
    for place in places:
        if place.split in splits:
            grouped.setdefault((place.condition, place.split), []).append(place)
    for (condition, split), found in grouped.items():
        title = [known.panels.get(block.panel, block.panel), known.conditions.get(condition, condition)]
        words = " ".join(filter(None, title))
        when = "" if split == "all" else f": {known.splits.get(split, split)}"
        ordered = sorted(found, key=lambda place: order.get(place.series, len(order)))
        rows = tuple(PlannedRow(label_of(place.series, known), place) for place in ordered)
        yield PlannedBlock(f"{words}{when}", rows, ours=True)
