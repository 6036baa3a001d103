"""LaTeX tables (booktabs) in the layout of Table 7 of The Memorization Problem: by firm, and by size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.reports.score_blocks import Block, Row, Series, blocks_of
from neuter.reports.table_notes import caveat_lines, caveats_by_series
from neuter.reports.wording import MINUS, SMALL_MODEL, is_small_model, measure, number, one_line
from neuter.whole_files import write_whole

if TYPE_CHECKING:
    import polars as pl

#: The columns of Table 7, in its order, with its headings.
COLUMNS = {
    "mean_years_difference": "Mean Years Difference",
    "mean_absolute_years_difference": "Mean Absolute Years Difference",
    "year_accuracy": r"Year Accuracy (\%)",
    "quarter_year_accuracy": r"Quarter and Year Accuracy (\%)",
    "firm_accuracy": r"Firm Accuracy (\%)",
}
#: As many firms as fit on a page beside Panel B.
_FIRMS = 30
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "†": r"\textdagger{}",
    "–": "--",
    MINUS: "$-$",
    "′": "$'$",
    "Δ": r"$\Delta$",
    "κ": r"$\kappa$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
} | {char: f"\\{char}" for char in "&%$#_{}"}


def escape(text: str) -> str:
    """``text`` as LaTeX shows it: every special character escaped, control characters made visible.

    >>> escape("R&D_50% of $1 {x}")
    'R\\\\&D\\\\_50\\\\% of \\\\$1 \\\\{x\\\\}'
    """
    return "".join(_SPECIAL.get(char, char) for char in one_line(text))


def escape_number(text: str) -> str:
    """A number's text with its minus as mathematics.

    >>> escape_number("−0.50"), escape_number("97.9"), escape_number("--")
    ('$-0.50$', '97.9', '--')
    """
    return f"$-{text[1:]}$" if text.startswith(MINUS) else text


def stacked(title: str) -> str:
    """A heading in two lines, broken at the space nearest to its middle."""
    spaces = [place for place, char in enumerate(title) if char == " "]
    if not spaces:
        return escape(title)
    middle = min(spaces, key=lambda place: abs(place - len(title) / 2))
    return rf"{escape(title[:middle])}\\{escape(title[middle + 1 :])}"


def below(told: Iterable[str]) -> str:
    """What stands below a table, small, a paragraph each; the texts are LaTeX already."""
    head = ["", r"\vspace{0.5ex}", r"\begin{minipage}{\linewidth}\footnotesize"]
    return "\n".join([*head, *(rf"{text}\par" for text in told), r"\end{minipage}"])


def to_latex(
    scores: pl.DataFrame,
    *,
    firms: Sequence[str] | None = None,
    caveats: Iterable[Mapping[str, Any]] = (),
) -> dict[str, str]:
    """One table for each scheme and attacker, by file name without its ending.

    Args:
        scores: the tidy scores table.
        firms: groups of Panel A, in this order; where None all firms, or the 30 with most documents.
        caveats: of run.json; those of the figures shown stand below each table.

    Differences are guessed minus true years; accuracies are in percent of answered documents.
    Needs ``\\usepackage{booktabs}``.

    Raises:
        RunError: columns of the tidy scores table are missing.
    """
    by_firm = {block.series: block for block in blocks_of(scores, "firm")}
    told = caveats_by_series(caveats)
    return {
        block.series.file_name: _table(block, by_firm.get(block.series), firms, told.get(block.series, ()))
        for block in blocks_of(scores, "size")
    }


def write_latex(scores: pl.DataFrame, folder: Path, run: Mapping[str, Any] | None = None) -> list[Path]:
    """Write the tables of :func:`to_latex` into ``folder``, and of the suite ``masking`` its Table 7 instead.

    ``run`` is the run.json. Raises RunError where a file cannot be written.
    """
    paths = []
    for name, text in _texts(scores, run or {}).items():
        path = folder / f"{name}.tex"
        write_whole(path, text)
        paths.append(path)
    return paths


def _texts(scores: pl.DataFrame, run: Mapping[str, Any]) -> dict[str, str]:
    if run.get("suite") != "masking":
        return to_latex(scores, caveats=run.get("caveats") or ())
    from neuter.reports.table_7 import tables_of
    from neuter.reports.table_7_latex import latex_of

    return latex_of(tables_of(scores, run, reading="all"))


def _table(
    sizes: Block,
    by_firm: Block | None,
    firms: Sequence[str] | None,
    caveats: Sequence[Mapping[str, Any]],
) -> str:
    chosen, left_out = _panel_a(by_firm, firms)
    whole = [row for row in sizes.rows if row.group_by == "all"]
    by_size = [row for row in sizes.rows if row.group_by != "all"]
    panels = [("Firms", "Firm", chosen)] if chosen else []
    panels.append(("Firms by Market Cap", "Size", [*by_size, *whole]))
    lines = [
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{_caption(sizes.series)}}}",
        rf"\label{{tab:{sizes.series.file_name}}}",
        r"\small",
        r"\begin{tabular}{l" + "r" * (len(COLUMNS) + 1) + "}",
        r"\toprule",
    ]
    for letter, (title, head, rows) in zip("AB", panels, strict=False):
        lines += [r"\addlinespace"] if letter == "B" else []
        lines += _panel(f"Panel {letter}: {title}", head, rows)
    lines += [
        r"\bottomrule",
        r"\end{tabular}",
        _note(sizes, left_out, _caveats(sizes, by_firm, caveats)),
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _panel_a(block: Block | None, firms: Sequence[str] | None) -> tuple[list[Row], int]:
    """The rows of Panel A and how many firms it leaves out."""
    rows = [row for row in block.rows if row.group_by == "firm"] if block else []
    if firms is not None:
        known = {row.group: row for row in rows}
        return [known[firm] for firm in firms if firm in known], 0
    most = set(sorted(range(len(rows)), key=lambda place: -rows[place].n)[:_FIRMS])
    return [row for place, row in enumerate(rows) if place in most], len(rows) - len(most)


def _panel(title: str, head: str, rows: Sequence[Row]) -> list[str]:
    wide = len(COLUMNS) + 2
    heads = [head, *(rf"\shortstack{{{_stacked(name)}}}" for name in COLUMNS.values()), "Num Obs"]
    lines = [
        rf"\multicolumn{{{wide}}}{{l}}{{\textit{{{title}}}}} \\",
        r"\midrule",
        " & ".join(heads) + r" \\",
        r"\midrule",
    ]
    for row in rows:
        if row.group_by == "all" and len(rows) > 1:
            lines.append(r"\midrule")
        lines.append(
            " & ".join([escape(row.title), *(_value(row, metric) for metric in COLUMNS), str(row.n)]) + r" \\"
        )
    return lines


def _stacked(heading: str) -> str:
    """A heading on two lines, broken at the space nearest to its middle."""
    spaces = [place for place, char in enumerate(heading) if char == " "]
    middle = min(spaces, key=lambda place: abs(place - len(heading) / 2))
    return heading[:middle] + r"\\" + heading[middle + 1 :]


def _value(row: Row, metric: str) -> str:
    cell = row.cells.get(metric)
    text = "--" if cell is None or cell.value is None else number(cell.value, cell.unit, 2)
    return escape_number(text)


def _caption(series: Series) -> str:
    return f"Identification from masked text: {escape(series.scheme)}, attacked by {escape(series.attacker_title)}"


def _caveats(sizes: Block, by_firm: Block | None, caveats: Sequence[Mapping[str, Any]]) -> list[str]:
    """The caveats of both panels, each once."""
    blocks = [sizes, *([by_firm] if by_firm else [])]
    lines = [line for block in blocks for line in caveat_lines(caveats, [block], tuple(COLUMNS))]
    return [escape(line) for line in dict.fromkeys(lines)]


def _note(block: Block, left_out: int, caveats: Sequence[str]) -> str:
    parts = ["Differences are guessed minus true fiscal years. Accuracies are over answered documents."]
    parts += [
        _overall(block.whole, metric)
        for metric in ("firm_accuracy", "year_accuracy", "quarter_year_accuracy")
    ]
    if block.whole and block.whole.lost:
        counts = ", ".join(f"{count} {name}" for name, count in block.whole.lost.items())
        parts.append(f"Not answered and left out: {counts}.")
    if left_out:
        parts.append(f"Panel A shows the {_FIRMS} firms with most documents and leaves out {left_out}.")
    parts += caveats
    if is_small_model(block.series.model):
        parts.append(rf"\textdagger{{}} An embedded model that {SMALL_MODEL}.")
    return "\n".join(
        ["", r"\vspace{0.5ex}", r"\begin{minipage}{\linewidth}\footnotesize", *filter(None, parts)]
    ) + ("\n" + r"\end{minipage}")


def _overall(row: Row | None, metric: str) -> str:
    cell = row.cells.get(metric) if row else None
    if cell is None or cell.value is None:
        return ""
    text = f"{measure(metric).title}, all documents: {number(cell.value)}"
    if cell.low is not None and cell.high is not None:
        text += rf" (95\% interval {number(cell.low)} to {number(cell.high)})"
    if cell.baseline is not None:
        text += f"; best constant guess: {number(cell.baseline)}"
    return text + "."
