"""How many rooms and viewers an address has, and who makes way when the server is full."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from random import Random

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.lobby.payer import Payer, Person
from tictac.engines.computer import Computer
from tictac.engines.worker import Question
from tictac.errors import RoomFull, TooManyRooms, TooManyRoomsOfOnePeer
from tictac.games.all import game_type_of
from tictac.lobby.events import Ended, Refused
from tictac.lobby.registry import Registry
from tictac.lobby.shares import IDLE, line_of
from tictac.lobby.terms import USUAL_TERMS, Play, Terms, terms_for
from tictac.testing.server import Guest, raise_fault

ALONE = terms_for(game_type_of("nim"), {}, computer="beginner")
OF_NIM = terms_for(game_type_of("nim"), {}, protocol="nim")


class SharesCase(SynchronousTestCase):
    most = 0

    def setUp(self) -> None:
        self.clock = Clock()
        self.registry = Registry(self.most, self.clock.seconds, raise_fault, rng=Random(1))
        self.number = 0

    def person(self, place: str, is_guest: bool = True, times: int = 1) -> Person:
        self.number += 1
        user = f"guest-{self.number}" if is_guest else f"user{self.number}"
        return Person(self.registry, user, Payer(place, is_guest, times))

    def open(
        self, place: str, is_guest: bool = True, times: int = 1, terms: Terms = ALONE
    ) -> Person:
        """Let somebody open a room, which has the name of the user, a second after the last."""
        self.clock.advance(1)
        person = self.person(place, is_guest, times)
        self.registry.create(person, f"{person.user}", terms)
        return person

    def names(self) -> list[str]:
        return list(self.registry.live_rooms)


def refusals(*people: Person) -> list[type | None]:
    """Return the kind of the last refusal of each."""
    found: list[type | None] = []
    for each in people:
        last = each.news()[-1]
        found.append(type(last.refusal) if isinstance(last, Refused) else None)
    return found


class RoomsOfAnAddressTests(SharesCase):
    def setUp(self) -> None:
        super().setUp()
        self.registry.max_rooms_per_peer = 2

    def test_the_guests_of_an_address_share_its_rooms(self) -> None:
        people = [self.open(place) for place in "aaab"]
        assert refusals(*people) == [None, None, TooManyRoomsOfOnePeer, None]

    def test_accounts_have_limits_of_their_own(self) -> None:
        # rooms.md, R3.13: CREATE gets 3 from 256 rooms on, and not before.
        assert refusals(*[self.open("a", is_guest=False) for _ in range(9)]) == [None] * 9
        assert refusals(self.open("a"), self.open("a")) == [None, None]

    def test_who_plays_with_others_counts_too(self) -> None:
        for _ in range(2):
            one = self.open("a", terms=USUAL_TERMS)
            self.registry.join(self.person("a"), one.user or "", "PLAYER")
        assert refusals(self.open("a")) == [TooManyRoomsOfOnePeer]

    def test_a_room_that_closes_counts_no_more(self) -> None:
        first = self.open("a")
        self.open("a")
        self.registry.forfeit(first)
        assert refusals(self.open("a"), self.open("a")) == [None, TooManyRoomsOfOnePeer]

    def test_a_trusted_address_has_more(self) -> None:
        people = [self.open("a", times=10) for _ in range(21)]
        assert refusals(*people) == [None] * 20 + [TooManyRoomsOfOnePeer]

    def test_rooms_of_other_protocols_and_of_computers_do_not_count(self) -> None:
        for _ in range(3):
            self.open("a", terms=OF_NIM)
            visitor = Guest(self.registry, f"nobody{self.number}")
            self.registry.create(visitor, f"free{self.number}")
        assert refusals(self.open("a")) == [None]
        assert len(self.names()) == 7

    def test_a_game_of_a_tournament_does_not_count(self) -> None:
        for number in (1, 2, 3):
            player = self.person("a")
            play = Play("cup", number, 1, (f"{player.user}", "other"), (None, None))
            terms = replace(USUAL_TERMS, play=play)
            self.registry.convene(f"cup.{number}", terms)
            self.registry.join(player, f"cup.{number}", "PLAYER", seated_by="cup")
        assert refusals(self.open("a")) == [None]

    def test_a_room_of_the_journal_counts_when_its_player_is_back(self) -> None:
        self.registry = Registry(0, self.clock.seconds, raise_fault, 30, rng=Random(1))
        self.registry.max_rooms_per_peer = 1
        one = self.open("a")
        self.registry.live_rooms[f"{one.user}"].opener = None  # as after a restart
        self.registry.leave(one)
        again = Person(self.registry, f"{one.user}", one.payer)
        self.registry.join(again, f"{one.user}", "PLAYER")
        assert refusals(again, self.open("a")) == [None, TooManyRoomsOfOnePeer]

    def test_0_is_no_limit(self) -> None:
        self.registry.max_rooms_per_peer = 0
        assert refusals(*[self.open("a") for _ in range(9)]) == [None] * 9


class FullServerTests(SharesCase):
    most = 3

    def test_a_guests_room_against_the_computer_makes_way(self) -> None:
        people = [self.open("a") for _ in range(3)]
        alice = self.open("b", is_guest=False)
        assert refusals(alice) == [None]
        assert self.names() == ["guest-2", "guest-3", "user4"]
        ended = people[0].news()[-1]
        assert isinstance(ended, Ended) and ended.ending == "closed"
        assert [type(each.news()[-1]) for each in people[1:]] != [Ended, Ended]

    def test_the_one_that_stood_still_longest(self) -> None:
        people = [self.open("a") for _ in range(3)]
        self.registry.live_rooms[people[0].user or ""].since += 9
        self.open("b", is_guest=False)
        assert self.names() == ["guest-1", "guest-3", "user4"]

    def test_of_the_address_that_has_most(self) -> None:
        self.open("b")
        self.open("a")
        self.open("a")
        self.open("c", is_guest=False)
        assert self.names() == ["guest-1", "guest-3", "user4"]

    def test_a_trusted_address_has_its_share(self) -> None:
        self.open("class", times=10)
        self.open("class", times=10)
        self.open("a")
        assert refusals(self.open("c", is_guest=False)) == [TooManyRooms]
        self.clock.advance(IDLE)
        assert refusals(self.open("c", is_guest=False)) == [None]
        assert "guest-3" not in self.names()

    def test_a_guest_gets_a_room_of_those_who_have_more(self) -> None:
        for _ in range(3):
            self.open("a")
        people = [self.open(place) for place in "bac"]
        assert refusals(*people) == [None, TooManyRooms, None]
        assert self.names() == ["guest-3", "guest-4", "guest-6"]

    def test_a_guest_who_plays_is_not_interrupted_for_one(self) -> None:
        for place in "abc":
            self.open(place)
        assert refusals(self.open("d"), self.open("d", is_guest=False)) == [TooManyRooms] * 2
        self.clock.advance(IDLE)
        assert refusals(self.open("d")) == [None]

    def test_no_other_room_makes_way(self) -> None:
        self.open("a", is_guest=False)
        guest = self.open("a", terms=USUAL_TERMS)
        self.registry.join(self.person("b", is_guest=False), guest.user or "", "PLAYER")
        self.registry.create(Guest(self.registry, "visitor"), "visitor")
        self.clock.advance(9 * IDLE)
        assert refusals(self.open("b", is_guest=False)) == [TooManyRooms]

    def test_who_is_refused_for_something_else_closes_nothing(self) -> None:
        people = [self.open("a") for _ in range(3)]
        self.registry.max_rooms_per_peer = 3
        assert refusals(self.open("a")) == [TooManyRoomsOfOnePeer]
        alice = self.person("b", is_guest=False)
        self.registry.create(alice, f"{people[0].user}")
        assert isinstance(alice.news()[-1], Refused)
        assert len(self.names()) == 3


class LinesTests(SharesCase):
    """The rooms of an address wait for the computer's moves in one line, which takes turns."""

    def lines(self, *people: Person) -> list[Hashable]:
        rooms = self.registry.live_rooms
        return [line_of(each.user or "", rooms.get(each.user or "")) for each in people]

    def test_an_address_has_one(self) -> None:
        one, other, third = self.lines(self.open("a"), self.open("a"), self.open("b"))
        assert one == other != third

    def test_the_computer_waits_in_it(self) -> None:
        asked: list[Hashable] = []

        class Engine:
            def think(self, question: Question, line: Hashable = None) -> Deferred[str]:
                asked.append(line)
                return Deferred()

        game_type = game_type_of("reversi")
        level = next(iter(game_type.slow))
        terms = terms_for(game_type, {}, computer=level, computers_first=1)
        self.registry.observers.append(
            Computer(self.registry, self.clock, None, Random(1), Engine(), by_name=False)
        )
        for place in "aab":
            self.open(place, terms=terms)
        self.clock.advance(1)
        assert asked[0] == asked[1] != asked[2]

    def test_a_trusted_one_has_several(self) -> None:
        lines = self.lines(*[self.open("a", times=10) for _ in range(200)])
        assert len(set(lines)) == 10

    def test_a_room_that_is_not_here_has_its_own(self) -> None:
        assert self.lines(self.person("a"), self.person("a")) == ["guest-1", "guest-2"]


