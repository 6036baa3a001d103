"""Builds nyse_size.csv: the tercile's neighbours among NYSE market-cap percentiles, by month.

python corpora/breakpoints/build.py [--data ../shared/data]
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import polars as pl

HERE = Path(__file__).parent
#: The published file's columns, all kept: a user may want quintiles or deciles.
COLUMNS = ["date", "n", *(f"p{step}" for step in range(5, 101, 5))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared/data")
    data = parser.parse_args().data
    frame = pl.read_csv(data / "stocks/nyse_size_breakpoints_usd_mn.csv").select(COLUMNS).sort("date")
    check(frame)
    part = HERE / "nyse_size.csv.part"
    frame.write_csv(part, float_precision=1)
    part.replace(HERE / "nyse_size.csv")
    print(frame.height, "months,", frame["date"][0], "to", frame["date"][-1])


def check(frame: pl.DataFrame) -> None:
    """Percentiles rise along each row, and months do not repeat."""
    assert frame["date"].is_unique().all()
    for low, high in pairwise(COLUMNS[2:]):
        assert (frame[low] < frame[high]).all(), (low, high)


if __name__ == "__main__":
    main()
