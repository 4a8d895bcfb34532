"""Alice and Bob in a match over days, whose room sleeps between their visits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.lobby.any_game import Knowing
from tests.lobby.in_sqlite import KeptCase
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import Ended
from tictac.lobby.outbox import Journaled
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms, terms_for


def over_days(number: int = 3, game: str = "reversi", **others: Any) -> Terms:
    """Return terms with so many days for each move."""
    return terms_for(game_type_of(game), {}, time=TimeControl.of_days(number), **others)


class Settling:
    """The requests of a registry, each of which is settled."""

    def __init__(self, case: KeptCase) -> None:
        self._case = case

    def __getattr__(self, request: str) -> Callable[..., None]:
        def ask(*words: Any, **more: Any) -> None:
            getattr(self._case.served, request)(*words, **more)
            self._case.settle()

        return ask


class DaysCase(KeptCase):
    """Alice and Bob play Reversi, with three days for each move, and no one is there."""

    def setUp(self) -> None:
        super().setUp()
        self.does = Settling(self)
        self.ends: list[tuple[str, str | None]] = []
        self.served.observers.append(self)

    def restart(self) -> None:
        super().restart()
        self.served.observers.append(self)

    def room_opened(self, name: str, terms: Terms) -> None:
        pass

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        self.ends.append((ended.ending, ended.winner))

    @property
    def outbox(self) -> Journaled:
        assert isinstance(self.served.outbox, Journaled)
        return self.served.outbox

    def sit(self, user: str, **how: Any) -> Knowing:
        guest = Knowing(self.served, user)
        self.does.join(guest, "den", "PLAYER", **how)
        return guest

    def begin(self, terms: Terms | None = None) -> None:
        alice = Knowing(self.served, "alice")
        self.does.create(alice, "den", terms or over_days())
        self.does.leave(alice)
        self.does.leave(self.sit("bob"))

    def later(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.does.expire(600, 3600, 60)

    def room(self) -> Room:
        room = self.served.room("den")
        assert room is not None
        return room

    def remaining(self) -> list[float]:
        clock = self.room().clock
        assert clock is not None
        return clock.remaining(self.clock.seconds())

    def play(self, user: str) -> None:
        """Come, move, and go."""
        guest = self.sit(user)
        room = self.room()
        self.does.place(guest, room.game.moves(room.position)[0])
        self.does.leave(guest)
