"""Articles of RTF files saved from Factiva, with and without indexing, and what is wrong with them."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path

import pytest
from factiva_pages import DOCUMENT, read_of, rtf, rtf_displayed, rtf_indexed

from neuter.corpus.importers import import_headlines, read_headlines
from neuter.errors import CorpusError

FIELDS = {
    "SE": "World News",
    "HD": r"Tin\rquote s Slide \endash  Copper | Zinc",
    "BY": "By A. Writer",
    "WC": "1,234 words",
    "PD": "15 March 2019",
    "ET": "09:00",
    "SN": "The Daily Ledger",
    "LP": r"First lead.\par\par Second lead.",
    "TD": r"The rest.\par SN matters.",
    "AN": DOCUMENT,
}
HEAD = (
    "1,234 words",
    "15 March 2019",
    "09:00",
    "The Daily Ledger",
    "DL",
    "A1",
    "English",
    r"Copyright \'a9 2019",
)
BODY = ("First lead.", "Second lead.", "The rest.")


@pytest.fixture
def save(tmp_path):
    def saved(text: str, encoding: str = "ascii") -> Path:
        path = tmp_path / "Factiva.rtf"
        path.write_bytes(text.encode(encoding))
        return path

    return saved


def test_an_article_with_indexing_gives_its_fields_and_only_its_lead(save):
    file = save(rtf(rtf_indexed(FIELDS)))
    assert read_headlines(file).rows() == [read_of(file, "Tin’s Slide – Copper | Zinc")]


def test_articles_are_told_apart_by_their_document_numbers(save):
    frame = read_headlines(save(rtf(rtf_indexed(FIELDS), rtf_indexed({**FIELDS, "HD": "Second"}))))
    assert frame["title"].to_list() == ["Tin’s Slide – Copper | Zinc", "Second"]
    assert frame["content"].to_list() == ["First lead. Second lead."] * 2
    assert frame["record"].to_list() == [1, 2]


def test_a_missing_document_number_does_not_join_two_articles(save):
    unnumbered = {code: value for code, value in FIELDS.items() if code != "AN"}
    file = save(
        rtf(
            rtf_indexed(unnumbered),
            rtf_indexed({**unnumbered, "SE": "", "HD": "Second", "PD": "16 March 2019"}),
        )
    )
    assert read_headlines(file).select("date", "title").rows() == [
        (date(2019, 3, 15), "Tin’s Slide – Copper | Zinc"),
        (date(2019, 3, 16), "Second"),
    ]


def test_the_summary_of_the_search_is_no_article(save):
    summary = rtf_indexed({"Text": "tin AND copper", "Date": "15 March 2019", "Results Found": "1"})
    assert read_headlines(save(rtf(rtf_indexed(FIELDS), summary))).height == 1


@pytest.mark.parametrize(
    "head",
    [
        ("{\\b\\fs28 Tin Slips}",),
        ("World News", "\\b Tin Slips\\b0", "By A. Writer"),
        ("World News", "{\\b Tin Slips}", "A. Writer and another"),
        ("Tin Slips", "By A. Writer"),
        ("Tin Slips",),
    ],
)
def test_a_full_article_has_its_headline_in_bold_or_alone(save, head):
    row = read_headlines(save(rtf(rtf_displayed(*head, *HEAD, *BODY)))).row(0)
    assert row[:5] == (date(2019, 3, 15), "Tin Slips", "First lead. Second lead.", "The Daily Ledger", 1234)


def test_a_headline_that_cannot_be_told_from_its_section_is_not_guessed(save):
    file = save(
        rtf(rtf_displayed("World News", "Tin Slips", *HEAD, *BODY), rtf_displayed("{\\b B}", *HEAD, *BODY))
    )
    with pytest.raises(
        CorpusError, match=r"Factiva\.rtf: article 1, field 'HD': cannot be told from section"
    ):
        read_headlines(file)
    read = import_headlines(file, skip_invalid=True)
    assert (read.frame["title"].to_list(), len(read.problems)) == (["B"], 1)


def test_a_full_article_without_a_line_of_copyright_has_no_lead_that_could_be_told(save):
    row = read_headlines(save(rtf(rtf_displayed("{\\b A}", *HEAD[:-1], *BODY)))).row(0)
    assert row[1:4] == ("A", "", "The Daily Ledger")


@pytest.mark.parametrize("code", ["HD", "PD"])
def test_an_article_without_headline_or_day_is_named(save, code):
    spoilt = {name: value for name, value in FIELDS.items() if name != code}
    file = save(rtf(rtf_indexed(FIELDS), rtf_indexed(spoilt)))
    with pytest.raises(CorpusError, match=rf"article 2, field '{code}': has no"):
        read_headlines(file)
    assert import_headlines(file, skip_invalid=True).frame.height == 1


def test_characters_come_from_escapes_of_either_kind(save):
    title = r"Caf\'e9 \u8364?5 \u-10179?\u-8704? \{data_name\} \emdash  \'93x\'94"
    row = read_headlines(save(rtf(rtf_indexed({**FIELDS, "HD": title})))).row(0)
    assert row[1] == "Café €5 😀 {data_name} — “x”"


def test_a_bar_that_belongs_to_the_text_does_not_begin_a_field(save):
    fields = {**FIELDS, "LP": r"Lead.\par PD|1 May 1999\par HD|Not this"}
    row = read_headlines(save(rtf(rtf_indexed(fields)))).row(0)
    assert row[:3] == (date(2019, 3, 15), "Tin’s Slide – Copper | Zinc", "Lead. PD|1 May 1999 HD|Not this")


def test_links_give_their_text_and_many_of_them_take_no_time(save):
    link = r'{\field{\*\fldinst{HYPERLINK "http://a.example/x"}}{\fldrslt{link}}} '
    started = time.perf_counter()
    row = read_headlines(save(rtf(rtf_indexed({**FIELDS, "HD": f"A {link}", "LP": link * 1_000})))).row(0)
    assert row[1] == "A link"
    assert row[2] == " ".join(["link"] * 1_000)
    assert time.perf_counter() - started < 5


def test_files_that_are_no_rtf_or_empty_or_without_articles_are_refused(save):
    for text, message in (
        ("", "is empty"),
        ("<html></html>", "is no RTF file"),
        (rtf(r"\pard Nothing found\par"), "holds no article that can be recognised"),
        (r"{\rtf1\ansi\ansicpg1252 \'81}", "is damaged RTF"),
        (r"{\rtf1\ansi \u9999999999?}", "is damaged RTF"),
    ):
        with pytest.raises(CorpusError, match=message):
            read_headlines(save(text))


def test_a_file_that_is_cut_off_is_refused_as_a_lead_may_be_cut_too(save):
    text = rtf(rtf_indexed(FIELDS))
    assert read_headlines(save(text + "\n\0")).height == 1
    with pytest.raises(CorpusError, match="is cut off"):
        read_headlines(save(text[: text.index("First lead") + 5]))
