"""The suites of `tictac check` for Nim."""
