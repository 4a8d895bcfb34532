"""Blocked players and reports, typed in a chat with the service."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest

from tests.engines.helpers import Guest
from tests.plugins.xmpp.helpers import Client, World
from tests.plugins.xmpp.linked import link, say, world
from tests.storage.memory import MemoryStore
from tictac.accounts.tables import Account
from tictac.games.all import game_type_of
from tictac.lobby.terms import terms_for
from tictac.plugins.privacy.desk import Desk
from tictac.plugins.privacy.tables import PrivacyTables, Report

JOIN = "<x xmlns='http://jabber.org/protocol/muc'/>"


def served() -> tuple[World, PrivacyTables]:
    """Return a service with the lists of players, and their tables."""
    found = world()
    store = MemoryStore([Account(name, "x") for name in ("alice", "bob")])
    store.start()
    lobby: Any = type("Lobby", (), {"registry": found.rooms.gateway.registry})()
    accounts: Any = None
    desk = Desk(store, lobby, accounts, lambda: 1_700_000_000)
    found.server.own.privacy = lambda: desk
    found.rooms.gateway.mutes = desk.has_muted
    return found, PrivacyTables(store.database)


def in_room(make: Callable[[World], object]) -> dict[str, Client]:
    """Return clients in den by Multi-User Chat, which ``make`` makes; alice has muted bob.

    alice and bob have linked addresses, and carol hasn't.
    """
    found, _ = served()
    link(found)
    link(found, "bob")
    say(found, "alice", "block mute bob")
    make(found)
    clients = {name: found.client(name) for name in ("carol", "alice", "bob")}
    for name, client in clients.items():
        client.presence(f"den/{name}", JOIN)
    found.clock.advance(5)
    found.read()
    return clients


def receivers(lines: list[str], text: str) -> set[str]:
    """Return the names of the clients that get a text."""
    return {line.partition("/")[0] for line in lines if f"'{text}'" in line}


ROOMS: list[Callable[[World], object]] = [
    lambda world: world.den("dora"),
    lambda world: say(world, "dora", "new den reversi size=4"),
]
"""A room of Multi-User Gaming, and one of the lobby."""


@pytest.mark.parametrize("make", ROOMS)
def test_a_muted_players_chat_reaches_all_others(make: Callable[[World], object]) -> None:
    clients = in_room(make)
    got = clients["bob"].message("den", "<body>hi</body>", "groupchat")
    assert receivers(got, "hi") >= {"bob", "carol"} and "alice" not in receivers(got, "hi")
    got = clients["carol"].message("den", "<body>hello</body>", "groupchat")
    assert receivers(got, "hello") >= {"alice", "bob", "carol"}


@pytest.mark.parametrize("make", ROOMS)
def test_a_muted_players_private_message(make: Callable[[World], object]) -> None:
    clients = in_room(make)
    for name, reached in (("alice", set()), ("carol", {"carol"})):
        got = clients["bob"].message(f"den/{name}", "<body>psst</body>")
        assert receivers(got, "psst") == reached


@pytest.mark.parametrize("way", ["muc", "chat"])
def test_a_muted_player_of_another_protocol(way: str) -> None:
    found, _ = served()
    link(found)
    say(found, "alice", "block mute bob")
    bob = Guest(found.lobby, "bob")
    found.lobby.create(bob, "den", terms_for(game_type_of("reversi"), {}))
    for name in ("carol", "alice"):
        if way == "muc":
            found.client(name).presence(f"den/{name}", JOIN)
        else:
            say(found, name, "watch den")
    found.clock.advance(5)
    found.read()
    found.lobby.say(bob, "hi from afar")
    found.clock.advance(5)
    got = [line.partition("/")[0] for line in found.read() if "hi from afar" in line]
    assert got == ["carol"]


def test_the_blocks_of_the_oldest_account_are_forgotten() -> None:
    found, tables = served()
    desk: Any = found.server.own.privacy()
    tables.put("alice", "bob", "block")
    with patch("tictac.plugins.privacy.desk.MOST_ELSEWHERE", 2):
        desk.has_muted("alice", "bob")  # which reads its blocks
        assert desk.has_muted("alice", "bob")
        desk.has_muted("bob", "x"), desk.has_muted("vera", "x")
        assert not desk._blocks.get("alice")


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


def test_a_report_has_the_last_texts_of_the_room() -> None:
    found, tables = served()
    link(found)
    found.server.own.seats = found.lobby.seats.of
    bob = Guest(found.lobby, "bob")
    found.lobby.create(bob, "den", terms_for(game_type_of("reversi"), {}))
    say(found, "alice", "join den")
    found.lobby.say(bob, "boo")
    found.clock.advance(5)
    say(found, "alice", "report bob: Shouts at us")
    (report,) = tables.reports()
    assert (report.room, [list(each) for each in report.chat]) == ("den", [["bob", "boo"]])


def test_an_address_without_an_account_links_first() -> None:
    found, tables = served()
    for command in ("block bob", "report bob: shouts"):
        assert "Link this address with an account first" in say(found, "zoe", command)
    assert tables.reports() == []


def test_a_server_without_the_lists_says_so() -> None:
    found = world()
    link(found)
    assert "no such lists" in say(found, "alice", "block bob")
