"""The options that say what a command may spend on models; the same for every command that asks one."""

from __future__ import annotations

from typing import Annotated

import typer

from neuter.cli.added_options import Options, with_options

_PANEL = "Spending"
_OPTIONS: Options = {
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


#: Decorates a command with these options; it gets those that were given as a dictionary, its argument ``spending``.
with_spending = with_options("spending", _OPTIONS)
