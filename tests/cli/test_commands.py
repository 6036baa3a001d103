"""The commands as a person runs them: exit statuses, messages without tracebacks, JSON that is JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from neuter.models.testing import loopback_server

ROWS = [
    {
        "id": f"{t}-{k}",
        "text": f"{words} sold well in period {k}.",
        "ticker": t,
        "fiscal_year": 2022,
        "fiscal_quarter": k,
        "market_cap": cap,
    }
    for t, words, cap in (
        ("AAPL", "Orchard ladders", 2e12),
        ("HOG", "Chrome exhausts", 5e9),
        ("ETD", "Walnut sofas", 6e8),
    )
    for k in (1, 2, 3)
]


def neuter(
    *arguments: object, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "neuter", *map(str, arguments)]
    known = {**os.environ, "COLUMNS": "200", **environment}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=known, check=False, timeout=120
    )


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def refused(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    """A user's mistake: status 2, one message that holds the parts, no traceback, nothing on standard output."""
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    for part in parts:
        assert part in done.stderr
    assert done.stdout == ""


def test_evaluate_ends_in_a_table_and_a_report(calls: Path, tmp_path: Path):
    done = neuter("evaluate", calls, "--scheme", "none", "--attacker", "linkage", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    for row in ("Large", "Mid", "Small", "Report:"):
        assert row in done.stdout
    assert (tmp_path / "run/report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_json_is_all_that_is_on_standard_output(calls: Path, tmp_path: Path):
    done = neuter(
        "evaluate", calls, "--scheme", "none", "--attacker", "linkage", "--out", tmp_path / "run", "--json"
    )
    told = json.loads(done.stdout)
    assert told["status"] == "done"
    assert {row["group"] for row in told["scores"] if row["group_by"] == "size"} == {"Large", "Mid", "Small"}


@pytest.mark.parametrize(
    ("content", "name", "parts"),
    [
        (b"", "empty.jsonl", ["empty.jsonl", "empty"]),
        (b'{"id": "a", "body": "x"}\n', "c.jsonl", ["text", "--column text="]),
        (b'{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n', "c.jsonl", ["line 2", "'a'", "line 1"]),
        (b'{"id": "a", "text": "caf\xe9"}\n', "c.jsonl", ["line 1", "UTF-8"]),
        (b'{"id": "a", "text": "x\\u0000y"}\n', "c.jsonl", ["line 1", "text", "NUL"]),
        (b'{"id": "a", "text": "   "}\n', "c.jsonl", ["line 1", "text"]),
        (b"id,text,date\na,x,soon\n", "c.csv", ["line 2", "date", "soon"]),
        (b"id,text,fiscal_quarter\na,x,7\n", "c.csv", ["line 2", "fiscal_quarter", "7"]),
        (b"{not json\n", "c.jsonl", ["line 1"]),
        (b"x", "c.docx", ["c.docx"]),
    ],
)
@pytest.mark.parametrize("command", ["evaluate", "mask"])
def test_bad_files_are_named_by_line_and_field(
    command: str, content: bytes, name: str, parts: list[str], tmp_path: Path
):
    (tmp_path / name).write_bytes(content)
    out = tmp_path / ("run" if command == "evaluate" else "masked.jsonl")
    scheme = ["--scheme", "none", *(["--attacker", "majority"] if command == "evaluate" else [])]
    refused(neuter(command, tmp_path / name, *scheme, "--out", out), *parts)
    assert not out.exists() or not any(p.suffix in {".csv", ".parquet", ".html"} for p in out.rglob("*"))


def test_a_csv_with_quotes_and_line_breaks_in_fields_is_read(tmp_path: Path):
    (tmp_path / "c.csv").write_text('id,text\na,"He said ""no"",\nthen left."\n', encoding="utf-8")
    done = neuter("corpus", "show", tmp_path / "c.csv", "--json")
    assert json.loads(done.stdout)[0]["text"] == 'He said "no",\nthen left.'


def test_unknown_names_list_the_nearest(calls: Path, tmp_path: Path):
    refused(
        neuter("evaluate", calls, "--scheme", "presido", "--out", tmp_path / "r"),
        "presido",
        "Did you mean presidio",
    )
    refused(neuter("attack", calls, "--attacker", "linkages"), "linkages", "linkage")
    refused(neuter("corpus", "check", "corpora:sampel"), "sampel", "sample")
    refused(neuter("corpus", "check", tmp_path / "cals.jsonl"), "cals.jsonl")


def test_a_model_that_is_not_configured_says_how_to_configure_it(calls: Path, tmp_path: Path):
    refused(
        neuter(
            "mask", calls, "--scheme", "entity-neutering", "--model", "mine/m", "--out", tmp_path / "m.jsonl"
        ),
        "[providers.mine]",
    )
    assert not (tmp_path / "m.jsonl").exists()


def test_what_was_asked_for_and_not_run_is_status_3_with_its_reason(calls: Path, tmp_path: Path):
    config = tmp_path / "neuter.toml"
    config.write_text('[providers.gone]\nbase_url = "http://127.0.0.1:9/v1"\n')
    done = neuter(
        "evaluate",
        calls,
        "--scheme",
        "none",
        "--attacker",
        "linkage",
        "--attacker",
        "llm",
        "--model",
        "gone/m",
        "--config",
        config,
        "--out",
        tmp_path / "run",
    )
    assert done.returncode == 3
    assert "not run" in done.stdout + done.stderr
    assert "127.0.0.1:9" in done.stdout + done.stderr


def test_a_wrong_key_names_its_variable_and_is_never_shown(calls: Path, tmp_path: Path):
    with loopback_server(key="right") as server:
        config = tmp_path / "neuter.toml"
        config.write_text(f'[providers.loop]\nbase_url = "{server.base_url}"\napi_key_env = "LOOP_KEY"\n')
        arguments = (
            "evaluate",
            calls,
            "--scheme",
            "none",
            "--attacker",
            "llm",
            "--model",
            "loop/m",
            "--config",
            config,
            "--out",
            tmp_path / "run",
        )
        done = neuter(*arguments, LOOP_KEY="sk-wrong-secret", NEUTER_STORE=str(tmp_path / "store.sqlite"))
    assert done.returncode == 3
    assert "LOOP_KEY" in done.stdout + done.stderr
    assert "sk-wrong-secret" not in done.stdout + done.stderr
    for file in (p for p in tmp_path.rglob("*") if p.is_file()):
        assert b"sk-wrong-secret" not in file.read_bytes(), file


def test_resume_goes_on_with_the_arguments_of_the_run(calls: Path, tmp_path: Path):
    neuter("evaluate", calls, "--scheme", "none", "--attacker", "linkage", "--out", tmp_path / "runs/one")
    (tmp_path / "runs/one/report.html").unlink()
    assert "Large" in neuter("report", tmp_path / "runs/one").stdout
    assert (tmp_path / "runs/one/report.html").exists()
    assert "Large" in neuter("runs", "resume", tmp_path / "runs/one").stdout  # finished: only shown again
    record = json.loads((tmp_path / "runs/one/run.json").read_text())
    (tmp_path / "runs/one/run.json").write_text(json.dumps(record | {"status": "interrupted"}))
    (tmp_path / "runs/one/scores.csv").unlink()
    done = neuter("runs", "resume", tmp_path / "runs/one")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "runs/one/scores.csv").exists()
    listed = json.loads(neuter("runs", "list", tmp_path / "runs", "--json").stdout)
    assert [(one["status"], one["schemes"]) for one in listed] == [("done", "none")]


def test_mask_and_unmask_from_the_command_line(calls: Path, tmp_path: Path):
    masked, key, back = tmp_path / "m.csv", tmp_path / "k.jsonl", tmp_path / "b.jsonl"
    assert neuter("mask", calls, "--scheme", "rules", "--out", masked, "--key", key).returncode == 0
    assert neuter("unmask", masked, "--key", key, "--out", back).returncode == 0
    assert [json.loads(line)["text"] for line in back.read_text().splitlines()] == [
        row["text"] for row in ROWS
    ]


def test_a_dry_run_asks_nothing_and_says_how_much_it_would(calls: Path, tmp_path: Path):
    with loopback_server() as server:
        config = tmp_path / "neuter.toml"
        config.write_text(f'[providers.loop]\nbase_url = "{server.base_url}"\n')
        done = neuter(
            "evaluate",
            calls,
            "--scheme",
            "none",
            "--scheme",
            "rules",
            "--attacker",
            "llm",
            "--attacker",
            "prior",
            "--model",
            "loop/m",
            "--config",
            config,
            "--dry-run",
            "--json",
            "--out",
            tmp_path / "run",
        )
        told = json.loads(done.stdout)
        assert server.requests == 0
    asked = [(row["what"], row["requests"], row["cost"]) for row in told["rows"]]
    assert asked == [("attacker llm", 18, None), ("attacker prior", 1, None)]
    assert (told["total"]["requests"], told["total"]["cost"]) == (19, None)
    assert any('[prices."loop/m"]' in note for note in told["notes"])
    assert not (tmp_path / "run").exists()


def test_shipped_corpora_are_listed():
    listed = neuter("corpus", "list").stdout
    assert "corpora:sample" in listed
    assert "corpora:sample/headlines" in listed


def test_version_and_help():
    assert neuter("--version").stdout.startswith("neuter 0.")
    assert "evaluate" in neuter("--help").stdout
    assert neuter("evaluate").returncode == 2
