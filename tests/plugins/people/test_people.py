"""Who is online: who is listed, to whom, and what it costs when many come and go."""

from __future__ import annotations

from tests.helpers import Server
from tests.plugins.people.served import People
from tests.protocols.lobby.helpers import Message, Person
from tictac.plugins.people.roster import FOLLOWERS_SLOW, MOST_CHANGES, MOST_SETTINGS, Settings

NIM = {"game": "nim"}


def names(message: Message) -> list[str]:
    return [each["user"] for each in message["people"]]


class TestPeople:
    def setup_method(self) -> None:
        self.serve(Server())

    def serve(self, server: Server, listed: int = 500) -> None:
        self.server = server
        self.people = People(server, listed=listed)

    def guests(self, count: int) -> list[Person]:
        """Let guests come."""
        came = [Person(self.server) for _ in range(count)]
        for each in came:
            each.ask("guest")
            self.pass_time(0)  # a crowd at one address shares turns (net.budget)
        return came

    def pass_time(self, seconds: float = 2.0) -> None:
        self.server.clock.advance(seconds)

    def test_an_account_is_one_entry_however_many_connections_it_has(self) -> None:
        one, two = Person(self.server, "alice"), Person(self.server, "alice")
        [answer] = one.ask("people")
        assert names(answer) == ["alice"] and answer["counts"]["people"] == 1
        one.visitor.hang_up()
        self.pass_time()
        assert names(two.ask("people")[0]) == ["alice"]

    def test_who_plays_is_told_with_the_room_if_it_is_public(self) -> None:
        alice, bob, vera = (Person(self.server, name) for name in ("alice", "bob", "vera"))
        carol = Person(self.server, "carol")
        alice.ask("open", room="den", **NIM)
        carol.ask("join", room="den")
        key = bob.ask("open", private=True, room="attic", **NIM)[0]["key"]
        carol.ask("join", room="attic", key=key)
        vera.ask("open", room="cellar", **NIM)
        [answer] = vera.ask("people")
        assert [(each["state"], each.get("room")) for each in answer["people"]] == [
            ("playing", "den"),
            ("playing", None),
            ("playing", "den"),
            ("free", None),
        ]
        assert answer["counts"] == {"people": 4, "playing": 3, "rooms": 2}
        alice.ask("resign", room="den")
        self.pass_time()
        [event] = vera.read()
        assert event["changed"] == [
            {"user": "alice", "state": "free", "challenge": False},
            {"user": "carol", "state": "playing", "challenge": False},
        ]

    def test_who_comes_and_goes_in_between_is_not_told_of(self) -> None:
        alice = Person(self.server, "alice")
        alice.ask("people")
        Person(self.server, "bob").visitor.hang_up()
        self.pass_time()
        assert alice.read() == []

    def test_who_is_cut_off_or_logs_out_is_gone(self) -> None:
        alice, bob, vera = (Person(self.server, name) for name in ("alice", "bob", "vera"))
        alice.ask("people")
        bob.visitor.hang_up()
        vera.ask("logout")
        self.pass_time()
        [event] = alice.read()
        assert event["gone"] == ["bob", "vera"] and event["counts"]["people"] == 1

    def test_who_stops_following_hears_nothing(self) -> None:
        alice = Person(self.server, "alice")
        alice.ask("people")
        alice.ask("people", follow=False)
        Person(self.server, "bob")
        self.pass_time()
        assert alice.read() == []
        assert names(alice.ask("people", follow=False)[0]) == ["alice", "bob"]

    def test_many_who_come_at_once_are_one_event_with_the_same_bytes_for_all(self) -> None:
        self.serve(Server(guests=True))
        followers = [Person(self.server, name) for name in ("alice", "bob", "vera")]
        for each in followers:
            each.ask("people")
        self.guests(20)
        self.pass_time()
        told = [each.visitor.read() for each in followers]
        assert [len(lines) for lines in told] == [1, 1, 1]
        assert told[0] == told[1] == told[2]

    def test_an_event_has_so_many_changes_and_the_next_one_has_the_others(self) -> None:
        self.serve(Server(guests=True))
        alice = Person(self.server, "alice")
        alice.ask("people")
        guests = self.guests(MOST_CHANGES + 5)
        self.pass_time()
        [event] = alice.read()
        assert len(event["changed"]) == MOST_CHANGES
        self.pass_time()
        [event] = alice.read()
        assert len(event["changed"]) == 5
        for each in guests:
            each.visitor.hang_up()
        self.pass_time()
        [event] = alice.read()
        assert (len(event["gone"]), event["changed"]) == (MOST_CHANGES, [])
        self.pass_time()
        [event] = alice.read()
        assert len(event["gone"]) == 5
        self.pass_time()
        assert alice.read() == []

    def test_the_more_follow_the_longer_changes_are_gathered(self) -> None:
        self.serve(Server(guests=True))
        followers = self.guests(FOLLOWERS_SLOW)
        for each in followers:
            each.ask("people")
        self.pass_time(0)  # so many requests of one address take a few turns
        self.pass_time()
        for each in followers:
            each.read()
        Person(self.server, "alice")
        self.pass_time(3.9)
        assert followers[0].read() == []
        self.pass_time(0.2)
        assert len(followers[0].read()) == 1

    def test_the_list_has_so_many_and_says_how_many_others_there_are(self) -> None:
        self.serve(Server(), listed=2)
        alice, bob, _ = (Person(self.server, name) for name in ("alice", "bob", "vera"))
        [answer] = alice.ask("people")
        assert names(answer) == ["alice", "bob"] and answer["more"] == 1
        bob.visitor.hang_up()
        self.pass_time()
        [event] = alice.read()
        assert [each["user"] for each in event["changed"]] == ["vera"]
        assert (event["gone"], event["more"]) == (["bob"], 0)

    def test_guests_get_counts_alone_where_they_meet_nobody(self) -> None:
        alice = Person(self.server, "alice")
        [guest] = self.guests(1)
        assert guest.ask("people") == [
            {"answer": None, "counts": {"people": 2, "playing": 0, "rooms": 0}}
        ]
        assert names(alice.ask("people")[0]) == ["alice"]
        self.pass_time()
        assert guest.read() == []

    def test_hiding_takes_effect_at_once_and_showing_ends_it(self) -> None:
        alice, bob = Person(self.server, "alice"), Person(self.server, "bob")
        alice.ask("people")
        [answer] = bob.ask("account", hidden=True)
        assert answer == {"answer": None, "hidden": True, "challenges": "everybody"}
        assert names(bob.ask("people", follow=False)[0]) == ["alice"]
        self.pass_time()
        assert alice.read()[0]["gone"] == ["bob"]
        bob.visitor.hang_up()
        bob = Person(self.server, "bob")
        assert bob.ask("account")[0]["hidden"]
        bob.ask("account", hidden=False)
        self.pass_time()
        assert [each["user"] for each in alice.read()[0]["changed"]] == ["bob"]

    def test_the_settings_of_a_guest_go_with_the_connection(self) -> None:
        [guest] = self.guests(1)
        [answer] = guest.ask("account", challenges="nobody")
        assert answer["challenges"] == "nobody"
        guest.ask("guest")
        assert guest.ask("account")[0]["challenges"] == "everybody"

    def test_settings_are_kept_for_so_many_accounts(self) -> None:
        for number in range(MOST_SETTINGS + 1):
            self.people.roster.set(f"u{number}", Settings(hidden=True))
        assert not self.people.roster.settings("u0").hidden
        assert self.people.roster.settings("u1").hidden

    def test_bad_requests(self) -> None:
        alice = Person(self.server, "alice")
        for line in (
            '{"do":"account","challenges":"friends"}',
            '{"do":"people","follow":1}',
            '{"do":"respond","challenge":"x","how":"ignore"}',
            '{"do":"challenge","game":"nim"}',
        ):
            [answer] = alice.send(line)
            assert answer["error"] == "malformed"
        assert Person(self.server).error("account") == "not-logged-in"

    def test_stopping_leaves_no_call(self) -> None:
        Person(self.server, "alice").ask("people")
        self.people.roster.stop()
        assert not [each for each in self.server.clock.getDelayedCalls() if each.active()]