class ViewersTests(SharesCase):
    def setUp(self) -> None:
        super().setUp()
        self.registry.max_viewers_per_peer = 2
        self.player = self.open("a", terms=USUAL_TERMS)

    def watch(self, place: str, times: int = 1) -> Person:
        viewer = self.person(place, times=times)
        self.registry.join(viewer, f"{self.player.user}", "VIEWER")
        return viewer

    def test_an_address_has_so_many_in_a_room(self) -> None:
        people = [self.watch("b"), self.watch("b"), self.watch("b"), self.watch("c")]
        assert refusals(*people) == [None, None, RoomFull, None]
        self.registry.leave(people[0])
        assert refusals(self.watch("b")) == [None]

    def test_a_trusted_one_has_more(self) -> None:
        people = [self.watch("b", times=10) for _ in range(21)]
        assert refusals(*people) == [None] * 20 + [RoomFull]

    def test_players_and_rooms_elsewhere_do_not_count(self) -> None:
        self.watch("a")
        opponent = self.person("a")
        self.registry.join(opponent, f"{self.player.user}", "PLAYER")
        assert refusals(self.watch("a"), self.watch("a")) == [None, RoomFull]
        self.player = self.open("d", terms=USUAL_TERMS)
        assert refusals(self.watch("a")) == [None]


