"""What strangers may ask of an archive, and whose turn it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from unittest.mock import patch

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.archive.helpers import archive_of, match
from tests.plugins.matches.helpers import played
from tests.storage.memory import SlowStore
from tictac.archive import reader as reading
from tictac.archive.match import EXPORTS, BadMatch, Event, Export, Match
from tictac.archive.reader import LONGEST, LONGEST_REST, PIECE, REST, Reader
from tictac.errors import ArchiveAway, NoSuchGame, NoSuchMatch, PrivateMatch
from tictac.games.all import game_type_of
from tictac.text_view import unpainted


class TurnTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.archive = Clock(), SlowStore()
        self.reader = Reader(self.archive, self.clock.seconds, self.clock.callLater)

    def ask(self, address: str) -> Deferred[bytes]:
        return self.reader.match(address, "m1", None)

    def answer(self) -> None:
        self.archive.asked[-1].callback(match("m1"))

    def test_addresses_take_turns(self) -> None:
        first = [self.ask("192.0.2.1") for _ in range(3)]
        other = self.ask("192.0.2.2")
        assert len(self.archive.asked) == 1
        for _ in range(3):
            self.answer()
        assert [each.called for each in (*first, other)] == [True, True, False, True]

    def test_it_rests_for_longer_than_it_has_worked(self) -> None:
        for works, rests in ((0.01, 0.01 * REST), (10, LONGEST_REST)):
            first, _ = self.ask("192.0.2.1"), self.ask("192.0.2.1")
            before = len(self.archive.asked)
            self.clock.advance(works)
            self.answer()
            self.successResultOf(first)
            self.clock.advance(rests * 0.9)
            assert len(self.archive.asked) == before
            self.clock.advance(rests * 0.2)
            assert len(self.archive.asked) == before + 1
            self.answer()

    def test_who_gives_up_makes_way_once_the_database_is_done(self) -> None:
        first, second = self.ask("192.0.2.1"), self.ask("192.0.2.1")
        first.cancel()
        self.failureResultOf(first, CancelledError)
        assert len(self.archive.asked) == 1
        self.answer()
        assert len(self.archive.asked) == 2
        second.cancel()
        self.archive.asked[1].errback(OSError())
        self.failureResultOf(second, CancelledError)

    def test_a_fault_is_logged_and_doesnt_keep_others_waiting(self) -> None:
        first, _ = self.ask("192.0.2.1"), self.ask("192.0.2.1")
        self.archive.asked[0].errback(OSError())
        self.failureResultOf(first, ArchiveAway)
        assert len(self.flushLoggedErrors(OSError)) == 1
        assert len(self.archive.asked) == 2


class ReplayTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()

    def reader(self, *matches: Match) -> Reader:
        def seconds() -> float:  # each look at the clock takes its time
            self.clock.rightNow += PIECE / 4
            return self.clock.rightNow

        return Reader(archive_of(*matches), seconds, self.clock.callLater)

    def test_it_rests_after_each_piece(self) -> None:
        reading = self.reader(match("m1")).replay("192.0.2.1", "m1", None)
        self.assertNoResult(reading)
        rests = 0
        while not reading.called:
            self.clock.advance(REST * PIECE)
            rests += 1
        assert 1 < rests < 10
        assert len(json.loads(self.successResultOf(reading))["events"]) == 9

    def test_what_is_more_than_one_answer_holds(self) -> None:
        self.patch(reading, "EVENTS", 5)
        reader, told = (
            Reader(archive_of(match("m1")), self.clock.seconds, self.clock.callLater),
            [],
        )
        first: int | None = 0
        while first is not None:
            answer = self.successResultOf(reader.replay("192.0.2.1", "m1", None, None, first))
            told += [event["n"] for event in json.loads(answer)["events"]]
            first = json.loads(answer)["next"]
        assert told == [*range(9)]

    def test_a_game_that_the_reader_doesnt_draw_has_pictures(self) -> None:
        reader = Reader(archive_of(match("m1")), self.clock.seconds, self.clock.callLater)
        text_view = game_type_of("tictactoe").text_view(match("m1").options)
        for draws, is_drawn in ((["nim"], False), (["nim", "tictactoe"], True), (None, True)):
            told = self.successResultOf(reader.replay("192.0.2.1", "m1", None, None, 0, draws))
            for event in json.loads(told)["events"]:
                drawn = (
                    text_view.lines(event["position"], unpainted) if "position" in event else None
                )
                assert event.get("picture") == (None if is_drawn else drawn)

    def test_a_move_is_whole_and_a_position_as_its_seat_saw_it(self) -> None:
        reader = Reader(
            archive_of(clue := played("clue", {}, [*"abcdef"])),
            self.clock.seconds,
            self.clock.callLater,
        )
        views = []
        for seat in (None, 0):
            answer = self.successResultOf(reader.replay("192.0.2.1", clue.id, None, seat))
            events = json.loads(answer)["events"]
            moves = [event["move"] for event in events if event["event"] == "moved"]
            assert moves == [event.fields[2] for event in clue.events if event.fields[0] == "moved"]
            views.append(events[0]["position"])
        assert views[0] != views[1]


class LengthTests(SynchronousTestCase):
    def test_what_was_said_is_left_out_of_what_would_be_too_long(self) -> None:
        short = match("m1")
        said = [Event(0.25, ("said", "bob", "x" * 500))] * (LONGEST // 500)
        long = short._replace(id="m2", events=(*said, *short.events))
        reader = Reader(archive_of(short, long), Clock().seconds, Clock().callLater)
        for match_id, words in (("m1", True), ("m2", False)):
            line = self.successResultOf(reader.match("192.0.2.1", match_id, None))
            assert any(event[1] == "said" for event in json.loads(line)["events"]) is words
            assert len(line) < LONGEST


class ExportTests(SynchronousTestCase):
    def export(self, match_id: str, suffix: str) -> Deferred[tuple[str, str]]:
        """Ask for a match in a format that only matches of tic-tac-toe have."""
        formats = {"tictactoe.txt": Export("text/plain", lambda match: iter([match.id, "!"]))}
        self.patch(EXPORTS, "load", formats.get)
        archive = archive_of(match("m1"), match("secret", private=True))
        clock = Clock()
        return Reader(archive, clock.seconds, clock.callLater).export("", match_id, suffix)

    def test_a_match_comes_in_a_format_of_its_game(self) -> None:
        assert self.successResultOf(self.export("m1", "txt")) == ("text/plain", "m1!")

    def test_another_format_is_not_there(self) -> None:
        why = self.failureResultOf(self.export("m1", "pgn"), NoSuchMatch).getErrorMessage()
        assert why == "matches of tictactoe have no format 'pgn'"

    def test_a_private_match_stays_private(self) -> None:
        self.failureResultOf(self.export("secret", "txt"), PrivateMatch)

    def test_a_first_position_that_the_game_no_longer_knows_is_refused(self) -> None:
        clock, archive = Clock(), archive_of(match("m1")._replace(start="not now"))
        reading = Reader(archive, clock.seconds, clock.callLater).replay("", "m1", None)
        self.failureResultOf(reading, NoSuchGame)

    def test_a_match_against_the_rules_is_refused(self) -> None:
        def write(found: Match) -> Iterator[str]:
            raise BadMatch("no")
            yield ""

        with patch.object(EXPORTS, "load", lambda name: Export("text/plain", write)):
            clock = Clock()
            reader = Reader(archive_of(match("m1")), clock.seconds, clock.callLater)
            self.failureResultOf(reader.export("", "m1", "txt"), NoSuchGame)
