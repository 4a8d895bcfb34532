"""What a person sees of Connect Four, and what can be typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.connectfour.helpers import hint, moves
from tests.terminal.helpers import Person
from tictac.plugins.classics.connectfour.console import Screen, ask_until, draw_board, read_move
from tictac.plugins.games.connectfour.rules import DROP, POP, Move, Outcome, Rules
from tictac.terminal.dialog import Quit
from tictac.terminal.style import Style

EXAMPLE = """\
1 2 3 4 5 6 7
. . . . . . .
. . . . . . .
. . . . . . .
. . R . . . .
. . Y R . . .
. R R Y . Y .
"""
"""The board of connect-four.md."""

WIDE = """\
 1  2  3  4  5  6  7  8  9 10 11
 .  .  .  .  .  .  .  .  .  .  .
 .  .  .  .  .  .  .  .  .  .  .
 .  .  .  .  .  .  .  .  .  .  .
 R  .  .  .  .  .  .  .  .  Y  R
"""

TYPED = {
    "DROP 3": Move(DROP, 3),
    "drop 3": Move(DROP, 3),
    "D 3": Move(DROP, 3),
    "3": Move(DROP, 3),
    "  3\t": Move(DROP, 3),
    " drop   3 ": Move(DROP, 3),
    "POP 3": Move(POP, 3),
    "Pop 12": Move(POP, 12),
    "p 3": Move(POP, 3),
    "0": Move(DROP, 0),
    "-1": Move(DROP, -1),
    "POP 99": Move(POP, 99),
}
NONSENSE = [
    "", " ", "hello", "DROP", "POP", "D", "P", "3 3", "DROP 3 4", "3.0", "+3", "three", "DROP x",
    "X 3", "READY", "OKAY", "AI_GAME", "I32CFSP_HELLO 3", "HELLO 3", "\x00", "³", "٣", "-",
]  # fmt: skip


@pytest.mark.parametrize("typed", TYPED)
def test_a_move_that_is_typed(typed: str) -> None:
    assert read_move(typed) == TYPED[typed]


@pytest.mark.parametrize("typed", NONSENSE)
def test_no_move(typed: str) -> None:
    assert read_move(typed) is None


@given(st.text())
def test_whatever_is_typed_is_a_move_or_none(typed: str) -> None:
    move = read_move(typed)
    assert move is None or read_move(str(move)) == move


class ScreenTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.person = Person()
        self.rules = Rules()
        self.screen = Screen(self.person.terminal, Style(), self.rules)

    def ask(self) -> Deferred[Move]:
        return Deferred.fromCoroutine(self.screen.ask_move(Deferred))

    def test_the_board_of_the_document(self) -> None:
        position = self.rules.initial()
        for move in moves("2 4 3 3 3 6 4"):
            position = self.rules.play(position, move)
        assert "".join(line + "\n" for line in draw_board(position)) == EXAMPLE
        self.screen.show_position(position)
        assert self.person.read() == EXAMPLE + "It is yellow's turn.\n"

    def test_a_wide_board_lines_up(self) -> None:
        rules = Rules(11, 4)
        position = rules.initial()
        for move in moves("1 10 11"):
            position = rules.play(position, move)
        assert "".join(line + "\n" for line in draw_board(position)) == WIDE

    def test_every_board_lines_up(self) -> None:
        for columns in range(4, 21):
            numbers, *rows = draw_board(Rules(columns, 4).initial())
            width = 1 if columns < 10 else 2
            assert {len(line) for line in (numbers, *rows)} == {columns * (width + 1) - 1}
            # Each number ends where its cells are.
            ends = [i for i, c in enumerate(numbers + " ") if c == " " and numbers[i - 1] != " "]
            assert [row[end - 1] for row in rows for end in ends if end] == ["."] * 4 * columns

    def test_a_board_isnt_shown_twice(self) -> None:
        position = self.rules.initial()
        self.screen.show_position(position)
        self.person.read()
        self.screen.show_position(position)
        assert self.person.read() == ""

    def test_nobody_has_the_turn_when_it_is_over(self) -> None:
        position = self.rules.initial()
        for move in moves("1 2 1 2 1 2 1"):
            position = self.rules.play(position, move)
        self.screen.show_position(position)
        assert "turn" not in self.person.read()

    def test_how_it_ended(self) -> None:
        for winner, words in (("R", "Red has won."), ("Y", "Yellow has won.")):
            self.screen.show_end(Outcome(winner))
            assert self.person.read() == f"{words}\n"
        self.screen.show_end(Outcome(None))
        assert self.person.read() == "The game is a draw.\n"

    def test_it_asks_until_it_gets_a_move(self) -> None:
        for typed in ("hello", "", "  ", "DROP x"):
            asking = self.ask()
            assert self.person.read() == hint()
            self.person.type(typed)
            said = f"That isn't a move: {typed}." if typed.strip() else "That was an empty line."
            assert self.person.read() == f"{said}\n{hint()}"
            self.person.type("pop 3")
            assert self.successResultOf(asking) == Move(POP, 3)
            self.screen.show_problem("no")
            assert self.person.read() == "No.\n"

    def test_the_hint_is_shown_once_while_all_goes_well(self) -> None:
        for shown in (hint(), "", ""):
            asking = self.ask()
            assert self.person.read() == shown
            self.person.type("1")
            self.successResultOf(asking)

    def test_what_is_typed_does_nothing_to_the_terminal(self) -> None:
        self.ask()
        self.person.type("\x1b[2J" + "x" * 1000)
        assert "That isn't a move: \\x1b[2Jxxx" in (shown := self.person.read())
        assert len(shown) < 300

    def test_leaving(self) -> None:
        for typed in ("QUIT", "quit", " Quit "):
            asking = self.ask()
            self.person.type(typed)
            self.failureResultOf(asking, Quit)

    def test_the_end_of_the_input(self) -> None:
        asking = self.ask()
        self.person.end_input()
        self.failureResultOf(asking, EOFError)

    def test_something_else_ends_the_question(self) -> None:
        stirred: Deferred[None] = Deferred()
        asking = Deferred.fromCoroutine(self.screen.ask_move(lambda: stirred))
        stirred.errback(ValueError("no"))
        self.failureResultOf(asking, ValueError)
        # What is typed then is for the next question.
        self.person.type("3")
        assert self.successResultOf(self.ask()) == Move(DROP, 3)

    def test_colour_and_a_prompt_on_a_terminal(self) -> None:
        self.person = Person(keyboard=True, screen=True)
        self.screen = Screen(self.person.terminal, Style(True), self.rules)
        position = self.rules.play(self.rules.initial(), Move(DROP, 1))
        position = self.rules.play(position, Move(DROP, 2))
        self.screen.show_position(position)
        bottom = "\x1b[31mR\x1b[0m \x1b[33mY\x1b[0m . . . . .\n"
        assert self.person.read().endswith(bottom + "It is red's turn.\n")
        self.ask()
        assert self.person.read() == f"\x1b[2m{hint()[:-1]}\x1b[0m\n> "

    def test_without_pops_none_is_offered(self) -> None:
        self.screen = Screen(self.person.terminal, Style(), Rules(pops=False))
        self.ask()
        assert self.person.read() == "(a column from 1 to 7 to drop, or QUIT)\n"


class AskUntilTests(SynchronousTestCase):
    def test_until_it_can_be_read(self) -> None:
        person = Person()
        asking = Deferred.fromCoroutine(ask_until(person.terminal, "How many? ", int))
        person.type("x", " 7 ")
        assert self.successResultOf(asking) == 7
        said = "invalid literal for int() with base 10: 'x'."
        assert person.read() == f"How many? {said}\nHow many? "
