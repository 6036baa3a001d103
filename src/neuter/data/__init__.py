"""Actual values that models are asked for: series that ship, and the sources that users bring."""
