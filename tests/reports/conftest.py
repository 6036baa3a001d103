from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from synthetic_run import HOSTILE, make_run


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
