"""The cases of servers of the lobby protocol."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from twisted.internet.defer import DeferredLock

from tictac.check.cases import Case, Finding, Level, Suite
from tictac.check.peer import Peer
from tictac.check.scene import Bench, Scene, direction

PASSWORD = "secret"

_CAST = re.compile(r"\b(alice|bob|carol|vera|nobody|den|attic)\b")
"""People and rooms of scripts; on the wire they have names that no other case uses."""

_ANY = "…"
"""Stands in a script for a value that may be any."""

_LINE = re.compile(rb".*", re.S)


def _fields() -> dict[str, frozenset[str]]:
    """What each event must have, by the schema."""
    schema = json.loads(files("tictac.doors.lobby").joinpath("schema.json").read_text("utf-8"))
    found: dict[str, frozenset[str]] = {}
    for event in schema["$defs"]["event"]["oneOf"]:
        named = event["properties"]["event"]
        for name in [named["const"]] if "const" in named else named["enum"]:
            found.setdefault(name, frozenset(event["required"]))
    return found | {"lobby": frozenset({"event", "room"})}


FIELDS = _fields()


def differs(wanted: Any, came: Any) -> str:
    """Where a message isn't what is wanted; what is wanted may leave fields out."""
    if wanted == _ANY:
        return ""
    if isinstance(wanted, dict) and isinstance(came, dict):
        for name, value in wanted.items():
            if name not in came:
                return f'it has no "{name}"'
            if why := differs(value, came[name]):
                return f'"{name}": {why}'
        return ""
    if type(wanted) is not type(came) and {type(wanted), type(came)} != {int, float}:
        return f"{json.dumps(came)} isn't {json.dumps(wanted)}"
    if isinstance(wanted, list) and len(wanted) == len(came):
        return next(filter(None, map(differs, wanted, came)), "")
    return "" if wanted == came else f"{json.dumps(came)} isn't {json.dumps(wanted)}"


@dataclass
class Found:
    """Connections that wait for the next case to use them, by the name in scripts, with their
    accounts; and how many names there were."""

    names: int = 0
    lock: DeferredLock = field(default_factory=DeferredLock)
    idle: dict[str, list[tuple[str, Peer]]] = field(default_factory=dict)


