"""The paper's six domains, from whatever categories and tags a source gives."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from neuter.errors import UsageError
from neuter.questions.schema import DOMAINS

#: What a domain is called in counts where none is known.
UNKNOWN = "unknown"


def domain_of(categories: Iterable[str]) -> str:
    """The domain of the first category that has one; "" where none has.

    >>> domain_of(["Other", "Security & Defense"]), domain_of(["business"]), domain_of([])
    ('politics_geopolitics', 'business', '')
    """
    known = _known()
    return next((known[name] for one in categories if (name := one.strip().lower()) in known), "")


def check_domain(name: str | None) -> None:
    """Raises UsageError where ``name`` is set and none of the six."""
    if name is not None and name not in DOMAINS:
        raise UsageError(f"no domain {name!r}", todo=f"Known: {', '.join(DOMAINS)}")


@cache
def _known() -> dict[str, str]:
    raw = tomllib.loads((files("neuter.questions") / "domains.toml").read_text(encoding="utf-8"))
    named = {name.lower(): domain for domain, names in raw.items() for name in names}
    return {**named, **{domain: domain for domain in DOMAINS}}
