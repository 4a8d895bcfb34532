"""What every registry of rooms must do: who hears what, in which order, and what nobody breaks.

A registry is tested by classes of its own, in a file that pytest collects, one for each of
those at the end of this file: they derive from it and say how to make a registry, and how to
wait for one that doesn't answer at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, cast

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.lobby import told
from tictac.errors import (
    AlreadyInRoom,
    BadRoomName,
    NoSuchRoom,
    NotInRoom,
    Refusal,
    RoomExists,
    RoomFull,
    TooManyRooms,
    TooManyRoomsOfOneUser,
)
from tictac.lobby.events import (
    Began,
    Ended,
    Event,
    Joined,
    Listed,
    Mode,
    OccupantId,
    Placed,
    Refused,
)
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms
from tictac.testing import server as testing

EMPTY_BOARD = "000000000"


class Settled:
    """A registry, of which each request is settled before the next one is made.

    A request within ``receive`` is settled with the one that has led to it.
    """

    def __init__(self, registry: Registry, settle: Callable[[], None]) -> None:
        self.registry = registry
        self._settle = settle
        self._busy = False

    def new_occupant_id(self) -> OccupantId:
        return self.registry.new_occupant_id()

    def list_rooms(self, occupant: Occupant, mode: Mode) -> None:
        self._do(self.registry.list_rooms, occupant, mode)

    def create(self, occupant: Occupant, name: str) -> None:
        self._do(self.registry.create, occupant, name)

    def join(self, occupant: Occupant, name: str, mode: Mode) -> None:
        self._do(self.registry.join, occupant, name, mode)

    def place(self, occupant: Occupant, move: str | None) -> None:
        self._do(self.registry.place, occupant, move)

    def forfeit(self, occupant: Occupant) -> None:
        self._do(self.registry.forfeit, occupant)

    def leave(self, occupant: Occupant) -> None:
        self._do(self.registry.leave, occupant)

    def expire(self, move_timeout: float, wait_timeout: float) -> None:
        self._do(self.registry.expire, move_timeout, wait_timeout)

    def stop_holding(self) -> None:
        self._do(self.registry.stop_holding)

    def _do(self, request: Callable[..., None], *arguments: object) -> None:
        if self._busy:
            request(*arguments)
            return
        self._busy = True
        try:
            request(*arguments)
            self._settle()
        finally:
            self._busy = False


class Guest(testing.Guest):
    """One of the rooms protocol, which may do something about what it is told."""

    supports_all_events = False

    def __init__(self, registry: Settled | Registry, user: str) -> None:
        super().__init__(cast(Any, registry), user)
        self.reactions: list[Callable[[Event], object]] = []

    def receive(self, event: Event) -> None:
        super().receive(event)
        for react in self.reactions:
            react(event)

    def refusal(self) -> tuple[str, type[Refusal]]:
        """Return the guest's only event since the last time, which must be a refusal."""
        [event] = self.news()
        assert isinstance(event, Refused) and event.to == self.occupant_id
        return event.request, type(event.refusal)

    def at(self, kind: type[Event], react: Callable[[], object]) -> None:
        """Do something within ``receive``, the first time that an event of a kind comes."""

        def once(event: Event) -> None:
            if isinstance(event, kind):
                self.reactions.remove(once)
                react()

        self.reactions.append(once)


