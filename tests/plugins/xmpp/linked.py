"""Accounts that are linked with XMPP addresses."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from tests.plugins.xmpp.helpers import World, parse_all
from tests.plugins.xmpp.talker import Talker
from tests.storage.memory import MemoryStore
from tictac.accounts.tables import Account
from tictac.reactor import Work

ALICE = "alice@example.org"


def world(late: bool = False, **settings: Any) -> World:
    """Return a service whose database has the accounts alice and bob."""
    accounts = [Account(name, "x") for name in ("alice", "bob")]
    return World(MemoryStore(accounts), late=late, **settings)


def outcome(work: Work[Any]) -> Deferred[Any]:
    """Begin work; return its outcome."""
    return Deferred.fromCoroutine(work)


def link(world: World, account: str = "alice", person: str = "") -> None:
    """Link an address with an account, without the messages about that."""
    added = outcome(world.links.add(person or f"{account}@example.org", account))
    assert added.result is True


def ask(world: World, account: str = "alice", address: str = ALICE) -> str:
    """Let an account ask for an address; return its code. The message is in ``world.sent``."""
    asked = outcome(world.server.linking.ask(account, address, "en"))
    failures: list[Any] = []
    asked.addErrback(failures.append)
    answer_pings(world)
    if failures:
        failures[0].raiseException()
    return world.server.linking.waiting(account)[address]


def answer_pings(world: World) -> None:
    """Let the servers of receivers answer the pings that follow messages."""
    for stanza in parse_all("".join(world.sent)):
        if stanza.name == "iq" and stanza["type"] == "get":
            to, server, asked = stanza["from"], stanza["to"], stanza["id"]
            world.receive(f"<iq from='{server}' to='{to}' type='result' id='{asked}'/>")


def say(world: World, name: str, text: str, to: str = "") -> str:
    """Type something; return what the service answers."""
    world.sent.clear()
    return Talker(world, name).say(text, to)
