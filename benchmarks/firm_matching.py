"""How well and how fast guesses are matched to firms: known pairs, hard cases beside a fuzzy ratio, a million strings.

    python benchmarks/firm_matching.py [--strings 1000000] [--left-out 0]

Prints recall and false matches over tests/firms/pairs.toml; matches among 20,000 pairs of names that share a word and
belong to different CIKs; guesses accepted that name a firm which the index does not hold (each firm left out with all
its names; firms of no US list; names composed of the universe's words); and strings resolved a second on one core. The
peer is rapidfuzz's token_sort_ratio of 75 or more, the usual way in public code.
"""

from __future__ import annotations

import argparse
import random
import string
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable
from datetime import date
from pathlib import Path

from rapidfuzz import fuzz, process

from neuter.firms import resolve, resolve_many, same_firm
from neuter.firms.index import Universe
from neuter.firms.left_out import left_out
from neuter.firms.names import full_form, plain_words, weak_form
from neuter.firms.steps import firms_named
from neuter.firms.universe import universe

HERE = Path(__file__).parent
PAIRS = HERE.parent / "tests/firms/pairs.toml"
RATIO = 75


def pairs() -> None:
    table = tomllib.loads(PAIRS.read_text(encoding="utf-8"))
    missed, false = [], []
    counts = {"same": 0, "different": 0}
    for kind in counts:
        for firms in table[kind].values():
            for key, guesses in firms.items():
                truth, on = truth_of(key)
                counts[kind] += len(guesses)
                wrong = [(g, key) for g in guesses if same_firm(g, truth, on) != (kind == "same")]
                (missed if kind == "same" else false).extend(wrong)
    nobody = [guess for guesses in table["nobody"].values() for guess in guesses]
    false += [(guess, "nobody") for guess in nobody if resolve(guess)]
    print(f"pairs: {counts['same'] - len(missed)} of {counts['same']} recalled, ", end="")
    print(f"{len(false)} false matches of {counts['different']} pairs and {len(nobody)} that name nobody")
    for pair in (*missed, *false):
        print("   wrong:", pair)


def truth_of(key: str) -> tuple[str, date | None]:
    """The firm and the day of a key of pairs.toml: "HPQ@2014-05"."""
    truth, _, month = key.partition("@")
    return truth, date.fromisoformat(f"{month}-15") if month else None


def shared_words(n: int = 20_000, seed: int = 0) -> None:
    index, draw = universe(), random.Random(seed)
    firms = [firm for firm in index.firms if firm.cik]
    by_word: dict[str, list[int]] = defaultdict(list)
    for number, firm in enumerate(firms):
        for word in set(plain_words(firm.name)):
            by_word[word].append(number)
    words = [word for word, held in by_word.items() if len(held) > 1]
    drawn: set[tuple[int, int]] = set()
    while len(drawn) < n:
        a, b = draw.sample(by_word[draw.choice(words)], 2)
        drawn.add((a, b))
    ours = sum(firms[b].label in resolve(firms[a].name) for a, b in drawn)
    peer = sum(_ratio(firms[a].name, firms[b].name) >= RATIO for a, b in drawn)
    print(f"{n} pairs that share a word: matched {ours / n:.2%}; token_sort_ratio >= {RATIO} {peer / n:.1%}")


def _ratio(a: str, b: str) -> float:
    return fuzz.token_sort_ratio(a.lower(), b.lower())


def absent(sample: int) -> None:
    """Each firm's names asked of the index without the firm."""
    index, draw = universe(), random.Random(0)
    numbers = list(range(len(index.firms)))
    if sample:
        numbers = sorted(draw.sample(numbers, sample))
    asked, accepted, namesakes, firms_accepted, examples = 0, 0, 0, 0, []
    for number in numbers:
        with left_out(index, number):
            named = [(name, firms_named(index, name, None)) for name in _own_names(index, number)]
        asked += len(named)
        wrong = [(name, found) for name, found in named if found]
        accepted += len(wrong)
        firms_accepted += any(name == index.firms[number].name for name, _ in wrong)
        alike = [(n, f) for n, f in wrong if _namesake(index, n, f)]
        namesakes += len(alike)
        examples += [(n, index.firms[f[0]].name) for n, f in wrong if not _namesake(index, n, f)]
    print(
        f"left out one by one ({len(numbers)} firms): their name accepted {firms_accepted / len(numbers):.2%}; ",
        end="",
    )
    print(
        f"of all {asked} names and aliases {accepted / asked:.2%}, {namesakes / asked:.2%} of them equal names"
    )
    for name, taken in draw.sample(examples, min(12, len(examples))):
        print(f"   {name!r} taken for {taken!r}")
    names = [firm.name.lower() for firm in index.firms]
    some = draw.sample(range(len(names)), 500)
    near = sum(bool(_nearest_other(names, n)) for n in some)
    print(f"   token_sort_ratio >= {RATIO}: {near / len(some):.1%} of 500 names")


def _own_names(index: Universe, number: int) -> list[str]:
    firm = index.firms[number]
    return sorted({firm.name, *(span.value for span in firm.names), *firm.aliases})