class LobbyScene(Scene):
    """Messages are JSON; what a script expects is part of a message."""

    end = b"\n"

    def __init__(self, bench: Bench, case: Case) -> None:
        super().__init__(bench, case)
        if bench.found is None:
            bench.found = Found()
        self.found: Found = bench.found
        self.names: dict[str, str] = {}
        self.logged_in: set[str] = set()

    # Names

    def name(self, word: str) -> str:
        """What somebody or something of a script is called on the wire."""
        if word not in self.names:
            self.found.names += 1
            self.names[word] = f"{word}{self.bench.tag}{self.found.names}"
        return self.names[word]

    def encode(self, text: str) -> bytes:
        return _CAST.sub(lambda found: self.name(found[1]), text).encode()

    def told(self, text: str) -> str:
        """Something from the wire with the names of the script."""
        for word, name in self.names.items():
            text = text.replace(name, word)
        return text

    # Messages

    async def next(self, peer: Peer, about: str) -> dict[str, Any]:
        """The next message that isn't about the rooms of other cases."""
        while True:
            line = await peer.expect(_LINE)
            try:
                came = json.loads(line)
            except ValueError:
                came = None
            if not isinstance(came, dict):
                raise peer.finding(about, f"{peer.show(line)} came, which is no JSON object")
            if "event" not in came or came.get("room") in self.names.values():
                return came

    async def expect(self, name: str, wanted: dict[str, Any]) -> dict[str, Any]:
        """The next message, which must have what is wanted. Raises Finding."""
        peer, about = self.peers[name], self.told(json.dumps(wanted))
        came = await self.next(peer, about)
        why = differs(wanted, came)
        if not why and "answer" in wanted and "error" in came and "error" not in wanted:
            why = "it is an error"
        if not why and (missing := FIELDS.get(came.get("event", ""), frozenset()) - came.keys()):
            why = f'it has no "{min(missing)}", as schema.json wants'
        if why:
            raise peer.finding(about, f"{self.told(json.dumps(came))} came: {self.told(why)}")
        return came

    async def play(self, script: str) -> None:
        for line in filter(None, map(str.strip, script.splitlines())):
            if said := re.fullmatch(r"(\w+)< (.+)", line):
                await self.peer(said[1])
                await self.expect(said[1], json.loads(self.encode(said[2])))
            else:
                await super().play(line)

    async def ask(self, name: str, **request: Any) -> dict[str, Any]:
        """Send a request; its answer, with what it is about. Raises Finding."""
        peer = await self.peer(name)
        peer.send(self.encode(json.dumps({**request, "id": "asked"})) + b"\n")
        return await self.expect(name, {"answer": "asked"})

    # Directions

    @direction(r"((?:\w+, )*\w+)(?: and (\w+))? (?:is|are) logged in")
    async def log_in(self, names: str, last: str | None = None) -> None:
        """Log people in, on connections that other cases have left, where there are some."""
        for name in [*names.split(", "), *([last] if last else [])]:
            self.logged_in.add(name)
            # One after the other: passwords take a server's time, and cases leave connections.
            async with self.found.lock:
                await self._log_in_one(name)

    async def _log_in_one(self, name: str) -> None:
        idle = [each for each in self.found.idle.pop(name, []) if each[1].closed is None]
        if idle:
            self.names[name], peer = idle.pop()
            self.found.idle[name] = idle
            self.adopt(name, peer)
            return
        await self.ask(name, do="register", user=name, password=PASSWORD)
        await self.ask(name, do="login", user=name, password=PASSWORD)

    @direction(r"(\w+) and (\w+) play")
    async def begin(self, one: str, two: str) -> None:
        """Let two begin a match of tic-tac-toe in den; its last event is number 3."""
        await self.log_in(one, two)
        await self.play(f"""
            {one}> {{"do":"open","game":"tictactoe","room":"den","id":"o"}}
            {one}< {{"answer":"o","room":"den"}}
            {one}< {{"event":"room","room":"den"}}
            {two}> {{"do":"join","room":"den","id":"j"}}
            {two}< {{"answer":"j"}}
            {two}< {{"event":"room"}}
            {one}< {{"event":"joined"}}
            {one}< {{"event":"began"}}
        """)

    @direction(r"(\w+) watches")
    async def watch(self, name: str) -> None:
        """Let somebody who is logged in watch den, where alice and bob play."""
        await self.play(f"""
            {name}> {{"do":"watch","room":"den","id":"w"}}
            {name}< {{"answer":"w"}}
            {name}< {{"event":"room"}}
            alice< {{"event":"joined"}}
            bob< {{"event":"joined"}}
        """)

    @direction(r"alice and bob move ((?:\d:\d ?)+)")
    async def move(self, moves: str) -> None:
        """Make moves in turn, which everybody but a viewer is told."""
        for number, move in enumerate(moves.split()):
            mover = "alice" if number % 2 == 0 else "bob"
            await self.play(f'{mover}> {{"do":"move","room":"den","move":"{move}","id":"m"}}')
            await self.expect(mover, {"answer": "m", "at": _ANY})
            for name in ("alice", "bob"):
                await self.expect(name, {"event": "moved", "move": move})

    @direction(r"(\w+) is(n't)? listed")
    async def listed(self, room: str, not_so: str | None) -> None:
        """See whether a new client finds a room in the lobby."""
        peer = await self.connect("looker")
        answer = await self.ask("looker", do="lobby", follow=False)
        rooms = [each.get("room") for each in answer.get("rooms", [])]
        if (self.name(room) in rooms) is bool(not_so):
            raise peer.finding(f"{room} {'not ' if not_so else ''}in the list of rooms",
                               f"{self.told(json.dumps(answer))} came")  # fmt: skip

    @direction(r"(\w+) sends in pieces (.+)")
    async def send_pieces(self, name: str, text: str) -> None:
        peer, data = await self.peer(name), self.encode(text) + b"\n"
        for cut in (data[:5], data[5:-3], data[-3:]):
            peer.send(cut)
            await self.beat(0.05)

    @direction(r"(\w+) sends at once (.+) and (.+)")
    async def send_both(self, name: str, one: str, two: str) -> None:
        (await self.peer(name)).send(self.encode(f"{one}\n{two}\n"))

    @direction(r"(\w+) sends the bytes (.+)")
    async def send_bytes(self, name: str, text: str) -> None:
        (await self.peer(name)).send(text.encode().decode("unicode_escape").encode("latin-1"))

    @direction("a moment passes")
    async def wait(self) -> None:
        await self.beat(0.1)

    async def finish(self) -> None:
        """See by a last question that nothing more was said, and leave connections to other cases."""
        for name, peer in self.peers.items():
            if peer.closed is not None or peer.input_ended:
                continue
            peer.send(b'{"do":"ping","id":"last"}\n')
            await self.expect(name, {"answer": "last"})
        for name in sorted(self.logged_in & self.peers.keys()):
            peer = self.peers[name]
            if peer.closed is None and not peer.input_ended:
                await self._clean(name, peer)

    async def _clean(self, name: str, peer: Peer) -> None:
        """Leave the rooms of this case, and the connection to another."""
        for room in {"den", "attic"} & self.names.keys():
            peer.send(
                self.encode(f'{{"do":"leave","room":"{room}","for_good":true,"id":"left"}}\n')
            )
        peer.send(b'{"do":"lobby","follow":false,"id":"clean"}\n')
        while (await self.next(peer, "an answer")).get("answer") != "clean":
            pass
        self.leave(peer)
        self.found.idle.setdefault(name, []).append((self.names[name], peer))


