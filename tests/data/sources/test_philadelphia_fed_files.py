"""Files of the Real-Time Data Set: vintages and releases, in sheets and as CSV, and against what ships."""

from __future__ import annotations

import zipfile
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.data.shipped_series import shipped_series
from neuter.data.sources import Sources, find_series
from neuter.data.sources.known import known
from neuter.data.sources.philadelphia_fed import philadelphia_series
from neuter.errors import DataError

STARTS = """DATE,HSTARTS99M12,HSTARTS00M1,HSTARTS00M2,HSTARTS00M4
1999:10,1600,1601,1602,1603
1999:11,1611,1612,1613,1614
1999:12,#N/A,1700,1701,1702
2000:01,#N/A,#N/A,#N/A,1720
2000:02,#N/A,#N/A,#N/A,1730
"""


def written(folder: Path, text: str, name: str = "file.csv") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def own(name: str, path: str):
    return philadelphia_series(known(name), path)


def book(path: Path, *sheets: list[list[str]]) -> str:
    """A small xlsx of text cells, as any spreadsheet program may write it."""
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{at}.xml" ContentType="{types}.worksheet+xml"/>'
            for at in range(1, len(sheets) + 1)
        )
        + "</Types>",
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"'
        ' Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
        ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
        + "".join(f'<sheet name="S{at}" sheetId="{at}" r:id="r{at}"/>' for at in range(1, len(sheets) + 1))
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        + "".join(
            f'<Relationship Id="r{at}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"'
            f' Target="worksheets/sheet{at}.xml"/>'
            for at in range(1, len(sheets) + 1)
        )
        + "</Relationships>",
    }
    for at, rows in enumerate(sheets, 1):
        cells = "".join(
            f'<row r="{r}">'
            + "".join(
                f'<c r="{chr(65 + c)}{r}" t="inlineStr"><is><t>{x}</t></is></c>' for c, x in enumerate(row)
            )
            + "</row>"
            for r, row in enumerate(rows, 1)
        )
        parts[f"xl/worksheets/sheet{at}.xml"] = (
            '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
            f"<sheetData>{cells}</sheetData></worksheet>"
        )
    with zipfile.ZipFile(path, "w") as held:
        for name, text in parts.items():
            held.writestr(name, text)
    return str(path)


def test_a_first_print_is_of_the_first_vintage_and_the_latest_of_the_last(tmp_path):
    series = own("housing_starts", written(tmp_path, STARTS))
    rows = series.points.select("date", "first", "latest").rows()
    assert rows == [
        (date(1999, 10, 1), None, 1603.0),
        (date(1999, 11, 1), 1611.0, 1614.0),
        (date(1999, 12, 1), 1700.0, 1702.0),
        (date(2000, 1, 1), None, 1720.0),
        (date(2000, 2, 1), 1730.0, 1730.0),
    ]


def test_a_late_print_counts_only_where_no_newer_month_came_with_it(tmp_path):
    series = own("housing_starts", written(tmp_path, STARTS))
    # January came in April together with February: a revision may have gone into it. February came late, but last.
    assert series.gaps == (date(2000, 1, 1),)


def test_a_change_is_of_two_levels_of_the_same_vintage(tmp_path):
    text = "DATE,EMPLOY08M12,EMPLOY09M1,EMPLOY09M2\n2008:10,137000,136900,136800\n"
    text += "2008:11,136600,136013,135800\n2008:12,#N/A,135489,135100\n"
    series = own("nonfarm_payrolls", written(tmp_path, text))
    assert series.points.filter(date=date(2008, 12, 1)).select("first", "latest", "digits").rows() == [
        (-524, -700, 0)
    ]


def test_years_from_40_on_are_of_the_twentieth_century(tmp_path):
    text = "DATE,HSTARTS68M2,HSTARTS68M3\n1968:01,1456,1450\n1968:02,#N/A,1500\n"
    series = own("housing_starts", written(tmp_path, text))
    assert series.points["first"].to_list() == [1456.0, 1500.0]


def test_growth_is_annualised_and_a_quarter_late_is_no_first_print(tmp_path):
    # 11,599.4 after 11,712.4 is -3.80 percent a year.
    text = "DATE,ROUTPUT09Q1,ROUTPUT09Q2,ROUTPUT10Q1\n2008:Q3,11712.4,11700.0,11700.0\n"
    text += "2008:Q4,11599.4,11500.0,11500.0\n2009:Q1,#N/A,#N/A,11340.9\n"
    series = own("gdp_growth", written(tmp_path, text))
    assert series.points.select("date", "first", "digits").rows()[0] == (date(2008, 10, 1), -3.8037, 1)
    assert series.points["first"].to_list()[1] is None


