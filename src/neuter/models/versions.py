"""Which model really answered: the names and fingerprints that a server gave under one name."""

from __future__ import annotations

import threading
from collections import Counter

from neuter.models.store.records import StoredResponse

#: Names listed in a note; a server may give a new fingerprint with every answer.
_LISTED = 5


class Versions:
    """Counts who answered in a run, stored answers among them. Safe to use from several threads."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._names: Counter[str] = Counter()
        self._fingerprints: Counter[str] = Counter()
        self._lock = threading.Lock()

    def see(self, response: StoredResponse) -> None:
        """Count one response."""
        with self._lock:
            if response.server_model:
                self._names[response.server_model] += 1
            if response.fingerprint:
                self._fingerprints[response.fingerprint] += 1

    def notes(self) -> list[str]:
        """A warning where the model changed under its name, and a remark where its fingerprint did."""
        told = []
        with self._lock:
            if warning := changed(self._model, self._names):
                told.append(warning)
            if len(self._fingerprints) > 1:
                told.append(
                    f"{self._model} answered with {len(self._fingerprints)} system fingerprints: "
                    f"{_listed(self._fingerprints)}. Its server changed in between."
                )
        return told


def changed(model: str, names: Counter[str]) -> str:
    """The warning that a model was answered under several names, with how often each; empty under one."""
    if len(names) < 2:
        return ""
    return (
        f"WARNING: {model} was answered by different models: {_listed(names)}. "
        "Figures over all of them are of none."
    )


def _listed(counts: Counter[str]) -> str:
    named = [f"{name} ({count:,})" for name, count in counts.most_common(_LISTED)]
    more = len(counts) - len(named)
    return ", ".join([*named, *([f"and {more} more"] if more else [])])