class Notes:
    """An observer that records its calls."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, ...]] = []

    def room_opened(self, name: str, terms: Terms) -> None:
        self.notes.append(("opened", name))

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        self.notes.append(("closed", name, ended.ending, *users))


class RegistryCase(SynchronousTestCase):
    """What a test has: a registry of at most three rooms, and four people.

    ``rejoin_timeout`` is for how many seconds seats are held.
    """

    rejoin_timeout: float = 0

    def make_registry(
        self, max_rooms: int, on_fault: Callable[[object], None], max_rooms_per_user: int = 0
    ) -> Registry:
        """Return an empty registry with ``self.clock`` and ``self.rejoin_timeout``."""
        raise NotImplementedError

    def settle(self) -> None:
        """Wait until everything is told that follows from the last request."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.faults: list[object] = []
        self.served = self.make_registry(3, self.faults.append)
        self.registry = Settled(self.served, self.settle)
        self.alice, self.bob, self.carol, self.vera = map(
            self.guest, ["alice", "bob", "carol", "vera"]
        )

    def guest(self, user: str) -> Guest:
        return Guest(self.registry, user)

    def begin_match(self, viewers: int = 1) -> None:
        """Let alice and bob sit down in den, vera watch, and forget how it came to that."""
        self.registry.create(self.alice, "den")
        if viewers:
            self.registry.join(self.vera, "den", "VIEWER")
        self.registry.join(self.bob, "den", "PLAYER")
        self.forget()

    def forget(self) -> None:
        for guest in (self.alice, self.bob, self.carol, self.vera):
            guest.news()

    def rooms(self, mode: str) -> tuple[str, ...]:
        lister = self.guest("lister")
        self.registry.list_rooms(lister, "PLAYER" if mode == "PLAYER" else "VIEWER")
        [event] = lister.news()
        assert isinstance(event, Listed) and event.to == lister.occupant_id
        assert event.mode == mode
        return event.rooms


class OutcomesTests(RegistryCase):
    def test_no_two_occupants_ever_share_an_id(self) -> None:
        ids = [self.registry.new_occupant_id() for _ in range(1000)]
        ids += [guest.occupant_id for guest in (self.alice, self.bob, self.carol, self.vera)]
        assert len(set(ids)) == 1004

    def test_who_is_told_of_a_match(self) -> None:
        self.registry.create(self.alice, "den")
        assert self.alice.news() == [
            told.joined(1, self.alice.occupant_id, "alice", "PLAYER", True)
        ]
        self.registry.join(self.vera, "den", "VIEWER")
        assert self.vera.news() == [told.joined(2, self.vera.occupant_id, "vera", "VIEWER")]
        self.registry.join(self.bob, "den", "PLAYER")
        began = Began(4, None, ("alice", "bob"))
        assert self.bob.news() == [
            told.joined(3, self.bob.occupant_id, "bob", "PLAYER"), began
        ]  # fmt: skip
        assert self.alice.news() == self.vera.news() == [began]
        self.registry.place(self.alice, "1:1")
        placed = told.placed(5, "000010000", 4)
        assert self.alice.news() == self.bob.news() == self.vera.news() == [placed]
        assert self.carol.news() == []

    def test_a_move_that_cant_be_made_is_its_senders_affair(self) -> None:
        self.begin_match()
        self.registry.place(self.alice, "3:3")
        [event] = self.alice.news()
        assert isinstance(event, Refused) and event.position == EMPTY_BOARD
        assert self.bob.news() == self.vera.news() == []

    def test_rooms_dont_hear_of_each_other(self) -> None:
        self.begin_match()
        self.registry.create(self.carol, "cellar")
        self.carol.news()
        self.registry.place(self.alice, "0:0")
        self.registry.forfeit(self.alice)
        assert self.carol.news() == []
        assert self.rooms("VIEWER") == ("cellar",)

    def test_outside_a_room_there_is_nothing_to_play_or_forfeit(self) -> None:
        self.registry.place(self.alice, "0:0")
        assert self.alice.refusal() == ("place", NotInRoom)
        self.registry.place(self.alice, None)
        assert self.alice.refusal() == ("place", NotInRoom)
        self.registry.forfeit(self.alice)
        assert self.alice.refusal() == ("forfeit", NotInRoom)
        self.registry.leave(self.alice)
        assert self.alice.news() == []


