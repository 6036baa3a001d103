"""How fast the judge-free check reads chains of thought, ordinary ones and hostile ones.

    python benchmarks/trace_check.py [--traces 2000] [--repeats 5]

Ordinary: 1 kB with one date. Dense: 0.6 kB with many. Hostile: 1 MB of what makes careless patterns backtrack. The peer
for dates in prose is dateparser's ``search_dates``, where it is installed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from datetime import date

from neuter.traces import check_trace

C = date(2023, 1, 1)
QUESTION = "Will X happen by 2023-12-31?"
ORDINARY = (
    "The base rate of such moves is low, and neither side seems ready. On balance I see no strong driver for a change, "
    "but surprises happen. Markets agree. "
) * 6 + "By the end of 2023 it could happen."
DENSE = "In March 2023 it fell, on 7 June 2023 it rose, by Q3 2023 it may stall, and 2021 was calm. " * 6
HOSTILE = ("2023 ", "1/", "may 1 ", "in 2023 he resigned ", "first quarter of ", "if ")


def median_of(work: Callable[[], object], repeats: int) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def many(text: str, count: int) -> None:
    for _ in range(count):
        check_trace(text, cutoff=C, question=QUESTION)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--traces", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    check_trace(ORDINARY, cutoff=C, question=QUESTION)
    for name, text in (("ordinary", ORDINARY), ("dense", DENSE)):
        seconds = median_of(lambda text=text: many(text, given.traces), given.repeats)  # type: ignore[misc]
        rate = given.traces / seconds
        print(
            f"{name}, {len(text):,} characters: {rate:,.0f} traces a second, {rate * len(text) / 1e6:.1f} MB/s"
        )
    for part in HOSTILE:
        text = part * (1_000_000 // len(part))
        seconds = median_of(lambda text=text: check_trace(text, cutoff=C, question=QUESTION), 1)  # type: ignore[misc]
        print(f"1 MB of {part!r}: {seconds:.1f} s")
    try:
        from dateparser.search import search_dates
    except ImportError:
        return
    seconds = median_of(lambda: [search_dates(ORDINARY) for _ in range(5)], 1)
    print(f"peer dateparser.search_dates, ordinary: {5 / seconds:,.1f} traces a second")


if __name__ == "__main__":
    main()
