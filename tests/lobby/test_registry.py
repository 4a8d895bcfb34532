"""All rooms of one process: the registry suite against the registry in memory."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.lobby import held_seats_suite, registry_suite, told
from tictac.lobby.events import Ended, Joined, Placed
from tictac.lobby.registry import Registry


class InMemory(registry_suite.RegistryCase):
    """Makes what is tested here. It never waits, so there is nothing to settle."""

    def make_registry(
        self, max_rooms: int, on_fault: Callable[[object], None], max_rooms_per_user: int = 0
    ) -> Registry:
        seconds, rejoin = self.clock.seconds, self.rejoin_timeout
        return Registry(max_rooms, seconds, on_fault, rejoin, max_rooms_per_user, rng=Random(1))


class ForfeitAtOnceTests(InMemory, registry_suite.EveryRegistryTests):
    """Without a time to come back."""


class HoldingSeatsTests(InMemory, registry_suite.EveryRegistryTests):
    """With one, for those who leave for good, or don't leave at all."""

    rejoin_timeout = 30


class HeldSeatsTests(InMemory, held_seats_suite.HeldSeatsTests):
    """With one, for those who are cut off."""


class PutOffTests(InMemory, held_seats_suite.HeldCase):
    """Who ended a connection decides, not the protocol."""

    def test_whom_the_server_puts_off_has_a_seat_in_every_protocol(self) -> None:
        self.begin_match()
        for guest in (self.alice, self.bob):
            guest.rejoins = False  # type: ignore[attr-defined]
        self.served.put_off(self.bob)
        assert self.bob.closed
        self.registry.leave(self.bob)
        assert self.served.seats_held() == 1
        assert isinstance(self.come_back("bob").news()[0], Joined)
        self.forget()
        self.registry.leave(self.alice)
        assert isinstance(self.vera.news()[-1], Ended)


class HeldRoomsTests(InMemory, held_seats_suite.HeldRoomsTests):
    """The same before the match."""


class NoHeldSeatsTests(InMemory, held_seats_suite.NoHeldSeatsTests):
    """Without one again."""


class StoppingTests(InMemory):
    """A process that is going to stop takes nobody back."""

    rejoin_timeout = 30

    def test_held_seats_are_given_up_at_once(self) -> None:
        self.begin_match()
        self.registry.create(self.carol, "cellar")
        for guest in (self.alice, self.carol):
            self.registry.leave(guest)
        self.registry.stop_holding()
        assert self.bob.news() == [told.ended(5, "000000000", "left", "bob", cut=True)]
        assert self.served.rooms() == 0

    def test_who_is_cut_off_later_forfeits_at_once(self) -> None:
        self.begin_match()
        self.registry.stop_holding()
        assert self.bob.news() == []
        assert self.served.running() == 1
        self.registry.leave(self.alice)
        assert [type(event) for event in self.bob.news()] == [Ended]

    def test_who_has_come_back_plays_on(self) -> None:
        self.begin_match()
        self.registry.leave(self.alice)
        alice = self.guest("alice")
        self.registry.join(alice, "den", "PLAYER")
        self.registry.stop_holding()
        self.registry.place(alice, "0:0")
        assert [type(event) for event in self.bob.news()] == [Placed]
