"""Challenges: how they are sent, answered, and end; who can't be challenged; their limits."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

import pytest

from tests.helpers import Server
from tests.plugins.people.served import People
from tests.protocols.lobby.helpers import Message, Person, events
from tictac.lobby.room import Room
from tictac.net import connection
from tictac.plugins.people.challenges import MINUTES
from tictac.plugins.people.settings import PeopleOptions

NIM = {"game": "nim"}


def taker(server: Server, user: str | None = None) -> Person:
    """Return somebody who takes challenges."""
    person = Person(server, user)
    if user is None:
        person.ask("guest")
    person.ask("hello", takes=["challenge"])
    return person


class TestChallenges:
    def setup_method(self) -> None:
        self.serve(Server(rejoin_timeout=30))

    def serve(self, server: Server, **fields: Any) -> None:
        self.server = server
        self.people = People(server, **fields)
        self.alice, self.bob, self.vera = (taker(server, name) for name in ("alice", "bob", "vera"))

    def challenge(self, **fields: Any) -> Message:
        """Let alice challenge bob; return what bob hears."""
        [answer] = self.alice.ask("challenge", user="bob", **{**NIM, **fields})
        assert "challenge" in answer, answer
        [told] = self.bob.read()
        assert told["challenge"] == answer["challenge"]
        return told

    def begin(self, person: Person, room: str = "den") -> None:
        """Let somebody play a match with carol."""
        person.ask("open", room=room, **NIM)
        Person(self.server, "carol").ask("join", room=room)
        person.read()

    def respond(self, person: Person, challenge: Message, how: str) -> list[Message]:
        return person.ask("respond", challenge=challenge["challenge"], how=how)

    @pytest.mark.parametrize(("side", "hers"), [(0, 0), (1, 1), (None, 0)])
    def test_who_accepts_plays_at_once(self, side: int | None, hers: int) -> None:
        told = self.challenge(side=side)
        assert told["side"] == (None if side is None else 1 - side)
        answer, *more = self.respond(self.bob, told, "accept")
        room, heard = answer["room"], self.alice.read()
        assert next(each for each in more if each["event"] == "room")["seat"] == 1 - hers
        assert next(each for each in heard if each["event"] == "room")["seat"] == hers
        accepted, *others = heard
        assert (accepted["event"], accepted["state"], accepted["room"]) == (
            "challenge", "accepted", room,
        )  # fmt: skip
        assert events(others)[0] == "room"
        found = self.server.registry.room(room)
        assert found is not None and found.begun
        assert not len(self.people.challenges)

    def absent(self, *users: str) -> list[tuple[str, Room]]:
        """Let messages reach these accounts; return the invitations."""
        invited: list[tuple[str, Room]] = []

        class Messages:
            def reaches(self, user: str) -> bool:
                return user in users

            def invite(self, user: str, room: Room) -> None:
                invited.append((user, room))

        self.server.registry.outbox.outlives = True
        self.people.challenges.messages = Messages()
        return invited

    def test_a_match_over_days_reaches_an_account_that_isnt_here(self) -> None:
        invited = self.absent("carol")
        answer, event = self.alice.ask("challenge", user="carol", **NIM, clock={"days": 3})
        assert (answer["room"], event["event"], event["seat"]) == (event["room"], "room", 0)
        [(user, room)] = invited
        assert (user, room.name, bool(room.terms.key)) == ("carol", answer["room"], True)
        [again] = self.alice.ask("challenge", user="carol", **NIM, clock={"days": 3})
        assert again["error"] == "too-many-challenges"

    @pytest.mark.parametrize(
        "asked",
        [
            {"user": "carol"},  # a live match
            {"user": "dave", "clock": {"days": 3}},  # no address
            {"user": "carol", "clock": {"days": 3}, "side": 1},
        ],
    )
    def test_other_challenges_need_a_player_who_is_here(self, asked: dict[str, Any]) -> None:
        invited = self.absent("carol")
        [answer] = self.alice.ask("challenge", **{**NIM, **asked})
        assert answer["error"] in ("not-here", "bad-option") and not invited

    def test_a_private_match_is_in_no_list(self) -> None:
        self.respond(self.bob, self.challenge(private=True), "accept")
        assert self.vera.ask("lobby")[0]["rooms"] == []

    def test_declined_and_withdrawn(self) -> None:
        told = self.challenge()
        assert self.respond(self.bob, told, "decline") == [{"answer": None}]
        [heard] = self.alice.read()
        assert (heard["state"], heard["challenge"]) == ("declined", told["challenge"])
        told = self.challenge()
        assert self.respond(self.alice, told, "withdraw") == [{"answer": None}]
        assert self.bob.read()[0]["state"] == "withdrawn"
        assert self.bob.error("respond", challenge=told["challenge"], how="accept") == (
            "no-such-challenge"
        )

    def test_nobody_else_answers_it(self) -> None:
        told = self.challenge()
        for person, how in ((self.vera, "accept"), (self.alice, "accept"), (self.bob, "withdraw")):
            assert person.error("respond", challenge=told["challenge"], how=how) == (
                "no-such-challenge"
            )
        assert len(self.people.challenges) == 1

    def test_it_expires(self) -> None:
        self.challenge()
        self.server.clock.advance(59.9)
        assert self.bob.read() == []
        self.server.clock.advance(0.2)
        assert [each["state"] for each in (*self.alice.read(), *self.bob.read())] == ["expired"] * 2

    def test_without_a_limit_it_does_not(self) -> None:
        self.serve(Server(), seconds=0)
        assert self.challenge()["seconds"] is None
        self.server.clock.advance(1_000_000)
        assert self.bob.read() == []

    def test_it_is_withdrawn_when_the_sender_leaves(self) -> None:
        self.challenge()
        self.alice.visitor.hang_up()
        [heard] = self.bob.read()
        assert (heard["state"], heard["why"]) == ("withdrawn", "gone")

    def test_it_is_withdrawn_when_the_other_leaves_with_the_last_connection(self) -> None:
        second = taker(self.server, "bob")
        self.challenge()
        self.bob.ask("logout")
        assert self.alice.read() == []
        second.visitor.hang_up()
        [heard] = self.alice.read()
        assert (heard["state"], heard["why"]) == ("withdrawn", "gone")

    def test_it_is_withdrawn_when_one_of_them_begins_a_match(self) -> None:
        self.challenge()
        self.begin(self.bob)
        assert [each.get("why") for each in self.alice.read()] == ["playing"]
        assert not len(self.people.challenges)

    def test_a_program_that_plays_beside_is_challenged_during_a_match(self) -> None:
        self.bob.ask("hello", takes=["challenge", "challenge-beside"])
        self.begin(self.bob)
        told = self.challenge()
        self.begin(self.bob, "another")
        assert self.alice.read() == []  # it isn't withdrawn
        assert "room" in self.respond(self.bob, told, "accept")[0]

    def test_accepting_one_ends_the_others_of_both(self) -> None:
        told = self.challenge()
        self.vera.ask("challenge", user="bob", **NIM)
        self.bob.read()
        self.respond(self.bob, told, "accept")
        [heard] = self.vera.read()
        assert (heard["state"], heard["why"]) == ("withdrawn", "playing")

    def test_the_other_connections_hear_that_one_has_answered(self) -> None:
        second = taker(self.server, "bob")
        told = self.challenge()
        assert second.read() == [told]
        self.respond(self.bob, told, "decline")
        [heard] = second.read()
        assert (heard["state"], heard["elsewhere"]) == ("declined", True)

    def test_two_who_challenge_each_other_play(self) -> None:
        self.challenge(side=0)
        answer, *more = self.bob.ask("challenge", user="alice", side=1, **NIM)
        assert "room" in answer and "began" in [*events(more), *events(self.alice.read())]

    def test_two_who_want_different_things_do_not(self) -> None:
        self.challenge(side=0)
        [answer] = self.bob.ask("challenge", user="alice", side=0, **NIM)
        assert "challenge" in answer
        self.alice.read()
        [answer] = self.vera.ask("challenge", user="alice", game="reversi")
        assert "challenge" in answer and len(self.people.challenges) == 3

    def test_who_cannot_be_challenged_all_sound_the_same(self) -> None:
        Person(self.server, "carol")  # takes none
        self.bob.ask("account", hidden=True)
        self.vera.ask("account", challenges="nobody")
        for user in ("nobody", "carol", "bob", "vera"):
            [answer] = self.alice.ask("challenge", user=user, **NIM)
            assert answer == {
                "answer": None,
                "error": "not-here",
                "message": f"{user} can't be challenged now",
            }

    def test_who_plays_is_busy(self) -> None:
        assert self.alice.error("challenge", user="alice", **NIM) == "busy"
        self.begin(self.bob)
        assert self.alice.error("challenge", user="bob", **NIM) == "busy"
        assert self.bob.error("challenge", user="alice", **NIM) == "busy"

    def test_what_is_no_challenge(self) -> None:
        for fields in ({"side": 2}, {"rated": True, "private": True}, {"game": "clue"}):
            asked = {**NIM, **fields}
            assert self.alice.error("challenge", user="bob", **asked) == "bad-option"
        assert self.alice.error("challenge", user="bob", game="chess") == "no-such-game"

    def test_hiding_declines_what_stands(self) -> None:
        self.challenge()
        self.bob.ask("account", hidden=True)
        assert self.alice.read()[0]["state"] == "declined"

    def test_guests_challenge_only_where_they_meet_others(self) -> None:
        guest = taker(self.server)
        assert guest.error("challenge", user="bob", **NIM) == "guests-refused"
        self.serve(Server(guests=True))
        guest = taker(self.server)
        assert guest.error("challenge", user="bob", rated=True, **NIM) == "guests-refused"
        [answer] = guest.ask("challenge", user="bob", **NIM)
        assert "challenge" in answer
        self.bob.read()
        self.bob.ask("account", challenges="accounts")
        assert guest.read()[0]["state"] == "declined"
        assert guest.error("challenge", user="bob", **NIM) == "not-here"
        self.challenge()

    def test_what_is_refused_at_the_acceptance_leaves_the_challenge(self) -> None:
        self.serve(Server(max_rooms=1))
        for side in (0, 1):
            told = self.challenge(side=side)
            self.vera.ask("open", room="den", **NIM)
            assert self.bob.error("respond", challenge=told["challenge"], how="accept") == (
                "too-many-rooms"
            )
            self.vera.ask("leave", room="den", for_good=True)
            assert len(self.people.challenges) == 1
            self.respond(self.alice, told, "withdraw")
            self.bob.read()

    def test_limits_of_what_stands(self) -> None:
        self.serve(Server(), options=PeopleOptions(max_challenges=1, max_challenges_got=1))
        self.challenge()
        assert self.alice.error("challenge", user="bob", **NIM) == "too-many-challenges"
        assert self.alice.error("challenge", user="vera", **NIM) == "too-many-challenges"
        assert self.vera.error("challenge", user="bob", **NIM) == "too-many-challenges"

    def test_who_was_declined_twice_waits(self) -> None:
        for _ in range(2):
            self.respond(self.bob, self.challenge(), "decline")
            self.alice.read()
        assert self.alice.error("challenge", user="bob", **NIM) == "too-many-challenges"
        self.server.clock.advance(MINUTES + 1)
        self.challenge()

    def test_so_many_in_ten_minutes(self) -> None:
        self.serve(Server(), options=PeopleOptions(challenge_burst=3))
        for _ in range(3):
            self.respond(self.alice, self.challenge(), "withdraw")
            self.bob.read()
        assert self.alice.error("challenge", user="vera", **NIM) == "too-many-challenges"
        self.server.clock.advance(MINUTES + 1)
        self.challenge()

    def test_guests_of_an_address_share_a_limit(self) -> None:
        self.serve(
            Server(guests=True), options=PeopleOptions(challenge_burst=1, max_challenges_got=9)
        )
        codes = []
        for _ in range(3):
            [answer] = taker(self.server).ask("challenge", user="bob", **NIM)
            codes.append(answer.get("error"))
        assert codes == [None, None, "too-many-challenges"]

    def test_guests_of_an_address_take_up_half_of_what_a_person_gets(self) -> None:
        self.serve(Server(guests=True), options=PeopleOptions(max_challenges_got=4))
        codes = []
        for _ in range(3):
            [answer] = taker(self.server).ask("challenge", user="bob", **NIM)
            codes.append(answer.get("error"))
        assert codes == [None, None, "too-many-challenges"]
        self.bob.read()
        self.challenge()

    def test_guests_of_a_trusted_address_take_more(self) -> None:
        limits = connection.Limits(trusted_net=(ip_network("192.0.2.1"),))
        options = PeopleOptions(max_challenges_got=4, challenge_burst=1)
        self.serve(Server(guests=True, limits=limits), options=options)
        codes = []
        for _ in range(5):
            [answer] = taker(self.server).ask("challenge", user="bob", **NIM)
            codes.append(answer.get("error"))
        assert codes == [None] * 4 + ["too-many-challenges"]

    def test_stopping_leaves_no_call(self) -> None:
        self.challenge()
        self.people.challenges.stop()
        assert not [each for each in self.server.clock.getDelayedCalls() if each.active()]
