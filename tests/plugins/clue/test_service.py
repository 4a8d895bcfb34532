"""`twistd tictac --clue`: options, and what runs while it does."""

from __future__ import annotations

from contextlib import redirect_stderr
from io import StringIO
from typing import Any

import pytest
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.logs import log, texts
from tests.plugins.clue.helpers import BOARD
from tests.plugins.services import service_of
from tictac.plugins.clue.service import ClueService
from tictac.plugins.clue.settings import read_players
from tictac.server.make import Options
from tictac.testing.connection import Caller, FakeTransport


class ServiceCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor: Any = MemoryReactorClock()

    def made(self, *arguments: str) -> ClueService:
        service = service_of(self, self.reactor, "--clue", "tcp:0:interface=127.0.0.1", *arguments)
        assert isinstance(service, ClueService)
        return service

    def started(self, *arguments: str) -> ClueService:
        """Start a service without players of its own, which would need processes."""
        service = self.made(*(arguments or ("--clue-humans", "6")))
        service.privilegedStartService()
        service.startService()
        return service

    def connect(self, *lines: str, listener: int = 0) -> FakeTransport:
        """Open a connection, and send these lines."""
        transport = Caller(self.reactor.tcpServers[listener][1]).transport
        transport.arrive("".join(f"{line}\n" for line in lines).encode())
        return transport


class OptionsTests(ServiceCase):
    def settings(self, *arguments: str) -> Any:
        service: Any = self.made(*arguments)
        return service.seating.options

    def refused(self, *arguments: str) -> str:
        """Return the error line for options that the server refuses."""
        said = StringIO()
        with redirect_stderr(said), pytest.raises(SystemExit) as ended:
            service_of(self, self.reactor, "--clue", "tcp:0:interface=127.0.0.1", *arguments)
        assert ended.value.code == 1
        assert not self.reactor.tcpServers
        line, rest = said.getvalue().split("\n")
        assert line.startswith("Error: ") and rest == ""
        return line.removeprefix("Error: ")

    def test_the_defaults(self) -> None:
        service: Any = self.made()
        settings = service.seating.options
        assert settings.board.rows == BOARD.rows
        assert (settings.humans, settings.players) == (1, ("sensible",) * 5)
        assert (settings.clue_mini, settings.clue_seed, settings.clue_max_rounds) == (
            False,
            None,
            500,
        )
        limits = service.factories[0].limits
        assert (limits.login_timeout, limits.idle_timeout) == (60, 120)
        assert service.factories[0].pairs

    def test_each_reaches_what_it_is_for(self) -> None:
        service: Any = self.made(
            "--clue-humans", "4", "--clue-players", "leech, detective", "--clue-seed", "9",
            "--clue-move-timeout", "1.5", "--clue-name-timeout", "2", "--clue-max-rounds", "7",
            "--unrevised-counter", "--budget", "5", "--clue-workers", "3",
        )  # fmt: skip
        settings = service.seating.options
        assert (settings.humans, settings.players) == (4, ("leech", "detective"))
        assert (settings.clue_seed, settings.clue_max_rounds) == (9, 7)
        limits = service.factories[0].limits
        assert (limits.idle_timeout, limits.login_timeout, limits.budget) == (1.5, 2, 5)
        assert service._engines.size == 3
        assert not service.factories[0].pairs

    def test_the_mini_game_needs_no_players(self) -> None:
        service: Any = self.made("--clue-mini")
        assert service.seating.options.clue_mini and not service.factories[0].pairs
        assert service.seating.options.players == ()

    def test_what_is_wrong_is_one_line(self) -> None:
        for option, value, said in (
            ("humans", "0", "0 isn't from 1 to 6"),
            ("humans", "7", "7 isn't from 1 to 6"),
            ("humans", "x", "'x' isn't a whole number"),
            ("players", "clever", "'clever' is none of random, sensible, leech, detective"),
            ("seed", "x", "'x' isn't a whole number"),
            ("max-rounds", "0", "0 is too small"),
            ("move-timeout", "-1", "'-1' isn't a time in seconds"),
        ):
            assert self.refused(f"--clue-{option}", value) == f"--clue-{option}: {said}"

    def test_there_are_exactly_as_many_players_as_seats(self) -> None:
        assert self.refused("--clue-players", "leech") == (
            "--clue-players names 1 players, and --clue-humans 1 leaves 5 seats"
        )
        assert "leaves 0 seats" in self.refused("--clue-humans", "6", "--clue-players", "leech")

    def test_another_map(self) -> None:
        file = temporary_directory(self) / "map.txt"
        text = "\n".join(BOARD.rows)
        file.write_text(text.replace("U", "u", 1))
        assert self.refused("--clue-board", str(file)) == (
            f"{file}, line 19: the door u isn't beside its room"
        )
        file.write_text(text.replace("SSSS", "SSS", 1))
        assert self.refused("--clue-board", str(file)) == f"{file}, line 2: 24 characters, not 25"
        file.write_text(text)
        assert self.settings("--clue-board", str(file)).board.starts == BOARD.starts
        file.unlink()
        assert self.refused("--clue-board", str(file)).startswith(f"can't read the map {file}: ")

    def test_in_a_configuration_file(self) -> None:
        file = temporary_directory(self) / "c.json"
        file.write_text(
            '{"port": 2000, "userDatabase": "u", "clue": 5000, "clue-humans": 5,'
            ' "clue-players": "leech", "clue-seed": 3, "clue-mini": true}'
        )
        options = Options()
        options.parseOptions(["--config", str(file)])
        assert options.ports["clue"] == ["tcp:5000:backlog=4096"]
        assert (options["clue-humans"], options["clue-players"]) == (5, ("leech",))
        for wrong in ('"clue-players": ["leech"]', '"clue-humans": 1.5', '"clue-seed": "a"'):
            file.write_text(f'{{"port": 2000, "userDatabase": "u", {wrong}}}')
            with pytest.raises(SystemExit):
                Options().parseOptions(["--config", str(file)])

    def test_names_of_players(self) -> None:
        assert read_players("random,sensible, leech") == ("random", "sensible", "leech")
        assert read_players("") == ()


