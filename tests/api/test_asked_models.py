"""Models that cannot be asked are refused before a document is masked, and names that mean none also in a dry run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import neuter as nt
from neuter import api
from neuter.api.asked_models import check_ready
from neuter.api.benchmarking import requests
from neuter.api.estimating import estimate
from neuter.cli.app import run
from neuter.errors import MissingExtra, ModelError, UsageError
from neuter.types import Document, MaskedDocument

EMBEDDED = "local/smollm2-135m"
KNOWING = "simulated/all-knowing"


class Counts:
    """A scheme that counts what it masks."""

    name = "counts"
    reversible = False
    masked = 0

    def fit(self, documents: Iterable[Document]) -> Counts:
        return self

    def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]:
        for document in documents:
            Counts.masked += 1
            yield MaskedDocument(document.id, "nothing", self.name, document.kind, None)


def calls() -> list[Document]:
    caps = {"AAPL": 2.5e12, "HOG": 5e9, "ETD": 6e8}
    return [
        Document(id=t, text="We sold.", ticker=t, fiscal_year=2021, fiscal_quarter=1, market_cap=caps[t])
        for t in caps
    ]


def _evaluate(**options: Any) -> Any:
    return nt.evaluate(calls(), attackers=["majority", "llm"], **options)


def _benchmark(**options: Any) -> Any:
    return nt.benchmark("masking", corpus=calls(), report=False, **options)


BOTH = pytest.mark.parametrize("carry_out", [_evaluate, _benchmark])


@pytest.fixture
def keyless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration whose provider wants a key that is not there."""
    monkeypatch.delenv("LOOP_KEY", raising=False)
    config = tmp_path / "neuter.toml"
    config.write_text('[providers.loop]\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "LOOP_KEY"\n')
    return config


@BOTH
def test_a_missing_key_is_told_before_anything_is_masked(
    carry_out: Callable[..., Any], keyless: Path, tmp_path: Path
) -> None:
    Counts.masked = 0
    with pytest.raises(ModelError, match="LOOP_KEY holds no key"):
        carry_out(models=["loop/m"], schemes=[Counts()], config=keyless, out=tmp_path / "run")
    assert Counts.masked == 0
    assert not (tmp_path / "run").exists()


@BOTH
def test_so_is_the_maskers(carry_out: Callable[..., Any], keyless: Path, tmp_path: Path) -> None:
    options = {"schemes": ["entity-neutering"], "config": keyless, "out": tmp_path / "run"}
    with pytest.raises(ModelError, match="LOOP_KEY holds no key"):
        carry_out(models=[KNOWING], masker="loop/m", **options)
    assert not (tmp_path / "run").exists()


def test_a_missing_key_at_the_command_line_is_bad_usage(
    keyless: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    command = ["benchmark", "masking", "--model", "loop/m", "--config", str(keyless), "--out", str(out)]
    assert run(command) == 2
    assert "LOOP_KEY holds no key" in capsys.readouterr().err
    assert not out.exists()


def test_a_model_that_nothing_asks_needs_no_key(keyless: Path, tmp_path: Path) -> None:
    result = nt.evaluate(
        calls(), schemes="none", attackers="majority", models="loop/m", config=keyless, out=tmp_path / "run"
    )
    assert result.run["status"] == "done"


def test_the_default_model_that_cannot_be_used_is_only_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("neuter.api.asking.embedded_model_installed", lambda: True)
    monkeypatch.setattr("neuter.models.local.is_installed", lambda: False)
    result = nt.evaluate(calls(), schemes=["none"], out=tmp_path / "run")
    assert result.run["status"] == "done"
    assert {one["attacker"] for one in result.run["not_run"]} == {"llm", "prior"}
    assert {one["model"] for one in result.run["not_run"]} == {EMBEDDED}
    with pytest.raises(MissingExtra, match="xllamacpp"):
        nt.evaluate(calls(), schemes=["none"], models=[EMBEDDED], attackers=["llm"], out=tmp_path / "named")


@BOTH
def test_a_simulated_model_that_is_to_mask_is_refused_at_once(
    carry_out: Callable[..., Any], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"all-knowing cannot.*--masker"):
        carry_out(models=[KNOWING], schemes=["entity-neutering"], out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_also_where_one_scheme_is_applied() -> None:
    for apply in (nt.mask, api.preview):
        with pytest.raises(UsageError, match="reads no text"):
            apply(calls(), scheme="entity-neutering", model=KNOWING)


@pytest.mark.parametrize("command", [["benchmark", "masking", "--corpus"], ["evaluate"]])
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--model", "simulated/well-red"], "well-read"),
        (["--model", "gpt-4o"], "has no provider"),
        (["--model", "opnai/gpt-4o"], "Did you mean openai"),
        (["--model", KNOWING, "--scheme", "entity-neutering", "--masker", "simulated/x"], "simulated/x"),
        (["--model", KNOWING, "--scheme", "entity-neutering"], "--masker"),
    ],
)
def test_a_dry_run_refuses_a_name_that_means_no_model(
    command: list[str], options: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, "corpora:sample", *options, "--dry-run"]) == 2
    said = capsys.readouterr()
    assert told in " ".join(said.err.split())
    assert said.out == ""


def test_a_dry_run_needs_no_key(keyless: Path) -> None:
    options = {"models": ["loop/m"], "schemes": ["entity-neutering"], "config": keyless}
    asked = [estimate({"corpus": calls(), **options}), requests("masking", corpus=calls(), **options)]
    for rows in asked:
        assert ("scheme entity-neutering", "loop/m") in [(row["what"], row["model"]) for row in rows]


def test_weights_that_are_pulled_at_first_use_are_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neuter.models.local.is_installed", lambda: True)
    monkeypatch.setattr("neuter.models.local.is_pulled", lambda _: False)
    check_ready([EMBEDDED], None)