def test_growth_near_the_middle_of_two_prints_has_no_digits(tmp_path):
    # (10,100.0 / 10,000.0) ** 4 - 1 is 4.0604 percent, and 10,099.7 makes it 4.0480; levels to 0.1 leave 0.004 either
    # way, which reaches 4.05 from the second but not from the first.
    text = "DATE,ROUTPUT09Q1\n2008:Q3,10000.0\n2008:Q4,{}\n"
    sure = own("gdp_growth", written(tmp_path, text.format("10100.0"), "sure.csv"))
    unsure = own("gdp_growth", written(tmp_path, text.format("10099.7"), "unsure.csv"))
    assert (sure.points["first"][0], sure.points["digits"][0]) == (4.0604, 1)
    assert (unsure.points["first"][0], unsure.points["digits"][0]) == (4.048, None)


def test_releases_of_gdp_are_read_below_their_title(tmp_path):
    path = book(
        tmp_path / "routput.xlsx",
        [["Real GNP/GDP"], ["Notes"]],
        [
            ["Real GNP/GDP (ROUTPUT)"],
            ["Q/Q Growth"],
            [""],
            ["Date", "First", "Second", "Third", "Most_Recent"],
            ["1995:Q3", "4.2", "4.2", "3.2", "3.4"],
            ["1995:Q4", "#N/A", "0.9192", "0.4855", "2.7457"],
            ["1996:Q1", "2.8", "2.3", "2.2", "3.0"],
        ],
    )
    series = own("gdp_growth", path)
    assert series.points["first"].to_list() == [4.2, None, 2.8]
    assert series.points["latest"].to_list() == [3.4, 2.7457, 3.0]
    assert series.gaps == (date(1995, 10, 1),)


def test_a_file_of_another_variable_gives_nothing_of_this_series(tmp_path):
    path = written(tmp_path, STARTS)
    assert own("gdp_growth", path) is None
    found = find_series("gdp_growth", Sources(philadelphia_fed=(path,)))
    assert found.hash == shipped_series("gdp_growth").hash


def test_months_outside_the_file_come_from_what_ships_and_say_so(tmp_path):
    path = written(tmp_path, STARTS)
    series = find_series("housing_starts", Sources(philadelphia_fed=(path,)), first=date(1999, 11, 1))
    told = {row["date"]: row for row in series.points.iter_rows(named=True)}
    assert told[date(1999, 12, 1)]["first"] == 1700.0
    assert told[date(1999, 12, 1)]["source"] == "Philadelphia Fed file.csv"
    assert told[date(2020, 4, 1)]["first"] == 891.0
    assert "file.csv" not in told[date(2020, 4, 1)]["source"]
    # Within the file a gap stays one, though what ships has a value.
    assert told[date(2000, 1, 1)]["first"] is None


def test_of_two_files_the_first_has_the_word(tmp_path):
    one = written(tmp_path, "DATE,HSTARTS99M12\n1999:11,1\n", "one.csv")
    two = written(tmp_path, "DATE,HSTARTS99M12,HSTARTS00M1\n1999:11,2,2\n1999:12,#N/A,#N/A\n", "two.csv")
    found = find_series("housing_starts", Sources(philadelphia_fed=(one, two)), first=date(1999, 11, 1))
    assert found.points["latest"][0] == 1.0


