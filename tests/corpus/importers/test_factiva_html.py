"""Articles of pages saved from Factiva, in each display format, and what is wrong with them."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from factiva_pages import displayed, indexed, listed, page, read_of

from neuter.corpus.importers import import_headlines, read_headlines
from neuter.errors import CorpusError

FIELDS = {
    "SE": "World News",
    "HD": '<span class="enHeadline"><b>Tin</b> Prices Slip &amp; Copper Holds</span>',
    "BY": "By A. Writer",
    "WC": "1,234 words",
    "PD": "15 March 2019",
    "ET": "09:00",
    "SN": "The Daily Ledger",
    "LP": '<p class="articleParagraph enarticleParagraph">First <b>lead</b>.</p>'
    '<p class="articleParagraph enarticleParagraph">Second<br/>lead.</p>',
    "TD": '<p class="articleParagraph enarticleParagraph">The rest.</p>',
    "AN": "Document DL00000020190315ef3f00001",
}
LINES = (
    "By A. Writer",
    "1,234 words",
    "15 March 2019",
    "09:00",
    "The Daily Ledger",
    "DL",
    "A1",
    "English",
    "Copyright",
)


@pytest.fixture
def save(tmp_path):
    def saved(text: str, encoding: str = "utf-8", name: str = "Factiva.html") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return saved


def test_an_article_with_indexing_gives_its_fields_and_only_its_lead(save):
    file = save(page(indexed(FIELDS)))
    assert read_headlines(file).rows() == [read_of(file, "Tin Prices Slip & Copper Holds")]


def test_an_article_without_indexing_gives_the_same_with_two_paragraphs_as_lead(save):
    body = ("First <b>lead</b>.", "Second<br/>lead.", "The rest.")
    file = save(
        page(displayed("Tin Prices Slip &amp; Copper Holds", *LINES, body=body, section="World News"))
    )
    assert read_headlines(file).row(0)[:5] == read_of(file, "Tin Prices Slip & Copper Holds")[:5]


def test_without_author_and_hour_the_lines_move_and_are_still_told_apart(save):
    lines = ("87 words", "15 March 2019", "The Daily Ledger", "DL")
    row = read_headlines(save(page(displayed("A", *lines)))).row(0)
    assert row[:5] == (date(2019, 3, 15), "A", "", "The Daily Ledger", 87)


def test_the_list_of_headlines_has_snippets_or_none(save):
    entries = [
        listed(
            "Tin Slips",
            "The Daily Ledger, 09:00, 15 March 2019, 1,234 words, A. Writer, (English)",
            "It slipped",
        ),
        listed("Tin Rises", "Evening Post, 16 March 2019, 300 words, (English)"),
    ]
    rows = read_headlines(save(page(*entries))).rows()
    assert [row[:5] for row in rows] == [
        (date(2019, 3, 15), "Tin Slips", "It slipped", "The Daily Ledger", 1234),
        (date(2019, 3, 16), "Tin Rises", "", "Evening Post", 300),
    ]


def test_articles_in_other_languages_are_found_where_the_date_is_english(save):
    row = read_headlines(save(page(indexed({**FIELDS, "HD": "Zinn fällt"}, language="de")))).row(0)
    assert row[:2] == (date(2019, 3, 15), "Zinn fällt")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"HD": None}, r"Factiva\.html: article 2, field 'HD': has no headline"),
        ({"PD": None}, r"Factiva\.html: article 2, field 'PD': has no date"),
        ({"PD": "15 März 2019"}, r"article 2, field 'PD': has a month that is not English.*interface"),
        ({"HD": " "}, r"article 2, field 'HD': has no headline"),
    ],
)
def test_an_article_without_headline_or_day_is_named_and_skipped_only_on_request(save, change, message):
    spoilt = {code: value for code, value in {**FIELDS, **change}.items() if value is not None}
    file = save(page(indexed(FIELDS), indexed(spoilt), indexed({**FIELDS, "HD": "Third"})))
    with pytest.raises(CorpusError, match=message):
        read_headlines(file)
    read = import_headlines(file, skip_invalid=True)
    assert read.frame["record"].to_list() == [1, 3]
    assert [problem.line for problem in read.problems] == [2]


def test_a_displayed_article_without_a_date_is_not_given_another_number(save):
    file = save(
        page(displayed("A", "87 words", "The Daily Ledger", body=("It met on 3 May 2018.", "3 May 2018")))
    )
    with pytest.raises(CorpusError, match="article 1, field 'PD': has no date"):
        read_headlines(file)


def test_a_section_that_looks_like_a_date_is_not_the_day(save):
    lines = ("87 words", "15 March 2019", "The Daily Ledger")
    row = read_headlines(save(page(displayed("A", *lines, section="1 May 1999")))).row(0)
    assert (row[0], row[3]) == (date(2019, 3, 15), "The Daily Ledger")


def test_a_table_inside_the_text_is_no_field_of_the_article(save):
    inner = "<table><tr><td>PD</td><td>1 May 1999</td></tr><tr><td>SN</td><td>None</td></tr></table>"
    fields = {"HD": "A", "LP": f"<p>Lead.</p>{inner}", "PD": "15 March 2019", "SN": "The Daily Ledger"}
    row = read_headlines(save(page(indexed(fields)))).row(0)
    assert row[:4] == (date(2019, 3, 15), "A", "Lead.", "The Daily Ledger")


def test_scripts_of_the_page_are_no_text_and_scripts_in_the_text_are(save):
    title = "&lt;script&gt;alert(1)&lt;/script&gt; {data_name}<script>alert(2)</script>"
    row = read_headlines(save(page(indexed({**FIELDS, "HD": title})))).row(0)
    assert row[1] == "<script>alert(1)</script> {data_name}"


def test_the_encoding_is_what_the_page_says_else_utf8_else_windows(save):
    article = indexed({**FIELDS, "HD": "Café’s €5"})
    undeclared = page(article).replace("charset=utf-8", "")
    for text, encoding in (
        (page(article), "utf-8"),
        (page(article), "utf-8-sig"),
        (page(article), "utf-16"),
        (page(article, charset="ISO-8859-1"), "cp1252"),
        (undeclared, "utf-8"),
        (undeclared, "cp1252"),
    ):
        assert read_headlines(save(text, encoding))["title"][0] == "Café’s €5", (encoding, text[:120])
    with pytest.raises(CorpusError, match="is not text in utf-8"):
        read_headlines(save(page(article), "cp1252"))
    assert read_headlines(save(page(article), "cp1252"), encoding="cp1252")["title"][0] == "Café’s €5"
    with pytest.raises(CorpusError, match="its encoding is 'x-none'"):
        read_headlines(save(page(article, charset="x-none")))


def test_pages_without_articles_and_empty_ones_are_refused(save):
    with pytest.raises(CorpusError, match="holds no article that can be recognised"):
        read_headlines(save("<html><body><p>Your session has expired</p></body></html>"))
    with pytest.raises(CorpusError, match="is empty"):
        read_headlines(save("\n"))


def test_an_article_that_is_cut_off_before_its_day_is_named(save):
    text = page(indexed(FIELDS), indexed({**FIELDS, "HD": "Second"}))
    file = save(text[: text.index("<td>Second") + 7])
    with pytest.raises(CorpusError, match="article 2, field 'PD'"):
        read_headlines(file)


def test_a_file_beyond_the_limit_is_not_read(save, monkeypatch):
    monkeypatch.setattr("neuter.corpus.importers.factiva_html.MOST_BYTES", 1_000)
    with pytest.raises(CorpusError, match=r"is larger than .* MB"):
        read_headlines(save(page(indexed(FIELDS)) + " " * 1_000))
