"""Guesses to a table and back, and the file that is whole or absent."""

from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuter.attacks import frame_of_guesses, guesses_of_frame, read_guesses, write_guesses
from neuter.errors import RunError
from neuter.types import Guess, Outcome

COLUMNS = [
    "id",
    "scheme",
    "attacker",
    "model",
    "outcome",
    "firm",
    "industry",
    "quarter",
    "year",
    "date",
    "confidence",
    "candidates",
    "scores",
    "answer",
    "reason",
]
FULL = Guess(
    id="AAPL-2021Q3",
    scheme="rules",
    attacker="llm",
    model="local/smollm2-135m",
    outcome=Outcome.TRUNCATED,
    firm="AAPL",
    industry="Consumer electronics",
    quarter=3,
    year=2021,
    date=date(2021, 7, 27),
    confidence=0.25,
    candidates=("AAPL", "MSFT"),
    scores=(0.5, 0.125),
    answer='Company Estimate: "AAPL"\n\x00,',
    reason="because",
)
BARE = Guess(id="é", scheme="none", attacker="linkage")

texts = st.text(max_size=12)
guesses_ = st.builds(
    Guess,
    id=texts,
    scheme=texts,
    attacker=texts,
    model=st.none() | texts,
    outcome=st.sampled_from(Outcome),
    firm=st.none() | texts,
    industry=st.none() | texts,
    quarter=st.none() | st.integers(1, 4),
    year=st.none() | st.integers(1900, 2100),
    date=st.none() | st.dates(),
    confidence=st.none() | st.floats(0, 1),
    candidates=st.lists(texts, max_size=3).map(tuple),
    scores=st.lists(st.floats(allow_nan=False), max_size=3).map(tuple),
    answer=st.none() | texts,
    reason=texts,
)


def test_the_columns_are_those_of_the_contract_also_without_guesses():
    assert frame_of_guesses([FULL, BARE]).columns == COLUMNS
    empty = frame_of_guesses([])
    assert empty.columns == COLUMNS
    assert empty.schema == frame_of_guesses([FULL]).schema


def test_a_cell_holds_the_plain_value():
    row = frame_of_guesses([FULL]).row(0, named=True)
    assert (row["outcome"], row["candidates"], row["date"]) == (
        "truncated",
        ["AAPL", "MSFT"],
        date(2021, 7, 27),
    )


def test_guesses_come_back_from_a_file_in_order(tmp_path):
    write_guesses(tmp_path / "rules--llm.parquet", iter([FULL, BARE]))
    assert read_guesses(tmp_path / "rules--llm.parquet") == [FULL, BARE]
    assert [p.name for p in tmp_path.iterdir()] == ["rules--llm.parquet"]


def test_a_file_without_guesses_comes_back_empty(tmp_path):
    write_guesses(tmp_path / "none.parquet", [])
    assert read_guesses(tmp_path / "none.parquet") == []


@given(st.lists(guesses_, max_size=4))
def test_any_guess_comes_back_from_a_frame(guesses):
    assert list(guesses_of_frame(frame_of_guesses(guesses))) == guesses


def test_half_a_surrogate_pair_becomes_a_question_mark():
    guess = Guess("a", "none", "llm", answer="oh \ud83d", candidates=("\udc00",))
    (back,) = guesses_of_frame(frame_of_guesses([guess]))
    assert (back.answer, back.candidates) == ("oh ?", ("?",))


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "g.parquet"
    write_guesses(path, [FULL])

    def full_disk(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("neuter.whole_files.os.fsync", full_disk)
    with pytest.raises(RunError, match=r"g\.parquet: could not be written \(No space left on device\)"):
        write_guesses(path, [BARE])
    monkeypatch.undo()
    assert read_guesses(path) == [FULL]
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_the_place_of_the_folder_is_a_run_error(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(RunError, match="could not be written"):
        write_guesses(tmp_path / "taken" / "g.parquet", [FULL])


def test_a_missing_file_is_a_run_error(tmp_path):
    with pytest.raises(RunError, match=r"g\.parquet: no such guesses file"):
        read_guesses(tmp_path / "g.parquet")


@pytest.mark.parametrize("content", [b"", b"not parquet", b"PAR1"])
def test_a_damaged_file_is_a_run_error(tmp_path, content):
    (tmp_path / "g.parquet").write_bytes(content)
    with pytest.raises(RunError, match="not a readable guesses file"):
        read_guesses(tmp_path / "g.parquet")


def test_a_parquet_file_of_something_else_is_a_run_error(tmp_path):
    pl.DataFrame({"id": ["a"]}).write_parquet(tmp_path / "g.parquet")
    with pytest.raises(RunError, match="not a readable guesses file"):
        read_guesses(tmp_path / "g.parquet")


def test_an_unknown_outcome_is_a_run_error(tmp_path):
    frame_of_guesses([BARE]).with_columns(outcome=pl.lit("perhaps")).write_parquet(tmp_path / "g.parquet")
    with pytest.raises(RunError, match="perhaps"):
        read_guesses(tmp_path / "g.parquet")
