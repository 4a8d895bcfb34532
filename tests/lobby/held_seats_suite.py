"""What every registry of rooms must do with the seats of players who were cut off.

As in registry_suite.py the classes at the end are what a registry is tested with.
"""

from __future__ import annotations

from tests.lobby import told
from tests.lobby.registry_suite import EMPTY_BOARD, Guest, Notes, RegistryCase
from tictac.errors import AlreadyInRoom, RoomFull
from tictac.lobby.events import Began, Ended, Joined, Placed

REJOIN_TIMEOUT = 30


class HeldCase(RegistryCase):
    """Seats are held for 30 seconds; moves and second players are waited for much longer."""

    rejoin_timeout = REJOIN_TIMEOUT

    def setUp(self) -> None:
        super().setUp()
        self.notes = Notes()
        self.served.observers.append(self.notes)

    def pass_time(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.registry.expire(600, 3600)

    def come_back(self, user: str, room: str = "den") -> Guest:
        """Log in again, and try to take a seat."""
        guest = self.guest(user)
        self.registry.join(guest, room, "PLAYER")
        return guest


class ComingBackTests(HeldCase):
    def test_the_others_notice_nothing_and_the_match_goes_on(self) -> None:
        self.begin_match()
        self.registry.place(self.alice, "1:1")
        self.forget()
        self.registry.leave(self.bob)
        assert self.served.seats_held() == 1
        self.pass_time(29.9)
        bob = self.come_back("bob")
        [joined] = bob.news()
        assert joined == told.joined(
            6, bob.occupant_id, "bob", "PLAYER", False, "bob", "alice", "000010000"
        )
        assert self.served.seats_held() == 0
        self.pass_time(30)
        self.registry.place(bob, "0:0")
        placed = [told.placed(7, "200010000", 0)]
        assert self.alice.news() == self.vera.news() == bob.news() == placed
        assert self.bob.news() == []

    def test_nobody_else_can_take_the_seat(self) -> None:
        self.begin_match()
        self.registry.leave(self.alice)
        self.registry.join(self.carol, "den", "PLAYER")
        assert self.carol.refusal() == ("join", RoomFull)
        # Bob has a seat, and it isn't free.
        assert self.come_back("bob").refusal() == ("join", RoomFull)
        self.registry.join(self.bob, "den", "PLAYER")
        assert self.bob.refusal() == ("join", AlreadyInRoom)
        assert self.rooms("PLAYER") == ()
        assert isinstance(self.come_back("alice").news()[0], Joined)

    def test_only_the_first_who_comes_back_gets_it(self) -> None:
        self.begin_match()
        self.registry.leave(self.alice)
        self.come_back("alice")
        assert self.come_back("alice").refusal() == ("join", RoomFull)

    def test_who_waits_alone_does_not_become_the_own_opponent(self) -> None:
        self.registry.create(self.alice, "den")
        assert self.come_back("alice").refusal() == ("join", RoomFull)
        self.registry.leave(self.alice)
        assert isinstance(self.come_back("alice").news()[0], Joined)

    def test_again_and_again(self) -> None:
        self.begin_match()
        alice = self.alice
        for _ in range(5):
            self.registry.leave(alice)
            self.pass_time(20)
            alice = self.come_back("alice")
        self.registry.place(alice, "0:0")
        assert [type(event) for event in self.bob.news()] == [Placed]

    def test_a_viewer_has_no_seat(self) -> None:
        self.begin_match()
        self.registry.leave(self.vera)
        assert self.served.seats_held() == 0
        self.pass_time(60)
        self.registry.place(self.alice, "0:0")
        assert [type(event) for event in self.bob.news()] == [Placed]
        assert self.vera.news() == []

    def test_who_is_in_no_room_leaves_nothing_behind(self) -> None:
        self.registry.leave(self.alice)
        assert self.served.seats_held() == self.served.rooms() == 0

    def test_who_is_cut_off_while_others_are_told_hears_nothing_more(self) -> None:
        self.begin_match()
        self.alice.at(Placed, lambda: self.registry.leave(self.bob))
        self.registry.place(self.alice, "0:0")
        assert [type(event) for event in self.vera.news()] == [Placed]
        assert self.bob.news() == []
        [joined] = self.come_back("bob").news()
        assert isinstance(joined, Joined) and joined.position == "100000000"


class MeanwhileTests(HeldCase):
    """The match goes on as far as it can."""

    def test_the_other_player_moves(self) -> None:
        self.begin_match()
        self.registry.leave(self.bob)
        self.registry.place(self.alice, "0:0")
        [joined] = self.come_back("bob").news()
        assert isinstance(joined, Joined)
        assert (joined.turn, joined.waiting, joined.position) == ("bob", "alice", "100000000")

    def test_kept_moves_are_played(self) -> None:
        self.begin_match()
        self.registry.place(self.bob, "0:0")
        self.registry.place(self.bob, "1:1")
        self.registry.leave(self.bob)
        self.registry.place(self.alice, "0:0")
        # Bob's first has become impossible, which there is nobody to tell.
        boards = [event.position for event in self.alice.news() if isinstance(event, Placed)]
        assert boards == ["100000000", "100020000"]
        assert self.faults == []
        assert [e.position for e in self.vera.news() if isinstance(e, Placed)] == boards

    def test_the_other_player_wins(self) -> None:
        self.begin_match()
        for column in (0, 1):
            self.registry.place(self.alice, f"{column}:0")
            self.registry.place(self.bob, f"{column}:1")
        self.registry.leave(self.bob)
        self.registry.place(self.alice, "2:0")
        ended = self.alice.news()[-1]
        assert isinstance(ended, Ended) and (ended.ending, ended.winner) == ("won", "alice")
        assert self.served.rooms() == self.served.seats_held() == 0
        self.pass_time(60)
        assert self.notes.notes[-1] == ("closed", "den", "won", "alice", "bob")
        assert len(self.notes.notes) == 2

    def test_the_other_player_forfeits(self) -> None:
        self.begin_match()
        self.registry.leave(self.bob)
        self.registry.forfeit(self.alice)
        ended = self.vera.news()[-1]
        assert isinstance(ended, Ended)
        assert (ended.ending, ended.winner) == ("forfeited", "bob")
        assert self.served.rooms() == self.served.seats_held() == 0

    def test_the_time_for_a_move_runs_on(self) -> None:
        self.begin_match()
        self.pass_time(580)
        self.registry.leave(self.alice)
        self.pass_time(10)
        alice = self.come_back("alice")
        alice.news()
        self.pass_time(10)
        [ended] = alice.news()
        assert isinstance(ended, Ended) and (ended.ending, ended.winner) == ("timed out", "bob")


class NotComingBackTests(HeldCase):
    def test_the_match_is_lost_after_the_time(self) -> None:
        self.begin_match()
        self.registry.place(self.alice, "1:1")
        self.registry.leave(self.alice)
        self.forget()
        self.pass_time(29.9)
        assert self.bob.news() == []
        assert self.served.running() == 1
        self.pass_time(0.1)
        ended = told.ended(6, "000010000", "left", "bob", cut=True)
        assert self.bob.news() == self.vera.news() == [ended]
        assert self.alice.news() == []
        assert self.served.running() == self.served.rooms() == self.served.seats_held() == 0
        assert self.rooms("VIEWER") == ()
        assert self.notes.notes == [("opened", "den"), ("closed", "den", "left", "alice", "bob")]

    def test_the_time_runs_for_each_absence(self) -> None:
        self.begin_match()
        self.registry.leave(self.alice)
        self.pass_time(20)
        alice = self.come_back("alice")
        self.registry.leave(alice)
        self.pass_time(20)
        assert self.bob.news() == []
        self.pass_time(10)
        assert [type(event) for event in self.bob.news()] == [Ended]

    def test_both_away_and_one_comes_back(self) -> None:
        self.begin_match()
        self.registry.leave(self.alice)
        self.pass_time(10)
        self.registry.leave(self.bob)
        assert self.served.seats_held() == 2
        self.pass_time(15)
        alice = self.come_back("alice")
        alice.news()
        self.pass_time(14.9)
        assert alice.news() == []
        self.pass_time(0.1)
        [ended] = alice.news()
        assert isinstance(ended, Ended) and (ended.ending, ended.winner) == ("left", "alice")

    def test_both_away_for_good(self) -> None:
        self.begin_match()
        self.registry.leave(self.vera)
        for guest in (self.alice, self.bob):
            self.registry.leave(guest)
        self.pass_time(29)
        assert self.served.rooms() == 1
        self.pass_time(1)
        assert self.served.rooms() == self.served.seats_held() == 0
        # Both at once: it was Alice's turn.
        assert self.notes.notes[-1] == ("closed", "den", "left", "alice", "bob")
        self.registry.create(self.carol, "den")
        assert isinstance(self.carol.news()[0], Joined)

    def test_many_rooms_at_once_each_by_its_own_time(self) -> None:
        for number, guest in enumerate((self.alice, self.bob, self.carol)):
            self.registry.create(guest, f"room {number}")
            self.registry.leave(guest)
            self.pass_time(10)
        assert self.rooms("VIEWER") == ("room 1", "room 2")
        self.pass_time(20)
        assert self.rooms("VIEWER") == ()

    def test_a_held_room_that_ends_while_others_are_given_up(self) -> None:
        # Somebody answers the end of one room by ending the next.
        self.begin_match()
        self.registry.create(self.carol, "cellar")
        dora = self.come_back("dora", "cellar")
        for guest in (self.alice, self.carol):
            self.registry.leave(guest)
        self.bob.at(Ended, lambda: self.registry.forfeit(dora))
        dora.news()
        self.pass_time(30)
        assert [type(event) for event in dora.news()].count(Ended) == 1
        assert self.served.rooms() == self.served.seats_held() == 0


class HeldRoomsTests(HeldCase):
    """With 30 seconds to come back to a room whose match hasn't begun, for its creator."""

    def setUp(self) -> None:
        super().setUp()
        self.registry.create(self.alice, "den")
        self.registry.join(self.vera, "den", "VIEWER")
        self.registry.leave(self.alice)
        self.forget()

    def test_the_room_stays_and_its_creator_waits_again(self) -> None:
        self.pass_time(29)
        alice = self.come_back("alice")
        assert alice.news() == [told.joined(3, alice.occupant_id, "alice", "PLAYER")]
        self.pass_time(60)
        self.registry.join(self.bob, "den", "PLAYER")
        assert alice.news() == self.vera.news() == [Began(5, None, ("alice", "bob"))]
        self.registry.place(alice, "0:0")
        assert isinstance(self.bob.news()[-1], Placed)

    def test_the_room_is_closed_after_the_time(self) -> None:
        self.pass_time(30)
        assert self.vera.news() == [told.ended(3, EMPTY_BOARD, "closed", None)]
        assert self.served.rooms() == 0

    def test_it_waits_no_longer_than_others(self) -> None:
        alice = self.come_back("alice")
        self.clock.advance(3580)
        self.registry.leave(alice)
        self.pass_time(20)
        assert isinstance(self.vera.news()[-1], Ended)

    def test_the_match_may_begin_without_its_creator(self) -> None:
        assert self.rooms("PLAYER") == ("den",)
        self.registry.join(self.bob, "den", "PLAYER")
        assert self.bob.news()[-1] == Began(4, None, ("alice", "bob"))
        [joined] = self.come_back("alice").news()
        assert isinstance(joined, Joined)
        assert (joined.turn, joined.waiting, joined.position) == ("alice", "bob", EMPTY_BOARD)

    def test_who_began_without_its_creator_wins_after_the_time(self) -> None:
        self.pass_time(20)
        self.registry.join(self.bob, "den", "PLAYER")
        self.pass_time(10)
        assert self.bob.news()[-1] == told.ended(5, EMPTY_BOARD, "left", "bob", cut=True)


class HeldSeatsTests(ComingBackTests, MeanwhileTests, NotComingBackTests):
    """With 30 seconds to come back to a match."""


class NoHeldSeatsTests(RegistryCase):
    """Without: whoever leaves has forfeited."""

    def test_a_match_is_lost_at_once(self) -> None:
        self.begin_match()
        self.registry.leave(self.alice)
        ended = told.ended(5, EMPTY_BOARD, "left", "bob", cut=True)
        assert self.bob.news() == self.vera.news() == [ended]
        assert self.served.rooms() == self.served.seats_held() == 0

    def test_the_name_is_free_when_the_end_is_told(self) -> None:
        self.begin_match(viewers=0)
        self.bob.at(Ended, lambda: self.registry.create(self.bob, "den"))
        self.registry.leave(self.alice)
        assert [type(event) for event in self.bob.news()] == [Ended, Joined]
        assert self.alice.news() == []

    def test_a_waiting_room_is_closed_at_once(self) -> None:
        self.registry.create(self.alice, "den")
        self.registry.leave(self.alice)
        assert self.rooms("VIEWER") == ()

    def test_a_viewer_is_nothing(self) -> None:
        self.begin_match()
        self.registry.leave(self.vera)
        self.registry.place(self.alice, "0:0")
        assert [type(event) for event in self.bob.news()] == [Placed]
        assert self.vera.news() == []
