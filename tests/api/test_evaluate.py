"""The main job on small corpora: the right figures, the right outcomes, and nothing asked or done twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import neuter as nt
from neuter.errors import CorpusError, PluginError, RunError, UnknownName, UsageError
from neuter.models.testing import loopback_server
from neuter.types import Document, Guess, MaskedDocument, Outcome

WORDS = {
    "AAPL": "orchards cider presses bushels pruning grafting",
    "MSFT": "windows glazing frames putty sashes hinges",
    "HOG": "motorcycles saddles exhausts rallies chrome riders",
    "ETD": "sofas upholstery looms walnut showrooms designers",
}
CAPS = {"AAPL": 2.5e12, "MSFT": 2.1e12, "HOG": 5e9, "ETD": 6e8}


def corpus(copies: int = 3) -> list[Document]:
    return [
        Document(
            id=f"{ticker}-{k}",
            text=f"Statement {k}: we sold {words} in our shops. The weather of period {k} was mild.",
            ticker=ticker,
            fiscal_year=2022,
            fiscal_quarter=k,
            market_cap=CAPS[ticker],
        )
        for ticker, words in WORDS.items()
        for k in range(1, copies + 1)
    ]


def value(scores: pl.DataFrame, **where: str) -> float:
    (row,) = scores.filter(*(pl.col(key) == wanted for key, wanted in where.items())).to_dicts()
    return row["value"]


class Blanks:
    """A scheme of a user's own: every text becomes the same one."""

    name = "blanks"
    reversible = False

    def fit(self, documents: Iterable[Document]) -> Blanks:
        return self

    def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]:
        for document in documents:
            yield MaskedDocument(document.id, "nothing to see", self.name, document.kind, None)


class Fails(Blanks):
    """A scheme that fails on one document."""

    name = "fails"

    def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]:
        for document in documents:
            bad = document.id == "HOG-2"
            yield MaskedDocument(
                document.id,
                None if bad else document.text,
                self.name,
                document.kind,
                None,
                Outcome.FAILED if bad else Outcome.ANSWERED,
                "server gone" if bad else "",
            )


def test_linkage_finds_every_firm_in_raw_texts_and_none_better_than_chance_in_blank_ones(tmp_path: Path):
    result = nt.evaluate(corpus(), schemes=["none", Blanks()], attackers=["linkage"], out=tmp_path / "run")
    found = {
        scheme: value(
            result.scores, scheme=scheme, attacker="linkage", metric="firm_accuracy", group_by="all"
        )
        for scheme in ("none", "blanks")
    }
    assert found["none"] == 100.0
    assert found["blanks"] <= 25.0
    sizes = result.scores.filter(pl.col("group_by") == "size")["group"].unique().to_list()
    assert sorted(sizes) == ["Large", "Mid", "Small"]
    (comparison,) = result.run["comparisons"]
    assert comparison["difference"] == found["none"] - found["blanks"]


def test_firms_with_one_document_are_left_out_of_linkage_and_counted(tmp_path: Path):
    one = Document(id="alone", text="Alone we sold looms.", ticker="COST", market_cap=3e11)
    result = nt.evaluate([*corpus(2), one], schemes=["none"], attackers=["linkage"], out=tmp_path / "run")
    assert any("8 documents whose firm has two or more; 1 of 9 were left out" in n for n in result.notes)
    assert "alone" not in pl.read_parquet(tmp_path / "run/guesses/none--linkage.parquet")["id"].to_list()


def test_a_document_that_fails_to_mask_is_named_and_is_not_a_safe_one(tmp_path: Path):
    result = nt.evaluate(corpus(), schemes=[Fails()], attackers=["linkage"], out=tmp_path / "run")
    assert result.run["failures"] == [{"scheme": "fails", "id": "HOG-2", "reason": "server gone"}]
    assert result.run["status"] == "finished with failures"
    row = result.scores.filter(pl.col("metric") == "firm_accuracy", pl.col("group_by") == "all").to_dicts()[0]
    assert (row["answered"], row["failed"], row["value"]) == (11, 1, 100.0)
    masked = pl.read_parquet(tmp_path / "run/masked/fails.parquet")
    assert masked.filter(pl.col("id") == "HOG-2")["text"].to_list() == [None]


