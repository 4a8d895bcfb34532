"""The suite for services of tic-tac-toe over XMPP; the cases are in server.txt.

Such a service is an external component of an XMPP server (XEP-0114). So the checker plays that
server: it listens at HOST and PORT, and accepts any secret.
"""

from __future__ import annotations

import re
from typing import Any

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.endpoints import serverFromString
from twisted.internet.protocol import Factory, Protocol
from twisted.words.xish import domish

from tictac.errors import SetupError
from tictac.plugins.check.cases import Case, Finding, Suite
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, Scene, direction
from tictac.plugins.xmpp.xml import COMPONENT, MUG, OWNER, STANZAS, TTT, USER

PEOPLE = "people.example"

_SHORT = {COMPONENT: "", MUG: "", USER: "u:", OWNER: "o:", TTT: "t:", STANZAS: ""}

_HEADER = (
    f"<?xml version='1.0'?><stream:stream xmlns='{COMPONENT}'"
    " xmlns:stream='http://etherx.jabber.org/streams' from='{}' id='check'>"
)


def brief(value: Any) -> str:
    """Return an element as ``name a=b(child child)``, with texts in quotes, but not of errors."""
    if isinstance(value, str):
        return repr(value) if value.strip() else ""
    if (value.uri, value.name) == (STANZAS, "text"):
        return ""
    named = sorted((key, text) for key, text in value.attributes.items() if isinstance(key, str))
    attributes = "".join(f" {key}={text}" for key, text in named if key != "code")
    inner = " ".join(filter(None, map(brief, value.children)))
    prefix = _SHORT.get(value.uri, f"{{{value.uri}}}")
    return f"{prefix}{value.name}{attributes}{f'({inner})' if inner else ''}"


class ComponentServer(Factory):
    """The checker's side of the component's stream, which passes stanzas to the peers."""

    noisy = False

    def __init__(self) -> None:
        self.domain = ""
        self.people: dict[str, Peer] = {}
        self.stream: Stream | None = None
        self.up: Deferred[None] = Deferred()
        self.port: Any = None

    async def stop(self) -> None:
        """Stop listening."""
        if self.stream is not None and self.stream.transport is not None:
            self.stream.transport.loseConnection()
        await self.port.stopListening()

    def buildProtocol(self, addr: object) -> Protocol:
        """Return the stream of a component; a second connection only probes the port."""
        return Stream(self) if self.stream is None else Protocol()

    def send(self, xml: str) -> None:
        """Send a stanza to the component."""
        if self.stream is not None and self.stream.transport is not None:
            self.stream.transport.write(xml.encode())

    def route(self, stanza: Any) -> None:
        """Pass a stanza, in short, to the peer that it is for."""
        peer = self.people.get((stanza.getAttribute("to") or "").partition("@")[0])
        if peer is not None:
            sender = (stanza.getAttribute("from") or "").replace(f"@{self.domain}", "")
            kind = f" {stanza.getAttribute('type')}" if stanza.getAttribute("type") else ""
            inner = " ".join(filter(None, map(brief, stanza.children)))
            peer.dataReceived(f"{sender} {stanza.name}{kind}: {inner}\n".encode())


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
            self._link.stream, self._link.up = None, Deferred()

    def _begin(self, root: Any) -> None:
        assert self.transport is not None
        self._link.domain = root.getAttribute("to") or ""
        self.transport.write(_HEADER.format(self._link.domain).encode())

    def _take(self, element: Any) -> None:
        assert self.transport is not None
        if element.name != "handshake":
            self._link.route(element)
        elif self._link.stream is None:
            self._link.stream = self
            self.transport.write(b"<handshake/>")
            self._link.up.callback(None)


