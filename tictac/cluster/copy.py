"""The copy of a room that a node works on, and how it follows what others write.

It knows no network: what is written is made here as text, what is read is taken in here.
"""

from __future__ import annotations

from tictac.cluster import codec, keys, scripts
from tictac.cluster.codec import Publication, Value, Version
from tictac.cluster.requests import Batch
from tictac.lobby.events import Began, Placed, RoomEvent
from tictac.lobby.room import Room

KEEPS_ENDED = 60_000
"""Milliseconds that Redis remembers how a room ended."""


def _words(*words: str) -> str:
    """Words of a command as Redis reads them."""
    return "".join([f"${len(word)}\r\n{word}\r\n" for word in words])


_MOVE = _words("1", "6", "v")
"""It is published, and has six fields and values, the first of which is the version."""


class Copy:
    """A room as of ``version``, which ``token`` tells from others of its name.

    ``seats`` and ``kept`` are the texts of these as of that version; the room itself may be
    ahead of it, by the requests of a write whose outcome isn't known yet. ``since`` is when
    something went on last. ``origin`` marks what is written from here.
    """

    __slots__ = (
        "_head",
        "_keys",
        "_mark",
        "_number",
        "_tail",
        "_told",
        "_writer",
        "begun",
        "kept",
        "origin",
        "room",
        "seats",
        "since",
        "token",
        "version",
    )

    def __init__(self, origin: str, room: Room, token: str, version: int, since: float) -> None:
        self.origin = origin
        self.room = room
        self.token = token
        self.version = version
        self.since = since
        self._keys = (keys.room(room.name), keys.viewers(room.name))
        self._writer = f"{origin} {token}."
        self._mark = f"r:{origin}"
        # The words of a move's command before and behind those that each one has.
        self._head = "*13\r\n" + _words("EVALSHA", scripts.WRITE.digest, "1", self._keys[0])
        self._tail = _words(self._mark)
        self.note()

    def note(self) -> None:
        """The room is that of the version."""
        room = self.room
        self.seats, self.kept = codec.seats_text(room), codec.kept_text(room)
        self.begun = room.begun
        self._told, self._number = room.position, room.number

    # Writing

    def is_changed_by(self, batch: Batch) -> bool:
        """Whether there is something to write after a batch was applied."""
        room = self.room
        seats, kept = self.seats, self.kept
        if not batch.only_moves:
            seats = codec.seats_text(room)
        if kept or room.kept is not None:
            kept = codec.kept_text(room)
        batch.seats, batch.kept = seats, kept
        return room.number != self._number or seats != self.seats or kept != self.kept

    def _text(self, batch: Batch) -> str:
        """The publication of a batch."""
        publication = Publication(
            self.origin,
            Version(self.token, batch.number),
            codec.position_text(self.room, self.since),
            batch.seats if batch.seats != self.seats else None,
            batch.kept if batch.kept != self.kept else None,
            tuple(batch.others),
        )
        return codec.publication_text(publication)

    def write(self, batch: Batch) -> bytes:
        """The command that writes the room as it is after a batch."""
        batch.number = self.version + 1
        if batch.only_moves and len(batch.others) == 1 and batch.kept == self.kept:
            placed = batch.others[0]
            if type(placed) is Placed:
                return self._write_move(batch, placed)
        text = batch.publication = self._text(batch)
        if batch.ended is not None:
            names = (*self._keys, keys.ended(self.room.name, self.token))
            return scripts.call(scripts.END, names, self._version(), text, str(KEEPS_ENDED))
        fields = self._fields(batch)
        if batch.seats != self.seats:
            fields += ["s", batch.seats]
        if batch.kept != self.kept:
            fields += ["k", batch.kept]
        heard = "" if batch.began else "1"
        arguments = (self._version(), heard, str(len(fields)), *fields)
        viewers = batch.viewers()
        used = self._keys if viewers else self._keys[:1]
        return scripts.call(scripts.WRITE, used, *arguments, *viewers)

    def _write_move(self, batch: Batch, placed: Placed) -> bytes:
        """The same for what comes all the time, just a move: a third of the time of `call`."""
        event, _, board, seat, move, _ = placed
        number, before = str(batch.number), self._version()
        after, slot = f"{self.token}.{number}", f"l{batch.number % codec.LOGGED}"
        text = batch.publication = (
            f"{self._writer}{number}\n{event}:{board}:{self.since:.3f}\n"
            f"P{event}:{board}:{seat}:{move}"
        )
        command = (
            f"{self._head}${len(before)}\r\n{before}\r\n{_MOVE}${len(after)}\r\n{after}\r\n"
            f"${len(slot)}\r\n{slot}\r\n${len(text)}\r\n{text}\r\n"
            f"{self._tail}${len(number)}\r\n{number}\r\n"
        )
        return command.encode("ascii")

    def _version(self) -> str:
        return f"{self.token}.{self.version}"

    def _fields(self, batch: Batch) -> list[str]:
        """The fields that every write sets, and their values."""
        number = batch.number
        slot = f"l{number % codec.LOGGED}"
        version = f"{self.token}.{number}"
        return ["v", version, slot, batch.publication, self._mark, str(number)]

    def written(self, batch: Batch) -> None:
        """The room is as the batch has left it."""
        self.version = batch.number
        self.seats, self.kept = batch.seats, batch.kept
        self.begun = self.room.begun
        self._told, self._number = self.room.position, self.room.number

    # Following

    def follow_move(self, text: str) -> Placed | None:
        """Take a publication in that is nothing but the next move; None if it isn't.

        That is what comes all the time.
        """
        head, position, *rest = text.split("\n")
        if len(rest) != 1 or rest[0][0] != "P":
            return None
        if not head.endswith(f" {self.token}.{self.version + 1}"):
            return None
        room = self.room
        event, board, since = position.split(":")
        number = room.number = self._number = int(event)
        self._told = board
        room.set_position(board)
        self.since = float(since)
        self.version += 1
        _, _, seat, move = rest[0].split(":", 3)
        return Placed(number, None, board, int(seat), move, room.turn)

    def follow(self, publication: Publication) -> None:
        """Take in what leads to the next version."""
        room = self.room
        self.version = publication.version.number
        self.since = codec.set_position(room, publication.position)
        if publication.seats is not None:
            codec.set_seats(room, publication.seats)
            self.seats = publication.seats
        if publication.kept is not None:
            codec.set_kept(room, publication.kept)
            self.kept = publication.kept
        self.begun = room.begun
        self._told, self._number = room.position, room.number

    def take(self, value: Value) -> list[RoomEvent]:
        """Be as the room is now; the events that led to it from the version before."""
        missed = self._missed(value)
        value.room.viewers = self.room.viewers
        self.room = value.room
        self.version = value.version.number
        self.since = value.since
        self.note()
        return missed

    def is_written(self, value: Value, batch: Batch) -> bool:
        """Whether a write was made whose answer didn't come."""
        return bool(batch.number) and value.written.get(self.origin) == batch.number

    def _missed(self, value: Value) -> list[RoomEvent]:
        room = value.room
        versions = range(self.version + 1, value.version.number + 1)
        if all(number in value.log for number in versions):
            publications = [codec.read_publication(value.log[number]) for number in versions]
            return [event for publication in publications for event in publication.events]
        # The log doesn't go back so far: at least the board is right again.
        events: list[RoomEvent] = []
        if room.begun and not self.begun:
            users = tuple([member.user for member in room.players])
            events.append(Began(room.number, None, users))
        if room.position != self._told:
            events.append(Placed(room.number, None, room.position, 1 - room.turn, "", room.turn))
        return events


def new_copy(origin: str, value: Value) -> Copy:
    """The copy of a room that was read."""
    token, number = value.version
    return Copy(origin, value.room, token, number, value.since)


def creation_fields(copy: Copy) -> list[str]:
    """The fields and values of a room that is made, as of its first version."""
    version = Version(copy.token, copy.version)
    position = codec.position_text(copy.room, copy.since)
    text = codec.publication_text(Publication(copy.origin, version, position, None, None, ()))
    return ["v", version.text(), f"l{copy.version % codec.LOGGED}", text, "s", copy.seats]
