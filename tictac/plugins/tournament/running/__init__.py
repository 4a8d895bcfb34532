"""Playing a tournament: the command, the programs and people who play, the file of results."""
