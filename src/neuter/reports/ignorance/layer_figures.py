"""Figures 2 to 5 of Simulated Ignorance Fails from a run's scores: the three layers of interventions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from neuter.questions.schema import DOMAINS
from neuter.reports.figure_drawing import LOOKS
from neuter.reports.ignorance.about_run import GROUPS
from neuter.reports.ignorance.drawing import (
    CONTROL,
    GREY,
    GROUP_LOOKS,
    SIMULATED,
    TRUE,
    Marks,
    Source,
    between,
    canvas,
    has_published,
    in_rows,
    legend,
)
from neuter.reports.ignorance.layer_tables import domains_of
from neuter.reports.ignorance.score_lookup import Row
from neuter.reports.wording import number, one_line
from neuter.suites.ignorance.published import published_ignorance

#: The three conditions of Figures 1 and 2: label, condition, split, colour and shape.
THREE = (
    ("control: pre, G1", "G1", "pre", CONTROL),
    ("SI: pre, G1′", "G1′", "pre", SIMULATED),
    ("TI: post, G1′", "G1′", "post", TRUE),
)
_ROW_INCHES = 0.52
#: The two parts of a bar in Figure 2B.
_PARTS = (
    Patch(color=CONTROL[0], label="B: closed by the instruction"),
    Patch(facecolor=SIMULATED[0], hatch="///", alpha=0.75, label="B: remaining"),
)


def figure_2(source: Source) -> Figure | None:
    """A: Brier by model under three conditions; B: how much of the gap the instruction closes, by domain."""
    whose, parts = source.run.whose, _domain_parts(source)
    marks = _three(source, whose)
    if not any(one.any for one in marks):
        return None
    height = _ROW_INCHES * max(len(whose), len(parts), 2) + 1.4
    figure, axes = canvas(2, height)
    titles = [source.run.title(one) for one in whose]
    titles += [published_ignorance().mean_of] if source.run.whole else []
    in_rows(axes[0], titles, marks, "A: Brier score by model")
    axes[0].axvline(0.25, color=GREY, linewidth=0.9, linestyle=":")
    axes[0].set_xlabel("Brier score (dotted: always one half)")
    _decomposed(axes[1], parts, source.run.whole_title)
    published = published_ignorance().mean_of if has_published(marks) else ""
    legend(figure, marks, published=published, more=_PARTS if parts else ())
    return figure


def _three(source: Source, whose: Sequence[str]) -> list[Marks]:
    paper = published_ignorance()
    made = []
    for label, condition, split, look in THREE:
        at = {"condition": condition, "split": split}
        found = paper.figure("fixed", "brier", **at)
        value = found.value if found else None
        theirs = [None if one else value for one in whose]
        # Without a mean over models there is no row for the paper's: it has its own.
        theirs += [value] if source.run.whole else []
        rows = [source.scores.row("brier", **at, model=one) for one in whose]
        made.append(Marks(label, look, rows, theirs))
    return made


def _domain_parts(source: Source) -> list[tuple[str, float, float, Row | None]]:
    """Of each domain, and of all: the Brier points that the instruction closes, those that remain, and the share."""
    found = []
    every: list[tuple[str, dict[str, str]]] = [("All", {})]
    places = every + [
        (DOMAINS.get(one, one_line(one)), {"group_by": "domain", "group": one})
        for one in domains_of(source.scores, source.run)
    ]
    for title, place in places:
        at = {**place, "model": source.run.whole}
        plain, told, after = (
            source.scores.value("brier", **at, condition=condition, split=split)
            for _, condition, split, _ in THREE
        )
        if plain is not None and told is not None and after is not None:
            found.append(
                (title, told - plain, after - told, source.scores.row("gap_closed", **at, condition="G1′"))
            )
    return found


def _decomposed(axis: Axes, parts: Sequence[tuple[str, float, float, Row | None]], whose: str) -> None:
    """Bars that begin where the last ended: closed, then what remains."""
    axis.set_title(f"B: the gap by domain, {whose}", fontsize=9, loc="left")
    for place, (_, closed, remaining, share) in enumerate(parts):
        axis.barh(place, closed, height=0.55, color=CONTROL[0])
        axis.barh(place, remaining, left=closed, height=0.55, color=SIMULATED[0], hatch="///", alpha=0.75)
        end = max(0.0, closed, closed + remaining)
        axis.annotate(
            _share(share), (end, place), (5, 0), textcoords="offset points", fontsize=7.5, va="center"
        )
    axis.axvline(0, color=GREY, linewidth=0.9)
    axis.set_yticks(range(len(parts)), labels=[title for title, *_ in parts])
    axis.set_ylim(len(parts) - 0.5, -0.5)
    axis.margins(x=0.22)
    axis.tick_params(axis="y", length=0)
    axis.set_xlabel("Brier points (post G1′ less pre G1)")


def _share(row: Row | None) -> str:
    return "" if row is None or row["value"] is None else f"{number(100 * row['value'], places=0)}% closed"


def figure_3(source: Source) -> Figure | None:
    """Direct against chain of thought, before and after the cutoff; A without the instruction, B with it."""
    drawn = []
    for letter, ticks, what in (("A", ("G1", "G2"), "without"), ("B", ("G1′", "G2′"), "with")):
        marks = [
            Marks(label, look, [_whole(source, "brier", condition=name, split=split) for name in ticks])
            for label, split, look in (("pre-cutoff", "pre", SIMULATED), ("post-cutoff", "post", TRUE))
        ]
        if any(one.any for one in marks):
            drawn.append((f"{letter}: {what} the cutoff instruction", ticks, marks))
    if not drawn:
        return None
    figure, axes = canvas(len(drawn), 3.4)
    for axis, (title, ticks, marks) in zip(axes, drawn, strict=True):
        between(axis, [f"direct ({ticks[0]})", f"chain of thought ({ticks[1]})"], marks, title)
        axis.set_ylabel(f"Brier score, {source.run.whole_title}", fontsize=8)
    _same_scale(axes)
    legend(figure, drawn[0][2])
    return figure


def _whole(source: Source, metric: str, **place: str) -> Row | None:
    return source.scores.row(metric, model=source.run.whole, **place)


def _same_scale(axes: Sequence[Axes]) -> None:
    low, high = min(axis.get_ylim()[0] for axis in axes), max(axis.get_ylim()[1] for axis in axes)
    for axis in axes:
        axis.set_ylim(min(low, 0), high)


def figure_4(source: Source) -> Figure | None:
    """A: what the instruction costs on pre-cutoff questions; B: the audit of the traces without and with it."""
    whose = source.run.whose
    costs = [
        Marks(
            label,
            look,
            [source.scores.row("cutoff_penalty", condition=c, split="pre", model=m) for m in whose],
        )
        for label, c, look in (
            ("A: direct (G1′ less G1)", "G1′", LOOKS[0]),
            ("A: chain of thought (G2′ less G2)", "G2′", LOOKS[4]),
        )
    ]
    titles, audits = _audits(source)
    if not any(one.any for one in [*costs, *audits]):
        return None
    figure, axes = canvas(2, _ROW_INCHES * max(len(whose), 3) + 1.5)
    in_rows(
        axes[0], [source.run.title(one) for one in whose], costs, "A: cutoff penalty, pre-cutoff", zero=True
    )
    axes[0].set_xlabel("Brier points (above 0: worse when told)")
    if titles:
        in_rows(axes[1], titles, audits, "B: trace audit, pre-cutoff")
        axes[1].set_xlabel("% of traces")
    else:
        axes[1].set_visible(False)
    legend(figure, [*costs, *(audits if titles else ())])
    return figure


#: The groups as Table 1 abbreviates them.
_SHORT = {"reasoning": "R", "non_reasoning": "NR"}
_AUDITED = (
    ("Logic (judge)", "logic_consistency", "judge"),
    ("Clean (judge)", "cutoff_compliance", "judge"),
    ("Clean (rule)", "cutoff_compliance", "rule"),
)


def _audits(source: Source) -> tuple[list[str], list[Marks]]:
    """Rows of the audit that there are; where no mean over models was scored, by group of models."""
    rows: list[tuple[str, Mapping[str, str]]] = []
    for title, metric, attacker in _AUDITED:
        place = {"metric": metric, "panel": "traces", "attacker": attacker, "split": "pre"}
        own = {**place, "model": source.run.whole, "group_by": "all", "group": "all"}
        if source.scores.having(**own):
            rows.append((title, own))
            continue
        rows += [
            (f"{title}, {_SHORT[group]}", {**place, "model": "", "group_by": "model_group", "group": group})
            for group in GROUPS
            if source.scores.having(**place, model="", group=group)
        ]
    marks = [
        Marks(
            f"B: {name}",
            look,
            [next(iter(source.scores.having(**at, condition=name)), None) for _, at in rows],
        )
        for name, look in (("G2", CONTROL), ("G2′", SIMULATED))
    ]
    return [title for title, _ in rows], marks


def figure_5(source: Source) -> Figure | None:
    """A: Brier by condition for each group of models; B: their SI-TI gaps."""
    groups = [one for one in GROUPS if source.scores.having(panel="fixed", group_by="model_group", group=one)]
    places = [(name, split) for name in source.run.conditions for split in ("pre", "post")]
    if len(groups) < 2:
        return None
    levels = [
        Marks(GROUPS[one], GROUP_LOOKS[one], [_of_group(source, "brier", one, c, s) for c, s in places])
        for one in groups
    ]
    told = source.run.told or source.run.conditions
    gaps = [
        Marks(
            GROUPS[one],
            GROUP_LOOKS[one],
            [_of_group(source, "si_ti_gap", one, name, "all") for name in told],
            [_published_gap(one, name) for name in told],
        )
        for one in groups
    ]
    figure, axes = canvas(2, _ROW_INCHES * max(len(places), 3) + 1.2)
    in_rows(axes[0], [f"{name}, {split}" for name, split in places], levels, "A: Brier score by condition")
    axes[0].set_xlabel("Brier score")
    in_rows(axes[1], [f"gap under {name}" for name in told], gaps, "B: SI-TI gap", zero=True)
    axes[1].set_xlabel("Brier points")
    legend(figure, levels, published="paper (3 and 6 models)" if has_published(gaps) else "")
    return figure


def _of_group(source: Source, metric: str, group: str, condition: str, split: str) -> Row | None:
    return source.scores.row(metric, condition=condition, split=split, group_by="model_group", group=group)


def _published_gap(group: str, condition: str) -> float | None:
    place = {"condition": condition, "group_by": "model_group", "group": group}
    found = published_ignorance().figure("fixed", "si_ti_gap", **place)
    return found.value if found else None
