"""The words of questions: dates, prices, contexts, and the prompt of each task."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from typing import Literal

from neuter.errors import UsageError
from neuter.prompts.recall import instrument
from neuter.suites.recall.specs import SeriesSpec

Task = Literal["level", "rate", "return", "direction", "pair", "date", "date_level"]
#: How often something is asked; None: as the paper does it.
Asked = Literal["daily", "monthly", "quarterly", "yearly"]
# Not from the locale of the user's machine.
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
#: The prompt by what is asked, of what, and how often. The first of a task and subject is the paper's way.
_INSTRUMENTS: dict[tuple[str, str], dict[Asked, str]] = {
    ("return", "indices"): {"monthly": "index_return"},
    ("direction", "indices"): {"monthly": "index_direction", "daily": "index_direction_daily"},
    ("direction", "stocks"): {"monthly": "stock_direction", "daily": "stock_direction_daily"},
    ("pair", "indices"): {"yearly": "index_pair", "monthly": "index_pair_monthly"},
}


#: How far, in cents, a number may be from whole ones that a computer holds.
_CENT = 1e-4


def said_date(day: date) -> str:
    """A day as section 2.2 writes it.

    >>> said_date(date(2019, 3, 15))
    'March 15, 2019'
    """
    return f"{_MONTHS[day.month - 1]} {day.day}, {day.year}"


def said_day_in_full(day: date) -> str:
    """A day as appendix B.5 writes it in the system message.

    >>> said_day_in_full(date(2010, 12, 31)), said_day_in_full(date(2023, 10, 1))
    ('December 31st, 2010', 'October 1st, 2023')
    """
    ending = "th" if day.day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return f"{_MONTHS[day.month - 1]} {day.day}{ending}, {day.year}"


def said_cutoff(day: date) -> str:
    """A cutoff as appendix B.5 writes it in the user message; of a day that ends no year the wording is ours.

    >>> said_cutoff(date(2010, 12, 31)), said_cutoff(date(2015, 3, 22))
    ('the end of 2010', 'March 22nd, 2015')
    """
    return f"the end of {day.year}" if (day.month, day.day) == (12, 31) else said_day_in_full(day)


def said_month(day: date) -> tuple[str, str]:
    """The month and the year of a day, for the slots ``{month}, {year}``.

    >>> said_month(date(2019, 3, 1))
    ('March', '2019')
    """
    return _MONTHS[day.month - 1], str(day.year)


def said_quarter(day: date) -> tuple[str, str]:
    """The quarter and the year of a day, for the slots ``{quarter} {year}``.

    >>> said_quarter(date(2008, 10, 1))
    ('Q4', '2008')
    """
    return f"Q{(day.month + 2) // 3}", str(day.year)


def said_price(value: float, digits: int = 2) -> str:
    """A price as section 2.2 writes it, with separators of thousands and always ``digits`` decimals.

    >>> said_price(2834.4)
    '2,834.40'
    """
    said = f"{value:,.{digits}f}"
    return said.removeprefix("-") if not any(digit in said for digit in "123456789") else said


def said_value(spec: SeriesSpec, value: float) -> str:
    """A value of a series in its unit: ``3.8%``, ``1,372 thousand``, ``2,834.40``; a stock's eighths in full."""
    behind = {"percent": "%", "thousands": " thousand", "ones": ""}[spec.unit]
    return f"{said_price(value, _decimals(spec, value))}{behind}"


def _decimals(spec: SeriesSpec, value: float) -> int:
    """Stocks were quoted in fractions of a dollar, down to a 64th, until 2001; a close in later shares may be neither
    such a fraction nor whole cents, and is told with four significant digits at least.
    """
    if not spec.is_stock or abs(value * 100 - round(value * 100)) < _CENT:
        return spec.digits
    if (value * 64).is_integer():
        return max(spec.digits, len(f"{value:.6f}".rstrip("0").partition(".")[2]))
    return max(spec.digits, 3 - math.floor(math.log10(abs(value))))


def said_period(spec: SeriesSpec, day: date) -> str:
    """The period of ``day`` as the series' prompts word it: a day, ``March 2019`` or ``Q4 2008``."""
    if spec.said == "day":
        return said_date(day)
    return " ".join(said_month(day) if spec.said == "month" else said_quarter(day))


def prompt_of(instrument_name: str, **slots: str) -> str:
    """The prompt of an instrument with its slots filled, literally and once.

    Raises:
        UsageError: no such instrument, or other slots than it has.
    """
    return instrument(instrument_name).fill(**slots)


