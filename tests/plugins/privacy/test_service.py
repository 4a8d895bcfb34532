"""Privacy as a part of the server: what /privacy says, and the end of removed accounts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from twisted.internet.testing import MemoryReactorClock

from tests.accounts.columns import places_of
from tests.archive.helpers import ALICE, BOB, match
from tests.protocols.lobby.case import LobbyCase
from tests.server.helpers import TapCase
from tictac.archive.tables import MatchTables
from tictac.options import Settings
from tictac.plugins.privacy.desk import Desk
from tictac.plugins.privacy.keepers import KeptTables
from tictac.plugins.privacy.service import (
    JOURNAL,
    LOOKS_EVERY,
    REST,
    Facts,
    PrivacyService,
    read_contact,
    security_txt,
)
from tictac.server.make import makeService


class OptionTests(TapCase):
    def test_every_server_with_a_lobby_has_it(self) -> None:
        reactor: Any = MemoryReactorClock()
        options = self.options(
            "--database", str(self.directory / "users.db"), "--web", "tcp:0:interface=127.0.0.1",
            "--visitors", "none", "--guests", "--contact", "mail@example.org",
        )  # fmt: skip
        service: Any = makeService(options, reactor)
        [part] = [part for part in service.services if isinstance(part, PrivacyService)]
        lobby = part._desk._lobby
        assert (lobby.visitors, lobby.guests) == (0, False)
        assert "privacy" in lobby.parts


def facts(**options: Any) -> Any:
    runtime: Any = type("Runtime", (), {"settings": Settings(options)})
    found: Any = Facts(runtime).answer((), {})
    return json.loads(found.result.content)


def test_the_facts_come_from_the_options() -> None:
    assert facts() == {
        "contact": None, "visitors": "all",
        "days": {"token": 30, "match": None, "tournament": None}, "logs": 10, "notices": False,
    }  # fmt: skip
    others = {"keep-matches": 90, "token-days": 0, "tournaments": "none", "log-files": 3}
    found = facts(**others, contact="mailto:a@b.test", **{"public-url": "https://b.test"})
    assert found["days"] == {"token": 0, "match": 90, "tournament": 0}
    assert (found["contact"], found["logs"], found["notices"]) == ("mailto:a@b.test", 3, True)
    assert facts(**{"no-archive": True})["days"]["match"] == 0


def test_the_log_stays_as_long_as_its_files_or_the_operator_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(JOURNAL, raising=False)
    assert facts(**{"log-files": 0})["logs"] is None  # which keeps all files
    assert facts(**{"log-files": 3})["logs"] == 3
    monkeypatch.setenv(JOURNAL, "8:1")
    assert facts(**{"log-files": 3})["logs"] is None


def test_a_contact_is_an_address() -> None:
    assert read_contact("a@b.test") == "mailto:a@b.test"
    assert read_contact("https://b.test/x") == "https://b.test/x"
    assert read_contact("") == ""
    for wrong in ("bob", "javascript:alert(1)", "a@b.test\nX: y", "http://b.test"):
        with pytest.raises(ValueError, match="isn't an e-mail address"):
            read_contact(wrong)


def test_security_txt_has_what_rfc_9116_requires() -> None:
    text = security_txt("mailto:a@b.test", 1_700_000_000.0)
    assert text.split("\n")[:2] == ["Contact: mailto:a@b.test", "Expires: 2024-05-12T22:13:20Z"]


class RemovedTests(LobbyCase):
    """What is left of alice, whom any process removes."""

    def setUp(self) -> None:
        super().setUp()
        store, accounts, lobby = self.server.store, self.server.accounts, self.server.lobby
        self.database, self.clock = store.database, self.server.clock
        desk = Desk(store, lobby, accounts)
        reactor: Any = self.clock
        self.part = PrivacyService(reactor, store, lobby.registry, accounts, desk)
        self.part.begin()
        self.addCleanup(self.part._looking.stop)

    def remove(self) -> None:
        KeptTables(self.database).remove("alice")
        self.server.accounts.ended("alice", "account-removed")

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / LOOKS_EVERY)):
            self.clock.advance(LOOKS_EVERY)

    def test_the_match_that_ran_is_archived_without_the_name(self) -> None:
        self.begin()
        self.remove()
        self.wait(2 * REST)  # she has a seat still
        self.alice.ask("resign", room="den")
        MatchTables(self.database).add_all([match("m1", ALICE, BOB)])  # as the archive does
        self.wait(REST - LOOKS_EVERY)
        assert "matches.content" in set(places_of(self.database, "alice"))
        self.wait(3 * LOOKS_EVERY)
        assert list(places_of(self.database, "alice")) == []
        found = MatchTables(self.database).get("m1")
        assert found is not None and [p.name for p in found.players] == ["deleted", "bob"]

    def test_a_server_that_was_killed_goes_on(self) -> None:
        KeptTables(self.database).remove("alice")
        assert list(places_of(self.database, "alice")) == ["ended_logins.name"]
        self.part._looking.stop()
        self.part.begin()
        self.wait(REST + LOOKS_EVERY)
        assert list(places_of(self.database, "alice")) == []

    def test_nothing_is_tried_without_the_database(self) -> None:
        self.remove()
        self.successResultOf(self.server.store.close())
        self.wait(2 * REST)
        self.server.store.start()
        self.wait(LOOKS_EVERY)
        assert list(places_of(self.database, "alice")) == []
