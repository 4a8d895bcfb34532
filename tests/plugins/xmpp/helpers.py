"""The XMPP service without an XMPP server, and a short way to write stanzas down."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

from twisted.internet.task import Clock
from twisted.words.xish import domish

from tests.engines.helpers import NoEngine
from tests.lobby.late import Late
from tests.storage.memory import MemoryStore
from tictac.lobby.registry import Registry
from tictac.plugins.xmpp.gateway import Gateway, XmppSettings
from tictac.plugins.xmpp.link_desk import LinkDesk
from tictac.plugins.xmpp.links import Links, LinkTables
from tictac.plugins.xmpp.saved import RoomTables
from tictac.plugins.xmpp.server import MugServer
from tictac.plugins.xmpp.xml import COMPONENT, MUG, OWNER, STANZAS, TTT, USER
from tictac.storage.store import Stored
from tictac.testing.server import raise_fault

DOMAIN = "games.example"
START = 1_790_000_000.0
"""The time of day at the beginning, in seconds since 1970."""
GAME = f"<game xmlns='{MUG}' var='{TTT}'/>"

_SHORT = {COMPONENT: "", MUG: "", USER: "u:", OWNER: "o:", TTT: "t:", STANZAS: ""}


def parse_all(text: str) -> list[Any]:
    """Return the elements of domish in ``text``, as a component's stream delivers them."""
    found: list[Any] = []
    stream: Any = domish.elementStream()
    stream.DocumentStartEvent = lambda root: None
    stream.ElementEvent = found.append
    stream.DocumentEndEvent = lambda: None
    stream.parse(f"<stream xmlns='{COMPONENT}'>{text}</stream>".encode())
    return found


def parse(text: str) -> Any:
    """Return the one element in ``text``."""
    [tree] = parse_all(text)
    return tree


def brief(value: Any) -> str:
    """Return an element in short: ``name a=b(child child)``.

    Attributes are sorted, texts quoted, and those of errors left out.
    """
    if isinstance(value, str):
        return repr(value)
    prefix = _SHORT.get(value.uri, f"{{{value.uri}}}")
    attributes = "".join(f" {key}={text}" for key, text in _attributes(value))
    inner = " ".join(brief(child) for child in value.children if not _is_error_text(child))
    return f"{prefix}{value.name}{attributes}{f'({inner})' if inner else ''}"


def _attributes(value: Any) -> list[tuple[str, str]]:
    return sorted((key, text) for key, text in value.attributes.items() if isinstance(key, str))


def _is_error_text(child: Any) -> bool:
    return not isinstance(child, str) and (child.uri, child.name) == (STANZAS, "text")


def line(stanza: Any) -> str:
    """Return a stanza in short: its recipient, sender, type, and content."""
    to = (stanza.getAttribute("to") or "?").replace("@example.org", "")
    sender = (stanza.getAttribute("from") or "?").replace(f"@{DOMAIN}", "")
    kind = {"presence": "", "message": " message", "iq": " iq"}[stanza.name]
    if stanza.getAttribute("type"):
        kind += f" {stanza.getAttribute('type')}"
    inner = " ".join(brief(child) for child in stanza.children)
    return f"{to} < {sender}{kind}: {inner}"


class World:
    """A service; what it sends is read with :meth:`read`.

    If it is ``late``, the lobby's rooms are in a journal, whose commits come after each stanza and
    before what is sent is read.
    """

    def __init__(
        self,
        store: Any = None,
        lobby: Registry | None = None,
        rejoin: float = 0,
        late: bool = False,
        **settings: float,
    ) -> None:
        self.clock = Clock()
        self._late: Late | None = None
        if late:
            self._late = Late(rejoin_timeout=rejoin, clock=self.clock)
            lobby = self._late.registry
            lobby.start()
        self.sent: list[str] = []
        self.store: Any = store or MemoryStore()
        self.store.start()
        self.lobby = lobby or Registry(0, self.clock.seconds, raise_fault, rejoin, rng=Random(1))
        given: Any = {"max_events": 100, "budget": 0, "budget_burst": 0, **settings}
        gateway = Gateway(
            self.lobby, self.clock, Random(1), NoEngine(), XmppSettings(DOMAIN, **given)
        )
        saved = Stored(self.store, RoomTables)
        self.links = Links(Stored(self.store, LinkTables), lambda: START + self.clock.seconds())
        self.server = MugServer(gateway, saved, self.sent.append, self.links)
        self.rooms, self.gateway = self.server.rooms, gateway

    @property
    def link_desk(self) -> LinkDesk:
        """The part of XMPP in the lobby protocol."""
        return LinkDesk(self.server.linking, self.rooms.link)

    def receive(self, text: str) -> None:
        """Let stanzas come in."""
        for tree in parse_all(text):
            self.server.receive(tree)
            self.commit()

    def commit(self) -> None:
        """Let the lobby's journal save what is decided, if there is one."""
        if self._late is not None:
            self._late.settle(partial(self.clock.advance, 0))

    def stanzas(self) -> list[Any]:
        """Return the stanzas sent since the last time."""
        self.commit()
        sent, self.sent[:] = "".join(self.sent), []
        return parse_all(sent)

    def read(self) -> list[str]:
        """Return the stanzas sent since the last time, in short."""
        return [line(stanza) for stanza in self.stanzas()]

    def client(self, name: str) -> Client:
        """Return the client of a user: ``alice`` or ``alice/phone``."""
        person, _, resource = name.partition("/")
        return Client(self, f"{person}@example.org/{resource or 'desk'}")

    def den(self, *names: str, **options: str) -> list[Client]:
        """Open a room den with these clients; the first owns it, and sets these options."""
        clients = [self.client(name) for name in names]
        clients[0].enter("den", names[0].partition("/")[0])
        clients[0].configure("den", **options)
        for client, name in zip(clients[1:], names[1:], strict=True):
            client.enter("den", name.partition("/")[0], options.get("roomsecret"))
        self.read()
        return clients

    def match(self, *viewers: str, **options: str) -> list[Client]:
        """Begin a match of alice (x) and bob (o) in den, which alice owns."""
        clients = self.den("alice", "bob", *viewers, **options)
        for client, role in zip(clients, "xo", strict=False):
            client.take("den", role)
            client.start("den")
        clients[0].start("den")
        self.read()
        return clients


