"""Plain words and readable numbers for what a scores table holds, the same in every kind of report."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """How a metric is called in a heading, and the sentence that says what it is."""

    title: str
    meaning: str


MEASURES = {
    "firm_accuracy": Measure("Firm found", "share of documents whose firm the attacker named"),
    "firm_accuracy_top5": Measure("Firm in first five", "share with the firm among the five best candidates"),
    "firm_mrr": Measure("Firm, reciprocal rank", "mean of 1 / the right firm's rank among the candidates"),
    "firm_skill": Measure("Firm, skill", "(accuracy − baseline) / (1 − baseline)"),
    "effective_candidates": Measure("Firms left", "how many equally likely firms the guesses leave"),
    "industry_accuracy": Measure("Industry", "share of documents whose industry the attacker named"),
    "year_accuracy": Measure("Year", "share with the right fiscal year"),
    "quarter_year_accuracy": Measure("Quarter and year", "share with the right fiscal quarter and year"),
    "calendar_year_accuracy": Measure("Calendar year", "share with the right year of the period's end"),
    "calendar_quarter_year_accuracy": Measure(
        "Calendar quarter and year", "share with the right quarter and year of the period's end"
    ),
    "call_year_accuracy": Measure("Call year", "share with the right year of the call's own date"),
    "call_quarter_year_accuracy": Measure(
        "Call quarter and year", "share with the right quarter and year of the call's own date"
    ),
    "quarter_within_one": Measure("Within a quarter", "share no more than one fiscal quarter off"),
    "mean_years_difference": Measure("Years difference", "mean of guessed year − true year"),
    "mean_absolute_years_difference": Measure("Years off", "mean distance of the guessed from the true year"),
    "month_year_accuracy": Measure("Month and year", "share of headlines with the right month and year"),
    "exact_date_accuracy": Measure("Exact date", "share of headlines with the right day"),
    "mean_days_difference": Measure("Days difference", "mean of guessed date − true date"),
    "mean_absolute_days_difference": Measure("Days off", "mean distance of the guessed from the true date"),
}
#: Which truth a guess of year and quarter is held against, by what its metrics begin with.
READINGS = {
    "fiscal": ("", "fiscal year and quarter"),
    "calendar": ("calendar_", "calendar year and quarter in which the fiscal period ends"),
    "call": ("call_", "year and calendar quarter of the call's date"),
}
#: What a table shows when nobody asks for something else.
MAIN_METRICS = ("firm_accuracy", "year_accuracy", "quarter_year_accuracy")

UNITS = {"percent": "%", "percentage_points": "pp", "years": "years", "days": "days"}

LOST = ("refused", "filtered", "truncated", "unparsed", "failed")

#: The sign itself, not a hyphen.
MINUS = "\u2212"

SMALL_MODEL = "knows little finance"
SMALL_MODEL_NOTE = (
    "† An embedded model of 135 million parameters. It knows little finance: what it does not find, "
    "a larger model may well find, so its figures say little about how safe a scheme is."
)
BASELINE_NOTE = "what the best constant guess would score, without reading any text"

#: Attackers that see no text: what they find is no leak, and they are never the strongest if another ran.
READS_NOTHING = frozenset({"prior", "majority"})

#: Made visible because they hide or reorder what is around them: direction marks, isolates, zero width.
_INVISIBLE = dict.fromkeys(
    [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x061C, 0xFEFF], "\ufffd"
)
_CONTROL = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"}
_CONTROL |= {0x0D: " ", 0x7F: "\u2421"} | dict.fromkeys(range(0x80, 0xA0), "\ufffd")
_VISIBLE = _CONTROL | _INVISIBLE


def visible(text: str) -> str:
    """``text`` with every control and direction character as one visible sign, so that offsets stay the same.

    An escape becomes ``␛``, a NUL ``␀``, a right-to-left override ``�``: nothing in a text can move the
    cursor, colour the terminal, or make a line read in another order than it is stored.
    """
    return text.translate(_VISIBLE)


def one_line(text: str) -> str:
    """``text`` made visible and without line breaks, for a cell or a heading."""
    return " ".join(visible(text).split())


def measure(metric: str) -> Measure:
    """The words for ``metric``; an unknown one is spelled out from its name."""
    return MEASURES.get(metric) or Measure(metric.replace("_", " ").capitalize(), metric)


def number(value: float | None, unit: str = "percent", places: int | None = None) -> str:
    """A number as it stands in a table: ``97.9``, ``100``, ``−1.29``; a dash where there is none.

    The minus is the sign of that name: a hyphen may be broken at the end of a line, and is half as wide.
    """
    if value is None or not math.isfinite(value):
        return "–"
    if places is None:
        whole = unit == "percent" and abs(value) == 100
        places = 0 if whole or unit == "days" else 1 if unit in ("percent", "percentage_points") else 2
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else signed(text)


def signed(text: str) -> str:
    """A number's text with a true minus in front where it is negative; that of an exponent stays a hyphen.

    >>> signed("-2.75"), signed("1e-05")
    ('−2.75', '1e-05')
    """
    return f"{MINUS}{text[1:]}" if text.startswith("-") else text


def is_small_model(model: str | None) -> bool:
    """Whether ``model`` is one of those embedded in neuter, which know little finance."""
    return bool(model) and str(model).startswith("local/")


def plural(count: int, word: str) -> str:
    """``1 document``, ``96 documents``."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def listing(words: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def slug(text: str) -> str:
    """``text`` as a file's name: letters, digits, dots and dashes."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    kept = "".join(char if char.isalnum() or char in "._-" else "-" for char in plain)
    return kept.strip("-.") or "unnamed"


def firm_name(label: str | None, known: Mapping[str, str] | None = None) -> str:
    """A firm's label (``cik:0000320193``, a ticker, a name) in readable words.

    ``known`` holds a corpus's own names by label; what it lacks is looked up among the firms that ship, and a
    ticker or name that an attacker wrote stays as it is.
    """
    if not label:
        return ""
    if known and label in known:
        return known[label]
    if not label.startswith(("cik:", "ticker:", "name:")):
        return one_line(label)
    from neuter.firms import display_name

    return one_line(display_name(label))
