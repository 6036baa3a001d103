"""Figure 1 of Simulated Ignorance Fails of a run: a known and an unknown question under the three conditions."""

from __future__ import annotations

import textwrap

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from neuter.reports.ignorance.case_pairs import Case, CasePair, case_pairs
from neuter.reports.ignorance.drawing import GREY, Marks, Source, canvas, has_published, in_rows, legend
from neuter.reports.ignorance.layer_figures import THREE
from neuter.reports.ignorance.run_frames import averaged_forecasts, read_forecasts
from neuter.reports.ignorance.score_lookup import Row
from neuter.reports.wording import visible
from neuter.suites.ignorance.published import published_ignorance

_TITLES = ("Control: pre, G1", "SI: pre, G1′", "TI: post, G1′")


def figure_1(source: Source) -> Figure | None:
    """Left: forecasts of two like questions, chosen by rule; right: the means over all, the paper's beside."""
    if "G1′" not in source.run.conditions:
        return None
    paper, marks = published_ignorance(), []
    for place, (label, condition, split, look) in enumerate(THREE):
        at = {"condition": condition, "split": split}
        found = paper.figure("fixed", "brier", **at)
        rows: list[Row | None] = [None, None, None]
        rows[place] = source.scores.row("brier", model=source.run.whole, **at)
        theirs = [found.value if found and k == place else None for k in range(3)]
        marks.append(Marks(label, look, rows, theirs))
    if not any(one.any for one in marks):
        return None
    pair = next(iter(case_pairs(source.folder, source.run, "G1′", most=1)), None)
    figure, axes = canvas(2, 3.6, ratios=(1.25, 1))
    _example(axes[0], pair, source)
    in_rows(axes[1], _TITLES, marks, apart=False, title=f"B: mean Brier score, {source.run.whole_title}")
    axes[1].axvline(0.25, color=GREY, linewidth=0.9, linestyle=":")
    axes[1].set_xlabel("Brier score (dotted: always one half)")
    legend(figure, marks, published=paper.mean_of if has_published(marks) else "")
    return figure


def _example(axis: Axes, pair: CasePair | None, source: Source) -> None:
    axis.set_xlim(-0.03, 1.03)
    axis.set_ylim(2.55, -0.85)
    axis.set_yticks(range(3), labels=_TITLES)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color="#808080", alpha=0.3, linewidth=0.6)
    if pair is None:
        axis.set_title("A: no pair of like questions fits the rule", fontsize=9, loc="left")
        return
    axis.set_title(
        f"A: two like questions as {source.run.title(pair.pre.model)} forecast them", fontsize=9, loc="left"
    )
    forecasts = (_control(pair.pre, source), pair.pre.forecast, pair.post.forecast)
    for place, (said, case) in enumerate(zip(forecasts, (pair.pre, pair.pre, pair.post), strict=True)):
        if said is not None:
            _forecast(axis, place, said, case, THREE[place][3])
    for place, case in ((0, pair.pre), (2, pair.post)):
        told = textwrap.fill(textwrap.shorten(visible(case.question), 110, placeholder=" …"), 62)
        axis.text(0.0, place - 0.28, told, fontsize=7, va="bottom", style="italic")
    axis.set_xlabel("forecast (hollow: the outcome)")


def _control(case: Case, source: Source) -> float | None:
    """The same model's forecast of the pre-cutoff question without the instruction."""
    forecasts = read_forecasts(source.folder)
    if forecasts is None:
        return None
    rows = averaged_forecasts(forecasts, "G1").filter(id=case.id, model=case.model)
    return float(rows["p"][0]) if rows.height else None


def _forecast(axis: Axes, place: int, said: float, case: Case, look: tuple[str, str]) -> None:
    colour, shape = look
    axis.plot([said, case.outcome], [place, place], color=colour, linewidth=1.4, linestyle=":")
    axis.plot([said], [place], color=colour, marker=shape, markersize=7, linestyle="")
    axis.plot(
        [case.outcome], [place], color=colour, marker="o", markersize=9, markerfacecolor="none", linestyle=""
    )
    told = f"p = {said:.2f}, Brier {(said - case.outcome) ** 2:.3f}"
    axis.annotate(
        told,
        (min(max((said + case.outcome) / 2, 0.14), 0.84), place),
        (0, -11),
        textcoords="offset points",
        fontsize=7.5,
        ha="center",
    )
