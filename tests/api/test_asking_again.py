"""What a repeated command asks again: what failed, what --retry names, and otherwise nothing, not even for a key."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from spending_runs import REFUSAL, RIGHT, calls, configured, evaluate, outcomes

import neuter as nt
from neuter.cli.app import run
from neuter.errors import ModelError, UsageError
from neuter.models.testing import loopback_server

KEYED = 'api_key_env = "LOOP_KEY"\n'


@pytest.fixture(autouse=True)
def _no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures take longer than all the rest."""
    monkeypatch.setattr("neuter.reports.html.write_report", lambda folder, originals=None: folder)


def _says(texts: dict[str, str]) -> Callable[[dict[str, Any]], str]:
    """An answer by a word of the prompt; ``texts`` may be changed while the server runs."""

    def answer(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        return next((text for word, text in texts.items() if word in prompt), RIGHT)

    return answer


def test_only_what_was_refused_is_asked_again_and_the_scores_are_made_anew(tmp_path: Path) -> None:
    """A refusal in plain words, which the server counts as an answer; three calls are of statement 2."""
    said = {"Statement 2": REFUSAL}
    with loopback_server(answer=_says(said)) as server:
        configured(tmp_path, server.base_url)
        evaluate(tmp_path)
        assert (server.requests, outcomes(tmp_path / "run").count("refused")) == (13, 3)
        scores = (tmp_path / "run/scores.csv").read_bytes()
        said.clear()
        evaluate(tmp_path)
        assert server.requests == 13
        assert (tmp_path / "run/scores.csv").read_bytes() == scores
        result = evaluate(tmp_path, retry=["refused"])
        assert server.requests == 16
        assert set(outcomes(tmp_path / "run")) == {"answered"}
        assert result.asked.startswith("Sent 3 requests; 9 answers were in the store")
        assert (tmp_path / "run/scores.csv").read_bytes() != scores
        evaluate(tmp_path, retry="refused, unparsed")
        assert server.requests == 16
    assert result.run["outcomes"] == {"answered": 24}


def test_a_refusal_that_stays_is_asked_again_by_each_command_that_says_so(tmp_path: Path) -> None:
    with loopback_server(answer=REFUSAL) as server:
        configured(tmp_path, server.base_url)
        options = {"schemes": ["none", "rules"], "attackers": ["prior"]}
        evaluate(tmp_path, **options)
        evaluate(tmp_path, **options, retry="refused")
        assert server.requests == 2  # one prompt for both schemes, and again once for both
        evaluate(tmp_path, **options)
        assert server.requests == 2


def test_an_unusable_mask_is_asked_for_again_and_the_others_are_not(tmp_path: Path) -> None:
    """The text as it was is no masked text, though the server counts it as an answer."""
    said = {document.text: document.text for document in calls() if "Statement 2" in document.text}
    said["Statement"] = "Company_1 sold."
    with loopback_server(answer=_says(said)) as server:
        configured(tmp_path, server.base_url)
        options = {"schemes": ["entity-neutering"], "attackers": ["majority"], "masker": "loop/m"}
        first = evaluate(tmp_path, **options)
        assert (server.requests, len(first.run["failures"])) == (12, 3)
        for text in list(said)[:3]:
            said.pop(text)
        second = evaluate(tmp_path, **options, retry="unparsed")
        assert (server.requests, second.run["failures"]) == (15, [])


def _both_panels(tmp_path: Path, **options: Any) -> Any:
    """Without a firm of the seven, Panel A is made on the sample: a run within the run. Five calls and one for each."""
    corpus = [document for document in calls() if document.ticker != "AAPL"]
    places = {
        name: tmp_path / file for name, file in (("config", "neuter.toml"), ("store", "s"), ("out", "run"))
    }
    chosen = {"models": "loop/m", "schemes": "none", "model_sample": 5, "report": False, **places}
    return nt.benchmark("masking", corpus=corpus, **{**chosen, **options})


def test_what_two_parts_of_a_run_ask_alike_is_asked_again_once(tmp_path: Path) -> None:
    with loopback_server(answer=REFUSAL) as server:
        configured(tmp_path, server.base_url)
        _both_panels(tmp_path)
        assert server.requests == 11  # the prompt without a text is the same for both
        _both_panels(tmp_path, retry="refused")
        assert (server.requests, server.most) == (22, 2)


def test_who_answered_is_counted_over_both_parts_of_a_run(tmp_path: Path) -> None:
    with loopback_server(answer=RIGHT, change_after=6) as server:
        configured(tmp_path, server.base_url)
        result = _both_panels(tmp_path)
    assert result.notes[0] == (
        "WARNING: loop/m was answered by different models: m-loopback (7), m-loopback-changed (5). "
        "Figures over all of them are of none."
    )


@pytest.mark.parametrize(
    ("retry", "told"),
    [
        ("refsed", "Did you mean refused"),
        ("answered", "no outcome 'answered'"),
        ("x", "Known: refused, filtered"),
    ],
)
def test_an_outcome_that_is_none_is_refused_with_the_nearest(retry: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=told):
        evaluate(tmp_path, retry=retry)


def test_attack_asks_again_too(tmp_path: Path) -> None:
    said = {"Statement 2": REFUSAL}
    nt.mask(calls(), scheme="none", out=tmp_path / "masked.parquet")
    with loopback_server(answer=_says(said)) as server:
        config = configured(tmp_path, server.base_url)
        options = {"attacker": "llm", "model": "loop/m", "config": config, "store": tmp_path / "s.sqlite"}
        nt.attack(tmp_path / "masked.parquet", **options)
        said.clear()
        guesses = nt.attack(tmp_path / "masked.parquet", **options, retry="refused")
        assert server.requests == 15
    assert {guess.outcome for guess in guesses} == {"answered"}


def _panels(tmp_path: Path, **options: Any) -> Any:
    chosen = {"config": tmp_path / "neuter.toml", "store": tmp_path / "store.sqlite", "out": tmp_path / "run"}
    return nt.benchmark("masking", corpus=calls(), models="loop/m", report=False, **{**chosen, **options})


@pytest.mark.parametrize("carry_out", [evaluate, _panels])
def test_a_finished_run_is_repeated_without_its_key(
    carry_out: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOP_KEY", "right")
    with loopback_server(answer=RIGHT, key="right") as server:
        configured(tmp_path, server.base_url, KEYED)
        carry_out(tmp_path)
        asked = server.requests
        scores = (tmp_path / "run/scores.csv").read_bytes()
        monkeypatch.delenv("LOOP_KEY")
        again = carry_out(tmp_path)
        assert server.requests == asked
    assert (again.run["status"], again.asked) == ("done", "")
    assert again.spent["loop/m"]["attempts"] == asked
    assert (tmp_path / "run/scores.csv").read_bytes() == scores


@pytest.mark.parametrize("carry_out", [evaluate, _panels])
def test_without_its_key_a_run_that_has_to_ask_is_refused_before_anything_is_masked(
    carry_out: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOP_KEY", "right")
    with loopback_server(answer=RIGHT, key="right") as server:
        configured(tmp_path, server.base_url, KEYED)
        carry_out(tmp_path)
        monkeypatch.delenv("LOOP_KEY")
        for file in (tmp_path / "run/guesses").glob("*--llm--*.parquet"):
            file.unlink()
        (masked,) = (tmp_path / "run/masked").glob("*.parquet")
        masked.unlink()
        with pytest.raises(ModelError, match="LOOP_KEY holds no key"):
            carry_out(tmp_path)
        assert not masked.exists()
        # What is to be replaced is not thrown away for a run that cannot be carried out.
        with pytest.raises(ModelError, match="LOOP_KEY holds no key"):
            carry_out(tmp_path, overwrite=True)
        assert (tmp_path / "run/scores.csv").exists()


def test_a_model_that_changes_between_two_sessions_of_a_run_is_warned_of(tmp_path: Path) -> None:
    """The second session asks for the prompt without a text alone, and another model answers it."""
    with loopback_server(answer=RIGHT) as server:
        configured(tmp_path, server.base_url)
        first = evaluate(tmp_path)
        (stage,) = (tmp_path / "run/guesses").glob("none--prior--*.parquet")
        stage.unlink()
        server.behaviour.change_after = 0
        again = evaluate(tmp_path, store=tmp_path / "other.sqlite")
        third = evaluate(tmp_path)
    assert not any(note.startswith("WARNING") for note in first.notes)
    expected = (
        "WARNING: loop/m was answered by different models: m-loopback (12), m-loopback-changed (1). "
        "Figures over all of them are of none."
    )
    assert again.notes[0] == third.notes[0] == expected


def test_a_model_that_changes_within_a_run_is_warned_of_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with loopback_server(answer=RIGHT, change_after=5, changes=["model", "fingerprint"]) as server:
        configured(tmp_path, server.base_url)
        first = evaluate(tmp_path, attackers=["llm"])
        again = evaluate(tmp_path, attackers=["llm"])
        nt.mask(calls(), scheme="none", out=tmp_path / "masked.parquet")
        command = ["attack", str(tmp_path / "masked.parquet"), "--attacker", "llm", "--model", "loop/m"]
        run([*command, "--config", str(tmp_path / "neuter.toml"), "--store", str(tmp_path / "store.sqlite")])
    warned = [note for note in first.notes if note.startswith("WARNING")]
    assert warned == [
        "WARNING: loop/m was answered by different models: m-loopback-changed (7), m-loopback (5). "
        "Figures over all of them are of none."
    ]
    assert any("2 system fingerprints" in note for note in first.notes)
    assert again.notes == first.notes
    assert "WARNING: loop/m was answered by different models" in " ".join(capsys.readouterr().err.split())


def test_one_damaged_record_does_not_hide_the_other_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("a", '{"status": "done", "command": "evaluate"}'), ("b", "{"), ("c", "[]")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text(text)
    assert run(["runs", "list", str(tmp_path), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [one["status"] for one in listed] == ["done", "damaged", "damaged"]
    assert "cannot be read as JSON" in listed[1]["reason"]
    assert run(["runs", "list", str(tmp_path)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "· damaged ·" in shown
    assert "cannot be read as JSON" in shown
