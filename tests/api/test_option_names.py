"""What a person calls the public functions with: one name where several may stand, and names that nobody takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import neuter as nt
from neuter import api
from neuter.api.benchmarking import requests
from neuter.errors import UsageError
from neuter.masking.none import Unmasked
from neuter.types import Document

KNOWING = "simulated/all-knowing"


def calls() -> list[Document]:
    return [
        Document(id=t, text="We sold.", ticker=t, fiscal_year=2021, fiscal_quarter=1, market_cap=5e9)
        for t in ("AAPL", "HOG")
    ]


@pytest.fixture
def firms(tmp_path: Path) -> Path:
    path = tmp_path / "firms.csv"
    path.write_text("name,ticker\nOrchard Ladders Inc.,ORCHL\n")
    return path


@pytest.mark.parametrize("as_text", [True, False])
def test_one_name_is_a_sequence_of_one(firms: Path, tmp_path: Path, *, as_text: bool) -> None:
    one = str(firms) if as_text else firms
    result = nt.evaluate(
        calls(), schemes="none", attackers="majority", models=KNOWING, firms=one, out=tmp_path / "run"
    )
    assert [scheme["name"] for scheme in result.run["schemes"]] == ["none"]
    assert [attacker["name"] for attacker in result.run["attackers"]] == ["majority"]
    assert len(result.run["config"]["firms"]) == 64
    assert nt.mask(calls(), scheme="none", firms=one).documents[0].text == "We sold."


@pytest.mark.parametrize("schemes", ["none", Unmasked()])
def test_so_it_is_in_a_benchmark(schemes: Any, firms: Path, tmp_path: Path) -> None:
    result = nt.benchmark(
        "masking",
        models=KNOWING,
        corpus=calls(),
        schemes=schemes,
        panel="B",
        firms=str(firms),
        out=tmp_path / "run",
        report=False,
    )
    assert result.run["models"] == [KNOWING]
    assert [scheme["name"] for scheme in result.run["schemes"]] == ["none"]
    assert result.run["status"] == "done"


def test_the_attack_takes_one_file_of_firms_too(firms: Path, tmp_path: Path) -> None:
    nt.mask(calls(), scheme="none", out=tmp_path / "m.parquet")
    assert len(nt.attack(tmp_path / "m.parquet", attacker="majority", firms=str(firms))) == 2


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("model", "Did you mean models"),
        ("firm", "Did you mean firms"),
        ("pannel", "Did you mean panel"),
        ("skip_invald", "Did you mean skip_invalid"),
        ("dry_run", r"neuter\.api\.benchmarking\.requests"),
    ],
)
def test_a_benchmark_names_the_nearest_of_all_that_it_takes(name: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        nt.benchmark("masking", corpus=calls(), **{name: None})
    with pytest.raises(UsageError, match=told):
        requests("masking", models=KNOWING, corpus=calls(), **{name: "x"})


def test_or_lists_all_of_it() -> None:
    with pytest.raises(UsageError) as told:
        nt.benchmark("masking", zzzzzzz=1)
    for name in ("models", "seed", "out", "firms", "panel", "opening"):
        assert name in told.value.todo.replace(",", "").split()


@pytest.mark.parametrize(
    ("call", "name", "told"),
    [
        (nt.evaluate, "model", "neuter.evaluate has no parameter 'model'. Did you mean models"),
        (nt.evaluate, "dry_run", "neuter.api.estimating.estimate"),
        (nt.mask, "schemes", "Did you mean scheme"),
        (api.preview, "document", "Did you mean documents"),
    ],
)
def test_the_other_functions_do_too(call: Any, name: str, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        call(calls(), **{name: "x"})
    assert told in str(raised.value)
