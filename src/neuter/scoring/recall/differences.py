"""What changes at a fake cutoff: each figure after it less that before it, and less that after the model's own cutoff.

The two stretches of time are taken to be independent of each other. The interval is built from those of the two
figures (the "method of variance estimates recovery": Zou and Donner 2008; for shares Newcombe 1998), so it allows for
dependence in time as they do, and for shares and correlations is no wider than the figure can be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

#: Figures of Table 6, the share refused, and the share that is given exactly, a refusal giving nothing (ours).
METRICS = (
    "mean_error",
    "mean_absolute_error",
    "directional_accuracy",
    "directional_accuracy_change",
    "confidence_calibration",
    "refusal_share",
    "exact_share_with_refusals",
)
#: The split that is taken off ``post_fake``, by what the name of a difference ends in. A model that has forgotten does
#: after the fake cutoff as it does after its own: the second kind of difference is then about 0.
_LESS = {"pre_fake": "_difference", "post": "_difference_from_post"}
_NAMES = ("panel", "series", "condition", "attacker", "model")
#: What a difference of a figure in percent is in.
_UNITS = {"percent": "percentage_points"}


def difference_rows(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row (split ``all``) for each of the model's figures and difference that can be had.

    ``METRIC_difference`` is ``post_fake`` less ``pre_fake``, ``METRIC_difference_from_post`` is ``post_fake`` less
    ``post``: what it may know and should not, less what it cannot know. Empty where one of the two is empty; without
    an interval where one of the two has none.

    Args:
        rows: of the three splits, as :func:`neuter.scoring.recall.rows.rows_of` makes them.
    """
    known = {
        (*(row[name] for name in _NAMES), row["metric"], row["split"]): row
        for row in rows
        if row["attacker"] == "llm" and row["metric"] in METRICS
    }
    for key, after in known.items():
        if key[-1] != "post_fake":
            continue
        for split, ending in _LESS.items():
            if (other := known.get((*key[:-1], split))) is not None:
                yield _difference(other, after, ending)


def _difference(other: Mapping[str, Any], after: Mapping[str, Any], ending: str) -> dict[str, Any]:
    """``after`` less ``other``, over the dates of both."""
    value = low = high = None
    if other["value"] is not None and after["value"] is not None:
        value = after["value"] - other["value"]
        low, high = _ends(other, after, value)
    counts = ("answered", "refused", "filtered", "truncated", "unparsed", "failed", "n")
    return {
        **after,
        **{name: other[name] + after[name] for name in counts},
        "split": "all",
        "metric": f"{after['metric']}{ending}",
        "unit": _UNITS.get(after["unit"], after["unit"]),
        "value": value,
        "ci_low": low,
        "ci_high": high,
        "baseline": None,
        "first_date": _of_both(min, other["first_date"], after["first_date"]),
        "last_date": _of_both(max, other["last_date"], after["last_date"]),
    }


def _of_both(which: Callable[..., date], *days: date | None) -> date | None:
    """The first or last of two days; where one has no points, the other's."""
    return which((day for day in days if day is not None), default=None)


def _ends(
    other: Mapping[str, Any], after: Mapping[str, Any], value: float
) -> tuple[float | None, float | None]:
    """Each end is as far off as the two figures' ends on that side are together, as legs of a right triangle."""
    ends = [row[name] for row in (other, after) for name in ("ci_low", "ci_high")]
    if any(end is None for end in ends):
        return None, None
    down = math.hypot(after["value"] - after["ci_low"], other["ci_high"] - other["value"])
    up = math.hypot(after["ci_high"] - after["value"], other["value"] - other["ci_low"])
    return value - down, value + up
