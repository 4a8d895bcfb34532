"""What a seat can know of what it is told: what follows, and no more."""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.clue.helpers import Table, cards, state, triple
from tictac.plugins.clue.game.cards import DECK, SEATS
from tictac.plugins.clue.game.deduction import ENVELOPE, Deduction, as_cards
from tictac.plugins.clue.game.messages import (
    AskAccusation,
    AskSuggestion,
    Counter,
    Moved,
    Wrong,
    heard,
)
from tictac.plugins.clue.game.opponent import Newcomer
from tictac.plugins.clue.game.screen import marks

ROPE, PIPE, PLUM, KITCHEN = 9, 10, 5, 16


class NotesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.notes = Deduction(0, cards("0 rope U"))

    def moved(self, mover: int, asked: str, disprover: int | None) -> None:
        self.notes.observe(Moved(state(), mover, triple(asked), disprover))

    def countered(self, asked: str, card: int | None, shower: int | None) -> None:
        self.notes.observe(AskSuggestion(), triple(asked))
        self.notes.observe(Counter(card, shower))

    def row(self, card: int) -> str:
        return marks(self.notes, card)

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
        self.countered("5 candlestick B", PLUM, 4)
        assert self.row(PLUM) == "----x-"
        assert self.row(PIPE) == "-  -  ", "that it showed Plum explains it"

    def test_a_counter_of_the_older_form(self) -> None:
        self.countered("5 candlestick B", PLUM, None)
        assert self.row(PLUM) == "-     " and PLUM not in self.notes.left()[0]

    def test_what_nobody_has_is_hidden(self) -> None:
        self.countered("5 rope K", None, None)
        assert self.notes.left() == [[PLUM], [6, 7, 8, PIPE, 11], [KITCHEN]]

    def test_a_wrong_accusation_tells_something(self) -> None:
        self.countered("5 rope K", None, None)
        for weapon in ("knife", "candlestick", "revolver", "pipe"):
            self.notes.observe(AskAccusation(), triple(f"5 {weapon} K"))
            self.notes.observe(Wrong())
        assert self.notes.left() == [[PLUM], [11], [KITCHEN]]


def test_nothing_that_follows_from_what_a_seat_was_told_is_wrong() -> None:
    for seed in range(3):
        game = Table(dice=Random(seed))
        game.play([Newcomer("sensible", game.game.board, Random(n)) for n in range(SEATS)])
        end, known = game.position, 0
        for seat, hand in enumerate(end.hands):
            notes = Deduction(seat, hand)
            for message, answer in heard(end, seat):
                notes.observe(message, answer)
            for place, holding in enumerate(map(as_cards, end.hands)):
                assert holding in notes.hands[place]
                known += len(notes.hands[place]) == 1
            assert as_cards(end.envelope) in notes.hands[ENVELOPE]
            for hidden, left in zip(end.envelope, notes.left(), strict=True):
                assert hidden in left
        assert known > 6 + SEATS


def test_the_mini_game_is_solved_by_its_counters() -> None:
    game = Table(1, Random(3))
    game.play([Newcomer("leech", game.game.board, Random(3))])
    envelope, notes = game.position.envelope, Deduction(0, None)
    for message, answer in heard(game.position, 0):
        notes.observe(message, answer)
    assert notes.solution() == envelope and notes.left() == [[card] for card in envelope]
    assert {card for card in DECK if marks(notes, card) == " "} == set(envelope)
