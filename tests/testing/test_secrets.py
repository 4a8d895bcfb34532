"""The conformance suite and the events of rooms keep the secrets of games."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.documents import blocks, page
from tests.testing import secrets
from tests.testing.secrets import (
    Position,
    ShowsByErrors,
    ShowsByMoves,
    ShowsMoves,
    ShowsPositions,
    alike,
    game_type,
    peep,
)
from tictac.games.all import game_type_of
from tictac.lobby.events import Ended, Event, Joined, Placed, Refused, Undone
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms, terms_for
from tictac.testing.conformance import Case, GameConformance
from tictac.testing.server import Guest, raise_fault

CHECKS = (
    "a_view_shows_nothing_that_the_seat_may_not_know",
    "positions_that_are_alike_differ_in_a_secret",
    "moves_with_equal_views_are_seen_alike",
    "the_computer_knows_nothing_that_its_seat_may_not_know",
    "turns_and_moves_show_nothing_that_a_seat_may_not_know",
)


class ConformanceTests(GameConformance, SynchronousTestCase):
    """The game without leaks passes."""

    case = Case(game_type(), longest=3, lengths=(1, 3, 9, 27), alike=alike)


def test_the_guide_puts_a_leak_in_that_this_finds() -> None:
    *_, leak = blocks(page("a-game-of-your-own"), "A game with secrets", "python")
    assert leak.text.strip() in inspect.getsource(ShowsPositions)
    assert f"`{CHECKS[0]}`" in page("a-game-of-your-own").read_text("utf-8")
    assert len(inspect.getsource(secrets).splitlines()) <= 200


class LeakTests(SynchronousTestCase):
    """Each leak is found by the check that looks for it."""

    def complaints(self, **fields: Any) -> set[str]:
        """Return the checks that fail for a case."""
        checked = GameConformance()
        checked.case = Case(**{"game_type": game_type(), "longest": 3, "alike": alike, **fields})
        found = set()
        for check in CHECKS:
            try:
                getattr(checked, f"test_{check}")()
            except AssertionError:
                found.add(check)
        return found

    def test_a_view_with_a_secret(self) -> None:
        assert self.complaints(game_type=game_type(ShowsPositions)) == {CHECKS[0]}

    def test_a_move_with_a_secret(self) -> None:
        assert self.complaints(game_type=game_type(ShowsMoves)) == {CHECKS[2]}

    def test_a_computer_that_peeps(self) -> None:
        assert self.complaints(game_type=game_type(choice=peep)) == {CHECKS[3]}

    def test_an_error_with_a_secret(self) -> None:
        assert self.complaints(game_type=game_type(ShowsByErrors)) == {CHECKS[4]}

    def test_moves_that_depend_on_a_secret(self) -> None:
        assert CHECKS[4] in self.complaints(game_type=game_type(ShowsByMoves))

    def test_a_case_that_names_no_secret(self) -> None:
        same: Callable[..., Position] = lambda position, seat, rng: position  # noqa: E731
        assert self.complaints(alike=same) == {CHECKS[1]}

    def test_a_case_without_alike(self) -> None:
        assert CHECKS[0] in self.complaints(alike=None)


class Plain(Guest):
    """An occupant of a plug-in that asks for nothing special."""

    whole_events = False
    supports_all_events = True


class EventTests(SynchronousTestCase):
    """Occupants get what their seat may see."""

    def setUp(self) -> None:
        self.registry = Registry(0, lambda: 0.0, raise_fault, 60.0)
        names = ("alice", "bob", "vera")
        self.alice, self.bob, self.vera = (Plain(self.registry, name) for name in names)
        terms: Terms = terms_for(game_type(), {})
        self.registry.create(self.alice, "den", terms)
        self.registry.join(self.vera, "den", "VIEWER")
        self.registry.join(self.bob, "den", "PLAYER")

    def last(self, guest: Guest) -> Event:
        return guest.events[-1]

    def test_a_move_is_shown_as_its_seat_may_see_it(self) -> None:
        self.registry.place(self.alice, "hide 2", keep=False)
        shown = []
        for guest in (self.alice, self.bob, self.vera):
            event = self.last(guest)
            assert isinstance(event, Placed)
            shown.append((event.move, event.position))
        assert shown == [("hide 2", "2- None"), ("hide", "x- None"), ("hide", "x- None")]

    def test_an_occupant_can_ask_for_whole_events(self) -> None:
        whole = Guest(self.registry, "wim")
        self.registry.join(whole, "den", "VIEWER")
        self.registry.place(self.alice, "hide 2", keep=False)
        event = self.last(whole)
        assert isinstance(event, Placed)
        assert (event.move, event.position) == ("hide 2", Position((2, 0)))

    def test_a_refusal_has_a_view(self) -> None:
        self.registry.place(self.alice, "hide 2", keep=False)
        self.registry.place(self.bob, "guess 2", keep=False)
        event = self.last(self.bob)
        assert isinstance(event, Refused) and event.position == "x- None"

    def test_the_end_has_a_view(self) -> None:
        for guest, move in ((self.alice, "hide 2"), (self.bob, "hide 1"), (self.alice, "guess 1")):
            self.registry.place(guest, move, keep=False)
        event = self.last(self.vera)
        assert isinstance(event, Ended)
        assert (event.move, event.position, event.winner) == ("guess 1", "21 0", "alice")

    def test_a_match_that_ends_without_a_move_has_a_view(self) -> None:
        self.registry.place(self.alice, "hide 2", keep=False)
        self.registry.forfeit(self.bob)
        event = self.last(self.vera)
        assert isinstance(event, Ended) and event.position == "x- None"

    def test_a_takeback_has_a_view(self) -> None:
        for guest in (self.alice, self.bob, self.vera):
            self.registry.leave(guest, for_good=True)
        game = terms_for(game_type_of("reversi"), {"size": "4"})
        self.registry.create(self.alice, "den", game)
        self.registry.join(self.vera, "den", "VIEWER")
        self.registry.join(self.bob, "den", "PLAYER")
        self.registry.place(self.alice, "b1", keep=False)
        self.registry.offer(self.alice, "takeback")
        self.registry.answer(self.bob, "takeback", accept=True)
        event = self.last(self.vera)
        assert isinstance(event, Undone) and event.position == "..../.OX./.XO./.... X"

    def test_a_player_who_rejoins_gets_a_view(self) -> None:
        self.registry.place(self.alice, "hide 2", keep=False)
        self.registry.leave(self.bob)
        again = Plain(self.registry, "bob")
        self.registry.join(again, "den", "PLAYER")
        event = self.last(again)
        assert isinstance(event, Joined) and event.position == "x- None"
