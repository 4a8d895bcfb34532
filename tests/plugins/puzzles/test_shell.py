"""The puzzle at the shell: the board, a right move, a wrong one, and the end."""

from __future__ import annotations

from tests.plugins.client.shell import ShellCase
from tests.plugins.puzzles.examples import TODAY, kept
from tictac.plugins.puzzles.puzzles import Puzzles
from tictac.plugins.puzzles.tries import LEAST


class PuzzleTests(ShellCase):
    def setUp(self) -> None:
        super().setUp()
        self.puzzles = kept()
        self.network.server.lobby.extend(self.puzzles)
        self.alice = self.player("alice")

    def test_the_task(self) -> None:
        *board, task = self.alice.type("puzzle")
        assert task == "Connect Four: Yellow moves and wins in 2 moves. Type puzzle and the move."
        assert any("R" in line for line in board)

    def test_to_the_end(self) -> None:
        self.alice.type("puzzle connectfour")
        assert self.alice.type("puzzle 3")[-1] == "Right. 1 follows. The next move? (puzzle MOVE)"
        assert self.alice.type("puzzle 5")[-1] == "Solved."

    def test_how_many_have_solved_it(self) -> None:
        for number in range(1, LEAST):
            self.puzzles.check(TODAY, "connectfour", ["7"], f"another {number}")
        self.alice.type("puzzle connectfour")
        self.alice.type("puzzle 3")
        assert self.alice.type("puzzle 5")[-2:] == ["Solved.", f"1 of {LEAST} solved it."]

    def test_a_wrong_move_can_be_tried_again(self) -> None:
        self.alice.type("puzzle")
        assert self.alice.type("puzzle 7")[-1].startswith("Not the right move: ")
        assert self.alice.type("puzzle 3")[-1].startswith("Right.")

    def test_no_move(self) -> None:
        self.alice.type("puzzle")
        assert self.alice.type("puzzle x")[-1].startswith("Error: ")

    def test_another_game(self) -> None:
        assert self.alice.type("puzzle chess") == ["Error: today there are puzzles of connectfour."]

    def test_none_yet(self) -> None:
        self.network.server.lobby.extend(Puzzles(lambda: "2026-01-01"))
        assert self.alice.type("puzzle") == ["Error: there is no puzzle today yet."]