async def probe(bench: Bench, peer: Peer) -> None:
    """See that the server answers a new connection."""
    peer.end = b"\n"
    peer.send(b'{"do":"ping"}\n')
    await peer.expect(re.compile(rb"\{.*\}"))


_FIRST = """
    ann> {"do":"ping","id":1}
    ann< {"answer":1}
"""
"""What doesn't begin so may be another protocol on the same port."""

SUITE = Suite("lobby", "a server of the lobby protocol", "docs/lobby.md", LobbyScene, probe)
_case = SUITE.script

_case(
    "1.1", "a request is answered", "Messages",
    "Over TCP a message is a JSON object in UTF-8 and a newline; the server sends one answer to each"
    " request, with the request's id as answer.",
    'Answer {"do":"ping","id":1} with {"answer":1} and a newline.',
    script="""
        ann> {"do":"ping","id":1}
        ann< {"answer":1}
    """, gate=True,
)  # fmt: skip
_case(
    "1.2", "who the server is", "Requests",
    "The answer to hello has server, version, protocol (1), and guests.",
    "Answer hello with all four; protocol is the number 1, guests true or false.",
    script="""
        ann> {"do":"hello","id":1}
        ann< {"answer":1,"server":"…","version":"…","protocol":1,"guests":"…"}
    """, needs="1.1",
)  # fmt: skip
_case(
    "1.3", "a message that comes in pieces", "Messages",
    "A newline ends a message, however TCP delivers it.",
    "Collect what recv returns until there is a newline; one recv needn't return a whole message.",
    script="""
        (ann sends in pieces {"do":"ping","id":"whole"})
        ann< {"answer":"whole"}
    """, needs="1.1",
)  # fmt: skip
_case(
    "1.4", "messages that come together", "Messages",
    "Answers come in the order of the requests.",
    "Split what recv returns at newlines, and answer each line.",
    script="""
        (ann sends at once {"do":"ping","id":"one"} and {"do":"ping","id":"two"})
        ann< {"answer":"one"}
        ann< {"answer":"two"}
    """, needs="1.1",
)  # fmt: skip
_case(
    "1.5", "the id comes back as it is", "Messages",
    "The id of a request, a text, a number, true, false or null, comes back as answer.",
    "Put the value of id into answer as it is: 0, false and an empty text are no missing ids.",
    script="".join(
        f'\nann> {{"do":"ping","id":{value}}}\nann< {{"answer":{value}}}'
        for value in ("0", "false", '""', "true", "1.5", '"\\u00e9 x"', "null")
    ), needs="1.1",
)  # fmt: skip
_case(
    "1.6", "a request without an id", "Messages",
    "Without an id the answer says null.",
    'Answer each request; without an id with "answer":null.',
    script='ann> {"do":"ping"}\nann< {"answer":null}', needs="1.1",
)  # fmt: skip
_case(
    "1.7", "fields that nobody knows", "Messages",
    "Unknown fields are ignored by both sides, so that later versions can have more.",
    "Look only at the fields that you know.",
    script='ann> {"do":"ping","id":1,"colour":"red","room2":[{}]}\nann< {"answer":1}', needs="1.1",
)  # fmt: skip
_case(
    "1.8", "what is no request", "Messages",
    "A message that is no request is malformed and changes nothing.",
    'Answer what isn\'t a JSON object with {"answer":null,"error":"malformed","message":...}, and go'
    " on; catch the errors of decoding and of json.loads.",
    script=_FIRST + "".join(
        f'\n(ann sends the bytes {text}\\n)\nann< {{"answer":null,"error":"malformed","message":"…"}}'
        for text in ("What?", "[1]", "7", '{"do":', "{\\xff\\xfe}", '"ping"')
    ), needs="1.1",
)  # fmt: skip
_case(
    "1.9", "a request that doesn't exist", "Messages",
    "A message that is no request is malformed; its id comes back.",
    "Answer with the error malformed when do is missing or isn't one of the requests.",
    script="""
        ann> {"do":"dance","id":1}
        ann< {"answer":1,"error":"malformed"}
        ann> {"id":2}
        ann< {"answer":2,"error":"malformed"}
        ann> {"do":7,"id":3}
        ann< {"answer":3,"error":"malformed"}
    """, needs="1.8",
)  # fmt: skip
_case(
    "1.10", "only a newline ends a message", "Messages",
    "Over TCP a message is a line: a newline ends it.",
    "Wait for the newline: a closing brace may be followed by more.",
    script="""
        (ann sends the bytes {"do":"ping","id":1})
        (a moment passes)
        (ann sends the bytes x\\n)
        ann< {"answer":null,"error":"malformed"}
    """, needs="1.8",
)  # fmt: skip
_case(
    "1.11", "carriage returns and empty lines", "Messages",
    "A carriage return before the newline is dropped, empty lines are ignored.",
    "Strip each line, and skip it if nothing is left.",
    script=_FIRST
    + """
        (ann sends the bytes \\r\\n\\n{"do":"ping","id":1}\\r\\n\\n)
        ann< {"answer":1}
    """, needs="1.1",
)  # fmt: skip
_case(
    "2.1", "who hasn't logged in", "Requests",
    "All but a few requests need a login (not-logged-in).",
    "Answer not-logged-in before you look at anything else of open, join, watch or move.",
    script="""
        ann> {"do":"open","game":"tictactoe","id":1}
        ann< {"answer":1,"error":"not-logged-in"}
        ann> {"do":"join","room":"den","id":2}
        ann< {"answer":2,"error":"not-logged-in"}
    """, needs="1.1",
)  # fmt: skip
_case(
    "2.2", "an account", "Requests",
    "register and login are answered with user; register gives user-exists for a name that is taken.",
    "Keep accounts, and refuse a name that there is already.",
    script="""
        ann> {"do":"register","user":"nobody","password":"secret","id":1}
        ann< {"answer":1,"user":"nobody"}
        ann> {"do":"register","user":"nobody","password":"other","id":2}
        ann< {"answer":2,"error":"user-exists"}
        ann> {"do":"login","user":"nobody","password":"secret","id":3}
        ann< {"answer":3,"user":"nobody"}
    """, needs="1.1", gate=True,
)  # fmt: skip
_case(
    "2.3", "a wrong name or password", "Requests",
    "login gives no-such-user and wrong-password.",
    "Compare the password, and tell by the code which of the two was wrong.",
    script="""
        ann> {"do":"login","user":"nobody","password":"secret","id":1}
        ann< {"answer":1,"error":"no-such-user"}
        ann> {"do":"register","user":"nobody","password":"secret","id":2}
        ann< {"answer":2,"user":"nobody"}
        ann> {"do":"login","user":"nobody","password":"guess","id":3}
        ann< {"answer":3,"error":"wrong-password"}
        ann> {"do":"open","game":"tictactoe","id":4}
        ann< {"answer":4,"error":"not-logged-in"}
    """, needs="2.1 2.2",
)  # fmt: skip
_case(
    "3.1", "a room", "Requests",
    "open makes a room, and its sender sits in seat 0; the answer comes first, then the event room,"
    " which has everything up to its n.",
    'Send {"answer":...,"room":...} first, and then {"event":"room",...} with all fields of the'
    " schema.",
    script="""
        (alice is logged in)
        alice> {"do":"open","game":"tictactoe","room":"den","id":1}
        alice< {"answer":1,"room":"den"}
        alice< {"event":"room","room":"den","n":1,"game":"tictactoe","seat":0,"players":[{"user":"alice","away":false},null],"viewers":[],"position":"000000000","turn":null,"moves":[],"begun":false,"paused":false,"clocks":null,"record":[]}
    """, needs="2.2",
)  # fmt: skip
_case(
    "3.2", "a name that is taken", "Requests",
    "open gives room-exists for the name of a room that there is.",
    "Look whether there is a room of that name before you make one.",
    script="""
        (alice and bob are logged in)
        alice> {"do":"open","game":"tictactoe","room":"den","id":1}
        alice< {"answer":1}
        alice< {"event":"room"}
        bob> {"do":"open","game":"tictactoe","room":"den","id":1}
        bob< {"answer":1,"error":"room-exists"}
    """, needs="3.1",
)  # fmt: skip
_case(
    "3.3", "a game that nobody knows", "Requests",
    "open gives no-such-game.",
    "Compare game with the names of your games.",
    script="""
        (alice is logged in)
        alice> {"do":"open","game":"halma 9","room":"den","id":1}
        alice< {"answer":1,"error":"no-such-game"}
    """, needs="3.1",
)  # fmt: skip
_case(
    "3.4", "the list of rooms", "Requests",
    "rooms are the public rooms; a private one isn't shown in the lobby.",
    "Put all rooms into the answer to lobby but those that were opened with private.",
    script="""
        (alice is logged in)
        alice> {"do":"open","game":"tictactoe","room":"attic","id":1}
        alice< {"answer":1}
        alice< {"event":"room"}
        (attic is listed)
        alice> {"do":"open","game":"tictactoe","room":"den","private":true,"id":2}
        alice< {"answer":2,"room":"den","key":"…"}
        alice< {"event":"room"}
        (den isn't listed)
    """, needs="3.1",
)  # fmt: skip


