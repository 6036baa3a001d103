"""Articles in HTML pages saved from Factiva: with indexing, as full articles, and as a list of headlines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from neuter.corpus.importers.articles import FIELD_CODES, LEAD_PARAGRAPHS, TIME, Found, words_in
from neuter.corpus.importers.encodings import read_export
from neuter.corpus.importers.publication_dates import IN_LINE, is_day
from neuter.errors import CorpusError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MOST_BYTES = 100_000_000

#: ``enHeadline``, ``deHeadline``: the class names the article's language.
_HEADLINE = "[class$='Headline']"
_NO_TEXT = ["script", "style", "noscript", "template"]


def html_headlines(path: Path, shown: str, *, encoding: str | None) -> Iterator[Found]:
    """The articles of a page, in its order.

    Raises:
        CorpusError: the file cannot be read, or holds no article in a known display format.
    """
    # selectolax follows the HTML standard, as browsers do, is in C, and brings nothing else (docs/dependencies.md).
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(read_export(path, shown, encoding=encoding, most=MOST_BYTES))
    page.strip_tags(_NO_TEXT)
    for break_ in page.css("br"):
        break_.replace_with(" ")
    articles = [one for one in page.css("div.article") if not _below(one, "div.article")]
    entries = [] if articles else [one for one in page.css(".headline") if _below(one, _HEADLINE)]
    if not articles and not entries:
        raise CorpusError(
            "holds no article that can be recognised",
            where=shown,
            todo="Save it from Factiva as Article Format (best with indexing) or as Headline Format",
        )
    for record, article in enumerate(articles, start=1):
        yield _article(article, shown, record)
    for record, entry in enumerate(entries, start=1):
        yield _entry(entry, shown, record)


def _below(node: LexborNode, selector: str) -> list[LexborNode]:
    """The nodes inside ``node``; a search of the library itself may return the node too."""
    return [one for one in node.css(selector) if one.mem_id != node.mem_id]


def _article(article: LexborNode, shown: str, record: int) -> Found:
    fields = _indexed(article)
    if "HD" in fields or "PD" in fields:
        held = {code: _line(cell) for code, cell in fields.items()}
        lead = _paragraphs(fields["LP"]) if "LP" in fields else []
        content = " ".join(lead) or held.get("LP", "")
        words = words_in(held.get("WC", ""))
        return Found(shown, record, "article", held.get("PD"), held.get("HD"), content, held.get("SN"), words)
    return _displayed(article, shown, record)


def _indexed(article: LexborNode) -> dict[str, LexborNode]:
    """Field code → cell, of the article's own table; a table inside its text is none."""
    table = article.css_first("table")
    fields: dict[str, LexborNode] = {}
    for row in table.css("tr") if table else ():
        cells = [cell for cell in row.iter() if cell.tag in ("td", "th")]
        if len(cells) >= 2 and _own(row, table) and (code := _line(cells[0])) in FIELD_CODES:
            fields.setdefault(code, cells[1])
    return fields


def _own(row: LexborNode, table: LexborNode | None) -> bool:
    above = row.parent
    while above and above.tag != "table":
        above = above.parent
    return bool(above and table and above.mem_id == table.mem_id)


def _displayed(article: LexborNode, shown: str, record: int) -> Found:
    """An article without indexing: a headline, then lines in an order of their own, then paragraphs."""
    head = article.css_first(_HEADLINE) or article.css_first("#hd")
    lines = [line for one in article.iter() if one.tag == "div" and (line := _line(one))]
    counted = next((at for at, line in enumerate(lines) if words_in(line) is not None), None)
    dated = next((at for at, line in enumerate(lines) if at >= (counted or 0) and is_day(line)), None)
    after = [] if dated is None else [line for line in lines[dated + 1 :] if not TIME.fullmatch(line)]
    return Found(
        shown,
        record,
        "article",
        None if dated is None else lines[dated],
        _line(head) if head else None,
        " ".join(_paragraphs(article)[:LEAD_PARAGRAPHS]),
        after[0] if after else "",
        None if counted is None else words_in(lines[counted]),
    )


def _entry(entry: LexborNode, shown: str, record: int) -> Found:
    """A line of the list of headlines: ``Source, time, date, words, author, (language)`` and perhaps a snippet."""
    told = entry.css_first(".leadFields")
    line = _line(told) if told else ""
    day = IN_LINE.search(line)
    snippet = entry.css_first("[class*='snippet']")
    counts = [words for part in re.split(r",\s+", line) if (words := words_in(part)) is not None]
    head = entry.css_first(_HEADLINE)
    return Found(
        shown,
        record,
        "article",
        day[0] if day else None,
        _line(head) if head else None,
        _line(snippet) if snippet else "",
        line.partition(",")[0],
        counts[0] if counts else None,
    )


def _paragraphs(node: LexborNode) -> list[str]:
    marked = node.css("p.articleParagraph") or node.css("p")
    lines = [_line(one) for one in marked]
    return [line for line in lines if line and not re.fullmatch(r"Document \w{10,40}", line)]


def _line(node: LexborNode) -> str:
    return " ".join(node.text(deep=True).split())
