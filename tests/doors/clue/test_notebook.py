"""The notes that a person has: what follows, and no more."""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from tests.doors.clue.helpers import BOARD, Table, cards, state, triple
from tests.doors.clue.test_match import Follower
from tictac.doors.clue.match import Match
from tictac.doors.clue.notebook import FullNotes, MiniNotes, open_notebook
from tictac.games.clue.cards import DECK
from tictac.games.clue.messages import Answer, Counter, Hello, Message, Moved, Wrong

HAND = tuple(sorted(cards("0 rope U")))
ROPE, PIPE, PLUM, KITCHEN = 9, 10, 5, 16


class FullNotesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.notes = FullNotes(0, HAND)
        self.match = Match(BOARD)

    def moved(self, mover: int, asked: str, disprover: int | None) -> None:
        self.notes.note(Moved(state(), mover, triple(asked), disprover), self.match)

    def row(self, card: int) -> str:
        return "".join(self.notes.marks()[card])

    def test_the_own_hand(self) -> None:
        assert (self.row(ROPE), self.row(PIPE)) == ("x-----", "-     ")

    def test_who_was_passed_over_has_none(self) -> None:
        self.moved(1, "5 pipe K", 4)
        assert self.row(PIPE) == self.row(PLUM) == self.row(KITCHEN) == "- --? "

    def test_what_nobody_but_the_suggester_can_have(self) -> None:
        self.moved(3, "5 pipe K", None)
        assert self.row(PIPE) == "--- --"

    def test_a_card_that_was_shown(self) -> None:
        self.moved(2, "5 pipe K", 4)
        self.match.suggested = triple("5 candlestick B")
        self.notes.note(Counter(PLUM, 4), self.match)
        assert self.row(PLUM) == "----x-"
        assert self.row(PIPE) == "-  -  ", "that it showed Plum explains it"

    def test_a_counter_of_the_older_form(self) -> None:
        self.match.suggested = triple("5 candlestick B")
        self.notes.note(Counter(PLUM, None), self.match)
        assert self.row(PLUM) == "-     " and PLUM not in self.notes.solved()

    def test_what_nobody_has_is_hidden(self) -> None:
        self.match.suggested = triple("5 rope K")
        self.notes.note(Counter(None, None), self.match)
        assert self.notes.solved() == [PLUM, KITCHEN]
        assert self.notes.left() == [[PLUM], [6, 7, 8, PIPE, 11], [KITCHEN]]

    def test_a_wrong_accusation_tells_something(self) -> None:
        self.match.suggested = triple("5 rope K")
        self.notes.note(Counter(None, None), self.match)
        for weapon in ("knife", "candlestick", "revolver", "pipe"):
            self.match.accused = triple(f"5 {weapon} K")
            self.notes.note(Wrong(), self.match)
        assert self.notes.solved() == [PLUM, 11, KITCHEN]


class Noting(Follower):
    """A player with notes at its side."""

    def hear(self, message: Message) -> Answer | None:
        said = super().hear(message)
        if isinstance(message, Hello):
            self.notes = open_notebook(message)
        else:
            self.notes.note(message, self.match)
        return said


def test_nothing_that_is_noted_in_whole_games_is_wrong() -> None:
    for seed in range(3):
        game = Table(dice=Random(seed))
        deal = game.position
        noting = Noting("sensible", seed)
        seats = {seat: Follower("sensible", seat) for seat in range(1, 6)}
        game.play({0: noting, **seats})
        marks = noting.notes.marks()
        for card, row in marks.items():
            for seat, mark in enumerate(row):
                assert mark not in ("x" if card not in deal.hands[seat] else "-")
        assert sum(row.count("x") for row in marks.values()) > 6
        assert set(noting.notes.solved()) <= set(deal.envelope)
        for hidden, left in zip(deal.envelope, noting.notes.left(), strict=True):
            assert hidden in left


def test_the_mini_game_is_noted() -> None:
    game, seat = Table(1, Random(3)), Noting("leech", 3)
    game.play([seat])
    envelope, marks = game.position.envelope, seat.notes.marks()
    assert isinstance(seat.notes, MiniNotes)
    assert sorted(seat.notes.solved()) == sorted(envelope)
    assert seat.notes.left() == [[card] for card in envelope]
    assert [card for card in DECK if card in envelope and marks[card] == ["-"]] == []
