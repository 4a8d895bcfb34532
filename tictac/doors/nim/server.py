"""Nim on Twisted, the server's side: a connection sits in rooms of the lobby. Source: nim.md."""

from __future__ import annotations

from dataclasses import dataclass

from tictac.doors.nim import wire
from tictac.doors.nim.seating import Queue
from tictac.errors import NotYourTurn, Refusal
from tictac.games.nim.rules import Move, Numbers
from tictac.lobby.events import Began, Ended, Event, Joined, Placed, Refused
from tictac.net.connection import ConnectionFactory, ServerConnection


class NimConnection(ServerConnection):
    """One player's connection (seating.Player). ``limits.login_timeout`` is the time for `play`.

    ``spare_moves`` are moves that can't be made and are to be ignored, since they may have been
    sent before it was known that the match was over.
    """

    factory: NimFactory
    occupant_id = ""
    user: str | None = None
    knows_all = False
    line: object = None
    room = ""
    takes_part = False
    spare_plays = 0
    spare_moves = 0

    _seat = -1
    _to_move = False

    # The connection

    def opened(self) -> None:
        self.occupant_id = self.factory.seating.registry.new_occupant_id()
        self.user = f"guest-{self.occupant_id}"
        self._decoder = wire.Decoder(wire.FROM_CLIENT, self.factory.types)

    def gone(self) -> None:
        self.factory.seating.leave(self, "left")

    def refused(self, kind: str) -> None:
        ending = "timed out" if kind.endswith("-timeout") else "refused"
        self.factory.seating.leave(self, ending)

    def timed_out(self, now: float) -> str | None:
        late = 0 < self.factory.limits.login_timeout <= now - self.since
        if late and not self.takes_part:
            return "play-timeout"
        return "match-timeout" if self.factory.seating.overdue(self, now) else None

    # Requests

    def take(self, data: bytes) -> None:
        for message in self._decoder.feed(data):
            if self.closing or not self.pay():
                return
            self._obey(message)

    def _obey(self, message: wire.Message | wire.Malformed) -> None:
        seating = self.factory.seating
        match message:
            case wire.Play():
                self._play()
            case Move(at, amount) if self.room:
                seating.registry.place(self, f"{at}:{amount}", keep=False)
            case Move():
                self._refuse(NotYourTurn("a move out of turn"))
            case wire.Exit():
                self.close()
                seating.exit(self)
            case _:
                self.close_for("malformed")

    def _play(self) -> None:
        self.line = self.place
        try:
            self.factory.seating.play(self)
        except Refusal as refusal:
            self.close_for(refusal.code)

    def _refuse(self, refusal: Refusal) -> None:
        if self.spare_moves:
            self.spare_moves -= 1
        else:
            self.close_for(refusal.code)

    # What happens in rooms (interfaces.Occupant)

    def receive(self, event: Event) -> None:
        match event:
            case Joined(room=room, seat=seat) if seat is not None:
                self.room, self._seat = room, seat
            case Began():
                room_now = self.factory.seating.registry.room(self.room)
                if room_now is not None and room_now.turn == self._seat:
                    self._ask(room_now.position.numbers)
            case Placed(position=position, turn=turn):
                self._to_move = False
                if turn == self._seat:
                    self._ask(position.numbers)
            case Refused(request="place", refusal=refusal):
                self._refuse(refusal)
            case Ended():
                self._end(event)

    def _ask(self, numbers: Numbers) -> None:
        self._to_move = True
        self._tell(wire.Turn(numbers))

    def _end(self, ended: Ended) -> None:
        self.room = ""
        to_move, self._to_move = self._to_move, False
        if ended.seat == self._seat:
            # Only who was asked for a move can have sent one that crosses with the win.
            self.spare_moves += to_move and ended.ending != "won"
            self._tell(wire.Win())
            self.factory.seating.stay(self)
        elif ended.ending == "won":
            self._tell(wire.Lose())
            self.close()
        elif ended.ending == "timed out":
            self.close_for("move-timeout")

    def _tell(self, message: wire.Message) -> None:
        if not self.closing:
            self.outlet.write(wire.format_message(message, self.factory.types))


@dataclass(eq=False, kw_only=True)
class NimFactory(ConnectionFactory):
    """What the connections of one listener share, the table of types too."""

    connection = NimConnection
    seating: Queue
    types: wire.Types = wire.TYPES