class CreatingTests(RegistryCase):
    def test_what_is_wrong_with_creating_is_found_in_the_order_of_rooms_md(self) -> None:
        for name in ("den", "cellar", "attic"):
            self.registry.create(self.guest(name), name)
        # Being in a room, then the name, then existence, then the number.
        self.registry.create(self.alice, "a:b")
        assert self.alice.refusal() == ("create", BadRoomName)
        self.registry.create(self.alice, "den")
        assert self.alice.refusal() == ("create", RoomExists)
        self.registry.create(self.alice, "loft")
        assert self.alice.refusal() == ("create", TooManyRooms)
        self.registry.join(self.alice, "den", "VIEWER")
        self.alice.news()
        self.registry.create(self.alice, "a:b")
        assert self.alice.refusal() == ("create", AlreadyInRoom)

    def test_a_room_that_is_over_makes_place(self) -> None:
        creators = [self.guest(name) for name in ("den", "cellar", "attic")]
        for creator in creators:
            self.registry.create(creator, str(creator.user))
        self.registry.forfeit(creators[1])
        self.registry.create(self.alice, "loft")
        assert self.rooms("VIEWER") == ("den", "attic", "loft")

    def test_what_was_refused_leaves_nothing_behind(self) -> None:
        self.registry.create(self.alice, "a:b")
        self.registry.create(self.alice, "den")
        self.registry.create(self.bob, "den")
        self.registry.create(self.bob, "cellar")
        assert self.rooms("PLAYER") == ("den", "cellar")

    def test_how_many_rooms_a_user_may_wait_in(self) -> None:
        served = self.make_registry(0, self.faults.append, 2)
        self.registry = Settled(served, self.settle)
        guests = [self.guest("alice") for _ in range(4)]
        for number, guest in enumerate(guests):
            self.registry.create(guest, f"room {number}")
        assert guests[2].refusal() == guests[3].refusal() == ("create", TooManyRoomsOfOneUser)
        self.registry.create(self.guest("bob"), "den")
        # One that plays in a room doesn't wait in it, and one that is closed is gone.
        self.registry.join(self.guest("bob"), "room 0", "PLAYER")
        self.registry.create(guests[2], "room 2")
        self.registry.create(guests[3], "room 3")
        self.registry.forfeit(guests[1])
        self.registry.create(guests[3], "room 3")
        assert self.rooms("PLAYER") == ("den", "room 2", "room 3")

    def test_0_rooms_at_most_is_no_limit(self) -> None:
        self.registry = Settled(self.make_registry(0, self.faults.append), self.settle)
        names = tuple(f"room {number}" for number in range(1000))
        for name in names:
            self.registry.create(self.guest(name), name)
        assert self.rooms("PLAYER") == names


class JoiningTests(RegistryCase):
    def test_what_is_wrong_with_joining_is_found_in_the_order_of_rooms_md(self) -> None:
        self.begin_match()
        self.registry.join(self.carol, "cellar", "PLAYER")
        assert self.carol.refusal() == ("join", NoSuchRoom)
        self.registry.join(self.carol, "den", "PLAYER")
        assert self.carol.refusal() == ("join", RoomFull)
        for guest in (self.alice, self.bob, self.vera):
            self.registry.join(guest, "cellar", "PLAYER")
            assert guest.refusal() == ("join", AlreadyInRoom)

    def test_who_was_refused_isnt_in_the_room(self) -> None:
        self.begin_match()
        self.registry.join(self.carol, "den", "PLAYER")
        self.registry.place(self.carol, "0:0")
        self.registry.create(self.carol, "cellar")
        kinds = [type(event) for event in self.carol.news()]
        assert kinds == [Refused, Refused, Joined]

    def test_a_user_takes_one_seat_of_a_room(self) -> None:
        self.registry.create(self.alice, "den")
        self.alice.news()
        self.registry.join(self.alice, "den", "PLAYER")
        assert self.alice.refusal() == ("join", AlreadyInRoom)

    def test_a_room_keeps_the_user_name_of_the_join(self) -> None:
        self.registry.create(self.alice, "den")
        self.alice.user = "eve"
        self.registry.join(self.bob, "den", "PLAYER")
        assert self.alice.news()[-1] == Began(3, None, ("alice", "bob"))


