"""Where the development data lies, and what every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples each time, so that a run of CI says something of the change and not of luck;
# HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of other people's data; a test that reads it is skipped where it is absent."""
    folder = Path(os.environ.get("NEUTER_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the shared data is not here")
    return folder


@pytest.fixture(autouse=True)
def _own_store(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test writes to the user's own store of responses."""
    if "NEUTER_STORE" not in os.environ:
        monkeypatch.setenv("NEUTER_STORE", str(tmp_path_factory.mktemp("store") / "responses.sqlite"))
