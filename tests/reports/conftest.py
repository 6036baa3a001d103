from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from synthetic_run import make_run

HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}} {% raw %} ${7*7} {# gone? #}",
    "red \x1b[31malert\x1b[0m bell \x07 nul \x00 del \x7f",
    "evil \u202egnp.exe\u202c and \u2066hidden\u2069",
    "line\u2028separator\u2029paragraph \U0001f4c8 emoji",
    "<!-- comment --> ]]> & &amp; ' \" ` <style>*{display:none}</style>",
)


@dataclass(frozen=True)
class Made:
    folder: Path
    originals: dict[str, str]


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("runs") / "synthetic"
    return Made(folder, make_run(folder))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("runs") / "hostile"
    schemes = ("none", "<i>mine</i> [red]x[/red] $x^2$")
    return Made(folder, make_run(folder, firms=6, schemes=schemes, texts=HOSTILE))
