"""``neuter benchmark`` of the recall suites as a person runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neuter.cli.app import run
from neuter.cli.recall_options import lasting

KNOWS = "simulated/values=1,cutoff=2023-10"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("neuter.reports.html.write_report", lambda folder, originals=None: folder)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NEUTER_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.chdir(tmp_path)


def benchmark(*arguments: object) -> int:
    return run(["benchmark", *map(str, arguments)])


def record(folder: str) -> dict[str, object]:
    read: dict[str, object] = json.loads(Path(folder, "run.json").read_text(encoding="utf-8"))
    return read


def test_options_reach_the_suite_and_stand_in_the_record(capsys: pytest.CaptureFixture[str]):
    options = ("--series", "sp500", "--ask", "monthly_returns", "--every", "year", "--returns", "relative")
    more = ("--change", "previous_estimate", "--zero-is-answer", "--cutoff", "2020-01", "--recent-years", "5")
    assert benchmark("indices", "--model", "simulated/values=1", *options, *more, "--out", "run") == 0
    kept = record("run")
    told = {
        "series": ["sp500"], "panels": ["monthly_returns"], "every": "year", "returns": "relative",
        "change": "previous_estimate", "zero_is_answer": True, "cutoff": "2020-01", "recent_years": 5,
    }  # fmt: skip
    assert kept["arguments"] == {**told, "suite": "indices", "models": ["simulated/values=1"], "seed": 0}
    assert {name: kept["config"][name] for name in told} == told  # type: ignore[index]
    assert kept["scoring"]["recent"] == {"simulated/values=1": "2015-01-01"}  # type: ignore[index]
    assert "Table 2" in capsys.readouterr().out


def test_several_suites_have_a_folder_each_and_one_list_as_json(capsys: pytest.CaptureFixture[str]):
    told = (
        "--model",
        KNOWS,
        "--sample",
        "3",
        "--price",
        "traded",
        "--vintage",
        "first",
        "--out",
        "all",
        "--json",
    )
    assert benchmark("macro", "stocks", "summary", "macro", *told) == 0
    shown = json.loads(capsys.readouterr().out)
    assert len(shown) == 3
    assert {name: record(f"all/{name}")["suite"] for name in ("macro", "stocks", "summary")} == {
        name: name for name in ("macro", "stocks", "summary")
    }
    assert record("all/stocks")["arguments"]["price"] == "traded"  # type: ignore[index]
    # Each suite gets its own options alone.
    assert "price" not in record("all/macro")["arguments"]  # type: ignore[operator]
    assert "vintage" not in record("all/stocks")["arguments"]  # type: ignore[operator]


def test_a_run_of_a_recall_suite_is_resumed_by_its_record(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    Path("own.csv").write_text(
        "date,value\n2020-01-01,2.5\n2020-04-01,1.0\n2020-07-01,2.0\n", encoding="utf-8"
    )
    told = ("--series", "gdp_growth", "--data", "gdp_growth=own.csv", "--since", "2020-01", "--model", KNOWS)
    assert benchmark("macro", *told, "--out", "run") == 0
    printed = capsys.readouterr().out
    assert record("run")["arguments"]["data"] == [f"gdp_growth={tmp_path / 'own.csv'}"]  # type: ignore[index]
    for command in (["runs", "show", "run"], ["runs", "resume", "run"], ["report", "run"]):
        assert run(command) == 0
        assert capsys.readouterr().out == printed


def test_the_worst_of_several_suites_is_the_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    told = ("--series", "gdp_growth", "--sample", "3", "--model", "simulated/values=1", "--out", "all")
    assert benchmark("macro", *told) != 0
    assert "--cutoff" in capsys.readouterr().err
    assert not Path("all").exists()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--sample", "0"), "--sample"),
        (("--max-tokens", "0"), "max_tokens = 0"),
        (("--recent-years", "0"), "recent_years = 0"),
        (("--every", "week"), "every 'week'"),
        (("--ask", "levles"), "no panel 'levles'"),
        (("--per-size", "3"), "no option --per-size of macro"),
        (("--returns", "points"), "no option --returns of macro"),
    ],
)
def test_what_does_not_fit_is_named_as_it_is_written(
    option: tuple[str, str], message: str, capsys: pytest.CaptureFixture[str]
):
    assert benchmark("macro", "--model", KNOWS, *option, "--out", "run") != 0
    assert message in capsys.readouterr().err
    assert not Path("run").exists()


def test_an_argument_of_another_name_is_told_by_its_option(capsys: pytest.CaptureFixture[str]):
    assert benchmark("masking", "--model", KNOWS, "--ask", "rates") != 0
    assert "no option --ask of masking" in capsys.readouterr().err


def test_a_dry_run_names_each_suite(capsys: pytest.CaptureFixture[str]):
    assert benchmark("macro", "headlines", "--model", KNOWS, "--sample", "4", "--dry-run", "--json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {(row["suite"], row["what"]): row["requests"] for row in rows} == {
        ("macro", "rates"): 16, ("macro", "levels"): 12,
        ("headlines", "headline dates"): 4, ("headlines", "headline levels"): 4,
    }  # fmt: skip


def test_paths_mean_the_same_from_any_folder(tmp_path: Path):
    told = lasting(
        {
            "headlines": "h.csv",
            "crsp": ["a.csv"],
            "philadelphia_fed": ["b.xlsx"],
            "data": ["vix=c.csv", "vix"],
            "fred": True,
        }
    )
    assert told == {
        "headlines": str(tmp_path / "h.csv"),
        "crsp": [str(tmp_path / "a.csv")],
        "philadelphia_fed": [str(tmp_path / "b.xlsx")],
        "data": [f"vix={tmp_path / 'c.csv'}", "vix"],
        "fred": True,
    }
    assert lasting({"series": [], "context": None, "crsp": []}) == {}


def test_day_first_and_skip_invalid_reach_the_headlines(capsys: pytest.CaptureFixture[str]):
    Path("h.csv").write_text("date,title\n03/04/2019,One\nnonsense,Two\n", encoding="utf-8")
    told = ("--headlines", "h.csv", "--day-first", "--skip-invalid", "--model", KNOWS)
    assert benchmark("headlines", *told, "--out", "run") == 0
    assert "1 invalid rows" in " ".join(record("run")["notes"])  # type: ignore[arg-type]


def test_a_cutoff_may_stand_in_the_configuration_that_is_named(capsys: pytest.CaptureFixture[str]):
    """Nobody else knows that model's cutoff, without which nothing is asked."""
    server = '[providers.mine]\nbase_url = "http://127.0.0.1:9/v1"\n'
    Path("own.toml").write_text(server + '[models."mine/any"]\ncutoff = "2021-06"\n', encoding="utf-8")
    Path("bare.toml").write_text(server, encoding="utf-8")
    told = (
        "--series",
        "gdp_growth",
        "--sample",
        "3",
        "--model",
        "mine/any",
        "--dry-run",
        "--json",
        "--config",
    )
    assert benchmark("macro", *told, "bare.toml") != 0
    assert "cutoff of mine/any" in capsys.readouterr().err
    assert benchmark("macro", *told, "own.toml") == 0
    assert [row["requests"] for row in json.loads(capsys.readouterr().out)["rows"]] == [3]


