"""Forecasting questions: their format, importers, the composed ones that ship, and a generator from series."""
