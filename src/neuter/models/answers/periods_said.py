"""Whether what a model says of a quarter, a year or a day is one of them: not two, not a bound, not a denial."""

from __future__ import annotations

import re

from neuter.models.answers.dates import dates_in
from neuter.models.answers.qualifiers import bounded_before, bounded_behind, denied_before

_ORDINAL = r"(?:first|1st|second|2nd|third|3rd|fourth|4th)"
_QUARTER = rf"(?:(?:Q(?:uarter)?[ .\-]?)?[1-4](?:[ \-]?Q)?|{_ORDINAL})"
_A_YEAR = r"(?:FY[ ]?)?(?:19|20)[0-9]{2}"
_JOINT = r"\s*(?:[-–—,&]|/|to|or|and|through|until)\s*"
#: "2018/2019" is one fiscal year, as "FY2018-19" is.
_YEAR_JOINT = r"\s*(?:[-–—,&]|to|or|and|through|until)\s*"
_TWO = (
    re.compile(
        rf"(?<![\w.]){_QUARTER}(?:\s(?:quarters?|(?:of\s)?{_A_YEAR}))*{_JOINT}(?:the\s)?{_QUARTER}(?![\w.])",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<!\w){_A_YEAR}{_YEAR_JOINT}{_A_YEAR}(?!\w)", re.IGNORECASE),
)
_BEGINS = re.compile(
    rf"(?:\b(?:fiscal|calendar|the|year|FY|CY|Q|quarter)\b[\s.'’]*)*(?:[0-9]|\b{_ORDINAL}\b)", re.IGNORECASE
)


def one_period(value: str) -> str:
    """``value``, or nothing where it is no single period: "2018-2019", "2 or 3", "not 2018", "before 03/14/2023".

    >>> one_period("Q3 2018"), one_period("Q3-Q4"), one_period("not 2018")
    ('Q3 2018', '', '')
    """
    begins = _BEGINS.search(value)
    lead = value[: begins.start()] if begins else ""
    if denied_before(lead) or bounded_before(lead):
        return ""
    return "" if _several(value) else value


def _several(value: str) -> bool:
    days = dates_in(value)
    for _, end, day in days[:1]:
        joined = [other for start, _, other in days[1:] if re.fullmatch(_JOINT, value[end:start])]
        return bool(joined and joined[0] != day) or bounded_behind(value[end:])
    return any(form.search(value) for form in _TWO)