def test_the_status_of_several_suites_is_the_worst(monkeypatch: pytest.MonkeyPatch):
    statuses = iter([3, 0])
    monkeypatch.setattr("neuter.cli.evaluate.exit_status", lambda _result: next(statuses))
    assert benchmark("macro", "stocks", "--model", KNOWS, "--sample", "2", "--json", "--out", "all") == 3


def test_what_was_asked_is_told(capsys: pytest.CaptureFixture[str]):
    assert (
        benchmark("macro", "--series", "gdp_growth", "--sample", "4", "--model", KNOWS, "--out", "run") == 0
    )
    told = capsys.readouterr()
    assert "Sent 4 requests" in told.out + told.err


def test_a_file_of_the_users_is_not_replaced_by_the_run_that_reads_it(capsys: pytest.CaptureFixture[str]):
    told = ("--series", "gdp_growth", "--sample", "2", "--model", KNOWS, "--out", "run")
    assert benchmark("macro", *told) == 0
    own = Path("run", "answers", "own.csv")
    own.write_text("date,value\n2020-01-01,2.5\n2020-04-01,1.0\n2020-07-01,2.0\n", encoding="utf-8")
    assert benchmark("macro", *told, "--data", f"gdp_growth={own}", "--overwrite") != 0
    assert "own.csv" in capsys.readouterr().err
    assert own.is_file()
