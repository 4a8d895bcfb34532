"""Games of the protocol as rooms of the lobby: others see them, watch them, and can't sit down."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.lobby.any_game import Knowing
from tests.plugins.classics.connectfour.helpers import RED_WINS, Server, said
from tictac.errors import RoomFull
from tictac.lobby.events import Ended, Placed
from tictac.lobby.room import Room


class LobbyCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = Server(RED_WINS[1])
        self.vera = Knowing(self.server.registry, "vera")

    def only_room(self) -> Room:
        (room,) = self.server.registry.public_rooms()
        return room


class WatchingTests(LobbyCase):
    def test_a_game_stands_in_the_lobby_from_its_first_ready(self) -> None:
        caller = self.server.connect()
        caller.ask("I32CFSP_HELLO boo")
        assert not self.server.registry.public_rooms()
        caller.ask("AI_GAME 5 4")
        room = self.only_room()
        guest, computer = [member.user for member in room.players]
        assert room.begun and guest.startswith("guest-") and computer == "computer"
        assert (room.terms.game_type.name, room.terms.values["columns"]) == ("connectfour", 5)

    def test_a_viewer_sees_each_move_and_the_end(self) -> None:
        caller = self.server.play()
        self.server.registry.join(self.vera, self.only_room().name, "VIEWER")
        self.vera.news()
        caller.ask(*said(RED_WINS[0]))
        *moves, ended = self.vera.events
        made = [(each.seat, each.move) for each in moves if isinstance(each, Placed)]
        assert made == [(0, "3"), (1, "4")] * 3
        assert isinstance(ended, Ended)
        assert (ended.ending, ended.seat, ended.move) == ("won", 0, "3")
        assert not self.server.registry.public_rooms()

    def test_a_viewer_who_comes_and_goes_isnt_noticed(self) -> None:
        caller = self.server.play()
        self.server.registry.join(self.vera, self.only_room().name, "VIEWER")
        self.server.registry.say(self.vera, "Hello")
        self.server.registry.leave(self.vera)
        assert caller.read() == []
        assert caller.ask("DROP 3") == ["OKAY", "DROP 4", "READY"]

    def test_who_hangs_up_has_left(self) -> None:
        caller = self.server.play()
        self.server.registry.join(self.vera, self.only_room().name, "VIEWER")
        caller.transport.lose()
        ended = self.vera.events[-1]
        assert isinstance(ended, Ended) and (ended.ending, ended.winner) == ("left", "computer")


class SeatTests(LobbyCase):
    def test_nobody_else_takes_a_seat(self) -> None:
        self.server.play()
        self.server.registry.join(self.vera, self.only_room().name, "PLAYER")
        assert self.vera.refused() is RoomFull

    def test_a_room_of_somebody_elses_may_have_the_name(self) -> None:
        self.server.play()
        _, first = self.only_room().name.rsplit(" ", 1)
        for number in range(int(first) + 1, int(first) + 10):
            somebody = Knowing(self.server.registry, "somebody")
            self.server.registry.create(somebody, f"connect four {number}")
        self.server.play()
        assert self.server.running == 2

    def test_a_move_has_no_other_limit_than_silence(self) -> None:
        caller = self.server.play()
        self.server.clock.advance(10_000)
        self.server.registry.expire(600, 3600)
        assert caller.ask("DROP 3") == ["OKAY", "DROP 4", "READY"]
