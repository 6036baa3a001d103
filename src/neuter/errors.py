"""One tree of exceptions. A message says what was wrong, where, and what to do."""

from __future__ import annotations


class NeuterError(Exception):
    """The root: everything neuter raises on purpose. ``exit_status`` is what the command line returns."""

    exit_status = 2

    def __init__(self, what: str, *, where: str = "", todo: str = "") -> None:
        self.what, self.where, self.todo = what, where, todo
        super().__init__(str(self))

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}. {self.todo}" if self.todo else head


class UsageError(NeuterError):
    """An option or argument that does not fit."""


class UnknownName(UsageError):
    """A scheme, attacker, preset, corpus or model that nobody registered."""


class CorpusError(NeuterError):
    """A corpus that cannot be read: ``where`` is file, line (or row) and field."""


class DataError(NeuterError):
    """Actual values that cannot be read or had: ``where`` is the series, file, line and column, or the source."""


class MaskingError(NeuterError):
    """A scheme that cannot mask, or a masked corpus and key that do not belong together."""


class PluginError(NeuterError):
    """A scheme or attacker of the user's own raised something; ``where`` is file and line."""


class ModelError(NeuterError):
    """A model that is not configured, not reachable, or refuses the key."""


class StoreError(NeuterError):
    """The store of responses cannot be read or written: full disk, damaged, or from a newer version."""


class RunError(NeuterError):
    """A run folder that is damaged, or belongs to another configuration."""


class MissingExtra(NeuterError):
    """A package of an optional extra is not installed; ``todo`` holds the pip command."""


class Interrupted(NeuterError):
    """Stopped by the user; what is done is kept and the same command goes on from there."""

    exit_status = 130


class LimitReached(NeuterError):
    """A limit on what a run may spend is reached; what is done is kept and the same command goes on from there."""

    exit_status = 130
