"""The teletype protocol: any game for two, in plain lines, for people who have only ``nc``.

A client sends lines, in UTF-8. Outside of a room, a line is one of:

    open GAME ROOM      open a room and wait in it
    join ROOM           take a seat in a room
    quit

In a room, ``quit`` resigns the match, and every other line is a move. The server sends text for
people: lines that begin with ``*`` describe events; the others are the text view of the game.
"""

from __future__ import annotations

from dataclasses import dataclass

from tictac.errors import Refusal
from tictac.games.all import GAMES
from tictac.lobby.events import Began, Ended, Event, Joined, Left, Placed, Refused
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import terms_for
from tictac.net.connection import ConnectionFactory, ServerConnection
from tictac.text_view import unpainted


class TeletypeConnection(ServerConnection):
    """One person's connection. It is an Occupant of rooms (tictac.lobby.interfaces)."""

    factory: TeletypeFactory
    supports_all_events = True
    occupant_id = ""
    user: str | None = None
    room: Room | None = None

    def opened(self) -> None:
        """Greet the person, who plays as a guest."""
        self.occupant_id = self.factory.registry.new_occupant_id()
        self.user = f"guest-{self.occupant_id}"
        self.send_text(f"* You are {self.user}. Games: {', '.join(GAMES)}")

    def disconnected(self) -> None:
        """Leave the room, because a guest has no account for rejoining."""
        self.factory.registry.leave(self, for_good=True)

    def timed_out(self, now: float) -> str | None:
        """Allow silence in a room: the room itself ends when a move takes too long."""
        return None if self.room else super().timed_out(now)

    # Lines from the person

    def lineReceived(self, line: bytes) -> None:
        """Handle a line, after paying for it, so that no client gets more than its share."""
        self.pay()
        text = line.decode("utf-8", "replace").strip()
        if self.room is None:
            self.outside(text)
        elif text == "quit":
            self.factory.registry.forfeit(self)
        else:
            self._move(self.room, text)

    def outside(self, text: str) -> None:
        """Handle a line outside of a room."""
        registry = self.factory.registry
        match text.split():
            case ["open", game, name] if game in GAMES:
                registry.create(self, name, terms_for(GAMES[game], {}, kept=False))
            case ["join", name]:
                registry.join(self, name, "PLAYER")
            case ["quit"]:
                self.close()
            case _:
                self.send_text("* Please type: open GAME ROOM, join ROOM, or quit")

    def _move(self, room: Room, text: str) -> None:
        text_view = room.terms.game_type.text_view(room.terms.values)
        try:
            self.factory.registry.place(self, text_view.read(text), keep=False)
        except Refusal as refusal:
            self.send_text(f"* {refusal}. Please type {text_view.usage}")

    # Lines to the person

    def receive(self, event: Event) -> None:
        """Handle an event of the room (Occupant)."""
        match event:
            case Joined(to=self.occupant_id, room=name, seat=seat):
                self.room = self.factory.registry.room(name)
                self.send_text(f"* You sit in room {name}, as player {(seat or 0) + 1}")
            case Joined(user=user):
                self.send_text(f"* {user} has come")
            case Left(user=user):
                self.send_text(f"* {user} has gone")
            case Began(users=users):
                self.send_text(f"* The match begins: {' against '.join(users)}")
                assert self.room is not None
                start = self.room.game.view(self.room.position, self.room.seat_of(self.occupant_id))
                self._show(start, turn=0)
            case Placed(position=view, turn=turn):
                self._show(view, turn)
            case Ended(position=view, ending=ending, winner=winner):
                self._show(view, None)
                self.send_text(f"* The match is over: {winner or 'nobody'} wins ({ending})")
                self.room = None
            case Refused(refusal=refusal):
                self.send_text(f"* {refusal}")

    def _show(self, view: str, turn: int | None) -> None:
        """Send what the person may see of a position, and whose turn it is."""
        room = self.room
        assert room is not None
        seat = room.seat_of(self.occupant_id)
        text_view = room.terms.game_type.text_view(room.terms.values)
        self.send_text(*text_view.lines(view, unpainted))
        if turn is not None:
            self.send_text("* It is your turn" if turn == seat else "* It is the other one's turn")

    def send_text(self, *lines: str) -> None:
        """Send lines."""
        self.send_lines("".join(f"{line}\n" for line in lines).encode())


@dataclass(eq=False, kw_only=True)
class TeletypeFactory(ConnectionFactory):
    """The shared objects of the connections to a port."""

    connection = TeletypeConnection
    registry: Registry
