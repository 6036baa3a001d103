"""What a recall run tells of models, cutoffs and readings, and the parts of time that it scores."""

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from neuter import api
from neuter.data.panel import firm_panel
from neuter.errors import ModelError, RunError
from neuter.models.catalog import facts
from neuter.scoring.recall.schema import ANSWERS_SCHEMA
from neuter.suites.cutoffs import source_of_cutoff
from neuter.suites.frames import read_frame
from neuter.suites.recall.macro import Macro
from neuter.suites.recall.published import with_published
from neuter.suites.recall.rescoring import reread
from neuter.suites.recall.running import run_recall
from neuter.suites.recall.summary import Summary
from neuter.suites.run_folder import RunFolder
from neuter.suites.suite import Setting
from neuter.types import Outcome, Response

YEARS = Macro(series=["unemployment_rate"], since="2014-01", until="2015-12", cutoff="2023-10")


class Says:
    model = "fake/one"

    def __init__(self, *names):
        self.names = names or ("fake-1",)

    def ask(self, requests):
        for number, request in enumerate(requests):
            name = self.names[number % len(self.names)]
            yield Response(request.id, Outcome.ANSWERED, '{"answer": 5.5}', model=name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def carried_out(path, connect, required=("fake/one",)):
    setting = Setting(models=("fake/one",), required=frozenset(required), draws=100, connect=connect)
    with RunFolder.open(path, {"suite": YEARS.name}, command="benchmark") as folder:
        folder.save(**YEARS.about())
        run_recall(YEARS, setting, folder)
        return dict(folder.record)


def away(_name):
    raise ModelError("the server is away")


def test_the_recent_part_is_scored_from_its_first_day(tmp_path):
    """Table 1: from October 2014 on."""
    carried_out(tmp_path / "run", lambda _name: Says())
    scores = pl.read_parquet(tmp_path / "run" / "scores.parquet")
    rows = scores.filter(metric="mean_absolute_error", attacker="llm", series="unemployment_rate")
    spans = {row["split"]: (row["first_date"], row["n"]) for row in rows.iter_rows(named=True)}
    assert (spans["pre"], spans["recent"]) == ((date(2014, 1, 1), 24), (date(2014, 10, 1), 15))


def test_a_model_that_was_named_and_cannot_be_asked_is_an_error(tmp_path):
    with pytest.raises(ModelError, match="the server is away"):
        carried_out(tmp_path / "one", away)
    record = carried_out(tmp_path / "two", away, required=())
    assert (record["status"], len(record["not_run"])) == ("done", 1)


def test_a_model_that_answered_under_two_names_is_told_of_and_kept(tmp_path):
    record = carried_out(tmp_path / "run", lambda _name: Says("fake-1", "fake-2"))
    assert any("fake-1" in note and "fake-2" in note for note in record["notes"])
    (told,) = record["answered_by"].values()
    assert told == {"model": "fake/one", "names": {"fake-1": 12, "fake-2": 12}}
    # Also when the run goes on and asks nothing.
    again = carried_out(tmp_path / "run", lambda _name: Says())
    assert any("fake-1" in note and "fake-2" in note for note in again["notes"])


def test_a_run_that_was_scored_anew_says_so_when_it_goes_on(tmp_path):
    path = tmp_path / "run"
    carried_out(path, lambda _name: Says())
    (file,) = (path / "answers").iterdir()
    pl.read_parquet(file).with_columns(pl.lit(7.0).alias("number")).write_parquet(file)
    assert api.rescore(path).done.changed == 24
    again = carried_out(path, lambda _name: Says())
    assert any(note.startswith("Rescored with neuter") and "24 of 24" in note for note in again["notes"])


def test_a_cutoff_has_its_source(tmp_path):
    model = "openai/gpt-4o-2024-08-06"
    known = facts(model)
    assert source_of_cutoff(model, None) == f"{known.source}, checked {known.checked}"
    config = tmp_path / "neuter.toml"
    config.write_text('[models."local/smollm2-135m"]\ncutoff = "2024-03"\n')
    assert source_of_cutoff("local/smollm2-135m", None, config) == str(config)
    assert source_of_cutoff(model, "2020-01") == "given with --cutoff"


def test_an_answer_without_a_text_is_not_read_anew():
    asked = Macro(series=["gdp_growth"], since="2008-10", until="2008-10-31").questions(
        Setting(models=("simulated/cutoff=2023-10",))
    )
    row = {**dict.fromkeys(ANSWERS_SCHEMA), "id": asked["id"][0], "model": "m", "outcome": "refused"}
    before = pl.DataFrame([row], schema=ANSWERS_SCHEMA, orient="row")
    assert reread(asked, before, zero_is_answer=False).equals(before)


def test_portfolios_of_the_summary_are_drawn_of_the_users_panel(monkeypatch):
    monkeypatch.setattr("neuter.data.sources.find_panel", lambda _sources: firm_panel())
    drawn = [Summary(crsp=("mine.csv",))._portfolios(seed) for seed in (0, 0, 1)]
    assert drawn[0] is not None
    assert drawn[0].equals(drawn[1])
    assert not drawn[0].equals(drawn[2])
    assert Summary()._portfolios(0) is None


def test_the_summary_is_of_the_users_own_values(tmp_path):
    """Two values, 2 and 4: their mean is 3, and one of two is above 2.5."""
    own = tmp_path / "own.csv"
    own.write_text("date,value\n2020-01-01,2.0\n2020-04-01,4.0\n", encoding="utf-8")
    result = api.benchmark(
        "summary",
        data=[f"gdp_growth={own}"],
        since="2020-01",
        until="2020-06-30",
        out=tmp_path / "run",
        report=False,
    )
    rows = result.scores.filter(series="gdp_growth")
    found = dict(rows.select("metric", "value").iter_rows())
    assert (found["mean"], found["direction"]) == (3.0, 50.0)


def test_intervals_follow_from_the_runs_seed_and_draws(tmp_path):
    """By the block bootstrap, which draws; the figures themselves do not."""
    ends = {}
    for name, seed, draws in (("one", 0, 100), ("again", 0, 100), ("seed", 1, 100), ("draws", 0, 150)):
        suite = replace(YEARS, intervals="blocks")
        setting = Setting(("fake/one",), seed, draws, connect=lambda _name: Says())
        with RunFolder.open(tmp_path / name, {"suite": suite.name}, command="benchmark") as folder:
            run_recall(suite, setting, folder)
        scores = pl.read_parquet(tmp_path / name / "scores.parquet")
        row = scores.filter(metric="mean_error", attacker="llm", split="pre", series="unemployment_rate")
        ends[name] = row.select("value", "ci_low", "ci_high").row(0)
    assert ends["one"] == ends["again"]
    assert len({ends["one"], ends["seed"], ends["draws"]}) == 3
    assert len({value for value, _, _ in ends.values()}) == 1


def test_a_damaged_frame_is_named_with_what_to_do(tmp_path):
    file = tmp_path / "questions.parquet"
    file.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(RunError, match=r"questions\.parquet.*Delete it"):
        read_frame(file)
    with pytest.raises(RunError, match="cannot be read"):
        read_frame(tmp_path / "absent.parquet")


class Remarks(Says):
    notes = ("It answers in capitals.", "WARNING: somebody else answers.")


def test_remarks_of_a_model_are_notes_of_its_run(tmp_path):
    record = carried_out(tmp_path / "run", lambda _name: Remarks())
    assert "It answers in capitals." in record["notes"]
    assert not any("somebody else" in note for note in record["notes"])


def test_a_part_of_the_answers_has_no_published_figure_beside(tmp_path):
    carried_out(tmp_path / "run", lambda _name: Says())
    scores = pl.read_parquet(tmp_path / "run" / "scores.parquet")
    ours = scores.filter(
        metric="mean_absolute_error", attacker="llm", split="pre", series="unemployment_rate"
    )
    assert with_published(ours)["published"].null_count() == 0
    of_a_group = ours.with_columns(pl.lit("size").alias("group_by"))
    assert with_published(of_a_group)["published"].null_count() == of_a_group.height
