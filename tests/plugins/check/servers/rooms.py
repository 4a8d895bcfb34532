"""A server of the rooms protocol (rooms.md), of lines, as somebody learning would write it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import ClassVar

from tests.plugins.check.servers import LINES, Faulty, Link, main

NEED_LOGIN = ("ROOMLIST", "CREATE", "JOIN", "PLACE", "FORFEIT")


class Person:
    """A connection, with who it is and where."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.name = ""
        self.room: Room | None = None
        self.kept: list[int] = []
        self.registered: list[str] = []
        self.unread = b""


class Room:
    """A room and its match."""

    def __init__(self, name: str, creator: Person) -> None:
        self.name, self.players, self.viewers = name, [creator], list[Person]()
        self.board = [0] * 9

    @property
    def turn(self) -> Person | None:
        if len(self.players) < 2:
            return None
        return self.players[self.board.count(1) - self.board.count(2)]

    def text(self) -> str:
        return "".join(map(str, self.board))


class Rooms(Faulty):
    """The server."""

    FAULTS: ClassVar[dict[str, str]] = {
        "serves one after the other": "rooms-1.2",
        "takes a read for a request": "rooms-1.3",
        "forgets accounts with the connection": "rooms-2.12",
        "answers nothing to REGISTER": "rooms-2.1",
        "says 1 for a wrong password": "rooms-2.5",
        "compares the beginning of passwords": "rooms-2.5",
        "registers twice": "rooms-2.6",
        "logs in by REGISTER": "rooms-2.7",
        "breaks at LOGIN without fields": "rooms-2.8",
        "lets anybody list": "rooms-2.10",
        "checks fields before the login": "rooms-2.11",
        "takes names in another case": "rooms-2.14",
        "takes any mode": "rooms-3.2",
        "lists full rooms": "rooms-3.5",
        "counts viewers": "rooms-3.6",
        "lists the newest first": "rooms-3.7",
        "refuses blanks in names": "rooms-4.2",
        "takes names of 21": "rooms-4.3",
        "makes a room again": "rooms-4.4",
        "lets a third one play": "rooms-5.1",
        "begins with the second": "rooms-6.10",
        "tells viewers of no beginning": "rooms-6.2",
        "tells the mover nothing": "rooms-6.3",
        "swaps column and row": "rooms-6.4",
        "misses a diagonal": "rooms-6.5",
        "lets O never win": "rooms-6.5",
        "knows no draw": "rooms-6.6",
        "takes a full board for a draw": "rooms-6.7",
        "keeps rooms that are over": "rooms-6.8",
        "answers no ROOMLIST, CREATE and JOIN": "rooms-2.24",
        "answers LOGIN and REGISTER alone": "rooms-2.24",
        "keeps rooms after FORFEIT": "rooms-8.12",
        "keeps viewers in rooms that are over": "rooms-9.7",
        "tells all viewers who joins INPROGRESS": "rooms-9.6",
        "loses the newline of BEGIN": "rooms-1.4",
        "toggles the turn": "rooms-7.2",
        "takes column 3": "rooms-7.3",
        "ends at row 3": "rooms-7.4",
        "takes column -1": "rooms-7.5",
        "breaks at letters": "rooms-7.6",
        "plays out of turn": "rooms-7.7",
        "loses kept moves": "rooms-7.8",
        "keeps one move": "rooms-7.9",
        "lets who forfeits win": "rooms-8.1",
        "forfeits in turn only": "rooms-8.2",
        "doesn't notice who goes": "rooms-8.3",
        "tells INPROGRESS the other way": "rooms-9.1",
        "tells the first viewer only": "rooms-9.2",
        "lets viewers play": "rooms-9.3",
        "ends at a viewer who hangs up": "rooms-9.4",
        "hangs at half a request": "rooms-10.2",
        "ends at bytes that aren't UTF-8": "rooms-10.4",
        "keeps carriage returns": "rooms-10.7",
        "ends at a half-close": "rooms-10.11",
    }

    def __init__(self, fault: str = "") -> None:
        super().__init__(fault)
        self.users: dict[str, str] = {}
        self.rooms: dict[str, Room] = {}
        self.busy = asyncio.Lock()

    async def talk(self, link: Link) -> None:
        person = Person(link)
        if self.fault == "serves one after the other":
            await self.busy.acquire()
        while (line := await self.request(person, link)) is not None:
            if line:
                self.answer(person, line)
        if self.fault == "serves one after the other":
            self.busy.release()
        self.leave(person)

    async def request(self, person: Person, link: Link) -> str | None:
        """Read the next request; one that isn't ASCII is of no form."""
        if self.fault == "takes a read for a request":
            data = await link.reader.read(8192)
            return data.decode("ascii", "replace").strip() if data else None
        while b"\n" not in person.unread:
            try:
                more = await link.reader.read(8192)
            except ConnectionError:
                return None
            person.unread += more
            if person.unread and not more:
                if self.fault in ("hangs at half a request", "ends at a half-close"):
                    self.block()
                person.unread += b"\n"
            elif not more or len(person.unread.partition(b"\n")[0]) > 8192:
                return None
        data, _, person.unread = person.unread.partition(b"\n")
        if self.fault == "ends at bytes that aren't UTF-8":
            try:
                data.decode()
            except UnicodeDecodeError:
                self.block()
        text = data.decode("ascii", "replace")
        return text if self.fault == "keeps carriage returns" else text.removesuffix("\r")

    def say(self, person: Person, text: str) -> None:
        lost = self.fault == "loses the newline of BEGIN" and text.startswith("BEGIN")
        person.link.send((text + "\n" * (not lost)).encode())

    def tell(self, room: Room, text: str, mover: Person | None = None) -> None:
        """Say it to everybody in the room."""
        viewers = room.viewers
        if self.fault == "tells viewers of no beginning" and text.startswith("BEGIN"):
            viewers = []
        if self.fault == "tells the first viewer only":
            viewers = viewers[:1]
        for person in [*room.players, *viewers]:
            if self.fault != "tells the mover nothing" or person is not mover:
                self.say(person, text)

    def answer(self, person: Person, line: str) -> None:
        verb, *fields = line.split(":")
        if self.fault == "answers LOGIN and REGISTER alone" and verb not in ("LOGIN", "REGISTER"):
            return None
        name = f"on_{verb.lower()}"
        handler: Callable[..., str | None] | None = getattr(self, name, None)
        if verb not in ("LOGIN", "REGISTER", *NEED_LOGIN) or handler is None:
            return None if person.name else self.say(person, "BADAUTH")
        free = self.fault == "lets anybody list" and verb == "ROOMLIST"
        form = self.fault == "checks fields before the login" and line == "CREATE"
        if verb in NEED_LOGIN and not (person.name or free or form):
            return self.say(person, "BADAUTH")
        status = handler(
            person, *(["?" if not f.isascii() or "\ufffd" in f else f for f in fields])
        )
        if verb in ("ROOMLIST", "CREATE", "JOIN") and self.fault.startswith("answers no R"):
            return None
        if status is not None:
            self.say(person, status if status.isalpha() else f"{verb}:ACKSTATUS:{status}")
            if verb == "JOIN" and status == "0":
                self.joined(person)
        return None

    def on_login(self, person: Person, *fields: str) -> str:
        if self.fault == "breaks at LOGIN without fields" and not fields:
            self.block()
        if len(fields) != 2 or person.room:
            return "3"
        name, password = fields
        if name not in self.users:
            return "1"
        right = self.users[name] == password
        if self.fault == "compares the beginning of passwords":
            right = password.startswith(self.users[name])
        if not right:
            return "1" if self.fault == "says 1 for a wrong password" else "2"
        person.name = name
        return "0"

    def on_register(self, person: Person, *fields: str) -> str | None:
        if self.fault == "answers nothing to REGISTER":
            return None
        if len(fields) != 2 or "?" in fields[0]:
            return "2"
        name, password = fields
        if re.search(r"^ | $|^$|,|.{21}", name) or not 0 < len(password) < 73 or "\t" in password:
            return "2"
        taken = {user.lower() for user in self.users}
        if self.fault == "takes names in another case":
            taken = set()
        if self.fault != "registers twice" and (name in self.users or name.lower() in taken):
            return "1"
        self.users[name] = password
        if self.fault == "logs in by REGISTER":
            person.name = name
        if self.fault == "forgets accounts with the connection":
            person.registered.append(name)
        return "0"

    def on_roomlist(self, person: Person, *fields: str) -> str:
        bad = fields[:1] not in (("PLAYER",), ("VIEWER",)) and self.fault != "takes any mode"
        if len(fields) != 1 or bad:
            return "1"
        rooms = list(self.rooms.values())
        if fields == ("PLAYER",) and self.fault != "lists full rooms":
            counted = self.fault == "counts viewers"
            rooms = [r for r in rooms if len(r.players) + len(r.viewers) * counted < 2]
        names = [room.name for room in rooms]
        return "0:" + ",".join(names[::-1] if self.fault == "lists the newest first" else names)

    def on_create(self, person: Person, *fields: str) -> str:
        if len(fields) != 1 or person.room:
            return "4"
        most = 21 if self.fault == "takes names of 21" else 20
        allowed = r"[\w-]" if self.fault == "refuses blanks in names" else r"[\w -]"
        if not re.fullmatch(rf"{allowed}{{1,{most}}}", fields[0], re.ASCII):
            return "1"
        if fields[0] in self.rooms and self.fault != "makes a room again":
            return "2"
        if len(self.rooms) > 255:
            return "3"
        person.room = self.rooms[fields[0]] = Room(fields[0], person)
        return "0"

    def on_join(self, person: Person, *fields: str) -> str:
        if len(fields) != 2 or fields[1] not in ("PLAYER", "VIEWER") or person.room:
            return "3"
        room = self.rooms.get(fields[0])
        if room is None:
            return "1"
        if (
            fields[1] == "PLAYER"
            and len(room.players) > 1
            and self.fault != "lets a third one play"
        ):
            return "2"
        person.room = room
        (room.players if fields[1] == "PLAYER" else room.viewers).append(person)
        return "0"

    def joined(self, person: Person) -> None:
        room = person.room
        assert room is not None
        names = [player.name for player in room.players]
        if person in room.players:
            if self.fault == "begins with the second":
                names.reverse()
            self.tell(room, f"BEGIN:{names[0]}:{names[1]}")
            self.play(room)
        elif room.turn is not None:
            if (room.turn is room.players[1]) != (self.fault == "tells INPROGRESS the other way"):
                names.reverse()
            everybody = self.fault == "tells all viewers who joins INPROGRESS"
            for viewer in room.viewers if everybody else [person]:
                self.say(viewer, f"INPROGRESS:{names[0]}:{names[1]}")

    def on_place(self, person: Person, *fields: str) -> str | None:
        room = person.room
        if room is None:
            return "NOROOM"
        if person not in room.players and self.fault != "lets viewers play":
            return None
        mine = room.turn is person
        if len(fields) != 2 or not all(re.fullmatch("-?[0-9]", field) for field in fields):
            if self.fault == "breaks at letters":
                self.block()
            if mine:
                self.say(person, f"BOARDSTATUS:{room.text()}")
            return None
        column, row = map(int, fields)
        if self.fault == "swaps column and row":
            column, row = row, column
        if self.fault == "ends at row 3" and row == 3:
            self.block()
        wide = {"takes column 3": 4}.get(self.fault, 3)
        low = -1 if self.fault == "takes column -1" else 0
        inside = low <= column < wide and 0 <= row < 3
        cell = (row * 3 + column) % 9 if inside else -1
        if self.fault == "plays out of turn" or (person in room.viewers and room.turn):
            person, mine = room.turn or person, True
        if not mine and self.fault == "loses kept moves":
            return None
        if len(person.kept) < (1 if self.fault == "keeps one move" else 9):
            person.kept.append(cell)
        self.play(room)
        return None

    def play(self, room: Room) -> None:
        """Make the moves whose turn has come."""
        while (mover := room.turn) is not None and mover.kept:
            cell = mover.kept.pop(0)
            if cell < 0 or room.board[cell]:
                if self.fault == "toggles the turn":
                    room.players.reverse()
                self.say(mover, f"BOARDSTATUS:{room.text()}")
                continue
            mark = room.board[cell] = 1 + room.players.index(mover)
            lines = LINES[:-1] if self.fault == "misses a diagonal" else LINES
            won = any(all(room.board[c] == mark for c in line) for line in lines)
            if self.fault == "lets O never win" and mark == 2:
                won = False
            full = 0 not in room.board
            if full and self.fault == "takes a full board for a draw":
                won = False
            if won:
                self.end(room, f"0:{mover.name}")
            elif full and self.fault != "knows no draw":
                self.end(room, "1")
            else:
                self.tell(room, f"BOARDSTATUS:{room.text()}", mover)

    def on_forfeit(self, person: Person, *fields: str) -> str | None:
        room = person.room
        if room is None:
            return "NOROOM"
        late = self.fault == "forfeits in turn only" and person is not room.turn
        if not fields and person in room.players and not late:
            self.give_up(room, person)
        return None

    def give_up(self, room: Room, person: Person) -> None:
        if len(room.players) < 2:
            self.end(room, "1")
            return
        winner = room.players[person is room.players[0]]
        if self.fault == "lets who forfeits win":
            winner = person
        self.end(room, f"2:{winner.name}")

    def end(self, room: Room, how: str) -> None:
        self.tell(room, f"GAMEEND:{room.text()}:{how}")
        if self.fault == "keeps rooms after FORFEIT" and how.startswith("2"):
            return
        if self.fault != "keeps rooms that are over":
            self.rooms.pop(room.name, None)
        stays = self.fault == "keeps viewers in rooms that are over"
        for person in room.players if stays else [*room.players, *room.viewers]:
            person.room, person.kept = None, []
        room.players = room.players[:1]

    def leave(self, person: Person) -> None:
        """Whoever was there has gone."""
        if self.fault == "forgets accounts with the connection":
            for name in person.registered:
                self.users.pop(name, None)
        room = person.room
        if room is None:
            return
        if person in room.viewers:
            if self.fault == "ends at a viewer who hangs up":
                self.block()
            room.viewers.remove(person)
        elif self.fault != "doesn't notice who goes":
            self.give_up(room, person)


if __name__ == "__main__":
    main(Rooms)
