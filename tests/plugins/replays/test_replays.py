"""Histories that end or stop their process are found in another one, and cost one room each."""

from __future__ import annotations

import signal
import subprocess
from argparse import Namespace
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from random import Random
from typing import Any, cast
from unittest.mock import patch

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.task import Clock
from twisted.logger import ILogObserver, globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.archive.helpers import archive_of, match
from tests.plugins.replays import deadly
from tests.terminal.processes import PATIENCE
from tictac.archive.match import Event, Match, dump_match
from tictac.archive.reader import Reader
from tictac.archive.tables import MatchTables
from tictac.errors import NoSuchGame, SetupError
from tictac.games.all import GAMES
from tictac.lobby.journal import KeptRoom, Opened
from tictac.lobby.record import PackedRecord, RecordLine, dump_terms
from tictac.lobby.registry import Registry
from tictac.lobby.terms import terms_for
from tictac.plugins.matches import actions
from tictac.plugins.replays import replayer
from tictac.plugins.replays.replayer import Replayer
from tictac.plugins.replays.service import MOST_KNOWN, ReplayService
from tictac.storage.databases import opened


def room(name: str, *moves: str, game: str = "deadly", packed: bool = False) -> KeptRoom:
    """Return a saved room of alice and bob, in which these moves were made."""
    begun = ['["joined","alice",0]', '["joined","bob",1]', '["began"]']
    made = [f'["moved",{number % 2},"{move}"]' for number, move in enumerate(moves)]
    lines = [RecordLine(n, n / 10, text) for n, text in enumerate([*begun, *made], 1)]
    terms = dump_terms(terms_for(GAMES[game], {}))
    start = "0" if game == "deadly" else "000000000"
    return KeptRoom(1, Opened(name, terms, start), PackedRecord.of(lines) if packed else lines)


def ended(match_id: str, *moves: str) -> Match:
    """Return a match of the deadly game, which alice forfeited."""
    events = [Event(n, ("moved", n % 2, move)) for n, move in enumerate(moves)]
    end = Event(9, ("ended", "forfeited", 1, None))
    fields: dict[str, Any] = {"game": "deadly", "options": {}, "start": "0", "ending": "forfeited"}
    return match(match_id, **fields)._replace(events=(*events, end), winner=1)


class DeadlyCase(SynchronousTestCase):
    def setUp(self) -> None:
        GAMES.loaded["deadly"] = deadly.GAME
        self.addCleanup(GAMES.loaded.pop, "deadly")
        self.started: list[subprocess.Popen[bytes]] = []
        self.replayer = self.make(0)

    def make(self, timeout: float) -> Replayer:
        made = Replayer(timeout, self.start)
        self.addCleanup(made.close)
        return made

    def start(self) -> subprocess.Popen[bytes]:
        self.started.append(deadly.start())
        return self.started[-1]


class ReplayerTests(DeadlyCase):
    def fault_of(self, kept: KeptRoom, replayer: Replayer | None = None) -> str:
        try:
            (replayer or self.replayer).vet_room(kept)
        except ValueError as error:
            return str(error).partition(": ")[2]
        return ""

    def test_one_process_replays_all_sound_rooms(self) -> None:
        rooms = [room("a"), room("b", "count"), room("c", "count", packed=True)]
        assert [self.fault_of(each) for each in rooms] == ["", "", ""]
        assert len(self.started) == 1

    def test_a_crash_is_one_rooms_fault(self) -> None:
        rooms = [room("a", "count"), room("b", "count", "crash"), room("c", "count")]
        faults = [self.fault_of(each) for each in rooms]
        status = -signal.SIGSEGV
        assert faults == ["", f"its replay ends the process, with status {status}", ""]

    def test_an_end_without_a_crash_is_a_fault_too(self) -> None:
        fault = self.fault_of(room("a", "exit"))
        assert fault == "its replay ends the process, with status 0"

    def test_a_replay_that_takes_too_long_is_killed(self) -> None:
        fault = self.fault_of(room("a", "hang"), self.make(0.01))
        assert fault == "its replay takes longer than 0.01 s"
        assert self.started[0].returncode == -signal.SIGKILL

    def test_what_a_library_prints_is_no_answer(self) -> None:
        rooms = [room("a", "print"), room("b", "crash")]
        assert [bool(self.fault_of(each)) for each in rooms] == [False, True]

    def test_what_the_rules_refuse_is_left_to_the_server(self) -> None:
        illegal, sound = room("a", "fly"), room("b", "count")
        nowhere = replace(sound, opened=sound.opened._replace(start="nowhere"))
        for kept in (illegal, nowhere):
            assert self.fault_of(kept) == ""
        assert self.replayer.fault_of_match(ended("m1", "fly")) == ""

    def test_a_game_of_pure_python_needs_no_process(self) -> None:
        assert self.fault_of(room("a", "0:0", game="tictactoe")) == ""
        assert not self.replayer.runs

    def test_a_process_that_cant_start_is_a_fault(self) -> None:
        def start() -> subprocess.Popen[bytes]:
            raise OSError(11, "no memory")

        fault = self.fault_of(room("a"), Replayer(0, start))
        assert fault == "no process to replay it can be started: no memory"

    def test_it_starts_the_real_process(self) -> None:
        made = Replayer(0, replayer.start)
        self.addCleanup(made.close)
        assert made.fault_of_match(match("m1")) == ""
        assert made.runs


