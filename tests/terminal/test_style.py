"""Text that shows what it is."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tictac.terminal.style import visible


class VisibleTests(SynchronousTestCase):
    def test_control_characters_are_spelled_out(self) -> None:
        assert visible("a\x1b[2Jb\x07\r\tß\u202e") == "a\\x1b[2Jb\\x07\\r\\tß\\u202e"
        assert visible("Unknown command: x y") == "Unknown command: x y"
