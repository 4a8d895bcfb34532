"""`tictac tournament`: its command line, the players' programs, and the file of results."""
