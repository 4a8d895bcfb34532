"""The suite for services of tic-tac-toe over XMPP; the cases are in server.txt.

The service is an external component of an XMPP server (XEP-0114). Therefore, the checker plays the
XMPP server: it listens at HOST and PORT, and accepts any secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.endpoints import serverFromString
from twisted.internet.protocol import Factory, Protocol
from twisted.words.xish import domish
from twisted.words.xish.domish import Element

from tictac.errors import SetupError
from tictac.plugins.check.cases import Case, Finding, NotApplicable, OtherRuleBroken, Suite
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, Scene, direction
from tictac.plugins.xmpp.xml import COMPONENT, INFO, MUG, OWNER, STANZAS, TTT, USER

PEOPLE = "people.example"

ANONYMITIES = {"semianonymous": (True, False), "nonanonymous": (True, True)}
ANONYMITIES["fullyanonymous"] = (False, False)
"""The kinds of rooms: whether the owner sees addresses, and whether others do."""

_SHORT = {COMPONENT: "", MUG: "", USER: "u:", OWNER: "o:", TTT: "t:", STANZAS: ""}

_HEADER = (
    f"<?xml version='1.0'?><stream:stream xmlns='{COMPONENT}'"
    " xmlns:stream='http://etherx.jabber.org/streams' from='{}' id='check'>"
)


def brief(value: Element | str) -> str:
    """Return an element as ``name a=b(child child)``, with quoted texts, except of errors."""
    if isinstance(value, str):
        return repr(value) if value.strip() else ""
    if (value.uri, value.name) == (STANZAS, "text") or (value.name == "field" and not str(value)):
        return ""
    named = sorted((key, text) for key, text in value.attributes.items() if isinstance(key, str))
    attributes = "".join(f" {key}={text}" for key, text in named if key != "code")
    inner = " ".join(filter(None, map(brief, value.children)))
    prefix = _SHORT.get(value.uri, f"{{{value.uri}}}")
    return f"{prefix}{value.name}{attributes}{f'({inner})' if inner else ''}"


class ComponentServer(Factory):
    """The checker's listener for the component; it passes stanzas to the people of scripts."""

    noisy = False

    def __init__(self, harness: Harness) -> None:
        self.domain = ""
        self.people: dict[str, Callable[[Element], None]] = {}
        self.stream: Stream | None = None
        self.port: Any = None
        self._harness = harness
        self._since = 0
        self._up: Deferred[None] = Deferred()

    async def is_up(self) -> None:
        """Wait until the component of the current start is connected. Raises Finding."""
        if self.stream is not None and self._since == self._harness.starts:
            return
        try:
            await self._up.addTimeout(3 * self._harness.limit, self._harness.clock)
        except TimeoutError:
            self._up = Deferred()
            came = "no handshake came" if self.domain else "nothing connected"
            raise Finding("a component's stream and its handshake", came) from None

    async def stop(self) -> None:
        """Stop listening."""
        if self.stream is not None and self.stream.transport is not None:
            self.stream.transport.loseConnection()
        await self.port.stopListening()

    def buildProtocol(self, addr: object) -> Protocol:
        """Return a stream for a component, or for a check whether the port is open."""
        return Stream(self)

    def begin(self, stream: Stream) -> None:
        """Use the stream of a newly started component, in place of the old one."""
        self.stream, self._since = stream, self._harness.starts
        up, self._up = self._up, Deferred()
        up.callback(None)

    def send(self, xml: str) -> None:
        """Send a stanza to the component."""
        if self.stream is not None and self.stream.transport is not None:
            self.stream.transport.write(xml.encode())

    def route(self, stanza: Element) -> None:
        """Pass a stanza to its receiver, if that is one of the people."""
        take = self.people.get((stanza.getAttribute("to") or "").partition("@")[0])
        if take is not None:
            take(stanza)


