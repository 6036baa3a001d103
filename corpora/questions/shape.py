"""What must hold of all composed questions together: texts, counts by domain and period, shares of outcomes."""

from __future__ import annotations

import polars as pl

from neuter.questions.schema import DOMAINS

#: The earliest and the latest cutoff that the shipped catalogue of models needs: every model has questions on both sides.
BEFORE, AFTER = pl.date(2024, 4, 1), pl.date(2025, 1, 1)
FEWEST, FEWEST_SIDE, RAREST = 20, 8, 0.3


def problems(frame: pl.DataFrame) -> list[str]:
    """Everything that is not as docs/questions-shipped.md says."""
    return [*text_problems(frame), *count_problems(frame)]


def text_problems(frame: pl.DataFrame) -> list[str]:
    """Texts that are empty or there twice, and questions that are not before their outcome."""
    found = []
    for row in frame.iter_rows(named=True):
        if not row["question"].endswith("?") or not row["resolution_criteria"].endswith("."):
            found.append(f"{row['id']}: no question mark, or no full stop")
        if row["resolution_date"].year < 2023 or (row["open"] and row["open"] >= row["resolution_date"]):
            found.append(f"{row['id']}: opens {row['open']}, resolved {row['resolution_date']}")
    twice = frame.filter(pl.col("question").is_duplicated())["id"].to_list()
    return [*found, *(f"{id_}: a question with the same words" for id_ in twice)]


def count_problems(frame: pl.DataFrame) -> list[str]:
    """Domains that are too small, on one side only, or nearly always of one outcome."""
    found = []
    for domain in DOMAINS:
        for name, part, least in parts(frame.filter(pl.col("domain") == domain)):
            share = part["resolution"].mean() if part.height else None
            if part.height < least or (least and not RAREST <= float(share or 0) <= 1 - RAREST):
                found.append(f"{domain}, {name}: {part.height} questions, share of yes {share}")
    return found


def parts(frame: pl.DataFrame) -> list[tuple[str, pl.DataFrame, int]]:
    day = pl.col("resolution_date")
    return [
        ("before", frame.filter(day < BEFORE), FEWEST_SIDE),
        ("between", frame.filter(day.is_between(BEFORE, AFTER, closed="left")), 0),
        ("after", frame.filter(day >= AFTER), FEWEST_SIDE),
        ("all", frame, FEWEST),
    ]


def table(frame: pl.DataFrame) -> str:
    """Counts by domain and period, each as ``yes + no``."""
    lines = []
    for domain in [*DOMAINS, None]:
        chosen = frame if domain is None else frame.filter(pl.col("domain") == domain)
        cells = [
            f"{name} {int(part['resolution'].sum())} + {part.height - int(part['resolution'].sum())}"
            for name, part, _ in parts(chosen)
        ]
        lines.append(f"{domain or 'total':22}" + " | ".join(f"{cell:16}" for cell in cells))
    return "\n".join(lines)
