"""What Simulated Ignorance Fails prints, as data, and its figures beside the scores of a run."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

import polars as pl

from neuter.suites.ignorance.names import SUITE

_ROW = ("metric", "condition", "split", "group_by", "group", "value", "flag")
#: What a published figure is found by in the scores. Models are the paper's labels, "" the mean over its nine.
_KEY = ("panel", "series", "condition", "split", "attacker", "model", "group_by", "group", "metric")


@dataclass(frozen=True, slots=True)
class PaperModel:
    """A model of Table 1: ``cutoff`` is a month, ``pre`` and ``post`` numbers of questions."""

    label: str
    names: tuple[str, ...]
    group: str
    cutoff: str
    pre: int
    post: int


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """A figure that the paper prints. ``flag`` says what does not fit, or what the paper leaves open."""

    panel: str
    metric: str
    unit: str
    value: float
    source: str
    series: str = ""
    condition: str = ""
    split: str = "all"
    attacker: str = "llm"
    model: str = ""
    group_by: str = "all"
    group: str = "all"
    flag: str = ""


@dataclass(frozen=True, slots=True)
class PaperCase:
    """A row of Table 6, its question in our words."""

    period: str
    id: str
    about: str
    model: str
    forecast: float
    outcome: int


@dataclass(frozen=True, slots=True)
class PublishedIgnorance:
    """The paper: ``mean_of`` says whose its means are, ``mean_of_groups`` those of each group of models."""

    paper: str
    short: str
    mean_of: str
    mean_of_groups: Mapping[str, str]
    notes: tuple[str, ...]
    models: tuple[PaperModel, ...]
    figures: tuple[PublishedFigure, ...]
    cases: tuple[PaperCase, ...]

    def figure(self, panel: str, metric: str, **place: str) -> PublishedFigure | None:
        """The figure at a place of the scores (its models by the paper's labels); None where it prints none.

        ``place`` are columns of the scores; those not given have what a row over everything has.
        """
        wanted = PublishedFigure(panel, metric, "", 0.0, "", **place)
        return next((one for one in self.figures if _key(one) == _key(wanted)), None)


@cache
def published_ignorance() -> PublishedIgnorance:
    """The paper's figures as they ship."""
    path = files("neuter.suites") / "published" / "ignorance.toml"
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    return PublishedIgnorance(
        raw["paper"],
        raw["short"],
        raw["mean_of"],
        raw["mean_of_groups"],
        tuple(raw["notes"]),
        tuple(PaperModel(**{**one, "names": tuple(one["names"])}) for one in raw["models"]),
        tuple(_figures(raw["figures"])),
        tuple(PaperCase(**one) for one in raw["cases"]),
    )


def paper_model(name: str) -> PaperModel | None:
    """The paper's model of that name, whoever serves it; None where it has none.

    >>> paper_model("openrouter/openai/gpt-5.1").label, paper_model("openai/gpt-5.1-mini")
    ('GPT-5.1', None)
    """
    last = name.rpartition("/")[2].lower()
    models = published_ignorance().models
    return next((one for one in models if any(fnmatchcase(last, p) for p in one.names)), None)


def paper_series(series: str) -> str:
    """A pair of models by the paper's labels; "" where one of them is none of its.

    >>> paper_series("openai/gpt-5.1 and deepseek/deepseek-v3.2-exp")
    'GPT-5.1 and DeepSeek-V3.2-Exp'
    """
    pair = [paper_model(name) for name in series.split(" and ")]
    return " and ".join(one.label for one in pair if one) if len(pair) == 2 and all(pair) else ""


def with_published(scores: pl.DataFrame) -> pl.DataFrame:
    """Scores (SCORES_SCHEMA) with ``published`` filled in where the paper prints a figure of the same place.

    A figure of a model stands beside the same model only, a mean over the paper's nine beside the mean over the models
    of the run. Rows of other suites, and all others, have none.
    """
    known = {_key(one): (one.value, one.unit) for one in published_ignorance().figures}
    told = [_beside(row, known) for row in scores.select("suite", "unit", *_KEY).iter_rows(named=True)]
    return scores.with_columns(pl.Series("published", told, dtype=pl.Float64))


def _beside(row: Mapping[str, Any], known: Mapping[tuple[str, ...], tuple[float, str]]) -> float | None:
    if row["suite"] != SUITE:
        return None
    place = {name: row[name] or "" for name in _KEY}
    if place["panel"] == "natural_experiment":
        # A pair of models is the series, and each of them a group.
        place |= {"series": paper_series(place["series"]), "model": ""}
        place["group"] = _label(place["group"]) if place["group"] != "difference" else "difference"
    elif place["model"]:
        place["model"] = _label(place["model"])
    value, unit = known.get(tuple(place[name] for name in _KEY), (None, ""))
    return value if unit == row["unit"] else None


@cache
def _label(name: str) -> str:
    found = paper_model(name)
    return found.label if found else "-"


def _key(one: PublishedFigure) -> tuple[str, ...]:
    return tuple(getattr(one, name) for name in _KEY)


def _figures(blocks: Iterable[Mapping[str, Any]]) -> Iterator[PublishedFigure]:
    for block in blocks:
        shared = {name: value for name, value in block.items() if name != "rows"}
        for row in block["rows"]:
            yield PublishedFigure(**shared, **dict(zip(_ROW, row, strict=True)))