class RunningTests(ServiceCase):
    def test_listeners_share_the_lobby(self) -> None:
        service = self.started("--clue-humans", "6", "--clue", "tcp:0:interface=127.0.0.1")
        callers = [self.connect("boo", listener=n % 2) for n in range(6)]
        assert service.matches_running() == 1
        assert all(caller.take().startswith(b"hello\n") for caller in callers)

    def test_mini_games_side_by_side(self) -> None:
        service = self.started("--clue-mini", "--clue-seed", "1")
        hellos = [self.connect("boo", "roll").take().decode().split("\n")[:5] for _ in range(3)]
        assert service.matches_running() == 3
        assert {line for hello in hellos for line in hello[2:4]} == {
            "turn", "((17 24) (24 17) (15 0) (10 0) (0 6) (0 19))",
        }  # fmt: skip
        again = ServiceCase.connect
        self.reactor = MemoryReactorClock()
        self.started("--clue-mini", "--clue-seed", "1")
        repeated = [again(self, "boo", "roll").take().decode().split("\n")[:5] for _ in range(3)]
        assert repeated == hellos

    def test_what_has_timed_out_is_looked_for(self) -> None:
        service = self.started("--clue-humans", "6", "--clue-name-timeout", "1")
        silent = self.connect()
        [factory] = service.factories
        factory.seconds = lambda: silent.protocol.asked + 1.0  # type: ignore[attr-defined]
        self.reactor.advance(0.1)
        assert silent.disconnecting
        assert service.refusals() == {"login-timeout": 1}

    def test_draining_begins_no_more_games(self) -> None:
        service = self.started()
        playing = [self.connect("boo") for _ in range(6)]
        waiting = self.connect("boo")
        service.stop_listening()
        assert service.matches_running() == 1
        assert waiting.disconnecting and not any(caller.disconnecting for caller in playing)
        assert self.connect("late").disconnecting

    def test_the_end_is_logged_by_the_words_for_it(self) -> None:
        with log() as events:
            service = self.started("--clue-humans", "6", "--no-archive")
            callers = [self.connect("boo") for _ in range(6)]
            callers[0].arrive(b"dance\n")
            stopping = service.stopService()
            for caller in callers:
                assert caller.disconnecting
                caller.lose()
            self.reactor.advance(0.05)
            self.successResultOf(stopping)
        said = texts(events)
        assert (
            "clue: game 1: 'boo' at seat 0 is out: 'dance' isn't roll, no-roll, or accuse" in said
        )
        assert "clue: game 1 has ended: closed; winner: None; rounds: 1" in said
        assert said[-1] == "clue: games: {'closed': 1}; refusals: {'illegal-move': 1}"
        assert sum("boo" in line for line in said) == 1, "nobody is lost by the stop"
        assert not self.reactor.getDelayedCalls()
