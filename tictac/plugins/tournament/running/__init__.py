"""Playing a tournament: the command line, the programs and accounts, and the file of results."""
