from __future__ import annotations

from pathlib import Path

import pytest
from ignorance_run import MODELS, make_ignorance_run
from synthetic_run import HOSTILE


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models, two of them the paper's, under all four conditions."""
    return make_ignorance_run(tmp_path_factory.mktemp("ignorance") / "run")


@pytest.fixture(scope="session")
def one_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_ignorance_run(tmp_path_factory.mktemp("ignorance") / "one", MODELS[2:])


@pytest.fixture(scope="session")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every question and many answers try to leave the page."""
    texts = [HOSTILE[k % len(HOSTILE)] + f" {k}" for k in range(90)] * 12
    return make_ignorance_run(tmp_path_factory.mktemp("ignorance") / "hostile", hostile=texts)
