"""Simulated respondents: models inside the process that answer from planted knowledge, to calibrate the instrument.

Modules are loaded on first use, so that asking for a name costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.models.simulated.engine import SimulatedEngine as SimulatedEngine
    from neuter.models.simulated.engine import SimulatedTransport as SimulatedTransport
    from neuter.models.simulated.engine import reply as reply
    from neuter.models.simulated.names import is_simulated as is_simulated
    from neuter.models.simulated.planted import Planted as Planted
    from neuter.models.simulated.planted import plant as plant
    from neuter.models.simulated.respondent import Respondent as Respondent
    from neuter.models.simulated.respondent import presets as presets
    from neuter.models.simulated.respondent import respondent_of as respondent_of

_HOME = {
    "Planted": "planted",
    "Respondent": "respondent",
    "SimulatedEngine": "engine",
    "SimulatedTransport": "engine",
    "is_simulated": "names",
    "plant": "planted",
    "presets": "respondent",
    "reply": "engine",
    "respondent_of": "respondent",
}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
