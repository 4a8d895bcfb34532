"""A match of Clue as the lobby protocol tells of it."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.plugins.clue.helpers import DEAL, Eights
from tests.plugins.web.browser import Browser
from tests.plugins.web.fake import answer, begin, tell
from tictac.plugins.clue.game.cards import SEATS
from tictac.plugins.clue.game.opponent import choose
from tictac.plugins.clue.game.position import Position
from tictac.plugins.clue.game.rules import Clue

USERS = ("alice", "bob", "carol", "guest-1", "guest-2", "guest-3")
GAME = Clue(500)


class Match:
    """A match as the lobby protocol tells of it, with known cards, and dice that show eight."""

    def __init__(self, seats: int = SEATS) -> None:
        self.position: Position = GAME.start(seats, Random(1))
        if seats == SEATS:
            self.position = self.position._replace(envelope=DEAL.envelope, hands=DEAL.hands)
        self.made: list[tuple[int, str, Position]] = []
        self.n = 3

    def play(self, *moves: str, rng: Random | None = None) -> None:
        """Make moves of those who are to move."""
        for move in moves:
            seat = GAME.turn(self.position) or 0
            self._made(seat, *GAME.play(self.position, move, rng or Eights()))

    def go_on(self, rng: Random, level: str = "sensible") -> None:
        """Let the computer make the next move."""
        self.play(choose(GAME, self.position, level, lambda: True, rng), rng=rng)

    def drop(self, seat: int) -> None:
        """Let somebody go."""
        dropped = GAME.drop(self.position, seat)
        assert dropped is not None
        self._made(seat, *dropped)

    def _made(self, seat: int, position: Position, move: str) -> None:
        self.position, self.n = position, self.n + 1
        self.made.append((seat, move, position))

    def standing(self, seat: int | None) -> dict[str, Any]:
        """Return the fields that ``room``, ``began``, and ``moved`` have in common."""
        turn = GAME.turn(self.position)
        moves = GAME.moves(self.position) if seat is not None and turn == seat else []
        view = GAME.view(self.position, seat)
        return {"n": self.n, "position": view, "turn": turn, "moves": list(moves)}

    def record(self, seat: int | None) -> list[Any]:
        """Return the record of the moves in ``room``."""
        return [
            [4 + at, "moved", by, GAME.seen(position, move, seat)]
            for at, (by, move, position) in enumerate(self.made)
        ]

    def show(self, browser: Browser, seat: int | None = 0, **more: Any) -> None:
        """Let the page come to it."""
        players = [{"user": user, "away": False} for user in USERS[: len(self.position.tokens)]]
        fields = {**self.standing(seat), "record": self.record(seat), "players": players}
        begin(browser, "clue", seat, **{**fields, **more})
        browser.wait(lambda: browser.all(".mansion"))

    def tell(self, browser: Browser, seat: int | None, *moves: str) -> None:
        """Make moves, and let the page hear of each."""
        for move in moves:
            self.play(move)
            by, made, position = self.made[-1]
            seen = GAME.seen(position, made, seat)
            tell(browser, "moved", seat=by, move=seen, clocks=None, **self.standing(seat))

    def answer(self, browser: Browser, seat: int = 0) -> str:
        """Take the move that the page sends, and let it hear of it; the move."""
        move: str = answer(browser, "move", at=self.n + 1)["move"]
        self.tell(browser, seat, move)
        return move
