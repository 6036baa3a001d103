"""The models of a run: connected on first use, and kept until it ends."""

from __future__ import annotations

from contextlib import ExitStack

from neuter.errors import MissingExtra, ModelError
from neuter.suites.plan import Plan
from neuter.types import Ask


class Models:
    """Models connected on first use and kept for the run; one that cannot be used stays out, with its reason."""

    def __init__(self, plan: Plan, stack: ExitStack) -> None:
        self._plan, self._stack = plan, stack
        self._known: dict[str, Ask | str] = {}

    def get(self, name: str) -> Ask | str:
        """The model, or the reason why there is none."""
        if name not in self._known:
            self._known[name] = self._connect(name)
        return self._known[name]

    def _connect(self, name: str) -> Ask | str:
        if self._plan.connect is None:
            return "no way to reach a model was given"
        try:
            return self._stack.enter_context(self._plan.connect(name))
        except (ModelError, MissingExtra) as error:
            return str(error)
