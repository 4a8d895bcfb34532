"""Blocked players and reports, typed in a chat with the service."""

from __future__ import annotations

from typing import Any

from tests.plugins.xmpp.helpers import World
from tests.plugins.xmpp.linked import link, say, world
from tests.storage.memory import MemoryStore
from tictac.accounts.tables import Account
from tictac.plugins.privacy.desk import Desk
from tictac.plugins.privacy.tables import PrivacyTables, Report


def served() -> tuple[World, PrivacyTables]:
    """Return a service with the lists of players, and their tables."""
    found = world()
    store = MemoryStore([Account(name, "x") for name in ("alice", "bob")])
    store.start()
    lobby: Any = type("Lobby", (), {"registry": found.rooms.gateway.registry})()
    accounts: Any = None
    desk = Desk(store, lobby, accounts, lambda: 1_700_000_000)
    found.server.own.privacy = lambda: desk
    return found, PrivacyTables(store.database)


def test_an_account_blocks_mutes_and_ends_both() -> None:
    found, tables = served()
    link(found)
    assert "Blocked: bob.\nMuted: no players." in say(found, "alice", "block bob")
    assert tables.blocks("alice") == {"bob": "block"}
    assert "Blocked: no players.\nMuted: bob." in say(found, "alice", "block mute bob")
    assert "Muted: bob." in say(found, "alice", "block")
    assert "Muted: no players." in say(found, "alice", "block off bob")
    assert tables.blocks("alice") == {}
    assert "that is you" in say(found, "alice", "block alice")


def test_an_account_reports() -> None:
    found, tables = served()
    link(found)
    assert "The admins can read your report." in say(found, "alice", "report bob: Shouts at us")
    report = Report(1, 1_700_000_000, "alice", "bob", "Shouts at us", "", [])
    assert tables.reports() == [report]
    for half in ("report", "report bob", "report bob:"):
        assert "and what happened" in say(found, "alice", half)


def test_an_address_without_an_account_links_first() -> None:
    found, tables = served()
    for command in ("block bob", "report bob: shouts"):
        assert "Link this address with an account first" in say(found, "zoe", command)
    assert tables.reports() == []


def test_a_server_without_the_lists_says_so() -> None:
    found = world()
    link(found)
    assert "no such lists" in say(found, "alice", "block bob")
