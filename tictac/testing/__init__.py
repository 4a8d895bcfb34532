"""Tools for tests of a plug-in, with pytest or trial; see docs/tutorials/a-game-of-your-own.md."""
