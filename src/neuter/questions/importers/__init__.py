"""Formats of question sets, told apart by their content. One format a file."""

from __future__ import annotations

from neuter.questions.found import Importer
from neuter.questions.importers.autocast import Autocast
from neuter.questions.importers.forecastbench import ForecastBench
from neuter.questions.importers.halawi import Halawi
from neuter.questions.importers.metaculus import Metaculus
from neuter.questions.importers.parquet import Parquet
from neuter.questions.importers.table import OwnLines, Table

#: By name, in the order in which they are tried.
IMPORTERS: dict[str, Importer] = {
    "metaculus": Metaculus(),
    "forecastbench": ForecastBench(),
    "autocast": Autocast(),
    "halawi": Halawi(),
    "neuter": OwnLines(),
    "csv": Table(),
    "parquet": Parquet(),
}
