"""Probabilities in files: 85, 0.85, 85%, 1 in 4. One column, one scale."""

import json
from pathlib import Path
from typing import Any

import pytest

from neuter.errors import DataError
from neuter.questions import QuestionSet, read_questions


def read(
    folder: Path, *series: list[Any], skip_invalid: bool = False, rates: list[Any] | None = None
) -> QuestionSet:
    rows = [
        {
            "id": f"q{number}", "question": f"{number}?", "resolution_date": "2024-03-01", "resolution": 1,
            "community": [["2024-01-02", value] for value in values], "base_rate": rates[number] if rates else None,
        }
        for number, values in enumerate(series)
    ]  # fmt: skip
    path = folder / "q.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return read_questions(path, skip_invalid=skip_invalid)


def shares(found: QuestionSet) -> list[list[float]]:
    return [[one["probability"] for one in row] for row in found.frame["community"].to_list()]


@pytest.mark.parametrize(
    ("told", "meant", "scale"),
    [
        ([0.85, 0.2, 0, 1], [0.85, 0.2, 0, 1], "share"),
        ([85, 20, 0, 1, 100], [0.85, 0.2, 0, 0.01, 1], "percent"),
        (["85", "20.5"], [0.85, 0.205], "percent"),
        (["85%", 0.2], [0.85, 0.2], "share"),
        (["85%", "0.5%", 20], [0.85, 0.005, 0.2], "percent"),
        (["1 in 4", "3 out of 4", "1/5", "1:8"], [0.25, 0.75, 0.2, 0.125], "share"),
        (["1 in 4", 85], [0.25, 0.85], "percent"),
        ([0, 1], [0, 1], "share"),
        ([], [], "share"),
    ],
)
def test_a_column_has_one_scale(tmp_path: Path, told: list[Any], meant: list[float], scale: str):
    found = read(tmp_path, told)
    assert shares(found) == [pytest.approx(meant, abs=1e-15)]
    assert found.scale == scale


def test_the_scale_is_that_of_all_rows(tmp_path: Path):
    found = read(tmp_path, [1], [85], [0])
    assert shares(found) == [[0.01], [0.85], [0.0]]


def test_a_column_that_mixes_scales_is_refused_and_both_places_are_named(tmp_path: Path):
    path = tmp_path / "q.jsonl"
    with pytest.raises(DataError) as raised:
        read(tmp_path, [0], [0.5], [85], skip_invalid=True)
    assert str(raised.value).startswith(
        f"{path}, line 3, field community: a probability of 85 here, and of 0.5 in "
    )
    assert f"{path}, line 2, field community" in str(raised.value)


def test_a_largest_number_just_above_1_is_neither_a_share_nor_percent(tmp_path: Path):
    with pytest.raises(
        DataError, match=r"line 2, field community: a probability of 1\.01, and none above 1\.5"
    ):
        read(tmp_path, [1, 0], [1.01, 1.5], skip_invalid=True)
    assert shares(read(tmp_path, [1.5], [2])) == [[0.015], [0.02]]
    with pytest.raises(DataError, match=r"line 1, field base_rate: a probability of 1\.2"):
        read(tmp_path, [], rates=[1.2])


def test_what_is_on_no_scale_is_a_fault_of_its_own(tmp_path: Path):
    """150 does not make the other numbers percent."""
    found = read(tmp_path, [0.3], [150], [-1], skip_invalid=True)
    assert shares(found) == [[0.3]]
    assert found.set_aside == {"that cannot be read": 2}


def test_base_rates_have_a_scale_of_their_own(tmp_path: Path):
    found = read(tmp_path, [0.3], [0.4], rates=[25, "1 in 4"])
    assert found.frame["base_rate"].to_list() == [0.25, 0.25]
    assert shares(found) == [[0.3], [0.4]]
    with pytest.raises(DataError, match=r"line 2, field base_rate: a probability of 25 here, and of 0.3"):
        read(tmp_path, [], [], rates=[0.3, 25])


def test_a_ratio_of_nothing_is_no_probability(tmp_path: Path):
    with pytest.raises(DataError, match="'1 in 0' is no probability"):
        read(tmp_path, ["1 in 0"])
    with pytest.raises(DataError, match=r"a probability of 1\.25"):
        read(tmp_path, ["5 in 4"])
