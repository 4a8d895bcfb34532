"""What the full game and the mini-game have in common: a turn, from its choice to its end.

Decides; sends nothing. A game takes the answers of its seats and gives the events that they led
to, in the order in which they must be told. It has at most one answer :attr:`Table.due` at a
time. Source: clue.md, "Messages".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from random import Random

from tictac.clue.board import Board, State
from tictac.clue.cards import NAMES, Room, Triple
from tictac.clue.events import (
    Answer,
    AskAccusation,
    Asked,
    AskSuggestion,
    Dropped,
    Due,
    Ending,
    Event,
    Message,
    Over,
    Rolled,
    Turn,
)
from tictac.clue.rules import check_suggestion, move, pull
from tictac.errors import IllegalMove, NotAMove, Refusal

MAX_ROUNDS = 500


class Table(ABC):
    """A game that goes on: ``state`` the tokens, ``due`` the answer that is waited for.

    ``over`` is the last event once the game has ended; nothing is due then.
    """

    def __init__(self, board: Board, envelope: Triple, dice: Random, max_rounds: int) -> None:
        self.board = board
        self.envelope = envelope
        self.state: State = board.initial()
        self.due: Due | None = None
        self.over: Over | None = None
        self.rounds = 0
        self._max_rounds = max_rounds
        self._dice = dice
        self._steps = 0
        self._entered: Room | None = None
        self._events: list[Event] = []

    def start(self) -> list[Event]:
        """Say hello and begin the first turn. To be called once, before anything else."""
        self._begin()
        return self._flush()

    def answer(self, seat: int, answer: Answer) -> list[Event]:
        """Take the answer that is due; an illegal one drops ``seat``.

        Raises ValueError when ``seat`` owes none: lines that come early are the caller's to keep.
        """
        due = self.due
        if due is None or due.seat != seat:
            raise ValueError(f"no answer of seat {seat} is due")
        try:
            self._take(due.asked, answer)
        except Refusal as refusal:
            self._events.append(Dropped(seat, str(refusal)))
            self._drop(seat)
        return self._flush()

    def drop(self, seat: int) -> list[Event]:
        """``seat`` has left, stalled, or sent what is no answer: go on without it."""
        if self.over is None:
            self._drop(seat)
        return self._flush()

    # Of the one kind of game or the other

    @abstractmethod
    def _begin(self) -> None: ...

    @abstractmethod
    def _take(self, asked: Asked, answer: Answer) -> None:
        """Handle an answer. Raises a Refusal before anything has changed."""

    @abstractmethod
    def _drop(self, seat: int) -> None: ...

    @abstractmethod
    def _tell(self, seat: int, message: Message) -> None: ...

    # The steps of a turn

    def _ask_choice(self, seat: int) -> None:
        self._tell(seat, Turn(self.state))
        self.due = Due(seat, "turn")

    def _take_choice(self, seat: int, answer: Answer) -> None:
        if answer == "accuse":
            self._tell(seat, AskAccusation())
            self.due = Due(seat, "accuse")
            return
        if answer not in ("roll", "no-roll"):
            raise NotAMove(f"{answer!r:.40} isn't roll, no-roll or accuse")
        dice = self._dice
        self._steps = dice.randint(1, 6) + dice.randint(1, 6) if answer == "roll" else 0
        self._tell(seat, Rolled(self._steps))
        self.due = Due(seat, "move")

    def _take_move(self, seat: int, answer: Answer) -> Room | None:
        """Move the token; the room that was just entered, where a suggestion is asked for now."""
        if not isinstance(answer, tuple) or isinstance(answer, Triple):
            raise NotAMove(f"{answer!r:.40} is no place")
        self.state, entered = move(self.board, self.state, seat, answer, self._steps)
        if entered is not None:
            self._entered = entered
            self._tell(seat, AskSuggestion())
            self.due = Due(seat, "suggest")
        return entered

    def _take_suggestion(self, seat: int, answer: Answer) -> Triple:
        suggestion = _triple(answer)
        check_suggestion(suggestion, self._entered or "")
        self.state = pull(self.state, seat, suggestion)
        return suggestion

    def _take_accusation(self, answer: Answer) -> bool:
        return _triple(answer) == self.envelope

    def _end(self, how: Ending, winner: int | None = None) -> None:
        self.due = None
        self.over = Over(how, winner)
        self._events.append(self.over)

    def _flush(self) -> list[Event]:
        events, self._events = self._events, []
        return events


def _triple(answer: Answer) -> Triple:
    if not isinstance(answer, Triple):
        raise NotAMove(f"{answer!r:.40} isn't a player, a weapon and a room")
    return answer


def wrong_card(card: object) -> IllegalMove:
    """The refusal of a card that was shown and can't be."""
    named = isinstance(card, int) and 0 <= card < len(NAMES)
    name = NAMES[card] if isinstance(card, int) and named else repr(card)[:40]
    return IllegalMove(f"{name} isn't a card of that hand out of the suggestion")
