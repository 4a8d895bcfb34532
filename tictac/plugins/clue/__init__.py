"""Clue: the board, the two network games, and players for them (clue.md)."""