def test_a_file_that_changed_is_read_again(tmp_path):
    path = written(tmp_path, "DATE,HSTARTS99M12\n1999:11,1111\n")
    assert own("housing_starts", path).points["first"][0] == 1111.0
    written(tmp_path, "DATE,HSTARTS99M12\n1999:11,22222\n")
    assert own("housing_starts", path).points["first"][0] == 22222.0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is no file of the Real-Time Data Set"),
        ("date,value\n2020-01,1\n", "is no file of the Real-Time Data Set"),
        ("DATE,HSTARTS99M12\n", "has no rows"),
        ("DATE,HSTARTS99M12\n1999:11,abc\n", "column 1999-12-01: 'abc' of 1999-11-01 is no number"),
        ("DATE,HSTARTS99M12\n1999:11,inf\n", "'inf' of 1999-11-01 is no number"),
        ("DATE,HSTARTS99M12\nNovember,1\n", "'November' is no month"),
        ("DATE,HSTARTS99M12\n1999:Q4,1\n", "'1999:Q4' is no month"),
        ("DATE,HSTARTS99M12\n1999:11,1\n1999:11,2\n", "'1999:11' is no month, or is there twice"),
        ("DATE,HSTARTS99M12,notes\n1999:11,1,x\n", "column 3: 'notes' is no vintage"),
        ("DATE,HSTARTS99M12,HSTARTS00M13\n1999:11,1,1\n", "column 3: 'HSTARTS00M13' is no vintage"),
        ("DATE,HSTARTS99M13,HSTARTS00M1\n1999:11,1,1\n", "column 2: 'HSTARTS99M13' is no vintage"),
        ("DATE,HSTARTS00M0\n1999:11,1\n", "column 2: 'HSTARTS00M0' is no vintage"),
        ("DATE,ROUTPUT09Q5\n2008:Q4,1\n", "column 2: 'ROUTPUT09Q5' is no vintage"),
        (
            "DATE,HSTARTS99M12,HSTARTS99M12,HSTARTS00M1\n1999:11,1,2,3\n",
            "file.csv: column 3: 'HSTARTS99M12' is there a second time .first in column 2",
        ),
        ("DATE,HSTARTS00M1,HSTARTS00M01\n1999:11,1,2\n", "column 3: 'HSTARTS00M01' is there a second time"),
        (
            "DATE,EMPLOY00M1,HSTARTS00M2\n1999:11,1,2\n",
            "column 3: 'HSTARTS00M2' is of another variable or frequency than 'EMPLOY00M1'",
        ),
        ("DATE,ROUTPUT00M1,ROUTPUT00Q2\n1999:Q4,1,2\n", "column 3: 'ROUTPUT00Q2' is of another"),
        ("DATE,HSTARTS99M12\n1999:11,-5\n", "column 1999-12-01: -5 of 1999-11-01 cannot be a level"),
        ("DATE,EMPLOY99M12\n1999:11,0\n", "column 1999-12-01: 0 of 1999-11-01 cannot be a level"),
        ("DATE,HSTARTS99M12,HSTARTS00M1\n1999:11,1\n", "'1999:11' has 2 fields where the header has 3"),
        ("DATE,HSTARTS99M12\n1999:11,1,2\n", "'1999:11' has 3 fields where the header has 2"),
        ("(ROUTPUT)\nDate,First,First\n1999:Q4,1,2\n", "column 3: 'First' is there a second time"),
        (
            "(ROUTPUT)\nDate,First,Latest,Most_Recent\n1999:Q4,1,2,3\n",
            "column 4: 'Most_Recent' is there a sec",
        ),
        ("DATE,RCON65Q4\n1965:Q3,1\n", "RCON makes none of our series.*ROUTPUT"),
        ("DATE,HSTARTS99M12\n1999:11,#N/A\n", "has no value of housing_starts"),
        ("(EMPLOY)\nDate,First,Second\n1999:11,1,2\n", "growth of nonfarm_payrolls where a change.*MvMd"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path, text, told):
    path = written(tmp_path, text)
    with pytest.raises(DataError, match=told):
        find_series("housing_starts", Sources(philadelphia_fed=(path,)))


def test_what_is_no_workbook_is_refused(tmp_path):
    path = written(tmp_path, "no zip", "file.xlsx")
    with pytest.raises(DataError, match="is no Excel file"):
        own("housing_starts", path)
    with pytest.raises(DataError, match=r"nowhere.xlsx: cannot be read"):
        own("housing_starts", "nowhere.xlsx")


@pytest.mark.parametrize(
    ("name", "file", "count"),
    [
        ("gdp_growth", "routput_first_second_third.xlsx", 145),
        ("gdp_growth", "ROUTPUTQvQd.2026.xlsx", 145),
        ("nonfarm_payrolls", "employMvMd.2024.xlsx", 423),
        ("housing_starts", "hstartsMvMd.2024.xlsx", 419),
        ("inflation_core", "pcpixMvMd.2024.xlsx", 305),
    ],
)
def test_the_files_as_they_come_give_the_first_prints_that_ship(shared_data, name, file, count):
    """The shipped ones are built by other code, partly from other files."""
    series = own(name, str(shared_data / "macro" / "philadelphia_fed" / file))
    both = series.points.join(shipped_series(name).points, on="date", suffix=" shipped")
    apart = both.filter(pl.col("first").ne_missing(pl.col("first shipped")))
    assert apart.select("date", "first", "first shipped").rows() == []
    assert both["first"].count() == count


def test_the_issue_s_first_prints_are_in_the_files(shared_data):
    folder = shared_data / "macro" / "philadelphia_fed"
    growth = dict(own("gdp_growth", str(folder / "ROUTPUTQvQd.2026.xlsx")).values().rows())
    assert round(growth[date(2008, 10, 1)], 2) == -3.80
    assert round(growth[date(2020, 4, 1)], 2) == -32.90
    payrolls = dict(own("nonfarm_payrolls", str(folder / "employMvMd.2024.xlsx")).values().rows())
    assert (payrolls[date(2008, 12, 1)], payrolls[date(2011, 8, 1)]) == (-524.0, 0.0)
    assert (
        dict(own("housing_starts", str(folder / "hstartsMvMd.2024.xlsx")).values().rows())[date(2020, 4, 1)]
        == 891.0
    )


def test_a_release_without_a_name_keeps_its_place(tmp_path):
    text = "(ROUTPUT)\nDate,First,,Most_Recent\n1999:Q4,5.8,6.9,7.3\n"
    series = own("gdp_growth", written(tmp_path, text))
    assert series.points.select("first", "latest").rows() == [(5.8, 7.3)]
