"""Joins the composed questions about facts with their dates, outcomes and crowds, from the resolved questions of ../shared/data."""

from __future__ import annotations

import json
import tomllib
from datetime import date, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
METACULUS, FORECASTBENCH = "metaculus_2023_sample.jsonl", "forecastbench_dev.jsonl"
#: The crowd of a question's first days; later ones are left out, as the human baseline is of the first two weeks.
FIRST_DAYS = 14
KEYS = {"id", "source", "question", "criteria", "background", "cluster", "crowd", "inverse"}


def fact_rows(data: Path) -> list[dict[str, Any]]:
    """A row a question of facts/*.toml, in QUESTION_SCHEMA but for the types."""
    known = {**metaculus(data / "questions" / METACULUS), **forecastbench(data / "questions" / FORECASTBENCH)}
    rows = []
    for path in sorted((HERE / "facts").glob("*.toml")):
        for one in tomllib.loads(path.read_text(encoding="utf-8"))["question"]:
            assert set(one) <= KEYS, (path.name, one["id"], set(one) - KEYS)
            rows.append(joined(one, path.stem, known[one["source"]]))
    return rows


def joined(one: dict[str, Any], domain: str, fact: dict[str, Any]) -> dict[str, Any]:
    """Our words, the source's dates and outcome, and its crowd where both ask the same."""
    inverse = one.get("inverse", False)
    crowd = fact["crowd"] if one.get("crowd", True) else []
    return {
        "id": one["id"],
        "question": one["question"],
        "background": one.get("background", ""),
        "resolution_criteria": one["criteria"],
        "open": fact["open"],
        "close": fact["close"],
        "resolution_date": fact["resolved"],
        "resolution": 1 - fact["outcome"] if inverse else fact["outcome"],
        "domain": domain,
        "source": fact["source"] + (", asked the other way round" if inverse else ""),
        "url": fact["url"],
        "cluster": one.get("cluster", ""),
        "base_rate": None,
        "community": [
            {"date": day, "probability": round(1 - share, 12) if inverse else share} for day, share in crowd
        ],
    }


def metaculus(path: Path) -> dict[str, dict[str, Any]]:
    """Questions with a daily crowd, by ``metaculus:NUMBER``."""
    return {f"metaculus:{row['id']}": of_metaculus(row, path.name) for row in rows_of(path)}


def of_metaculus(row: dict[str, Any], name: str) -> dict[str, Any]:
    opened = date.fromisoformat(row["date_begin"])
    # Of several forecasts of one day the last.
    days = {date.fromisoformat(day): float(share) for day, share in row["community_predictions"]}
    until = min(opened + timedelta(days=FIRST_DAYS), date.fromisoformat(row["date_resolve_at"]))
    return {
        "open": opened,
        "close": date.fromisoformat(row["date_close"]),
        "resolved": date.fromisoformat(row["date_resolve_at"]),
        "outcome": outcome(row["resolution"]),
        "crowd": sorted((day, share) for day, share in days.items() if opened <= day < until),
        "url": f"https://www.metaculus.com{row['page_url']}",
        "source": f"{name}, Metaculus question {row['id']}: its dates, outcome and crowd",
    }


def forecastbench(path: Path) -> dict[str, dict[str, Any]]:
    """Questions with one frozen forecast, by ``forecastbench:ID``."""
    return {f"forecastbench:{row['id']}": of_forecastbench(row, path.name) for row in rows_of(path)}


def of_forecastbench(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {
        "open": day_of(row["market_info_open_datetime"]),
        "close": day_of(row["market_info_close_datetime"]),
        "resolved": date.fromisoformat(row["resolution_date"]),
        "outcome": outcome(row["resolved_to"]),
        "crowd": [(day_of(row["freeze_datetime"]), float(row["freeze_datetime_value"]))],
        "url": row["url"],
        "source": f"{name}, {row['source']} question {row['id']}: its dates, outcome and frozen crowd",
    }


def outcome(value: Any) -> int:
    assert value in (0, 1), value
    return int(value)


def day_of(text: str) -> date | None:
    return None if text in ("N/A", "", None) else date.fromisoformat(text[:10])


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
