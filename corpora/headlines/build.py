"""Puts the shipped headlines in order and checks all that a program can check of them.

    python corpora/headlines/build.py           write the rows in order, unless something is wrong
    python corpora/headlines/build.py --check   write nothing; say what is wrong

What the markets did is compared with the daily closes that ship in corpora/indices. The other facts were written by
hand. Problems are listed on standard error and end in exit status 1.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILE = HERE / "headlines.jsonl"
CLOSES = HERE.parent / "indices" / "closes.csv"
FIELDS = ("date", "event_date", "title", "content", "market")
FIRST, LAST = date(1990, 1, 1), date(2026, 6, 30)
IN_A_SET, IN_A_YEAR, AFTER_OCTOBER_2023 = (3, 5), 2, 16

#: The first Saturday on which a front page of the kind that the paper uses appeared.
SATURDAYS_FROM = date(2005, 9, 17)

Row = dict[str, str]
Closes = Mapping[str, Mapping[date, float]]

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
#: What would give the day away: a year, or a month with a day.
GIVEN_AWAY = re.compile(rf"\b(19|20)\d\d\b|\b({_MONTHS})\.? \d{{1,2}}\b|\b\d{{1,2}} ({_MONTHS})\b")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)%")


def read_rows(path: Path = FILE) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_closes(path: Path = CLOSES) -> Closes:
    closes: dict[str, dict[date, float]] = defaultdict(dict)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for name in ("SP500", "DJIA", "NASDAQ", "VIX"):
                if row[name.lower()]:
                    closes[name][date.fromisoformat(row["date"])] = float(row[name.lower()])
    return closes


def problems(rows: list[Row], closes: Closes | None) -> Iterator[str]:
    """All that is wrong; what the markets did only with ``closes``."""
    days: dict[date, list[Row]] = defaultdict(list)
    for row in rows:
        where = f"{row.get('date')}: {row.get('title')}"
        if tuple(row) != FIELDS:
            yield f"{where}: has the fields {', '.join(row)}"
            continue
        days[date.fromisoformat(row["date"])].append(row)
        yield from (f"{where}: {what}" for what in text_problems(row))
        yield from (f"{where}: {what}" for what in day_problems(row))
        if closes and row["market"]:
            yield from (f"{where}: {what}" for what in market_problems(row, closes))
    yield from set_problems(days)


def text_problems(row: Row) -> Iterator[str]:
    for name in ("title", "content"):
        text = row[name]
        if " ".join(text.split()) != text or not text.isprintable():
            yield f"the {name} has blanks or characters that do not belong there"
        if found := GIVEN_AWAY.search(text):
            yield f"the {name} gives the day away: {found[0]}"
    if not row["title"] or (row["title"].endswith(".") and not row["title"].endswith("U.S.")):
        yield "a title is there and ends without a period"
    if row["content"] and not row["content"].endswith("."):
        yield "a content is a sentence and ends with a period"


def day_problems(row: Row) -> Iterator[str]:
    day, event = date.fromisoformat(row["date"]), date.fromisoformat(row["event_date"])
    if not FIRST <= day <= LAST:
        yield f"is not from {FIRST} to {LAST}"
    if not timedelta(0) < day - event <= timedelta(days=3):
        yield f"is of {event}, which is not one to three days before"
    if (
        day.weekday() == 6
        or (day.weekday() == 5 and day < SATURDAYS_FROM)
        or (day.month, day.day) == (12, 25)
    ):
        yield f"a {day:%A} without a paper"


def market_problems(row: Row, closes: Closes) -> Iterator[str]:
    """``market`` is the session and what the indices did in it, in percent: ``2008-09-29 DJIA -6.98 SP500 -8.81``."""
    told, *parts = row["market"].split()
    session = date.fromisoformat(told)
    moves = dict(zip(parts[::2], map(float, parts[1::2]), strict=True))
    real = {name: move(closes[name], session) for name in moves}
    for name, value in moves.items():
        change = real[name]
        if change is None or abs(change - value) > 0.0051:
            yield f"{name} moved by {change and round(change, 2)}, not {value}"
            return
    if not session <= date.fromisoformat(row["event_date"]) < session + timedelta(days=4):
        yield f"the session of {session} is not the last up to {row['event_date']}"
    # A content that is a sentence about the indices begins with one; others speak of more than the indices.
    content = row["content"] if re.match(r"The (S&P|Dow|Nasdaq)", row["content"]) else ""
    for percent in map(float, _PERCENT.findall(f"{row['title']} {content}")):
        if not any(abs(abs(value) - percent) <= 0.0501 for value in real.values() if value is not None):
            yield f"{percent}% is the move of none of {', '.join(moves)}"
    first = next(iter(moves))
    if re.search(r"\bRecord\b|First Time", row["title"]) and "Point" not in row["title"]:
        yield from record_problems(row["title"], closes[first], session, first)


def record_problems(title: str, closes: Mapping[date, float], session: date, name: str) -> Iterator[str]:
    if "Christmas Eve" in title:
        return
    before = max(close for day, close in closes.items() if day < session)
    if closes[session] <= before:
        yield f"{name} was higher before"
    if (level := re.search(r"Above (\d+)", title)) and not before < float(level[1]) <= closes[session]:
        yield f"{name} did not first close above {level[1]}"


def move(closes: Mapping[date, float], session: date) -> float | None:
    """The change from the close before, in percent."""
    earlier = max((day for day in closes if day < session), default=None)
    return None if earlier is None or session not in closes else 100 * (closes[session] / closes[earlier] - 1)


def set_problems(days: Mapping[date, list[Row]]) -> Iterator[str]:
    years: dict[int, int] = defaultdict(int)
    for day, rows in days.items():
        years[day.year] += 1
        if not IN_A_SET[0] <= len(rows) <= IN_A_SET[1]:
            yield f"{day}: {len(rows)} headlines"
        if len({row["title"].casefold() for row in rows}) < len(rows):
            yield f"{day}: a title twice"
        if len({row["event_date"] for row in rows}) > 1:
            yield f"{day}: more than one day of the event"
    for year in range(FIRST.year, LAST.year + 1):
        if years[year] < IN_A_YEAR:
            yield f"{year}: {years[year]} sets"
    if sum(day >= date(2023, 10, 1) for day in days) < AFTER_OCTOBER_2023:
        yield "too few sets after September 2023"


def ordered(rows: Iterable[Row]) -> list[Row]:
    """By day; within a day as they stand, which is the order of the front page."""
    return sorted(rows, key=lambda row: row["date"])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    rows = read_rows()
    wrong = list(problems(rows, read_closes()))
    if check and any(one["date"] > two["date"] for one, two in pairwise(rows)):
        wrong.append("the rows are not in the order of their days")
    for problem in wrong:
        print(problem, file=sys.stderr)
    if not wrong and not check:
        part = FILE.with_suffix(".part")
        part.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ordered(rows)), encoding="utf-8"
        )
        part.replace(FILE)
    print(f"{len(rows)} headlines, {len({row['date'] for row in rows})} days, {len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