def test_a_model_is_asked_once_for_each_text_and_never_again(tmp_path: Path):
    with loopback_server(
        answer="Company Estimate: AAPL, Industry Estimate: Cider, Quarter Estimate: 1, Year Estimate: 2022"
    ) as server:
        config = tmp_path / "neuter.toml"
        config.write_text(f'[providers.loop]\nbase_url = "{server.base_url}"\n')
        options = {"schemes": ["none"], "attackers": ["llm", "prior"], "models": ["loop/m"], "config": config}
        first = nt.evaluate(corpus(), out=tmp_path / "a", **options)
        asked = server.requests
        second = nt.evaluate(corpus(), out=tmp_path / "b", **options)
        assert (asked, server.requests) == (13, 13)  # twelve texts and one prompt without a text
    assert (tmp_path / "a/scores.csv").read_bytes() == (tmp_path / "b/scores.csv").read_bytes()
    assert value(first.scores, attacker="llm", metric="firm_accuracy", group_by="size", group="Large") == 50.0
    assert value(
        first.scores, attacker="llm", metric="quarter_year_accuracy", group_by="all"
    ) == pytest.approx(100 / 3, abs=1e-5)
    assert second.run["status"] == "done"


def test_failed_calls_are_failures_and_not_wrong_guesses(tmp_path: Path):
    with loopback_server(faults=["400"]) as server:
        config = tmp_path / "neuter.toml"
        config.write_text(f'[providers.loop]\nbase_url = "{server.base_url}"\n')
        result = nt.evaluate(
            corpus(),
            schemes=["none"],
            attackers=["llm"],
            models=["loop/m"],
            config=config,
            out=tmp_path / "run",
        )
    row = result.scores.filter(pl.col("metric") == "firm_accuracy", pl.col("group_by") == "all").to_dicts()[0]
    assert (row["value"], row["answered"], row["failed"]) == (None, 0, 12)
    assert result.run["status"] == "finished with failures"


def test_a_server_that_is_down_is_a_row_that_was_not_run_and_the_rest_goes_on(tmp_path: Path):
    config = tmp_path / "neuter.toml"
    config.write_text('[providers.gone]\nbase_url = "http://127.0.0.1:9/v1"\n')
    result = nt.evaluate(
        corpus(),
        schemes=["none"],
        attackers=["linkage", "llm"],
        models=["gone/m"],
        config=config,
        out=tmp_path / "run",
    )
    (missing,) = result.run["not_run"]
    assert (missing["attacker"], missing["model"]) == ("llm", "gone/m")
    assert "127.0.0.1:9" in missing["reason"]
    assert result.run["status"] == "finished with failures"
    assert value(result.scores, attacker="linkage", metric="firm_accuracy", group_by="all") == 100.0


def test_a_run_that_is_there_is_not_done_again(tmp_path: Path):
    nt.evaluate(corpus(), schemes=["none"], attackers=["linkage"], out=tmp_path / "run")
    before = (tmp_path / "run/masked/none.parquet").stat().st_mtime_ns
    nt.evaluate(corpus(), schemes=["none"], attackers=["linkage"], out=tmp_path / "run")
    assert (tmp_path / "run/masked/none.parquet").stat().st_mtime_ns == before
    with pytest.raises(RunError, match="another configuration"):
        nt.evaluate(corpus(2), schemes=["none"], attackers=["linkage"], out=tmp_path / "run")