class ListingTests(RegistryCase):
    def test_oldest_first_and_for_players_only_those_with_a_seat(self) -> None:
        assert self.rooms("PLAYER") == self.rooms("VIEWER") == ()
        for guest, name in [(self.alice, "z"), (self.carol, "a"), (self.vera, "m")]:
            self.registry.create(guest, name)
        assert self.rooms("PLAYER") == self.rooms("VIEWER") == ("z", "a", "m")
        self.registry.join(self.bob, "z", "PLAYER")
        assert self.rooms("PLAYER") == ("a", "m")
        assert self.rooms("VIEWER") == ("z", "a", "m")

    def test_a_name_that_comes_back_is_young(self) -> None:
        self.registry.create(self.alice, "z")
        self.registry.create(self.bob, "a")
        self.registry.forfeit(self.alice)
        self.registry.create(self.alice, "z")
        assert self.rooms("PLAYER") == ("a", "z")

    def test_a_viewer_takes_no_seat(self) -> None:
        self.registry.create(self.alice, "den")
        self.registry.join(self.bob, "den", "VIEWER")
        assert self.rooms("PLAYER") == ("den",)


class EndTests(RegistryCase):
    def test_the_name_is_free_when_the_end_is_told(self) -> None:
        self.begin_match(viewers=0)
        self.bob.at(Ended, lambda: self.registry.create(self.bob, "den"))
        self.registry.forfeit(self.alice)
        ended, joined = self.bob.news()
        assert isinstance(ended, Ended) and ended.winner == "bob"
        assert isinstance(joined, Joined) and joined.created and joined.number == 1

    def test_everybody_is_out_and_may_go_elsewhere(self) -> None:
        self.begin_match()
        self.registry.forfeit(self.bob)
        for guest in (self.alice, self.bob, self.vera):
            assert isinstance(guest.news()[-1], Ended)
            self.registry.place(guest, "0:0")
            assert guest.refusal() == ("place", NotInRoom)
        self.registry.create(self.vera, "den")
        self.registry.join(self.bob, "den", "PLAYER")
        assert self.bob.news()[-1] == Began(3, None, ("vera", "bob"))

    def test_who_has_left_hears_nothing_more(self) -> None:
        self.begin_match()
        self.registry.leave(self.vera)
        self.registry.place(self.alice, "0:0")
        self.registry.leave(self.alice)
        self.registry.place(self.bob, "1:1")
        assert self.vera.news() == []
        assert [type(event) for event in self.alice.news()] == [Placed]

    def test_who_leaves_while_others_are_told_hears_nothing_more(self) -> None:
        self.begin_match()
        self.alice.at(Placed, lambda: self.registry.leave(self.vera))
        self.registry.place(self.alice, "0:0")
        assert [type(event) for event in self.bob.news()] == [Placed]
        assert self.vera.news() == []


