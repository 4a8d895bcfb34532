"""The game of Clue: its board, its two network games, and its computer players (clue.md)."""
