"""The runner against bare loops over the openai client and against inspect_ai, on a loopback server.

    python benchmarks/runner.py [--requests 20000] [--concurrency 256] [--repeats 5] [--inspect-python PATH]
                                [--queued 200000] [--rate 200] [--storm-seconds 60] [--only PART ...]

Parts: ``throughput`` (ours into a fresh store, the same again out of the store, and the peers; interleaved, medians),
``memory`` (peak over the idle process), ``storm`` (a server that refuses what is beyond its rate), ``disturbed`` (one
that refuses by chance, or bears few calls at once). The server has a process of its own, each measurement too
(runner_workers.py, runner_inspect.py). ``raw aiohttp`` is the server's own ceiling: a figure near it would be the
server's. Peers store nothing and do not retry; inspect_ai needs a Python that has it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from neuter.models.testing.process import LoopbackProcess, loopback_process

HERE = Path(__file__).parent
PARTS = ("throughput", "memory", "storm", "disturbed")
Found = dict[str, Any]


def run(command: list[str]) -> Found:
    """The JSON that a worker prints as its last line; its own words go to standard error."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: Found = json.loads(done.stdout.splitlines()[-1])
    return found


def worker(name: str, **options: Any) -> Found:
    return run([sys.executable, str(HERE / "runner_workers.py"), name, json.dumps(options)])


@contextmanager
def new_folder() -> Iterator[str]:
    """A folder for a store, on the disk of the working folder: a memory disk would flatter us."""
    folder = tempfile.mkdtemp(prefix="runner-", dir=Path.cwd())
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measured(found: Found, wanted: int, name: str) -> float:
    """Requests a second. A run that lost answers has no figure."""
    if found["answered"] != wanted:
        sys.exit(f"{name}: {found['answered']} of {wanted} requests were answered: {found}")
    return wanted / float(found["seconds"])


def throughput(options: argparse.Namespace, server: LoopbackProcess) -> dict[str, list[float]]:
    """Requests a second of each way, for each repetition, interleaved."""
    same = {"base_url": server.base_url, "requests": options.requests, "concurrency": options.concurrency}
    rates: dict[str, list[float]] = {}

    def note(name: str, found: Found) -> None:
        rates.setdefault(name, []).append(measured(found, options.requests, name))

    for repeat in range(options.repeats):
        note("raw aiohttp", worker("raw", **same))
        with new_folder() as folder:
            note("ours", worker("ours", **same, folder=folder))
            note("ours, from the store", from_store(server, worker_ours(same, folder)))
        note("bare, aiohttp", worker("bare_aiohttp", **same))
        note("bare, default", worker("bare_default", **same))
        if options.inspect_python:
            command = [options.inspect_python, str(HERE / "runner_inspect.py"), *map(str, same.values())]
            note("inspect_ai", run(command))
        print(f"  {repeat + 1}: " + ", ".join(f"{name} {of[-1]:,.0f}" for name, of in rates.items()))
    return rates


def worker_ours(same: Found, folder: str) -> Callable[[], Found]:
    return lambda: worker("ours", **same, folder=folder)


def from_store(server: LoopbackProcess, again: Callable[[], Found]) -> Found:
    """A second run; nothing of it may reach the server."""
    before = server.counts()["requests"]
    found = again()
    if asked := server.counts()["requests"] - before:
        sys.exit(f"ours, from the store: {asked} requests were sent again")
    return found | {"answered": found["outcomes"].get("answered again", 0)}


