"""Rooms that a new process has restored: who plays there, and how players return."""

from __future__ import annotations

import json
from functools import partial
from random import Random
from typing import Any, cast

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.protocols.lobby.helpers import Message, check_message
from tictac.archive.room_journal import SqliteJournal
from tictac.lobby.outbox import Journaled
from tictac.lobby.registry import Registry
from tictac.plugins.people.playing import Playing
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import Session
from tictac.storage.databases import prepare


class Link:
    """A connection of the protocol without a network (net.logins.LoginConnection)."""

    network, times, is_guest = "192.0.2.1", 1, False

    def __init__(self, lobby: Lobby, user: str) -> None:
        self.user: str | None = user
        self.received: list[Message] = []
        self.refusals: list[str] = []
        self.session = Session(cast(Any, self), lobby)

    def ask(self, do: str, **fields: Any) -> None:
        self.session.take(json.dumps({"do": do, **fields}).encode())

    def send(self, data: bytes) -> None:
        self.received += [check_message(json.loads(line)) for line in data.splitlines()]

    def note(self, kind: str) -> None:
        self.refusals.append(kind)

    def pay_for(self, receivers: int) -> None:
        """Pay nothing."""

    def wait(self) -> None:
        """Do nothing: no test waits, releases, or closes."""

    release = close = wait


class RestoredTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.path = temporary_directory(self) / "users.db"
        prepare(str(self.path))
        self.start()

    def start(self) -> None:
        """Start a process with what is in the file, as after kill -9."""
        self.clock = Clock()
        journal = SqliteJournal(self.path, self.clock.seconds, self.clock.callLater)
        self.addCleanup(journal.stop)
        outbox = partial(Journaled, journal, self.clock.callLater)
        self.registry = Registry(9, self.clock.seconds, print, 30, rng=Random(1), outbox=outbox)
        self.lobby = Lobby(
            self.registry, self.clock.seconds, self.clock.callLater, Random(1), True, held=30
        )
        self.playing = Playing(self.registry)
        self.registry.start()

    def ask(self, link: Link, do: str, **fields: object) -> Message:
        """Make a request, and return its answer."""
        link.received.clear()
        link.ask(do, **fields)
        self.clock.advance(0)
        return next(each for each in link.received if "answer" in each)

    def begin(self) -> tuple[Link, Link, str]:
        alice, guest = Link(self.lobby, "alice"), Link(self.lobby, "")
        token = self.ask(guest, "guest")["token"]
        self.ask(alice, "open", game="nim", room="den")
        self.ask(guest, "join", room="den")
        return alice, guest, token

    def test_their_players_play(self) -> None:
        _, guest, _ = self.begin()
        self.start()
        assert "alice" in self.playing and (guest.user or "") in self.playing
        assert self.playing.room_of("alice") == "den"
        self.registry.call_off("den")
        assert "alice" not in self.playing and not self.registry.seats.of("alice")

    def test_no_new_occupant_of_any_protocol_gets_the_name_of_a_guest_with_a_seat(self) -> None:
        _, guest, _ = self.begin()
        self.start()
        assert guest.user not in {f"guest-{self.registry.new_occupant_id()}" for _ in range(20)}

    def test_an_end_is_told_once_it_is_saved(self) -> None:
        alice, guest, token = self.begin()
        guest.session.disconnected()
        alice.ask("resign", room="den")
        assert not self.lobby.held_seats.has_ended(guest.user or "")
        self.clock.advance(0)
        [ended] = self.ask(Link(self.lobby, ""), "guest", token=token)["seats"]["ended"]
        assert (ended["how"], ended["winner"]) == ("forfeited", 1)

    def test_the_lobby_lists_them(self) -> None:
        followers = list[bytes]()
        self.begin()
        self.start()
        self.lobby.follow(followers.append)
        assert self.lobby.rooms().count(b'"room":"den"') == 1

    def test_a_guest_returns_by_the_token(self) -> None:
        _, guest, token = self.begin()
        self.start()
        again = Link(self.lobby, "")
        answer = self.ask(again, "guest", token=token)
        assert answer["user"] == guest.user and answer["seats"]["held"][0]["room"] == "den"
        self.ask(again, "join", room="den")
        self.start()
        again = Link(self.lobby, "")
        assert self.ask(again, "guest", token=token)["user"] == guest.user

    def test_no_other_guest_gets_the_name(self) -> None:
        _, guest, _ = self.begin()
        self.start()
        others = [self.ask(Link(self.lobby, ""), "guest") for _ in range(5)]
        assert guest.user not in [answer["user"] for answer in others]

    def test_a_token_from_before_is_worthless_without_a_seat(self) -> None:
        guest = Link(self.lobby, "")
        first = self.ask(guest, "guest")
        self.start()
        second = self.ask(Link(self.lobby, ""), "guest")
        assert second["user"] == first["user"], "names begin anew"
        assert (
            self.ask(Link(self.lobby, ""), "guest", token=first["token"])["user"] != first["user"]
        )

    def test_what_is_on_disk_gives_no_seat(self) -> None:
        _, guest, token = self.begin()
        for file in self.path.parent.iterdir():
            assert token.partition(".")[2].encode() not in file.read_bytes()
        hashed = self.lobby.guest_list.hash_of(guest.user)
        self.start()
        for other in (hashed, f"{guest.user}.{hashed}"):
            assert self.ask(Link(self.lobby, ""), "guest", token=other)["user"] != guest.user
