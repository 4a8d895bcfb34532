"""The suites of `tictac check` for Clue."""
