from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from neuter.errors import RunError
from neuter.reports.choice import choose, shares
from neuter.reports.run_view import load_run
from neuter.types import Document


def test_a_whole_small_run_is_shown_in_corpus_order(run) -> None:
    view = load_run(run.folder, documents=1000)
    assert view.total == len(view.documents) == 96
    assert [d.truth.id for d in view.documents] == list(run.originals)
    assert [m.scheme for m in view.documents[0].masked] == ["none", "presidio", "rules"]
    assert all(d.original == run.originals[d.truth.id] for d in view.documents)


def test_a_choice_is_stratified_seeded_and_in_order(run) -> None:
    view = load_run(run.folder, documents=30)
    assert Counter(d.truth.size for d in view.documents) == {"Large": 10, "Mid": 10, "Small": 10}
    ids = [d.truth.id for d in view.documents]
    assert ids == [d.truth.id for d in load_run(run.folder, documents=30).documents]
    assert ids == sorted(ids, key=list(run.originals).index)


def test_documents_that_every_attacker_saw_are_preferred() -> None:
    truths = {str(n): Document(str(n), "", size="Large") for n in range(100)}
    guessed = [*truths, "7", "42", "99"]
    assert choose(truths, guessed, 3, seed=0) == ["7", "42", "99"]


def test_shares_add_up_and_follow_the_sizes() -> None:
    assert shares({"Large": 528, "Mid": 530, "Small": 420}, 60) == {"Large": 21, "Mid": 22, "Small": 17}


def test_guesses_say_what_is_right(run) -> None:
    view = load_run(run.folder, documents=1000)
    guesses = [g for d in view.documents for m in d.masked if m.scheme == "none" for g in m.guesses]
    linkage = [g for g in guesses if g.attacker == "linkage"]
    scores = view.scores.filter(
        (pl.col("scheme") == "none")
        & (pl.col("attacker") == "linkage")
        & (pl.col("metric") == "firm_accuracy")
        & (pl.col("group_by") == "all")
    )
    assert 100 * sum(g.firm_right is True for g in linkage) / 96 == pytest.approx(scores["value"][0])
    assert {g.firm_right for g in guesses if g.outcome != "answered"} == {None}
    assert any(g.firm == "ALDE (Alder Systems Inc.)" for g in linkage)


def test_the_callable_given_decides_who_is_right(run) -> None:
    view = load_run(run.folder, documents=5, same_firm=lambda _guess, _truth: True)
    assert all(
        g.firm_right is (True if g.firm else None)
        for d in view.documents
        for m in d.masked
        for g in m.guesses
    )


def test_a_failed_mask_has_no_text_but_its_reason(run) -> None:
    view = load_run(run.folder, documents=1000)
    mask = view.documents[5].masked[1]
    assert (mask.text, mask.outcome, mask.reason) == (None, "failed", "the analyzer gave up on this text")


def test_sizes_of_the_run_come_before_those_of_the_corpus(run, tmp_path: Path) -> None:
    folder = _copy(run.folder, tmp_path)
    pl.DataFrame({"id": list(run.originals), "size": ["Tiny"] * 96}).write_parquet(
        folder / "documents.parquet"
    )
    assert {d.truth.size for d in load_run(folder, documents=5).documents} == {"Tiny"}


def test_originals_are_absent_where_nobody_gave_them(run, tmp_path: Path) -> None:
    folder = _copy(run.folder, tmp_path)
    (folder / "masked" / "none.parquet").unlink()
    assert load_run(folder, documents=2).documents[0].original is None
    given = load_run(folder, originals=run.originals, documents=2)
    assert given.documents[0].original == run.originals[given.documents[0].truth.id]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda f: (f / "run.json").unlink(), "there is no run.json"),
        (lambda f: (f / "run.json").write_text("{"), "run.json: cannot be read"),
        (lambda f: (f / "run.json").write_text("[1]"), "is not the run.json of neuter"),
        (lambda f: (f / "scores.parquet").unlink(), "there is no scores.parquet"),
        (lambda f: (f / "scores.parquet").write_bytes(b"PAR1"), "scores.parquet: cannot be read"),
        (lambda f: pl.DataFrame({"a": [1]}).write_parquet(f / "scores.parquet"), "lacks scheme, attacker"),
        (lambda f: (f / "masked" / "rules.parquet").write_bytes(b"x"), "rules.parquet: cannot be read"),
        (
            lambda f: pl.DataFrame({"id": ["a"]}).write_parquet(f / "masked" / "rules.parquet"),
            "lacks a column",
        ),
        (
            lambda f: (f / "guesses" / "none--linkage.parquet").write_bytes(b""),
            "linkage.parquet: cannot be read",
        ),
        (
            lambda f: pl.DataFrame({"id": ["a"]}).write_parquet(f / "guesses" / "none--linkage.parquet"),
            "lacks the columns scheme, attacker",
        ),
    ],
)
def test_damage_is_named(run, tmp_path: Path, damage, told: str) -> None:
    folder = _copy(run.folder, tmp_path)
    damage(folder)
    with pytest.raises(RunError, match=told):
        load_run(folder)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"there is no run\.json"):
        load_run(tmp_path / "nowhere")


def test_a_run_without_masks_or_guesses_still_has_its_scores(run, tmp_path: Path) -> None:
    shutil.copy(run.folder / "scores.parquet", tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"command": "evaluate"}))
    view = load_run(tmp_path)
    assert (view.documents, view.total, view.notes) == ((), 0, ())
    assert view.scores.height > 0


def _copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))
