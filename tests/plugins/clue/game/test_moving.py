"""Every rule of moving by its number, and every destination found a second, naive time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.clue.helpers import BOARD, DEAL, cards, state, triple
from tictac.errors import IllegalMove
from tictac.plugins.clue.game.board import Cell, InRoom, Place, State
from tictac.plugins.clue.game.cards import ROOMS
from tictac.plugins.clue.game.moving import after, disprover, move, options, pull


def to(where: State, token: int, steps: int) -> set[Place]:
    return set(options(BOARD, where, token, steps))


class OptionTests(SynchronousTestCase):
    def test_1_another_token_is_in_the_way(self) -> None:
        # Scarlet's start cell has one way out.
        boxed = state(t1="(17 23)")
        assert to(boxed, 0, 5) == {Cell(17, 24)}

    def test_1_no_cell_twice(self) -> None:
        # In the passage one cell wide there is only onward: not two steps forth and back.
        assert to(state(), 2, 2) == {Cell(16, 1)}
        assert to(state(), 2, 3) == {Cell(17, 1)}

    def test_2_a_cell_takes_exactly_the_steps(self) -> None:
        assert to(state(), 0, 2) == {Cell(17, 22), Cell(16, 23)}
        assert Cell(17, 22) not in to(state(), 0, 3)

    def test_2_a_room_takes_at_most_the_steps(self) -> None:
        lounge = InRoom("U", "V")
        assert lounge not in to(state(), 0, 7)
        for steps in range(8, 13):
            assert lounge in to(state(), 0, steps)

    def test_2_from_a_door_cell_it_is_one_step(self) -> None:
        assert InRoom("U", "V") in to(state(t0="(18 18)"), 0, 2)

    def test_2_a_room_is_shared(self) -> None:
        assert InRoom("U", "V") in to(state(t3="(U V)", t4="(U S)"), 0, 8)

    def test_2_a_start_cell_is_never_a_destination(self) -> None:
        # Cells next to Plum's and Peacock's, whose tokens are away.
        where = state(t0="(1 19)", t5="(U V)", t4="(U V)", t1="(1 6)")
        for steps in range(2, 13):
            assert not to(where, 0, steps) & set(BOARD.starts)
            assert not to(where, 1, steps) & set(BOARD.starts)

    def test_3_the_room_that_was_left_cant_be_entered_again(self) -> None:
        for room in ROOMS:
            for steps in range(2, 13):
                assert InRoom(room, "V") not in to(state(t0=f"({room} V)"), 0, steps)

    def test_3_a_blocked_door_isnt_left_through(self) -> None:
        # The lounge has one door.
        (door,) = BOARD.doors["U"]
        down, right = BOARD.cells[door]
        where = state(t0="(U S)", t1=f"({down} {right})")
        assert to(where, 0, 9) == {InRoom("U", "V")}
        assert InRoom("D", "V") in to(state(t0="(U S)"), 0, 9)

    def test_4_without_dice_there_are_staying_and_the_passage(self) -> None:
        assert to(state(t0="(S V)"), 0, 0) == {InRoom("S", "V"), InRoom("K", "V")}
        assert to(state(t0="(C S)"), 0, 0) == {InRoom("C", "V"), InRoom("U", "V")}
        assert to(state(t0="(H S)"), 0, 0) == {InRoom("H", "V")}
        assert to(state(), 0, 0) == {Cell(17, 24)}

    def test_4_a_passage_isnt_for_those_who_rolled(self) -> None:
        assert InRoom("K", "V") not in to(state(t0="(S V)"), 0, 12)


class MoveTests(SynchronousTestCase):
    def test_5_entering_by_door_and_by_passage(self) -> None:
        assert move(BOARD, state(), 0, InRoom("U", "V"), 8)[1]
        assert move(BOARD, state(t0="(U V)"), 0, InRoom("C", "V"), 0)[1]

    def test_5_staying_counts_after_being_moved_there(self) -> None:
        assert move(BOARD, state(t0="(U S)"), 0, InRoom("U", "V"), 0)[1]
        assert move(BOARD, state(t0="(U V)"), 0, InRoom("U", "V"), 0)[1] is False

    def test_5_a_cell_is_no_room(self) -> None:
        step = move(BOARD, state(), 0, Cell(17, 22), 2)
        assert step == (state(t0="(17 22)"), False)

    def test_6_boxed_in_it_stays_and_suggests_nothing(self) -> None:
        boxed = state(t0="(U S)", t1="(18 18)")
        assert move(BOARD, boxed, 0, InRoom("U", "V"), 7) == (
            state(t0="(U V)", t1="(18 18)"),
            False,
        )
        start = state(t1="(17 23)")
        assert move(BOARD, start, 0, Cell(17, 24), 7) == (start, False)

    def test_other_destinations_are_refused(self) -> None:
        for place in (Cell(17, 24), Cell(99, 99), InRoom("U", "S"), InRoom("K", "V")):
            with self.assertRaisesRegex(IllegalMove, "Scarlet can't get to"):
                move(BOARD, state(), 0, place, 8)

    def test_a_refusal_says_that_a_cell_takes_all_steps(self) -> None:
        for place, why in (
            (Cell(17, 24), r"\(17 24\) with 8 steps: all of them must be used"),
            (InRoom("K", "V"), "the kitchen with up to 8 steps"),
        ):
            with self.assertRaisesRegex(IllegalMove, why):
                move(BOARD, state(), 0, place, 8)

    def test_7_a_suggestion_moves_the_named_token(self) -> None:
        before = state(t0="(U V)")
        assert pull(before, 0, triple("5 rope U")) == state(t0="(U V)", t5="(U S)")
        assert pull(before, 0, triple("0 rope U")) == before

    def test_7_also_when_it_already_stood_there(self) -> None:
        before = state(t0="(U V)", t5="(U V)")
        assert pull(before, 0, triple("5 rope U")) == state(t0="(U V)", t5="(U S)")


class DisproverTests(SynchronousTestCase):
    def test_it_is_the_first_holder_in_turn_order(self) -> None:
        assert disprover(DEAL.hands, 0, triple("1 pipe U")) == 1
        assert disprover(DEAL.hands, 1, triple("1 pipe U")) == 3
        assert disprover(DEAL.hands, 4, triple("1 pipe B")) == 1

    def test_the_suggesters_own_cards_dont_count(self) -> None:
        assert disprover(DEAL.hands, 0, triple("0 knife S")) is None

    def test_nobody_holds_the_envelope(self) -> None:
        assert disprover(DEAL.hands, 0, DEAL.envelope) is None

    def test_turn_order_goes_round(self) -> None:
        assert after(4) == [5, 0, 1, 2, 3]
        assert disprover([cards("0"), *[cards("1")] * 5], 5, triple("0 rope U")) == 0


MARKS = {
    Cell(down, right): mark for down, row in enumerate(BOARD.rows) for right, mark in enumerate(row)
}


def naive(where: State, token: int, steps: int) -> set[Place]:
    """Return where all walks end, tried one by one, by the map's text and the rules."""
    here = where[token]
    taken = {place for other, place in enumerate(where) if other != token}
    found: set[Place] = set()

    def stand(cell: Cell) -> bool:
        mark = MARKS.get(cell, ".")
        return (mark == "-" or mark.islower()) and cell not in taken

    def walk(cell: Cell, seen: tuple[Cell, ...], left: int) -> None:
        mark = MARKS[cell]
        if left >= 1 and mark.islower() and here[0] != mark.upper():
            found.add(InRoom(mark.upper(), "V"))
        if left == 0:
            found.add(cell)
            return
        down, right = cell
        for near in (
            Cell(down + 1, right),
            Cell(down - 1, right),
            Cell(down, right + 1),
            Cell(down, right - 1),
        ):
            if stand(near) and near not in seen:
                walk(near, (*seen, near), left - 1)

    if isinstance(here, Cell):
        walk(here, (here,), steps)
    else:
        for cell, mark in MARKS.items():
            if mark == here.room.lower() and stand(cell):
                walk(cell, (cell,), steps - 1)
    stay = here if isinstance(here, Cell) else InRoom(here.room, "V")
    return found or {stay}


HALLWAY = [cell for cell in BOARD.cells if cell not in BOARD.starts]


@st.composite
def states(draw: st.DrawFn) -> State:
    """Return any state: tokens on their start cells, on cells of their own, or in rooms."""
    cells = draw(st.lists(st.sampled_from(HALLWAY), min_size=6, max_size=6, unique=True))
    rooms = st.builds(InRoom, st.sampled_from(sorted(ROOMS)), st.sampled_from(("S", "V")))
    return tuple(
        draw(st.one_of(st.just(BOARD.starts[token]), st.just(cells[token]), rooms))
        for token in range(6)
    )


@settings(max_examples=150)
@given(states(), st.integers(0, 5), st.integers(2, 9))
def test_a_naive_search_finds_the_same_places(where: State, token: int, steps: int) -> None:
    assert options(BOARD, where, token, steps) == naive(where, token, steps)


@pytest.mark.parametrize("steps", [10, 11, 12])
def test_a_naive_search_finds_the_same_far_places(steps: int) -> None:
    for room in ("U", "C", "H"):
        where = state(t0=f"({room} V)", t1="(7 9)", t2="(16 12)")
        assert options(BOARD, where, 0, steps) == naive(where, 0, steps)
