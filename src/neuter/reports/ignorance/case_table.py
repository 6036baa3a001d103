"""Table 6 of Simulated Ignorance Fails of a run: like questions, one before and one after the cutoff, with traces."""

from __future__ import annotations

from collections.abc import Iterable

from neuter.questions.schema import DOMAINS
from neuter.reports.ignorance.about_run import AboutRun
from neuter.reports.ignorance.case_pairs import RULE, Case, CasePair
from neuter.reports.ignorance.table_building import block, figure_column, panel, said, table, text_column
from neuter.reports.recall.table_values import RecallBlock, RecallRow, RecallTable
from neuter.reports.wording import one_line
from neuter.suites.ignorance.published import PaperCase, published_ignorance

_COLUMNS = (
    text_column("Id"),
    text_column("Question", long=True),
    text_column("Model"),
    figure_column("Forecast p", 2),
    text_column("Outcome y"),
    text_column("Trace, from its beginning", long=True),
)
_PERIODS = {"pre": "Pre (SI)", "post": "Post (TI)"}


def table_6(pairs: Iterable[CasePair], run: AboutRun, condition: str) -> RecallTable | None:
    """The pairs that :func:`neuter.reports.ignorance.case_pairs.case_pairs` chose, and below them the paper's."""
    blocks = [
        block(
            f"Case {place}: {DOMAINS.get(pair.domain, one_line(pair.domain) or 'no domain')}",
            [_row(case, run.title(case.model)) for case in (pair.pre, pair.post)],
        )
        for place, pair in enumerate(pairs, 1)
    ]
    if not blocks:
        return None
    theirs = tuple(_of_paper(one) for one in published_ignorance().cases)
    paper = RecallBlock("The paper's cases, in our words", theirs)
    remarks = [
        f"Under {condition}. {RULE}",
        "p is the mean over the answered runs; the trace is of the run nearest to it.",
        "Like questions and like traces, but only the first could be in the training data. Examples prove nothing: the "
        "gaps are the evidence.",
    ]
    return table("table-6", "Paired cases", [panel(_COLUMNS, [*blocks, paper], whole=True)], remarks=remarks)


def _row(case: Case, model: str) -> RecallRow:
    told = (one_line(case.id), case.question, model)
    cells = (*map(said, told), said(case.forecast), said(str(case.outcome)), said(case.trace))
    return RecallRow(_PERIODS[case.period], cells)


def _of_paper(case: PaperCase) -> RecallRow:
    told = (case.id, case.about, case.model)
    cells = (*map(said, told), said(case.forecast), said(str(case.outcome)), said(""))
    return RecallRow(_PERIODS[case.period], cells, reference=True)