class MugScene(Scene):
    """People with XMPP accounts; scripts have the stanzas in short."""

    cast = re.compile(r"\b(alice|bob|vera|den)\b")
    end = b"\n"

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.link: ComponentServer = harness.found
        self.sent = 0

    async def connect(self, name: str) -> Peer:
        """Add a person of that name."""
        self.peers[name] = self.link.people[self.name(name)] = peer = self.new_peer(name)
        return peer

    def wanted(self, text: str) -> re.Pattern[bytes]:
        return re.compile(b".*".join(map(re.escape, self.encode(text).split(b"..."))))

    async def say(self, peer: Peer, message: bytes) -> None:
        """Send ``NAME TYPE TO XML`` as a stanza; - is no type, and . is the service."""
        name, kind, to, inner = message.decode().split(" ", 3)
        node, _, nick = to.partition("/")
        to = (f"{node}@" if node != "." else "") + self.link.domain + (f"/{nick}" if nick else "")
        given = f" type='{kind}'" if kind != "-" else ""
        self.sent += 1
        stanza = (
            f"<{name} from='{self.name(peer.name)}@{PEOPLE}/desk' to='{to}' id='c{self.sent}'"
            f"{given}>{inner}</{name}>"
        )
        self.note(peer.name, ">", stanza.encode())
        self.link.send(stanza)

    async def finish(self) -> None:
        """Expect nothing more before the answer to a last request."""
        for peer in self.peers.values():
            await self.say(peer, b"iq get . <query xmlns='urn:example:nothing'/>")
            await peer.expect(re.compile(rb"\S* iq error: .*service-unavailable.*"))

    async def close(self) -> None:
        """Disconnect all clients."""
        for peer in self._all:
            room = self.encode(f"den/{peer.name}").decode()
            await self.say(peer, f"presence unavailable {room} ".encode())
            self.link.people.pop(self.name(peer.name), None)

    # Directions

    @direction(r"(\w+) enters den")
    async def enter(self, name: str) -> None:
        await self._say(name, f"presence - den/{name} <game xmlns='{MUG}' var='{TTT}'/>")

    @direction(r"(\w+) leaves den")
    async def leave(self, name: str) -> None:
        await self._say(name, f"presence unavailable den/{name} ")

    @direction(r"(\w+) opens den as it is")
    async def configure(self, name: str) -> None:
        form = "<options><x xmlns='jabber:x:data' type='submit'/></options>"
        await self._say(name, f"iq set den <query xmlns='{OWNER}'>{form}</query>")

    @direction(r"(\w+) takes (\w+)")
    async def take(self, name: str, role: str) -> None:
        await self._say(name, f"presence - den <game xmlns='{MUG}'><item role='{role}'/></game>")

    @direction(r"(\w+) starts")
    async def start(self, name: str) -> None:
        await self._say(name, f"message chat den <start xmlns='{USER}'/>")

    @direction(r"(\w+) marks (\d+) (\d+) as number (\d+)")
    async def turn(self, name: str, row: str, col: str, number: str) -> None:
        move = f"<move xmlns='{TTT}' row='{row}' col='{col}' id='{number}'/>"
        await self._say(name, f"message chat den <turn xmlns='{USER}'>{move}</turn>")

    @direction(r"(\w+) has a den, and (\w+) is there")
    async def den(self, one: str, two: str) -> None:
        """Create a room, which a second person enters."""
        await self.play(f"""
            ({one} enters den)
            {one}< den presence: ...
            {one}< den/{one} presence: ...
            ({one} opens den as it is)
            {one}< den presence: ... | den iq result: ...
            {one}< den presence: ... | den iq result: ...
            ({two} enters den)
            {one}< den/{two} presence: ...
            {two}< den presence: ...
            {two}< den/{one} presence: ...
            {two}< den/{two} presence: ...
        """)

    @direction(r"(\w+) and (\w+) play")
    async def match(self, one: str, two: str) -> None:
        """Begin a match."""
        await self.den(one, two)
        for name, role in ((one, "x"), (two, "o")):
            await self.take(name, role)
            for each in (one, two):
                await self.play(f"{each}< den/{name} presence: game(item ...role={role})")
        for name in (one, two):
            await self.start(name)
            for each in (one, two):
                await self.play(f"{each}< den/{name} message chat: ...u:start...")
        for each in (one, two):
            await self.play(f"{each}< den presence: game(status('active') ...)")

    async def _say(self, name: str, message: str) -> None:
        await self.say(await self.peer(name), self.encode(message))


async def comes(scene: MugScene) -> None:
    """Listen, and wait for the component."""
    target, clock = scene.harness.target, scene.harness.clock
    if scene.link is None:
        scene.harness.found = scene.link = ComponentServer()
        address = f"tcp:{target.port}:interface={target.host.replace(':', chr(92) + ':')}"
        try:
            scene.link.port = await serverFromString(target.reactor, address).listen(scene.link)
        except OSError as error:
            raise SetupError(f"the checker can't listen on port {target.port}: {error}") from None
    if scene.link.stream is None:
        try:
            await scene.link.up.addTimeout(3 * scene.harness.limit, clock)
        except TimeoutError:
            came = "nothing connected" if not scene.link.domain else "no handshake came"
            raise Finding("a component's stream and its handshake", came) from None
    target.was_reached = True


async def probe(harness: Harness, peer: Peer) -> None:
    """Check that the component is still connected."""
    if harness.found.stream is None:
        raise Finding("", "the component has ended its stream")


SUITE = Suite("mug", "docs/xmpp.md", read_rules(__package__), MugScene, probe)

SUITE.read_cases(__package__, "server.txt", globals())
