"""`twistd tictac --session`: options, and what runs while it does."""

from __future__ import annotations

import argparse
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.logs import log, texts
from tests.plugins.classics.matchmaking import ServiceCase
from tests.plugins.classics.session.helpers import integers
from tests.plugins.services import service_of
from tictac.net.plugin import MatchmakingService
from tictac.plugins.classics.session.commands import add_parser
from tictac.protocols.lobby.service import LobbyService
from tictac.server.make import Options, makeService

LOCAL = "tcp:0:interface=127.0.0.1"


class SessionServiceTests(ServiceCase):
    def session(self, *arguments: str) -> MatchmakingService:
        service = service_of(self, self.reactor, "--session", LOCAL, *arguments)
        assert isinstance(service, MatchmakingService)
        service.privilegedStartService()
        service.startService()
        return service

    def test_the_time_for_a_move(self) -> None:
        for arguments, seconds in (([], 600), (["--session-move-timeout", "7"], 7)):
            self.setUp()
            service = self.session(*arguments)
            assert service.seating.terms.move_timeout == seconds
            factory: Any = service.factories[0]
            assert factory.limits.idle_timeout == factory.limits.login_timeout == 0

    def test_listeners_share_the_waiting_player(self) -> None:
        service = self.session("--session", LOCAL)
        one, two = self.connect(listener=0), self.connect(listener=1)
        assert (one.take(), two.take()) == (integers(1, 1), integers(2))
        assert service.matches_running() == 1

    def test_a_running_match_may_end_while_it_stops(self) -> None:
        service = self.session()
        one, two = self.connect(), self.connect()
        service.stop_listening()
        one.arrive(integers(1, 1))
        assert two.take() == integers(2, 4, 1, 1)
        two.lose()
        assert one.disconnecting
        assert service.matches_running() == 0

    def test_the_end_is_logged_by_the_words_for_it(self) -> None:
        with log() as events:
            service = self.session("--no-archive")
            guests = [self.connect() for _ in range(5)]
            guests[0].arrive(integers(9))
            guests[3].lose()
            stopping = service.stopService()
            for guest in guests:
                if guest is not guests[3]:
                    assert guest.disconnecting
                    guest.lose()
            self.reactor.advance(0.05)
            self.successResultOf(stopping)
        counts = "{'refused': 1, 'left': 1}"
        assert texts(events)[-1] == f"session: matches: {counts}; refusals: {{'not-a-move': 1}}"
        assert not self.reactor.getDelayedCalls()

    def test_its_rooms_stand_beside_those_of_the_rooms_protocol(self) -> None:
        options = Options()
        database = str(temporary_directory(self) / "users.db")
        options.parseOptions(["--session", LOCAL, "--port", LOCAL, "--database", database])
        services = makeService(options, self.reactor).services
        (session,) = [each for each in services if isinstance(each, MatchmakingService)]
        (rooms,) = [each for each in services if isinstance(each, LobbyService)]
        assert session.seating.registry is rooms.registry

    def test_without_an_archive_no_database_is_made(self) -> None:
        directory = temporary_directory(self)
        options = Options()
        database = str(directory / "users.db")
        ports = ["--nim", LOCAL, "--session", LOCAL, "--database", database]
        options.parseOptions([*ports, "--no-archive", "--journal", "none"])
        makeService(options, self.reactor)
        assert list(directory.iterdir()) == []


class ArgumentsTests(SynchronousTestCase):
    def test_host_and_port(self) -> None:
        parser = argparse.ArgumentParser()
        add_parser(parser.add_subparsers())
        args = parser.parse_args(["session", "example.com", "99"])
        assert (args.host, args.port) == ("example.com", 99)
        assert parser.parse_args(["session", "example.com"]).port == 8000