def say_throughput(options: argparse.Namespace) -> None:
    print(f"{options.requests:,} requests, {options.concurrency} at once; requests a second")
    with loopback_process() as server:
        rates = throughput(options, server)
    medians = {name: statistics.median(of) for name, of in rates.items()}
    print(f"medians of {options.repeats} (least to most):")
    for name, of in rates.items():
        print(f"  {name:<22}{medians[name]:>9,.0f}  ({min(of):,.0f} to {max(of):,.0f})")
    print("ratios, each the median over repetitions:")
    for peer, wanted in (("bare, aiohttp", 0.9), ("bare, default", 1.5), ("inspect_ai", 1.5)):
        if peer in rates:
            ratio = statistics.median(a / b for a, b in zip(rates["ours"], rates[peer], strict=True))
            print(f"  ours / {peer:<15}{ratio:>9.2f}  (wanted: at least {wanted})")
    if not options.inspect_python:
        print("  ours / inspect_ai: skipped; name a Python that has it with --inspect-python")
    print(f"  from the store: {medians['ours, from the store']:,.0f} a second (wanted: at least 20,000)")


def say_memory(options: argparse.Namespace) -> None:
    with loopback_process() as server, new_folder() as folder:
        found = worker(
            "memory",
            base_url=server.base_url,
            requests=options.queued,
            concurrency=options.concurrency,
            folder=folder,
        )
    measured(found, options.queued, "memory")
    print(
        f"{options.queued:,} requests through one ask: peak {found['over']:.0f} MB over the idle process's "
        f"{found['idle']:.0f} MB, in {found['seconds']:.0f} s (wanted: under 200 MB)"
    )


def say_storm(options: argparse.Namespace) -> None:
    requests = int(options.rate * options.storm_seconds)
    print(
        f"a server that grants {options.rate:g} a second, {options.concurrency} calls at once, {requests:,} requests"
    )
    for how in ("seconds", "ms", "none"):
        server_options = ["--rate", str(options.rate), "--retry-after-as", how]
        with loopback_process(*server_options) as server, new_folder() as folder:
            found = worker(
                "ours",
                base_url=server.base_url,
                requests=requests,
                concurrency=options.concurrency,
                folder=folder,
            )
            counts = server.counts()
        # The bucket starts full: a second's worth is allowed beside the rate.
        allowed = options.rate * (found["seconds"] + 1)
        lost = requests - found["answered"]
        print(
            f"  Retry-After {how:<8}{counts['granted'] / allowed:>7.1%} of the allowed rate "
            f"in {found['seconds']:.1f} s, {counts['refused']:,} refused, {lost:,} requests lost "
            "(wanted: at least 80%, none lost)"
        )


def say_disturbed(_: argparse.Namespace) -> None:
    """A server of 50 ms that refuses now and then, or bears few calls at once: no rate of ours is too high for it."""
    requests, delay, few = 2000, 0.05, 16
    cases = {
        "undisturbed": [],
        "1% refused by chance (429)": ["--fault", "429", "--fault-share", "0.01", "--retry-after", "1"],
        "1% refused by chance (503)": ["--fault", "503", "--fault-share", "0.01"],
        f"at most {few} calls at once": ["--most-at-once", str(few), "--retry-after-as", "none"],
    }
    print(
        f"a server that takes {1000 * delay:.0f} ms, 64 calls at once, {requests:,} requests; requests a second"
    )
    for name, more in cases.items():
        with loopback_process("--delay", str(delay), *more) as server, new_folder() as folder:
            found = worker("ours", base_url=server.base_url, requests=requests, concurrency=64, folder=folder)
        bound = f" of {few / delay:,.0f} that it can" if "most" in name else ""
        lost = requests - found["answered"]
        print(f"  {name:<28}{found['answered'] / found['seconds']:>7,.0f}{bound}, {lost:,} requests lost")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--concurrency", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--inspect-python", metavar="PATH", help="a Python that has inspect_ai")
    parser.add_argument("--queued", type=int, default=200_000)
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--storm-seconds", type=float, default=60.0)
    parser.add_argument("--only", action="append", choices=PARTS, help="may be repeated")
    options = parser.parse_args()
    says = {
        "throughput": say_throughput,
        "memory": say_memory,
        "storm": say_storm,
        "disturbed": say_disturbed,
    }
    for part in options.only or PARTS:
        says[part](options)


if __name__ == "__main__":
    main()