def history_context(spec: SeriesSpec, previous: Sequence[tuple[date, float]]) -> str:
    """The two previous values, the latest first, as a context (appendix B.1, B.4; for macro series ours).

    Args:
        previous: dates and values in any order; only the last two are told. Empty: no context. With one the sentence
            of appendix B.4, which has no "Context:" before it.
    """
    last = sorted(previous, reverse=True)[:2]
    if not last:
        return ""
    kind = {"indices": "index_history", "macro": "macro_history"}.get(spec.suite, "stock_history")
    value = "previous_value" if spec.suite == "macro" else "previous_closing_price"
    if spec.suite == "macro" and spec.said == "day":
        kind += "_end_of_month"
    slots = {"data_name": _named(spec)}
    for place, (day, number) in enumerate(last, 1):
        slots[f"{value}_{place}"] = said_value(spec, number)
        slots[f"previous_period_{place}"] = said_period(spec, day)
    return prompt_of(kind if len(last) == 2 else f"{kind}_one", **slots)


def headline_context(headlines: Sequence[tuple[str, str]]) -> str:
    """Headlines of one day without their date (appendix B.2): a line each, ``title: content``.

    A headline without content is its title alone, without the colon. White space within either becomes a blank, so that
    each stays on its line. Empty where there are no headlines.
    """
    return _news("headline_context", headlines)


def news_context(headlines: Sequence[tuple[str, str]]) -> str:
    """Headlines of the period before what is asked about, as the context of a dated question (ours: section 2.2).

    Lines as in :func:`headline_context`. Empty where there are no headlines.
    """
    return _news("news_context", headlines)


def _news(name: str, headlines: Sequence[tuple[str, str]]) -> str:
    """The instrument's first line, and a line a headline in the manner of its second."""
    lines = [_one_line(title, content) for title, content in headlines]
    lines = [line for line in lines if line]
    return "\n".join([instrument(name).template.splitlines()[0], *lines]) if lines else ""


def _one_line(title: str, content: str) -> str:
    parts = (" ".join(part.split()) for part in (title, content))
    return ": ".join(part for part in parts if part)


def question_prompt(
    task: Task,
    spec: SeriesSpec,
    on: date,
    *,
    context: str = "",
    second: SeriesSpec | None = None,
    frequency: Asked | None = None,
) -> str:
    """The prompt that asks ``task`` of a series on a date, word for word from appendix B where the paper prints it.

    Args:
        on: the day, or any day of the month, quarter or year that is asked about.
        context: what stands above the question; macro prompts, which have no place for it in the paper, get it there.
        second: the other index of a pair.
        frequency: how often it is asked, where there is a choice: directions ``monthly`` or ``daily``, pairs ``yearly``
            or ``monthly``. The paper's way comes first and is the default.

    Raises:
        UsageError: the task is not asked of that series, or not that often; a pair without its second; a question about
            headlines, for which there is :func:`headline_prompt`.
    """
    name = instrument_of(task, spec, frequency)
    if (second is not None) != (task == "pair"):
        raise UsageError(
            f"{task} with second={second and second.name}", todo="A pair has a second, nothing else"
        )
    known = _slots(spec, on, second)
    wanted = instrument(name).slots
    prompt = prompt_of(name, **{slot: known.get(slot, context) for slot in wanted})
    return prompt if "context" in wanted or not context.strip() else f"{context.strip()}\n\n{prompt}"


def headline_prompt(headlines: Sequence[tuple[str, str]], index: SeriesSpec | None = None) -> str:
    """The prompt that asks for the date of a day's headlines; with an index also for its next close (appendix B.2).

    Raises:
        UsageError: there are no headlines.
    """
    context = headline_context(headlines)
    if not context:
        raise UsageError("a question about headlines without any", todo="Give at least one headline")
    if index is None:
        return prompt_of("headline_date", context=context)
    return prompt_of("headline_level", context=context, data_name=_named(index))


def instrument_of(task: Task, spec: SeriesSpec, frequency: Asked | None = None) -> str:
    """The name of the instrument that asks ``task`` of a series; see :func:`question_prompt`."""
    if task == spec.kind or (task == "level" and spec.kind == "rate" and spec.said == "day"):
        found: dict[Asked, str] = {spec.frequency: spec.instrument}
    else:
        found = _INSTRUMENTS.get((task, spec.suite), {})
    name = next(iter(found.values()), None) if frequency is None else found.get(frequency)
    if name is None:
        often = f" {frequency}" if frequency else ""
        known = (
            f"It is asked {' or '.join(found)}"
            if found
            else "See docs/recall-questions.md for what is asked of what"
        )
        raise UsageError(f"{task!r} is not asked{often} of {spec.name}", todo=known)
    return name


def _slots(spec: SeriesSpec, on: date, second: SeriesSpec | None) -> dict[str, str]:
    """What every slot of a question stands for, but for its context."""
    month, year = said_month(on)
    return {
        "data_name": _named(spec),
        "data_name2": _named(second) if second else "",
        "ticker_str": _named(spec),
        "date": said_date(on),
        "end_of_month_date": said_date(on),
        "month": month,
        "year": year,
        "quarter": said_quarter(on)[0],
    }


def _named(spec: SeriesSpec) -> str:
    if not spec.data_name:
        raise UsageError(
            f"{spec.name} is a portfolio, which no prompt names", todo="Ask about the tickers of its firms"
        )
    return spec.data_name
