"""The messages between a program and the lobby, as the runner passes them on.

A program isn't changed for the ladder: it registers, logs in with whatever password it has, and
asks for a match as it likes. The runner answers ``register`` itself, logs in by the token of its
lease, and asks for the match of the phase: for a check any match, for the trial the computer, and
for the ladder the next game of the series. The program gets the answers to its own requests.
Challenges reach it only on the ladder: before, its next match belongs to the phase.

The program only reaches its own rooms: the rooms of its requests, and the rooms of its series.
Another version of it can play in others at the same time, as the same user.

This module knows no connections. The server has the same limits, for all that is passed on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # it would cost each case of the check its imports
    from tictac.protocols.lobby.json_view import Message


WISHES = frozenset({"seek", "open", "challenge", "play", "join", "watch"})
"""Requests for a match: a ``join`` of its own room isn't one."""

ELSEWHERE = {"series": "no-such-series", "tournament": "no-such-tournament"}
"""Requests that the checker doesn't know, and the errors that answer them there."""

MOST_ANSWERS = 1_000
"""Requests of one connection that the runner answers itself, before it closes the connection."""

MOST_ROOMS = 100


class Ended(NamedTuple):
    """A match of the program that ended; ``score`` is None if it had no result."""

    room: str
    match: str
    how: str
    score: float | None
    against: str
    words: str

    def loss(self, at: str) -> dict[str, str]:
        """Return the match as a loss for its author."""
        found = {"at": at, "match": self.match, "how": self.how, "against": self.against}
        return {**found, "words": self.words}


class FloodError(Exception):
    """The program sends too many requests that can't succeed."""


