"""What decides a result is part of a plan's configuration; what does not is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from neuter.corpus import read_corpus
from neuter.errors import CorpusError
from neuter.firms import use_firms
from neuter.suites.plan import Plan, sample_of
from neuter.types import Document

PLAN = Plan(corpus=read_corpus([Document(id="a", text="t", fiscal_year=2021)]), schemes=(), attackers=())


def test_what_decides_sizes_is_part_of_it(tmp_path: Path):
    plain = PLAN.configuration()
    assert replace(PLAN, size_as_of="year").configuration() != plain
    assert replace(PLAN, breakpoints="corpus").configuration() != plain
    first, second, same = (tmp_path / name for name in ("a.csv", "b.csv", "c.csv"))
    for path, text in ((first, "x"), (second, "y"), (same, "x")):
        path.write_text(text)
    by_bytes = [replace(PLAN, breakpoints=path).configuration() for path in (first, second, same)]
    assert by_bytes[0] == by_bytes[2] != by_bytes[1]
    with pytest.raises(CorpusError, match=r"gone\.csv"):
        replace(PLAN, breakpoints=tmp_path / "gone.csv").configuration()


def test_the_users_own_firms_are_part_of_it(tmp_path: Path):
    (tmp_path / "firms.csv").write_text("name,ticker\nOrchard Ladders Inc.,ORCHL\n")
    plain = PLAN.configuration()
    use_firms(tmp_path / "firms.csv")
    try:
        assert PLAN.configuration() != plain
    finally:
        use_firms()
    assert PLAN.configuration() == plain


def test_the_name_of_the_suite_and_its_scorer_decide_nothing_that_is_asked():
    assert replace(PLAN, suite="masking", scorer=lambda *_: None).configuration() == PLAN.configuration()


def test_a_model_inside_the_process_is_asked_about_a_few_unless_told_otherwise():
    assert (sample_of("local/m", None), sample_of("local/m", 0), sample_of("x/y", None)) == (8, None, None)
    assert sample_of("x/y", 5) == 5
