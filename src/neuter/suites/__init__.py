"""Suites: the evaluation of masking schemes, and the run folder that every suite writes."""