class ImportTests(DeadlyCase):
    """``tictac matches import``, whose own process must outlive each line."""

    def imported(self, *matches: Match) -> tuple[str, str]:
        """Import a file with these matches; return what was said, and the error."""
        self.patch(replayer, "Replayer", lambda timeout: Replayer(timeout, self.start))
        folder = temporary_directory(self)
        lines = folder.joinpath("some.jsonl")
        lines.write_text("".join(dump_match(each) + "\n" for each in matches))
        args = Namespace(database=str(folder / "new.db"), file=str(lines), command=None)
        error, said = "", StringIO()
        with redirect_stdout(said):
            try:
                actions.import_file(args)
            except SetupError as refusal:
                error = str(refusal)
        with opened(args.database) as database:
            self.there = {each.id for each in MatchTables(database).all()}
        return said.getvalue(), error

    def test_a_match_that_crashes_is_refused_alone(self) -> None:
        some = [ended("good", "count"), ended("bad", "count", "crash"), ended("more"), match("py")]
        said, error = self.imported(*some)
        assert said == "Imported 3 matches.\n"
        status = -signal.SIGSEGV
        why = f"its replay ends the process, with status {status}"
        assert error == f"1 match can't be imported: bad: {why}"
        assert self.there == {"good", "more", "py"}

    def test_what_the_rules_refuse_is_the_fault_of_the_file(self) -> None:
        _, error = self.imported(ended("good", "count"), ended("bad", "fly"))
        assert error.endswith("'fly' is no move; nothing is imported") and not self.there

    def test_its_process_ends(self) -> None:
        with patch("tictac.plugins.replays.replayer.ENDS_IN", PATIENCE):
            self.imported(ended("good", "count"))
        assert [each.poll() for each in self.started] == [0]


class RegistryTests(DeadlyCase):
    def test_a_room_that_crashes_is_lost_alone(self) -> None:
        lost: list[str] = []
        registry = Registry(10, lambda: 0.0, print, rng=Random(1), on_lost=lost.append)
        registry.vet = self.replayer.vet_room
        for kept in (room("a", "count"), room("b", "crash"), room("c")):
            registry.continue_room(kept)
        assert ([*registry.live_rooms], lost) == (["a", "c"], ["b"])


class ServiceTests(DeadlyCase):
    def setUp(self) -> None:
        super().setUp()
        clock: Any = Clock()
        matches = [ended("good", "count"), ended("bad", "count", "crash"), match("other")]
        archive = archive_of(*matches)
        self.reader = Reader(archive, clock.seconds, clock.callLater)
        self.service = ReplayService(clock, self.replayer, self.reader, maybeDeferred)
        self.logged: list[Any] = []
        observer = cast(ILogObserver, self.logged.append)
        globalLogPublisher.addObserver(observer)
        self.addCleanup(globalLogPublisher.removeObserver, observer)

    def read(self, match_id: str) -> Deferred[bytes]:
        return self.reader.replay(match_id, match_id, None)

    def test_a_sound_match_is_shown(self) -> None:
        assert b'"move":"count"' in self.successResultOf(self.read("good"))

    def test_a_match_that_crashes_is_refused_and_logged(self) -> None:
        why = self.failureResultOf(self.read("bad"), NoSuchGame).getErrorMessage()
        assert why.startswith("the match breaks the rules of this server: its replay ends")
        [line] = [event for event in self.logged if event.get("match") == "bad"]
        assert line["log_level"].name == "error"

    def test_a_match_is_replayed_once(self) -> None:
        for _ in range(2):
            self.failureResultOf(self.service.vet(ended("bad", "crash")), NoSuchGame)
        assert len(self.started) == 1

    def test_it_forgets_the_oldest(self) -> None:
        self.service._faults.update(dict.fromkeys(map(str, range(MOST_KNOWN)), ""))
        self.successResultOf(self.service.vet(ended("good", "count")))
        assert (len(self.service._faults), "0" in self.service._faults) == (MOST_KNOWN, False)

    def test_other_games_need_no_process(self) -> None:
        assert b"1:1" in self.successResultOf(self.read("other"))
        assert not self.started

    def test_the_process_ends_after_a_sweep_without_a_replay(self) -> None:
        self.successResultOf(self.service.vet(ended("good", "count")))
        self.service.expire()
        assert self.replayer.runs
        self.service.expire()
        assert not self.replayer.runs
