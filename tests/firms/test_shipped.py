"""The shipped data: found, complete, and the same when it is built again."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

from neuter.errors import CorpusError
from neuter.firms.universe import universe
from neuter.shipped import shipped_path

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("NEUTER_SHARED_DATA", ROOT.parent / "shared/data"))


def test_shipped_data_is_found_from_a_checkout() -> None:
    assert shipped_path("firms", "firms.parquet").is_file()
    assert shipped_path("firms", "no such file").parent.name == "firms"


def test_another_folder_may_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEUTER_CORPORA", str(tmp_path))
    assert shipped_path("firms") == tmp_path / "firms"
    monkeypatch.setenv("NEUTER_CORPORA", str(tmp_path / "none"))
    with pytest.raises(CorpusError, match="NEUTER_CORPORA"):
        shipped_path("firms")


@pytest.mark.parametrize("folder", ["firms", "breakpoints"])
def test_manifests_name_what_is_there(folder: str) -> None:
    manifest = tomllib.loads(shipped_path(folder, "manifest.toml").read_text())
    assert {"title", "source", "licence", "transformation", "checks", "files"} <= set(manifest)
    assert all(shipped_path(folder, file["name"]).is_file() for file in manifest["files"])


def test_the_universe_is_small_and_its_labels_are_unique() -> None:
    assert shipped_path("firms", "firms.parquet").stat().st_size < 1_500_000
    labels = [firm.label for firm in universe().firms]
    assert len(labels) > 10_000
    assert len(labels) - len(set(labels)) < 3  # a name borne by two firms, neither with a CIK


def test_ciks_are_the_secs() -> None:
    frame = pl.read_parquet(shipped_path("firms", "firms.parquet"))
    known = {"AAPL": 320193, "MSFT": 789019, "BRK-B": 1067983, "JPM": 19617, "XYZ": 1512673, "FOXA": 1754301}
    for ticker, cik in known.items():
        assert frame.filter(pl.col("ticker") == ticker)["cik"].drop_nulls().to_list() == [cik]
    assert frame["cik"].drop_nulls().is_unique().all()


def test_names_have_nothing_of_the_exchanges_list_at_their_end() -> None:
    """ "Revlon Inc. New" is Revlon: new shares are a security and no name."""
    said = (" new", " 'new'", " (new)", " registry shares")
    names = [name for firm in universe().firms for name in (firm.name, *(span.value for span in firm.names))]
    assert not [name for name in names if name.lower().endswith(said)]


@pytest.mark.parametrize(
    ("ticker", "holders"),
    [
        ("VIA", ["Viacom Inc.", "Via Renewables, Inc.", "Via Transportation Inc."]),
        ("WTW", ["WW International Inc.", "Willis Towers Watson"]),
        ("GOLD", ["Randgold Resources Limited", "Barrick Mining Corporation", "Gold.com Inc."]),
        ("OSG", ["Overseas Shipholding Group Inc.", "Octave Specialty Group Inc."]),
        ("GAS", ["Nicor Inc.", "AGL Resources Inc."]),
    ],
)
def test_a_ticker_that_was_handed_on_has_one_holder_at_a_time(ticker: str, holders: list[str]) -> None:
    held = [(s.last, s.first, f.name) for f in universe().firms for s in f.tickers if s.value == ticker]
    assert [name for *_, name in sorted(held)] == holders
    for (last, _, _), (_, first, _) in pairwise(sorted(held)):
        assert last <= first  # in the month in which it is handed on, both held it


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the raw data is not here")
@pytest.mark.parametrize(("folder", "name"), [("firms", "firms.parquet"), ("breakpoints", "nyse_size.csv")])
def test_building_again_gives_the_same_bytes(folder: str, name: str) -> None:
    shipped = shipped_path(folder, name)
    before = shipped.read_bytes()
    try:
        subprocess.run(
            [sys.executable, ROOT / "corpora" / folder / "build.py", "--data", SHARED],
            check=True,
            capture_output=True,
        )
        assert shipped.read_bytes() == before
    finally:
        shipped.write_bytes(before)
