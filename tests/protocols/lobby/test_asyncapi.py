"""asyncapi.json: as the specification wants it, made of the code, and as connections are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema_rs import Draft7Validator

from tests.accounts.helpers import InstantReactor, instant_pool
from tests.archive.helpers import archive_of, match
from tests.documents import blocks
from tests.helpers import Server
from tests.protocols.lobby.asyncapi import ASYNCAPI, PAGES, described_text, requests
from tests.protocols.lobby.exchange import Exchange
from tests.protocols.lobby.helpers import Person
from tests.protocols.lobby.schema import extend
from tests.protocols.lobby.stage import Stage
from tictac.accounts.tables import AccountTables
from tictac.storage.sqlite import SqliteStore

SPEC = json.loads(ASYNCAPI.read_text("utf-8"))
SPECIFICATION = Path(__file__).with_name("specification") / "3.0.0.json"

IN_OTHER_TESTS = {
    "event-announced", "event-closing", "event-mine-2", "event-paused", "event-people",
    "event-replaced", "event-resumed", "event-stopping", "event-tournament-2",
    "event-tournaments", "event-xmpp", "to-judge", "to-ladder", "to-match-2", "to-outbox",
    "to-reports",
    "to-series-2", "to-desk", "to-desk-2", "to-desk-3", "to-desk-4", "to-desk-5", "to-desk-6",
    "to-programs", "to-programs-2", "to-runners", "to-runners-2", "to-submissions",
}  # fmt: skip
"""Messages of the server that need more than a transcript; each Person is held to them, too."""


def test_the_description_is_made_of_the_code() -> None:
    assert ASYNCAPI.read_text("utf-8") == described_text(), "run: python -m tests.documents"


def test_it_is_as_the_specification_wants_it() -> None:
    Draft7Validator(json.loads(SPECIFICATION.read_text("utf-8"))).validate(SPEC)


def play_transcripts(folder: Path) -> set[str]:
    """Play all transcripts; return the names of their messages."""
    named: set[str] = set()
    for number, block in enumerate(
        block for file in PAGES for block in blocks(file, language="transcript")
    ):
        archive = SqliteStore(
            folder / f"{number}.db", "matches", InstantReactor(), pool=instant_pool
        )
        archive.start()
        stage = Stage(archive)
        stage.play(block.lines)
        archive.close()
        named = named.union(*(each.named for each in stage.exchanges.values()))
    return named


def ask_the_rest() -> set[str]:
    """Send what no transcript has; return the names of the messages."""
    server = Server(archive=archive_of(match("m1", rated=True), users=["alice", "bob", "carol"]))
    extend(server)
    AccountTables(server.store.database).set_admin("carol", True)
    alice, bob, carol = (Person(server, user) for user in ("alice", "bob", "carol"))
    alice.ask("register", user="dora", password="secret")
    for do in ("games", "people", "account", "series", "xmpp", "ping", "outbox", "reports"):
        carol.ask(do)
    carol.ask("outbox", act="bounced", message="none")
    alice.ask("rules", game="nim")
    alice.ask("ratings", game="tictactoe")
    alice.ask("ratings", player="alice")
    alice.ask("match", match="m1")
    alice.ask("replay", match="m1")
    alice.ask("judge", match="m1")
    alice.ask("record")
    alice.ask("desk", group="7b")
    alice.ask("withdraw", tournament="none")
    alice.ask("pause", tournament="none", pause=True)
    (room, *_) = (each["room"] for each in alice.ask("seek", game="nim") if "room" in each)
    carol.ask("meanwhile", game="nim")
    server.clock.advance(0)  # which asks her about the room
    bob.ask("seek", game="nim")
    bob.ask("say", room=room, text="hi")
    alice.ask("offer", room=room)
    bob.ask("decline", room=room)
    alice.ask("admin", act="on")
    for do in ("push", "programs"):
        alice.ask(do)
    alice.ask("run", token="none")
    carol.ask("runners", act="list")
    carol.ask("submissions", act="submissions")
    carol.ask("pair", group="7b", game="nim")
    bob.ask("logout")
    alice.ask("delete", password="wrong")
    for each in (alice, bob, carol):
        each.read()
    return alice.exchange.named | bob.exchange.named | carol.exchange.named


def test_connections_are_as_they_are_described(tmp_path: Path) -> None:
    named = play_transcripts(tmp_path) | ask_the_rest()
    assert requests().keys() <= named
    assert SPEC["components"]["messages"].keys() - named == IN_OTHER_TESTS


def test_what_isnt_described_is_noticed() -> None:
    exchange = Exchange()
    exchange.send('{"do":"games","id":1}')
    with pytest.raises(AssertionError, match="answer to games"):
        exchange.receive({"answer": 1, "rules": []})
    with pytest.raises(AssertionError, match="not described"):
        exchange.receive({"event": "said", "room": "den"})
