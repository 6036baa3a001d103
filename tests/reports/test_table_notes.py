"""Caveats below a score table: those of what it shows, each once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from synthetic_run import score_frame, score_row

from neuter.reports.latex import to_latex
from neuter.reports.score_blocks import Series, blocks_of, series_of
from neuter.reports.table_notes import caveat_lines
from neuter.reports.tables import score_table


def rows(scheme: str) -> list[dict[str, Any]]:
    known = {"scheme": scheme, "attacker": "llm", "model": "x/y", "value": 50.0, "n": 4}
    return [
        score_row(**known, metric="firm_accuracy"),
        score_row(**known, metric="firm_accuracy", group_by="size", group="Large"),
        score_row(**known, metric="firm_accuracy", group_by="firm", group="AAPL"),
    ]


def caveat(scheme: str, text: str, **of: Any) -> dict[str, Any]:
    about = {"panel": "", "group_by": "size", "groups": ["Large"], "metrics": ["firm_accuracy"], **of}
    return {"scheme": scheme, "attacker": "llm", "model": "x/y", "text": text, "of": [about]}


FRAME = score_frame(rows("none") + rows("rules"))


def lines(*caveats: dict[str, Any], **options: Any) -> list[str]:
    return caveat_lines(caveats, blocks_of(FRAME), ["firm_accuracy", "year_accuracy"], **options)


def test_a_caveat_of_every_block_is_told_once_and_one_of_a_single_block_says_whose():
    both = [caveat(scheme, "only 8 firms") for scheme in ("none", "rules")]
    assert lines(*both) == ["Large, Firm found: only 8 firms."]
    assert lines(both[0]) == ["Large, Firm found: only 8 firms (none · llm (x/y))."]


def test_rows_that_share_a_caveat_are_told_together():
    told = [
        caveat(scheme, "only 8 firms", group_by=by, groups=groups, metrics=[""])
        for scheme in ("none", "rules")
        for by, groups in (("all", ["all"]), ("size", ["Large"]))
    ]
    assert lines(*told) == ["All and Large: only 8 firms."]


def test_what_the_table_does_not_show_is_not_told():
    assert lines(caveat("none", "t", groups=["Small"])) == []
    assert lines(caveat("none", "t", metrics=["firm_mrr"])) == []
    assert lines(caveat("none", "t", group_by="firm", groups=["AAPL"])) == []
    assert lines(caveat("other", "t")) == []


def test_no_group_and_no_metric_mean_all_of_them():
    told = [caveat(scheme, "t", groups=[""], metrics=[""]) for scheme in ("none", "rules")]
    assert lines(*told) == ["Large: t."]
    whole = [
        caveat(scheme, "t", group_by="all", groups=["all"], metrics=[""]) for scheme in ("none", "rules")
    ]
    assert lines(*whole) == ["All: t."]


def test_of_many_the_last_line_counts_the_rest():
    many = [caveat("none", f"text {k}") for k in range(20)]
    told = lines(*many, most=3)
    assert len(told) == 4
    assert told[-1] == "17 more caveats are in run.json."


def test_terminal_and_latex_show_them():
    told = [caveat(scheme, "only 8 firms & more") for scheme in ("none", "rules")]
    assert "Large, Firm found: only 8 firms & more." in str(score_table(FRAME, caveats=told).caption)
    assert r"only 8 firms \& more" in to_latex(FRAME, caveats=told)["rules--llm--x-y"]


def test_caveats_are_sorted_by_whose_they_are_once_and_not_once_a_block(monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    def counted(raw: Mapping[str, Any]) -> Series:
        asked.append(str(raw.get("text")))
        return series_of(raw)

    monkeypatch.setattr("neuter.reports.table_notes.series_of", counted)
    frame = score_frame([row for place in range(5) for row in rows(f"s{place}")])
    told = [caveat(f"s{place}", f"text {place}") for place in range(5)]
    assert len(caveat_lines(told, blocks_of(frame), ["firm_accuracy"])) == 5
    assert len(asked) == 5
    asked.clear()
    assert all(f"text {place}" in text for place, text in enumerate(to_latex(frame, caveats=told).values()))
    # Once by scheme for all of them, and then each block its own.
    assert len(asked) == 15
