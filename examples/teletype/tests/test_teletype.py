from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tictac.testing.connection import Caller
from tictac.testing.server import Guest, Server


class TeletypeCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = Server("teletype")

    def connect(self, *lines: str) -> Caller:
        """Connect, read the greeting, and send lines."""
        caller = self.server.connect()
        caller.read()
        caller.send(*lines)
        return caller


class OutsideTests(TeletypeCase):
    def test_a_newcomer_is_told_the_games(self) -> None:
        [line] = self.server.connect().read()
        assert line.startswith("* You are guest-1. Games: ") and "nim" in line

    def test_any_other_line_is_answered_with_what_can_be_typed(self) -> None:
        caller = self.connect()
        for line in ("", "open", "open ludo den", "join", "3", "OPEN nim den", "\x00"):
            assert caller.ask(line) == ["* Please type: open GAME ROOM, join ROOM, or quit"], line

    def test_a_room_that_is_not_there_is_refused(self) -> None:
        assert self.connect().ask("join den") == ["* there is no room den"]

    def test_quit_ends_the_connection(self) -> None:
        caller = self.connect("quit")
        assert caller.closed


class MatchTests(TeletypeCase):
    def begin(self, game: str = "nim") -> tuple[Caller, Caller]:
        """Seat two players, and discard the lines they received."""
        first, second = self.connect(f"open {game} den"), self.connect("join den")
        first.read(), second.read()
        return first, second

    def test_the_match_begins_when_the_second_comes(self) -> None:
        first = self.connect("open tictactoe den")
        assert first.read() == ["* You sit in room den, as player 1"]
        second = self.connect("join den")
        told = second.read()
        assert told[0] == "* You sit in room den, as player 2"
        assert told[1] == "* The match begins: guest-1 against guest-2"
        assert told[-1] == "* It is the other one's turn"
        assert first.read()[-1] == "* It is your turn"

    def test_a_move_is_shown_to_both(self) -> None:
        first, second = self.begin()
        (mine, theirs) = first.ask("2 1"), second.read()
        assert mine[:-1] == theirs[:-1]
        assert (mine[-1], theirs[-1]) == ("* It is the other one's turn", "* It is your turn")

    def test_what_is_no_move_changes_nothing(self) -> None:
        first, second = self.begin()
        for line in ("take all", "999 999"):
            [answer] = first.ask(line)
            assert answer.startswith("* ")
        assert second.read() == []

    def test_who_quits_has_lost(self) -> None:
        first, second = self.begin()
        assert first.ask("quit")[-1] == "* The match is over: guest-2 wins (forfeited)"
        assert second.ask("quit") != [] and second.closed

    def test_who_hangs_up_has_lost(self) -> None:
        first, second = self.begin()
        first.transport.lose()
        assert second.read()[-1] == "* The match is over: guest-2 wins (left)"

    def test_a_guest_of_another_protocol_plays_a_whole_match(self) -> None:
        caller = self.connect("open reversi den")
        guest = Guest(self.server.registry, "vera")
        guest.registry.join(guest, "den", "PLAYER")
        [room] = self.server.registry.public_rooms()
        text_view = room.terms.game_type.text_view(room.terms.values)
        while self.server.registry.room("den") is not None:
            move = room.game.moves(room.position)[0]
            if room.turn == 0:
                caller.send(text_view.spell(move))
            else:
                guest.registry.place(guest, move)
        assert caller.read()[-1].startswith("* The match is over: ")

    def test_after_the_match_one_can_open_another_room(self) -> None:
        first, _ = self.begin()
        first.ask("quit")
        assert first.ask("open nim den") == ["* You sit in room den, as player 1"]


class SilenceTests(TeletypeCase):
    def test_who_is_silent_for_too_long_is_sent_away(self) -> None:
        caller = self.connect()
        self.server.clock.pump([10] * 59)
        assert not caller.closed
        self.server.clock.pump([10] * 2)
        assert caller.closed

    def test_who_waits_in_a_room_may_be_silent(self) -> None:
        caller = self.connect("open nim den")
        self.server.clock.pump([10] * 100)
        assert not caller.closed
