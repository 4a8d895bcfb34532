"""A server of the lobby protocol (docs/reference/lobby.md) that knows tic-tac-toe."""

from __future__ import annotations

import json
from typing import Any

from tests.plugins.check.servers import LINES, Faulty, Link, main

TITLE = {"game": "tictactoe", "title": "Tic-tac-toe", "options": {}}
GAME = {"name": "tictactoe", "title": "Tic-tac-toe", "goal": "Get three in a row.", "seats": [2],
        "levels": [], "options": []}  # fmt: skip
OPEN = ("hello", "register", "login", "guest", "games", "lobby", "ping")


class Refused(Exception):
    """An error: its code."""


class Person:
    """Somebody who is connected."""

    def __init__(self, server: Lobby, link: Link) -> None:
        self.server, self.link = server, link
        self.user: str | None = None
        self.follows = False
        self.malformed = 0
        self.late: list[Any] = []

    def send(self, message: Any) -> None:
        """Send a message; events that a request causes come after its answer."""
        self.link.send(json.dumps(message).encode() + b"\n")


class Room:
    """A room with a match of tic-tac-toe."""

    def __init__(self, fault: str, name: str, private: bool) -> None:
        self.fault, self.name, self.private = fault, name, private
        self.n, self.cells, self.moved_at = 0, [0] * 9, 0
        self.players: list[Person | None] = [None, None]
        self.viewers: list[Person] = []
        self.record: list[Any] = []
        self.events: list[dict[str, Any]] = []
        self.offer: int | None = None

    @property
    def begun(self) -> bool:
        return None not in self.players

    @property
    def position(self) -> str:
        return "".join(map(str, self.cells))

    @property
    def turn(self) -> int | None:
        return sum(map(bool, self.cells)) % 2 if self.begun else None

    def seated(self) -> list[Any]:
        return [each and {"user": each.user, "away": False} for each in self.players]

    def everybody(self) -> list[Person]:
        return [each for each in self.players if each] + self.viewers

    def state(self, person: Person) -> dict[str, Any]:
        mine = person in self.players and self.players.index(person) == self.turn
        if self.fault == "shows everybody the moves":
            mine = self.begun
        moves = [f"{n % 3}:{n // 3}" for n in range(9) if not self.cells[n]] if mine else []
        return {"position": self.position, "turn": self.turn, "moves": moves, "clocks": None}

    def tell(self, event: str, state: bool = False, but: Person | None = None, **more: Any) -> None:
        """Tell everybody, with the state as each may see it."""
        if self.fault != "counts some events twice" or event != "moved":
            self.n += 1
        else:
            self.n += 2
        for person in self.everybody():
            told = {"event": event, "room": self.name, "n": self.n, **more}
            if state:
                told |= self.state(person)
            forgotten = {
                "tells viewers of no move": event == "moved" and person in self.viewers,
                "tells the mover of no move": event == "moved"
                and self.index(person) == more["seat"],
                "tells viewers no end": event == "ended" and person in self.viewers,
                "tells nobody else what is said": event == "said" and person.user != more["user"],
            }.get(self.fault, False)
            if person is not but and not forgotten:
                person.late.append(told)
        told = {"event": event, "room": self.name, "n": self.n, **more}
        viewed: dict[str, Any] = {
            "position": self.position,
            "turn": self.turn,
            "moves": [],
            "clocks": None,
        }
        self.events.append({**told, **(viewed if state else {})})

    def index(self, person: Person) -> int | None:
        return self.players.index(person) if person in self.players else None

    def show(self, person: Person) -> None:
        viewers = [viewer.user for viewer in self.viewers]
        record = [] if self.fault == "shows no record" else self.record
        person.late.append(
            {"event": "room", "room": self.name, "n": self.n, **TITLE, "goal": GAME["goal"],
             "seat": self.index(person), "players": self.seated(), "viewers": viewers,
             **self.state(person), "begun": self.begun, "paused": False, "score": None,
             "offer": None if self.offer is None else {"seat": self.offer, "what": "draw"},
             "record": record, "said": []}
        )  # fmt: skip


