"""Requests of a plug-in in the lobby protocol (extension.Extension)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from tests.helpers import Server
from tests.protocols.lobby.helpers import Message, Person
from tictac.errors import BadOption
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import on
from tictac.protocols.lobby.session import Session


class Dance(wire.Request):
    """Dance for a while."""

    units: ClassVar = 5
    seconds: int


class Wave(wire.PublicRequest):
    """Wave to the server."""


class Leave(wire.Leave):
    """Leave a room, and say why."""

    why: str | None = None


class Ballroom:
    """A plug-in where people dance, and say why they leave."""

    def __init__(self) -> None:
        self.noted: list[int | str | None] = []
        self.handlers = dict((on(Dance, self._dance), on(Wave, self._wave), on(Leave, self._leave)))

    def logged_in(self, session: Session) -> Mapping[str, Any]:
        return {}

    def gone(self, session: Session) -> None:
        pass

    def _dance(self, session: Session, request: Dance) -> None:
        if request.seconds > 60:
            raise BadOption("that makes dizzy")
        self.noted.append(request.seconds)
        session.send(wire.answer(request.id))

    def _wave(self, session: Session, request: Wave) -> None:
        session.send(wire.answer(request.id))

    def _leave(self, session: Session, request: Leave) -> None:
        self.noted.append(request.why)
        session.send(wire.answer(request.id))


class TestBallroom:
    def setup_method(self) -> None:
        self.server, self.ballroom = Server(), Ballroom()
        self.server.lobby.extend(self.ballroom)

    def ask(self, person: Person, line: str) -> Message:
        # The schema doesn't have these requests.
        [answer] = person.send(line)
        return answer

    def test_its_requests_are_handled(self) -> None:
        alice = Person(self.server, "alice")
        assert self.ask(alice, '{"do":"dance","seconds":3,"id":1}') == {"answer": 1}
        assert self.ballroom.noted == [3]

    def test_a_refusal_is_the_answer(self) -> None:
        alice = Person(self.server, "alice")
        answer = self.ask(alice, '{"do":"dance","seconds":300,"id":1}')
        assert answer == {"answer": 1, "error": "bad-option", "message": "that makes dizzy"}

    def test_they_need_a_login_unless_they_are_public(self) -> None:
        stranger = Person(self.server)
        assert self.ask(stranger, '{"do":"dance","seconds":3}')["error"] == "not-logged-in"
        assert self.ask(stranger, '{"do":"wave"}') == {"answer": None}

    def test_their_units_are_paid(self, monkeypatch: pytest.MonkeyPatch) -> None:
        alice = Person(self.server, "alice")
        paid: list[int] = []
        monkeypatch.setattr(alice.visitor.protocol, "pay", paid.append)
        self.ask(alice, '{"do":"dance","seconds":3}')
        assert paid == [5]

    def test_a_request_with_the_name_of_another_replaces_it(self) -> None:
        alice = Person(self.server, "alice")
        assert self.ask(alice, '{"do":"leave","room":"den","why":"it is late"}') == {"answer": None}
        assert self.ballroom.noted == ["it is late"]

    def test_a_bad_line_is_told_of_all_requests(self) -> None:
        message = self.ask(Person(self.server), '{"do":"fly"}')["message"]
        assert message.startswith('"do" is one of hello, register, login')
        assert len(message) == wire.MAX_SHOWN
