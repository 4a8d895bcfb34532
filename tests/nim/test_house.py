"""Tables of the house: each player against the perfect one."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.nim.helpers import LIST, LOSE, PLAY, WIN, turn
from tictac.errors import IllegalMove, Refusal
from tictac.games.nim.opponent import choose, choose_at_random
from tictac.games.nim.rules import Deal, Move
from tictac.nim.house import HouseTables
from tictac.nim.wire import Lose, Turn, Win, split_messages
from tictac.tables import Closed, Ended, Event, Told


def tables(deal: Deal = LIST) -> HouseTables:
    """With alice, number 1, who has connected."""
    made = HouseTables(deal, Random(1))
    assert made.enter(1) == []
    return made


def numbers_of(events: list[Event]) -> tuple[int, ...]:
    """Those of the turn that is told, and nothing else is."""
    [told] = events
    assert isinstance(told, Told) and told.to == 1 and isinstance(told.message, Turn)
    return told.message.numbers


def refusal_of(events: list[Event]) -> Refusal:
    """Why somebody is out, whose match is over."""
    closed, ended = events
    assert isinstance(closed, Closed) and closed.refusal is not None
    assert ended == Ended("refused")
    return closed.refusal


class HouseTests(SynchronousTestCase):
    def test_the_player_begins(self) -> None:
        house = tables()
        assert not house.takes_part(1) and not house.awaits(1)
        assert house.play(1) == [Told(1, Turn((24, 17, 3)))]
        assert house.takes_part(1) and house.awaits(1) and house.running() == 1

    def test_the_house_answers_at_once_and_well(self) -> None:
        house = tables()
        house.play(1)
        numbers = numbers_of(house.move(1, Move(2, 3)))
        assert numbers == (17, 17)

    def test_a_best_player_wins_and_may_play_again(self) -> None:
        house = tables()
        numbers = numbers_of(house.play(1))
        events: list[Event] = []
        while not events:
            told = house.move(1, choose(numbers))
            if told[0] == Told(1, Win()):
                events = told
            else:
                numbers = numbers_of(told)
        assert events == [Told(1, Win()), Ended("won")]
        assert not house.awaits(1) and house.running() == 0
        assert numbers_of(house.play(1)) == (24, 17, 3)

    def test_who_loses_is_out(self) -> None:
        house = tables(Deal(fixed=(2, 1, 1)))
        house.play(1)
        assert numbers_of(house.move(1, Move(0, 1))) == (1, 1)
        assert house.move(1, Move(0, 1)) == [Told(1, Lose()), Closed(1), Ended("won")]
        assert house.leave(1, "left") == [] and house.running() == 0

    def test_what_isnt_allowed(self) -> None:
        for wrong in (Move(3, 1), Move(0, 25), Move(0, 0)):
            house = tables()
            house.play(1)
            assert isinstance(refusal_of(house.move(1, wrong)), IllegalMove)
        house = tables()
        house.play(1)
        assert refusal_of(house.play(1)).code == "already-playing"
        house = tables()
        [closed] = house.move(1, Move(0, 1))
        assert isinstance(closed, Closed) and closed.refusal is not None

    def test_who_leaves(self) -> None:
        house = tables()
        house.play(1)
        assert house.exit(1) == [Closed(1), Ended("forfeited")]
        assert house.enter(2) == [] and house.play(2)
        assert house.leave(2, "timed out") == [Ended("timed out")]

    def test_in_the_end_no_match_begins(self) -> None:
        house = tables()
        house.finish()
        assert house.play(1) == []
        assert house.running() == 0 and not house.awaits(1)

    def test_players_have_tables_of_their_own(self) -> None:
        house = tables()
        house.enter(2)
        house.play(1)
        house.play(2)
        house.move(1, Move(2, 3))
        assert house.move(2, Move(0, 24))[0] == Told(2, Turn((3, 3)))
        assert house.running() == 2


@given(st.integers())
def test_every_match_ends(seed: int) -> None:
    dice = Random(seed)
    house = HouseTables(Deal(), dice)
    house.enter(1)
    numbers = numbers_of(house.play(1))
    while True:
        told = house.move(1, choose_at_random(numbers, dice))
        if len(told) > 1:
            assert told[0] in (Told(1, Win()), Told(1, Lose()))
            break
        assert sum(numbers_of(told)) < sum(numbers)
        numbers = numbers_of(told)


def test_messages_are_cut() -> None:
    data = [WIN, turn(4, 10, 2), LOSE, turn(1)]
    assert split_messages(b"".join(data)) == data
    assert split_messages(b"") == [] and split_messages(PLAY) == [PLAY]
