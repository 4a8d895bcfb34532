"""The suite for clients of tic-tac-toe over XMPP; the cases are in client.txt.

The checker is the XMPP server, the MUG service on it, and bob, who owns the room den. It answers
what a client asks for by the way, because each client asks for something else. Only what MUG says
of a client is judged.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from twisted.internet.defer import Deferred, TimeoutError
from twisted.words.xish.domish import Element, SerializedXML

from tictac.plugins.check.cases import Case, Finding, NotApplicable
from tictac.plugins.check.clients.scene import SETTLE, ClientScene, client_suite, read_asks
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, direction
from tictac.plugins.xmpp.check.den import BOB, CAVE, DEN, EXPECTED, ROOM_PASSWORD, Den, Wrong
from tictac.plugins.xmpp.check.stream import (
    DOMAIN,
    PASSWORD,
    Certificate,
    ClientStream,
    shown_stanzas,
    shown_xml,
)
from tictac.plugins.xmpp.xml import INFO, MUG, TTT, USER, first, tag

PAUSE = 0.1
"""Seconds that a client has to take in what it has read, before the checker types."""

WORD = re.compile(rb"[^\n]*\w[^\n]*\n")
"""Matches a line with a word in it."""

PIECE = 41
"""Maximum bytes of a piece, where stanzas come in pieces."""

WORDS = ("x", "o", "none", "start", "accept", "decline", "leave", "nick", "invite", "QUIT")
"""The words that the checker types, unless ``--names`` gives others."""

HOSTILE = (
    "]]> <turn/> &amp; \"'`$(reboot)` \u202egnirts\u202c \U0001f642 \ufffd \x85 %s {0} \\n\r\n\t"
    + "ä" * 300
)
"""A text with what programs mistake for something else."""


def read_words(path: str) -> dict[str, str]:
    """Read other words for ours: lines with our word, a blank, and the other one.

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
        self.den = Den()
        self.in_pieces = self.is_slow = self.refuses_password = False
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
            self._stream, self.den.address = stream, stream.address
        return self._stream

    async def send(self, *stanzas: str) -> None:
        """Send what the room has said, and then stanzas, in one write; or in pieces, or late."""
        stream = await self.stream()
        data = "".join((*self.den.said, *stanzas)).encode()
        self.den.said.clear()
        if self.is_slow and data:
            await self.wait(SETTLE)
        if self.in_pieces:
            for at in range(0, len(data), PIECE):
                stream.peer.send(data[at : at + PIECE])
                # Read one by one, where the checker can see that: otherwise they could be one read.
                await self.wait(0.005)
                await self.wait_until_read(stream.peer)
        elif data:
            stream.peer.send(data)

    # Stanzas of the client

    async def until(self, what: str) -> str:
        """Serve the client until it does something, such as ``start``. Return what it did.

        Raises Finding.
        """
        expected = EXPECTED[what if what in EXPECTED else what.partition(" ")[0]]
        self.den.awaited = expected
        while True:
            try:
                element = await (await self.stream()).next(expected)
            except Finding as finding:
                if self.den.odd and not isinstance(finding, NotApplicable):
                    finding.came = f"{self.den.odd} came, then {finding.came}"
                    finding.silent = False
                raise
            done = await self.serve(element)
            if f"{done} ".startswith(f"{what} "):
                self.den.odd = ""
                return done

    async def serve(self, stanza: Element) -> str:
        """Let the room do what a stanza asks for. Return what that is. Raises Finding."""
        self.last = stanza
        try:
            done = self.den.serve(stanza)
        except Wrong as wrong:
            raise self._finding(wrong.rule, wrong.expected) from None
        if done in ("refused", "conflict"):
            self._output_is_read()
        await self.send()
        return done

    def _finding(self, rule: str, expected: str) -> Finding:
        """Return the Finding for the last stanza. Only a gate names the rule: others have one."""
        came = "nothing" if self.last is None else shown_xml(self.last)
        finding = Finding(f"server gets {expected}", f"{came} came")
        finding.breaks = rule if self.case.gate else ""
        return finding

    # The input of the user

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
            raise NotApplicable(f"the checker types nothing for {word}")
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
        ended = self.client is not None and self.client.status == 0 and not self.den.odd
        moved = self.last is not None and first(self.last, USER, "turn") is not None
        return finding.silent or moved or (ended and "closed" in finding.came)

    # Directions

    @direction("it opens a stream")
    async def _opens(self) -> None:
        await ClientStream(await self.peer(), self.harness.found, refuses=False).open()

    @direction("it logs in")
    async def _logs_in(self) -> None:
        await self.stream()

    @direction("it enters")
    async def enters(self) -> None:
        await self.until("enter")

    @direction("it takes (x|o)")
    async def takes(self, role: str) -> None:
        """Let the client take a role; one that plays by itself can take another."""
        if self.den.own_role() == role:
            return
        await self.type_word(role)
        done = await self.until("role" if self.plays_itself else f"role {role}")
        if done == "role none":
            raise self._finding("XC3.1", EXPECTED["role"])

    @direction("bob takes (x|o|none)")
    async def bob_takes(self, role: str) -> None:
        if self.plays_itself and role == self.den.own_role():
            role = "o" if role == "x" else "x"
        if self.den.nick:
            self.den.change_role("bob", role)
            await self.send()
        else:
            self.den.roles[role] = "bob"

    @direction("it starts")
    async def starts(self) -> None:
        if self.den.own_role() not in self.den.started:
            await self.type_word("start")
            await self.until("start")

    @direction("bob starts")
    async def bob_starts(self) -> None:
        role = next(role for role, nick in self.den.roles.items() if nick == "bob")
        self.den.started.add(role)
        start = tag("start", {"xmlns": USER})
        await self.send(
            self.den.stanza("message", f"{self.den.room}/bob", start), *self.den.begin()
        )

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
        if self.den.own_role() == "o" and self.den.next == "x":
            await self.bob_marks("1", "3")

    def _free_cell(self, row: int, col: int) -> tuple[int, int]:
        """Return a cell, or another one if it is taken."""
        cells = [(row, col), *((r, c) for r in (3, 2, 1) for c in (1, 2, 3))]
        return next(cell for cell in cells if cell not in self.den.marks)

    @direction("it marks ([123]) ([123])")
    async def it_marks(self, row: str, column: str) -> None:
        """Let the client make a move, by which the checker judges it."""
        cell = self._free_cell(int(row), int(column))
        if not self.plays_itself:
            self.den.wish = cell
            await self.pause_after(await self.peer(), PAUSE)
            self.type_move(row=cell[0], column=cell[1])
        await self.until("turn")

    @direction("bob marks ([123]) ([123])")
    async def bob_marks(self, row: str, column: str) -> None:
        self.den.mark("bob", *self._free_cell(int(row), int(column)))
        await self.send()

    @direction("they play to the end")
    async def whole_match(self) -> None:
        """Play the match to its end, at random for bob."""
        while self.den.status == "active":
            if self.den.next == self.den.own_role():
                await self.it_marks("1", "1")
            else:
                await self.bob_marks(self.dice.choice("123"), self.dice.choice("123"))

    @direction("it stays")
    async def _stays(self) -> None:
        """Serve the client for a moment. Raises NotApplicable if it leaves, which it can do."""
        await self.no_turn()
        peer = await self.peer()
        if not self.den.nick or peer.closed is not None or peer.input_ended:
            raise NotApplicable("it leaves")

    @direction("the next match goes on")
    async def _next_match(self) -> None:
        """Let each of the two make a move."""
        for _ in range(2):
            if self.den.next == self.den.own_role():
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
        self.den.next = "o"

    @direction("the board isn't empty")
    def _custom_state(self) -> None:
        self.den.marks = {(1, 1): "x", (2, 2): "o"}

    @direction("the newcomer gets x")
    def _gets_x(self) -> None:
        self.den.given_role = "x"

    @direction("the turns of bob don't come")
    def _hidden(self) -> None:
        self.den.hides_turns = True

    @direction("states come before turns")
    def _state_first(self) -> None:
        self.den.state_first = True

    @direction("stanzas come in pieces")
    def _pieces(self) -> None:
        self.in_pieces = True

    @direction("stanzas come late")
    def _late(self) -> None:
        self.is_slow = True

    @direction("bob leaves")
    async def bob_leaves(self) -> None:
        self.den.free("bob")
        await self.send(self.den.gone("bob"), *self.den.pause())

    @direction("bob returns")
    async def _bob_returns(self) -> None:
        await self.send(self.den.presence_of("bob"))

    @direction("it starts too early")
    async def _too_early(self) -> None:
        """Type start without an opponent. The client can refuse that itself."""
        await self.type_word("start")
        await self.no_turn()
        self.den.odd = ""

    # Refusals

    @direction("the password is refused")
    async def _refuses(self) -> None:
        self.refuses_password = True
        await self.stream()
        await self.says_why("its password was refused")

    @direction("den refuses it with ([a-z-]+)")
    async def _refuses_entry(self, condition: str) -> None:
        self.den.refusal = condition
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
            raise self._finding("XC1.5", f"the features {MUG} and {TTT}")

    @direction("bob asks what it can't know")
    async def _unknown_question(self) -> None:
        await self._asks(tag("query", {"xmlns": "urn:example:other"}))

    async def _asks(self, query: SerializedXML) -> Element:
        await self.stream()
        await self.send(self.den.stanza("iq", f"{BOB}/desk", query, type="get", id="ask-1"))
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
            self.den.stanza("presence", self.den.room, game),
            self.den.stanza("presence", self.den.room, later),
            self.den.stanza("presence", f"{self.den.room}/bob", tag("c", {"xmlns": other})),
            self.den.stanza(
                "message", f"{self.den.room}/bob", turn, tag("start", {"xmlns": other})
            ),
            self.den.stanza("message", DOMAIN, tag("event", {"xmlns": other}), type="headline"),
        )

    @direction("another room has another board")
    async def _other_room(self) -> None:
        """Send the state of another room, and what a stranger makes of that of this one."""
        field = tag("field", {"row": 3, "col": 3}, "x")
        state = tag("state", {"xmlns": TTT}, tag("next", None, "x"), tag("board", None, field))
        game = tag("game", {"xmlns": MUG}, tag("status", None, "active"), state)
        item = tag("game", {"xmlns": MUG}, tag("item", {"affiliation": "none", "role": "x"}))
        await self.send(
            self.den.stanza("presence", CAVE, game),
            self.den.stanza("presence", f"{CAVE}/{self.den.nick}", item),
            self.den.stanza("presence", f"{BOB}/desk", game),
        )

    @direction("bob says what looks like something else")
    async def _hostile(self) -> None:
        body = tag("body", None, HOSTILE)
        await self.send(self.den.stanza("message", f"{self.den.room}/bob", body, type="chat"))

    @direction("bob invites it to cave")
    async def _invites(self) -> None:
        invited = tag("invited", {"from": f"{DEN}/bob", "var": TTT}, tag("reason", None, "Come."))
        secret = tag("password", None, ROOM_PASSWORD)
        game = tag("game", {"xmlns": USER}, invited, secret)
        await self.send(self.den.stanza("message", CAVE, game))

    @direction("it declines")
    async def _declines(self) -> None:
        await self.may("decline", "", "decline")

    @direction("it accepts, and enters cave")
    async def _accepts(self) -> None:
        """Let the client enter cave, perhaps after it has left den."""
        if not await self.type_word("accept"):
            raise NotApplicable("the checker types nothing for accept")
        stream = await self.stream()
        try:
            while self.den.room == DEN or not self.den.nick:
                element = self.last = await stream.next(EXPECTED["enter"].replace(DEN, CAVE))
                if (element.getAttribute("to") or "").startswith(f"{CAVE}/"):
                    self.den.room, self.den.nick, self.den.roles = CAVE, "", {}
                await self.serve(element)
        except Finding as finding:
            if self._knows_no_word(finding):
                raise NotApplicable("it does nothing at accept") from None
            raise

    @direction("it invites carol")
    async def _invites_carol(self) -> None:
        carol = f"carol@{DOMAIN}"
        if await self.may("invite", carol, "invite") != f"invite {carol}":
            raise self._finding("XC2.6", EXPECTED["invite"])

    @direction("it resigns")
    async def _resigns(self) -> None:
        await self.may("none", "", "role none")

    @direction("it takes the nick (eve|bob)")
    async def _renames(self, nick: str) -> None:
        if await self.may("nick", nick, "nick") != f"nick {nick}":
            raise self._finding("XC2.5", EXPECTED["nick"])

    @direction("it leaves")
    async def _leaves(self) -> None:
        await self.may("leave", "", "leave")

    @direction("its user ends it")
    async def _is_ended(self) -> None:
        """Let the user end the client. Raises Finding if it breaks then."""
        if not await self.type_word("QUIT"):
            raise NotApplicable("the checker types nothing for QUIT")
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
    "mug",
    "docs/reference/xmpp-rules.md",
    read_rules(__package__),
    MugClientScene,
    __package__,
    asks=partial(read_asks, known=("host", "port", "name", "jid", "password", "room")),
    names=read_words,
)
SUITE.prepare = prepare