@SUITE.case(
    "3.5", "a private room needs its key", "Requests",
    "A private room needs its key (private-room).",
    "Compare the key of join and watch with the room's; the answer to open has it.",
    needs="3.4",
)  # fmt: skip
async def keys(scene: LobbyScene) -> None:
    await scene.log_in("alice", "bob")
    key = (await scene.ask("alice", do="open", game="tictactoe", room="den", private=True))["key"]
    await scene.play("""
        alice< {"event":"room"}
        bob> {"do":"join","room":"den","id":1}
        bob< {"answer":1,"error":"private-room"}
        bob> {"do":"watch","room":"den","key":"guessed","id":2}
        bob< {"answer":2,"error":"private-room"}
    """)
    bob = scene.peers["bob"]
    bob.send(json.dumps({"do": "join", "room": scene.name("den"), "key": key}).encode() + b"\n")
    await scene.play("""
        bob< {"answer":null,"room":"den"}
        bob< {"event":"room","seat":1}
        alice< {"event":"joined"}
        alice< {"event":"began"}
    """)


_case(
    "3.6", "who follows the lobby is told of new rooms", "Requests",
    "After lobby the server also tells of each room that opens, changes or is over.",
    "Keep a list of those who have sent lobby, and send them an event lobby for each public room that"
    ' opens, and {"event":"lobby","room":...,"gone":true} when it is over.',
    script="""
        (alice and bob are logged in)
        bob> {"do":"lobby","id":1}
        bob< {"answer":1,"rooms":"…"}
        alice> {"do":"open","game":"tictactoe","room":"attic","id":1}
        alice< {"answer":1}
        alice< {"event":"room"}
        bob< {"event":"lobby","room":"attic","game":"tictactoe","players":["alice",null],"begun":false}
    """, needs="3.1",
)  # fmt: skip
_case(
    "3.7", "a room that isn't there", "Requests",
    "join and watch give no-such-room; a request about a room comes from somebody who is in it"
    " (not-in-room).",
    "Look for the room by its name, then whether the sender is in it.",
    script="""
        (alice is logged in)
        alice> {"do":"join","room":"den","id":1}
        alice< {"answer":1,"error":"no-such-room"}
        alice> {"do":"watch","room":"den","id":2}
        alice< {"answer":2,"error":"no-such-room"}
        alice> {"do":"move","room":"den","move":"0:0","id":3}
        alice< {"answer":3,"error":"not-in-room"}
    """, needs="3.1",
)  # fmt: skip
_case(
    "4.1", "a match begins", "Events",
    "With join the last seat is taken: its sender gets everything by the event room, the other player"
    " joined and began.",
    "Give who joins seat 1, answer, and send the whole room; send the others joined, then began.",
    script="""
        (alice and bob are logged in)
        alice> {"do":"open","game":"tictactoe","room":"den","id":1}
        alice< {"answer":1}
        alice< {"event":"room","n":1}
        bob> {"do":"join","room":"den","id":1}
        bob< {"answer":1,"room":"den"}
        bob< {"event":"room","room":"den","n":3,"seat":1,"players":[{"user":"alice","away":false},{"user":"bob","away":false}],"begun":true,"turn":0}
        alice< {"event":"joined","room":"den","n":2,"user":"bob","seat":1}
        alice< {"event":"began","room":"den","n":3,"players":["alice","bob"],"position":"000000000","turn":0}
    """, needs="3.1",
)  # fmt: skip
_case(
    "4.2", "a room that is full", "Requests",
    "join gives room-full when no seat is free.",
    "Count the players before you let somebody join.",
    script="""
        (alice and bob play)
        (carol is logged in)
        carol> {"do":"join","room":"den","id":1}
        carol< {"answer":1,"error":"room-full"}
    """, needs="4.1",
)  # fmt: skip
_case(
    "4.3", "the moves that one can make", "Events",
    "moves are those that the one who gets the event can make now; they are empty when it is another"
    " player's turn.",
    "Write moves anew for each who gets the event: all free cells for whose turn it is, else [].",
    script="""
        (alice and bob are logged in)
        alice> {"do":"open","game":"tictactoe","room":"den","id":1}
        alice< {"answer":1}
        alice< {"event":"room","moves":[]}
        bob> {"do":"join","room":"den","id":1}
        bob< {"answer":1}
        bob< {"event":"room","moves":[]}
        alice< {"event":"joined"}
        alice< {"event":"began","moves":["…","…","…","…","…","…","…","…","…"]}
    """, needs="4.1",
)  # fmt: skip
_case(
    "4.4", "a move", "Events",
    "A move is answered with at, the number of its event, and everybody is told by moved; events of a"
    " room have a number n that goes up by one.",
    "Answer the move, then send moved with n, seat, move, position and turn to both players.",
    script="""
        (alice and bob play)
        alice> {"do":"move","room":"den","move":"1:1","at":3,"id":1}
        alice< {"answer":1,"at":4}
        alice< {"event":"moved","room":"den","n":4,"seat":0,"move":"1:1","position":"000010000","turn":1,"moves":[]}
        bob< {"event":"moved","room":"den","n":4,"seat":0,"move":"1:1","position":"000010000","turn":1,"moves":"…"}
        bob> {"do":"move","room":"den","move":"0:0","at":4,"id":1}
        bob< {"answer":1,"at":5}
        bob< {"event":"moved","n":5,"seat":1,"position":"200010000","turn":0}
        alice< {"event":"moved","n":5,"seat":1,"position":"200010000","turn":0}
    """, needs="4.1",
)  # fmt: skip
_case(
    "4.5", "the column comes first", "Positions and moves",
    "A move is column:row from 0: 2:0 is the cell at the top right of 3x3.",
    "The first number is the column, the second the row: the cell is column + 3 * row.",
    script="""
        (alice and bob play)
        alice> {"do":"move","room":"den","move":"2:0","id":1}
        alice< {"answer":1}
        alice< {"event":"moved","position":"001000000"}
        bob< {"event":"moved","position":"001000000"}
    """, needs="4.4",
)  # fmt: skip
_case(
    "4.6", "a cell that is taken", "Requests",
    "move gives illegal-move.",
    "Look whether the cell is free; the turn stays with the player.",
    script="""
        (alice and bob play)
        (alice and bob move 1:1)
        bob> {"do":"move","room":"den","move":"1:1","id":1}
        bob< {"answer":1,"error":"illegal-move"}
        bob> {"do":"move","room":"den","move":"0:1","id":2}
        bob< {"answer":2}
        bob< {"event":"moved","move":"0:1"}
        alice< {"event":"moved","move":"0:1"}
    """, needs="4.4",
)  # fmt: skip
_case(
    "4.7", "a move out of turn", "Requests",
    "A move out of turn is refused (not-your-turn).",
    "Look whose turn it is before you make a move.",
    script="""
        (alice and bob play)
        bob> {"do":"move","room":"den","move":"1:1","at":3,"id":1}
        bob< {"answer":1,"error":"not-your-turn"}
    """, needs="4.4",
)  # fmt: skip
_case(
    "4.8", "a move for a position that has changed", "Requests",
    "at is the number of the last event that the player knows. If the position has changed since, the"
    " move is a stale-move.",
    "Keep the number of the last event that changed the position; refuse a move whose at is lower.",
    script="""
        (alice and bob play)
        (alice and bob move 1:1)
        bob> {"do":"move","room":"den","move":"0:0","at":3,"id":1}
        bob< {"answer":1,"error":"stale-move"}
    """, needs="4.4",
)  # fmt: skip
_case(
    "4.9", "what is no move", "Requests",
    "move gives not-a-move for a text that is a move in no position.",
    "Tell texts that can't be read (not-a-move) from moves that can't be made now (illegal-move).",
    script="""
        (alice and bob play)
        alice> {"do":"move","room":"den","move":"centre","id":1}
        alice< {"answer":1,"error":"not-a-move"}
        alice> {"do":"move","room":"den","move":"","id":2}
        alice< {"answer":2,"error":"not-a-move"}
    """, needs="4.4",
)  # fmt: skip
_case(
    "5.1", "three in a row", "Events",
    "ended says how, winner (a seat), result (points by seat), move (the last), and position.",
    "When a move wins send ended, and no moved, with the winner's seat: 1 for the second player.",
    script="""
        (alice and bob play)
        (alice and bob move 0:0 0:1 1:0 1:1 2:2)
        bob> {"do":"move","room":"den","move":"2:1","id":1}
        bob< {"answer":1}
        bob< {"event":"ended","how":"won","winner":1,"result":[0,1],"move":"2:1","position":"110222001"}
        alice< {"event":"ended","how":"won","winner":1,"result":[0,1],"move":"2:1","position":"110222001"}
    """, needs="4.4",
)  # fmt: skip
_case(
    "5.2", "a draw", "Events",
    "how is drawn, winner null and result half a point each.",
    "When the board is full and nobody has three in a row, send ended with drawn.",
    script="""
        (alice and bob play)
        (alice and bob move 0:0 1:0 2:0 1:1 0:1 2:1 1:2 0:2)
        alice> {"do":"move","room":"den","move":"2:2","id":1}
        alice< {"answer":1}
        alice< {"event":"ended","how":"drawn","winner":null,"result":[0.5,0.5],"move":"2:2"}
        bob< {"event":"ended","how":"drawn","winner":null,"result":[0.5,0.5],"move":"2:2"}
    """, needs="4.4",
)  # fmt: skip
_case(
    "5.3", "giving up", "Events",
    "resign ends the match as forfeited; the other player has won.",
    "The winner is the seat of the other player.",
    script="""
        (alice and bob play)
        alice> {"do":"resign","room":"den","id":1}
        alice< {"answer":1}
        alice< {"event":"ended","n":4,"how":"forfeited","winner":1,"result":[0,1],"move":null}
        bob< {"event":"ended","n":4,"how":"forfeited","winner":1,"result":[0,1],"move":null}
    """, needs="4.1",
)  # fmt: skip
_case(
    "5.4", "the room is gone after the match", "Events",
    "With ended the room is gone.",
    "Take the room out of your table of rooms when its match is over.",
    script="""
        (alice and bob play)
        bob> {"do":"resign","room":"den","id":1}
        bob< {"answer":1}
        bob< {"event":"ended"}
        alice< {"event":"ended"}
        alice> {"do":"watch","room":"den","id":1}
        alice< {"answer":1,"error":"no-such-room"}
        (den isn't listed)
    """, needs="5.3 3.4",
)  # fmt: skip


