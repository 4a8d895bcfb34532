"""The suite for clients of tic-tac-toe over XMPP; the cases are in client.txt.

The checker is the XMPP server, the MUG service on it, and bob, who owns the room den. It answers
what a client asks for by the way, because each client asks for something else. Only what MUG says
of a client is judged.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import NoReturn

from twisted.internet.defer import Deferred, TimeoutError
from twisted.words.xish.domish import Element, SerializedXML

from tictac.plugins.check.cases import Case, Finding, NotApplicable
from tictac.plugins.check.clients.scene import SETTLE, ClientScene, client_suite, read_asks
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, direction
from tictac.plugins.xmpp.addresses import parse
from tictac.plugins.xmpp.check.stream import (
    CLIENT,
    DOMAIN,
    PASSWORD,
    Certificate,
    ClientStream,
    shown_stanzas,
    shown_xml,
)
from tictac.plugins.xmpp.xml import INFO, ITEMS, MUG, PING, STANZAS, TTT, USER, first, tag, text_of

SERVICE = f"games.{DOMAIN}"
DEN, CAVE = f"den@{SERVICE}", f"cave@{SERVICE}"
BOB = f"bob@{DOMAIN}"
ROOM_PASSWORD = "brave new world"

PAUSE = 0.1
"""Seconds that a client has to take in what it has read, before the checker types."""

WORD = re.compile(rb"[^\n]*\w[^\n]*\n")
"""Matches a line with a word in it."""

PIECE = 41
"""Maximum bytes of a piece, where stanzas come in pieces."""

WORDS = ("x", "o", "none", "start", "accept", "decline", "leave", "nick", "invite", "QUIT")
"""What the checker types, unless ``--names`` gives other words."""

_LINES = [
    *([(row, col) for col in (1, 2, 3)] for row in (1, 2, 3)),
    *([(row, col) for row in (1, 2, 3)] for col in (1, 2, 3)),
    [(1, 1), (2, 2), (3, 3)],
    [(1, 3), (2, 2), (3, 1)],
]

_ENTER = f"<presence to='{DEN}/NICK'><game xmlns='{MUG}' var='{TTT}'/></presence>"
_TURN = f"<turn xmlns='{USER}'><move xmlns='{TTT}' row='' col='' id=''/></turn>"
EXPECTED = {
    "enter": _ENTER,
    "refused": _ENTER,
    "role": f"<presence to='{DEN}'><game xmlns='{MUG}'><item role='x'/></game></presence>, or o",
    "conflict": "a presence that asks for a role",
    "role none": f"<presence to='{DEN}'><game xmlns='{MUG}'><item role='none'/></game></presence>",
    "start": f"<message to='{DEN}'><start xmlns='{USER}'/></message>",
    "turn": f"<message to='{DEN}'>{_TURN}</message>",
    "leave": f"<presence to='{DEN}/NICK' type='unavailable'/>",
    "nick": f"<presence to='{DEN}/eve'><game xmlns='{MUG}'/></presence>",
    "decline": f"<game xmlns='{USER}'><decline to='{DEN}/bob'/></game> to {CAVE}",
    "invite": f"<game xmlns='{USER}'><invite to='carol@{DOMAIN}'/></game> to {DEN}",
    "answer": "an <iq/> of type result or error with the id of the question",
}
"""What a client sends, by what it does."""

HOSTILE = (
    "]]> <turn/> &amp; \"'`$(reboot)` \u202egnirts\u202c \U0001f642 \ufffd \x85 %s {0} \\n\r\n\t"
    + "ä" * 300
)
"""A text with what programs mistake for something else."""


def read_words(path: str) -> dict[str, str]:
    """Read what is typed for each of our words: lines with the word, a blank, and the other.

    Raises OSError, or ValueError. A word without another one isn't typed: the client lacks it.
    """
    lines = [line.partition(" ") for line in Path(path).read_text("utf-8").splitlines() if line]
    wrong = next((word for word, _, _ in lines if word not in WORDS), None)
    if wrong is not None:
        raise ValueError(f"{wrong!a} is none of {', '.join(WORDS)}")
    return {word: text.strip() for word, _, text in lines}


class MugClientScene(ClientScene):
    """A case of a MUG client: the room den, its service, and its other player, bob."""

    show = staticmethod(shown_stanzas)
    typed = "{row} {column}"
    parts = ("row", "column")
    wants = ()

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.words = dict(zip(WORDS, WORDS, strict=True)) | harness.options.get("names", {})
        self.room, self.nick, self.asked_nick = DEN, "", ""
        self.roles: dict[str, str] = {}  # the nick by role
        self.started: set[str] = set()
        self.status, self.next, self.result = "inactive", "x", ""
        self.marks: dict[tuple[int, int], str] = {}
        self.begun_with = 0  # marks
        self.wish: tuple[int, int] | None = None  # the cell that was typed
        self.refusal = self.given_role = self.odd = ""
        self.awaited = EXPECTED["role"]
        self.in_pieces = self.is_slow = self.hides_turns = self.state_first = False
        self.refuses_password = False
        self.last: Element | None = None
        self._stream: ClientStream | None = None

    def values(self, port: str) -> dict[str, str]:
        certificate = self.harness.found
        ca = "" if certificate is None else str(certificate.path)
        more = {"jid": f"alice@{DOMAIN}", "password": PASSWORD, "room": DEN, "ca": ca}
        return {**super().values(port), **more}

    # Stanzas to the client

    async def stream(self) -> ClientStream:
        """Return the stream, on which the client is logged in. Raises Finding."""
        if self._stream is None:
            refuses = self.refuses_password
            stream = ClientStream(await self.peer(), self.harness.found, refuses=refuses)
            await stream.log_in()
            self._stream = stream
        return self._stream

    async def send(self, *stanzas: str) -> None:
        """Send stanzas in one write; or in pieces, or late."""
        stream = await self.stream()
        data = "".join(stanzas).encode()
        if self.is_slow:
            await self.wait(SETTLE)
        if self.in_pieces:
            for at in range(0, len(data), PIECE):
                stream.peer.send(data[at : at + PIECE])
                # Read one by one, where the checker can see that: otherwise they could be one read.
                await self.wait(0.005)
                await self.wait_until_read(stream.peer)
        else:
            stream.peer.send(data)

    def stanza(
        self, name: str, sender: str, *children: SerializedXML, **attributes: str | None
    ) -> SerializedXML:
        """Return a stanza to the client."""
        to = "" if self._stream is None else self._stream.address
        return tag(name, {"from": sender, "to": to, **attributes}, *children)

    def presence_of(self, nick: str, /, **attributes: str) -> SerializedXML:
        """Return the presence of an occupant; ``nick`` is the present one."""
        affiliation = "owner" if nick == "bob" else "none"
        role = next((role for role, other in self.roles.items() if other == nick), "none")
        item = tag("item", {"affiliation": affiliation, "role": role, **attributes})
        game = tag("game", {"xmlns": MUG}, item)
        return self.stanza("presence", f"{self.room}/{nick}", game)

    def room_presence(self, *more: SerializedXML) -> SerializedXML:
        """Return the presence of the room, with the status and the state."""
        cells = [
            tag("field", {"row": row, "col": col}, mark) for (row, col), mark in self.marks.items()
        ]
        won = tag("draw") if self.result == "draw" else tag("won", None, self.result)
        size = (tag(name, None, "3") for name in ("rows", "cols", "strike"))
        inner = [*size, tag("next", None, self.next), tag("board", None, *cells)]
        state = tag("state", {"xmlns": TTT}, *inner, *([won] if self.result else []))
        game = tag("game", {"xmlns": MUG}, tag("status", None, self.status), state)
        return self.stanza("presence", self.room, game, *more)

    def _error(
        self, about: Element, sender: str, condition: str, *content: SerializedXML
    ) -> SerializedXML:
        error = tag("error", {"type": "cancel"}, tag(condition, {"xmlns": STANZAS}))
        given = {"type": "error", "id": about.getAttribute("id")}
        return self.stanza(
            about.name, sender, *content, error, **{k: v for k, v in given.items() if v}
        )

    # Stanzas of the client

    async def until(self, what: str, more: str = "") -> str:
        """Serve the client until it does something, such as ``start``. Return what it did.

        Raises Finding; ``more`` is for the report.
        """
        expected = EXPECTED[what.partition(" ")[0] if what not in EXPECTED else what] + more
        self.awaited = expected
        while True:
            try:
                element = await (await self.stream()).next(expected)
            except Finding as finding:
                if self.odd and not isinstance(finding, NotApplicable):
                    finding.came, finding.silent = f"{self.odd} came, then {finding.came}", False
                raise
            done = await self.serve(element)
            if f"{done} ".startswith(f"{what} "):
                self.odd = ""
                return done

    async def serve(self, stanza: Element) -> str:
        """Do what a stanza of the client asks for. Return what that is. Raises Finding."""
        self.last = stanza
        kind = stanza.getAttribute("type") or ""
        if stanza.uri != CLIENT:
            self._wrong("XC1.1", f"stanzas in the namespace {CLIENT}", stanza)
        try:
            to = parse(stanza.getAttribute("to") or DOMAIN)
        except ValueError:
            self._wrong("XC1.1", "an address in to", stanza)
        if stanza.name == "iq":
            if kind in ("result", "error"):
                return f"answer {stanza.getAttribute('id')}"
            await self.send(self._answer(stanza, to.domain, to.node))
            return "iq"
        if kind == "error" or to.domain != SERVICE:
            return ""
        done = ""
        if stanza.name == "presence" and to.bare == self.room:
            done = await self._presence(stanza, to.resource, kind)
        elif stanza.name == "message":
            done = await self._message(stanza, to.bare, to.resource, kind)
        if not done and first(stanza, CLIENT, "body") is None:
            self.odd = shown_xml(stanza)
        return done

    def _wrong(self, rule: str, expected: str, stanza: Element) -> NoReturn:
        """Raise the Finding for a stanza. Only a gate names the rule: others have their own."""
        finding = Finding(f"server gets {expected}", f"{shown_xml(stanza)} came")
        finding.breaks = rule if self.case.gate else ""
        raise finding

    def _answer(self, iq: Element, domain: str, node: str) -> SerializedXML:
        """Return the answer to what the client asks by the way."""
        asked = next(iter(iq.elements()), None)
        uri = "" if asked is None else asked.uri
        given = {"type": "result", "id": iq.getAttribute("id") or ""}
        sender = iq.getAttribute("to") or DOMAIN
        features = {SERVICE: (INFO, ITEMS, MUG, TTT)}.get(domain, (INFO, ITEMS))
        identity = {"category": "game", "type": "multi-user"}
        if domain != SERVICE:
            identity = {"category": "server", "type": "im"}
        items = [tag("item", {"jid": SERVICE})] if domain == DOMAIN else []
        if domain == SERVICE and not node:
            items = [tag("item", {"jid": DEN, "name": "den"})]
        inner = {
            INFO: tag(
                "query", {"xmlns": INFO}, tag("identity", identity),
                *(tag("feature", {"var": each}) for each in features),
            ),
            ITEMS: tag("query", {"xmlns": ITEMS}, *items),
            "jabber:iq:roster": tag("query", {"xmlns": "jabber:iq:roster"}),
            "urn:ietf:params:xml:ns:xmpp-session": SerializedXML(""),
            PING: SerializedXML(""),
        }.get(uri or "")  # fmt: skip
        if inner is None:
            return self._error(iq, sender, "service-unavailable")
        return self.stanza("iq", sender, *([inner] if inner else []), **given)

    async def _presence(self, stanza: Element, nick: str, kind: str) -> str:
        game = first(stanza, MUG, "game")
        if kind == "unavailable":
            if not self.nick:
                return ""
            if nick != self.nick:
                expected = f"<presence to='{self.room}/{self.nick}' type='unavailable'/>"
                self._wrong("XC2.4", expected, stanza)
            self._free(self.nick)
            gone, self.nick = self.presence_of(nick), ""
            await self.send(gone.replace("<presence ", "<presence type='unavailable' ", 1))
            return "leave"
        if kind or (game is None and not nick):
            return ""
        if not nick:
            item = None if game is None else first(game, MUG, "item")
            role = None if item is None else item.getAttribute("role")
            if role not in ("x", "o", "none"):
                self._wrong("XC3.1" if self.nick else "XC2.1", self.awaited, stanza)
            return await self._take(stanza, role or "none")
        if self.nick:
            return await self._rename(stanza, nick)
        if game is None or game.getAttribute("var") != TTT:
            self._wrong("XC2.1", EXPECTED["enter"], stanza)
        self.asked_nick = nick
        secret = first(game, MUG, "password")
        if self.room == CAVE and (secret is None or text_of(secret) != ROOM_PASSWORD):
            self._wrong("XC2.7", f"<password>{ROOM_PASSWORD}</password> in <game/>", stanza)
        if self.refusal or nick == "bob":
            about = tag("game", {"xmlns": MUG})
            refusal, self.refusal = self.refusal or "conflict", ""
            self._output_is_read()
            await self.send(self._error(stanza, self.room, refusal, about))
            return "refused"
        self.nick = nick
        if self.given_role:
            self.roles[self.given_role] = nick
        await self.send(self.room_presence(), self.presence_of("bob"), self.presence_of(nick))
        return "enter"

    async def _take(self, stanza: Element, role: str) -> str:
        if not self.nick:
            self._wrong("XC2.1", "it to enter first", stanza)
        if self.roles.get(role, self.nick) != self.nick:
            about = tag("game", {"xmlns": MUG})
            self._output_is_read()
            await self.send(self._error(stanza, self.room, "conflict", about))
            return "conflict"
        await self._change_role(self.nick, role)
        return f"role {role}"

    async def _change_role(self, nick: str, role: str) -> None:
        if self.roles.get(role) != nick:
            self._free(nick)
            if role != "none":
                self.roles[role] = nick
        await self.send(self.presence_of(nick), *(self._pause() if len(self.roles) < 2 else []))

    def _pause(self) -> list[SerializedXML]:
        """Interrupt the match if it is on, and return what the room says."""
        if self.status != "active":
            return []
        self.status = "paused"
        # The proposal's example has the element, and its text the status.
        return [self.room_presence(tag("pause", {"xmlns": MUG}))]

    def _free(self, nick: str) -> None:
        self.roles = {role: other for role, other in self.roles.items() if other != nick}
        self.started.clear()

    async def _rename(self, stanza: Element, nick: str) -> str:
        if nick == self.nick:
            await self.send(self.presence_of(nick))
            return "again"
        self.asked_nick = nick
        if nick == "bob":
            about = tag("game", {"xmlns": MUG})
            await self.send(self._error(stanza, self.room, "conflict", about))
            return "nick bob"
        told = self.presence_of(self.nick, nick=nick)
        self.roles = {role: nick if o == self.nick else o for role, o in self.roles.items()}
        self.nick = nick
        await self.send(told)
        return f"nick {nick}"

    async def _message(self, stanza: Element, room: str, nick: str, kind: str) -> str:
        game = first(stanza, USER, "game")
        around = stanza if game is None else game
        if (invite := first(around, USER, "invite")) is not None and room == self.room:
            if kind not in ("", "normal") or nick or game is None:
                self._wrong("XC2.6", f"{EXPECTED['invite']}, in a normal message", stanza)
            return f"invite {invite.getAttribute('to')}"
        if (decline := first(around, USER, "decline")) is not None and room == CAVE:
            if decline.getAttribute("to") != f"{DEN}/bob" or nick or game is None:
                self._wrong("XC2.7", EXPECTED["decline"], stanza)
            return "decline"
        if room != self.room or nick not in ("", self.nick):
            return ""
        if first(stanza, USER, "start") is not None:
            return await self._start(stanza)
        if (turn := first(stanza, USER, "turn")) is not None:
            return await self._turn(stanza, turn)
        return ""

    def own_role(self) -> str:
        """Return the role of the client, or nothing."""
        return next((role for role, nick in self.roles.items() if nick == self.nick), "")

    async def _start(self, stanza: Element) -> str:
        role, start = self.own_role(), tag("start", {"xmlns": USER})
        if not role:
            self._wrong("XC3.2", "a role to be taken before <start/>", stanza)
        if len(self.roles) < 2 or self.status == "active":
            await self.send(self._error(stanza, self.room, "not-allowed", start))
            return "early"
        self.started.add(role)
        await self.send(self.stanza("message", f"{self.room}/{self.nick}", start), *self._begin())
        return "start"

    def _begin(self) -> list[SerializedXML]:
        """Begin the match, or go on, if both have started; return what the room says."""
        if len(self.started) < 2:
            return []
        self.started.clear()
        if self.status == "inactive":
            self.begun_with, self.result = len(self.marks), ""
        self.status = "active"
        return [self.room_presence()]

    async def _turn(self, stanza: Element, turn: Element) -> str:
        role, moves = self.own_role(), list(turn.elements(TTT, "move"))
        if self.status != "active" or not role:
            self._wrong("XC4.4", f"no turn while the match is {self.status}", stanza)
        if self.next != role:
            self._wrong("XC4.4", f"no turn of {role} while next is {self.next}", stanza)
        numbers = [
            [each.getAttribute(name) or "" for name in ("row", "col", "id")] for each in moves
        ]
        if len(numbers) != 1 or not all(n.isascii() and n.isdecimal() for n in numbers[0]):
            self._wrong("XC4.1", f"one <move/> with numbers, as in {EXPECTED['turn']}", stanza)
        row, col, number = map(int, numbers[0])
        wanted = {len(self.marks) + 1, len(self.marks) + 1 - self.begun_with}
        if number not in wanted:
            self._wrong("XC4.2", f"id='{min(wanted)}'", stanza)
        if self.wish is not None and (row, col) != self.wish:
            typed = f"row='{self.wish[0]}' col='{self.wish[1]}', which was typed,"
            self._wrong("XC4.3", typed, stanza)
        if not (0 < row < 4 and 0 < col < 4) or (row, col) in self.marks:
            self._wrong("XC4.5", "a move to an empty field of the board", stanza)
        self.wish = None
        await self._mark(self.nick, row, col)
        return "turn"

    async def _mark(self, nick: str, row: int, col: int) -> None:
        """Make a move; tell of the turn, and of the new state."""
        number, mark = len(self.marks) + 1 - self.begun_with, self.next
        self.marks[row, col] = mark
        self.next = "o" if mark == "x" else "x"
        if any(all(self.marks.get(cell) == mark for cell in line) for line in _LINES):
            self.result = mark
        elif len(self.marks) == 9:
            self.result = "draw"
        if self.result:
            self.status, self.marks = "inactive", {}  # the board of the next round
        move = tag("move", {"xmlns": TTT, "row": row, "col": col, "id": number})
        turn = tag("turn", {"xmlns": USER}, move)
        told = [self.stanza("message", f"{self.room}/{nick}", turn, type="chat")]
        if self.hides_turns and nick == "bob":
            told = []
        state = [self.room_presence()]
        await self.send(*(state + told if self.state_first else told + state))

    # What the user types

    async def type_word(self, word: str, argument: str = "") -> bool:
        """Type a word when the client has read all; return False if it has no such word."""
        text = "" if self.plays_itself else self.words[word]
        if text:
            await self.pause_after(await self.peer(), PAUSE)
            self.type(" ".join(filter(None, (text, argument))))
        return bool(text)

    async def may(self, word: str, argument: str, what: str) -> str:
        """Type a word, and return what the client did. Raises NotApplicable if it did nothing."""
        if not await self.type_word(word, argument):
            raise NotApplicable(f"it is told nothing like {word}")
        try:
            return await self.until(what)
        except Finding as finding:
            if self._knows_no_word(finding):
                raise NotApplicable(f"it does nothing at {word}") from None
            raise

    def _knows_no_word(self, finding: Finding) -> bool:
        """Return whether the client has done nothing at a word, has ended, or takes it for a move.

        The service refuses that move, so the client needn't.
        """
        ended = self.client is not None and self.client.status == 0 and not self.odd
        moved = self.last is not None and first(self.last, USER, "turn") is not None
        return finding.silent or moved or (ended and "closed" in finding.came)

    # Directions

    @direction("it opens a stream")
    async def _opens(self) -> None:
        await ClientStream(await self.peer(), None, refuses=False).open()

    @direction("it logs in")
    async def _logs_in(self) -> None:
        await self.stream()

    @direction("it enters")
    async def enters(self) -> None:
        await self.until("enter")

    @direction("it takes (x|o)")
    async def takes(self, role: str) -> None:
        """Let the client take a role; one that plays by itself can take another."""
        if self.own_role() == role:
            return
        await self.type_word(role)
        done = await self.until("role" if self.plays_itself else f"role {role}")
        if done == "role none":
            self._wrong("XC3.1", EXPECTED["role"], self.last or Element((None, "nothing")))

    @direction("bob takes (x|o|none)")
    async def bob_takes(self, role: str) -> None:
        if self.plays_itself and role == self.own_role():
            role = "o" if role == "x" else "x"
        if self.nick:
            await self._change_role("bob", role)
        else:
            self.roles[role] = "bob"

    @direction("it starts")
    async def starts(self) -> None:
        if self.own_role() not in self.started:
            await self.type_word("start")
            await self.until("start")

    @direction("bob starts")
    async def bob_starts(self) -> None:
        role = next(role for role, nick in self.roles.items() if nick == "bob")
        self.started.add(role)
        start = tag("start", {"xmlns": USER})
        await self.send(self.stanza("message", f"{self.room}/bob", start), *self._begin())

    @direction("both start")
    async def both_start(self) -> None:
        await self.starts()
        await self.bob_starts()

    @direction("they play")
    async def play_as_x(self) -> None:
        """Begin a match, in which the client has x."""
        await self.enters()
        await self.takes("x")
        await self.bob_takes("o")
        await self.both_start()
        if self.own_role() == "o" and self.next == "x":
            await self._mark("bob", *self._free_cell(1, 3))

    def _free_cell(self, row: int, col: int) -> tuple[int, int]:
        """Return a cell, or another one if it is taken."""
        cells = [(row, col), *((r, c) for r in (3, 2, 1) for c in (1, 2, 3))]
        return next(cell for cell in cells if cell not in self.marks)

    @direction("it marks ([123]) ([123])")
    async def it_marks(self, row: str, column: str) -> None:
        """Let the client make a move, by which the checker judges it."""
        cell = self._free_cell(int(row), int(column))
        if not self.plays_itself:
            self.wish = cell
            await self.pause_after(await self.peer(), PAUSE)
            self.type_move(row=cell[0], column=cell[1])
        await self.until("turn")

    @direction("bob marks ([123]) ([123])")
    async def bob_marks(self, row: str, column: str) -> None:
        await self._mark("bob", *self._free_cell(int(row), int(column)))

    @direction("they play to the end")
    async def whole_match(self) -> None:
        """Play the match to its end, at random for bob."""
        while self.status == "active":
            if self.next == self.own_role():
                await self.it_marks("1", "1")
            else:
                cells = [(r, c) for r in (1, 2, 3) for c in (1, 2, 3) if (r, c) not in self.marks]
                await self._mark("bob", *self.dice.choice(cells))

    @direction("it stays")
    async def _stays(self) -> None:
        """Serve the client for a moment. Raises NotApplicable if it leaves, as it may."""
        await self.no_turn()
        peer = await self.peer()
        if not self.nick or peer.closed is not None or peer.input_ended:
            raise NotApplicable("it leaves")

    @direction("the next match goes on")
    async def _next_match(self) -> None:
        """Let each of the two make a move."""
        for _ in range(2):
            if self.next == self.own_role():
                await self.it_marks("2", "2")
            else:
                await self.bob_marks("1", "1")

    @direction("no turn comes")
    async def no_turn(self) -> None:
        """Serve the client for a moment. A turn in it would be a Finding."""
        await self.wait(SETTLE)
        stream = await self.stream()
        while (element := stream.take()) is not None:
            await self.serve(element)

    @direction("o begins")
    def _o_begins(self) -> None:
        self.next = "o"

    @direction("the board isn't empty")
    def _custom_state(self) -> None:
        self.marks = {(1, 1): "x", (2, 2): "o"}

    @direction("who enters gets x")
    def _gets_x(self) -> None:
        self.given_role = "x"

    @direction("the turns of bob don't come")
    def _hidden(self) -> None:
        self.hides_turns = True

    @direction("states come before turns")
    def _state_first(self) -> None:
        self.state_first = True

    @direction("stanzas come in pieces")
    def _pieces(self) -> None:
        self.in_pieces = True

    @direction("stanzas come late")
    def _late(self) -> None:
        self.is_slow = True

    @direction("the match is over")
    def _is_over(self) -> None:
        assert self.status == "inactive"

    @direction("bob leaves")
    async def bob_leaves(self) -> None:
        self._free("bob")
        gone = self.presence_of("bob").replace("<presence ", "<presence type='unavailable' ", 1)
        await self.send(gone, *self._pause())

    @direction("bob returns")
    async def _bob_returns(self) -> None:
        await self.send(self.presence_of("bob"))

    @direction("it starts too early")
    async def _too_early(self) -> None:
        """Type start without an opponent. The client can refuse that itself."""
        await self.type_word("start")
        await self.no_turn()
        self.odd = ""

    # Refusals

    @direction("the password is refused")
    async def _refuses(self) -> None:
        self.refuses_password = True
        await self.stream()
        await self.says_why("its password was refused")

    @direction("den refuses it with ([a-z-]+)")
    async def _refuses_entry(self, condition: str) -> None:
        self.refusal = condition
        await self.until("refused")
        await self.says_why("den refused it", "enter")

    @direction("x is refused")
    async def _refuses_role(self) -> None:
        await self.type_word("x")
        await self.until("conflict")
        await self.says_why("x was refused", "role")

    async def says_why(self, why: str, otherwise: str = "") -> None:
        """Expect a line of output about a refusal, the end, or another attempt. Raises Finding."""
        client = self._running()
        clock, late = self.harness.clock, self.harness.clock.seconds() + self.harness.patience.limit
        while clock.seconds() < late:
            if await self.wait_for_output(WORD, SETTLE, SETTLE) or client.status is not None:
                return
            while otherwise and (element := (await self.stream()).take()) is not None:
                if (await self.serve(element)).startswith(otherwise):
                    return
        raise Finding(f"the client to say that {why}", "it printed nothing")

    # Other stanzas

    @direction("bob asks what it can do")
    async def _disco(self) -> None:
        """Ask the client for its features. Raises Finding."""
        answer = await self._asks(tag("query", {"xmlns": INFO}))
        query = first(answer, INFO, "query")
        features = [] if query is None else query.elements(INFO, "feature")
        if not {MUG, TTT} <= {each.getAttribute("var") for each in features}:
            self._wrong("XC1.5", f"the features {MUG} and {TTT}", answer)

    @direction("bob asks what it can't know")
    async def _unknown_question(self) -> None:
        await self._asks(tag("query", {"xmlns": "urn:example:other"}))

    async def _asks(self, query: SerializedXML) -> Element:
        await self.stream()
        await self.send(self.stanza("iq", f"{BOB}/desk", query, type="get", id="ask-1"))
        await self.until("answer ask-1")
        assert self.last is not None
        return self.last

    @direction("what it can't know comes")
    async def _unknown(self) -> None:
        """Send elements, attributes, and stanzas of later versions, and of other protocols."""
        other = "urn:example:other"
        state = tag("state", {"xmlns": TTT}, tag("next", None, "x"), tag("board"))
        game = tag("game", {"xmlns": other}, tag("status", None, "active"), state)
        later = tag("game", {"xmlns": MUG, "later": "1"}, tag("later", None, tag("status")))
        turn = tag("turn", {"xmlns": other}, tag("move", {"row": 1, "col": 1, "id": 1}))
        await self.send(
            self.stanza("presence", self.room, game),
            self.stanza("presence", self.room, later),
            self.stanza("presence", f"{self.room}/bob", tag("c", {"xmlns": other})),
            self.stanza("message", f"{self.room}/bob", turn, tag("start", {"xmlns": other})),
            self.stanza("message", DOMAIN, tag("event", {"xmlns": other}), type="headline"),
        )

    @direction("another room has another board")
    async def _other_room(self) -> None:
        """Send the state of another room, and what a stranger makes of that of this one."""
        field = tag("field", {"row": 3, "col": 3}, "x")
        state = tag("state", {"xmlns": TTT}, tag("next", None, "x"), tag("board", None, field))
        game = tag("game", {"xmlns": MUG}, tag("status", None, "active"), state)
        item = tag("game", {"xmlns": MUG}, tag("item", {"affiliation": "none", "role": "x"}))
        await self.send(
            self.stanza("presence", CAVE, game),
            self.stanza("presence", f"{CAVE}/{self.nick}", item),
            self.stanza("presence", f"{BOB}/desk", game),
        )

    @direction("bob says what looks like something else")
    async def _hostile(self) -> None:
        body = tag("body", None, HOSTILE)
        await self.send(self.stanza("message", f"{self.room}/bob", body, type="chat"))

    @direction("bob invites it to cave")
    async def _invites(self) -> None:
        invited = tag("invited", {"from": f"{DEN}/bob", "var": TTT}, tag("reason", None, "Come."))
        secret = tag("password", None, ROOM_PASSWORD)
        game = tag("game", {"xmlns": USER}, invited, secret)
        await self.send(self.stanza("message", CAVE, game))

    @direction("it declines")
    async def _declines(self) -> None:
        await self.may("decline", "", "decline")

    @direction("it accepts, and enters cave")
    async def _accepts(self) -> None:
        """Let the client enter cave, perhaps after it has left den."""
        if not await self.type_word("accept"):
            raise NotApplicable("it is told nothing like accept")
        stream = await self.stream()
        try:
            while self.room == DEN or not self.nick:
                element = self.last = await stream.next(_ENTER.replace(DEN, CAVE))
                if (element.getAttribute("to") or "").startswith(f"{CAVE}/"):
                    self.room, self.nick, self.roles = CAVE, "", {}
                await self.serve(element)
        except Finding as finding:
            if self._knows_no_word(finding):
                raise NotApplicable("it does nothing at accept") from None
            raise

    @direction("it invites carol")
    async def _invites_carol(self) -> None:
        carol = f"carol@{DOMAIN}"
        if await self.may("invite", carol, "invite") != f"invite {carol}":
            self._wrong("XC2.6", EXPECTED["invite"], self.last or Element((None, "nothing")))

    @direction("it resigns")
    async def _resigns(self) -> None:
        await self.may("none", "", "role none")

    @direction("it takes the nick (eve|bob)")
    async def _renames(self, nick: str) -> None:
        if await self.may("nick", nick, "nick") != f"nick {nick}":
            self._wrong("XC2.5", EXPECTED["nick"], self.last or Element((None, "nothing")))

    @direction("it leaves")
    async def _leaves(self) -> None:
        await self.may("leave", "", "leave")

    @direction("its user ends it")
    async def _is_ended(self) -> None:
        """Let the user end the client. Raises Finding if it breaks then."""
        if not await self.type_word("QUIT"):
            raise NotApplicable("it is told nothing like QUIT")
        stream, client = await self.stream(), self._running()
        try:
            while await self.until("leave"):
                pass
        except Finding:
            if stream.is_over:
                stream.send("</stream:stream>")
                stream.peer.hang_up()
        limit = self.harness.patience.limit
        try:
            await Deferred.fromCoroutine(client.ended()).addTimeout(limit, self.harness.clock)
        except TimeoutError:
            raise NotApplicable("it doesn't end at QUIT") from None
        await self.expect_end()

    @direction("the server hangs up in the middle of a stanza")
    async def _hangs_up_in_a_stanza(self) -> None:
        stream = await self.stream()
        stream.send(f"<presence from='{DEN}'><game xmlns='{MUG}'><sta")
        stream.peer.hang_up()


async def prepare(harness: Harness) -> None:
    """Make a certificate, unless the packages for TLS are missing."""
    try:
        harness.found = Certificate(harness.target.scratch())
    except ImportError:
        harness.found = None


SUITE = client_suite(
    "mug", "docs/reference/xmpp.md", read_rules(__package__), MugClientScene, __package__,
    asks=partial(read_asks, known=("host", "port", "name", "jid", "password", "room")),
    names=read_words,
)  # fmt: skip
SUITE.prepare = prepare
