"""Chains of thought: what is in them, checked by a rule, by a judge and by people (docs/traces.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.traces.checking import checked as checked
    from neuter.traces.extracting import trace_text as trace_text
    from neuter.traces.extracting import traces_of as traces_of
    from neuter.traces.judging import judge as judge
    from neuter.traces.judging import judge_requests as judge_requests
    from neuter.traces.judging import refuse_itself as refuse_itself
    from neuter.traces.labels import read_labels as read_labels
    from neuter.traces.labels import write_labels as write_labels
    from neuter.traces.rule import Finding as Finding
    from neuter.traces.rule import TraceFindings as TraceFindings
    from neuter.traces.rule import check_trace as check_trace
    from neuter.traces.sampling import stratified as stratified
    from neuter.traces.schema import LABEL_SCHEMA as LABEL_SCHEMA
    from neuter.traces.schema import TRACE_SCHEMA as TRACE_SCHEMA
    from neuter.traces.schema import trace_key as trace_key
    from neuter.traces.scoring import score_traces as score_traces

_HOME = {
    "check_trace": "rule",
    "Finding": "rule",
    "TraceFindings": "rule",
    "traces_of": "extracting",
    "trace_text": "extracting",
    "checked": "checking",
    "judge": "judging",
    "judge_requests": "judging",
    "refuse_itself": "judging",
    "stratified": "sampling",
    "read_labels": "labels",
    "write_labels": "labels",
    "score_traces": "scoring",
    "TRACE_SCHEMA": "schema",
    "LABEL_SCHEMA": "schema",
    "trace_key": "schema",
}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
