"""What every player of Clue has: it hears the messages of its seat, and answers some.

A player sees only what its seat is told, so the same one serves in rooms, in the network client and
in the bench. It decides and sends nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from random import Random
from typing import Protocol

from tictac.games.clue.board import Board, Cell, InRoom, Place, State
from tictac.games.clue.cards import Card, Room, Triple
from tictac.games.clue.messages import (
    Answer,
    AskAccusation,
    AskSuggestion,
    Choice,
    Counter,
    Hello,
    Message,
    Moved,
    Rolled,
    Turn,
)
from tictac.games.clue.moving import options, pull


class Hears(Protocol):
    """Whoever sits at a seat."""

    def hear(self, message: Message) -> Answer | None:
        """Take a message; the answer if it asks for one, otherwise None."""


class Player(ABC):
    """A player with the things that all of them keep.

    ``state`` is the last that was heard, with what the player itself did since; ``room`` is
    where the own token is at a suggestion, ``suggested`` the last own suggestion.
    """

    def __init__(self, board: Board, dice: Random) -> None:
        self.board = board
        self.dice = dice
        self.token = -1
        self.hand: frozenset[Card] = frozenset()
        self.state: State = board.initial()
        self.room: Room = ""
        self.suggested: Triple | None = None

    def hear(self, message: Message) -> Answer | None:
        """Take a message; the answer if it asks for one, otherwise None."""
        self.note(message)
        answer = self.decide(message)
        self.answered(message, answer)
        return answer

    def note(self, message: Message) -> None:
        """Take a message that :meth:`decide` may be asked about next."""
        match message:
            case Turn(state):
                self.state = state
            case Moved(state):
                self.watched(message)
                self.state = state
            case Counter():
                self.countered(message)
            case Hello(token, hand):
                self.token, self.hand = token, frozenset(hand or ())
                self.begin()

    def decide(self, message: Message) -> Answer | None:
        """The answer to the last message, if it asks for one."""
        match message:
            case Turn():
                return self.choose()
            case Rolled(steps):
                return self.go(options(self.board, self.state, self.token, steps), steps)
            case AskSuggestion():
                return self.suggest()
            case AskAccusation():
                return self.accuse()
            case Moved(_, _, triple, self.token) if triple is not None:
                return self.show(message, [card for card in triple if card in self.hand])
        return None

    def answered(self, message: Message, answer: Answer | None) -> None:
        """That was the answer to the last message."""
        match message, answer:
            case Rolled(), (Cell() | InRoom()) as place:
                if isinstance(place, InRoom):
                    self.room = place.room
                self.state = (*self.state[: self.token], place, *self.state[self.token + 1 :])
            case AskSuggestion(), Triple() as triple:
                self.suggested = triple
                self.state = pull(self.state, self.token, triple)

    # Answers

    @abstractmethod
    def choose(self) -> Choice:
        """What to do with the turn that begins."""

    @abstractmethod
    def go(self, places: frozenset[Place], steps: int) -> Place:
        """Which of the places that can be reached to go to."""

    @abstractmethod
    def suggest(self) -> Triple:
        """A suggestion in :attr:`room`."""

    @abstractmethod
    def accuse(self) -> Triple:
        """The accusation, after :meth:`choose` has said so."""

    def show(self, moved: Moved, cards: list[Card]) -> Card:
        """Which of the own ``cards`` to show the seat that moved."""
        return self.dice.choice(cards)

    # Notes

    def begin(self) -> None:  # noqa: B027 - not everybody notes it
        """The token and the hand are known now."""

    def countered(self, counter: Counter) -> None:  # noqa: B027 - not everybody notes it
        """What became of :attr:`suggested`."""

    def watched(self, moved: Moved) -> None:  # noqa: B027 - not everybody notes it
        """How the turn of another seat went; :attr:`state` is still the one before."""