class Stream(Protocol):
    """A component's connection."""

    def __init__(self, link: ComponentServer) -> None:
        self._link = link
        self._elements: Any = domish.elementStream()
        self._elements.DocumentStartEvent = self._begin
        self._elements.ElementEvent = self._take
        self._elements.DocumentEndEvent = lambda: None

    def dataReceived(self, data: bytes) -> None:
        assert self.transport is not None
        try:
            self._elements.parse(data)
        except domish.ParserError:
            self.transport.loseConnection()

    def connectionLost(self, reason: object = None) -> None:
        if self._link.stream is self:
            self._link.stream = None

    def _begin(self, root: Element) -> None:
        assert self.transport is not None
        self._link.domain = root.getAttribute("to") or ""
        self.transport.write(_HEADER.format(self._link.domain).encode())

    def _take(self, element: Element) -> None:
        assert self.transport is not None
        if element.name != "handshake":
            self._link.route(element)
        elif self._link.stream is not self:
            self._link.begin(self)
            self.transport.write(b"<handshake/>")


class Stanza(NamedTuple):
    """A stanza from the service to a person.

    ``head`` is the sender, without the service's domain, and the kind: ``den/bob presence``.
    ``facts`` are the names of all elements, their attributes as ``name=value``, and their texts as
    ``name:text``. Moves and marks are also ``move:1,3`` and ``field:1,3=x``. Facts have no order,
    because no rule fixes the order of elements. They omit the role ``none`` and empty fields.
    ``line`` is the whole stanza as text.
    """

    head: str
    facts: frozenset[str]
    line: str

    @classmethod
    def read(cls, element: Element, domain: str) -> Stanza:
        """Read a stanza of a service at ``domain``."""
        sender = (element.getAttribute("from") or "").replace(f"@{domain}", "")
        kind = f" {element.getAttribute('type')}" if element.getAttribute("type") else ""
        head = f"{'.' if sender == domain else sender} {element.name}{kind}"
        facts = {f"id={element.getAttribute('id')}"}
        todo = [each for each in element.children if not isinstance(each, str)]
        while todo:
            each = todo.pop()
            todo += [child for child in each.children if not isinstance(child, str)]
            text, row, col = str(each), each.getAttribute("row"), each.getAttribute("col")
            if each.name == "field" and row and text:
                facts.add(f"field:{row},{col}={text}")
            if each.name == "move":
                facts.add(f"move:{row},{col}")
            facts |= {each.name, f"{each.name}:{text}"}
            facts |= {
                f"{key}={value}"
                for key, value in each.attributes.items()
                if isinstance(key, str) and (key, value) not in (("role", "none"), ("role", ""))
            }
        inner = " ".join(filter(None, map(brief, element.children)))
        return cls(head, frozenset(facts), f"{head}: {inner}")


class ExpectedStanza(NamedTuple):
    """An expected stanza: its head, in which ``*`` matches any text, and its minimum facts."""

    head: str
    facts: frozenset[str]
    text: str

    def matches(self, stanza: Stanza) -> bool:
        """Return whether a stanza has the head and all facts."""
        return fnmatchcase(stanza.head, self.head) and self.facts <= stanza.facts


