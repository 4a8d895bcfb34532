"""The suites of `tictac check` for the two-player session."""
