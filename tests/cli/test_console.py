"""What goes to standard output as JSON is JSON for any reader."""

from __future__ import annotations

import json

import polars as pl
import pytest

from neuter.cli.console import print_json


def test_numbers_that_json_does_not_have_are_null_and_half_a_surrogate_pair_is_replaced(
    capsys: pytest.CaptureFixture[str],
):
    print_json({"a": [float("nan"), 1.5], "b": {"c": float("inf")}, "d": "x\ud800"})
    assert json.loads(capsys.readouterr().out, parse_constant=pytest.fail) == {
        "a": [None, 1.5],
        "b": {"c": None},
        "d": "x?",
    }


def test_json_of_a_frame_is_its_rows(capsys: pytest.CaptureFixture[str]) -> None:
    frame = pl.DataFrame({"a": [1.5, float("nan")], "b": ["x", None]})
    print_json({"head": [1, {"c": float("inf")}], "scores": frame, "empty": frame.clear()})
    read = json.loads(capsys.readouterr().out)
    assert read == {
        "head": [1, {"c": None}],
        "scores": [{"a": 1.5, "b": "x"}, {"a": None, "b": None}],
        "empty": [],
    }
