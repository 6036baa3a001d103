"""Runs listed so that they can be told apart, and shown with the command that made them."""

from __future__ import annotations

import json
import os
import shlex
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from neuter.cli.app import run
from neuter.cli.command_line import command_line


def record(at: Path, **changes: Any) -> None:
    """A run's record as a run leaves it, last written at noon of a day."""
    config = {
        "source": "corpora:sample",
        "schemes": [{"name": "none"}, {"name": "rules"}],
        "attackers": [{"name": "llm"}],
        "models": ["simulated/well-read"],
        "masker": None,
    }
    made = {"status": "done", "command": "benchmark", "suite": "masking", "config": {**config, **changes}}
    at.mkdir(parents=True)
    (at / "run.json").write_text(json.dumps(made))
    noon = datetime(2026, 3, 4, 12, 0).timestamp()
    os.utime(at / "run.json", (noon, noon))


def listed(capsys: pytest.CaptureFixture[str], folder: Path, *options: str) -> str:
    assert run(["runs", "list", str(folder), *options]) == 0
    return capsys.readouterr().out


def test_two_runs_of_one_corpus_differ_in_what_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    long = "openrouter/a-provider-of-many/a-model-with-a-very-long-name-2026-11-30-and-more-yet"
    record(Path("r/a"))
    record(Path("r/b"), models=["openai/m", long], masker="openai/k", schemes=[{"name": "entity-neutering"}])
    out = listed(capsys, Path("r"))
    first, second = out[: out.index("r/b")], out[out.index("r/b") :]
    assert "2026-03-04 12:00 · done · benchmark masking on corpora:sample" in first
    assert "schemes: none, rules · attackers: llm · models: simulated/well-read" in first
    for part in ("entity-neutering", "openai/m", "masker: openai/k"):
        assert part in second
        assert part not in first


def test_in_80_columns_nothing_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    long = "openrouter/" + "a-model-with-a-very-long-name-" * 4 + "end"
    record(Path("r/a"), models=[long])
    out = listed(capsys, Path("r"))
    assert max(len(line) for line in out.splitlines()) <= 80
    assert long in "".join(line.strip() for line in out.splitlines())


def test_the_same_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(tmp_path / "a")
    (one,) = json.loads(listed(capsys, tmp_path, "--json"))
    assert one == {
        "run": str(tmp_path / "a"),
        "status": "done",
        "command": "benchmark",
        "suite": "masking",
        "corpus": "corpora:sample",
        "schemes": "none, rules",
        "attackers": "llm",
        "models": "simulated/well-read",
        "masker": None,
        "changed": "2026-03-04 12:00",
    }


def test_a_record_that_lacks_everything_is_listed_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/run.json").write_text(json.dumps({"config": [1], "command": "\x1b[31m[bold]x"}))
    out = listed(capsys, tmp_path)
    assert "\x1b" not in out
    assert "[bold]x" in out


@pytest.mark.parametrize(
    ("made", "written"),
    [
        (
            {
                "command": "benchmark",
                "arguments": {"suite": "masking", "models": ["a/b", "c/d"], "panel": "A", "seed": 0},
            },
            "neuter benchmark masking --model a/b --model c/d --panel A",
        ),
        (
            {
                "command": "evaluate",
                "arguments": {
                    "corpus": "/a b/calls.csv",
                    "schemes": ["rules"],
                    "full_masked_reference": True,
                    "seed": 3,
                    "reading": {
                        "columns": {"text": "Body Text"},
                        "skip_invalid": True,
                        "sample": 9,
                        "seed": 3,
                    },
                },
            },
            "neuter evaluate '/a b/calls.csv' --scheme rules --full-masked-reference --seed 3 "
            "--column 'text=Body Text' --skip-invalid --sample 9",
        ),
        (
            {"command": "benchmark", "suite": "masking", "arguments": {}},
            "neuter.benchmark masking in Python (its arguments are not kept)",
        ),
    ],
)
def test_the_command_is_written_as_it_was_given(made: dict[str, Any], written: str) -> None:
    assert command_line(made) == written


def test_show_names_a_command_that_makes_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("neuter.reports.html.write_report", lambda folder, originals=None: folder)
    monkeypatch.chdir(tmp_path)
    given = ["evaluate", "corpora:sample", "--scheme", "none", "--attacker", "majority", "--sample", "5"]
    assert run([*given, "--seed", "4", "--out", "one"]) == 0
    capsys.readouterr()
    assert run(["runs", "show", "one"]) == 0
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("Made by: ")]
    words = shlex.split(line.removeprefix("Made by: "))
    assert words[0] == "neuter"
    assert run([*words[1:], "--out", "two"]) == 0
    capsys.readouterr()
    one, two = (json.loads(Path(f"{name}/run.json").read_text()) for name in ("one", "two"))
    assert one["config_hash"] == two["config_hash"]
    assert run(["runs", "show", "one", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert shlex.split(told["command"]) == words
    assert told["status"] == "done"


@pytest.mark.parametrize("choices", ["A|B", "fiscal|calendar|call|all", "month|year"])
def test_the_help_shows_the_choices(
    choices: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run(["benchmark", "--help"])
    assert choices in capsys.readouterr().out


def test_benchmark_alone_lists_the_suites(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["benchmark"]) == 0
    out = capsys.readouterr().out
    assert "masking" in out
    assert "Table 7" in out
    assert run(["benchmark", "--json"]) == 0
    listed = [row["suite"] for row in json.loads(capsys.readouterr().out)]
    recall = ["macro", "indices", "headlines", "stocks", "portfolios", "summary", "cutoff"]
    assert listed == ["masking", *recall, "ignorance"]
