"""The composed questions that ship: their counts, outcomes that are known from elsewhere, and words that are nobody else's."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.data.shipped_series import shipped_series
from neuter.errors import CorpusError
from neuter.questions import shipped
from neuter.questions.crowd import with_crowd
from neuter.questions.reading import SHIPPED, read_questions
from neuter.questions.schema import DOMAINS, QUESTION_SCHEMA
from neuter.questions.shipped import shipped_questions

ROOT = Path(__file__).parents[2]
RAW = ROOT.parent / "shared/data"
BEFORE, AFTER = date(2024, 4, 1), date(2025, 1, 1)
needs_raw = pytest.mark.skipif(not (RAW / "questions").is_dir(), reason="the raw data is not here")


@pytest.fixture(scope="module")
def questions() -> pl.DataFrame:
    return shipped_questions()


def _outcome(questions: pl.DataFrame, id_: str) -> int:
    return questions.filter(pl.col("id") == id_)["resolution"].item()


def test_have_the_schema_and_are_read_by_name_too(questions):
    assert dict(questions.schema) == QUESTION_SCHEMA
    assert read_questions(SHIPPED).frame.equals(questions)
    assert questions["id"].is_unique().all()
    assert questions["resolution_date"].is_sorted()


def test_are_at_least_120_with_every_domain_on_both_sides(questions):
    assert questions.height >= 120
    day = pl.col("resolution_date")
    for domain in DOMAINS:
        part = questions.filter(pl.col("domain") == domain)
        assert part.height >= 20, domain
        for side in (part.filter(day < BEFORE), part.filter(day >= AFTER)):
            assert side.height >= 8, domain
            assert 0.3 <= side["resolution"].mean() <= 0.7, domain
    assert questions.filter(day < BEFORE).height >= questions.height / 3
    assert questions.filter(day >= AFTER).height >= questions.height / 3


def test_every_row_says_where_it_is_from_and_asks_before_it_knows(questions):
    assert questions.filter((pl.col("source") == "") | (pl.col("resolution_criteria") == "")).is_empty()
    assert questions.filter(pl.col("open") >= pl.col("resolution_date")).is_empty()
    assert questions["resolution_date"].min() > date(2023, 1, 1)
    said = questions.explode("community").unnest("community").drop_nulls("date")
    assert said.filter(pl.col("date") >= pl.col("resolution_date")).is_empty()


@pytest.mark.parametrize(
    ("id_", "outcome"),
    [
        # Of the public record.
        ("chandrayaan-3-lands-2023", 1),
        ("luna-25-lands-2023", 0),
        ("activision-2023", 1),
        ("ohio-issue-1-august-2023", 0),
        ("weah-reelected-2023", 0),
        ("santos-expelled-2023", 1),
        ("harris-nominee-2024", 1),
        ("ding-keeps-title-2024", 0),
        ("apple-3-trillion-june-2023", 1),
        ("palantir-sp500-2024", 1),
        ("fed-half-point-september-2024", 1),
        ("payrolls-october-2024", 0),
        ("gdp-2025-q1", 1),
    ],
)
def test_outcomes_are_those_of_the_public_record(questions, id_, outcome):
    assert _outcome(questions, id_) == outcome


def test_outcomes_about_indices_follow_from_the_closes_that_ship(questions):
    closes = shipped_series("sp500").values(None)
    within = closes.filter(pl.col("date").is_between(date(2024, 1, 2), date(2024, 3, 28)))
    first = within.filter(pl.col("value") > 5000)["date"].min()
    row = questions.row(by_predicate=pl.col("id") == "sp500-5000-q1-2024", named=True)
    assert (row["resolution"], row["resolution_date"]) == (1, first) == (1, date(2024, 2, 9))
    within = closes.filter(pl.col("date").is_between(date(2026, 1, 2), date(2026, 3, 31)))
    assert _outcome(questions, "sp500-7000-q1-2026") == int(within["value"].max() > 7000) == 0


def test_the_crowd_found_both_sides_equally_hard(questions):
    """Chosen so; docs/questions-shipped.md prints the two figures."""
    told = with_crowd(questions).drop_nulls("crowd")
    missed = told.with_columns(((pl.col("crowd") - pl.col("resolution")) ** 2).alias("missed"))
    before = missed.filter(pl.col("resolution_date") < BEFORE)
    after = missed.filter(pl.col("resolution_date") >= AFTER)
    assert before["missed"].mean() == pytest.approx(0.1525, abs=5e-5)
    assert after["missed"].mean() == pytest.approx(0.1548, abs=5e-5)
    assert min(before.height, after.height) > 60


def test_a_missing_file_is_an_error_that_names_it(tmp_path, monkeypatch):
    monkeypatch.setenv("NEUTER_CORPORA", str(tmp_path))
    with pytest.raises(CorpusError, match=r"questions\.jsonl"):
        shipped.shipped_questions.__wrapped__()


@needs_raw
def test_the_raw_data_gives_the_same_questions():
    """build.py works out every outcome, date and crowd anew."""
    script = ROOT / "corpora/questions/build.py"
    done = subprocess.run(
        [sys.executable, str(script), "--data", str(RAW), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9']+", re.sub(r"<[^>]+>", " ", text or ""))


def _runs(text: str) -> list[tuple[str, ...]]:
    words = _words(text)
    return [tuple(words[place : place + 6]) for place in range(len(words) - 5)]


#: January to December are told by their capital.
_OF_DATES = {"quarter", "half", "month", "week", "day", "first", "second", "end"}


def _of_names_or_dates(run: tuple[str, ...]) -> bool:
    """Six words of which no four are anything else than names, dates and numbers."""
    return len([word for word in run if word[0].islower() and word not in _OF_DATES]) < 4


@needs_raw
def test_no_six_words_in_a_row_are_those_of_a_source(questions):
    theirs = set()
    for name in ("metaculus_2023_sample.jsonl", "forecastbench_dev.jsonl"):
        for line in (RAW / "questions" / name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            for field in ("question", "background", "resolution_criteria"):
                theirs.update(tuple(word.lower() for word in run) for run in _runs(row[field]))
    assert ("will", "the", "dow", "jones", "close", "at") in theirs
    ours = [
        (row["id"], run)
        for row in questions.iter_rows(named=True)
        for field in ("question", "background", "resolution_criteria")
        for run in _runs(row[field])
    ]
    shared = [
        (id_, " ".join(run))
        for id_, run in ours
        if tuple(word.lower() for word in run) in theirs and not _of_names_or_dates(run)
    ]
    assert {text for _, text in shared} <= {
        # The name of the institute, and a phrase of four small words around it.
        "the Institute for the Study of",
    }, shared
