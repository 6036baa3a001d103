"""Texts of questions: plain, whole characters, of a length that a question may have."""

from __future__ import annotations

import html
import re
from typing import Any

from neuter.corpus.unpaired import first_unpaired
from neuter.errors import DataError

#: A text longer than this is no question.
LONGEST_TEXT = 1_000_000
#: Tags that question sites write. Other words between < and > are taken for text: "if x <y and z> 3".
_TAGS = (
    "a|abbr|b|blockquote|br|center|code|dd|del|div|dl|dt|em|figure|figcaption|font|h[1-6]|hr|i|iframe|img|ins|li|ol|p|pre|"
    "s|script|section|small|span|strong|style|sub|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|video"
)
_TAG = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]{{0,2000}})?/?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li|tr|h[1-6]|blockquote)>", re.IGNORECASE)


def plain_text(text: str) -> str:
    """A text without markup; line breaks stay, other runs of blanks become one.

    >>> plain_text("Will <b>it</b> rain?<br>Yes &amp; no")
    'Will it rain?\\nYes & no'
    >>> plain_text("Is 1 <2 and 3> 2?")
    'Is 1 <2 and 3> 2?'
    """
    if _TAG.search(text):
        text = _without_tags(text)
    elif _ENTITY.search(text):
        text = html.unescape(text)
    lines = (" ".join(line.split()) for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def told_text(value: Any, *, verbatim: bool = False) -> str | None:
    """A value as text, "" where there is nothing; None where it is no text (a list, a fraction, yes or no).

    Raises:
        DataError: it is too long, or holds half a character.
    """
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, bool | float) or not isinstance(value, str | int):
        return None
    text = str(value)
    if len(text) > LONGEST_TEXT:
        raise DataError(f"has {len(text):,} characters", todo=f"At most {LONGEST_TEXT:,} are read")
    if first_unpaired(text) is not None:
        raise DataError("holds half a character (an unpaired surrogate)", todo="Write the file anew as UTF-8")
    if verbatim:
        return text if text.strip() else ""
    return plain_text(text)


def _without_tags(text: str) -> str:
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(_BREAK.sub("\n", text))
    page.strip_tags(["script", "style"], recursive=True)
    return page.body.text() if page.body else ""
