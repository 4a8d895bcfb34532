"""A game with secrets, without elements of its own in MUG: cards are played face down."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from tictac.errors import IllegalMove
from tictac.game import DRAWN, Game, GameType, Played, Result
from tictac.text_view import Paint, TextView

CARDS = "abcdefghi"


class Position(NamedTuple):
    """The hands of the seats, and the number of cards played."""

    hands: tuple[str, ...]
    played: int = 0


class Hands(Game[Position]):
    """Each player has some of the CARDS, which only that player sees."""

    def start(self, seats: int, rng: Random) -> Position:
        """Deal the cards in order."""
        each = len(CARDS) // seats
        return Position(tuple(CARDS[s * each : (s + 1) * each] for s in range(seats)))

    def turn(self, position: Position) -> int | None:
        """Let the seats play in turn."""
        seat = position.played % len(position.hands)
        return seat if position.hands[seat] else None

    def moves(self, position: Position) -> list[str]:
        """Return the hand of the seat to move."""
        return list(position.hands[position.played % len(position.hands)])

    def play(self, position: Position, move: str, rng: Random | None) -> Played[Position]:
        """Play a card of the own hand."""
        seat = position.played % len(position.hands)
        if not move or move not in position.hands[seat]:
            raise IllegalMove("that isn't a card of yours")
        hands = list(position.hands)
        hands[seat] = hands[seat].replace(move, "")
        return Played(Position(tuple(hands), position.played + 1), move)

    def drop(self, position: Position, seat: int) -> Played[Position] | None:
        """End the match."""
        return None

    def result(self, position: Position) -> Result | None:
        """Return a draw at the end."""
        return DRAWN if self.turn(position) is None else None

    def view(self, position: Position, seat: int | None) -> str:
        """Return the number of cards played, and the own hand."""
        return f"{position.played} {'-' if seat is None else position.hands[seat]}"

    def seen(self, position: Position, move: str, seat: int | None) -> str:
        """Return the card for the seat that played it."""
        return move if seat == (position.played - 1) % len(position.hands) else "?"

    def dump(self, position: Position) -> str:
        """Return all of the position."""
        return f"{position.played} {','.join(position.hands)}"

    def load(self, text: str) -> Position:
        """Return the position."""
        played, hands = text.split(" ")
        return Position(tuple(hands.split(",")), int(played))


class HandsTextView(TextView):
    """The own hand."""

    usage = "a card of your hand"

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Return the hand, and the number of cards played."""
        played, hand = position.split(" ")
        return [f"hand: {hand}", f"played: {played}"]


GAME_TYPE = GameType(
    name="hands",
    title="Hands",
    goal="Play your cards.",
    seats=(2, 3),
    make=Hands,
    text_view=HandsTextView,
)