def test_unknown_names_list_the_nearest(tmp_path: Path):
    with pytest.raises(UnknownName, match="Did you mean rules"):
        nt.evaluate(corpus(), schemes=["rule"], out=tmp_path / "run")
    with pytest.raises(UnknownName, match="linkage"):
        nt.evaluate(corpus(), schemes=["none"], attackers=["linkge"], out=tmp_path / "run")
    with pytest.raises(UsageError, match="two schemes are called"):
        nt.evaluate(corpus(), schemes=[Blanks(), Blanks()], out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_scheme_in_a_file_is_found_by_its_path(tmp_path: Path):
    (tmp_path / "mine.py").write_text(
        "from neuter.types import MaskedDocument\n"
        "class Shout:\n"
        "    name = 'shout'\n    reversible = False\n"
        "    def fit(self, documents):\n        return self\n"
        "    def mask(self, documents):\n"
        "        for d in documents:\n"
        "            yield MaskedDocument(d.id, d.text.upper(), self.name, d.kind, None)\n"
    )
    result = nt.evaluate(
        corpus(), schemes=[f"{tmp_path}/mine.py:Shout"], attackers=["linkage"], out=tmp_path / "run"
    )
    assert value(result.scores, scheme="shout", metric="firm_accuracy", group_by="all") == 100.0


def test_killed_halfway_and_started_again_gives_the_same_scores_and_repeats_no_call(tmp_path: Path):
    # Under `rules` the number in the text is masked, so each text gets a plain word of its own.
    tags = [
        "amber",
        "birch",
        "cedar",
        "delta",
        "ember",
        "fjord",
        "glade",
        "heath",
        "islet",
        "jetty",
        "knoll",
        "larch",
        "marsh",
        "nacre",
        "ocean",
        "prism",
    ]
    rows = [
        {
            "id": d.id,
            "text": f"{d.text} The theme was {tag}.",
            "ticker": d.ticker,
            "fiscal_year": 2022,
            "fiscal_quarter": d.fiscal_quarter,
            "market_cap": d.market_cap,
        }
        for d, tag in zip(corpus(4), tags, strict=True)
    ]
    calls = tmp_path / "calls.jsonl"
    calls.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    with loopback_server(delay=0.1) as server:
        config = tmp_path / "neuter.toml"
        config.write_text(f'[providers.loop]\nbase_url = "{server.base_url}"\nconcurrency = 2\n')

        def started(out: str, store: str) -> subprocess.Popen[bytes]:
            command = [
                sys.executable,
                "-m",
                "neuter",
                "evaluate",
                str(calls),
                "--scheme",
                "none",
                "--scheme",
                "rules",
            ]
            command += [
                "--attacker",
                "linkage",
                "--attacker",
                "llm",
                "--model",
                "loop/m",
                "--config",
                str(config),
            ]
            command += ["--out", str(tmp_path / out), "--store", str(tmp_path / store)]
            return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ)

        killed = started("killed", "killed.sqlite")
        deadline = time.monotonic() + 60
        while server.requests < 16 and time.monotonic() < deadline:
            time.sleep(0.02)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        at_kill = server.requests
        assert 16 <= at_kill < 32
        assert started("killed", "killed.sqlite").wait(timeout=120) == 0
        # Each of the 32 requests is made once; only the two under way at the kill may be made again.
        assert server.unique == 32
        assert server.requests <= 32 + 2
        again = server.requests
        assert started("killed", "killed.sqlite").wait(timeout=120) == 0
        assert server.requests == again
        assert started("whole", "whole.sqlite").wait(timeout=120) == 0
    assert (tmp_path / "killed/scores.csv").read_bytes() == (tmp_path / "whole/scores.csv").read_bytes()
    assert (tmp_path / "killed/scores.parquet").read_bytes() == (
        tmp_path / "whole/scores.parquet"
    ).read_bytes()


def test_an_edited_scheme_file_is_another_scheme(tmp_path: Path):
    file = tmp_path / "mine.py"
    code = (
        "from neuter.types import MaskedDocument\n"
        "class Mine:\n"
        "    name = 'mine'\n    reversible = False\n"
        "    def fit(self, documents):\n        return self\n"
        "    def mask(self, documents):\n"
        "        for d in documents:\n"
        "            yield MaskedDocument(d.id, WORD, self.name, d.kind, None)\n"
    )
    file.write_text(code + "WORD = 'one'\n")
    nt.evaluate(corpus(), schemes=[f"{file}:Mine"], attackers=["majority"], out=tmp_path / "run")
    file.write_text(code + "WORD = 'two'\n")
    with pytest.raises(RunError, match="schemes differ"):
        nt.evaluate(corpus(), schemes=[f"{file}:Mine"], attackers=["majority"], out=tmp_path / "run")


