"""The checker finds what is wrong with a service over XMPP: ours, when its words are changed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock
from twisted.words.xish import domish

from tests.accounts.helpers import in_reactor
from tests.engines.helpers import NoEngine
from tests.plugins.check.helpers import Skipping, outcomes
from tests.storage.memory import MemoryStore
from tictac.lobby.registry import Registry
from tictac.plugins.check.cases import Verdict
from tictac.plugins.check.scene import Harness
from tictac.plugins.check.target import Target, free_port
from tictac.plugins.xmpp.gateway import Gateway, XmppSettings
from tictac.plugins.xmpp.links import Links, LinkTables
from tictac.plugins.xmpp.saved import RoomTables
from tictac.plugins.xmpp.server import MugServer
from tictac.plugins.xmpp.xml import MUG
from tictac.storage.store import Stored
from tictac.testing.server import raise_fault

DOMAIN = "games.example"

Change = Callable[[str], str]


def without(*marks: str) -> Change:
    """Say nothing that has all these in it."""
    return lambda text: "" if all(mark in text for mark in marks) else text


def instead(old: str, new: str) -> Change:
    """Say something else."""
    return lambda text: text.replace(old, new)


def when(*marks: str, then: Change) -> Change:
    """Change only what has all these in it."""
    return lambda text: then(text) if all(mark in text for mark in marks) else text


def after(mark: str, then: Change) -> Change:
    """Change what comes after something that has this in it."""
    seen = False

    def change(text: str) -> str:
        nonlocal seen
        was_seen, seen = seen, seen or mark in text
        return then(text) if was_seen else text

    return change


def room_last(text: str) -> str:
    """Tell bob of the room behind all else."""
    found = re.search("<presence from='[^/']*' to='bob[^>]*>.*?</presence>", text)
    return text.replace(found[0], "") + found[0] if found else text


def early_start(text: str) -> str:
    """Begin when bob starts, whoever else has."""
    found = re.search("<message from='(den[^/]*)/bob[^']*' to='(alice[^']*)'.*<start", text)
    if found is None:
        return text
    status = f"<game xmlns='{MUG}'><status>active</status></game>"
    return f"{text}<presence from='{found[1]}' to='{found[2]}'>{status}</presence>"


def passed_on(text: str) -> str:
    """Pass a turn on that was refused because it was sent to an occupant."""
    ends = "from='(den[^/]*)/(bob[^']*)' to='(alice[^@]*)(@[^']*)' type='error'"
    found = re.search(f"{ends}[^>]*>(<turn.*?</turn>)", text)
    if found is None:
        return text
    room, bob, alice, host, turn = found.groups()
    return f"{text}<message from='{room}/{alice}' to='{bob}{host}' type='chat'>{turn}</message>"


PAUSED = "<status>paused</status>"


def pauses_for_leavers() -> Change:
    """Tell of a pause only where somebody has left just before."""
    left = False

    def change(text: str) -> str:
        nonlocal left
        left = left or "type='unavailable'" in text
        if PAUSED in text and not left:
            return ""
        if "<status>active" in text:
            left = False
        return text

    return change


FAULTS: Mapping[str, tuple[Change, str]] = {
    "has no identity": (instead("<identity", "<nothing"), "mug-1.2"),
    "ignores what it doesn't know": (without("service-unavailable"), "mug-1.3"),
    "has rooms without an identity": (
        when("mug_semianonymous", then=instead("<identity", "<nothing")), "mug-1.4",
    ),
    "searches nothing": (without("<query xmlns='jabber:iq:search'"), "mug-1.5"),
    "makes nobody the owner": (instead("affiliation='owner'", "affiliation='none'"), "mug-2.1"),
    "opens no room": (instead("<status>inactive</status>", "<status>created</status>"), "mug-2.2"),
    "finds locked rooms": (instead("item-not-found", "forbidden"), "mug-2.3"),
    "tells only the newcomer": (without("presence", "jid='bob"), "mug-2.4"),
    "has its own errors": (instead("conflict", "gone"), "mug-2.5"),
    "says nothing of another game": (without("presence", "type='error'"), "mug-2.6"),
    "hides addresses from the owner": (lambda text: re.sub(" jid='[^']*'", "", text), "mug-2.7"),
    "tells of the room last": (room_last, "mug-2.8"),
    "leaves an affiliation out": (
        when("jid='bob", then=instead(" affiliation='none'", "")), "mug-2.9",
    ),
    "takes a nick in other letters": (when("/BOB", then=instead("conflict", "gone")), "mug-2.10"),
    "makes rooms without a game": (without("bad-request"), "mug-2.11"),
    "has another error for passwords": (instead("not-authorized", "forbidden"), "mug-2.12"),
    "has another error for guests": (instead("registration-required", "forbidden"), "mug-2.13"),
    "keeps roles to itself": (without("role='x'", "jid='bob"), "mug-3.1"),
    "has any roles": (instead("not-acceptable", "forbidden"), "mug-3.2"),
    "never begins": (without("<status>active</status>"), "mug-3.3"),
    "lets nobody wait": (instead("not-allowed", "forbidden"), "mug-3.4"),
    "remembers starts": (early_start, "mug-3.5"),
    "swaps rows and columns": (
        instead("<field row='1' col='3'>", "<field row='3' col='1'>"), "mug-4.1",
    ),
    "puts nobody out": (without("unavailable", "invalid-turn"), "mug-4.2"),
    "forgets who has won": (instead("<won>x</won>", ""), "mug-4.3"),
    "leaves turns that it can't read": (without("bad-request"), "mug-4.4"),
    "knows no draw": (instead("<draw/>", ""), "mug-4.5"),
    "says nothing of a taken cell": (without("invalid-turn", "id='2'"), "mug-4.6"),
    "lets the owner keep the role": (
        when("id='3'", then=instead("'owner' role='none'", "'owner' role='x'")), "mug-4.7",
    ),
    "has another error for spectators": (instead("forbidden", "not-allowed"), "mug-4.8"),
    "has another error before the match": (
        when("<turn", then=instead("not-allowed", "forbidden")), "mug-4.9",
    ),
    "passes any turn on": (passed_on, "mug-4.10"),
    "never pauses": (without(PAUSED), "mug-5.1"),
    "pauses for who leaves alone": (pauses_for_leavers(), "mug-5.2"),
    "begins anew after a pause": (
        after(PAUSED, instead("<field row='1' col='1'>x</field>", "")), "mug-5.3",
    ),
    "tells nobody of a nick": (without("nick='vera"), "mug-5.4"),
    "passes no messages on": (without("<body>"), "mug-5.5"),
    "tells the owner alone of options": (without("configuration-changed", "to='bob"), "mug-5.6"),
    "invites nobody from a room": (without("<invited"), "mug-5.8"),
    "takes any strike": (instead("not-acceptable", "bad-request"), "mug-5.7"),
}  # fmt: skip


class Component(Protocol):
    """Our service, as a component; what it says is changed first."""

    def __init__(self, change: Change) -> None:
        registry = Registry(0, Clock().seconds, raise_fault, 0, rng=Random(1))
        given: Any = {"max_events": 100, "budget": 0}
        gateway = Gateway(registry, Clock(), Random(1), NoEngine(), XmppSettings(DOMAIN, **given))
        self._change, self.steps = change, 0
        links = Links(Stored(MemoryStore(), LinkTables), lambda: 0.0)
        self._service = MugServer(gateway, Stored(MemoryStore(), RoomTables), self._say, links)
        self._elements: Any = domish.elementStream()
        self._elements.DocumentStartEvent = self._greet
        self._elements.ElementEvent = self._take
        self._elements.DocumentEndEvent = lambda: None

    def connectionMade(self) -> None:
        self._write(
            "<stream:stream xmlns='jabber:component:accept'"
            f" xmlns:stream='http://etherx.jabber.org/streams' to='{DOMAIN}'>"
        )

    def dataReceived(self, data: bytes) -> None:
        self.steps += 1
        self._elements.parse(data)

    def _greet(self, root: Any) -> None:
        digest = hashlib.sha1((root["id"] + "secret").encode()).hexdigest()
        self._write(f"<handshake>{digest}</handshake>")

    def _take(self, element: Any) -> None:
        if element.name != "handshake":
            self._service.receive(element)

    def _say(self, text: str) -> None:
        self._write(self._change(text))

    def _write(self, text: str) -> None:
        self.steps += 1
        if self.transport is not None:
            self.transport.write(text.encode())


class ComponentTarget(Target):
    """A component that connects once the checker listens."""

    def __init__(self, change: Change) -> None:
        super().__init__(reactor, port=free_port("127.0.0.1"))
        self._component = Component(change)

    def start(self) -> None:
        any_reactor: Any = reactor
        endpoint = TCP4ClientEndpoint(any_reactor, "127.0.0.1", self.port)
        any_reactor.callLater(0, connectProtocol, endpoint, self._component)

    def rest(self) -> int | None:
        """See helpers.Skipping."""
        return None if self._component.transport is None else self._component.steps

    async def stop(self) -> None:
        if self._component.transport is not None:
            self._component.transport.loseConnection()


async def faults(change: Change, case: str) -> list[str]:
    """Return the cases that find something, of one and those that it needs."""
    target = ComponentTarget(change)
    harness = Harness(Skipping(target.rest), target, 1)
    found = await outcomes("mug", harness, case)
    if harness.found is not None:
        await harness.found.stop()
    return [each.case.number for each in found if each.verdict is not Verdict.PASS]


@in_reactor
async def test_each_change_is_found_by_its_case() -> None:
    async def one(name: str, change: Change, case: str) -> str:
        found = await faults(change, case)
        return "" if found == [case] else f"\n{name} ({case}): {found}"

    tried = [Deferred.fromCoroutine(one(name, *fault)) for name, fault in FAULTS.items()]
    said = "".join(await gatherResults(tried, consumeErrors=True))
    assert not said, said


@in_reactor
async def test_our_service_passes() -> None:
    assert await faults(str, "") == []
