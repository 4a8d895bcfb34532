"""Tournaments as a part of the server: options, figures, servers without an archive."""

from __future__ import annotations

import os
from typing import Any
from unittest.mock import Mock

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessTerminated
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import capturedLogs, formatEvent
from twisted.python.failure import Failure

from tests.plugins.tournament.cups import cup_of
from tests.plugins.tournament.hosting.stage import CUP, Stage
from tests.server.helpers import TapCase
from tests.storage.memory import MemoryStore
from tictac.games.all import game_type_of
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Play, terms_for
from tictac.plugins.tournament.hosting.pairing_process import ProcessPairer
from tictac.plugins.tournament.hosting.service import PRUNED_EVERY, OutcomeKeeper, TournamentService
from tictac.plugins.tournament.hosting.tables import TournamentTables
from tictac.server.cli import main
from tictac.server.make import makeService


class OptionTests(TapCase):
    def parts(self, *arguments: str) -> list[Any]:
        reactor: Any = MemoryReactorClock()
        options = self.options("--database", str(self.directory / "users.db"), *arguments)
        service: Any = makeService(options, reactor)
        return [part for part in service.services if isinstance(part, TournamentService)]

    def test_a_server_with_rooms_has_tournaments(self) -> None:
        assert len(self.parts("--port", "tcp:0:interface=127.0.0.1")) == 1

    def test_a_server_need_not_have_them(self) -> None:
        rooms = ("--port", "tcp:0:interface=127.0.0.1")
        assert self.parts(*rooms, "--tournaments", "none") == []
        assert self.parts("--nim", "tcp:0:interface=127.0.0.1") == []

    def test_a_word_that_is_none_of_them(self) -> None:
        said = self.error("--tournaments", "friends")
        assert said.startswith("--tournaments: ") and "admins, accounts, none" in said


def test_figures() -> None:
    stage = Stage().start()
    stage.begin("ann", "ben", "cat", "dan", system="knock-out")
    other: Any = None
    service = TournamentService(stage.clock, stage.store, stage.registry, other, stage.host, other)
    assert {name: value for name, (_, value) in service.figures().items()} == {
        "tournaments_running": 1,
        "tournament_games_open": 2,
    }


def test_a_signal_that_ended_a_pairing_is_named() -> None:
    reactor, failures = Mock(), list[Failure]()
    ProcessPairer(reactor)(cup_of("swiss", 2)).addErrback(failures.append)
    reactor.spawnProcess.call_args.args[0].processEnded(Failure(ProcessTerminated(signal=9)))
    assert failures[0].getErrorMessage().endswith("paired: signal 9 ended the process")


def test_without_an_archive_outcomes_are_kept_all_the_same() -> None:
    store = MemoryStore()
    store.start()
    registry = Registry(0, lambda: 0.0, print)
    registry.archivist = OutcomeKeeper(store)
    play = Play(CUP, 3, 1, ("ann", "ben"), (None, None))
    registry.convene(f"{CUP}.3", terms_for(game_type_of("nim"), {}, play=play))
    registry.call_off(f"{CUP}.3", "absent")
    [outcome] = TournamentTables(store.database).outcomes(CUP)
    assert (outcome.game, outcome.how, outcome.match) == (3, "absent", None)


def test_ended_tournaments_are_deleted_at_the_start_and_every_hour() -> None:
    stage = Stage()
    stage.make()
    stage.append_line(["over", "abandoned"])
    others, kept = Mock(), 1.5 * PRUNED_EVERY
    service = TournamentService(
        stage.clock, stage.store, stage.registry, others, stage.host, others,
        lambda: stage.follower.prune(stage.utc() - kept),
    )  # fmt: skip
    service.begin()
    assert stage.lines() != []
    stage.clock.advance(PRUNED_EVERY)
    assert stage.lines() != []
    stage.clock.advance(PRUNED_EVERY)
    assert (stage.lines(), stage.follower.known) == ([], {})
    Deferred.fromCoroutine(service.end())
    assert not stage.clock.getDelayedCalls()


def test_the_help_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["admin", "tournament", "--help"])
    said = capsys.readouterr().out
    assert "COMMAND" in said and "DEED" not in said


class TwoServersTests(TapCase):
    """Servers with one file of accounts, and no journal: the first one has the tournaments."""

    def part(self, *arguments: str) -> TournamentService:
        options = self.options("--database", str(self.directory / "users.db"), *arguments)
        reactor: Any = MemoryReactorClock()
        service = makeService(options, reactor)
        [part] = [part for part in service.parts if isinstance(part, TournamentService)]
        self.services = [*getattr(self, "services", []), service]
        return part

    def test_one_decides_the_tournaments(self) -> None:
        one = self.part("--port", "tcp:0:interface=127.0.0.1", "--journal", "none")
        with capturedLogs() as logs:
            two = self.part("--port", "tcp:0:interface=127.0.0.1", "--journal", "none")
        [line] = [formatEvent(event) for event in logs if "tournaments" in str(event)]
        assert f"another server decides the tournaments: pid {os.getpid()} on" in str(line)
        known: Any = Mock(owner="", lobby="main")
        assert one.host.follower.is_here(known) and not two.host.follower.is_here(known)
        for claim in self.services[0].claims:
            claim.release()  # as at its end
        three = self.part("--port", "tcp:0:interface=127.0.0.1", "--journal", "none")
        assert three.host.follower.is_here(known)
