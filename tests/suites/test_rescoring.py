"""A run scored anew offline: only what a better parser reads otherwise changes, and only once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from spending_runs import REFUSAL, RIGHT, calls, configured, evaluate, outcomes, record

import neuter as nt
from neuter import __version__
from neuter.attacks import answered
from neuter.cli.app import run
from neuter.errors import RunError
from neuter.models.answers import parse_identification
from neuter.models.testing import loopback_server
from neuter.suites.rescoring import reparsed
from neuter.types import Guess, Outcome

#: What the parser of today does not read, and a better one would.
ODD = "AAPL it is"


def better(text: str) -> Any:
    """The parser, which reads one more answer."""
    return parse_identification(RIGHT if text == ODD else text)


@pytest.fixture(autouse=True)
def _no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures take longer than all the rest."""
    monkeypatch.setattr("neuter.reports.html.write_report", lambda folder, originals=None: folder)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Path]:
    """A finished run whose server, configuration and store are gone: three answers were not understood."""

    def answer(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        return ODD if "Statement 2" in prompt else REFUSAL if "Statement 3" in prompt else RIGHT

    with loopback_server(answer=answer) as server:
        configured(tmp_path, server.base_url)
        evaluate(tmp_path)
    (tmp_path / "neuter.toml").unlink()
    (tmp_path / "store.sqlite").unlink()
    yield tmp_path / "run"
    assert not (tmp_path / "store.sqlite").exists()


def columns(folder: Path, *names: str) -> list[Any]:
    (file,) = (folder / "guesses").glob("none--llm--*.parquet")
    return pl.read_parquet(file).select(names).rows()


def files(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def test_with_the_same_parser_nothing_changes(made: Path) -> None:
    before = files(made)
    told = nt.rescore(made).done
    assert (told.guesses, told.changed, told.scores_changed) == (24, 0, False)
    assert files(made) == before


def test_a_better_parser_changes_what_it_reads_otherwise(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, before = columns(made, "id", "answer"), record(made)
    scores = pl.read_parquet(made / "scores.parquet")
    monkeypatch.setattr(answered, "parse_identification", better)
    told = nt.rescore(made)
    assert (told.done.guesses, told.done.changed) == (24, 3)
    assert told.done.by_outcome == {"unparsed to answered": 3}
    assert told.done.by_field == {"outcome": 3, "firm": 3, "industry": 3, "quarter": 3, "year": 3}
    assert [change.after.id for change in told.done.first] == ["AAPL-2", "HOG-2", "ETD-2"]
    assert columns(made, "id", "answer") == answers
    assert outcomes(made).count("answered") == 9
    assert told.result.run["outcomes"] == {"answered": 21, "refused": 3}
    now = pl.read_parquet(made / "scores.parquet")
    answered_of = [
        pl.col("metric") == "firm_accuracy",
        pl.col("group_by") == "all",
        pl.col("attacker") == "llm",
    ]
    assert scores.filter(*answered_of)["answered"].to_list() == [6]
    assert now.filter(*answered_of)["answered"].to_list() == [9]
    day = datetime.now(UTC).date().isoformat()
    note = f"Rescored with neuter {__version__} on {day}: 3 of 24 guesses changed."
    assert told.result.notes[-1] == note
    assert before["status"] == told.result.run["status"] == "done"
    assert told.result.run["rescored"] == [{"neuter": __version__, "on": day, "guesses": 24, "changed": 3}]


def test_a_second_rescoring_changes_nothing_and_a_repeated_command_keeps_it(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answered, "parse_identification", better)
    first = nt.rescore(made)
    after = files(made)
    assert nt.rescore(made).done.changed == 0
    assert files(made) == after
    configured(tmp_path, "http://127.0.0.1:9/v1")
    again = evaluate(tmp_path, store=tmp_path / "none.sqlite")
    assert (made / "scores.csv").read_bytes() == after["scores.csv"]
    assert again.notes[-1] == first.result.notes[-1]


def test_the_scores_are_those_of_a_run_that_was_parsed_so_at_once(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answered, "parse_identification", better)
    nt.rescore(made)
    with loopback_server(
        answer=lambda body: (
            REFUSAL
            if "Statement 3" in body["messages"][-1]["content"]
            else ODD
            if "Statement 2" in body["messages"][-1]["content"]
            else RIGHT
        )
    ) as server:
        configured(tmp_path, server.base_url)
        evaluate(tmp_path, out=tmp_path / "at-once", store=tmp_path / "other.sqlite")
    for name in ("scores.csv", "scores.parquet"):
        assert (made / name).read_bytes() == (tmp_path / "at-once" / name).read_bytes()
    one, two = record(made), record(tmp_path / "at-once")
    assert all(one[key] == two[key] for key in ("outcomes", "caveats", "comparisons", "status"))


@pytest.mark.parametrize("given", [{"schemes": ["none", "rules"]}, {"schemes": "none", "panel": "B"}])
def test_a_benchmark_with_a_run_within_the_run_is_rescored_alike(
    given: dict[str, Any], tmp_path: Path
) -> None:
    """Without a firm of the seven, Panel A is made on the sample; a simulated model answers."""
    corpus = [document for document in calls() if document.ticker != "AAPL"]
    out = tmp_path / "run"
    options = {
        "models": "simulated/well-read",
        "store": tmp_path / "s.sqlite",
        "report": False,
        "model_sample": 6,
    }
    nt.benchmark("masking", corpus=corpus, out=out, draws=50, **options, **given)
    before = files(out)
    told = nt.rescore(out).done
    assert (told.changed, told.scores_changed) == (0, False)
    assert files(out) == before
    if "panel" not in given:
        # Without the run within the run its scores would be lost.
        shutil.copytree(out, tmp_path / "copy", ignore=shutil.ignore_patterns("panel-a"))
        refused(tmp_path / "copy", "is not whole: panel-a/run.json missing")
        shutil.copytree(out, tmp_path / "other")
        damaged(tmp_path / "other" / "panel-a", "guesses/none--llm--*")
        refused(tmp_path / "other", r"is not whole: guesses/none--llm--\S+ missing")
    # What was made by an earlier parser: the guesses of one file are gone, though not the answers.
    for folder in (out, out / "panel-a") if "panel" not in given else (out,):
        file = next((folder / "guesses").glob("none--llm--*.parquet"))
        frame = pl.read_parquet(file)
        answered_ = pl.col("outcome") == "answered"
        nothing = [pl.lit(None).alias(name) for name in ("firm", "industry", "quarter", "year")]
        worse = frame.with_columns(
            pl.when(answered_).then(pl.lit("unparsed")).otherwise("outcome").alias("outcome"), *nothing
        )
        worse.cast(frame.schema).with_columns(
            pl.lit([], dtype=pl.List(pl.String)).alias("candidates")
        ).write_parquet(file)
    told = nt.rescore(out).done
    assert told.changed > 0
    after = files(out)
    assert {name for name in before if after[name] != before[name]} <= {
        "run.json",
        "panel-a/run.json",
        *(name for name in before if "--llm--" in name),
    }


def test_what_the_server_said_itself_no_parser_changes() -> None:
    said = {"answer": RIGHT, "id": "d", "scheme": "none", "attacker": "llm", "model": "a/b"}
    for kept in (
        Guess(**said, outcome=Outcome.REFUSED, reason="the model refused"),
        Guess(**said, outcome=Outcome.FILTERED, reason="the server's content filter stopped the answer"),
        Guess(**said, outcome=Outcome.FAILED, reason="no answer within 60 seconds"),
        Guess(**{**said, "answer": None}, outcome=Outcome.UNPARSED, reason="the answer is empty"),
    ):
        assert reparsed(kept) == kept


def test_a_truncated_answer_stays_so_unless_all_of_it_is_there() -> None:
    said = {"id": "d", "scheme": "none", "attacker": "llm", "model": "a/b"}
    reason = "the answer reached its limit of tokens"
    cut = Guess(**said, outcome=Outcome.TRUNCATED, answer=RIGHT[:60], reason=reason)
    assert reparsed(cut) == cut
    whole = reparsed(Guess(**said, outcome=Outcome.TRUNCATED, answer=RIGHT, reason=reason))
    assert (whole.outcome, whole.firm, whole.reason) == ("answered", "AAPL", answered.CUT_OFF)
    assert reparsed(whole) == whole
    less = reparsed(Guess(**said, outcome=Outcome.ANSWERED, answer=RIGHT[:60], reason=answered.CUT_OFF))
    assert (less.outcome, less.firm, less.reason) == ("truncated", None, reason)


def test_the_command_says_what_changed(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(answered, "parse_identification", better)
    assert run(["report", "rescore", str(made), "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["rescored"] == {
        "guesses": 24,
        "changed": 3,
        "by_outcome": {"unparsed to answered": 3},
        "by_field": {"outcome": 3, "firm": 3, "industry": 3, "quarter": 3, "year": 3},
    }
    said = " ".join(told.err.split())
    assert "3 of 24 guesses changed; the scores changed." in said
    assert "• AAPL-2 (none · llm · loop/m): outcome unparsed → answered; firm None → AAPL" in said


def test_an_unfinished_run_is_refused(made: Path) -> None:
    told = record(made) | {"status": "stopped"}
    (made / "run.json").write_text(json.dumps(told))
    with pytest.raises(RunError, match=r"is not finished \(stopped\)"):
        nt.rescore(made)


def damaged(made: Path, *gone: str) -> None:
    """The run without these files or folders."""
    for name in gone:
        for file in made.glob(name):
            shutil.rmtree(file) if file.is_dir() else file.unlink()


def refused(run: Path, words: str) -> None:
    """The run cannot be rescored, and stays as it is."""
    before = files(run)
    with pytest.raises(RunError, match=words):
        nt.rescore(run)
    assert {name: told for name, told in files(run).items() if name != ".lock"} == {
        name: told for name, told in before.items() if name != ".lock"
    }


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        (["guesses"], r"is not whole: guesses/ missing.*nothing was written. Copy the whole folder again"),
        (
            ["guesses/*"],
            r"guesses/none--llm--loop_m-\w+.parquet, guesses/none--prior--loop_m-\w+.parquet missing",
        ),
        (["guesses/none--llm--*"], r"is not whole: guesses/none--llm--loop_m-\w+.parquet missing"),
        (
            ["guesses/none--prior--*", "scores.*"],
            r"is not whole: guesses/none--prior--loop_m-\w+.parquet missing",
        ),
        (["documents.parquet"], r"is not whole: documents.parquet missing"),
    ],
)
def test_a_partial_copy_is_refused_and_nothing_is_written(made: Path, gone: list[str], words: str) -> None:
    damaged(made, *gone)
    refused(made, words)
    assert (made / "guesses").exists() == (gone != ["guesses"])


def test_a_file_that_was_cut_off_is_found_before_another_is_written(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (last,) = (made / "guesses").glob("none--prior--*")
    last.write_bytes(last.read_bytes()[:-100])
    monkeypatch.setattr(answered, "parse_identification", better)
    refused(made, "not a readable guesses file")


def test_what_was_not_run_is_not_missed(made: Path) -> None:
    """The prior could not be asked; the record says so, and that it was answered once."""
    damaged(made, "guesses/none--prior--*", "scores.*")
    skipped = {"scheme": "", "attacker": "prior", "model": "loop/m", "reason": "no key"}
    (made / "run.json").write_text(json.dumps(record(made) | {"not_run": [skipped]}))
    assert nt.rescore(made).done.guesses == 12


def test_what_was_scored_is_missed_although_a_later_session_could_not_ask(made: Path) -> None:
    damaged(made, "guesses/none--llm--*")
    skipped = {"scheme": "", "attacker": "llm", "model": "loop/m", "reason": "no key"}
    (made / "run.json").write_text(json.dumps(record(made) | {"not_run": [skipped]}))
    refused(made, r"is not whole: guesses/none--llm--loop_m-\w+.parquet missing")


def test_what_the_plan_asks_of_models_is_missed_without_scores_or_witness(made: Path) -> None:
    damaged(made, "guesses/none--llm--*", "scores.*")
    (made / "run.json").write_text(json.dumps(record(made) | {"answered_by": {}}))
    refused(made, r"is not whole: guesses/none--llm--loop_m-\w+.parquet missing")


def test_scores_that_are_gone_are_made_again(made: Path) -> None:
    before = (made / "scores.parquet").read_bytes()
    damaged(made, "scores.*")
    assert nt.rescore(made).done.scores_changed
    assert (made / "scores.parquet").read_bytes() == before


def test_without_a_model_the_plan_tells_what_is_missing(tmp_path: Path) -> None:
    nt.evaluate(calls(), schemes=["none", "rules"], attackers=["linkage", "majority"], out=tmp_path / "run")
    damaged(tmp_path / "run", "guesses/rules--majority.parquet")
    refused(tmp_path / "run", "is not whole: guesses/rules--majority.parquet missing")
    damaged(tmp_path / "run", "scores.*")
    refused(tmp_path / "run", "is not whole: guesses/rules--majority.parquet missing")


def test_a_suite_that_scores_by_itself_is_refused(made: Path) -> None:
    (made / "run.json").write_text(json.dumps(record(made) | {"suite": "mine"}))
    with pytest.raises(RunError, match="the suite 'mine' scores by itself"):
        nt.rescore(made)


def test_other_firms_than_the_runs_are_refused(made: Path) -> None:
    told = record(made)
    told["config"]["firms"] = "sha256:other"
    (made / "run.json").write_text(json.dumps(told))
    with pytest.raises(RunError, match="other firms of your own"):
        nt.rescore(made)
