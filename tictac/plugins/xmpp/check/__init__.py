"""The suites of `tictac check` for tic-tac-toe over XMPP."""
