"""The suites of `tictac check` for clients: the checker is their server."""
