"""Frames for pandas, which is an extra: whole numbers stay whole where some are missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from neuter.errors import MissingExtra

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


def pandas_of(frame: pl.DataFrame, *, nullable: Sequence[str] = ()) -> pd.DataFrame:
    """``frame`` for pandas.

    Args:
        nullable: columns of whole numbers that may be missing. They become ``Int64``, whatever is in them; as pandas
            takes them by itself they would be decimals wherever one is missing.

    Raises:
        MissingExtra: pandas or pyarrow is not installed.
    """
    try:
        return frame.to_pandas().astype(dict.fromkeys(nullable, "Int64"))
    except ImportError as error:
        todo = 'Install it: python -m pip install "neuter[pandas]"'
        raise MissingExtra(f"to_pandas needs {error.name or 'pandas'}", todo=todo) from error
