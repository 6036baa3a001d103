"""A run folder in the shape that ``neuter evaluate`` writes, made of invented firms, for the tests of reports."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

#: Texts that try to leave the page.
HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}} {% raw %} ${7*7} {# gone? #}",
    "red \x1b[31malert\x1b[0m bell \x07 nul \x00 del \x7f",
    "evil \u202egnp.exe\u202c and \u2066hidden\u2069",
    "line\u2028separator\u2029paragraph \U0001f4c8 emoji",
    "<!-- comment --> ]]> & &amp; ' \" ` <style>*{display:none}</style>",
)

SIZES = ("Large", "Mid", "Small")
SCHEMES = ("none", "presidio", "rules")
ATTACKERS = (("linkage", None), ("prior", "local/smollm2-135m"), ("llm", "local/smollm2-135m"))
#: What each scheme replaces, and how often each attacker then finds the firm, by size.
_KINDS = {
    "none": set(),
    "presidio": {"company", "name", "location", "time"},
    "rules": {"company", "name", "location", "time", "number", "ticker", "product", "quarter", "year"},
}
_SKILL = {
    ("none", "linkage"): (0.97, 0.96, 0.95),
    ("presidio", "linkage"): (0.93, 0.9, 0.9),
    ("rules", "linkage"): (0.8, 0.72, 0.66),
    ("none", "llm"): (0.6, 0.3, 0.12),
    ("presidio", "llm"): (0.3, 0.1, 0.05),
    ("rules", "llm"): (0.1, 0.05, 0.0),
}
_STEMS = "Alder Birch Cedar Dogwood Elm Fir Ginkgo Hazel Ivory Juniper Katsura Larch Maple Nutmeg Oak Poplar"
_STEMS += " Quince Rowan Spruce Teak Umber Viburnum Willow Yew"
_SECTORS = ("Technology", "Health Care", "Energy", "Consumer Staples")
_PEOPLE = ("Dana Whitfield", "Priya Raman", "Tomas Lindqvist", "Ruth Okafor")
_PLACES = ("Ohio", "Rotterdam", "Osaka", "Alberta")
_SENTENCES = (
    "Good afternoon and welcome to the {company} results call for the {quarter} of {year}.",
    "I am {name}, and I will walk you through what changed since we last spoke.",
    "Revenue came to {number}, up {number} from the same period, with most of the growth in {location}.",
    "Orders for {product} held up better than we had planned, and cancellations fell.",
    "At {company} we put cash into the plant in {location}, which reached full output in {time}.",
    "Gross margin was {number}, helped by freight and by a richer mix of {product}.",
    "Shares of {company} ({ticker}) were bought back for {number} over the three months.",
    "We expect the next period to look much like this one, with revenue near {number}.",
    "{name} will take your questions in a moment, together with our treasurer.",
    "None of this would have been possible without the people in {location}.",
)


def make_run(
    folder: Path,
    *,
    firms: int = 24,
    quarters: int = 4,
    schemes: Iterable[str] = SCHEMES,
    attackers: Iterable[tuple[str, str | None]] = ATTACKERS,
    texts: Iterable[str] = (),
    seed: int = 7,
) -> dict[str, str]:
    """Write a run into ``folder``; returns the original texts by id. ``texts`` replace the first ones."""
    draw = random.Random(seed)
    schemes, attackers = tuple(schemes), tuple(attackers)
    rows = [_document(draw, firm, firms, step) for firm in range(firms) for step in range(quarters)]
    for row, text in zip(rows, texts, strict=False):
        row["text"], row["spans"] = text, []
    for scheme in schemes:
        _write_masked(folder, scheme, rows)
    guesses = {
        (scheme, attacker, model): [_guess(draw, row, rows, scheme, attacker, model) for row in rows]
        for scheme in schemes
        for attacker, model in attackers
    }
    for (scheme, attacker, model), found in guesses.items():
        _write_guesses(folder, scheme, attacker, model, found)
    _write_scores(folder, guesses, rows)
    _write_manifest(folder, rows, schemes, attackers)
    return {row["id"]: row["text"] for row in rows}


def _document(draw: random.Random, firm: int, firms: int, step: int) -> dict[str, Any]:
    stem = _STEMS.split()[firm % 24]
    name = f"{stem} {('Systems', 'Health', 'Energy', 'Foods')[firm % 4]} Inc."
    year, quarter = 2021 + (step + firm % 4) // 4, (step + firm % 4) % 4 + 1
    fill = {
        "company": lambda: name,
        "ticker": stem[:4].upper,
        "name": lambda: draw.choice(_PEOPLE),
        "location": lambda: draw.choice(_PLACES),
        "product": lambda: f"{stem}Line",
        "quarter": lambda: f"{('first', 'second', 'third', 'fourth')[quarter - 1]} quarter",
        "year": lambda: f"fiscal {year}",
        "time": lambda: draw.choice(("March", "late summer", "October")),
        "number": lambda: draw.choice(("$1.2 billion", "7.4%", "38.1%", "$412 million", "two million units")),
    }
    text, spans = "", []
    for sentence in _SENTENCES:
        pieces = sentence.split("{")
        text += (" " if text else "") + pieces[0]
        for piece in pieces[1:]:
            kind, _, tail = piece.partition("}")
            value = fill[kind]()
            spans.append((len(text), len(text) + len(value), kind))
            text += value + tail
    return {
        "id": f"{stem.lower()}-{year}q{quarter}",
        "kind": "transcript",
        "ticker": stem[:4].upper(),
        "firm": name,
        "cik": 900_000 + firm,
        "date": date(year, quarter * 3, 28),
        "fiscal_year": year,
        "fiscal_quarter": quarter,
        "market_cap": 4e11 / (firm + 1) ** 2,
        "size": SIZES[min(2, firm * 3 // firms)],
        "sector": _SECTORS[firm % 4],
        "text": text,
        "spans": spans,
    }


def _masked(row: dict[str, Any], scheme: str) -> tuple[str, list[dict[str, Any]]]:
    text, end, known, replacements = "", 0, {}, []
    for start, stop, kind in row["spans"]:
        if kind not in _KINDS.get(scheme, _KINDS["rules"]):
            continue
        same = known.setdefault((kind, row["text"][start:stop]), _placeholder(kind, known))
        text += row["text"][end:start] + same
        end = stop
        replacements.append({"start": start, "end": stop, "placeholder": same, "kind": kind})
    return text + row["text"][end:], replacements


def _placeholder(kind: str, known: dict[tuple[str, str], str]) -> str:
    place = sum(other == kind for other, _ in known)
    if kind == "company":
        return f"Company_{place + 1}"
    return f"{kind}_{('abcdefgh' if kind == 'number' else 'xyzuvwst')[place]}"


def _write_masked(folder: Path, scheme: str, rows: list[dict[str, Any]]) -> None:
    out = []
    for place, row in enumerate(rows):
        text, replacements = _masked(row, scheme)
        lost = scheme == "presidio" and place == 5
        out.append(
            {key: value for key, value in row.items() if key != "spans"}
            | {
                "text": None if lost else text,
                "scheme": scheme,
                "replacements": None if scheme == "entity-neutering" else replacements,
                "outcome": "failed" if lost else "answered",
                "reason": "the analyzer gave up on this text" if lost else "",
            }
        )
    span = pl.Struct({"start": pl.Int64, "end": pl.Int64, "placeholder": pl.String, "kind": pl.String})
    frame = pl.DataFrame(out, schema_overrides={"replacements": pl.List(span), "text": pl.String})
    (folder / "masked").mkdir(parents=True, exist_ok=True)
    frame.write_parquet(folder / "masked" / f"{_slug(scheme)}.parquet")


def _slug(name: str) -> str:
    return "".join(char if char.isalnum() or char in "-._" else "-" for char in name)


def _guess(
    draw: random.Random,
    row: dict[str, Any],
    rows: list[dict[str, Any]],
    scheme: str,
    attacker: str,
    model: str | None,
) -> dict[str, Any]:
    skill = _SKILL.get((scheme, attacker), (0.05, 0.04, 0.03))[SIZES.index(row["size"])]
    right = draw.random() < skill
    label = f"cik:{row['cik']:010d}" if attacker == "linkage" else row["ticker"]
    other = draw.choice(rows)
    wrong = f"cik:{other['cik']:010d}" if attacker == "linkage" else other["ticker"]
    outcome = "answered"
    if attacker == "llm":
        outcome = draw.choices(["answered", "refused", "unparsed", "failed"], [90, 5, 3, 2])[0]
    answered = outcome == "answered"
    firm = (label if right else wrong) if answered else None
    return {
        "id": row["id"],
        "scheme": scheme,
        "attacker": attacker,
        "model": model,
        "outcome": outcome,
        "firm": firm,
        "industry": row["sector"] if answered and attacker != "linkage" else None,
        "quarter": draw.choice([1, 2, 3, 4, row["fiscal_quarter"]]) if answered else None,
        "year": row["fiscal_year"] + draw.choice([0, 0, -1]) if answered else None,
        "date": None,
        "confidence": round(draw.random(), 2) if answered else None,
        "candidates": [firm, wrong] if firm else [],
        "scores": [0.61, 0.2] if firm else [],
        "answer": f"Company Estimate: {firm}, Quarter Estimate: 2" if answered and model else None,
        "reason": "" if answered else "the model would not say",
    }


def _write_guesses(
    folder: Path, scheme: str, attacker: str, model: str | None, found: list[dict[str, Any]]
) -> None:
    (folder / "guesses").mkdir(parents=True, exist_ok=True)
    slug = "--".join(_slug(part) for part in (scheme, attacker, model) if part)
    schema = {
        "model": pl.String,
        "firm": pl.String,
        "industry": pl.String,
        "quarter": pl.Int64,
        "year": pl.Int64,
        "date": pl.Date,
        "confidence": pl.Float64,
        "candidates": pl.List(pl.String),
        "scores": pl.List(pl.Float64),
        "answer": pl.String,
    }
    pl.DataFrame(found, schema_overrides=schema).write_parquet(folder / "guesses" / f"{slug}.parquet")


TEXTS = ("suite", "panel", "series", "condition", "split", "scheme", "attacker", "model", "group_by", "group")
TEXTS += ("metric", "unit")
NUMBERS = ("value", "ci_low", "ci_high", "baseline", "published")
COUNTS = ("n", "answered", "refused", "filtered", "truncated", "unparsed", "failed")
DATES = ("first_date", "last_date")
OUTCOMES = COUNTS[1:]


def score_row(**values: Any) -> dict[str, Any]:
    """A row of the tidy scores table with the columns that are not given left empty."""
    row: dict[str, Any] = dict.fromkeys((*TEXTS, *NUMBERS, *COUNTS, *DATES))
    row |= {"suite": "evaluate", "split": "all", "unit": "percent", "group_by": "all", "group": "all"}
    row |= dict.fromkeys(OUTCOMES, 0)
    return row | values


def score_frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """``rows`` of :func:`score_row` as the frame that a run folder holds."""
    schema: dict[str, Any] = dict.fromkeys(TEXTS, pl.String) | dict.fromkeys(NUMBERS, pl.Float64)
    schema |= dict.fromkeys(COUNTS, pl.Int64) | dict.fromkeys(DATES, pl.Date)
    return pl.DataFrame(rows, schema=schema)


def _write_scores(folder: Path, guesses: dict[Any, list[dict[str, Any]]], rows: list[dict[str, Any]]) -> None:
    out = []
    for (scheme, attacker, model), found in guesses.items():
        groups = {("all", "all"): list(range(len(rows)))}
        for place, row in enumerate(rows):
            groups.setdefault(("size", row["size"]), []).append(place)
            groups.setdefault(("firm", row["ticker"]), []).append(place)
        for (by, group), places in groups.items():
            known = {"scheme": scheme, "attacker": attacker, "model": model, "group_by": by, "group": group}
            out += _scores_of([found[i] for i in places], [rows[i] for i in places], known)
    frame = score_frame(out)
    frame.write_parquet(folder / "scores.parquet")
    frame.write_csv(folder / "scores.csv")


def _scores_of(
    found: list[dict[str, Any]], truths: list[dict[str, Any]], known: dict[str, Any]
) -> list[dict[str, Any]]:
    pairs = [(g, t) for g, t in zip(found, truths, strict=True) if g["outcome"] == "answered"]
    outcomes = Counter(g["outcome"] for g in found)
    counts = {
        key: outcomes[key] for key in ("answered", "refused", "filtered", "truncated", "unparsed", "failed")
    }
    right = {
        "firm_accuracy": ([g["firm"] in (t["ticker"], f"cik:{t['cik']:010d}") for g, t in pairs], 100 / 24),
        "year_accuracy": ([g["year"] == t["fiscal_year"] for g, t in pairs], 62.5),
        "quarter_year_accuracy": (
            [(g["year"], g["quarter"]) == (t["fiscal_year"], t["fiscal_quarter"]) for g, t in pairs],
            16.7,
        ),
    }
    out = []
    for metric, (hits, baseline) in right.items():
        low, high = _wilson(sum(hits), len(hits))
        share = 100 * sum(hits) / len(hits) if hits else None
        row = score_row(metric=metric, value=share, ci_low=low, ci_high=high, baseline=baseline, n=len(hits))
        out.append(row | counts | known)
        lost = len(found) - len(hits)
        for end, extra in (("low", 0), ("high", lost)):
            value = 100 * (sum(hits) + extra) / len(found)
            out.append(row | counts | known | {"metric": f"{metric}_{end}", "value": value, "n": len(found)})
    off = [g["year"] - t["fiscal_year"] for g, t in pairs]
    for metric, values in (
        ("mean_years_difference", off),
        ("mean_absolute_years_difference", [abs(v) for v in off]),
    ):
        mean = sum(values) / len(values) if values else None
        out.append(score_row(metric=metric, unit="years", value=mean, n=len(values)) | counts | known)
    return out


def _wilson(hits: int, n: int) -> tuple[float | None, float | None]:
    if not n:
        return None, None
    z, p = 1.96, hits / n
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return 100 * (middle - half) / (1 + z * z / n), 100 * (middle + half) / (1 + z * z / n)


def _write_manifest(
    folder: Path,
    rows: list[dict[str, Any]],
    schemes: tuple[str, ...],
    attackers: tuple[tuple[str, str | None], ...],
) -> None:
    run = {
        "neuter": "0.1.0",
        "command": "evaluate",
        "name": "synthetic-96",
        "corpus": {
            "source": "corpora:invented",
            "name": "invented",
            "documents": len(rows),
            "hash": "sha256:0123abcd",
            "opening": None,
        },
        "schemes": [{"name": scheme, "parameters": {}} for scheme in schemes],
        "attackers": [{"name": name, "parameters": {}} for name in dict.fromkeys(a for a, _ in attackers)],
        "models": sorted({model for _, model in attackers if model}),
        "seed": 0,
        "config_hash": "sha256:feedbeef",
        "status": "finished with failures",
        "notes": ["Sizes come from the NYSE breakpoints of 2021-06."],
        "not_run": [
            {
                "scheme": "entity-neutering",
                "attacker": "llm",
                "model": "openai/gpt-4o",
                "reason": "no key in OPENAI_API_KEY",
            }
        ],
        "failures": [
            {"scheme": "presidio", "id": rows[5]["id"], "reason": "the analyzer gave up on this text"}
        ]
        if "presidio" in schemes
        else [],
        "outcomes": {"answered": 840, "refused": 14},
        "versions": {"python": "3.11.2", "neuter": "0.1.0", "spacy": "3.8.7"},
    }
    (folder / "run.json").write_text(json.dumps(run, indent=2), encoding="utf-8")
