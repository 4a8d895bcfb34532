"""People as a part of the server: options, figures, stopping."""

from __future__ import annotations

from typing import Any

from twisted.internet.testing import MemoryReactorClock

from tests.server.helpers import TapCase
from tictac.plugins.people.service import PeopleService
from tictac.server.make import makeService


class OptionTests(TapCase):
    def parts(self, *arguments: str) -> list[Any]:
        reactor: Any = MemoryReactorClock()
        options = self.options("--database", str(self.directory / "users.db"), *arguments)
        service: Any = makeService(options, reactor)
        return [part for part in service.services if isinstance(part, PeopleService)]

    def test_a_server_with_rooms_has_people(self) -> None:
        [part] = self.parts("--port", "tcp:0:interface=127.0.0.1")
        assert part.figures()["challenges_open"][1] == 0
        assert self.parts("--nim", "tcp:0:interface=127.0.0.1") == []

    def test_a_server_need_not_have_them(self) -> None:
        assert self.parts("--port", "tcp:0:interface=127.0.0.1", "--people", "no") == []

    def test_an_interval_is_no_moment(self) -> None:
        for text in ("0", "soon"):
            assert self.error("--people-interval", text).startswith("--people-interval: ")
