"""What was asked and what it cost, in words: what is not known is never 0."""

from __future__ import annotations

from typing import Any

import pytest

from neuter.reports.money import earlier, sentence, spent_rows
from neuter.reports.run_record import methods

PAID = {
    "reused": 0,
    "attempts": 956,
    "turned_away": 4,
    "answered": 944,
    "prompt_tokens": 1_204_000,
    "completion_tokens": 30_000,
    "cost": 3.2149,
    "price_as_of": "2026-10-14",
}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "$3.21 (prices as of 2026-10-14)"),
        (
            {"possibly_billed": 2, "possibly": 0.012},
            "$3.21 (prices as of 2026-10-14); 2 attempts without an answer may have been billed besides ($0.012)",
        ),
        ({"price_as_of": None}, "$3.21"),
        ({"cost": 0.0, "unpriced": 944, "price_as_of": None}, "cost not known"),
        (
            {"cost": 0.0, "unpriced": 944, "price_as_of": None, "possibly_billed": 1},
            "cost not known; 1 attempt without an answer may have been billed besides (cost not known)",
        ),
        ({"unpriced": 1}, "$3.21 and what 1 answer cost, which is not known (prices as of 2026-10-14)"),
        ({"cost": 0.0}, "$0"),
    ],
)
def test_the_cost_is_told_with_its_day_and_what_may_come_on_top(changes: dict[str, Any], told: str) -> None:
    counts = "Sent 960 requests, 944 of them answered, 4 turned away; 0 answers were in the store"
    assert sentence({"a/b": PAID | changes}) == f"{counts}; 1.2 million tokens in, 30,000 out; {told}"


def test_models_are_added_up_and_those_inside_the_process_cost_nothing() -> None:
    one = {"attempts": 1, "answered": 1, "reused": 1, "prompt_tokens": 5, "completion_tokens": 1}
    free = one | {"free": True}
    assert sentence({"local/a": free}) == "Sent 1 request; 1 answer was in the store; 5 tokens in, 1 out"
    both = sentence({"local/a": free, "a/b": one | {"cost": 0.5, "price_as_of": "2026-01-02"}})
    assert both == (
        "Sent 2 requests; 2 answers were in the store; 10 tokens in, 2 out; $0.50 (prices as of 2026-01-02)"
    )


def test_where_nothing_was_asked_nothing_is_told() -> None:
    assert sentence({}) == ""
    assert sentence({"a/b": {"reused": 9}}) == "Sent 0 requests; 9 answers were in the store"


def test_what_earlier_sessions_may_have_been_billed_is_never_told_as_nothing() -> None:
    besides = "of earlier sessions may have been billed besides"
    assert earlier(1, 0.012) == f"1 attempt {besides} ($0.012)"
    assert earlier(3, 0.0, unpriced=3) == f"3 attempts {besides} (cost not known)"
    assert (
        earlier(3, 0.5, unpriced=1)
        == f"3 attempts {besides} ($0.50 and what 1 of them cost, which is not known)"
    )


def test_the_report_tells_what_the_run_spent_and_a_damaged_record_breaks_nothing() -> None:
    told = dict(methods({"spent": {"a/b": {k: v for k, v in PAID.items() if k != "reused"}}}))
    assert told["Asked of a/b"].endswith("$3.21 (prices as of 2026-10-14)")
    assert "store" not in told["Asked of a/b"]
    assert spent_rows({"spent": [1]}) == spent_rows({"spent": {"a/b": 3}}) == spent_rows({}) == []
