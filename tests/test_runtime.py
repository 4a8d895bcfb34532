"""What the protocols of one process share: only what they ask for is made, in their order."""

from __future__ import annotations

from random import SystemRandom
from typing import Any

from twisted.internet.testing import MemoryReactorClock

from tests.server.helpers import TapCase, words
from tictac.options import Settings
from tictac.protocols.rooms.service import PLUGIN
from tictac.runtime import Runtime
from tictac.server.make import makeService

LOCAL = "tcp:0:interface=127.0.0.1"


class RuntimeTests(TapCase):
    def setUp(self) -> None:
        super().setUp()
        self.database = str(self.directory / "users.db")

    def parts(self, *arguments: str) -> list[str]:
        """Return the names of the parts that a server with these options has."""
        reactor: Any = MemoryReactorClock()
        options = self.options("--database", self.database, *arguments)
        service = makeService(options, reactor)
        self.addCleanup(lambda: [claim.release() for claim in service.claims])
        return [part.what for part in service.parts]

    def test_the_lobby_starts_before_the_first_part_that_asks_for_it(self) -> None:
        names = self.parts(*words(f"--web {LOCAL} --nim {LOCAL} --admin {LOCAL}"))
        assert names == [
            "nim", "rooms", "web", "admin", "tournaments", "ladder", "programs", "people",
            "privacy", "days", "desk", "puzzles", "replays",
        ]  # fmt: skip

    def test_a_server_without_it_has_neither_its_lock_nor_add_ons(self) -> None:
        assert self.parts(*words(f"--nim {LOCAL} --admin {LOCAL}")) == ["nim", "admin"]
        assert not list(self.directory.glob("*.lock"))

    def test_the_rooms_protocol_listens_at_the_part_of_the_lobby(self) -> None:
        settings = Settings({"database": self.database, "journal": "none"})
        runtime = Runtime(settings, MemoryReactorClock())
        part = PLUGIN.make(["tcp:1", "haproxy:tcp:2"], runtime)
        assert runtime.parts == [part] and runtime.lobby.registry is runtime.registry
        assert [vars(factory)["proxied"] for factory in part.factories] == [False, True]

    def test_what_was_drawn_tells_nothing_of_what_will_be(self) -> None:
        settings = Settings({"database": self.database, "journal": "none"})
        runtime = Runtime(settings, MemoryReactorClock())
        assert type(runtime.registry.rng) is SystemRandom

    def test_a_start_that_fails_lets_go_of_the_rooms(self) -> None:
        with self.assertRaises(SystemExit) as ended:
            self.parts("--port", "nonsense:1")
        assert self.failed(ended.exception).startswith("cannot listen on nonsense:1: ")
        assert "rooms" in self.parts("--port", LOCAL)
