"""Boards and colours."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tictac.terminal.style import Style, draw_grid, style_for


class GridTests(SynchronousTestCase):
    """rooms-client.md, "RC4 The match": 13 dashes."""

    def test_three_by_three(self) -> None:
        self.assertEqual(
            draw_grid(list("X O X    "), 3),
            [
                "-------------",
                "| X |   | O |",
                "-------------",
                "|   | X |   |",
                "-------------",
                "|   |   |   |",
                "-------------",
            ],
        )

    def test_other_sizes(self) -> None:
        lines = draw_grid(list("abcdefgh"), 4)
        self.assertEqual(lines[0], "-" * 17)
        self.assertEqual(lines[1::2], ["| a | b | c | d |", "| e | f | g | h |"])


class StyleTests(SynchronousTestCase):
    """Who sees colour."""

    def test_colour_only_where_it_is_wanted(self) -> None:
        colour, plain = Style(True), Style(False)
        for is_terminal, environment, style in [
            (True, {"TERM": "xterm"}, colour),
            (True, {"TERM": "xterm", "NO_COLOR": ""}, colour),
            (True, {"TERM": "xterm", "NO_COLOR": "1"}, plain),
            (True, {"TERM": "dumb"}, plain),
            (True, {}, plain),
            (False, {"TERM": "xterm"}, plain),
        ]:
            self.assertEqual(style_for(is_terminal, environment), style, environment)

    def test_marks_differ_in_colour_only(self) -> None:
        style = Style(True)
        shown = {style.first("X"), style.second("X"), style.winning("X"), style.dim("X")}
        self.assertEqual(len(shown), 4)
        for text in shown:
            self.assertRegex(text, "^\x1b\\[[0-9;]+mX\x1b\\[0m$")

    def test_plain(self) -> None:
        style = Style()
        shown = {style.first("X"), style.second("X"), style.winning("X"), style.dim("X")}
        self.assertEqual(shown, {"X"})