def _namesake(index: Universe, name: str, found: tuple[int, ...]) -> bool:
    said = weak_form(full_form(name))
    return any(weak_form(full_form(n)) == said for number in found for n in _own_names(index, number))


def _nearest_other(names: list[str], number: int) -> bool:
    found = process.extract(names[number], names, scorer=fuzz.token_sort_ratio, score_cutoff=RATIO, limit=2)
    return any(place != number for _, _, place in found)


def elsewhere() -> None:
    """Real firms of no US list, and names composed of the universe's own words."""
    table = tomllib.loads((HERE / "absent_firms.toml").read_text(encoding="utf-8"))
    for kind, text in table.items():
        names = [name.strip() for name in text.split("|") if name.strip()]
        _print_accepted(kind, names)
    index, draw = universe(), random.Random(1)
    words = sorted(word for word in index.words if word.isalpha() and len(word) > 3)
    forms = ("Inc.", "Corp", "Ltd.", "Holdings", "Group plc", "& Co.", "")
    composed = {
        f"{draw.choice(words)} {draw.choice(words)} {draw.choice(forms)}".title() for _ in range(5000)
    }
    names = sorted(name for name in composed if full_form(name) not in index.full)
    _print_accepted("composed", names)
    lone = sorted({_changed(draw.choice(words), draw, 3) for _ in range(5000)})
    invented = [word for word in lone if len(word) > 5 and word not in index.words]
    _print_accepted("words with three letters changed", invented)


def _print_accepted(kind: str, names: list[str]) -> None:
    taken = [(name, resolve(name)) for name in names if resolve(name)]
    firms = {firm.label: firm.name for firm in universe().firms}
    print(f"{kind}: {len(taken)} of {len(names)} accepted ({len(taken) / len(names):.2%})")
    print("  ", "; ".join(f"{name} = {firms.get(labels[0], labels[0])}" for name, labels in taken[:10]))


def strings(n: int, seed: int, kinds: tuple[Callable[[str, random.Random], str], ...]) -> list[str]:
    """``n`` distinct guesses made of the universe's names and tickers."""
    index, draw = universe(), random.Random(seed)
    names = sorted({name for number in range(len(index.firms)) for name in _own_names(index, number)})
    made: dict[str, None] = {}
    while len(made) < n:
        made[draw.choice(kinds)(draw.choice(names), draw)] = None
    return list(made)


def exact(name: str, draw: random.Random) -> str:
    """The name itself, in other capitals, with another legal form, security or exchange behind it."""
    end = draw.choice(
        ("", " Inc.", " Corp", " Co.", ", Inc", " plc", " Common Stock", " Class A Common Stock", " /DE/")
    )
    written = draw.choice((str, str.upper, str.lower, str.title, str.swapcase))(name)
    return draw.choice(("", "The ", " ", '"', "*")) + written + end + draw.choice(("", " ", ".", ",", "  "))


def misspelt(name: str, draw: random.Random) -> str:
    return _changed(name, draw, 1)


def badly_misspelt(name: str, draw: random.Random) -> str:
    return _changed(name, draw, 3)


def shortened(name: str, draw: random.Random) -> str:
    words = name.split()
    return " ".join(words[: max(1, draw.randrange(len(words) + 1))]) + draw.choice(
        ("", " Group", " Intl", " and Sons")
    )


def unknown(_: str, draw: random.Random) -> str:
    return " ".join(_word(draw) for _ in range(draw.randint(1, 3))) + draw.choice(
        (" Inc", " Technologies", "")
    )


def _word(draw: random.Random) -> str:
    return "".join(draw.choices(string.ascii_lowercase, k=draw.randint(4, 10))).title()


def _changed(name: str, draw: random.Random, letters: int) -> str:
    for _ in range(letters):
        at = draw.randrange(len(name))
        change = draw.choice(
            ("", draw.choice(string.ascii_lowercase), name[at] + draw.choice(string.ascii_lowercase))
        )
        name = name[:at] + change + name[at + 1 :] or "x"
    return name


def speed(n: int) -> None:
    half = n // 2
    mixed = list(
        dict.fromkeys((*strings(half, 0, (exact,)), *strings(n, 1, (misspelt, shortened, unknown))))
    )[:n]
    fuzzy = strings(n // 5, 2, (misspelt, badly_misspelt, unknown))
    resolve_many(["Apple", "Nvidea Corpration"])
    for kind, asked in (("half exact or alias", mixed), ("all misspelt or unknown", fuzzy)):
        start = time.process_time()
        found = resolve_many(asked)
        took = time.process_time() - start
        named = sum(map(bool, found)) / len(found)
        rate = len(asked) / took
        print(
            f"{len(asked):,} distinct strings, {kind}: {took:.1f} s, {rate:,.0f} a second ({named:.0%} named)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--strings", type=int, default=1_000_000)
    parser.add_argument("--left-out", type=int, default=0, help="a sample of so many firms; 0 for all")
    args = parser.parse_args()
    pairs()
    shared_words()
    absent(args.left_out)
    elsewhere()
    speed(args.strings)


if __name__ == "__main__":
    main()
