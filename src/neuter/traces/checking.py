"""Every chain of thought of a run, checked by the rule."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date

import polars as pl

from neuter.errors import UsageError
from neuter.traces.extracting import in_schema
from neuter.traces.rule import check_trace


def checked(
    traces: pl.DataFrame, prompts: pl.DataFrame, questions: pl.DataFrame, cutoff: date
) -> pl.DataFrame:
    """The traces with ``rule_clean`` and ``rule_findings`` (TRACE_SCHEMA), in their order.

    Args:
        traces: as of :func:`neuter.traces.traces_of`.
        prompts: id, condition, prompt: all that the model was told.
        questions: id and resolution_date.
        cutoff: C.

    Raises:
        UsageError: a trace without its prompt or question.
    """
    told = {
        (id_, condition): text
        for id_, condition, text in prompts.select("id", "condition", "prompt").iter_rows()
    }
    resolved = dict(questions.select("id", "resolution_date").iter_rows())
    clean, findings = [], []
    for id_, condition, text in traces.select("id", "condition", "trace").iter_rows():
        if (id_, condition) not in told or id_ not in resolved:
            raise UsageError("a chain of thought without its prompt or question", where=f"{id_}, {condition}")
        found = check_trace(text, cutoff=cutoff, question=told[id_, condition], resolved=resolved[id_])
        clean.append(found.clean)
        findings.append([asdict(one) for one in found.findings])
    made = traces.drop("rule_clean", "rule_findings", strict=False)
    return in_schema(
        made.with_columns(
            pl.Series("rule_clean", clean, dtype=pl.Boolean),
            pl.Series("rule_findings", findings, dtype=in_schema(traces.clear())["rule_findings"].dtype),
        )
    )
