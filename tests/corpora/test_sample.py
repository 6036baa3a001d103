"""The shipped sample is what its manifest says, and its builder catches what must not ship."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
import tomllib
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "corpora" / "sample"
SHARED = Path(os.environ.get("NEUTER_SHARED_DATA", ROOT.parent / "shared" / "data"))
MAGNIFICENT_SEVEN = {"AAPL", "AMZN", "GOOGL", "META", "MSFT", "NVDA", "TSLA"}

pytestmark = pytest.mark.skipif(
    not ((FOLDER / "statements.jsonl").is_file() and (FOLDER / "headlines.jsonl").is_file()),
    reason="the sample is not merged yet (python corpora/sample/build.py)",
)


def rows_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def statements() -> list[dict[str, Any]]:
    return rows_of("statements.jsonl")


@pytest.fixture(scope="module")
def headlines() -> list[dict[str, Any]]:
    return rows_of("headlines.jsonl")


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sample_build", FOLDER / "build.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up by name
    sys.modules["sample_build"] = module
    spec.loader.exec_module(module)
    return module


def test_manifest_counts_the_documents_and_names_the_default(statements, headlines):
    manifest = tomllib.loads((FOLDER / "manifest.toml").read_text(encoding="utf-8"))
    assert manifest["default"] == "statements.jsonl"
    assert {file["name"]: (file["kind"], file["documents"]) for file in manifest["files"]} == {
        "statements.jsonl": ("transcript", len(statements)),
        "headlines.jsonl": ("headline", len(headlines)),
    }
    assert f"{len(statements)} results statements" in manifest["description"]


@pytest.mark.parametrize("place", ["manifest.toml", "README.md"])
def test_manifest_and_readme_say_composed_facts_and_illustrative_numbers(place):
    said = (FOLDER / place).read_text(encoding="utf-8").replace("\\\n", "").lower()
    assert "for this project" in said
    assert "quotation" in said
    assert "illustrative" in said
    assert "firms, products, launches, officers, places, dates and market caps are facts" in said


def test_there_are_96_statements_and_80_headlines(statements, headlines):
    assert len(statements) >= 96
    assert len(headlines) == 80


def test_24_firms_are_eight_of_each_size_with_the_magnificent_seven_among_the_large(statements):
    firms = {(row["size"], row["ticker"]) for row in statements}
    by_size = {size: {ticker for held, ticker in firms if held == size} for size in ("Large", "Mid", "Small")}
    assert {size: len(tickers) for size, tickers in by_size.items()} == {"Large": 8, "Mid": 8, "Small": 8}
    assert len(firms) == 24
    assert by_size["Large"] >= MAGNIFICENT_SEVEN


def test_each_firm_has_four_different_fiscal_quarters(statements):
    quarters = defaultdict(set)
    for row in statements:
        quarters[row["ticker"]].add((row["fiscal_year"], row["fiscal_quarter"]))
    assert min(len(held) for held in quarters.values()) >= 4
    assert sum(len(held) for held in quarters.values()) == len(statements)


def test_all_quarters_and_the_years_2021_to_2024_occur(statements):
    assert {row["fiscal_quarter"] for row in statements} == {1, 2, 3, 4}
    assert {row["date"][:4] for row in statements} == {"2021", "2022", "2023", "2024"}


def test_ids_are_unique_and_name_ticker_year_and_quarter(statements, headlines):
    ids = [row["id"] for row in statements + headlines]
    assert len(set(ids)) == len(ids)
    for row in statements:
        assert row["id"] == f"{row['ticker']}-{row['fiscal_year']}Q{row['fiscal_quarter']}"


def test_every_statement_carries_every_field(statements):
    wanted = {
        "id",
        "kind",
        "ticker",
        "firm",
        "cik",
        "date",
        "fiscal_year",
        "fiscal_quarter",
        "fiscal_year_end",
    }
    wanted |= {"market_cap", "size", "sector", "text"}
    assert all(set(row) == wanted and None not in row.values() for row in statements)
    assert {row["kind"] for row in statements} == {"transcript"}


def test_headlines_carry_a_date_and_a_firm_where_it_is_known(headlines):
    assert all({"id", "kind", "date", "text"} <= set(row) for row in headlines)
    assert {row["kind"] for row in headlines} == {"headline"}
    assert all(date.fromisoformat(row["date"]).year >= 2021 for row in headlines)


def test_texts_have_the_promised_number_of_words(statements, headlines):
    assert [r["id"] for r in statements if not 150 <= len(r["text"].split()) <= 300] == []
    assert [r["id"] for r in headlines if not 6 <= len(r["text"].split()) <= 20] == []


def test_calls_are_on_weekdays_after_the_quarter_and_within_four_months(statements):
    for row in statements:
        assert date.fromisoformat(row["date"]).weekday() < 5, row["id"]
        # a fiscal year ends at the earliest in January of its own number, at the latest that December
        first = date(row["fiscal_year"] - 1, 1, 31) + timedelta(days=91 * row["fiscal_quarter"])
        assert first <= date.fromisoformat(row["date"]) <= first + timedelta(days=336 + 120), row["id"]


def test_no_two_texts_share_a_run_of_twelve_words(statements, headlines):
    runs = defaultdict(set)
    for row in statements + headlines:
        words = re.findall(r"\w+", row["text"].lower())
        for start in range(len(words) - 11):
            runs[" ".join(words[start : start + 12])].add(row["id"])
    assert {run: ids for run, ids in runs.items() if len(ids) > 1} == {}


def test_no_two_headlines_tell_of_the_same_firm_on_the_same_day(headlines):
    told = [(row.get("ticker"), row["date"]) for row in headlines]
    assert len(set(told)) == len(told)


def test_texts_give_a_mask_something_to_do(statements):
    for row in statements:
        assert re.search(r"\d", row["text"]), row["id"]
    texts = [row["text"] for row in statements]
    assert sum("$" in text for text in texts) > len(texts) / 2
    assert sum("%" in text or "percent" in text for text in texts) > len(texts) / 2
    assert any("NASDAQ:" in text for text in texts)
    assert any(re.search(r"\w@\w+\.com", text) for text in texts)


shared_data = pytest.mark.skipif(
    not (SHARED / "stocks" / "us_month_end_panel.parquet").is_file(), reason="../shared/data is not here"
)


@shared_data
def test_market_cap_is_the_panels_at_the_last_month_end(statements):
    import polars as pl

    panel = pl.scan_parquet(SHARED / "stocks" / "us_month_end_panel.parquet").filter(pl.col("market_cap") > 0)
    wanted = {row["ticker"] for row in statements} | {"FB", "ETH"}
    caps = (
        panel.filter(pl.col("symbol").is_in(sorted(wanted))).select("symbol", "date", "market_cap").collect()
    )
    held = defaultdict(dict)
    for symbol, day, cap in caps.iter_rows():
        held[{"FB": "META", "ETH": "ETD"}.get(symbol, symbol)][day] = cap
    for row in statements:
        before = max(day for day in held[row["ticker"]] if day <= row["date"])
        assert date.fromisoformat(row["date"]) - date.fromisoformat(before) < timedelta(days=35), row["id"]
        assert row["market_cap"] == pytest.approx(held[row["ticker"]][before], abs=1), row["id"]


@shared_data
def test_known_market_caps_in_dollars(statements):
    """Read off the panel by hand: Apple at 2021-03-31, Facebook (then FB) at 2021-09-30."""
    caps = {row["id"]: row["market_cap"] for row in statements}
    assert caps["AAPL-2021Q2"] == 2_117_756_081_000
    assert caps["META-2021Q3"] == pytest.approx(956.9e9, rel=1e-3)


@shared_data
def test_cik_is_the_universes(statements, headlines):
    import polars as pl

    universe = pl.read_parquet(SHARED / "universe" / "sec_company_tickers.parquet")
    ciks = {ticker: int(cik) for ticker, cik in universe.select("ticker", "cik").iter_rows()}
    for row in statements + headlines:
        if row.get("ticker"):
            assert row["cik"] == ciks[row["ticker"]], row["id"]


def test_the_builder_finds_nothing_to_complain_of(build):
    assert build.run(check=True) == []


def test_size_interpolates_between_the_breakpoints(build):
    """A third lies two thirds of the way from p30 to p35, two thirds a third of the way from p65 to p70."""
    row = {"date": "2022-06-30", "p30": 1000.0, "p35": 1300.0, "p65": 6000.0, "p70": 7500.0}
    day, low, high = build._terciles(row)
    assert (low, high) == (pytest.approx(1200.0), pytest.approx(6500.0))
    shared = build.SharedData({}, ((day, low, high),), {})
    caps = [1199e6, 1201e6, 6499e6, 6501e6]
    assert [shared.size(cap, date(2022, 7, 5)) for cap in caps] == ["Small", "Mid", "Mid", "Large"]


def test_market_cap_prefers_the_month_before_then_the_nearest_after(build):
    ends = ((date(2021, 3, 31), 1.0), (date(2021, 4, 30), 2.0), (date(2021, 8, 31), 3.0))
    shared = build.SharedData({"META": ends[1:], "FB": ends[:1]}, (), {})
    assert shared.market_cap("META", date(2021, 4, 29)) == 1  # FB's, a day before META's first
    assert shared.market_cap("META", date(2021, 4, 30)) == 2
    assert shared.market_cap("META", date(2021, 7, 30)) == 3  # 91 days after April's, 32 before August's
    assert shared.market_cap("META", date(2020, 1, 31)) is None


def _spoilt(row: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**row, **changes}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"date": "2022-01-29"}, "2022-01-29 is a Saturday"),
        ({"date": "27 January"}, "'27 January' is no date"),
        ({"text": "far too short"}, "3 words instead of 150 to 300"),
        ({"fiscal_quarter": 7, "id": "AAPL-2022Q7"}, "fiscal quarter 7"),
        ({"id": "AAPL-1"}, "the id should be AAPL-2022Q1"),
        ({"kind": "headline"}, "kind 'headline' instead of 'transcript'"),
        ({"size": "Small"}, "AAPL: more than one size (Large, Small)"),
        ({"sector": ""}, "AAPL-2022Q1: no sector"),
        ({"cik": 1}, "CIK 1, but the universe has 320193 for AAPL"),
        ({"fiscal_year": 2021, "fiscal_quarter": 2, "id": "AAPL-2021Q2"}, "the id comes 2 times"),
    ],
)
def test_the_builder_names_what_is_wrong(build, statements, changes, complaint):
    rows = [_spoilt(row, **changes) if row["id"] == "AAPL-2022Q1" else row for row in statements]
    shared = build.SharedData({}, (), {row["ticker"]: row["cik"] for row in statements})
    assert any(complaint in problem for problem in build.statement_problems(rows, {}, shared))


def test_the_builder_compares_size_with_what_the_part_was_written_for(build, statements):
    problems = list(build.statement_problems(statements, {"AAPL-2022Q1": "Mid"}, None))
    assert problems == ["AAPL-2022Q1: Large by market cap, written as Mid"]


def test_the_builder_finds_a_shared_run_of_twelve_words_but_not_of_eleven(build):
    twelve = "one two three four five six seven eight nine ten eleven twelve"
    apart = [{"id": "a", "text": f"{twelve} end"}, {"id": "b", "text": f"Start {twelve.title()}!"}]
    assert [problem.split(":")[0] for problem in build.set_problems(apart)] == ["b"]
    apart[1]["text"] = f"start {twelve.removesuffix(' twelve')} other words"
    assert list(build.set_problems(apart)) == []


def test_the_builder_writes_nothing_while_there_are_problems(build, statements, tmp_path, monkeypatch):
    monkeypatch.setattr(build, "HERE", tmp_path)
    monkeypatch.setenv("NEUTER_SHARED_DATA", str(tmp_path / "absent"))
    build.write_rows(tmp_path / "part_large.jsonl", statements[:3])
    problems = build.run(check=False)
    assert "statements.jsonl: part_mid.jsonl is missing" in problems
    assert "statements.jsonl: 3 statements instead of at least 96" in problems
    assert [path.name for path in tmp_path.iterdir()] == ["part_large.jsonl"]


def test_the_builder_refills_the_merged_files_once_the_parts_are_gone(
    build, statements, headlines, tmp_path, monkeypatch
):
    if not build.shared_folder().is_dir():
        pytest.skip("../shared/data is not here")
    monkeypatch.setenv("NEUTER_SHARED_DATA", str(build.shared_folder()))
    monkeypatch.setattr(build, "HERE", tmp_path)
    build.write_rows(tmp_path / "headlines.jsonl", headlines)
    stale = [_spoilt(row, market_cap=1, size="Small") for row in reversed(statements)]
    build.write_rows(tmp_path / "statements.jsonl", stale)
    assert "order, market caps or sizes" in build.run(check=True)[0]
    assert build.run(check=False) == []
    assert [
        json.loads(line) for line in (tmp_path / "statements.jsonl").read_text().splitlines()
    ] == statements


def test_a_line_that_is_no_json_is_named_by_file_and_line(build, tmp_path):
    (tmp_path / "part_mid.jsonl").write_text('{"id": "a"}\n{"id": \n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"part_mid\.jsonl: line 2 is no JSON object"):
        build.read_rows(tmp_path / "part_mid.jsonl")
