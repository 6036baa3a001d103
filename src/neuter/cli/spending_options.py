"""The options that say what a command may spend on models; the same for every command that asks one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

_PANEL = "Spending"
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "max_cost": (
        Annotated[
            float | None,
            typer.Option(
                "--max-cost",
                help="Stop before more is spent, in US dollars; the run can be gone on with.",
                metavar="DOLLARS",
                rich_help_panel=_PANEL,
            ),
        ],
        None,
    ),
    "max_requests": (
        Annotated[
            int | None,
            typer.Option(
                "--max-requests",
                help="Stop before more requests are sent.",
                metavar="N",
                rich_help_panel=_PANEL,
            ),
        ],
        None,
    ),
    "max_minutes": (
        Annotated[
            float | None,
            typer.Option(
                "--max-minutes",
                help="Send nothing any more after N minutes.",
                metavar="N",
                rich_help_panel=_PANEL,
            ),
        ],
        None,
    ),
    "retry": (
        Annotated[
            str | None,
            typer.Option(
                "--retry",
                help="Ask again what was refused, filtered, truncated or unparsed. Failed calls always are.",
                metavar="OUTCOME[,OUTCOME]",
                rich_help_panel=_PANEL,
            ),
        ],
        None,
    ),
    "batch": (
        Annotated[
            bool,
            typer.Option(
                "--batch",
                help="Use the provider's batch API: cheaper, within a day.",
                rich_help_panel=_PANEL,
            ),
        ],
        False,
    ),
}
#: Their names as arguments.
NAMES = frozenset(_OPTIONS)


def with_spending(command: Callable[..., int]) -> Callable[..., int]:
    """``command`` with these options; it gets those that were given as a dictionary, its argument ``spending``."""
    signature = inspect.signature(command, eval_str=True)
    own = [parameter for parameter in signature.parameters.values() if parameter.name != "spending"]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=option)
        for name, (option, default) in _OPTIONS.items()
    ]

    @functools.wraps(command)
    def with_options(*arguments: Any, **given: Any) -> int:
        spending = {name: given.pop(name, None) for name in _OPTIONS}
        # 0 was given: it is refused where limits are read, and is no limit left out.
        told = {name: value for name, value in spending.items() if value is not None and value is not False}
        return command(*arguments, **given, spending=told)

    with_options.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    return with_options
