"""What the corpus tests share: small files, masked forms worked by regular expression, the shared data."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from neuter.types import Document, MaskedDocument, Outcome, Replacement

SHARED = Path(os.environ.get("NEUTER_SHARED_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")


@pytest.fixture
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the shared data are not here")
    return SHARED


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Writes text, bytes, or a list of rows (as JSON Lines) to a file of the given name."""

    def make(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, list):
            content = "".join(json.dumps(row) + "\n" for row in content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@pytest.fixture
def mask_digits() -> Callable[[Iterable[Document]], Iterator[MaskedDocument]]:
    """A scheme: every run of digits becomes number_a; a text with "top-secret" in it fails."""

    def mask(documents: Iterable[Document]) -> Iterator[MaskedDocument]:
        for document in documents:
            if "top-secret" in document.text:
                yield MaskedDocument(
                    document.id, None, "digits", document.kind, (), Outcome.FAILED, "will not tell"
                )
                continue
            spans = [
                Replacement(found.start(), found.end(), "number_a", "number")
                for found in re.finditer(r"\d+", document.text)
            ]
            text = re.sub(r"\d+", "number_a", document.text)
            yield MaskedDocument(document.id, text, "digits", document.kind, tuple(spans))

    return mask
