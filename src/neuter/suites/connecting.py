"""The models of a run: connected on first use, and kept until it ends."""

from __future__ import annotations

from contextlib import ExitStack

from neuter.errors import MissingExtra, ModelError, NeuterError
from neuter.suites.plan import Connect
from neuter.types import Ask


class Models:
    """Models connected on first use and kept for the run; one that cannot be used stays out, with its reason."""

    def __init__(self, connect: Connect | None, stack: ExitStack) -> None:
        self._reach, self._stack = connect, stack
        self._known: dict[str, Ask | NeuterError] = {}

    def get(self, name: str) -> Ask | str:
        """The model, or the reason why there is none."""
        found = self._found(name)
        return str(found) if isinstance(found, NeuterError) else found

    def need(self, name: str) -> None:
        """Connect the model, which a stage that is not done yet will ask.

        Raises:
            ModelError, MissingExtra: it cannot be used.
        """
        found = self._found(name)
        if isinstance(found, NeuterError):
            raise found

    def notes(self) -> dict[str, list[str]]:
        """What the models that were asked have to tell of themselves, by name."""
        told = {name: list(getattr(model, "notes", ())) for name, model in self._known.items()}
        return {name: notes for name, notes in told.items() if notes}

    def _found(self, name: str) -> Ask | NeuterError:
        if name not in self._known:
            self._known[name] = self._connect(name)
        return self._known[name]

    def _connect(self, name: str) -> Ask | NeuterError:
        if self._reach is None:
            return ModelError("no way to reach a model was given")
        try:
            return self._stack.enter_context(self._reach(name))
        except (ModelError, MissingExtra) as error:
            return error
