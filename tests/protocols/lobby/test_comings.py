"""Which requests tell extensions that a user comes or goes: a new account isn't a login."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.helpers import Server
from tests.plugins.people.served import People
from tests.plugins.tournament.hosting.served import Tournaments
from tests.protocols.lobby.helpers import Person
from tictac.protocols.lobby.extension import Handlers

DAVE = {"user": "dave", "password": "secret"}
CHANGE = {"old": "secret", "password": "another"}


class Observer:
    """Notes the users that come, and that somebody goes (extension.Extension)."""

    handlers: Handlers = {}

    def __init__(self) -> None:
        self.noted: list[str | None] = []

    def logged_in(self, session: Any) -> Mapping[str, Any]:
        self.noted.append(session.user)
        return {}

    def gone(self, session: Any) -> None:
        self.noted.append("-")


class TestComings:
    def setup_method(self) -> None:
        self.server = Server(rejoin_timeout=30)
        self.observer = Observer()
        self.server.lobby.extend(self.observer)

    def noted(self) -> list[str | None]:
        noted, self.observer.noted = self.observer.noted, []
        return noted

    def test_a_stranger_who_registers_has_not_come(self) -> None:
        person = Person(self.server)
        assert person.ask("register", **DAVE) == [{"answer": None, "user": "dave"}]
        assert self.noted() == []
        person.ask("login", **DAVE)
        assert self.noted() == ["-", "dave"]

    def test_who_registers_another_account_stays_who_they_are(self) -> None:
        alice = Person(self.server, "alice")
        self.noted()
        alice.ask("register", **DAVE)
        assert self.noted() == []
        assert alice.visitor.protocol.user == "alice"

    def test_nobody_comes_without_a_user(self) -> None:
        person = Person(self.server)
        assert person.error("login", user="alice", password="wrong") == "wrong-password"
        assert person.error("register", user="alice", password="secret") == "user-exists"
        assert person.error("password", **CHANGE) == "not-logged-in"
        person.ask("guest")
        person.ask("logout")
        person.visitor.hang_up()
        assert self.noted() == ["-", "guest-2", "-", "-"]

    def test_a_new_password_is_no_login(self) -> None:
        alice = Person(self.server, "alice")
        self.noted()
        alice.ask("password", **CHANGE)
        assert self.noted() == []


class TestObservers:
    """What the observers of this repository do with somebody who has no user."""

    def test_people_neither_list_nor_count_nor_challenge_them(self) -> None:
        server = Server()
        People(server)
        stranger, alice = Person(server), Person(server, "alice")
        stranger.ask("hello", takes=["challenge"])
        stranger.ask("register", **DAVE)
        [answer] = alice.ask("people")
        assert [each["user"] for each in answer["people"]] == ["alice"]
        assert answer["counts"]["people"] == 1
        assert alice.error("challenge", user="", game="nim") == "not-here"
        assert stranger.read() == []

    def test_a_registration_withdraws_no_challenge_and_ends_no_following(self) -> None:
        server = Server()
        People(server)
        alice, bob = Person(server, "alice"), Person(server, "bob")
        bob.ask("hello", takes=["challenge"])
        alice.ask("people")
        alice.ask("challenge", user="bob", game="nim")
        bob.read()
        alice.ask("register", **DAVE)
        assert bob.read() == []
        Person(server, "carol")
        server.clock.advance(2.0)
        assert [each["event"] for each in alice.read()] == ["people"]

    def test_tournaments_do_not_know_them(self) -> None:
        server = Server()
        tournaments = Tournaments(server, "alice")
        Person(server).ask("register", **DAVE)
        assert tournaments.desk.users() == []
