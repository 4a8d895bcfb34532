"""A game with secrets, right and with each leak that an author can build in."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from tictac.errors import IllegalMove, NotAMove
from tictac.game import Game, GameType, Played, Result, ShouldStop

LAST = 3


class Position(NamedTuple):
    """The numbers that both seats have hidden (0: not yet), and the winner once there is one."""

    hidden: tuple[int, int] = (0, 0)
    winner: int | None = None


class Guessing(Game[Position]):
    """Each seat hides a number from 1 to 3; then seat 0 guesses that of seat 1, and wins or not."""

    def start(self, seats: int, rng: Random) -> Position:
        return Position()

    def turn(self, position: Position) -> int | None:
        if position.winner is not None:
            return None
        return 1 if position.hidden[0] and not position.hidden[1] else 0

    def moves(self, position: Position) -> list[str]:
        if position.winner is not None:
            return []
        verb = "guess" if all(position.hidden) else "hide"
        return [f"{verb} {number}" for number in range(1, LAST + 1)]

    def play(self, position: Position, move: str, rng: Random | None) -> Played[Position]:
        verb, _, number = move.partition(" ")
        if verb not in ("hide", "guess") or number not in ("1", "2", "3"):
            raise NotAMove("a move is hide or guess, and a number from 1 to 3")
        if move not in self.moves(position):
            raise IllegalMove("it isn't time for that")
        mine, theirs = position.hidden
        if verb == "guess":
            return Played(Position(position.hidden, int(int(number) != theirs)), move)
        hidden = (mine, int(number)) if mine else (int(number), 0)
        return Played(Position(hidden), move)

    def drop(self, position: Position, seat: int) -> Played[Position] | None:
        return None

    def result(self, position: Position) -> Result | None:
        return None if position.winner is None else Result(position.winner)

    def view(self, position: Position, seat: int | None) -> str:
        over = position.winner is not None
        shown = [
            "-" if not number else str(number) if over or seat == owner else "x"
            for owner, number in enumerate(position.hidden)
        ]
        return f"{''.join(shown)} {position.winner}"

    def seen(self, position: Position, move: str, seat: int | None) -> str:
        hider = 1 if position.hidden[1] else 0
        return "hide" if move.startswith("hide") and seat != hider else move

    def dump(self, position: Position) -> str:
        return f"{position.hidden[0]}{position.hidden[1]}{'01-'[position.winner or 0]}" + (
            "" if position.winner is None else "!"
        )

    def load(self, text: str) -> Position:
        winner = int(text[2]) if text.endswith("!") else None
        return Position((int(text[0]), int(text[1])), winner)


class ShowsPositions(Guessing):
    """A game whose views have everything."""

    def view(self, position: Position, seat: int | None) -> str:
        return self.dump(position)


class ShowsMoves(Guessing):
    """A game whose moves are seen whole by both."""

    def seen(self, position: Position, move: str, seat: int | None) -> str:
        return move


class ShowsByErrors(Guessing):
    """A game whose errors name the numbers."""

    def play(self, position: Position, move: str, rng: Random | None) -> Played[Position]:
        try:
            return super().play(position, move, rng)
        except IllegalMove as error:
            raise IllegalMove(f"{error}: {position.hidden}") from None


class ShowsByMoves(Guessing):
    """A game that offers no number above the other's."""

    def moves(self, position: Position) -> list[str]:
        found = super().moves(position)
        return found[: position.hidden[1]] if all(position.hidden) else found


def alike(position: Position, seat: int | None, rng: Random) -> Position:
    """Return a position in which the numbers that ``seat`` doesn't know are others."""
    if position.winner is not None:
        return position
    mine, theirs = (
        number if owner == seat or not number else rng.randint(1, LAST)
        for owner, number in enumerate(position.hidden)
    )
    return Position((mine, theirs))


def choose(game: Guessing, position: Position, level: str, stop: ShouldStop, rng: Random) -> str:
    """Return any move."""
    return rng.choice(game.moves(position))


def peep(game: Guessing, position: Position, level: str, stop: ShouldStop, rng: Random) -> str:
    """Return the winning guess, which no player can know."""
    return f"guess {position.hidden[1]}" if all(position.hidden) else game.moves(position)[0]


def game_type(game: type[Guessing] = Guessing, choice: object = choose) -> GameType:
    """Return the game as a server knows it."""
    return GameType(
        "guessing", "Guessing", "Guess the other's number.", range(2, 3), game,
        levels=("club",), choose=choice,  # type: ignore[arg-type]
    )  # fmt: skip
