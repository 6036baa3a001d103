"""The user's own firms: reading their files, and what they change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.errors import CorpusError
from neuter.firms import (
    display_name,
    firm_label_of,
    firms_hash,
    firms_in_use,
    known_names,
    read_firms_file,
    resolve,
    same_firm,
    use_firms,
)
from neuter.firms.labels import firm_of

APPLE = "cik:0000320193"


@pytest.fixture(autouse=True)
def _shipped_alone() -> Iterator[None]:
    yield
    use_firms()


def written(folder: Path, *lines: str, name: str = "firms.csv") -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_new_firm_is_known_by_all_that_its_row_says(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "name,ticker,aliases,former_names,sector,fiscal_year_end,parent,first,last",
        "Zorblax Dynamics Holdings Ltd.,QZXW,Zorby|The Zorb,Quibnix Works,Industrials,6,Zorblax SE,2019-01,2020-12",
    )
    assert resolve("Zorby") == ()
    use_firms(path)
    for guess in ("QZXW", "Zorblax Dynamics", "zorby", "Zorb", "Quibnix Works Inc", "$qzxw"):
        assert resolve(guess) == ("ticker:QZXW",), guess
    assert firm_label_of("QZXW", on=date(2020, 5, 1)) == "ticker:QZXW"
    assert display_name("ticker:QZXW") == "QZXW (Zorblax Dynamics Holdings Ltd.)"
    assert "Quibnix Works" in known_names("ticker:QZXW")
    firm = firm_of("ticker:QZXW")
    assert firm is not None
    assert (firm.sector, firm.fiscal_year_end, firm.parent) == ("Industrials", 6, "Zorblax SE")


def test_a_row_of_a_known_firm_extends_it(tmp_path: Path) -> None:
    by_cik = written(tmp_path, "name,cik,aliases", "Apple Inc,320193,Cupertino Fruit", name="a.csv")
    by_both = written(tmp_path, "name,ticker,aliases", "MICROSOFT CORP,msft,Redmond Giant", name="b.csv")
    use_firms(by_cik, by_both)
    assert resolve("Cupertino Fruit") == resolve("AAPL") == (APPLE,)
    assert same_firm("Redmond Giant", "MSFT")
    assert firms_in_use() == (by_cik, by_both)


def test_a_known_ticker_with_another_name_is_a_new_firm(tmp_path: Path) -> None:
    use_firms(written(tmp_path, "name,ticker,first,last", "Zorblax Orchards,AAPL,1970-01,1975-12"))
    assert resolve("Zorblax Orchards") == ("name:zorblax orchards",)
    assert resolve("AAPL", date(2020, 1, 1)) == (APPLE, "name:zorblax orchards")[:1]
    assert "name:zorblax orchards" in resolve("AAPL", date(1972, 1, 1))


def test_a_known_name_and_ticker_with_another_cik_is_another_firm(tmp_path: Path) -> None:
    use_firms(written(tmp_path, "name,ticker,cik", "Apple Inc,AAPL,9999999999"))
    assert resolve("Apple Inc") == (APPLE, "cik:9999999999")
    assert firm_of(APPLE) is not None


def test_without_files_the_shipped_firms_are_back(tmp_path: Path) -> None:
    use_firms(written(tmp_path, "name", "Zorblax Dynamics"))
    assert resolve("Zorblax Dynamics")
    use_firms()
    assert resolve("Zorblax Dynamics") == ()
    assert firms_in_use() == ()
    assert firms_hash() is None


def test_the_hash_is_of_the_contents_in_their_order(tmp_path: Path) -> None:
    one = written(tmp_path, "name", "Zorblax Dynamics", name="one.csv")
    two = written(tmp_path, "name", "Quibnix Works", name="two.csv")
    use_firms(one, two)
    parts = b"".join(hashlib.sha256(path.read_bytes()).digest() for path in (one, two))
    assert firms_hash() == hashlib.sha256(parts).hexdigest()
    use_firms(two, one)
    assert firms_hash() != hashlib.sha256(parts).hexdigest()


def test_a_bad_file_leaves_the_firms_in_use_as_they_were(tmp_path: Path) -> None:
    good = written(tmp_path, "name", "Zorblax Dynamics", name="good.csv")
    use_firms(good)
    bad = written(tmp_path, "name,cik", "Quibnix Works,x", name="bad.csv")
    same_name = written(
        tmp_path, "name,ticker", "Independent Bank,AAPL", "Independent Bank,MSFT", name="n.csv"
    )
    for path in (bad, same_name):
        with pytest.raises(CorpusError):
            use_firms(path)
        assert firms_in_use() == (good,)
        assert resolve("Zorblax Dynamics")
        assert resolve("Quibnix Works") == ()


def test_the_three_formats_say_the_same(tmp_path: Path) -> None:
    rows = [
        {"name": "Zorblax Dynamics", "cik": 123456789, "aliases": "Zorby|Zorb Co", "first": "2019-01"},
        {"name": "Quibnix Works", "cik": None, "aliases": None, "first": None},
    ]
    csv = written(
        tmp_path,
        "name,cik,aliases,first",
        "Zorblax Dynamics,123456789,Zorby|Zorb Co,2019-01",
        "Quibnix Works,,,",
    )
    jsonl = written(tmp_path, *(json.dumps(row) for row in rows), name="firms.jsonl")
    parquet = tmp_path / "firms.parquet"
    pl.DataFrame(rows).write_parquet(parquet)

    def said(path: Path) -> list[tuple[object, ...]]:
        return [(f.name, f.cik, f.aliases, f.first, f.last) for f in read_firms_file(path)]

    assert said(csv) == said(jsonl) == said(parquet)
    assert said(csv)[0] == ("Zorblax Dynamics", 123456789, ("Zorby", "Zorb Co"), 2019 * 12, 999_999)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("name,tickr", "A Firm,X"), r"line 1: unknown column 'tickr'. Did you mean 'ticker'"),
        (("ticker", "X"), "line 1: no column 'name'"),
        (("name,name", "A,B"), "twice"),
        (("name,cik", "Zorblax,12x"), "line 2, cik: '12x'"),
        (("name,cik", "Zorblax,-5"), "line 2, cik"),
        (("name,cik", "Zorblax,0"), "line 2, cik"),
        (("name,cik", "Zorblax,١٢"), "line 2, cik"),
        (("name,fiscal_year_end", "Zorblax,13"), "line 2, fiscal_year_end"),
        (("name,first", "Zorblax,2019-13"), "line 2, first"),
        (("name,first", "Zorblax,2019"), "line 2, first"),
        (("name,first,last", "Zorblax,2019-02,2019-01"), "line 2, last: before first"),
        (("name,ticker", "Zorblax,=HYPERLINK(1)"), "line 2, ticker"),
        (("name", "Inc."), "line 2, name: 'Inc.' names no firm"),
        (("name,aliases", "Zorblax,Zorb|Company"), "line 2, aliases: 'Company'"),
        (("name,aliases", "Zorblax,Zorb|x"), "line 2, aliases"),
        (("name", "Zor\x00blax"), "line 2, name: a control character"),
        (("name", "Zorblax " * 100), "line 2, name: longer than 300"),
        (("name,cik", "Zorblax"), "line 2: 1 fields, not 2"),
        (("name,cik", "Zorblax,5", "", "Quibnix,5"), "line 4: the firm of line 2 again"),
        (("name", '"Zor', 'blax Works"', "Inc."), r"line 4, name|line 2, name: a control"),
        (("name",), "no firms in it"),
        (("",), "no column 'name'"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read_firms_file(written(tmp_path, *lines))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"name": "Zorblax"}\n[1]\n', "line 2: no JSON object"),
        ('{"name": "Zorblax"\n', "line 1: no JSON"),
        ('{"name": ["Zorblax"]}\n', "line 1, name: .* is no text"),
        ('{"name": "Zorblax", "cik": true}\n', "line 1, cik"),
        ('{"name": "Zorblax", "cik": 1.5}\n', "line 1, cik"),
        ("[" * 100_000 + "\n", "line 1: no JSON"),
        ("\n\n", "no firms in it"),
    ],
)
def test_a_bad_line_of_json_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "firms.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=message):
        read_firms_file(path)


def test_files_that_are_no_list_of_firms(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot be read"):
        read_firms_file(tmp_path / "none.csv")
    with pytest.raises(CorpusError, match="unknown format"):
        read_firms_file(written(tmp_path, "name", name="firms.xlsx"))
    for name in ("bytes.csv", "bytes.jsonl", "bytes.parquet"):
        (tmp_path / name).write_bytes(b"name\n\xff\xfe\x00")
        with pytest.raises(CorpusError, match=name):
            read_firms_file(tmp_path / name)
