"""`tictac check` for clients: a scripted server, and the cases of each protocol."""
