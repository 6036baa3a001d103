"""``neuter questions`` as a person runs it."""

import json
from pathlib import Path
from typing import Any

import pytest

from neuter.cli.app import run
from neuter.questions import read_questions
from neuter.shipped import shipped_path


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)


def ours(**changes: Any) -> dict[str, Any]:
    question = {
        "id": "a", "question": "Will it rain?", "open": "2024-01-01", "resolution_date": "2024-03-01", "resolution": 1,
        "domain": "social", "source": "us", "community": [["2024-01-02", 0.25]],
    }  # fmt: skip
    return {**question, **changes}


def lines(name: str, *rows: dict[str, Any]) -> str:
    Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return name


def questions(*arguments: object) -> int:
    return run(["questions", *map(str, arguments)])


MIXED = (
    ours(), ours(id="b", question="Snow?", resolution=0, community=[], domain="weather"),
    ours(id="c", question="Hail?", resolution="annulled"), ours(id="", question="Fog?"),
)  # fmt: skip


def test_a_check_tells_what_a_file_holds_and_what_is_wrong_where(capsys: pytest.CaptureFixture[str]):
    file = lines("q.jsonl", *MIXED)
    assert questions("check", file, "--json") == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["questions"], told["yes"], told["invalid"], told["shared"]) == (2, 1, 1, 0)
    assert told["set_aside"] == {"annulled": 1}
    assert told["domains"] == {"social": 1, "unknown": 1}
    assert told["crowd"] == {"first_two_weeks": 1, "none": 1}
    assert told["crowd_brier"] == pytest.approx(0.75**2)
    assert told["resolved"] == ["2024-03-01", "2024-03-01"]
    assert told["files"] == {"q.jsonl": "neuter"}
    assert [(one["where"], one["what"]) for one in told["problems"]] == [
        ("q.jsonl, line 4", "field id: is empty")
    ]


def test_the_table_of_a_check_says_the_same(capsys: pytest.CaptureFixture[str]):
    assert questions("check", lines("q.jsonl", *MIXED)) == 2
    told = capsys.readouterr().out
    for text in (
        "2 questions",
        "social 1, unknown 1",
        "annulled 1",
        "0.562500",
        "q.jsonl, line 4: field id: is empty",
    ):
        assert text in told


def test_a_check_passes_without_faults_or_with_leave_to_skip_them():
    assert questions("check", lines("good.jsonl", MIXED[0])) == 0
    assert questions("check", lines("bad.jsonl", *MIXED), "--skip-invalid") == 0
    assert questions("check", lines("none.jsonl", MIXED[2])) == 2


def test_an_id_in_two_files_is_a_problem_that_cannot_be_skipped(capsys: pytest.CaptureFixture[str]):
    one, two = lines("one.jsonl", ours()), lines("two.jsonl", ours(resolution=0))
    assert questions("check", one, two, "--skip-invalid", "--json") == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["questions"], told["yes"], told["shared"]) == (1, 1, 1)
    assert "as one.jsonl has" in told["problems"][0]["what"]
    assert questions("import", one, two, "--out", "both.jsonl") == 2
    assert not Path("both.jsonl").exists()


def test_a_check_without_questions_still_tells_its_counts(capsys: pytest.CaptureFixture[str]):
    assert questions("check", lines("none.jsonl", MIXED[2])) == 2
    assert "annulled 1" in capsys.readouterr().out


def test_an_import_writes_our_format_and_says_what_it_set_aside(capsys: pytest.CaptureFixture[str]):
    Path("q.csv").write_text(
        "Key,Question,Resolved,Answer,Crowd,Crowd_date\n1,Rain?,01/03/2024,yes,40,01/02/2024\n2,Snow?,01/03/2024,void,,\n",
        encoding="utf-8",
    )
    told = (
        "--column",
        "id=Key",
        "--column",
        "resolution_date=Resolved",
        "--day-first",
        "--domain",
        "technology",
    )
    assert questions("import", "q.csv", *told, "--format", "csv", "--out", "q.jsonl") == 0
    assert "1 questions are in q.jsonl; set aside: annulled 1." in capsys.readouterr().err
    row = read_questions("q.jsonl").frame.row(0, named=True)
    assert (row["id"], row["domain"], str(row["resolution_date"])) == ("1", "technology", "2024-03-01")
    assert [(str(one["date"]), one["probability"]) for one in row["community"]] == [("2024-02-01", 0.4)]


def test_an_import_replaces_nothing_unless_told(capsys: pytest.CaptureFixture[str]):
    file = lines("q.jsonl", ours())
    assert questions("import", file, "--out", file) == 2
    assert "is there already" in capsys.readouterr().err
    assert questions("import", file, "--out", "new.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"out": "new.csv", "questions": 1, "set_aside": {}}
    assert questions("import", file, "--out", "new.csv", "--overwrite") == 0


def test_an_import_with_a_fault_or_without_a_question_leaves_no_file(capsys: pytest.CaptureFixture[str]):
    assert questions("import", lines("bad.jsonl", *MIXED), "--out", "out.jsonl") == 2
    assert "bad.jsonl, line 4: field id: is empty" in capsys.readouterr().err
    assert questions("import", lines("none.jsonl", MIXED[2]), "--out", "out.jsonl") == 2
    assert "No question is left" in capsys.readouterr().err
    assert not Path("out.jsonl").exists()


def test_the_first_questions_are_shown(capsys: pytest.CaptureFixture[str]):
    file = lines("q.jsonl", ours(), ours(id="b", question="[red]Snow[/red] \x1b[31m?", community=[]))
    assert questions("show", file) == 0
    told = capsys.readouterr().out
    assert "[red]Snow[/red]" in told
    assert "\x1b[31m" not in told
    assert "0.250" in told
    assert questions("show", file, "-n", "1", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["id"], row["crowd"], row["crowd_from"]) for row in rows] == [("a", 0.25, "first_two_weeks")]


def test_generated_questions_are_written_and_can_be_read(capsys: pytest.CaptureFixture[str]):
    span = ("--since", "2024-01-01", "--until", "2024-12-31")
    assert questions("generate", "--series", "sp500", *span, "--out", "g.jsonl") == 0
    frame = read_questions("g.jsonl").frame
    assert frame.height > 50
    assert str(frame["open"].min()) >= "2024-01-01"
    assert str(frame["resolution_date"].max()) <= "2024-12-31"
    assert questions("generate", "--since", "soon", "--out", "h.jsonl") == 2
    assert "'soon' is no day" in capsys.readouterr().err


@pytest.mark.skipif(
    not shipped_path("questions", "questions.jsonl").is_file(), reason="the questions do not ship yet"
)
def test_what_ships_is_listed(capsys: pytest.CaptureFixture[str]):
    assert questions("list", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told[0]["name"] == "corpora:questions"
    assert told[0]["questions"] >= 120


def test_a_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]):
    assert questions("check", "none.jsonl") == 2
    assert "none.jsonl: there is no such file" in capsys.readouterr().err