class ChargeTests(SharesCase):
    """Who causes an event pays for its receivers, from three on."""

    def setUp(self) -> None:
        super().setUp()
        self.alice = self.open("a", terms=USUAL_TERMS)
        self.bob = self.person("b")
        self.room = f"{self.alice.user}"

    def watched(self, viewers: int = 3) -> list[Person]:
        self.registry.join(self.bob, self.room, "PLAYER")
        people = [self.person("v") for _ in range(viewers)]
        for each in people:
            self.registry.join(each, self.room, "VIEWER")
        self.forget()
        return people

    def forget(self) -> None:
        for each in (self.alice, self.bob):
            each.payer.paid.clear()

    def paid(self) -> tuple[list[int], list[int]]:
        return self.alice.payer.paid, self.bob.payer.paid

    def test_two_players_pay_nothing(self) -> None:
        self.registry.join(self.bob, self.room, "PLAYER")
        self.registry.place(self.alice, "1:1")
        self.registry.say(self.bob, "hello")
        self.registry.forfeit(self.bob)
        assert self.paid() == ([], [])

    def test_a_move_a_text_and_an_offer(self) -> None:
        self.watched()
        self.registry.place(self.alice, "1:1")
        self.registry.say(self.bob, "hello")
        self.registry.offer(self.alice, "draw")
        self.registry.answer(self.bob, "draw", False)
        self.registry.pause(self.bob, True)
        assert self.paid() == ([5, 5], [5, 5, 5])

    def test_the_end(self) -> None:
        self.watched()
        self.registry.forfeit(self.bob)
        assert self.paid() == ([], [5])

    def test_a_disconnection(self) -> None:
        viewer = self.watched()[0]
        viewer.payer.paid.clear()
        self.registry.leave(viewer)
        self.registry.leave(self.bob)
        assert viewer.payer.paid == [4]
        assert self.paid() == ([], [3])

    def test_each_who_comes_to_watch_pays_for_those_who_are_there(self) -> None:
        people = self.watched()
        assert [each.payer.paid for each in people] == [[3], [4], [5]]

    def test_kept_moves_are_paid_by_who_lets_them_be_played(self) -> None:
        self.watched()
        self.registry.place(self.bob, "0:0")
        assert self.paid() == ([], [])
        self.registry.place(self.alice, "1:1")
        assert self.paid() == ([10], [])

    def test_a_refusal_reaches_one(self) -> None:
        self.watched()
        self.registry.place(self.alice, "9:9")
        assert self.paid() == ([1], [])

    def test_for_a_computer_the_player_pays(self) -> None:
        computer = Guest(self.registry, "computer")
        self.registry.join(computer, self.room, "PLAYER")
        for _ in range(2):
            self.registry.join(self.person("v"), self.room, "VIEWER")
        self.registry.place(self.alice, "1:1")
        self.forget()
        self.registry.place(computer, "0:0")
        assert self.paid() == ([4], [])

    def test_for_computers_alone_a_viewer_pays(self) -> None:
        computers = [Guest(self.registry, f"computer {number}") for number in (1, 2)]
        self.registry.create(computers[0], "den")
        self.registry.join(computers[1], "den", "PLAYER")
        viewer = self.person("v")
        self.registry.join(viewer, "den", "VIEWER")
        viewer.payer.paid.clear()
        self.registry.place(computers[0], "1:1")
        assert viewer.payer.paid == [3]

    def test_for_the_clock_a_player_pays(self) -> None:
        self.watched()
        self.clock.advance(1000)
        self.registry.expire(600, 600)
        assert self.paid() == ([5], [])
