"""Groups of options that several commands have: declared once, added to a command's own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

#: By argument's name: its annotation (with typer's option in it) and its default.
Options = Mapping[str, tuple[Any, Any]]
Command = Callable[..., int]


def with_options(group: str, options: Options) -> Callable[[Command], Command]:
    """A decorator: ``command`` with these options, of which it gets those that were given as its argument ``group``."""

    def decorated(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        own = [parameter for parameter in signature.parameters.values() if parameter.name != group]
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=option)
            for name, (option, default) in options.items()
        ]

        @functools.wraps(command)
        def called(*arguments: Any, **given: Any) -> int:
            found = {name: given.pop(name, None) for name in options}
            # 0 was given, and so was the other side of a switch: neither is an option left out.
            told = {
                name: value
                for name, value in found.items()
                if value is not None and value != options[name][1]
            }
            return command(*arguments, **given, **{group: told})

        called.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
        return called

    return decorated