class MugScene(Scene):
    """A case of an XMPP service, with people who have XMPP accounts.

    In scripts, ``alice< den/bob presence: role=x`` waits for a stanza with this head and fact.
    Other stanzas can come before it, because a service can send more, and in another order.
    """

    cast = re.compile(r"\b(alice|bob|vera|den)\b")
    end = b"\n"

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.link: ComponentServer = harness.found
        self.sent = 0
        self.received: dict[str, list[Stanza]] = {}
        self.claimed: dict[str, set[int]] = {}
        self.asked_at: dict[str, int] = {}

    async def connect(self, name: str) -> Peer:
        """Add a person of that name. Raises Finding if the service isn't connected."""
        await self.link.is_up()
        self.peers[name] = peer = self.new_peer(name)
        self.received[name], self.claimed[name], self.asked_at[name] = [], set(), 0

        def take(element: Element) -> None:
            stanza = Stanza.read(element, self.link.domain)
            self.received[name].append(stanza)
            peer.dataReceived(f"{stanza.line}\n".encode())

        self.link.people[self.name(name)] = take
        return peer

    def wanted(self, text: str) -> Any:
        head, _, facts = self.encode(text).decode().partition(": ")
        return ExpectedStanza(head, frozenset(facts.split()), text)

    async def expect_message(self, peer: Peer, *choices: Any) -> bytes:
        """Wait for a stanza that no earlier line of the script matched. Raises Finding."""
        stanza = await self.expect_stanza(peer.name, *choices)
        return stanza.line.encode()

    async def expect_stanza(
        self, name: str, *choices: ExpectedStanza, limit: float | None = None
    ) -> Stanza:
        """Return the first new stanza to a person that matches a choice. Raises Finding."""
        received, heard, peer = self.received[name], self.claimed[name], self.peers[name]

        def look() -> Stanza | None:
            for number, stanza in enumerate(received):
                if number not in heard and any(choice.matches(stanza) for choice in choices):
                    heard.add(number)
                    return stanza
            return None

        expected = " or ".join(choice.text.replace("* ", " ") for choice in choices)
        try:
            return await peer.until(look, expected, limit)
        except Finding:
            # Stanzas before the last request aren't answers to it.
            left = [
                received[n].line
                for n in range(self.asked_at[name], len(received))
                if n not in heard
            ]
            raise peer.finding(expected, self.describe_received(*left)) from None

    def describe_received(self, *lines: str) -> str:
        """Return a phrase with the received lines, for the report, with the names of scripts."""
        text = "; ".join(lines)
        for name, wire in self.names.items():
            text = text.replace(wire, name).replace(wire.upper(), name.upper())
        return f"{text} came" if lines else "nothing came"

    def index_of(self, name: str, text: str) -> int:
        """Return the index of the first such stanza to a person, or -1."""
        wish = self.wanted(text)
        return next((n for n, each in enumerate(self.received[name]) if wish.matches(each)), -1)

    async def send_message(self, peer: Peer, message: bytes) -> None:
        """Send ``NAME TYPE TO XML`` as a stanza; - means without a type, and . is the service."""
        name, kind, to, inner = message.decode().split(" ", 3)
        node, _, nick = to.partition("/")
        to = (f"{node}@" if node != "." else "") + self.link.domain + (f"/{nick}" if nick else "")
        given = f" type='{kind}'" if kind != "-" else ""
        self.sent += 1
        stanza = (
            f"<{name} from='{self.name(peer.name)}@{PEOPLE}/desk' to='{to}' id='c{self.sent}'"
            f"{given}>{inner}</{name}>"
        )
        if not inner.startswith("<query"):
            self.asked_at.update({name: len(got) for name, got in self.received.items()})
        self.note(peer.name, ">", stanza.encode())
        self.link.send(stanza)

    async def ask(self, name: str, to: str, inner: str, kind: str = "get") -> Stanza:
        """Send an iq, and return the answer. Raises Finding."""
        await self.send_message(await self.peer(name), f"iq {kind} {to} {inner}".encode())
        about = f"id=c{self.sent}"
        wishes = (
            ExpectedStanza(f"* iq {how}", frozenset([about]), f"an iq {how} in answer")
            for how in ("result", "error")
        )
        return await self.expect_stanza(name, *wishes)

    async def finish(self) -> None:
        """Check that the service still answers; its earlier stanzas arrive before the answer."""
        for name in self.peers:
            await self.ask(name, ".", f"<query xmlns='{INFO}'/>")

    async def close(self) -> None:
        """Let all people leave the room."""
        for peer in self._all:
            room = self.encode(f"den/{peer.name}").decode()
            await self.send_message(peer, f"presence unavailable {room} ".encode())
            self.link.people.pop(self.name(peer.name), None)

    # Directions

    @direction(r"(\w+) enters den(?: with (\w+))?")
    async def enter(self, name: str, password: str | None = None) -> None:
        given = f"<password>{password}</password>" if password else ""
        await self._send(
            name, f"presence - den/{name} <game xmlns='{MUG}' var='{TTT}'>{given}</game>"
        )

    @direction(r"(\w+) leaves den")
    async def leave(self, name: str) -> None:
        await self._send(name, f"presence unavailable den/{name} ")

    @direction(r"(\w+) opens den as it is")
    async def configure(self, name: str) -> None:
        form = "<options><x xmlns='jabber:x:data' type='submit'/></options>"
        await self._send(name, f"iq set den <query xmlns='{OWNER}'>{form}</query>")

    @direction(r"(\w+) takes (\w+)")
    async def take(self, name: str, role: str) -> None:
        await self._send(name, f"presence - den <game xmlns='{MUG}'><item role='{role}'/></game>")

    @direction(r"(\w+) starts")
    async def start(self, name: str) -> None:
        await self._send(name, f"message chat den <start xmlns='{USER}'/>")

    @direction(r"(\w+) invites (\w+) by the address in den")
    async def invite(self, name: str, other: str) -> None:
        inner = f"<invite to='{self._in_den(other)}'/>"
        await self._send(name, f"message - den <game xmlns='{USER}'>{inner}</game>")

    @direction(r"(\w+) declines to the address of (\w+) in den")
    async def decline(self, name: str, other: str) -> None:
        inner = f"<decline to='{self._in_den(other)}'/>"
        await self._send(name, f"message - den <game xmlns='{USER}'>{inner}</game>")

    def _in_den(self, name: str) -> str:
        return f"{self.name('den')}@{self.link.domain}/{self.name(name)}"

    @direction(r"(\w+) marks (\d+) (\d+) as number (\d+)")
    async def turn(self, name: str, row: str, col: str, number: str) -> None:
        move = f"<move xmlns='{TTT}' row='{row}' col='{col}' id='{number}'/>"
        await self._send(name, f"message chat den <turn xmlns='{USER}'>{move}</turn>")

    @direction(r"they mark ([\d ,]+)")
    async def turns(self, cells: str) -> None:
        """Make moves in turn, alice first; expect the new state for each person. Raises Finding."""
        for number, cell in enumerate(cells.split(", ")):
            name, mark = ("alice", "x") if number % 2 == 0 else ("bob", "o")
            row, col = cell.split()
            await self.turn(name, row, col, str(number + 1))
            for each in self.peers:
                await self.play(f"{each}< den presence: state field:{row},{col}={mark}")

    @direction(r"(\w+) doesn't get (.+)")
    async def expect_none(self, name: str, text: str) -> None:
        """Check that no stanza matches that earlier lines didn't match. Raises Finding."""
        await self.ask(name, ".", f"<query xmlns='{INFO}'/>")
        wish = self.wanted(text)
        for number, stanza in enumerate(self.received[name]):
            if number not in self.claimed[name] and wish.matches(stanza):
                raise self.peers[name].finding(f"no {text}", self.describe_received(stanza.line))

    @direction(r"to (\w+) (.+) comes before (.+)")
    async def comes_before(self, name: str, one: str, two: str) -> None:
        """Check that the first match of ``one`` came before the first of ``two``."""
        first, second = self.index_of(name, one), self.index_of(name, two)
        if not -1 < first < second:
            came = f"{two} came before it" if first > second else "it didn't come"
            raise self.peers[name].finding(f"{one} before {two}", came)

    @direction(r"(\w+) has a den(?:, and (\w+) is there)?")
    async def den(self, one: str, two: str | None = None) -> None:
        """Create a room, which a second person enters. Raises NotApplicable."""
        await self.enter(one)
        await self.play(f"{one}< den/{one} presence: affiliation=owner")
        await self.configure(one)
        await self.play(f"{one}< den iq result")
        if two is not None:
            await self.joined(two)

    @direction(r"(\w+) joins")
    async def joined(self, name: str) -> None:
        """Let a person enter a room that is open."""
        await self.enter(name)
        await self.play(f"{name}< den/{name} presence")

    @direction(r"(\w+) gets (x|o)")
    async def role(self, name: str, role: str) -> None:
        """Let a person take a role, unless entering has given it. Raises NotApplicable."""
        given = [
            fact
            for stanza in self.received[name]
            for fact in stanza.facts
            if fact.startswith("role=")
            and stanza.head == self.encode(f"den/{name} presence").decode()
        ]
        if not given:
            await self.take(name, role)
            for each in self.peers:
                await self.play(f"{each}< den/{name} presence: role={role}")
        elif given[-1] != f"role={role}":
            raise NotApplicable(f"it gives roles to those who enter, and {name} has {given[-1]}")

    @direction(r"roles are free")
    async def roles_are_free(self) -> None:
        if any("role=x" in stanza.facts for got in self.received.values() for stanza in got):
            raise NotApplicable("it gives roles to those who enter")

    @direction(r"alice and bob play(?:, and (\w+) looks on)?")
    async def match(self, third: str | None = None) -> None:
        """Begin a match."""
        await self.den("alice", "bob")
        if third is not None:
            await self.joined(third)
        await self.role("alice", "x")
        await self.role("bob", "o")
        await self.both_start()

    @direction(r"both start")
    async def both_start(self) -> None:
        """Let both players start, and expect the start for each person. Raises Finding."""
        for name in ("alice", "bob"):
            await self.start(name)
            for each in ("alice", "bob"):
                await self.play(f"{each}< den/{name} message*: start")
        for each in self.peers:
            await self.play(f"{each}< den presence: status:active")

    @direction(r"(\w+) enters as (\w+) in capitals")
    async def enter_in_capitals(self, name: str, other: str) -> None:
        nick = self.name(other).upper()
        game = f"<game xmlns='{MUG}' var='{TTT}'/>"
        await self.send_message(
            await self.peer(name), f"presence - {self.name('den')}/{nick} {game}".encode()
        )

    @direction(r"(\w+) gets an empty board")
    async def empty_board(self, name: str) -> None:
        """Check that the last state has the empty board of the next round. Raises Finding."""

        def is_empty(stanza: Stanza) -> bool:
            marks = [fact for fact in stanza.facts if fact.startswith("field:") and "=" in fact]
            return "board" in stanza.facts and not marks

        await self.ask(name, ".", f"<query xmlns='{INFO}'/>")
        last = [stanza for stanza in self.received[name] if "state" in stanza.facts][-1]
        if not is_empty(last):
            raise self.peers[name].finding(
                "an empty board for the next round", self.describe_received(last.line)
            )

    @direction(r"(\w+) has lost the role (x|o)")
    async def lost_role(self, name: str, role: str) -> None:
        """Check that a person's last presence lacks a role. Raises OtherRuleBroken."""
        await self.ask(name, ".", f"<query xmlns='{INFO}'/>")
        wish = self.wanted(f"den/{name} presence")
        last = [stanza for stanza in self.received[name] if wish.matches(stanza)][-1]
        if f"role={role}" in last.facts:
            expected = f"{name} gets the presence of {name} without the role"
            raise OtherRuleBroken("X4.7", expected, self.describe_received(last.line))

    @direction(r"den is asked what it is")
    async def room_info(self) -> None:
        answer = await self.ask("alice", self.name("den"), f"<query xmlns='{INFO}'/>")
        if not {"identity", f"var={MUG}"} <= answer.facts:
            raise self.peers["alice"].finding(
                "an identity and features", self.describe_received(answer.line)
            )

    @direction(r"addresses are seen by whom the room says")
    async def addresses(self) -> None:
        """Check that people see addresses as the room's kind says. Raises Finding."""
        answer = await self.ask("alice", self.name("den"), f"<query xmlns='{INFO}'/>")
        kind = next(
            (name for name in ANONYMITIES if any(name in each for each in answer.facts)), None
        )
        if kind is None:
            raise NotApplicable("the room doesn't say who sees addresses")
        seen = {
            "alice": self._is_shown("alice", "bob"), "bob": self._is_shown("bob", "alice"),
        }  # fmt: skip
        if tuple(seen.values()) != ANONYMITIES[kind]:
            whom_shown = " and ".join(name for name, known in seen.items() if known) or "nobody"
            whom = {"semianonymous": "the owner alone", "nonanonymous": "all"}.get(kind, "nobody")
            raise self.peers["bob"].finding(
                f"addresses shown to {whom}, since the room is {kind}",
                f"{whom_shown} saw the other's",
            )

    def _is_shown(self, name: str, other: str) -> bool:
        address = f"jid={self.name(other)}@{PEOPLE}/desk"
        return any(address in stanza.facts for stanza in self.received[name])

    @direction(r"each presence of an occupant has an affiliation")
    async def affiliations(self) -> None:
        for name, got in self.received.items():
            for stanza in got:
                if re.fullmatch(r"\S+/\S+ presence", stanza.head) and not any(
                    fact.startswith("affiliation=") for fact in stanza.facts
                ):
                    raise self.peers[name].finding(
                        "an affiliation", self.describe_received(stanza.line)
                    )

    @direction(r"(\w+) sets (.+)")
    async def sets(self, name: str, wishes: str) -> None:
        """Configure the room: fields by the ends of their names. Raises NotApplicable."""
        answer = await self.set_fields(name, wishes)
        if answer.head.endswith("error"):
            raise self.peers[name].finding(
                "the configuration to be taken", self.describe_received(answer.line)
            )

    async def set_fields(self, name: str, wishes: str) -> Stanza:
        """Return the answer to a configuration. Raises NotApplicable if the form lacks a field."""
        asked = await self.ask(name, self.name("den"), f"<query xmlns='{OWNER}'/>")
        known = [fact.removeprefix("var=") for fact in asked.facts if fact.startswith("var=")]
        fields = ""
        for wish in wishes.split(", "):
            ending, _, value = wish.partition("=")
            var = next((each for each in known if each.endswith(f"_{ending}")), None)
            if var is None:
                raise NotApplicable(f"its form has no field {ending}")
            fields += f"<field var='{var}'><value>{value}</value></field>"
        form = f"<options><x xmlns='jabber:x:data' type='submit'>{fields}</x></options>"
        return await self.ask(
            name, self.name("den"), f"<query xmlns='{OWNER}'>{form}</query>", "set"
        )

    @direction(r"(\w+) can't set (.+)")
    async def refuses(self, name: str, wishes: str) -> None:
        answer = await self.set_fields(name, wishes)
        if "not-acceptable" not in answer.facts:
            raise self.peers[name].finding("not-acceptable", self.describe_received(answer.line))

    async def _send(self, name: str, message: str) -> None:
        await self.send_message(await self.peer(name), self.encode(message))


async def listen(harness: Harness) -> None:
    """Listen for the component, before its start: it can try only once. Raises SetupError."""
    target = harness.target
    target.keep_port()
    harness.found = link = ComponentServer(harness)
    address = f"tcp:{target.port}:interface={target.host.replace(':', chr(92) + ':')}"
    try:
        link.port = await serverFromString(target.reactor, address).listen(link)
    except OSError as error:
        raise SetupError(f"the checker can't listen on port {target.port}: {error}") from None


async def comes(scene: MugScene) -> None:
    """Wait for the component."""
    await scene.link.is_up()
    scene.harness.target.was_reached = True


async def probe(harness: Harness, peer: Peer) -> None:
    """Check that the component is still connected."""
    if harness.found.stream is None:
        raise Finding("", "the component has ended its stream")


SUITE = Suite(
    "mug", "docs/reference/xmpp-rules.md", read_rules(__package__), MugScene, probe, prepare=listen
)

SUITE.read_cases(__package__, "server.txt", globals())
