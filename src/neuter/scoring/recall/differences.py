"""What changes at a fake cutoff: each figure after it less that before it, with an interval.

The two stretches of time are taken to be independent of each other. The interval is built from those of the two
figures (the "method of variance estimates recovery": Zou and Donner 2008; for shares Newcombe 1998), so it allows for
dependence in time as they do, and for shares and correlations is no wider than the figure can be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: Figures of Table 6, and the share refused.
METRICS = (
    "mean_error",
    "mean_absolute_error",
    "directional_accuracy",
    "directional_accuracy_change",
    "confidence_calibration",
    "refusal_share",
)
_NAMES = ("panel", "series", "condition", "attacker", "model")
#: What a difference of a figure in percent is in.
_UNITS = {"percent": "percentage_points"}


def difference_rows(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row ``METRIC_difference`` (split ``all``) for each model's figure that both sides of the fake cutoff have.

    Args:
        rows: of the splits ``pre_fake`` and ``post_fake``, as :func:`neuter.scoring.recall.rows.rows_of` makes them.
    """
    known = {
        (*(row[name] for name in _NAMES), row["metric"], row["split"]): row
        for row in rows
        if row["attacker"] == "llm" and row["metric"] in METRICS
    }
    for key, after in known.items():
        before = known.get((*key[:-1], "pre_fake"))
        if key[-1] == "post_fake" and before is not None:
            yield _difference(before, after)


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    value = low = high = None
    if before["value"] is not None and after["value"] is not None:
        value = after["value"] - before["value"]
        low, high = _ends(before, after, value)
    counts = ("answered", "refused", "filtered", "truncated", "unparsed", "failed", "n")
    return {
        **after,
        **{name: before[name] + after[name] for name in counts},
        "split": "all",
        "metric": f"{after['metric']}_difference",
        "unit": _UNITS.get(after["unit"], after["unit"]),
        "value": value,
        "ci_low": low,
        "ci_high": high,
        "baseline": None,
        "first_date": before["first_date"],
    }


def _ends(
    before: Mapping[str, Any], after: Mapping[str, Any], value: float
) -> tuple[float | None, float | None]:
    """Each end is as far off as the two figures' ends on that side are together, as legs of a right triangle."""
    ends = [row[name] for row in (before, after) for name in ("ci_low", "ci_high")]
    if any(end is None for end in ends):
        return None, None
    down = math.hypot(after["value"] - after["ci_low"], before["ci_high"] - before["value"])
    up = math.hypot(after["ci_high"] - after["value"], before["value"] - before["ci_low"])
    return value - down, value + up
