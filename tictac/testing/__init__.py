"""What the tests of a plug-in need, with pytest or trial; docs/a-game-of-your-own.md shows it."""
