"""What a client knows of its game, to hold against it what the server says.

Source: clue.md, "Messages": the type of the next message is always predictable.
"""

from __future__ import annotations

from typing import Literal

from tictac.doors.clue.client import Heard, Malformed
from tictac.doors.clue.wire import show_message
from tictac.errors import IllegalMove
from tictac.games.clue.board import Board, InRoom, State
from tictac.games.clue.cards import NAMES, SEATS, Card, Triple
from tictac.games.clue.messages import (
    Answer,
    AskAccusation,
    AskSuggestion,
    Counter,
    Hello,
    Message,
    Moved,
    Rolled,
    Turn,
    Wrong,
)
from tictac.games.clue.moving import after, move, pull
from tictac.net.client import WrongMessage

Outcome = Literal["won", "lost", "over"]
"""``lost``: accused wrongly, in the mini-game; ``over``: not won, for whatever reason."""


class Match:
    """The game of one seat. ``hand`` is None in the mini-game; ``out`` after a wrong accusation."""

    token = -1
    hand: frozenset[Card] | None = None
    out = False

    def __init__(self, board: Board) -> None:
        self.board = board
        self.state: State = board.initial()
        self.suggested: Triple | None = None
        self.accused: Triple | None = None
        self._mover = 0
        self._next: type[Message] | None = Hello
        self._steps = 0

    @property
    def mini(self) -> bool:
        """Whether it is the mini-game."""
        return self.hand is None

    @property
    def mover(self) -> int:
        """The seat whose turn it is."""
        return self._mover

    @property
    def asked(self) -> bool:
        """Whether the server waits for an answer."""
        return self._next is None

    def hear(self, message: Heard) -> Message:
        """Note what the server says. Raises :class:`~tictac.net.client.WrongMessage`."""
        if isinstance(message, Malformed):
            raise WrongMessage(message.why)
        expected = self._next
        if expected is None or not isinstance(message, expected):
            # An accusation is answered by Wrong, or by the end of the connection.
            raise _wrong(message, f"and not {_name(expected)}" if expected else "out of turn")
        match message:
            case Hello(token, hand):
                self.token = token
                self.hand = None if hand is None else frozenset(hand)
                self._next_turn(0)
            case Turn(state):
                self._require(state == self.state, message, "but the tokens are elsewhere")
                self._next = None
            case Rolled(steps):
                self._require((steps == 0) is (self._steps == 0), message, "for no such choice")
                self._steps = steps
                self._next = None
            case AskSuggestion() | AskAccusation():
                self._next = None
            case Counter():
                self._hear_counter(message)
            case Moved():
                self._hear_moved(message)
            case Wrong():
                self.out = True
                self._next_turn(self.token + 1)
        return message

    def answer(self, message: Message, answer: Answer) -> None:
        """Note the own answer to ``message``. Raises :class:`~tictac.errors.IllegalMove`."""
        match message:
            case Turn():
                self._steps = int(answer == "roll")
                self._next = AskAccusation if answer == "accuse" else Rolled
            case Rolled(steps):
                assert isinstance(answer, tuple) and not isinstance(answer, Triple)
                self.state, entered = move(self.board, self.state, self.token, answer, steps)
                if entered is None:
                    self._next_turn(self.token + 1)
                else:
                    self._next = AskSuggestion
            case AskSuggestion():
                assert isinstance(answer, Triple)
                self.suggested = answer
                self.state = pull(self.state, self.token, answer)
                self._next = Counter
            case AskAccusation():
                assert isinstance(answer, Triple)
                self.accused = answer
                self._next = Wrong
            case Moved():
                if not isinstance(answer, int) or answer not in self.to_show(message):
                    raise IllegalMove("that card can't be shown")
                self._next_turn(self._mover + 1)

    def to_show(self, moved: Moved) -> list[Card]:
        """The own cards that a suggestion asks for; empty when somebody else must show one."""
        if moved.disprover != self.token or moved.suggestion is None:
            return []
        return [card for card in moved.suggestion if card in (self.hand or ())]

    def closed(self) -> Outcome | None:
        """What it means that the server has closed; None when it couldn't do so now."""
        if self._next is Wrong:
            return "won"
        if self._next is None or self._next is Hello or self._mine():
            return None
        return "lost" if self.mini and self.out else "over"

    # What the server says

    def _mine(self) -> bool:
        """Whether the server owes something to a turn that has begun."""
        return self._next in (Rolled, AskSuggestion, AskAccusation, Counter)

    def _next_turn(self, seat: int) -> None:
        self._mover = seat % SEATS
        if self.mini:
            self._next = Turn
        elif self._mover != self.token:
            self._next = Moved
        elif self.out:
            self._next_turn(seat + 1)
        else:
            self._next = Turn

    def _hear_counter(self, counter: Counter) -> None:
        suggested, card = self.suggested or (), counter.card
        fine = card is None or (card in suggested and card not in (self.hand or ()))
        self._require(
            fine and counter.shower != self.token and not (self.mini and counter.shower),
            counter,
            f"to the suggestion {' '.join(NAMES[card] for card in suggested)}",
        )
        self._next_turn(self.token + 1)

    def _hear_moved(self, moved: Moved) -> None:
        mover, suggestion = moved.mover, moved.suggestion
        self._require(mover == self._mover, moved, f"and it was the turn of seat {self._mover}")
        for token, (before, now) in enumerate(zip(self.state, moved.state, strict=True)):
            pulled = suggestion is not None and suggestion.player == token
            self._require(
                before == now or token == mover or pulled, moved, f"but token {token} stood still"
            )
        place = moved.state[mover]
        alone = place in self.board.numbers and moved.state.count(place) == 1
        self._require(isinstance(place, InRoom) or alone, moved, "but no token can stand there")
        if suggestion is not None:
            self._require_suggestion(moved, suggestion)
        self.state = moved.state
        if self.to_show(moved):
            self._next = None
        else:
            self._next_turn(mover + 1)

    def _require_suggestion(self, moved: Moved, suggestion: Triple) -> None:
        room = NAMES[suggestion.room]
        there = moved.state[moved.mover] == InRoom(room, "V") and (
            moved.state[suggestion.player][0] == room
        )
        self._require(there, moved, "but the suggestion was made elsewhere")
        if moved.disprover == self.token:
            self._require(bool(self.to_show(moved)), moved, "but you have none of these cards")
            return
        for seat in after(moved.mover):
            if seat == moved.disprover:
                return
            passed_over = seat == self.token and self.hand and self.hand & set(suggestion)
            self._require(not passed_over, moved, "but you have one of these cards")

    def _require(self, fine: object, message: Message, why: str) -> None:
        if not fine:
            raise _wrong(message, why)


def _wrong(message: Message, why: str) -> WrongMessage:
    return WrongMessage(f"it sent {show_message(message)}, {why}")


def _name(kind: type[Message]) -> str:
    return {AskSuggestion: "suggest", AskAccusation: "accuse"}.get(kind, kind.__name__.lower())
