"""What the tests of a plug-in need: :mod:`conformance` holds a game to its promises."""
