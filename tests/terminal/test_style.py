"""Text that shows what it is."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tictac.terminal.style import Style, visible


class VisibleTests(SynchronousTestCase):
    def test_control_characters_are_spelled_out(self) -> None:
        assert visible("a\x1b[2Jb\x07\r\tß\u202e") == "a\\x1b[2Jb\\x07\\r\\tß\\u202e"
        assert visible("Unknown command: x y") == "Unknown command: x y"


class ColourTests(SynchronousTestCase):
    def test_a_colour_that_a_mark_is_called_by(self) -> None:
        assert Style(True).red("R") == "\x1b[31mR\x1b[0m"
        assert Style(True).yellow("Y") == "\x1b[33mY\x1b[0m"
        assert (Style().red("R"), Style().yellow("Y")) == ("R", "Y")
