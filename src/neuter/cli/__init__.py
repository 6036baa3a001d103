"""The command line, one command a file: a thin layer over the public functions."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; a user's mistake is a sentence on standard error and an exit status, never a traceback."""
    from neuter.cli.app import run

    sys.exit(run(sys.argv[1:]))
