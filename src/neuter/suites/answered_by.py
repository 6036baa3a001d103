"""Which model really answered: the names that servers gave, for each stage of a run, over all its resumptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from neuter.models.versions import changed
from neuter.types import Ask, Request, Response


class Witness:
    """A model whose answers are counted by the name of who gave them."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.names: Counter[str] = Counter()

    @property
    def model(self) -> str:
        return self._ask.model

    def ask(self, requests: Iterable[Request]) -> Iterator[Response]:
        """The responses, in the order of ``requests``."""
        for response in self._ask.ask(requests):
            if response.model:
                self.names[response.model] += 1
            yield response

    def told(self) -> dict[str, Any]:
        """For ``run.json``: who was asked, and who answered how often."""
        return {"model": self.model, "names": dict(sorted(self.names.items()))}


def changes(stages: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A warning for each model that answered under several names in the stages of a run.

    Args:
        stages: what :meth:`Witness.told` said, by stage: ``answered_by`` in ``run.json``.
    """
    by_model: dict[str, Counter[str]] = {}
    for stage in stages.values():
        by_model.setdefault(str(stage["model"]), Counter()).update(stage["names"])
    return [warning for model, names in by_model.items() if (warning := changed(model, names))]
