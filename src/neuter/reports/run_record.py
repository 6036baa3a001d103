"""What run.json says, as rows and columns of text for a page: caveats, comparisons, failures, methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neuter.reports.money import spent_rows
from neuter.reports.score_blocks import series_of
from neuter.reports.wording import measure, one_line, signed

#: Rows of a list that a page shows.
_ENOUGH = 200
#: As many names are listed; of more, only the number.
_FEW = 4


def caveats(run: Mapping[str, Any]) -> dict[str, Any]:
    """What to know about figures: whose, which, and the text; and how many there are in all."""
    every = [raw for raw in run.get("caveats") or () if isinstance(raw, Mapping)]
    return {"rows": [_caveat(raw) for raw in every[:_ENOUGH]], "total": len(every)}


def _caveat(raw: Mapping[str, Any]) -> dict[str, str]:
    which = [_which(of) for of in raw.get("of") or () if isinstance(of, Mapping)]
    return {
        "series": series_of(raw).title,
        "which": "; ".join(dict.fromkeys(which)),
        "text": one_line(str(raw.get("text"))),
    }


def _which(of: Mapping[str, Any]) -> str:
    """Groups and metrics of a caveat in words; of many only the number."""
    groups = [one_line(str(group)) for group in of.get("groups") or () if group]
    metrics = [measure(str(metric)).title for metric in of.get("metrics") or () if metric]
    by = str(of.get("group_by") or "")
    where = "all documents" if by == "all" else _listed(groups, f"{by} groups") or f"every {by}"
    panel = f"Panel {of['panel']}, " if of.get("panel") else ""
    return f"{panel}{where}: {_listed(metrics, 'measures') or 'every measure'}"


def _listed(names: Sequence[str], what: str) -> str:
    return ", ".join(names) if len(names) <= _FEW else f"{len(names)} {what}"


_COMPARED = (
    "Attacker",
    "First − second",
    "Documents",
    "Firms",
    "Difference, points",
    "95% interval",
    "p",
    "p (Holm)",
    "Detectable, points",
)


def comparisons(run: Mapping[str, Any]) -> dict[str, Any]:
    """Paired comparisons that the run recorded, as columns and rows of text."""
    rows = [row for row in run.get("comparisons") or () if isinstance(row, Mapping)]
    return {"columns": _COMPARED, "rows": [_compared(row) for row in rows]}


def _compared(row: Mapping[str, Any]) -> list[str]:
    attacker = f"{row.get('attacker')} ({row['model']})" if row.get("model") else row.get("attacker")
    low, high = _plain(row.get("ci_low")), _plain(row.get("ci_high"))
    told = [row.get(name) for name in ("n", "firms", "difference")]
    tested = [row.get(name) for name in ("p_value", "p_holm", "detectable")]
    pair = f"{row.get('scheme_a')} − {row.get('scheme_b')}"
    return [_plain(attacker), _plain(pair), *map(_plain, told), f"[{low}, {high}]", *map(_plain, tested)]


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return signed(f"{value:.3g}")
    return "–" if value is None else one_line(str(value))


def failures(run: Mapping[str, Any]) -> dict[str, Any]:
    rows = [
        {key: one_line(str(raw.get(key) or "")) for key in ("scheme", "id", "reason")}
        for raw in run.get("failures") or ()
    ]
    return {"rows": rows[:_ENOUGH], "total": len(rows)}


def methods(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Labels and values that say how to make the run again."""
    corpus = run.get("corpus") or {}
    facts = [
        ("Command", run.get("command")),
        ("Corpus", corpus.get("source")),
        ("Corpus hash", corpus.get("hash")),
        ("Schemes", "; ".join(_described(item) for item in run.get("schemes") or ())),
        ("Attackers", "; ".join(_described(item) for item in run.get("attackers") or ())),
        ("Models", ", ".join(str(model) for model in run.get("models") or ())),
        ("Seed", run.get("seed")),
        ("Configuration hash", run.get("config_hash")),
        *((f"Asked of {model}", text) for model, text in spent_rows(run)),
        ("Outcomes", ", ".join(f"{count} {name}" for name, count in (run.get("outcomes") or {}).items())),
        ("neuter", run.get("neuter")),
        ("Versions", ", ".join(f"{name} {version}" for name, version in (run.get("versions") or {}).items())),
    ]
    return [(label, one_line(str(value))) for label, value in facts if value not in (None, "")]


def _described(item: Any) -> str:
    if not isinstance(item, Mapping):
        return str(item)
    parameters = ", ".join(f"{key}={value!r}" for key, value in (item.get("parameters") or {}).items())
    return f"{item.get('name')}({parameters})" if parameters else str(item.get("name"))
