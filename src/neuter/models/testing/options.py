"""The loopback server's command line."""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from neuter.models.testing.faults import FAULTS, PASSING
from neuter.models.testing.limits import WAITS

_ABOUT = """A server on loopback that speaks the OpenAI protocol, misbehaves as told, and
counts. It prints its base URL and runs until it is interrupted.

GET /_count answers what it has counted: requests, unique (different bodies),
most (sendings of one body), peak (calls at once), granted and refused (by the
limits), faulted, answered (what a provider would bill)."""


def read_options(
    arguments: Sequence[str] | None, answer: str, changes: Sequence[str]
) -> tuple[int, Mapping[str, Any]]:
    """The port, and the arguments of ``Behaviour``. Exits with a message where an option is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m neuter.models.testing",
        usage="%(prog)s [OPTION ...]",
        description=_ABOUT,
        epilog=_list_of_faults(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_answers(parser, answer, changes)
    _add_faults(parser)
    _add_limits(parser)
    options = vars(parser.parse_args(arguments))
    options["changes"] = options["changes"] or (changes[0],)
    return options.pop("port"), options


def _add_answers(parser: argparse.ArgumentParser, answer: str, changes: Sequence[str]) -> None:
    add = parser.add_argument
    add("--port", type=int, default=0, help="the port (default: any free one)")
    add("--key", help="refuse every other key with 401")
    add("--count-file", type=Path, metavar="FILE", help="keep the counts in this file, as JSON")
    group = parser.add_argument_group("answers")
    group.add_argument("--answer", default=answer, metavar="TEXT", help="the text of every answer")
    group.add_argument("--delay", type=_at_least_0, default=0.0, metavar="SECONDS", help="before each answer")
    group.add_argument("--cached-tokens", type=int, default=0, metavar="N", help="of the prompt's, in usage")
    group.add_argument("--reasoning-tokens", type=int, default=0, metavar="N", help="added to the answer's")
    group.add_argument("--change-after", type=int, metavar="N", help="after N answers the model is another")
    group.add_argument(
        "--change",
        dest="changes",
        action="append",
        choices=changes,
        help=f"what changes then; may be repeated (default: {changes[0]})",
    )


def _add_faults(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("faults")
    group.add_argument(
        "--fault",
        dest="faults",
        action="append",
        default=[],
        choices=list(FAULTS),
        metavar="FAULT",
        help="one of the list below; may be repeated, they then come in turn",
    )
    group.add_argument("--times", type=int, metavar="N", help="faults that each body meets (default: always)")
    group.add_argument(
        "--fault-share",
        type=_share,
        default=0.0,
        metavar="SHARE",
        help="each sending meets a fault with this probability, whatever its body "
        f"(without --fault: one of {', '.join(PASSING)})",
    )
    group.add_argument("--seed", type=int, default=0, metavar="N", help="of the chance (default: 0)")
    group.add_argument(
        "--retry-after", default="0", metavar="TEXT", help="what the faults 429, 503-wait say in Retry-After"
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("limits")
    group.add_argument("--rate", type=_above_0, metavar="N", help="requests a second; beyond it 429")
    group.add_argument(
        "--burst", type=_above_0, metavar="N", help="requests granted at once (default: a second's worth)"
    )
    group.add_argument(
        "--tokens-per-minute",
        type=_above_0,
        metavar="N",
        help="words of prompts and answers; beyond it 429; ten seconds' worth is granted at once",
    )
    group.add_argument("--most-at-once", type=int, metavar="N", help="calls at once; beyond it --busy-status")
    group.add_argument("--busy-status", type=int, default=429, choices=(429, 503))
    group.add_argument(
        "--retry-after-as",
        choices=WAITS,
        default="seconds",
        help="how a refusal by a limit says the true wait: whole seconds rounded up, milliseconds, a date, not at all",
    )


def _list_of_faults() -> str:
    widest = max(map(len, FAULTS))
    lines = (
        textwrap.fill(what, 78, initial_indent=f"  {name:<{widest}}  ", subsequent_indent=" " * (widest + 4))
        for name, what in FAULTS.items()
    )
    return "\n".join(["faults by name:", *lines])


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text} is not a number")
    return number


def _above_0(text: str) -> float:
    number = _number(text)
    if number <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def _at_least_0(text: str) -> float:
    number = _number(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return number


def _share(text: str) -> float:
    number = _number(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return number
