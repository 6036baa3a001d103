"""``neuter benchmark`` as a person runs it, and its runs shown and resumed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from own_suite import OWN

from neuter.cli.app import run

ROWS = [
    {
        "id": f"{ticker}-{quarter}",
        "text": f"We sold more in period {quarter}.",
        "ticker": ticker,
        "date": f"2021-{3 * quarter + 1:02d}-20",
        "fiscal_year": 2021,
        "fiscal_quarter": quarter,
        "market_cap": cap,
    }
    for ticker, cap in (("AAPL", 2.5e12), ("HOG", 5e9), ("ETD", 6e8))
    for quarter in (1, 2)
]
MODEL = ("--model", "simulated/all-knowing")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the report's drawings, which take most of a small run's time; at 120 columns, in a folder of its own."""
    monkeypatch.setattr("neuter.reports.html.write_report", lambda folder, originals=None: folder)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def benchmark(*arguments: object) -> int:
    return run(["benchmark", *map(str, arguments)])


def test_both_panels_are_printed_with_the_published_figures(calls: Path, capsys: pytest.CaptureFixture[str]):
    assert benchmark("masking", *MODEL, "--corpus", calls, "--scheme", "none", "--out", "run") == 0
    out = capsys.readouterr().out
    apple = next(line for line in out.splitlines() if line.startswith("AAPL"))
    # Ours and GPT-4o's: 100 and 95.24 percent of years, 2 and 63 calls.
    assert "100.00   95.24" in apple
    assert apple.split()[11:13] == ["2", "63"]
    for part in (
        "Panel A: Magnificent Seven Firms",
        "Panel B: Firms by Market Cap",
        "constant",
        "prior",
        "One firm",
    ):
        assert part in out


def test_a_run_is_shown_resumed_and_reported_as_the_table(calls: Path, capsys: pytest.CaptureFixture[str]):
    assert (
        benchmark(
            "masking", *MODEL, "--corpus", calls, "--scheme", "none", "--reading", "call", "--out", "run"
        )
        == 0
    )
    printed = capsys.readouterr().out
    assert "call's date" in printed
    record = json.loads(Path("run/run.json").read_text())
    assert record["arguments"]["corpus"] == str(calls)
    for command in (["runs", "show", "run"], ["runs", "resume", "run"], ["report", "run"]):
        assert run(command) == 0
        assert capsys.readouterr().out == printed
    Path("run/run.json").write_text(json.dumps({**record, "status": "interrupted"}))
    Path("run/scores.parquet").unlink()
    assert run(["runs", "resume", "run"]) == 0
    assert capsys.readouterr().out == printed
    assert json.loads(Path("run/run.json").read_text())["status"] == "done"


def test_json_is_all_that_is_on_standard_output(calls: Path, capsys: pytest.CaptureFixture[str]):
    assert (
        benchmark(
            "masking", *MODEL, "--corpus", calls, "--scheme", "none", "--panel", "a", "--out", "run", "--json"
        )
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert (told["suite"], told["status"]) == ("masking", "done")
    assert {row["panel"] for row in told["scores"]} == {"A"}
    assert told["caveats"]


def test_a_dry_run_counts_and_asks_nothing(calls: Path, capsys: pytest.CaptureFixture[str]):
    assert benchmark("masking", *MODEL, "--corpus", calls, "--dry-run", "--json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["suite"], row["what"], row["requests"], row["cost"]) for row in rows] == [
        ("masking", "attacker llm", 6, 0.0),
        ("masking", "attacker prior", 1, 0.0),
    ]
    assert not Path("neuter-runs").exists()
    assert not Path("run").exists()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (MODEL, ["no suite is named", "masking"]),
        (("--dry-run",), ["no suite is named", "masking"]),
        (("maskin",), ["maskin", "Did you mean masking"]),
        (("masking", "--panel", "C", *MODEL), ["panels A and B"]),
        (("masking", "--reading", "julian", *MODEL), ["julian", "fiscal, calendar, call, all"]),
        (("masking", "--size-as-of", "week", *MODEL), ["week", "month, year"]),
        (("masking", "--breakpoints", "gone.csv", *MODEL), ["gone.csv"]),
        (("masking", "--corpus", "gone.jsonl", *MODEL), ["gone.jsonl"]),
        (("masking", "--firms", "gone.csv", *MODEL), ["gone.csv"]),
        (("masking", "--scheme", "rule", *MODEL), ["Did you mean rules"]),
        (("masking", "--model", "nowhere/m"), ["nowhere"]),
    ],
)
def test_a_mistake_is_named_and_nothing_is_made(
    arguments: tuple[str, ...], parts: list[str], capsys: pytest.CaptureFixture[str]
):
    assert benchmark(*arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "Traceback" not in told.err
    for part in parts:
        assert part in told.err
    assert not Path("neuter-runs").exists()


def test_several_suites_have_a_folder_each(calls: Path, capsys: pytest.CaptureFixture[str]):

    Path("mine.py").write_text(OWN)
    done = benchmark(
        "masking", "mine.py:Nothing", *MODEL, "--corpus", calls, "--scheme", "none", "--out", "runs", "--json"
    )
    assert done == 0
    told = json.loads(capsys.readouterr().out)
    assert [result["suite"] for result in told] == ["masking", "nothing"]
    assert Path("runs/masking/run.json").is_file()
    assert Path("runs/nothing/run.json").is_file()


def test_an_option_that_no_suite_takes_is_refused(capsys: pytest.CaptureFixture[str]):
    Path("mine.py").write_text(OWN)
    assert benchmark("mine.py:Nothing", *MODEL, "--panel", "A", "--scheme", "none") == 2
    assert "no option --panel, --scheme of" in capsys.readouterr().err
    assert not Path("neuter-runs").exists()


@pytest.mark.parametrize("options", [(), ("--opening", "80"), ("--sample", "40", "--seed", "3")])
def test_a_report_made_again_finds_the_original_texts(
    options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert benchmark("masking", *MODEL, "--scheme", "none", "--panel", "A", *options, "--out", "run") == 0
    given: list[object] = []
    monkeypatch.setattr(
        "neuter.reports.html.write_report", lambda folder, originals=None: given.append(originals)
    )
    assert run(["report", "run"]) == 0
    assert given[0] is not None
    assert "Panel A" in capsys.readouterr().out
