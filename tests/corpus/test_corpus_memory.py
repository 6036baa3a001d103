"""A corpus of any size is read and written in bounded memory."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

# VmHWM is the peak of the process itself; ru_maxrss would begin with that of the process that started it.
pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]

#: Peak memory in MB above what Python with polars takes, for a corpus of 100 MB (Parquet: a few row groups).
LIMIT_MB = {"large.jsonl": 20, "large.csv": 20, "large.parquet": 120}
WRITE_LIMIT_MB = {"jsonl": 20, "csv": 20, "parquet": 150}

READ = """
    import sys
    import polars
    from neuter.corpus import read_corpus
    peak = lambda: int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
    before = peak()
    characters = sum(len(d.text) for d in read_corpus(sys.argv[1]))
    print(characters, peak() - before)
"""
WRITE = """
    import sys
    import polars
    from neuter.corpus import read_corpus, write_masked
    from neuter.types import MaskedDocument
    peak = lambda: int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
    before = peak()
    corpus = read_corpus(sys.argv[1])
    masked = (MaskedDocument(d.id, d.text, "none", d.kind, ()) for d in corpus)
    print(write_masked(sys.argv[2], corpus, masked, key=sys.argv[2] + ".key").written, peak() - before)
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """100 MB in 4,000 documents as JSON Lines, CSV and Parquet."""
    import random

    import polars as pl

    folder = tmp_path_factory.mktemp("large")
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 10))) for _ in range(5000)]
    frame = pl.DataFrame(
        {
            "id": [str(at) for at in range(4000)],
            "text": [" ".join(draw.choices(words, k=3600)) for _ in range(4000)],
        }
    )
    frame.write_ndjson(folder / "large.jsonl")
    frame.write_csv(folder / "large.csv")
    frame.write_parquet(folder / "large.parquet", row_group_size=256)
    assert (folder / "large.jsonl").stat().st_size > 100_000_000
    return folder, sum(map(len, frame["text"]))


def run(code: str, *arguments: str) -> tuple[int, float]:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    number, peak = done.stdout.split()
    sys.stdout.write(f"{arguments} {float(peak):.0f} MB\n")
    return int(number), float(peak)


@pytest.mark.parametrize("name", ["large.jsonl", "large.csv", "large.parquet"])
def test_100_mb_are_read_in_bounded_memory(large, name):
    folder, characters = large
    read, peak = run(READ, str(folder / name))
    assert read == characters
    assert peak < LIMIT_MB[name]


@pytest.mark.parametrize("extension", ["parquet", "jsonl", "csv"])
def test_100_mb_are_written_in_bounded_memory(large, extension):
    folder, _ = large
    written, peak = run(WRITE, str(folder / "large.jsonl"), str(folder / f"m.{extension}"))
    assert written == 4000
    assert peak < WRITE_LIMIT_MB[extension]