def test_a_misspelt_parameter_is_refused_with_the_nearest(tmp_path: Path):
    with pytest.raises(UsageError, match="Did you mean neighbours"):
        nt.evaluate(
            corpus(),
            schemes=["none"],
            attackers=["linkage"],
            parameters={"linkage": {"neighbors": 3}},
            out=tmp_path / "run",
        )


def test_a_scheme_of_ones_own_that_raises_is_named_with_its_place(tmp_path: Path):
    class Breaks(Blanks):
        name = "breaks"

        def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]:
            yield from list(super().mask(documents))[:2]
            raise ValueError("no third one")

    with pytest.raises(
        PluginError, match=r"test_evaluate\.py:\d+: masking: breaks failed after 2 documents: ValueError"
    ):
        nt.evaluate(corpus(), schemes=[Breaks()], attackers=["majority"], out=tmp_path / "run")
    assert json.loads((tmp_path / "run/run.json").read_text())["status"] == "failed"
    # Nothing was finished, so the folder is free for another configuration.
    nt.evaluate(corpus(), schemes=["none"], attackers=["majority"], out=tmp_path / "run")


def test_a_class_that_is_no_scheme_says_what_it_lacks(tmp_path: Path):
    class Nothing:
        name = "nothing"

    with pytest.raises(UsageError, match="reversible, fit, mask"):
        nt.evaluate(corpus(), schemes=[Nothing()], out=tmp_path / "run")  # type: ignore[list-item]


def test_a_corpus_without_firm_and_year_is_refused_with_its_columns(tmp_path: Path):
    (tmp_path / "c.csv").write_text("id,text,Ticker Symbol\na,words,AAPL\nb,more words,AAPL\n")
    with pytest.raises(CorpusError, match="Ticker Symbol"):
        nt.evaluate(tmp_path / "c.csv", schemes=["none"], attackers=["linkage"], out=tmp_path / "run")


def test_the_whole_reference_is_masked_when_asked_for(tmp_path: Path):
    whole = pl.DataFrame(
        [{"id": d.id, "text": d.text, "ticker": d.ticker, "fiscal_year": 2022} for d in corpus()]
    )
    options = {"schemes": ["none"], "attackers": ["linkage"], "limit": 4}
    part = nt.evaluate(whole, out=tmp_path / "part", **options)
    full = nt.evaluate(whole, out=tmp_path / "full", full_masked_reference=True, **options)
    assert pl.read_parquet(tmp_path / "full/masked-reference/none.parquet").height == 12
    assert not (tmp_path / "part/masked-reference").exists()
    assert any("100.0% with the full texts masked" in note for note in full.notes)
    assert any("as this run masked them" in note for note in part.notes)


def test_three_readings_of_the_quarter_are_scored_where_the_fiscal_year_end_is_known(tmp_path: Path):
    result = nt.evaluate("corpora:sample", schemes=["none"], attackers=["majority"], out=tmp_path / "run")
    metrics = set(result.scores["metric"])
    assert metrics >= {
        "quarter_year_accuracy",
        "calendar_quarter_year_accuracy",
        "call_quarter_year_accuracy",
    }


def test_calls_that_failed_are_made_again_and_only_those(tmp_path: Path):
    config = tmp_path / "neuter.toml"
    options = {"schemes": ["none"], "attackers": ["llm"], "models": ["loop/m"], "config": config}
    with loopback_server(faults=["400"]) as server:
        config.write_text(f'[providers.loop]\nbase_url = "{server.base_url}"\n')
        port = int(server.base_url.rsplit(":", 1)[1].split("/")[0])
        broken = nt.evaluate(corpus(), out=tmp_path / "run", **options)
    assert broken.run["outcomes"] == {"failed": 12}
    with loopback_server(port=port) as server:
        mended = nt.evaluate(corpus(), out=tmp_path / "run", **options)
        assert server.requests == 12
    assert (mended.run["status"], mended.run["outcomes"]) == ("done", {"answered": 12})


