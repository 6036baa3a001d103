"""``neuter models spent``: what each model has cost, from the ledger."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from neuter.cli.app import run
from neuter.models import Store
from neuter.models.store.records import Attempt, Ended

RUN = "b" * 32


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two models: one of two runs with an attempt that may have been billed, one whose price nobody knows."""
    path = tmp_path / "store.sqlite"
    with Store(path) as opened:
        asyncio.run(_fill(opened))
    return path


async def _fill(store: Store) -> None:
    first = Attempt(
        id=0,
        key=b"",
        number=1,
        model="dear/m",
        base_url="http://x/v1",
        session=store.session,
        started_at="2026-11-30T12:00:00.000+00:00",
        lease=time.time() + 60,
        run=RUN,
    )
    ends = [
        ("dear/m", RUN, "answered", {"prompt_tokens": 1000, "completion_tokens": 20, "cost": 1.25}),
        ("dear/m", "another", "answered", {"prompt_tokens": 500, "completion_tokens": 10, "cost": 0.5}),
        ("dear/m", RUN, "ambiguous", {"estimated_cost": 0.75}),
        ("dear/m", RUN, "rate_limited", {}),
        ("own/[bold]m", RUN, "answered", {"prompt_tokens": 7, "completion_tokens": 1}),
    ]
    for place, (model, run_, kind, sums) in enumerate(ends):
        attempt = replace(first, id=store.new_attempt(), key=bytes([place]) * 32, model=model, run=run_)
        await store.begin(attempt)
        await store.end(Ended(attempt.id, 0.1, 200, kind, **sums))


def test_models_are_listed_with_what_they_cost(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["models", "spent", "--store", str(store), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["store"], told["run"]) == (str(store), None)
    dear, own = told["models"]
    assert (dear["model"], dear["attempts"], dear["turned_away"], dear["answered"]) == ("dear/m", 3, 1, 2)
    assert (dear["prompt_tokens"], dear["completion_tokens"]) == (1500, 30)
    assert (dear["cost"], dear["possibly_billed"], dear["possibly"]) == (1.75, 1, 0.75)
    assert (own["model"], own["cost"], own["unpriced"]) == ("own/[bold]m", 0.0, 1)
    assert run(["models", "spent", "--store", str(store)]) == 0
    lines = capsys.readouterr().out.splitlines()
    (of_dear,) = [line for line in lines if "dear/m" in line]
    (of_own,) = [line for line in lines if "own/[bold]m" in line]
    assert of_dear.split()[:7] == ["dear/m", "4", "1", "2", "1,500", "30", "$1.75"]
    assert of_dear.split()[7:] == ["1:", "$0.75"]
    assert of_own.split() == ["own/[bold]m", "1", "0", "1", "7", "1", "unknown"]
    at = next(place for place, line in enumerate(lines) if line.split()[:1] == ["all"])
    assert lines[at].split() == ["all", "5", "1", "3", "1,507", "31", "$1.75", "1:", "$0.75"]
    assert lines[at + 1].split() == ["+", "unknown"]


def test_one_run_is_named_by_its_folder_or_its_id(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps({"id": RUN, "arguments": {"store": str(store)}}))
    for given in (["--run", str(folder)], ["--run", RUN, "--store", str(store)]):
        assert run(["models", "spent", *given, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["run"] == RUN
        assert [(one["model"], one["cost"]) for one in told["models"]] == [
            ("dear/m", 1.25),
            ("own/[bold]m", 0.0),
        ]


def test_a_run_from_before_the_ledger_is_not_the_whole_store(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.json").write_text("{}")
    assert run(["models", "spent", "--run", str(tmp_path), "--store", str(store), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["models"] == []


def test_no_store_is_made_to_say_that_it_is_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["models", "spent", "--store", str(tmp_path / "no.sqlite")]) == 2
    assert "there is no store" in capsys.readouterr().err
    assert not (tmp_path / "no.sqlite").exists()
