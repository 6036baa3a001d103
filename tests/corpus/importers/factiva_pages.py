"""Pages and RTF files in the shapes in which Factiva saves articles, with headlines of our own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

DOCUMENT = "Document J000000020190315ef3f00001"


def read_of(file: Path, title: str) -> tuple[Any, ...]:
    """The row that the tests' one article is read as, in either kind of file."""
    lead = ("First lead. Second lead.", "The Daily Ledger", 1234)
    return (date(2019, 3, 15), title, *lead, file.as_posix(), 1)


def page(*articles: str, charset: str = "utf-8") -> str:
    """A saved page: styles and scripts before the articles, a form around them."""
    return (
        f'<html><head><meta http-equiv="Content-Type" content="text/html; charset={charset}"/>'
        "<title>Factiva</title><style>.article{margin:0}</style><script>var hd = 'HD';</script></head>"
        f'<body><form><div id="contentLeft">{"".join(articles)}</div></form></body></html>'
    )


def indexed(fields: Mapping[str, str], language: str = "en") -> str:
    """An article with indexing: a table with a row a field."""
    rows = "".join(
        f'<tr><td class="index" valign="top"><b>{code}</b>&nbsp;</td><td>{value}</td></tr>'
        for code, value in fields.items()
    )
    return f'<div class="article {language}Article"><table><tbody>{rows}</tbody></table></div><p>&nbsp;</p>'


def displayed(title: str, *lines: str, body: tuple[str, ...] = (), section: str = "") -> str:
    """An article without indexing: the headline, lines in divs, paragraphs."""
    head = f"<div>{section}</div>" if section else ""
    divs = "".join(f"<div>{line}</div>" for line in lines)
    text = "".join(
        f'<p class="articleParagraph enarticleParagraph">\n{one}\n</p>' for one in (*body, DOCUMENT)
    )
    return (
        f'<div class="article enArticle">{head}<div id="hd"><span class="enHeadline">{title}</span></div>'
        f"{divs}{text}</div>"
    )


def listed(title: str, fields: str, snippet: str = "") -> str:
    """An entry of the list of headlines."""
    told = f'<div class="snippet ensnippet">{snippet}</div>' if snippet else ""
    return (
        '<table><tr class="headline"><td><input type="checkbox"/></td><td class="count">1.</td><td>'
        f'<a class="enHeadline" href="#">{title}</a><div class="leadFields">{fields}</div>{told}</td></tr></table>'
    )


def rtf(*articles: str) -> str:
    """An RTF file with tables of fonts, colours and styles, a header and a footer."""
    return (
        r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\froman\fcharset0 Times;}}"
        r"{\colortbl;\red0\green0\blue0;}{\stylesheet{\s1\b\fs28 heading 1;}}{\info{\title HD}}"
        r"{\footer\pard Page 1 of 2 \'a9 2019 Factiva, Inc.\par}" + "\n" + "\n".join(articles) + "}"
    )


def rtf_indexed(fields: Mapping[str, str]) -> str:
    """An article with indexing: a row of a table for each field."""
    row = r"\trowd\cellx1000\cellx9000\pard\intbl {{\b {code}}}\cell {value}\cell\row" + "\n"
    return (
        "".join(row.format(code=code, value=value) for code, value in fields.items())
        + r"\pard\par\page"
        + "\n"
    )


def rtf_displayed(*lines: str) -> str:
    """An article without indexing: a paragraph a line; the caller marks what is bold."""
    return "".join(f"\\pard {line}\\par\n" for line in (*lines, DOCUMENT))