class OrderTests(RegistryCase):
    """An occupant may act within ``receive``: everybody still hears things in their order."""

    def test_an_answer_within_receive_comes_after_what_it_answers(self) -> None:
        self.begin_match()
        # Alice is told first, and gives up before the others know of her move.
        self.alice.at(Placed, lambda: self.registry.forfeit(self.alice))
        self.registry.place(self.alice, "1:1")
        heard = [told.placed(5, "000010000", 4), told.ended(6, "000010000", "forfeited", "bob")]
        assert self.alice.news() == self.bob.news() == self.vera.news() == heard

    def test_a_whole_match_within_receive(self) -> None:
        self.begin_match()
        moves = {self.alice: ["0:2", "2:0"], self.bob: ["0:0", "1:0"]}

        def reply(guest: Guest, turn: int) -> Callable[[Event], None]:
            def react(event: Event) -> None:
                mine = isinstance(event, Placed) and event.position.count("0") % 2 == turn
                if mine and moves[guest]:
                    self.registry.place(guest, moves[guest].pop(0))

            return react

        self.alice.reactions.append(reply(self.alice, 1))
        self.bob.reactions.append(reply(self.bob, 0))
        self.registry.place(self.alice, "1:1")
        expected = [
            told.placed(5, "000010000", 4),
            told.placed(6, "200010000", 0),
            told.placed(7, "200010100", 6),
            told.placed(8, "220010100", 1),
            told.ended(9, "221010100", "won", "alice", 2),
        ]
        assert self.alice.news() == self.bob.news() == self.vera.news() == expected

    def test_a_request_within_receive_of_a_refusal(self) -> None:
        self.alice.at(Refused, lambda: self.registry.create(self.alice, "den"))
        self.registry.create(self.alice, "no:room")
        assert [type(event) for event in self.alice.news()] == [Refused, Joined]

    def test_a_creator_that_gives_up_at_once(self) -> None:
        notes = Notes()
        self.served.observers.append(notes)
        self.alice.at(Joined, lambda: self.registry.forfeit(self.alice))
        self.registry.create(self.alice, "den")
        assert [type(event) for event in self.alice.news()] == [Joined, Ended]
        assert self.rooms("VIEWER") == ()
        assert notes.notes == [("opened", "den"), ("closed", "den", "closed", "alice")]

    def test_observers_get_the_end_before_a_new_room_of_that_name(self) -> None:
        notes = Notes()
        self.served.observers.append(notes)
        self.begin_match(viewers=0)
        self.bob.at(Ended, lambda: self.registry.create(self.bob, "den"))
        self.registry.forfeit(self.alice)
        assert notes.notes == [
            ("opened", "den"),
            ("closed", "den", "forfeited", "alice", "bob"),
            ("opened", "den"),
        ]


class FaultTests(RegistryCase):
    def test_one_who_raises_hurts_nobody(self) -> None:
        self.begin_match()
        for guest in (self.alice, self.vera):
            guest.reactions.append(lambda _: [][0])
        self.registry.place(self.alice, "1:1")
        self.registry.place(self.bob, "0:0")
        assert [type(event) for event in self.bob.news()] == [Placed, Placed]
        assert self.faults == [self.alice, self.vera] * 2
        self.registry.forfeit(self.alice)
        assert self.bob.news() == [told.ended(7, "200010000", "forfeited", "bob")]

    def test_the_fault_is_reported_where_it_can_be_logged(self) -> None:
        caught: list[BaseException | None] = []
        served = self.make_registry(3, lambda _: caught.append(sys.exception()))
        registry = Settled(served, self.settle)
        guest = Guest(registry, "alice")
        guest.reactions.append(lambda _: int("nothing"))
        registry.create(guest, "den")
        assert [type(error) for error in caught] == [ValueError]

    def test_an_observer_that_raises_stops_no_other(self) -> None:
        class Broken(Notes):
            def room_opened(self, name: str, terms: Terms) -> None:
                raise ValueError(name)

            def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
                raise ValueError(name)

        broken, notes = Broken(), Notes()
        self.served.observers += [broken, notes]
        self.begin_match()
        self.registry.forfeit(self.alice)
        assert notes.notes == [("opened", "den"), ("closed", "den", "forfeited", "alice", "bob")]
        assert self.faults == [broken, broken]
        assert isinstance(self.bob.news()[-1], Ended)


class ObserverTests(RegistryCase):
    def test_every_room_opens_and_closes_once(self) -> None:
        notes = Notes()
        self.served.observers.append(notes)
        self.begin_match()
        self.registry.create(self.carol, "cellar")
        for move in ["1:1", "0:2", "2:0"]:
            self.registry.place(self.alice, move)
            self.registry.place(self.bob, "0:0" if move == "1:1" else "1:0")
        self.registry.forfeit(self.carol)
        self.registry.create(self.alice, "a:b")
        assert notes.notes == [
            ("opened", "den"),
            ("opened", "cellar"),
            ("closed", "den", "won", "alice", "bob"),
            ("closed", "cellar", "closed", "carol"),
        ]


