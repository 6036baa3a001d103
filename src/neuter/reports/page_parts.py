"""What every report page is made of: templates that escape, styles, and a policy that lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING

from neuter.reports.wording import number

if TYPE_CHECKING:
    from jinja2 import Environment


def environment() -> Environment:
    """The templates of the reports: everything that they show is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("neuter.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["number"] = number
    made.filters["printed"] = printed
    return made


def printed(value: float | None, unit: str) -> str:
    """A number with two decimals, as the paper prints it; nothing where there is none."""
    return "" if value is None else number(value, unit, 0 if unit == "days" else 2)


def asset(name: str) -> str:
    """A style or script that ships with the reports."""
    return (files("neuter.reports") / "templates" / name).read_text(encoding="utf-8")


def policy(style: str, script: str) -> str:
    """Only this style and this script, nothing from anywhere; the drawing's own style attributes are let through."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "style-src-attr 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