@SUITE.case(
    "5.5", "a connection that is lost", "Requests",
    "The seat of a player whose connection is lost is held for --rejoin-timeout seconds; when they are"
    " over the match is lost. By default they are 0.",
    "When recv returns nothing take the player out of all rooms, and tell the opponent left or ended.",
    needs="5.3",
)  # fmt: skip
async def lost(scene: LobbyScene) -> None:
    await scene.begin("alice", "bob")
    scene.peers["bob"].hang_up()
    await scene.peers.pop("bob").gone()
    came = await scene.expect("alice", {"event": _ANY, "n": 4})
    if came["event"] != "left":
        wanted = {"event": "ended", "how": "left", "winner": 0, "result": [1, 0]}
        if why := differs(wanted, came):
            raise scene.peers["alice"].finding(
                json.dumps(wanted), f"{json.dumps(came)} came: {why}"
            )


_case(
    "5.6", "a draw that is agreed on", "Offers",
    "One sends offer, the other accept; nobody accepts an own offer (not-offered).",
    "Keep the seat of who has offered, and let only the other one accept; then send ended, agreed.",
    script="""
        (alice and bob play)
        alice> {"do":"offer","room":"den","what":"draw","id":1}
        alice< {"answer":1}
        alice< {"event":"offered","n":4,"seat":0,"what":"draw"}
        bob< {"event":"offered","n":4,"seat":0,"what":"draw"}
        alice> {"do":"accept","room":"den","what":"draw","id":2}
        alice< {"answer":2,"error":"not-offered"}
        bob> {"do":"accept","room":"den","what":"draw","id":1}
        bob< {"answer":1}
        bob< {"event":"ended","n":5,"how":"agreed","winner":null,"result":[0.5,0.5]}
        alice< {"event":"ended","n":5,"how":"agreed","winner":null,"result":[0.5,0.5]}
    """, needs="4.1",
)  # fmt: skip
_case(
    "6.1", "a viewer sees the match", "Events",
    "Who watches gets the event room with seat null and no moves; everybody else is told by joined;"
    " then the viewer gets what the players get.",
    "Send the events of a room to its viewers, too.",
    script="""
        (alice and bob play)
        (vera is logged in)
        vera> {"do":"watch","room":"den","id":1}
        vera< {"answer":1,"room":"den"}
        vera< {"event":"room","n":4,"seat":null,"viewers":["vera"],"moves":[],"begun":true,"turn":0}
        alice< {"event":"joined","n":4,"user":"vera","seat":null}
        bob< {"event":"joined","n":4,"user":"vera","seat":null}
        (alice and bob move 1:1)
        vera< {"event":"moved","n":5,"seat":0,"move":"1:1","position":"000010000","moves":[]}
    """, needs="4.4",
)  # fmt: skip
_case(
    "6.2", "who comes late gets the record", "Events",
    'record has an entry for each move: the event\'s number, "moved", the seat, the move.',
    "Keep the moves of a match, and put them into the event room.",
    script="""
        (alice and bob play)
        (alice and bob move 1:1 0:2)
        (vera is logged in)
        vera> {"do":"watch","room":"den","id":1}
        vera< {"answer":1}
        vera< {"event":"room","position":"000010200","record":[[4,"moved",0,"1:1"],[5,"moved",1,"0:2"]]}
        alice< {"event":"joined"}
        bob< {"event":"joined"}
    """, needs="6.1",
)  # fmt: skip
_case(
    "6.3", "a viewer is told the end", "Events",
    "Everybody in the room gets ended.",
    "Send ended to the viewers before you forget the room.",
    script="""
        (alice and bob play)
        (vera is logged in)
        (vera watches)
        alice> {"do":"resign","room":"den","id":1}
        alice< {"answer":1}
        alice< {"event":"ended"}
        bob< {"event":"ended"}
        vera< {"event":"ended","n":5,"how":"forfeited","winner":1}
    """, needs="6.1 5.3",
)  # fmt: skip
_case(
    "6.4", "what is said", "Events",
    "What a player or a viewer says is sent to everybody in the room, as said with user and text.",
    "Send said to all who are in the room, also to the one who has said it.",
    script="""
        (alice and bob play)
        (vera is logged in)
        (vera watches)
        vera> {"do":"say","room":"den","text":"Well played: \\u00fc!","id":1}
        vera< {"answer":1}
        vera< {"event":"said","n":5,"user":"vera","text":"Well played: \\u00fc!"}
        alice< {"event":"said","n":5,"user":"vera","text":"Well played: \\u00fc!"}
        bob< {"event":"said","n":5,"user":"vera","text":"Well played: \\u00fc!"}
    """, needs="6.1",
)  # fmt: skip
_case(
    "6.5", "only what is new", "Events",
    "join and watch take since, the number of the last event that the sender knows. Then the events"
    " after it come instead of room.",
    "Keep the events of a room, and send those whose number is above since.",
    script="""
        (alice and bob play)
        (alice and bob move 1:1 0:2)
        (vera is logged in)
        vera> {"do":"watch","room":"den","since":4,"id":1}
        vera< {"answer":1}
        vera< {"event":"moved","n":5,"move":"0:2"}
        vera< {"event":"joined","n":6,"user":"vera"}
        alice< {"event":"joined","n":6}
        bob< {"event":"joined","n":6}
    """, needs="6.1",
)  # fmt: skip


@SUITE.case(
    "7.1", "too many messages that are no requests", "Messages",
    "After 20 messages that are no requests the server closes the connection.",
    "Count them for each connection, and close it at the twentieth.",
    needs="1.8", level=Level.DECIDED,
)  # fmt: skip
async def wrong_messages(scene: LobbyScene) -> None:
    await scene.play(_FIRST)
    peer = scene.peers["ann"]
    for _ in range(19):
        peer.send(b"?\n")
        await scene.expect("ann", {"error": "malformed"})
    # Whether the last two are answered, too, is left open.
    peer.send(b"?\n?\n")
    for _ in range(2):
        try:
            await peer.expect_close()
        except Finding:
            if b"\n" not in peer.unread:
                raise
            await scene.expect("ann", {"error": "malformed"})
    await peer.expect_close()
