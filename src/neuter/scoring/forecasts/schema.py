"""The two frames that forecasts are scored from: resolved questions, and what models said of them."""

from __future__ import annotations

import polars as pl

#: Direct or chain of thought, without or with a cutoff instruction (Simulated Ignorance Fails, section 3.4).
CONDITIONS = ("G1", "G2", "G1′", "G2′")
#: The same condition without the cutoff instruction, and without the chain of thought.
WITHOUT_CUTOFF = {"G1′": "G1", "G2′": "G2"}
WITHOUT_REASONING = {"G2": "G1", "G2′": "G1′"}

#: A row a question. ``outcome`` is 1 or 0. ``crowd`` is a probability, null where there is none; ``crowd_from`` says
#: what it is: ``first_two_weeks`` (the mean of what was said then) or ``freeze`` (the last before it was frozen).
RESOLVED_SCHEMA: dict[str, type[pl.DataType]] = {
    "id": pl.String,
    **dict.fromkeys(("open", "resolution_date"), pl.Date),
    "outcome": pl.Float64,
    **dict.fromkeys(("domain", "cluster"), pl.String),
    "crowd": pl.Float64,
    "crowd_from": pl.String,
    "base_rate": pl.Float64,
}

#: A row a call. ``run`` counts from 0. ``outcome`` is that of the call (``answered, refused, ...``), ``probability`` is
#: null unless it is answered. ``answer`` is what the model wrote: under G2 and G2′ its chain of thought is in it.
FORECAST_SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("id", "model", "condition"), pl.String),
    "run": pl.Int16,
    "outcome": pl.String,
    "probability": pl.Float64,
    **dict.fromkeys(("answer", "reason"), pl.String),
}
