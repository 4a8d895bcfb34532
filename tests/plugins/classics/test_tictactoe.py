"""Drawing a board, and asking for a move."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from tictac.plugins.classics.tictactoe import ask_move, board_lines
from tictac.terminal.style import Style


class BoardTests(SynchronousTestCase):
    def test_marks_and_rules(self) -> None:
        assert board_lines("120000001", Style()) == [
            "-------------",
            "| X | O |   |",
            "-------------",
            "|   |   |   |",
            "-------------",
            "|   |   | X |",
            "-------------",
        ]

    def test_the_line_that_won_stands_out(self) -> None:
        lines = board_lines("111220000", Style(colour=True))
        assert lines[1].count("\x1b[1;32mX") == 3
        assert "\x1b[1;32m" not in "".join(lines[2:])
        assert "\x1b[33mO" in lines[3]
        assert "\x1b[36mX" in board_lines("100000000", Style(colour=True))[1]


class AskMoveTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.asked: list[str] = []
        self.said: list[str] = []

    def ask(self, board: str, *typed: str) -> Deferred[tuple[int, int]]:
        """Ask for a move, and answer with what was typed; then the input ends."""
        lines = iter(typed)

        async def ask(prompt: str) -> str:
            self.asked.append(prompt)
            line = next(lines, None)
            if line is None:
                raise EOFError
            return line

        return Deferred.fromCoroutine(ask_move(ask, self.said.append, board))

    def test_column_and_row(self) -> None:
        assert self.successResultOf(self.ask("0" * 9, "2", " 1 ")) == (2, 1)
        assert (self.asked, self.said) == (["Column: ", "Row: "], [])

    def test_each_is_asked_again(self) -> None:
        why = "(Column/Row) values must be an integer between 0 and 2"
        assert self.successResultOf(self.ask("0" * 9, "3", "x", "0", "", "-1", "2")) == (0, 2)
        assert self.asked == ["Column: "] * 3 + ["Row: "] * 3
        assert self.said == [why] * 4

    def test_a_taken_cell(self) -> None:
        move = self.ask("010200000", "1", "0", "0", "1", "0", "0")
        assert self.successResultOf(move) == (0, 0)
        assert self.said == ["(1, 0) is occupied by X.", "(0, 1) is occupied by O."]

    def test_the_end_of_input_passes_through(self) -> None:
        self.failureResultOf(self.ask("0" * 9, "1"), EOFError)
