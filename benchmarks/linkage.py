"""How many firms the linkage attacker finds in openings of earnings calls, raw and masked, and at what cost.

    python benchmarks/linkage.py [--data PATH] [--opening 3000] [--scheme rules]

Queries are the first 3,000 characters of each call; the reference is either the raw full texts or the
openings as the scheme masked them; the document itself is always left out. Only firms with two or more calls
can be found, and only they are counted. ``crude`` is a masker made here, blunt on purpose: every number goes,
and every capitalised word that does not begin a sentence.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from neuter.attacks import Linkage, Majority, linkable, masked_reference
from neuter.attacks.knowledge import firm_of, period_of
from neuter.types import Document, Guess, MaskedDocument, Scheme

SHARED = Path(os.environ.get("NEUTER_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
NUMBER = re.compile(r"[$€£]?\d[\d,.]*\d\s?%?|[$€£]?\d\s?%?")
NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'’&-]*", re.MULTILINE)


def documents_of(path: Path) -> list[Document]:
    import polars as pl

    wanted = ("id", "text", "kind", "ticker", "firm", "fiscal_year", "fiscal_quarter", "sector")
    frame = pl.read_parquet(path)
    kept = [name for name in wanted if name in frame.columns]
    return [Document(**row) for row in frame.select(kept).iter_rows(named=True)]


class Crude:
    """Replaces every number, and every capitalised word that does not begin a sentence."""

    name = "crude"
    reversible = False

    def fit(self, documents: Iterable[Document]) -> Crude:  # noqa: ARG002
        return self

    def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]:
        for document in documents:
            text = NUMBER.sub("number_a", NAME.sub("Company_1", document.text))
            yield MaskedDocument(document.id, text, self.name, document.kind, None)


class Raw(Crude):
    """The openings as they are."""

    name = "none"

    def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]:
        for document in documents:
            yield MaskedDocument(document.id, document.text, self.name, document.kind)


def scheme_of(name: str) -> Scheme:
    from neuter import plugins

    own: dict[str, Callable[[], Scheme]] = {"none": Raw, "crude": Crude}
    return own[name]() if name in own else plugins.create("scheme", name)


def row(name: str, truths: dict[str, Document], guesses: list[Guess]) -> str:
    found = [position(firm_of(truths[guess.id]), guess.candidates) for guess in guesses]
    periods = [(period_of(truths[guess.id]), guess) for guess in guesses]
    share = lambda hits: sum(hits) / len(guesses)  # noqa: E731
    return (
        f"{name:<22}{share(p == 1 for p in found):>8.4f}{share(0 < p <= 5 for p in found):>8.4f}"
        f"{share(1 / p if p else 0 for p in found):>8.4f}"
        f"{share(t is not None and t.year == g.year for t, g in periods):>8.3f}"
        f"{share(t == (g.year, g.quarter) for t, g in periods):>9.3f}"
    )


def position(firm: str | None, candidates: tuple[str, ...]) -> int:
    return candidates.index(firm) + 1 if firm in candidates else 0


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def one_scheme(path: Path, opening: int, name: str) -> None:
    """The rows of one scheme, in a process of its own so that its peak memory is its own."""
    documents = documents_of(path)
    openings = [replace(document, text=document.text[:opening]) for document in documents]
    scheme = scheme_of(name)
    masked = list(scheme.fit(openings).mask(openings))
    truths, counted = {d.id: d for d in documents}, linkable(documents)
    for label, reference in (
        ("raw", documents),
        ("masked", list(masked_reference(openings, masked))),
    ):
        before, start = peak_megabytes(), time.perf_counter()
        attacker = Linkage().fit(reference)
        fitted = time.perf_counter()
        guesses = [guess for guess in attacker.attack(masked) if guess.id in counted]
        done = time.perf_counter()
        seconds = f"{fitted - start:>8.1f}{done - fitted:>8.1f}"
        memory = f"{peak_megabytes() - before:>8.0f}{peak_megabytes():>8.0f}"
        print(row(f"{name} / {label}", truths, guesses) + seconds + memory, flush=True)
    if name == "none":
        guesses = [g for g in Majority().fit(documents).attack(masked) if g.id in counted]
        print(row("majority", truths, guesses), flush=True)


def main() -> None:
    arguments = parsed()
    if arguments.only:
        one_scheme(arguments.data, arguments.opening, arguments.only)
        return
    documents = documents_of(arguments.data)
    counted = linkable(documents)
    firms = {firm_of(d) for d in documents if d.id in counted}
    print(
        f"{len(documents)} documents; {len(counted)} of {len(firms)} firms with two or more are counted, "
        f"{len(documents) - len(counted)} left out"
    )
    print(
        f"{'scheme / reference':<22}{'top-1':>8}{'top-5':>8}{'MRR':>8}{'year':>8}{'quarter':>9}"
        f"{'fit s':>8}{'find s':>8}{'+MB':>8}{'peak MB':>8}",
        flush=True,
    )
    for name in arguments.scheme:
        command = [sys.executable, __file__, "--data", arguments.data, "--opening", str(arguments.opening)]
        subprocess.run([*command, "--only", name], check=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=SHARED / "transcripts" / "ectsum_dev.parquet")
    parser.add_argument("--opening", type=int, default=3000, help="characters of each call that are attacked")
    parser.add_argument("--scheme", action="append", help="repeatable; default: none, crude and rules")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.scheme = arguments.scheme or ["none", "crude", "rules"]
    if not arguments.data.is_file():
        parser.error(f"no such file: {arguments.data}; give --data PATH or set NEUTER_SHARED_DATA")
    return arguments


if __name__ == "__main__":
    main()