class Client:
    """Somebody's client, which says what a MUG client says; each call gives the answers."""

    def __init__(self, world: World, address: str) -> None:
        self.world = world
        self.address = address
        self._ids = 0

    def send(self, name: str, to: str, inner: str = "", kind: str = "") -> list[str]:
        """Send a stanza to ``to``, which may be short for a room's address."""
        node, _, resource = to.partition("/")
        full = node if not node or "." in node else f"{node}@{DOMAIN}"
        full = (full or DOMAIN) + (f"/{resource}" if resource else "")
        self._ids += 1
        given = f" type='{kind}'" if kind else ""
        self.world.receive(
            f"<{name} from='{self.address}' to=\"{full}\" id='{self._ids}'{given}>{inner}</{name}>"
        )
        return self.world.read()

    def presence(self, to: str, inner: str = "", kind: str = "") -> list[str]:
        return self.send("presence", to, inner, kind)

    def message(self, to: str, inner: str, kind: str = "chat") -> list[str]:
        return self.send("message", to, inner, kind)

    def iq(self, to: str, inner: str, kind: str = "set") -> list[str]:
        return self.send("iq", to, inner, kind)

    def enter(self, room: str, nick: str, password: str | None = None) -> list[str]:
        secret = "" if password is None else f"<password>{password}</password>"
        game = f"<game xmlns='{MUG}' var='{TTT}'>{secret}</game>"
        return self.presence(f"{room}/{nick}", game)

    def leave(self, room: str, nick: str) -> list[str]:
        return self.presence(f"{room}/{nick}", kind="unavailable")

    def configure(self, room: str, **options: str) -> list[str]:
        """Submit both forms; ``rows`` and the like belong to the game."""
        game = {"rows", "cols", "strike", "first"}
        mine = "".join(
            field(f"mug#roomconfig_{name}", value)
            for name, value in options.items()
            if name not in game
        )
        theirs = "".join(
            field(f"mug/tictactoe#config_{name}", value)
            for name, value in options.items()
            if name in game
        )
        return self.owner(
            room,
            f"<options>{submit(mine)}<options xmlns='{TTT}'>{submit(theirs)}</options></options>",
        )

    def owner(self, room: str, inner: str, kind: str = "set") -> list[str]:
        return self.iq(room, f"<query xmlns='{OWNER}'>{inner}</query>", kind)

    def take(self, room: str, role: str) -> list[str]:
        return self.presence(room, f"<game xmlns='{MUG}'><item role='{role}'/></game>")

    def start(self, room: str) -> list[str]:
        return self.message(room, f"<start xmlns='{USER}'/>")

    def turn(self, room: str, row: object, col: object, number: object) -> list[str]:
        move = f"<move xmlns='{TTT}' row='{row}' col='{col}' id='{number}'/>"
        return self.message(room, f"<turn xmlns='{USER}'>{move}</turn>")

    def chat(self, to: str, body: str) -> list[str]:
        """Type something; the bodies that come back, each with who gets it and from where."""
        return self.message(to, f"<body>{body}</body>")


def field(name: str, value: str) -> str:
    """Return a field of a form with this value."""
    return f"<field var='{name}'><value>{value}</value></field>"


def submit(fields: str, kind: str = "submit") -> str:
    """Return a completed form."""
    return f"<x xmlns='jabber:x:data' type='{kind}'>{fields}</x>"


def filled(**fields: str) -> str:
    """Return a completed form with these values."""
    return submit("".join(field(name, value) for name, value in fields.items()))


def play(first: Client, second: Client, *moves: tuple[int, int]) -> list[str]:
    """Make these moves in den in turn; what the last one led to."""
    answers: list[str] = []
    for number, (row, col) in enumerate(moves, 1):
        answers = (first, second)[1 - number % 2].turn("den", row, col, number)
    return answers


def come_back(world: World, person: str, stanza_id: str) -> None:
    """Let what was sent to a person who doesn't exist come back to den, as Prosody sends it."""
    world.receive(
        f"<message from='{person}@example.org' to='den@games.example' id='{stanza_id}'"
        f" type='error'><error type='cancel'><service-unavailable xmlns='{STANZAS}'/></error>"
        "</message>"
    )
