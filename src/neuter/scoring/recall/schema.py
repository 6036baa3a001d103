"""The two frames that recall is scored from: questions with their truths, and answers."""

from __future__ import annotations

import polars as pl

#: What a question asks for. ``level`` and ``rate`` a number; ``return`` a percentage; ``direction`` up or down;
#: ``pair`` which of two; ``date`` the date of headlines; ``date_level`` that date and the next trading day's level.
TASKS = ("level", "rate", "return", "direction", "pair", "date", "date_level")

#: A row a question. ``date`` is what it asks about, ``cluster`` the firm whose questions are not independent ("" where
#: the series is one). ``truth`` is the number, ``truth_word`` the word, ``truth_date`` the date that is right.
#: ``other`` is the truth by the series' second reading (``other_reading`` names it: latest, split_adjusted).
#: ``previous`` and ``previous_other`` are the actual value one period before, ``year_ago`` that of the same period last
#: year, null where unknown. ``threshold`` divides high from low (directional accuracy), null where the paper has none.
#: ``digits`` are the decimals that the source prints, null where it prints none as traded. ``prompt`` is what is sent,
#: ``system`` the system message before it ("" where there is none).
QUESTIONS_SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("id", "suite", "panel", "series", "task", "condition"), pl.String),
    "date": pl.Date,
    "cluster": pl.String,
    "truth": pl.Float64,
    "truth_word": pl.String,
    "truth_date": pl.Date,
    "other": pl.Float64,
    "other_reading": pl.String,
    "previous": pl.Float64,
    "previous_other": pl.Float64,
    "year_ago": pl.Float64,
    "threshold": pl.Float64,
    "digits": pl.Int8,
    "prompt": pl.String,
    "system": pl.String,
}

#: A row an answer. ``number``, ``word`` and ``day`` are what was read from ``answer``, null unless the outcome is
#: answered; a ``date_level`` has both day and number, each where it could be read. ``confidence`` is from 0 to 100.
ANSWERS_SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("id", "model", "outcome"), pl.String),
    "number": pl.Float64,
    "word": pl.String,
    "day": pl.Date,
    "confidence": pl.Float64,
    "answer": pl.String,
    "reason": pl.String,
}
