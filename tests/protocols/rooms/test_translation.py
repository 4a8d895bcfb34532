"""Each event and each refusal, in the exact bytes of rooms.md."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import (
    AlreadyInRoom,
    BadRoomName,
    IllegalMove,
    NoSuchRoom,
    NotAMove,
    NotInRoom,
    Refusal,
    RoomExists,
    RoomFull,
    TooManyRooms,
    TooManyRoomsOfOneUser,
)
from tictac.lobby.events import Began, Ended, Event, Joined, Listed, Placed, Refused, Undone
from tictac.protocols.rooms.translation import LINES

BOARD = "221010100"

EVENTS: list[tuple[Event, list[bytes]]] = [
    (Joined(1, "7", "den", "PLAYER", True), [b"CREATE:ACKSTATUS:0"]),
    (Joined(2, "7", "den", "PLAYER", False), [b"JOIN:ACKSTATUS:0"]),
    (Joined(2, "7", "den", "VIEWER", False), [b"JOIN:ACKSTATUS:0"]),
    (
        Joined(9, "7", "den", "VIEWER", False, turn="bob", waiting="alice"),
        [b"JOIN:ACKSTATUS:0", b"INPROGRESS:bob:alice"],
    ),
    (
        Joined(9, "7", "den", "PLAYER", False, turn="bob", waiting="alice", position="000010000"),
        [b"JOIN:ACKSTATUS:0", b"INPROGRESS:bob:alice", b"BOARDSTATUS:000010000"],
    ),
    (Began(3, None, ("alice", "bob")), [b"BEGIN:alice:bob"]),
    (Placed(4, None, "000010000", 4), [b"BOARDSTATUS:000010000"]),
    (Undone(7, None, 0, 1, "000010000", 4), [b"BOARDSTATUS:000010000"]),
    (Ended(8, None, BOARD, "won", "alice"), [b"GAMEEND:221010100:0:alice"]),
    (Ended(8, None, "212211121", "drawn", None), [b"GAMEEND:212211121:1"]),
    (Ended(8, None, BOARD, "forfeited", "bob"), [b"GAMEEND:221010100:2:bob"]),
    (Ended(8, None, BOARD, "left", "bob"), [b"GAMEEND:221010100:2:bob"]),
    (Ended(8, None, BOARD, "timed out", "bob"), [b"GAMEEND:221010100:2:bob"]),
    (Began(3, None, ("\u00c4nne M", "bob")), [b"BEGIN:xn--nne M-xla:bob"]),
    (
        Joined(9, "7", "den", "VIEWER", False, turn="\u674e\u96f7", waiting="alice"),
        [b"JOIN:ACKSTATUS:0", b"INPROGRESS:xn--7qvw47h:alice"],
    ),
    (Ended(8, None, BOARD, "won", "\u674e\u96f7"), [b"GAMEEND:221010100:0:xn--7qvw47h"]),
    (Ended(2, None, "000000000", "closed", None), [b"GAMEEND:000000000:1"]),
    (Listed("7", "PLAYER", ()), [b"ROOMLIST:ACKSTATUS:0:"]),
    (Listed("7", "VIEWER", ("a b", "c")), [b"ROOMLIST:ACKSTATUS:0:a b,c"]),
]

REFUSALS: list[tuple[str, type[Refusal], bytes]] = [
    ("create", BadRoomName, b"CREATE:ACKSTATUS:1"),
    ("create", RoomExists, b"CREATE:ACKSTATUS:2"),
    ("create", TooManyRooms, b"CREATE:ACKSTATUS:3"),
    ("create", TooManyRoomsOfOneUser, b"CREATE:ACKSTATUS:3"),
    ("create", AlreadyInRoom, b"CREATE:ACKSTATUS:4"),
    ("join", NoSuchRoom, b"JOIN:ACKSTATUS:1"),
    ("join", RoomFull, b"JOIN:ACKSTATUS:2"),
    ("join", AlreadyInRoom, b"JOIN:ACKSTATUS:3"),
    ("place", NotInRoom, b"NOROOM"),
    ("forfeit", NotInRoom, b"NOROOM"),
]


class TranslationTests(SynchronousTestCase):
    def test_every_event(self) -> None:
        for event, messages in EVENTS:
            assert LINES[type(event)](event) == b"".join(message + b"\n" for message in messages)

    def test_every_refusal(self) -> None:
        for request, kind, message in REFUSALS:
            event = Refused("7", request, kind("no"))
            assert LINES[type(event)](event) == message + b"\n"

    def test_a_refused_move_shows_the_board_as_it_stays(self) -> None:
        for kind in (IllegalMove, NotAMove):
            event = Refused("7", "place", kind("no"), "000010000")
            assert LINES[type(event)](event) == b"BOARDSTATUS:000010000\n"
