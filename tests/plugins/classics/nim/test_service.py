"""`twistd tictac --nim`: options, and what runs while it does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.accounts.helpers import temporary_directory
from tests.logs import log, texts
from tests.plugins.classics.matchmaking import ServiceCase
from tests.plugins.classics.nim.helpers import EXIT, PLAY, WIN, move, turn
from tictac.plugins.classics.nim.wire import Types
from tictac.server.make import Options, makeService


class OptionsTests(ServiceCase):
    def test_the_defaults_of_the_document(self) -> None:
        service = self.started()
        factory: Any = service.factories[0]
        limits = factory.limits
        assert limits.login_timeout == 60
        assert factory.types == Types()
        queue: Any = service.seating
        assert (queue.tables, queue.match_timeout, queue.terms.move_timeout) == (1, 900, 60)
        assert dict(queue.terms.values) == {"numbers": 0, "smallest": 1, "largest": 100}

    def test_each_reaches_what_it_is_for(self) -> None:
        service = self.started(
            "--nim-tables", "3", "--nim-types", "6,5,4,3,2,1", "--nim-numbers", "7-9",
            "--nim-list", "24,17,3", "--nim-move-timeout", "2", "--nim-play-timeout", "1.5",
            "--budget", "5", "--max-connections", "6", "--nim-match-timeout", "7",
        )  # fmt: skip
        factory: Any = service.factories[0]
        limits = factory.limits
        assert limits.login_timeout == 1.5
        assert (limits.budget, limits.max_connections) == (5, 6)
        assert factory.types == Types(6, 5, 4, 3, 2, 1)
        queue: Any = service.seating
        assert (queue.tables, queue.match_timeout, queue.terms.move_timeout) == (3, 7, 2)
        assert dict(queue.terms.values) == {"numbers": 3, "smallest": 3, "largest": 24}

    def test_the_numbers_are_of_that_range(self) -> None:
        service = self.started("--nim-numbers", "7-9")
        self.connect(PLAY)
        self.connect(PLAY)
        [room] = service.seating.registry.public_rooms()
        assert set(room.position.numbers) <= {7, 8, 9}

    def test_the_types_are_spoken(self) -> None:
        self.started("--nim-types", "11,12,13,14,15,16", "--nim-list", "1,1,1")
        guests = [self.connect(b"\x0b"), self.connect(b"\x0b")]
        assert b"\x0c\x03" + turn(1, 1, 1)[2:] in [guest.take() for guest in guests]

    def test_what_is_wrong_is_one_line(self) -> None:
        for option, value in (
            ("--nim-tables", "0"), ("--nim-types", "1,2,3"), ("--nim-types", "0,1,2,3,4,5"),
            ("--nim-numbers", "5"), ("--nim-numbers", "0-5"), ("--nim-numbers", "9-5"),
            ("--nim-numbers", "a-b"), ("--nim-list", "1,2"), ("--nim-list", "1,2,0"),
            ("--nim-list", "1,2,x"), ("--nim-list", ""), ("--nim-move-timeout", "-1"),
            ("--nim", "70000"),
        ):  # fmt: skip
            with pytest.raises(SystemExit) as ended:
                Options().parseOptions(["--nim", "1", option, value])
            assert ended.value.code == 1, (option, value)

    def test_in_a_configuration_file(self) -> None:
        file = temporary_directory(self) / "c.json"
        file.write_text(
            '{"port": 2000, "userDatabase": "u", "nim": 5370, "nim-list": "24,17,3",'
            ' "nim-numbers": "2-3", "nim-types": "6,5,4,3,2,1"}'
        )
        options = Options()
        options.parseOptions(["--config", str(file)])
        assert options.ports["nim"] == ["tcp:5370:backlog=4096"]
        assert options["nim-list"] == (24, 17, 3)
        assert options["nim-types"] == Types(6, 5, 4, 3, 2, 1)
        for wrong in ('"nim-list": [1, 2, 3]', '"nim-numbers": 5', '"nim-types": 1'):
            file.write_text(f'{{"port": 2000, "userDatabase": "u", {wrong}}}')
            with pytest.raises(SystemExit):
                Options().parseOptions(["--config", str(file)])


class LobbyTests(ServiceCase):
    def test_the_tables_are_in_the_lobby_of_the_rooms(self) -> None:
        options = Options()
        database = str(temporary_directory(self) / "users.db")
        options.parseOptions(["--port", "0", "--nim", "0", "--database", database])
        rooms, nim, *_ = makeService(options, self.reactor).services
        assert nim.seating.registry is rooms.registry


class RunningTests(ServiceCase):
    def test_listeners_share_the_queue(self) -> None:
        service = self.started("--nim", "tcp:0:interface=127.0.0.1")
        one, two = self.connect(PLAY, listener=0), self.connect(PLAY, listener=1)
        assert service.matches_running() == 1
        assert sorted([bool(one.take()), bool(two.take())]) == [False, True]

    def test_what_has_timed_out_is_looked_for(self) -> None:
        service = self.started("--nim-play-timeout", "1")
        silent = self.connect()
        [factory] = service.factories
        factory.seconds = lambda: silent.protocol.since + 1.0  # type: ignore[attr-defined]
        self.reactor.advance(0.1)
        assert silent.disconnecting

    def test_draining_begins_no_more_games(self) -> None:
        service = self.started("--nim-list", "1,1,1")
        guests = [self.connect(PLAY) for _ in range(4)]
        service.stop_listening()
        assert service.matches_running() == 1
        guests[0].arrive(EXIT)
        assert service.matches_running() == 0
        assert guests[1].take().endswith(WIN)
        assert guests[2].take() == b""

    def test_the_end_is_logged_by_the_words_for_it(self) -> None:
        with log() as events:
            service = self.started("--nim-list", "1,1,1", "--no-archive")
            guests = [self.connect(PLAY) for _ in range(3)]
            [mover] = [g for g in guests[:2] if g.take()]
            mover.arrive(move(5, 1))
            mover.lose()
            stopping = service.stopService()
            for guest in guests:
                if guest is not mover:
                    assert guest.disconnecting
                    guest.lose()
            self.reactor.advance(0.05)
            self.successResultOf(stopping)
        counts = "{'refused': 1, 'left': 1}"
        assert texts(events)[-1] == f"nim: matches: {counts}; refusals: {{'illegal-move': 1}}"
        assert not self.reactor.getDelayedCalls()
