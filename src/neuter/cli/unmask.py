"""``neuter unmask``: the original texts back, with the key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def unmask(
    masked: Annotated[Path, typer.Argument(help="A file that neuter mask wrote.", metavar="MASKED")],
    key: Annotated[Path, typer.Option("--key", help="The key that neuter mask wrote with it.")],
    out: Annotated[Path, typer.Option("--out", help="Where the restored corpus goes.")],
) -> int:
    """Restore the original texts exactly."""
    from neuter import api
    from neuter.cli import console

    restored = api.unmask(masked, key, out)
    console.say(f"{restored} documents restored: {out}")
    return 0