class Translation:
    """The messages of one program, over all of its connections.

    ``wish`` is the request for a match, and ``token`` that of the lease. Rooms whose names begin
    with ``prefix`` belong to the program, too. It gets up to ``most`` matches. ``ended`` gets each
    match that ends.
    """

    def __init__(
        self,
        wish: Mapping[str, object],
        token: str,
        ended: Callable[[Ended], object],
        prefix: str = "",
        most: int | None = None,
    ) -> None:
        self._wish, self._token, self._ended = dict(wish), token, ended
        self._prefix, self._left = prefix, most
        self._rooms: dict[str, Message] = {}
        self._reported: dict[str, None] = {}
        self._asked, self._asked_id = False, None
        self._answers = 0
        self.trouble = ""
        """The last error of a move, or how the program ended: the words for the next loss."""
        self.has_entered = False
        """Whether the program has logged in."""
        self.closing = ""
        """Why the server closed the connection, if it said so."""

    def connected(self) -> None:
        """Note a new connection of the program, which forgets what it asked for."""
        if self._asked and self._left is not None:
            self._left += 1
        self._asked, self._answers = False, 0

    # From the program

    def from_program(self, line: bytes) -> tuple[bytes | None, bytes | None]:
        """Return what the server gets for a line, and what the program gets at once.

        Raises FloodError.
        """
        request = _read(line)
        if request is None:
            return line, None  # the server answers that it is malformed
        do, room = request.get("do"), request.get("room")
        if do in ("login", "guest"):
            return _line({"do": "run", "token": self._token, **_id(request)}), None
        if do == "hello" and not self._prefix:
            return _line({**request, "takes": []}), None
        if do == "register":
            return None, self._refuse(request, "user-exists", "the runner has logged you in")
        if do == "join" and self._is_own(room):
            return line, None
        if do in WISHES:
            return self._wishes(request)
        if room is not None and not self._is_own(room):
            return None, self._refuse(request, "not-in-room", "that isn't a room of yours")
        return line, None

    def _wishes(self, request: Message) -> tuple[bytes | None, bytes | None]:
        if self._left is not None:
            if self._rooms or self._asked:
                return None, self._refuse(request, "already-in-room", "finish your match first")
            if self._left <= 0:
                return None, None  # it was the last match: the program waits
            self._left -= 1
        self._asked, self._asked_id = True, request.get("id")
        return _line({**self._wish, **_id(request)}), None

    def _refuse(self, request: Message, error: str, why: str) -> bytes:
        self._answers += 1
        if self._answers > MOST_ANSWERS:
            raise FloodError("it sent too many requests that can't succeed")
        return _line({"answer": request.get("id"), "error": error, "message": why})

    def _is_own(self, room: object) -> bool:
        if not isinstance(room, str):
            return False
        return room in self._rooms or bool(self._prefix and room.startswith(self._prefix))

    # From the server

    def from_server(self, line: bytes) -> bytes | None:
        """Return what the program gets for a line of the server; None: nothing."""
        message = _read(line)
        if message is None:
            return line
        if "answer" in message:
            return self._answered(message, line)
        if "room" in message:
            return self._happened(message, line)
        if message.get("event") == "closing":
            self.closing = str(message.get("message") or message.get("reason"))[:200]
        is_early = message.get("event") == "challenge" and not self._prefix
        return None if is_early else line

    def _answered(self, message: Message, line: bytes) -> bytes:
        if message.get("error") in ("illegal-move", "not-a-move", "not-your-turn", "malformed"):
            self.trouble = str(message.get("message", ""))[:200]
        seats = message.get("seats")
        if "user" in message:
            self.has_entered = True
        if "error" in message and self._asked and message["answer"] == self._asked_id:
            self._asked = False
            if self._left is not None:
                self._left += 1
        if isinstance(message.get("room"), str) and "error" not in message:
            self._enter(message["room"])
        if not isinstance(seats, dict):
            return line
        kept = {
            name: [each for each in found if self._is_own(each.get("room"))]
            for name, found in seats.items()
            if isinstance(found, list)
        }
        trouble = self.trouble
        for each in kept.get("ended", ()):
            self.trouble = trouble  # the same reason for each of these ends
            self._end(each)
        return _line({**message, "seats": {**seats, **kept}})

    def _happened(self, message: Message, line: bytes) -> bytes | None:
        event, room = message.get("event"), message["room"]
        is_seat = event == "room" and message.get("seat") is not None
        if is_seat and (self._asked or self._is_own(room)):
            self._enter(room)
        if not self._is_own(room):
            return None
        known = self._rooms.get(room, {})
        if is_seat:
            known["seat"] = message["seat"]
        if event in ("room", "joined", "began"):
            known["players"] = message.get("players")
        if event == "ended":
            self._end(message)
        return line

    def _enter(self, room: str) -> None:
        self._asked = False
        self._rooms.setdefault(room, {})
        while len(self._rooms) > MOST_ROOMS:
            del self._rooms[next(iter(self._rooms))]

    def _end(self, message: Message) -> None:
        room, how = str(message["room"]), str(message.get("how"))
        known = self._rooms.pop(room, {})
        if room in self._reported:
            return
        self._reported[room] = None
        if len(self._reported) > MOST_ROOMS:
            del self._reported[next(iter(self._reported))]
        if how == "closed":
            if self._left is not None:
                self._left += 1
            return
        if self._prefix:
            self._rooms[room] = {}  # where a person can offer a rematch
        seat, result = known.get("seat", message.get("seat")), message.get("result")
        score = None
        if isinstance(result, list) and isinstance(seat, int) and seat < len(result):
            score = float(result[seat])
        players = known.get("players") or message.get("players") or []
        names = [each.get("user") if isinstance(each, dict) else each for each in players]
        others = [str(name) for at, name in enumerate(names) if at != seat and name]
        words = "" if how == "won" else self.trouble
        self.trouble = ""
        self._ended(
            Ended(room, str(message.get("match") or ""), how, score, ", ".join(others), words)
        )


def for_checker(line: bytes, wish: Mapping[str, object]) -> tuple[bytes | None, bytes | None]:
    """Return what the checker gets for a line of a program, and what the program gets at once.

    Any request for a match is ``wish``. The checker has no series: the program asks in vain.
    """
    request = _read(line)
    do = None if request is None else request.get("do")
    if request is not None and do in WISHES - {"join"}:
        return _line({**wish, **_id(request)}), None
    if request is not None and do in ELSEWHERE:
        why = "the check has no series and no tournaments"
        return None, _line({"answer": request.get("id"), "error": ELSEWHERE[do], "message": why})
    return line.rstrip(b"\r\n"), None


def _read(line: bytes) -> Message | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _line(message: Mapping[str, object]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode()


def _id(request: Message) -> Message:
    return {"id": request["id"]} if "id" in request else {}
