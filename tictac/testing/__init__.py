"""Tools for tests of a plug-in, with pytest or trial; see docs/a-game-of-your-own.md."""
