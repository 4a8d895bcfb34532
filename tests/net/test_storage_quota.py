"""What clients may store: so much per day and address, and less on a full disk."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_network
from typing import Any
from unittest.mock import Mock

from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server
from tests.protocols.lobby.helpers import Person
from tictac.errors import DiskFull, Refusal, TooMuchStored
from tictac.games.all import game_type_of
from tictac.ip_networks import network_of
from tictac.lobby.events import Ended
from tictac.lobby.live_room import Opener
from tictac.lobby.terms import terms_for
from tictac.names import GUEST
from tictac.net.budget import times_of
from tictac.net.storage_quota import ACCOUNT, ACCOUNTS, CAPACITY, DAY, ROOM, Storage
from tictac.testing.server import Guest

ADDRESS, OTHER = "192.0.2.1", "192.0.2.2"
NIM = {"game": "nim", "computer": "beginner"}


TRUSTED = [ip_network("198.51.100.0/24")]


def client(user: str | None = None, host: str | None = ADDRESS) -> Opener | None:
    if host is None:
        return None
    is_guest = user is None or user.startswith(GUEST)
    return Opener(network_of(host), times_of(host, TRUSTED), is_guest, user)


class StorageCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.now = 0.0
        self.disk = Mock(low=False)
        self.storage = Storage(lambda: self.now, 1000, TRUSTED, [self.disk])

    def refusal(self, who: Any, size: int = 1, spare: bool = False) -> type[Refusal] | None:
        """Return why that may not be stored."""
        try:
            self.storage.spend(who, size, spare)
        except Refusal as refusal:
            return type(refusal)
        return None


class SumTests(StorageCase):
    def test_guests_of_an_address_share_a_sum(self) -> None:
        assert self.refusal(client("guest-1"), 999) is None
        assert self.refusal(client("guest-2"), 1) is None
        assert self.refusal(client("guest-3")) is TooMuchStored
        assert self.refusal(client("guest-4", OTHER)) is None

    def test_accounts_of_an_address_have_more_and_share_it_too(self) -> None:
        self.storage.spend(client("guest-1"), 1000)
        for user in ("alice", "bob"):
            assert self.refusal(client(user), 500 * ACCOUNTS) is None
        assert self.refusal(client("carol")) is TooMuchStored

    def test_an_ipv6_network_is_one_address(self) -> None:
        self.storage.spend(client("guest-1", "2001:db8::1"), 1000)
        assert self.refusal(client("guest-2", "2001:db8::ffff")) is TooMuchStored
        assert self.refusal(client("guest-3", "2001:db8:0:1::1")) is None

    def test_a_trusted_network_has_ten_times_as_much(self) -> None:
        guest = client("guest-1", "198.51.100.7")
        assert self.refusal(guest, 9999) is None
        assert self.refusal(guest) is None
        assert self.refusal(guest) is TooMuchStored

    def test_a_day_later_it_begins_anew(self) -> None:
        self.storage.spend(client(), 1000)
        self.now += DAY - 1
        assert self.refusal(client()) is TooMuchStored
        self.now += 1
        assert self.refusal(client(), 1000) is None
        assert self.refusal(client()) is TooMuchStored

    def test_0_is_no_limit(self) -> None:
        storage = Storage(lambda: 0.0, 0)
        storage.spend(client(), 1 << 40)
        storage.spend(client(), 1)

    def test_the_servers_own_occupants_pay_nothing(self) -> None:
        self.storage.spend(client("computer", None), 1 << 40)
        assert self.refusal(client("computer", None)) is None

    def test_registrations_count_as_a_guests(self) -> None:
        self.storage.spend(client(), 1001 - ACCOUNT)
        self.storage.register(ADDRESS)
        with self.assertRaises(TooMuchStored):
            self.storage.register(ADDRESS)

    def test_strangers_addresses_fill_no_memory(self) -> None:
        self.storage.spend(client(host="203.0.113.1"), 1000)
        for number in range(CAPACITY + 500):
            self.storage.spend(client(host=f"10.{number >> 8}.{number & 255}.1"), 1)
        assert len(self.storage._sums) <= CAPACITY
        assert self.refusal(client(host="203.0.113.1")) is TooMuchStored


class FullDiskTests(StorageCase):
    def setUp(self) -> None:
        super().setUp()
        self.disk.low = True

    def test_guests_and_chat_stop_and_accounts_go_on(self) -> None:
        assert self.refusal(client("guest-1")) is DiskFull
        assert self.refusal(client("alice"), spare=True) is DiskFull
        assert self.refusal(client("alice")) is None
        with self.assertRaises(DiskFull):
            self.storage.register(ADDRESS)

    def test_all_of_it_goes_on_when_there_is_space(self) -> None:
        self.disk.low = False
        assert self.refusal(client("guest-1"), spare=True) is None


class ServedCase(SynchronousTestCase):
    """A guest and alice at a server with an archive, which lets guests meet."""

    a_day = 10_000

    def setUp(self) -> None:
        self.disk = Mock(low=False)
        self.archivist = Mock(**{"keep.return_value": True, "pack.return_value.id": "m1"})
        self.server = Server(guests=True)
        self.server.registry.archivist = self.archivist
        self.storage = Storage(self.server.clock.seconds, self.a_day, (), [self.disk])
        self.server.registry.storage = self.storage
        self.server.accounts.admits = self.storage.register
        self.alice = Person(self.server, "alice")
        self.guest = Person(self.server)
        self.guest.ask("guest")

    def tearDown(self) -> None:
        assert not self.server.faults

    def use_up(self, times: int = 1) -> None:
        self.storage.spend(client(), times * self.a_day)


class UsedUpTests(ServedCase):
    def test_what_a_guest_says_counts_until_it_is_refused(self) -> None:
        self.guest.ask("open", room="den", **NIM)
        said = 0
        while self.guest.ask("say", room="den", text="\u00e9" * 400)[0].get("error") is None:
            said += 1
        assert said == -(-(self.a_day - ROOM) // 864)
        assert self.guest.error("say", room="den", text="ha") == "too-much-stored"

    def test_moves_go_on_and_new_rooms_of_guests_dont(self) -> None:
        self.guest.ask("open", room="den", **NIM)
        self.use_up()
        assert self.guest.error("open", room="attic", **NIM) == "too-much-stored"
        assert self.guest.error("seek", game="reversi") == "too-much-stored"
        room = self.server.registry.room("den")
        assert room is not None
        move = room.game.moves(room.position)[0]
        assert "at" in self.guest.ask("move", room="den", move=move)[0]

    def test_accounts_at_the_same_address_go_on(self) -> None:
        self.use_up()
        assert self.alice.ask("open", room="attic", **NIM)[0]["room"] == "attic"
        assert "error" not in self.alice.ask("say", room="attic", text="ha")[0]

    def test_the_rooms_protocol_says_it_as_too_many_rooms(self) -> None:
        self.use_up(ACCOUNTS)
        bob = self.server.log_in("bob")
        assert bob.ask("CREATE:den") == ["CREATE:ACKSTATUS:3"]

    def test_a_registration_is_refused(self) -> None:
        self.use_up()
        stranger = Person(self.server)
        asked = {"user": "dora", "password": "pw"}
        assert stranger.error("register", **asked) == "too-much-stored"
        assert self.server.connect().ask("REGISTER:dora:pw") == ["REGISTER:ACKSTATUS:2"]

    def test_a_match_that_ends_later_isnt_archived_unless_it_is_rated(self) -> None:
        self.guest.ask("open", room="den", **NIM)
        self.alice.ask("open", room="attic", game="nim", rated=True)
        Person(self.server, "bob").ask("join", room="attic")
        self.use_up(ACCOUNTS)
        self.guest.ask("resign", room="den")
        self.archivist.keep.assert_not_called()
        self.alice.ask("resign", room="attic")
        assert self.archivist.keep.call_count == 1

    def test_the_length_of_a_match_counts(self) -> None:
        self.guest.ask("open", room="den", **NIM)
        before = self.storage._sums[ADDRESS][1]
        self.guest.ask("resign", room="den")
        assert before == ROOM and self.storage._sums[ADDRESS][1] > before

    def test_matches_over_other_protocols_go_on_and_arent_archived(self) -> None:
        registry = self.server.registry
        terms = replace(terms_for(game_type_of("nim"), {}), protocol="nim")
        for number, size in enumerate((1, self.a_day)):
            one, other = (Guest(registry, "guest-9") for _ in range(2))
            vars(one)["payer"] = client("guest-9")
            self.storage.spend(client(), size - 1)
            registry.create(one, f"nim {number}", terms)
            registry.join(other, f"nim {number}", "PLAYER", seated_by="nim")
            registry.forfeit(one)
            assert isinstance(other.events[-1], Ended)
            assert self.archivist.keep.call_count == 1, "only the first match is kept"


class AlmostFullTests(ServedCase):
    def test_chat_and_guests_stop_before_moves(self) -> None:
        self.alice.ask("open", room="den", **NIM)
        self.disk.low = True
        assert self.alice.error("say", room="den", text="ha") == "disk-full"
        assert self.guest.error("open", room="attic", **NIM) == "disk-full"
        room = self.server.registry.room("den")
        assert room is not None
        move = room.game.moves(room.position)[0]
        assert "at" in self.alice.ask("move", room="den", move=move)[0]
        self.disk.low = False
        assert "error" not in self.alice.ask("say", room="den", text="ha")[0]
        assert "error" not in self.guest.ask("open", room="attic", **NIM)[0]

    def test_unrated_matches_against_the_computer_arent_archived(self) -> None:
        registry = self.server.registry
        self.alice.ask("open", room="den", **NIM)
        registry.join(Guest(registry, "computer"), "den", "PLAYER")
        self.alice.ask("open", room="attic", game="nim")
        Person(self.server, "bob").ask("join", room="attic")
        self.disk.low = True
        self.alice.ask("resign", room="den")
        self.archivist.keep.assert_not_called()
        self.alice.ask("resign", room="attic")
        assert self.archivist.keep.call_count == 1