class TimeTests(RegistryCase):
    def expire(self, move: float = 600, wait: float = 3600) -> None:
        self.registry.expire(move, wait)

    def test_the_side_to_move_loses_by_time(self) -> None:
        self.begin_match()
        self.clock.advance(599.9)
        self.expire()
        assert self.alice.news() == []
        self.clock.advance(0.1)
        self.expire()
        ended = told.ended(5, EMPTY_BOARD, "timed out", "bob")
        assert self.alice.news() == self.bob.news() == self.vera.news() == [ended]
        assert self.rooms("VIEWER") == ()

    def test_a_move_buys_time_and_nothing_else_does(self) -> None:
        self.begin_match()
        self.clock.advance(599)
        self.registry.place(self.alice, "1:1")
        self.clock.advance(599)
        self.expire()
        self.registry.place(self.bob, "1:1")  # impossible
        self.registry.place(self.alice, "0:0")  # kept
        self.registry.join(self.carol, "den", "VIEWER")
        self.registry.leave(self.vera)
        self.forget()
        self.clock.advance(1)
        self.expire()
        assert self.bob.news() == [told.ended(7, "000010000", "timed out", "alice")]

    def test_the_time_for_the_first_move_runs_from_the_beginning_of_the_match(self) -> None:
        self.registry.create(self.alice, "den")
        self.clock.advance(3000)
        self.registry.join(self.bob, "den", "PLAYER")
        self.clock.advance(599)
        self.expire()
        assert not isinstance(self.alice.news()[-1], Ended)
        self.clock.advance(1)
        self.expire()
        assert self.alice.news() == [told.ended(4, EMPTY_BOARD, "timed out", "bob")]

    def test_a_room_waits_for_its_second_player_only_so_long(self) -> None:
        self.registry.create(self.alice, "den")
        self.clock.advance(3599)
        self.registry.join(self.vera, "den", "VIEWER")
        self.registry.place(self.alice, "0:0")
        self.expire()
        self.forget()
        self.clock.advance(1)
        self.expire()
        closed = told.ended(3, EMPTY_BOARD, "closed", None)
        assert self.alice.news() == self.vera.news() == [closed]

    def test_0_is_no_limit(self) -> None:
        self.begin_match()
        self.registry.create(self.carol, "cellar")
        self.clock.advance(10**9)
        self.expire(0, 0)
        assert self.rooms("VIEWER") == ("den", "cellar")

    def test_many_rooms_at_once_each_by_its_own_time(self) -> None:
        self.registry.create(self.alice, "den")
        self.clock.advance(5)
        self.registry.create(self.bob, "cellar")
        self.clock.advance(5)
        self.registry.create(self.carol, "attic")
        self.expire(wait=5)
        assert self.rooms("VIEWER") == ("attic",)

    def test_a_room_that_ends_while_others_time_out(self) -> None:
        # Somebody answers the end of one room by ending the next.
        self.registry.create(self.alice, "den")
        self.registry.create(self.bob, "cellar")
        self.forget()
        self.alice.at(Ended, lambda: self.registry.forfeit(self.bob))
        self.clock.advance(3600)
        self.expire()
        for guest in (self.alice, self.bob):
            assert [type(event) for event in guest.news()].count(Ended) == 1
        assert self.rooms("VIEWER") == ()

    def test_only_matches_that_have_begun_are_running(self) -> None:
        assert self.served.running() == 0
        self.registry.create(self.carol, "cellar")
        assert self.served.running() == 0
        self.begin_match()
        assert self.served.running() == 1
        self.registry.forfeit(self.alice)
        assert self.served.running() == 0


class EveryRegistryTests(
    OutcomesTests, CreatingTests, JoiningTests, ListingTests, EndTests,
    OrderTests, FaultTests, ObserverTests, TimeTests,
):  # fmt: skip
    """What holds whether seats are held or not."""
