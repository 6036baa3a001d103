"""What forecasts of resolved questions are worth: Brier scores, gaps between simulated and true ignorance, tests."""
