"""Tables of the house: each player against the perfect one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.nim.helpers import EXIT, LIST, LOSE, PLAY, WIN, NimHouse, house_tables, move, turn
from tests.tables import Guest
from tictac.games.nim.opponent import choose, choose_at_random
from tictac.games.nim.rules import Deal, Numbers
from tictac.net.connection import Limits
from tictac.nim.server import NimFactory
from tictac.nim.wire import FROM_SERVER, Decoder, Turn, split_messages

SMALL = Deal(fixed=(2, 1, 1))


def server(deal: Deal = LIST, seed: int = 1) -> NimHouse:
    """A server whose connections all play against the house."""
    clock = Clock()
    seating = house_tables(clock, deal, seed)
    limits = Limits(login_timeout=60, rate=0)
    return NimHouse(NimFactory(seating, clock, clock.seconds, limits), clock)


def numbers(data: bytes) -> Numbers:
    """Those of a turn."""
    [message] = Decoder(FROM_SERVER).feed(data)
    assert isinstance(message, Turn)
    return message.numbers


class HouseTests(SynchronousTestCase):
    def begin(self, deal: Deal = LIST) -> Guest:
        """A guest whose match has begun."""
        self.house = server(deal)
        guest = self.house.connect()
        guest.send(PLAY)
        assert guest.read() == turn(*deal.fixed or ())
        assert self.house.seating.running() == 1
        return guest

    def test_the_house_answers_at_once_and_well(self) -> None:
        guest = self.begin()
        guest.send(move(2, 3))
        assert guest.read() == turn(17, 17)

    def test_a_best_player_wins_and_may_play_again(self) -> None:
        guest = self.begin()
        left: Numbers = (24, 17, 3)
        while True:
            guest.send(move(*choose(left)))
            data = guest.read()
            if data == WIN:
                break
            left = numbers(data)
        assert self.house.endings == {"won": 1} and self.house.seating.running() == 0
        guest.send(PLAY)
        assert guest.read() == turn(24, 17, 3)

    def test_who_loses_is_out(self) -> None:
        guest = self.begin(SMALL)
        guest.send(move(0, 1))
        assert guest.read() == turn(1, 1)
        guest.send(move(0, 1))
        assert guest.read() == LOSE and guest.closed
        guest.hang_up()
        assert self.house.is_clean() and self.house.endings == {"won": 1}

    def test_what_isnt_allowed(self) -> None:
        for wrong, kind in (
            (move(3, 1), "illegal-move"), (move(0, 25), "illegal-move"),
            (move(0, 0), "illegal-move"), (PLAY, "already-playing"),
        ):  # fmt: skip
            guest = self.begin()
            guest.send(wrong)
            assert guest.closed and guest.read() == b""
            assert self.house.refusals == {kind: 1} and self.house.endings == {"refused": 1}

    def test_a_move_before_play(self) -> None:
        house = server()
        guest = house.connect()
        guest.send(move(0, 1))
        assert guest.closed and house.refusals == {"not-your-turn": 1} and not house.endings

    def test_who_leaves(self) -> None:
        guest = self.begin()
        guest.send(EXIT)
        assert guest.closed and self.house.endings == {"forfeited": 1}
        self.begin().hang_up()
        assert self.house.endings == {"left": 1} and self.house.is_clean()

    def test_who_doesnt_move(self) -> None:
        guest = self.begin()
        self.house.expire(599)
        assert not guest.closed
        self.house.expire(1)
        assert guest.closed and self.house.endings == {"timed out": 1}

    def test_in_the_end_no_match_begins(self) -> None:
        house = server()
        house.seating.finish()
        guest = house.connect()
        guest.send(PLAY)
        assert guest.read() == b"" and not guest.closed and house.seating.running() == 0

    def test_players_have_tables_of_their_own(self) -> None:
        one = self.begin()
        two = self.house.connect()
        two.send(PLAY)
        assert two.read() == turn(24, 17, 3)
        one.send(move(2, 3))
        two.send(move(0, 24))
        assert one.read() == turn(17, 17)
        assert two.read() == turn(3, 3)
        assert self.house.seating.running() == 2

    def test_the_tables_stand_in_the_lobby(self) -> None:
        self.begin()
        [room] = self.house.lobby.public_rooms()
        assert [player.user for player in room.players] == ["guest-1", "computer"]


@given(st.integers())
def test_every_match_ends(seed: int) -> None:
    house = server(Deal(), seed)
    guest, dice = house.connect(), vars(house.seating)["_dice"]
    guest.send(PLAY)
    left = numbers(guest.read())
    while True:
        guest.send(move(*choose_at_random(left, dice)))
        data = guest.read()
        if data in (WIN, LOSE):
            break
        assert sum(numbers(data)) < sum(left)
        left = numbers(data)
    guest.hang_up()
    assert house.is_clean()


def test_messages_are_cut() -> None:
    data = [WIN, turn(4, 10, 2), LOSE, turn(1)]
    assert split_messages(b"".join(data)) == data
    assert split_messages(b"") == [] and split_messages(PLAY) == [PLAY]
