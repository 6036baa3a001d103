"""Caveats of a block, each text once, with the rows that it is about."""

from __future__ import annotations

import polars as pl

from neuter.suites.told import Told, merged_caveats


def frame(*rows: tuple[str, str, str, str]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=["group_by", "group", "metric", "text"], orient="row")


def test_one_text_is_told_once_with_every_row_that_it_is_about():
    caveats = frame(
        ("firm", "AAPL", "firm_accuracy", "one firm"),
        ("firm", "AAPL", "year_accuracy", "one firm"),
        ("firm", "MSFT", "firm_accuracy", "one firm"),
        ("firm", "MSFT", "year_accuracy", "one firm"),
        ("size", "Large", "firm_accuracy", "one firm"),
        ("all", "all", "firm_accuracy", "only 2 firms"),
    )
    first, second = merged_caveats(caveats, scheme="none", attacker="llm", model="x/y")
    assert (first["scheme"], first["attacker"], first["model"], first["text"]) == (
        "none",
        "llm",
        "x/y",
        "one firm",
    )
    assert first["of"] == [
        {
            "panel": "",
            "group_by": "firm",
            "groups": ["AAPL", "MSFT"],
            "metrics": ["firm_accuracy", "year_accuracy"],
        },
        {"panel": "", "group_by": "size", "groups": ["Large"], "metrics": ["firm_accuracy"]},
    ]
    assert second["text"] == "only 2 firms"


def test_no_caveat_is_no_entry():
    assert merged_caveats(frame(), scheme="none", attacker="llm", model=None) == []


def test_another_runs_words_are_taken_over_once():
    told = Told(not_run=[{"reason": "gone"}])
    told.add({"notes": ["n"], "not_run": [{"reason": "gone"}], "outcomes": {"failed": 2}}, "Panel A")
    assert (told.notes, told.not_run, told.outcomes["failed"]) == (["Panel A: n"], [{"reason": "gone"}], 2)