def test_a_scheme_under_which_everything_fails_leaves_the_others_their_scores(tmp_path: Path):
    class AllFail(Blanks):
        name = "all-fail"

        def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]:
            for document in documents:
                yield MaskedDocument(
                    document.id, None, self.name, document.kind, None, Outcome.FAILED, "gone"
                )

    result = nt.evaluate(corpus(), schemes=["none", AllFail()], attackers=["linkage"], out=tmp_path / "run")
    assert value(result.scores, scheme="none", metric="firm_accuracy", group_by="all") == 100.0
    assert result.run["outcomes"] == {"answered": 12, "failed": 12}


def test_an_attacker_that_leaves_documents_out_is_refused(tmp_path: Path):
    class Skips:
        name = "skips"

        def fit(self, reference: Iterable[Document]) -> Skips:
            return self

        def attack(self, documents: Iterable[MaskedDocument]) -> Iterator[Guess]:
            yield from (Guess(d.id, d.scheme, self.name) for d in documents if not d.id.endswith("2"))

    with pytest.raises(PluginError, match=r"AAPL-3.*AAPL-2"):
        nt.evaluate(corpus(), schemes=["none"], attackers=[Skips()], out=tmp_path / "run")
    assert not list((tmp_path / "run/guesses").glob("*.parquet"))


def test_a_damaged_stage_says_which_file_to_delete(tmp_path: Path):
    nt.evaluate(corpus(), schemes=["none"], attackers=["majority"], out=tmp_path / "run")
    (tmp_path / "run/guesses/none--majority.parquet").write_bytes(b"PAR1 half")
    with pytest.raises(RunError, match=r"none--majority\.parquet.*Delete it"):
        nt.evaluate(corpus(), schemes=["none"], attackers=["majority"], out=tmp_path / "run")


def test_overwriting_a_run_leaves_the_users_own_files_and_never_takes_what_it_reads(tmp_path: Path):
    run = tmp_path / "run"
    nt.evaluate(corpus(), schemes=["none"], attackers=["majority"], out=run)
    (run / "notes.txt").write_text("mine")
    nt.evaluate(corpus(2), schemes=["none"], attackers=["majority"], out=run, overwrite=True)
    assert (run / "notes.txt").read_text() == "mine"
    with pytest.raises(RunError, match=r"masked/none\.parquet, which this run reads"):
        nt.evaluate(
            run / "masked/none.parquet", schemes=["rules"], attackers=["majority"], out=run, overwrite=True
        )
    assert (run / "masked/none.parquet").exists()


def test_a_seeded_sample_is_drawn_with_the_runs_seed(tmp_path: Path):
    drawn = [
        nt.evaluate(
            corpus(), schemes=["none"], attackers=["majority"], sample=4, seed=seed, out=tmp_path / f"{n}"
        )
        for n, seed in enumerate((5, 5, 6, 7, 8))
    ]
    ids = [pl.read_parquet(one.folder / "documents.parquet")["id"].to_list() for one in drawn]
    assert ids[0] == ids[1]
    assert len({tuple(one) for one in ids}) > 1


def test_a_masker_that_is_gone_at_a_resumption_leaves_what_was_masked_and_scored(tmp_path: Path):
    config = tmp_path / "neuter.toml"
    options = {
        "schemes": ["entity-neutering"],
        "attackers": ["majority"],
        "masker": "loop/m",
        "config": config,
        "out": tmp_path / "run",
    }

    def but_one(body: dict[str, Any]) -> str:
        return "" if "motorcycles" in body["messages"][0]["content"] else "Company_1 sold product_x."

    with loopback_server(answer=but_one, faults=["400"], times=1) as server:
        config.write_text(f'[providers.loop]\nbase_url = "{server.base_url}"\n')
        nt.evaluate(corpus(), **options)  # every first call fails
        first = nt.evaluate(corpus(), **options)
        assert [f["id"] for f in first.run["failures"]] == ["HOG-1", "HOG-2", "HOG-3"]
        rows = first.scores.height
    # The stage counts as unfinished, the server is gone, and another store holds no answers.
    path = tmp_path / "run/masked/entity-neutering.parquet"
    frame = pl.read_parquet(path)
    frame.with_columns(pl.lit("failed").alias("outcome")).write_parquet(path)
    again = nt.evaluate(corpus(), **options, store=tmp_path / "gone.sqlite")
    assert again.run["not_run"][0]["scheme"] == "entity-neutering"
    assert again.scores.height == rows > 0
