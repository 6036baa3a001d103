"""``neuter power`` as a person runs it, and ``neuter.power`` as a notebook does."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import neuter
from neuter.cli.app import run
from neuter.errors import MissingExtra


def power(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = run(["power", *arguments])
    shown = capsys.readouterr()
    return status, " ".join(shown.out.split()), " ".join(shown.err.split())


def test_too_few_firms_are_told_how_many_are_needed(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = power(capsys, "--firms", "50", "--documents", "8", "--effect", "0.05")
    assert (status, err) == (0, "")
    assert "No number of documents is enough with 50 firms" in out
    assert "270 firms of 8 documents (2,160 in all) are needed" in out
    assert "finds 11.6 points with a power of 80%; for 5.0 points its power is 22%" in out
    assert "correlation within a firm 0.25" in out


def test_more_documents_or_more_firms(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = power(capsys, "--firms", "120", "--documents", "2", "--effect", "0.08", "--baseline")
    assert "Needed: 120 firms of 6 documents (720 in all), or 194 firms of 2 documents (388 in all)." in out


def test_enough_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = power(capsys, "--firms", "500", "--documents", "8", "--effect", "0.05")
    assert "That is enough; 270 firms of 8 documents (2,160 in all) would do." in out


def test_json_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["power", "--firms", "50", "--documents", "8", "--effect", "0.05", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["plans"][0]["in_all"] == 400
    assert found["plans"][1]["documents"] is None
    assert found["plans"][2]["firms"] == 270
    assert found["agreement"] == 0.75


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--firms", "0", "--effect", "0.05"), "firms: 0. Give from 2"),
        (("--firms", "50", "--effect", "5"), "5% is 0.05"),
        (("--firms", "50", "--effect", "0"), "effect is 0"),
        (("--firms", "50", "--effect", "nan"), "effect is nan"),
        (("--firms", "50", "--effect", "-0.05"), "effect is -0.05"),
        (("--firms", "50", "--documents", "0", "--effect", "0.05"), "documents a firm: 0"),
        (("--firms", "50", "--effect", "0.05", "--unpaired", "--baseline"), "do not go together"),
        (("--firms", "50", "--effect", "0.5", "--agreement", "0.9"), "agree on 0.9"),
        (
            ("--firms", "50", "--effect", "0.05", "--correlation", "2"),
            "correlation is 2. It lies within 0 and 1.",
        ),
        (("--firms", "50", "--effect", "0.05", "--correlation", "nan"), "correlation is nan"),
    ],
)
def test_a_mistake_is_named_with_what_to_do(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], complaint: str
) -> None:
    status, out, err = power(capsys, *arguments)
    assert (status, out) == (2, "")
    assert complaint in err


def test_the_table_fits_a_terminal_of_80_columns() -> None:
    command = [
        sys.executable,
        "-m",
        "neuter",
        "power",
        "--firms",
        "1000",
        "--documents",
        "50",
        "--effect",
        "0.01",
    ]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env={"COLUMNS": "80"}).stdout
    rows = [line for line in out.splitlines() if line.startswith("│")]
    assert len(rows) == 4  # a row a plan: none is broken
    assert max(len(row) for row in rows) <= 80


def test_the_result_shows_itself_and_goes_to_pandas() -> None:
    found = neuter.power(firms=50, documents=8, effect=0.05, kind="unpaired", accuracy=0.6)
    assert "different firms" in str(found)
    assert found._repr_html_().startswith("<p>Two schemes")
    frame = found.to_pandas()
    assert frame["plan"].tolist() == ["as given", "same firms", "same documents", "one document each"]
    assert frame["in_all"][0] == 400
    assert found.given.detectable == frame["detectable"][0]


def test_whole_numbers_stay_whole_for_pandas_also_where_one_is_missing() -> None:
    for documents in (1, 8):  # with 8 no number of documents is enough
        frame = neuter.power(firms=50, documents=documents, effect=0.05).to_pandas()
        whole = frame[["firms", "documents", "in_all"]]
        assert {str(kind) for kind in whole.dtypes} == {"Int64"}
    assert frame["documents"].isna().tolist() == [False, True, False, False]


def test_without_pandas_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"neuter\[pandas\]"):
        neuter.power(firms=50, effect=0.05).to_pandas()
