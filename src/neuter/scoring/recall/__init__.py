"""Recall scored: errors, directions, exactness, baselines, intervals, and the month at which recall breaks."""
