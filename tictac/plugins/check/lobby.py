"""The suite for servers of the lobby protocol; the cases are in lobby.txt."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

from twisted.internet.defer import DeferredLock

from tictac.plugins.check.cases import Case, Finding, Suite
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import PASSWORD, Harness, Scene, direction
from tictac.protocols.lobby.json_view import Message

_ANY = "..."
"""In a script, matches any value."""

_LINE = re.compile(rb".*", re.S)


def _fields() -> dict[str, frozenset[str]]:
    """Return the required fields of each event, from schema.json."""
    schema = json.loads(files("tictac.protocols.lobby").joinpath("schema.json").read_text("utf-8"))
    found: dict[str, frozenset[str]] = {}
    for event in schema["$defs"]["event"]["oneOf"]:
        named = event["properties"]["event"]
        for name in [named["const"]] if "const" in named else named["enum"]:
            found.setdefault(name, frozenset(event["required"]))
    return found | {"lobby": frozenset({"event", "room"})}


FIELDS = _fields()


def differs(wanted: Any, came: Any) -> str:
    """Return the first difference between a message and the wanted one, or "" if there is none.

    The message can have more fields than the wanted one.
    """
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


class LobbyScene(Scene):
    """A case of a lobby server. A script line expects a message with at least the given fields."""

    cast = re.compile(r"\b(alice|bob|carol|vera|nobody|den|attic)\b")
    end = b"\n"

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        if harness.found is None:
            harness.found = DeferredLock()
        self.logins: DeferredLock = harness.found
        self.logged_in: set[str] = set()

    def with_script_names(self, text: str) -> str:
        """Return text from the wire with the names of the script in place of those on the wire."""
        for word, name in self.names.items():
            text = text.replace(name, word)
        return text

    # Messages

    async def next(self, peer: Peer, about: str) -> Message:
        """Return the next message that isn't about the rooms of other cases. Raises Finding.

        ``about`` is the expected message, for the report.
        """
        while True:
            try:
                line = await peer.expect(_LINE)
            except Finding as finding:
                raise peer.finding(about, finding.came) from None
            try:
                came = json.loads(line)
            except (ValueError, RecursionError):
                came = None
            if not isinstance(came, dict):
                raise peer.finding(about, f"{peer.show(line)} came, which isn't a JSON object")
            if "event" not in came or came.get("room") in self.names.values():
                return came

    async def expect(self, name: str, wanted: Message) -> Message:
        """Return the next message, which must have the wanted fields. Raises Finding."""
        peer, about = self.peers[name], self.with_script_names(json.dumps(wanted))
        came = await self.next(peer, about)
        why = differs(wanted, came)
        if not why and "answer" in wanted and "error" in came and "error" not in wanted:
            why = "it is an error"
        if not why and (missing := FIELDS.get(came.get("event", ""), frozenset()) - came.keys()):
            why = f'it has no "{min(missing)}", as schema.json wants'
        if why:
            raise peer.finding(
                about,
                f"{self.with_script_names(json.dumps(came))} came: {self.with_script_names(why)}",
            )
        return came

    async def play(self, script: str) -> None:
        for line in filter(None, map(str.strip, script.splitlines())):
            if said := re.fullmatch(r"(\w+)< (.+)", line):
                await self.peer(said[1])
                await self.expect(said[1], json.loads(self.encode(said[2])))
            else:
                await super().play(line)

    async def ask(self, name: str, **request: object) -> Message:
        """Send a request, and return the answer. Raises Finding."""
        peer = await self.peer(name)
        peer.send(self.encode(json.dumps({**request, "id": "asked"})) + b"\n")
        return await self.expect(name, {"answer": "asked"})

    # Directions

    @direction(r"((?:\w+, )*\w+)(?: and (\w+))? (?:is|are) logged in")
    async def log_in(self, names: str, last: str | None = None) -> None:
        """Log people in; reuse connections of earlier cases if possible."""
        for name in [*names.split(", "), *([last] if last else [])]:
            self.logged_in.add(name)
            # One login at a time: meanwhile, another case can leave a logged-in connection.
            async with self.logins:
                if not self.adopt(name):
                    await self.ask(name, do="register", user=name, password=PASSWORD)
                    await self.ask(name, do="login", user=name, password=PASSWORD)

    @direction(r"(\w+) and (\w+) play")
    async def begin(self, one: str, two: str) -> None:
        """Begin a match of tic-tac-toe between two people in den; its last event is number 3."""
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
        """Let a user watch den, where alice and bob play."""
        await self.play(f"""
            {name}> {{"do":"watch","room":"den","id":"w"}}
            {name}< {{"answer":"w"}}
            {name}< {{"event":"room"}}
            alice< {{"event":"joined"}}
            bob< {{"event":"joined"}}
        """)

    @direction(r"alice and bob move ((?:\d:\d ?)+)")
    async def move(self, moves: str) -> None:
        """Make moves in turn, and read them as both players, but not as a viewer."""
        for number, move in enumerate(moves.split()):
            mover = "alice" if number % 2 == 0 else "bob"
            await self.play(f'{mover}> {{"do":"move","room":"den","move":"{move}","id":"m"}}')
            await self.expect(mover, {"answer": "m", "at": _ANY})
            for name in ("alice", "bob"):
                await self.expect(name, {"event": "moved", "move": move})

    @direction(r"(\w+) is(n't)? listed")
    async def listed(self, room: str, not_so: str | None) -> None:
        """Check whether the list of rooms that a new client gets has a room."""
        peer = await self.connect("looker")
        answer = await self.ask("looker", do="lobby", follow=False)
        rooms = [each.get("room") for each in answer.get("rooms", [])]
        if (self.name(room) in rooms) is bool(not_so):
            raise peer.finding(f"{room} {'not ' if not_so else ''}in the list of rooms",
                               f"{self.with_script_names(json.dumps(answer))} came")  # fmt: skip

    @direction(r"(\w+) sends in pieces (.+)")
    async def _in_pieces(self, name: str, text: str) -> None:
        data = self.encode(text) + b"\n"
        await self.send_pieces(await self.peer(name), data[:5], data[5:-3], data[-3:])

    @direction(r"(\w+) sends at once (.+) and (.+)")
    async def send_both(self, name: str, one: str, two: str) -> None:
        (await self.peer(name)).send(self.encode(f"{one}\n{two}\n"))

    @direction(r"(\w+) sends the bytes (.+)")
    async def send_bytes(self, name: str, text: str) -> None:
        (await self.peer(name)).send(text.encode().decode("unicode_escape").encode("latin-1"))

    async def finish(self) -> None:
        """Check with a last request that no other message came; keep logged-in connections."""
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
        """Leave the rooms of this case, and keep the connection for other cases."""
        for room in {"den", "attic"} & self.names.keys():
            peer.send(
                self.encode(f'{{"do":"leave","room":"{room}","for_good":true,"id":"left"}}\n')
            )
        peer.send(b'{"do":"lobby","follow":false,"id":"clean"}\n')
        while (await self.next(peer, "an answer")).get("answer") != "clean":
            pass
        self.leave_open(name)


async def probe(harness: Harness, peer: Peer) -> None:
    """Check that the server answers on a new connection."""
    peer.end = b"\n"
    peer.send(b'{"do":"ping","id":1}\n')
    await peer.expect(re.compile(rb"\{.*\}"))


SUITE = Suite(
    "lobby",
    "docs/reference/lobby.md",
    read_rules("tictac.plugins.check", "lobby-rules.txt"),
    LobbyScene,
    probe,
)


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
    join = {"do": "join", "room": scene.name("den"), "key": key, "id": 3}
    scene.peers["bob"].send(json.dumps(join).encode() + b"\n")
    await scene.play("""
        bob< {"answer":3,"room":"den"}
        bob< {"event":"room"}
        alice< {"event":"joined"}
        alice< {"event":"began"}
    """)


async def lost(scene: LobbyScene) -> None:
    await scene.begin("alice", "bob")
    scene.peers["bob"].hang_up()
    await scene.peers.pop("bob").wait_closed()
    came = await scene.expect("alice", {"event": _ANY, "n": 4})
    if came["event"] != "left":
        wanted = {"event": "ended", "how": "left", "winner": 0, "result": [1, 0]}
        if why := differs(wanted, came):
            raise scene.peers["alice"].finding(
                json.dumps(wanted), f"{json.dumps(came)} came: {why}"
            )


async def wrong_messages(scene: LobbyScene) -> None:
    # A valid request must come first, because the port can detect protocols by the first bytes.
    await scene.ask("ann", do="ping")
    peer = scene.peers["ann"]
    for _ in range(19):
        peer.send(b"?\n")
        await scene.expect("ann", {"error": "malformed"})
    # The document doesn't say whether the server answers the last two before ``closing``.
    peer.send(b"?\n?\n")
    for _ in range(3):
        try:
            await peer.expect_close()
        except Finding:
            if b"\n" not in peer.unread:
                raise
            await peer.expect(re.compile(rb'.*"(malformed|closing)".*'))
    await peer.expect_close()


SUITE.read_cases(__package__, "lobby.txt", globals())
