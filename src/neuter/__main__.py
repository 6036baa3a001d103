"""``python -m neuter`` is the command ``neuter``."""

from __future__ import annotations

from neuter.cli import main

main()
