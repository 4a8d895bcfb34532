"""A client's knowledge of its game, against which it checks the server's messages.

The type of the next message is always predictable. Source: clue.md, "Messages".
"""

from __future__ import annotations

from typing import Literal

from tictac.errors import IllegalMove
from tictac.net.client_connection import WrongMessage
from tictac.plugins.clue.game.board import Board, InRoom, State
from tictac.plugins.clue.game.cards import NAMES, SEATS, Card, Triple
from tictac.plugins.clue.game.deduction import Deduction
from tictac.plugins.clue.game.messages import (
    AskAccusation,
    AskSuggestion,
    Counter,
    Hello,
    Message,
    Moved,
    Rolled,
    Turn,
    Wrong,
    name_of,
)
from tictac.plugins.clue.game.moving import after, move, pull
from tictac.plugins.clue.game.position import Answer
from tictac.plugins.clue.wire import format_message

Outcome = Literal["won", "lost", "over"]
"""The outcome: ``lost`` by a wrong accusation in the mini-game; ``over``: not won."""


class SeatState:
    """The game of one seat: the seat with the turn (``mover``), and the deductions (``notes``).

    ``out`` is true after a wrong accusation, ``asked`` while the server waits for an answer.
    """

    notes: Deduction
    token = -1
    out = False

    def __init__(self, board: Board) -> None:
        self.board = board
        self.state: State = board.starts
        self.mover = 0
        self._next: type[Message] | None = Hello
        self._rolls = False

    @property
    def mini(self) -> bool:
        """Whether this is the mini-game."""
        return self.notes.hand is None

    @property
    def hand(self) -> frozenset[Card]:
        """The seat's cards."""
        return self.notes.hand or frozenset()

    @property
    def asked(self) -> bool:
        """Whether the server waits for an answer."""
        return self._next is None

    def observe(self, message: Message) -> None:
        """Note a message of the server.

        Raises :class:`~tictac.net.client_connection.WrongMessage`.
        """
        expected, self._next = self._next, None
        if expected is None or not isinstance(message, expected):
            # The server answers an accusation with Wrong, or closes the connection.
            raise _wrong(message, f"and not {name_of(expected)}" if expected else "out of turn")
        match message:
            case Hello(token, hand):
                self.token, self.notes = token, Deduction(token, hand)
                self._next_turn(0)
            case Turn(state):
                _require(state == self.state, message, "but the tokens are elsewhere")
            case Rolled(steps):
                _require((steps > 0) is self._rolls, message, "for no such choice")
            case Counter():
                self._check_counter(message)
                self._next_turn(self.token + 1)
            case Moved():
                self._check_moved(message)
                self.state = message.state
                if not self.to_show(message):
                    self._next_turn(message.mover + 1)
            case Wrong():
                self.out = True
                self._next_turn(self.token + 1)
        self.notes.observe(message)

    def answer(self, message: Message, answer: Answer) -> None:
        """Note the seat's answer to ``message``. Raises :class:`~tictac.errors.IllegalMove`."""
        match message, answer:
            case Turn(), _:
                self._rolls = answer == "roll"
                self._next = AskAccusation if answer == "accuse" else Rolled
            case AskSuggestion(), Triple():
                self.state = pull(self.state, self.token, answer)
                self._next = Counter
            case AskAccusation(), _:
                self._next = Wrong
            case Rolled(steps), tuple() if not isinstance(answer, Triple):
                self.state, entered = move(self.board, self.state, self.token, answer, steps)
                self._next = AskSuggestion
                if not entered:
                    self._next_turn(self.token + 1)
            case Moved(), _:
                if answer not in self.to_show(message):
                    raise IllegalMove("that card can't be shown")
                self._next_turn(self.mover + 1)
        self.notes.observe(message, answer)

    def to_show(self, moved: Moved) -> list[Card]:
        """Return the cards with which this seat must disprove a suggestion, if it must."""
        asked = moved.suggestion if moved.disprover == self.token else None
        return [card for card in asked or () if card in self.hand]

    def closed(self) -> Outcome | None:
        """Return the outcome of the server's close; None if it can't close now."""
        if self._next is Wrong:
            return "won"
        if self._next is not Turn and self._next is not Moved:
            return None  # The server still owes messages of a turn.
        return "lost" if self.mini and self.out else "over"

    def _next_turn(self, seat: int) -> None:
        self.mover = self.token if self.mini else seat % SEATS
        if self.mover != self.token:
            self._next = Moved
        elif self.out and not self.mini:
            self._next_turn(seat + 1)
        else:
            self._next = Turn

    def _check_counter(self, counter: Counter) -> None:
        card, shower = counter
        asked = self.notes.asked or ()
        fine = card is None or (card in asked and card not in self.hand)
        if shower is not None:
            fine = fine and shower != self.token and not self.mini
        names = " ".join(NAMES[card] for card in asked)
        _require(fine, counter, f"to the suggestion {names}")

    def _check_moved(self, moved: Moved) -> None:
        state, mover, suggestion, disprover = moved
        _require(mover == self.mover, moved, f"and it was the turn of seat {self.mover}")
        for token, (before, now) in enumerate(zip(self.state, state, strict=True)):
            pulled = suggestion is not None and suggestion.player == token
            fine = before == now or token == mover or pulled
            _require(fine, moved, f"but token {token} stood still")
        place = state[mover]
        alone = place in self.board.numbers and state.count(place) == 1
        _require(isinstance(place, InRoom) or alone, moved, "but no token can stand there")
        if suggestion is None:
            return
        room = NAMES[suggestion.room]
        there = place == InRoom(room, "V") and state[suggestion.player][0] == room
        _require(there, moved, "but the suggestion was made elsewhere")
        if disprover == self.token:
            _require(self.to_show(moved), moved, "but you have none of these cards")
            return
        order = after(mover)
        passed_over = order if disprover not in order else order[: order.index(disprover)]
        has_one = self.token in passed_over and not self.hand.isdisjoint(suggestion)
        _require(not has_one, moved, "but you have one of these cards")


def _require(fine: object, message: Message, why: str) -> None:
    if not fine:
        raise _wrong(message, why)


def _wrong(message: Message, why: str) -> WrongMessage:
    text = format_message(message).decode("ascii").replace("\n", " ").rstrip()
    return WrongMessage(f"it sent {text}, {why}")
