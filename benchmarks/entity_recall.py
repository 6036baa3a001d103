"""Silver entity recall of `presidio` and `rules` on labelled calls: the share of labelled spans that are masked.

A span counts as covered when each of its letters and digits lies in a replacement. Run:

    python benchmarks/entity_recall.py [--data ../shared/data/transcripts/earnings21_dev.jsonl] [--missed LABEL]

The labels of that file are machine-made and then corrected ("silver"), see its manifest. ABBREVIATION and
ALPHANUMERIC are printed, and left out of the total: they hold words such as EBITDA and 5G that identify nobody.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter, defaultdict
from pathlib import Path

from neuter import plugins
from neuter.masking.spans import share_of_words_masked
from neuter.types import Document, Replacement

NOT_IN_TOTAL = {"ABBREVIATION", "ALPHANUMERIC"}
DATA = Path(__file__).parents[2] / "shared/data/transcripts/earnings21_dev.jsonl"


def covered(text: str, start: int, end: int, replacements: tuple[Replacement, ...]) -> bool:
    inside = bytearray(end - start)
    for r in replacements:
        for k in range(max(start, r.start), min(end, r.end)):
            inside[k - start] = 1
    return all(inside[k] for k in range(end - start) if text[start + k].isalnum())


def documents(path: Path) -> list[tuple[Document, list[tuple[int, int, str]]]]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        (
            Document(
                id=row["id"],
                text=row["text"],
                firm=row.get("firm"),
                fiscal_year=row.get("fiscal_year"),
                fiscal_quarter=row.get("fiscal_quarter"),
            ),
            [tuple(e) for e in row["entities"]],
        )
        for row in rows
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--scheme", action="append", help="default: presidio and rules")
    parser.add_argument(
        "--missed", help="print a sample of the spans of this label that the last scheme leaves"
    )
    parser.add_argument(
        "--unlabelled", action="store_true", help="print what the last scheme masks without a label"
    )
    options = parser.parse_args()
    if not options.data.is_file():
        parser.error(
            f"no labelled calls at {options.data}: give --data FILE (see the manifest of the shared data)"
        )
    labelled = documents(options.data)
    names = options.scheme or ["presidio", "rules"]
    shares: dict[str, dict[str, float]] = defaultdict(dict)
    counts = Counter(label for _, entities in labelled for _, _, label in entities)
    missed: list[tuple[str, str]] = []
    extra: Counter[str] = Counter()
    for name in names:
        scheme = plugins.create("scheme", name)
        list(scheme.mask([Document("warm-up", "Apple said on Monday that Tim Cook sold 5 cars.")]))
        began = time.perf_counter()
        masked = list(scheme.mask(document for document, _ in labelled))
        seconds = time.perf_counter() - began
        hits: Counter[str] = Counter()
        missed, extra = [], Counter()
        for (document, entities), result in zip(labelled, masked, strict=True):
            replacements = result.replacements or ()
            for start, end, label in entities:
                if covered(document.text, start, end, replacements):
                    hits[label] += 1
                else:
                    context = document.text[max(0, start - 30) : end + 30].replace("\n", " ")
                    missed.append((label, f"{document.text[start:end]!r}   …{context}…"))
            for r in replacements:
                if not any(s < r.end and r.start < e for s, e, _ in entities):
                    extra[f"{r.kind}: {document.text[r.start : r.end]}"] += 1
        kept = [label for label in counts if label not in NOT_IN_TOTAL]
        shares[name] = {label: hits[label] / counts[label] for label in counts}
        shares[name]["TOTAL"] = sum(hits[label] for label in kept) / sum(counts[label] for label in kept)
        words = [len(document.text.split()) for document, _ in labelled]
        shares[name]["words masked"] = sum(
            w * share_of_words_masked(document.text, m.replacements or ())
            for w, (document, _), m in zip(words, labelled, masked, strict=True)
        ) / sum(words)
        characters = sum(len(document.text) for document, _ in labelled)
        shares[name]["characters/s"] = characters / seconds
    counts["TOTAL"] = sum(n for label, n in counts.items() if label not in NOT_IN_TOTAL)
    print(f"{'label':<16}{'spans':>8}" + "".join(f"{name:>14}" for name in names))
    for label, count in sorted(counts.items(), key=lambda item: (item[0] == "TOTAL", -item[1])):
        mark = "*" if label in NOT_IN_TOTAL else ""
        print(f"{label + mark:<16}{count:>8}" + "".join(f"{shares[n][label]:>14.3f}" for n in names))
    print(f"{'words masked':<24}" + "".join(f"{shares[n]['words masked']:>14.3f}" for n in names))
    print(f"{'characters/s':<24}" + "".join(f"{shares[n]['characters/s']:>14,.0f}" for n in names))
    print("* not in TOTAL")
    if options.missed:
        left = [
            text for label, text in missed if options.missed in (label, "ALL") and label not in NOT_IN_TOTAL
        ]
        print(f"\n{len(left)} left by {names[-1]}:")
        print("\n".join(random.Random(0).sample(left, min(60, len(left)))))
    if options.unlabelled:
        print(f"\nmasked by {names[-1]} without a label:")
        print("\n".join(f"{n:>5} {text}" for text, n in extra.most_common(120)))


if __name__ == "__main__":
    main()
