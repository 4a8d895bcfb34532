"""The suites of `tictac check` for Connect Four."""
