"""The recall suites: Tables 1 to 5 and A1 of The Memorization Problem, asked anew."""