class Lobby(Faulty):
    """All rooms and accounts."""

    FAULTS = {
        "needs a line in one read": "lobby-1.3",
        "takes one read for one line": "lobby-1.4",
        "forgets an id of 0": "lobby-1.5",
        "says nothing without an id": "lobby-1.6",
        "refuses what it doesn't know": "lobby-1.7",
        "closes at a wrong message": "lobby-1.8",
        "calls an unknown request unknown": "lobby-1.9",
        "needs no newline at the end": "lobby-1.10",
        "wants an account for nothing": "lobby-2.1",
        "takes a name twice": "lobby-2.2",
        "takes any password": "lobby-2.3",
        "tells first and answers then": "lobby-3.1",
        "takes a room's name twice": "lobby-3.2",
        "takes any game for tic-tac-toe": "lobby-3.3",
        "lists private rooms": "lobby-3.4",
        "opens private rooms to all": "lobby-3.5",
        "pushes nothing": "lobby-3.6",
        "lets a third one in": "lobby-4.2",
        "swaps the seats": "lobby-4.1",
        "shows everybody the moves": "lobby-4.3",
        "counts some events twice": "lobby-4.4",
        "tells the mover of no move": "lobby-4.4",
        "swaps column and row": "lobby-4.5",
        "takes an occupied cell": "lobby-4.6",
        "moves out of turn": "lobby-4.7",
        "takes stale moves": "lobby-4.8",
        "calls what is no move illegal": "lobby-4.9",
        "lets player 1 win always": "lobby-5.1",
        "forgets a draw": "lobby-5.2",
        "lets who gives up win": "lobby-5.3",
        "keeps rooms that are over": "lobby-5.4",
        "agrees with itself": "lobby-5.6",
        "tells viewers of no move": "lobby-6.1",
        "shows no record": "lobby-6.2",
        "tells viewers no end": "lobby-6.3",
        "tells nobody else what is said": "lobby-6.4",
        "forgets who hangs up": "lobby-5.5",
        "knows no since": "lobby-6.5",
    }

    def __init__(self, fault: str = "") -> None:
        super().__init__(fault)
        self.rooms: dict[str, Room] = {}
        self.accounts: dict[str, str] = {}
        self.people: list[Person] = []

    async def talk(self, link: Link) -> None:
        person = Person(self, link)
        self.people.append(person)
        buffer = b""
        while not link.writer.is_closing() and (data := await link.reader.read(10000)):
            if self.fault == "needs a line in one read" and not data.endswith(b"\n"):
                break
            if self.fault == "takes one read for one line":
                data = data.partition(b"\n")[0] + b"\n"
            buffer += data
            if self.fault == "needs no newline at the end" and buffer.endswith(b"}"):
                buffer += b"\n"
            while b"\n" in buffer and not link.writer.is_closing():
                line, _, buffer = buffer.partition(b"\n")
                if line.strip():
                    self.take(person, line)
        self.people.remove(person)
        if self.fault != "forgets who hangs up":
            self.log_out(person)

    def take(self, person: Person, line: bytes) -> None:
        """Heed a line."""
        try:
            request = json.loads(line)
            assert isinstance(request, dict)
        except (ValueError, AssertionError):
            request = {"do": None}
        answer: dict[str, Any] = {"answer": request.get("id")}
        if self.fault == "forgets an id of 0":
            answer = {"answer": request.get("id") or None}
        try:
            answer |= self.do(person, request)
        except Refused as refused:
            answer |= {"error": str(refused), "message": "No."}
            if str(refused) == "malformed":
                person.malformed += 1
                if person.malformed == 20 or self.fault == "closes at a wrong message":
                    person.link.close()
        late = [(each, told) for each in self.people for told in each.late]
        answers = (
            []
            if self.fault == "says nothing without an id" and "id" not in request
            else [(person, answer)]
        )
        first = self.fault == "tells first and answers then"
        for each, told in late + answers if first else answers + late:
            each.send(told)
        for each in self.people:
            each.late.clear()

    def do(self, person: Person, request: dict[str, Any]) -> dict[str, Any]:
        """Do what is asked for."""
        do = request.get("do")
        method = getattr(self, f"do_{do}", None)
        if method is None:
            raise Refused(
                "unknown"
                if do and self.fault == "calls an unknown request unknown"
                else "malformed"
            )
        if "room" in request and not isinstance(request["room"], str):
            raise Refused("malformed")
        if self.fault == "refuses what it doesn't know" and "colour" in request:
            raise Refused("malformed")
        if person.user is None and do not in OPEN and self.fault != "wants an account for nothing":
            raise Refused("not-logged-in")
        answer: dict[str, Any] = method(person, request) or {}
        return answer

    def do_hello(self, person: Person, request: Any) -> Any:
        return {"server": "small", "version": "1", "protocol": 1, "guests": False}

    def do_ping(self, person: Person, request: Any) -> Any:
        return {}

    def do_games(self, person: Person, request: Any) -> Any:
        return {"games": [GAME]}

    def do_register(self, person: Person, request: Any) -> Any:
        user, password = request.get("user"), request.get("password")
        if not isinstance(user, str) or not isinstance(password, str):
            raise Refused("malformed")
        if user in self.accounts and self.fault != "takes a name twice":
            raise Refused("user-exists")
        self.accounts[user] = password
        return {"user": user}

    def do_login(self, person: Person, request: Any) -> Any:
        user = request.get("user")
        is_right = self.accounts.get(user) == request.get("password")
        if not is_right and self.fault != "takes any password":
            raise Refused("wrong-password")
        person.user = user
        return {"user": user}

    def do_lobby(self, person: Person, request: Any) -> Any:
        person.follows = request.get("follow") is not False
        hidden = self.fault != "lists private rooms"
        rooms = [
            self.summary(room) for room in self.rooms.values() if not (room.private and hidden)
        ]
        return {"rooms": rooms}

    def summary(self, room: Room) -> dict[str, Any]:
        players = [each and each.user for each in room.players]
        return {"room": room.name, **TITLE, "players": players, "viewers": len(room.viewers),
                "begun": room.begun, "clock": None}  # fmt: skip

    def publish(self, room: Room, gone: bool = False) -> None:
        told = {"room": room.name, "gone": True} if gone else self.summary(room)
        for person in self.people:
            if person.follows and not room.private and self.fault != "pushes nothing":
                person.late.append({"event": "lobby", **told})

    def do_open(self, person: Person, request: Any) -> Any:
        name = request.get("room") or f"room {len(self.rooms)}"
        if request.get("game") != "tictactoe" and self.fault != "takes any game for tic-tac-toe":
            raise Refused("no-such-game")
        if name in self.rooms and self.fault != "takes a room's name twice":
            raise Refused("room-exists")
        room = self.rooms[name] = Room(self.fault, name, bool(request.get("private")))
        room.players[0] = person
        room.n = 1
        room.show(person)
        self.publish(room)
        return {"room": name, **({"key": f"key-{name}"} if room.private else {})}

    def room(self, request: Any, person: Person | None = None) -> Room:
        room = self.rooms.get(request.get("room") or "")
        if person is not None and (room is None or person not in room.everybody()):
            raise Refused("not-in-room")
        if room is None:
            raise Refused("no-such-room")
        closed = room.private and request.get("key") != f"key-{room.name}"
        if person is None and closed and self.fault != "opens private rooms to all":
            raise Refused("private-room")
        return room

    def do_join(self, person: Person, request: Any) -> Any:
        room = self.room(request)
        if person in room.everybody():
            raise Refused("already-in-room")
        if room.begun and self.fault != "lets a third one in":
            raise Refused("room-full")
        room.players[1] = person
        if self.fault == "swaps the seats":
            room.players.reverse()
        room.tell("joined", but=person, user=person.user, seat=1, players=room.seated())
        names = [each.user for each in room.players if each]
        room.tell("began", True, person, players=names)
        room.moved_at = room.n
        room.show(person)
        self.publish(room)
        return {"room": room.name}

    def do_watch(self, person: Person, request: Any) -> Any:
        room = self.room(request)
        if person in room.everybody():
            raise Refused("already-in-room")
        room.viewers.append(person)
        room.tell("joined", but=person, user=person.user, seat=None, players=room.seated())
        since = request.get("since")
        if since is None or not room.begun or self.fault == "knows no since":
            room.show(person)
        else:
            person.late += [each for each in room.events if each["n"] > since]
        return {"room": room.name}

    def do_move(self, person: Person, request: Any) -> Any:
        room, move, at = self.room(request, person), request.get("move"), request.get("at")
        seat = room.index(person)
        stale = at is not None and at < room.moved_at
        if stale and self.fault != "takes stale moves":
            raise Refused("stale-move")
        if seat != room.turn and self.fault != "moves out of turn":
            raise Refused("not-your-turn")
        if not isinstance(move, str) or len(move) != 3 or {move[0], move[2]} - {*"012"}:
            raise Refused(
                "illegal-move" if self.fault == "calls what is no move illegal" else "not-a-move"
            )
        cell = int(move[0]) + 3 * int(move[2])
        if self.fault == "swaps column and row":
            cell = 3 * int(move[0]) + int(move[2])
        if room.cells[cell] and self.fault != "takes an occupied cell":
            raise Refused("illegal-move")
        room.cells[cell] = (seat or 0) + 1
        won = any({room.cells[n] for n in line} == {(seat or 0) + 1} for line in LINES)
        if won or (all(room.cells) and self.fault != "forgets a draw"):
            winner = 0 if self.fault == "lets player 1 win always" else seat
            self.end(room, "won" if won else "drawn", winner if won else None, move)
        else:
            room.tell("moved", True, seat=seat, move=move)
            room.moved_at = room.n
            room.record.append([room.n, "moved", seat, move])
        return {"at": room.n}

    def end(self, room: Room, how: str, winner: int | None, move: str | None = None) -> None:
        result = [0.5, 0.5] if winner is None else [1 - winner, winner]
        room.tell("ended", how=how, winner=winner, result=result, move=move, position=room.position)
        if self.fault != "keeps rooms that are over":
            del self.rooms[room.name]
        self.publish(room, True)

    def do_resign(self, person: Person, request: Any) -> Any:
        self.give_up(person, self.room(request, person), "forfeited")

    def give_up(self, person: Person, room: Room, how: str) -> None:
        seat = room.index(person)
        if seat is None:
            room.viewers.remove(person)
            room.tell("left", user=person.user, seat=None, held=None)
        elif room.begun:
            winner = seat if self.fault == "lets who gives up win" else 1 - seat
            self.end(room, how, winner)
        else:
            self.end(room, "closed", None)

    def do_leave(self, person: Person, request: Any) -> Any:
        self.give_up(person, self.room(request, person), "left")

    def do_say(self, person: Person, request: Any) -> Any:
        self.room(request, person).tell("said", user=person.user, text=request["text"])

    def do_offer(self, person: Person, request: Any) -> Any:
        room = self.room(request, person)
        room.offer = room.index(person)
        room.tell("offered", seat=room.offer, what="draw")

    def do_accept(self, person: Person, request: Any) -> Any:
        room = self.room(request, person)
        own = room.offer == room.index(person) and self.fault != "agrees with itself"
        if room.offer is None or own:
            raise Refused("not-offered")
        self.end(room, "agreed", None)

    def log_out(self, person: Person) -> None:
        for room in [*self.rooms.values()]:
            if person in room.everybody():
                self.give_up(person, room, "left")
        late = [(each, told) for each in self.people for told in each.late]
        for each, told in late:
            each.send(told)
            each.late.clear()


if __name__ == "__main__":
    main(Lobby)
