"""Requests that cross: two equal offers, answers to offers that are gone, ends of matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server
from tests.plugins.client.network import Network
from tests.protocols.lobby.helpers import Message, Person, events
from tictac.net.connection import Limits
from tictac.plugins.client.connection import LobbyClient

MINUTE = {"initial": 60, "increment": 0}


class CrossingCase(SynchronousTestCase):
    def setUp(self) -> None:
        # Time stands still, so a budget would be used up.
        self.server = Server(limits=Limits(budget=0), rejoin_timeout=30, guests=True)
        self.alice, self.bob = Person(self.server, "alice"), Person(self.server, "bob")

    def tearDown(self) -> None:
        assert not self.server.faults

    def begin(self, **fields: Any) -> None:
        self.alice.ask("open", **{"game": "reversi", "room": "den", **fields})
        self.bob.ask("join", room="den")
        self.alice.read()

    def answer(self, person: Person, do: str, **fields: Any) -> Message:
        said = person.ask(do, room="den", id=7, **fields)
        return next(each for each in said if each.get("answer") == 7)

    def message(self, person: Person, do: str, **fields: Any) -> str:
        answer = self.answer(person, do, **fields)
        assert answer["error"] == self.code
        message: str = answer["message"]
        return message

    code = "not-offered"


class EqualOffersTests(CrossingCase):
    def test_of_a_draw_are_an_agreement(self) -> None:
        self.begin()
        self.alice.ask("offer", room="den", what="draw")
        said = self.bob.ask("offer", room="den", what="draw", id=1)[-2:]
        assert said[0] == {"answer": 1} and said[1]["how"] == "agreed"
        assert events(self.alice.read()) == ["ended"]

    def test_of_a_takeback_take_back(self) -> None:
        self.begin()
        self.alice.ask("move", room="den", move="d3")
        self.bob.ask("move", room="den", move=self.bob_moves())
        self.alice.ask("offer", room="den", what="takeback")
        said = self.bob.ask("offer", room="den", what="takeback", id=1)[-2:]
        assert said[0] == {"answer": 1} and (said[1]["event"], said[1]["seat"]) == ("undone", 0)

    def bob_moves(self) -> str:
        room = self.server.registry.room("den")
        assert room is not None
        move: str = room.game.moves(room.position)[0]
        return move

    def test_of_a_rematch_begin_it(self) -> None:
        self.begin()
        self.alice.ask("resign", room="den")
        self.bob.read()
        self.alice.ask("offer", room="den", what="rematch")
        said = self.bob.ask("offer", room="den", what="rematch", id=1)
        assert {"answer": 1} in said and events(said)[:2] == ["offered", "room"]
        assert events(self.alice.read()) == ["room"]

    def test_a_takeback_that_is_impossible_still_is(self) -> None:
        self.begin(rated=True)
        self.alice.ask("move", room="den", move="d3")
        assert "rated" in self.message(self.bob, "offer", what="takeback")

    def test_different_ones_say_what_is_open(self) -> None:
        self.begin()
        self.alice.ask("move", room="den", move="d3")
        self.alice.ask("offer", room="den", what="takeback")
        assert self.message(self.bob, "offer", what="draw") == (
            "alice offers a takeback: accept or decline it first"
        )
        assert self.message(self.alice, "offer", what="takeback") == (
            "you have offered a takeback already"
        )


class GoneOffersTests(CrossingCase):
    def test_what_became_of_an_offer(self) -> None:
        self.begin()
        gone: list[tuple[Callable[[], object], str]] = [
            (lambda: self.alice.ask("decline", room="den"), "was withdrawn"),
            (lambda: self.bob.ask("decline", room="den"), "was declined"),
            (self.expire, "has expired"),
            (lambda: self.alice.ask("move", room="den", move="d3"), "ended with a move"),
        ]
        for end, why in gone:
            self.alice.ask("offer", room="den", what="draw")
            end()
            for do in ("accept", "decline"):
                assert self.message(self.bob, do, what="draw") == f"the offer of a draw {why}"

    def expire(self) -> None:
        self.server.clock.advance(60)
        self.server.registry.expire(0, 0, 60)

    def test_a_takeback_that_is_done(self) -> None:
        self.begin()
        self.alice.ask("move", room="den", move="d3")
        self.alice.ask("offer", room="den", what="takeback")
        self.bob.ask("accept", room="den", what="takeback")
        for person in (self.alice, self.bob):
            assert self.message(person, "decline") == "the offer of a takeback was accepted"

    def test_none_was_ever_made(self) -> None:
        self.begin()
        assert self.message(self.bob, "accept", what="draw") == "no one else offers a draw"

    def test_what_became_of_a_rematch(self) -> None:
        self.begin()
        self.alice.ask("resign", room="den")
        for person, state in ((self.alice, "withdrawn"), (self.bob, "declined")):
            self.alice.ask("offer", room="den", what="rematch")
            person.ask("decline", room="den", what="rematch")
            said = self.message(self.bob, "accept", what="rematch")
            assert said == f"the offer of a rematch was {state}"
            assert self.message(self.bob, "accept") == said
        self.alice.ask("offer", room="den", what="rematch")
        self.bob.ask("accept", room="den", what="rematch")
        for do in ("decline", "offer", "accept"):
            assert self.message(self.alice, do, what="rematch") == "the rematch has begun"


REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("move", {"move": "d3"}),
    ("resign", {}),
    ("offer", {"what": "draw"}),
    ("offer", {"what": "takeback"}),
    ("accept", {}),
    ("accept", {"what": "draw"}),
    ("decline", {"what": "draw"}),
    ("say", {"text": "Wait!"}),
]


class OverTests(CrossingCase):
    code = "not-in-room"

    def test_a_flag_overtakes_every_request_of_either_player(self) -> None:
        for do, fields in REQUESTS:
            for late in (self.alice, self.bob):
                self.begin(clock=MINUTE)
                self.server.clock.advance(61)
                said = self.message(late, do, **fields)
                assert said == "the match in room den is over: bob won (timed out)", (do, said)
                self.alice.read(), self.bob.read()
                self.alice.ask("leave", room="den"), self.bob.ask("leave", room="den")

    def test_nobody_loses_by_leaving_after_the_others_flag(self) -> None:
        self.begin(clock=MINUTE)
        self.server.clock.advance(61)
        self.bob.ask("leave", room="den", for_good=True)
        (ended,) = self.alice.read()
        assert (ended["how"], ended["winner"]) == ("timed out", 1)

    def test_an_end_of_any_kind_is_in_later_errors(self) -> None:
        ends: list[tuple[Callable[[], object], str]] = [
            (lambda: self.alice.ask("resign", room="den"), "bob won (forfeited)"),
            (lambda: self.alice.ask("leave", room="den", for_good=True), "bob won (left)"),
            (self.agree, "agreed"),
        ]
        for end, how in ends:
            for do, fields in REQUESTS:
                if do == "say":
                    continue  # goes on for a while
                self.begin()
                end()
                self.bob.read()
                said = self.message(self.bob, do, **fields)
                assert said == f"the match in room den is over: {how}", (do, said)
                self.alice.read()

    def agree(self) -> None:
        self.alice.ask("offer", room="den")
        self.bob.ask("accept", room="den")

    def test_a_later_room_of_that_name_is_another_one(self) -> None:
        self.begin()
        self.alice.ask("resign", room="den")
        self.bob.ask("open", game="nim", room="den")
        self.bob.ask("leave", room="den", for_good=True)
        assert self.message(self.bob, "resign") == "you aren't in room den"

    def test_a_viewer_too(self) -> None:
        self.begin(clock=MINUTE)
        vera = Person(self.server, "vera")
        vera.ask("watch", room="den")
        self.server.clock.advance(61)
        assert self.message(vera, "say", text="Look!").endswith("bob won (timed out)")


class LinkCase(SynchronousTestCase):
    """Two connections whose requests are on their way at the same time."""

    def setUp(self) -> None:
        self.network = Network()
        self.alice, self.bob = self.client("alice"), self.client("bob")
        self.ask(self.alice, "open", game="reversi", room="den")
        self.ask(self.bob, "join", room="den")

    def client(self, user: str) -> LobbyClient:
        client = self.network.connect()
        self.ask(client, "login", user=user, password="secret")
        return client

    def ask(self, client: LobbyClient, do: str, **fields: Any) -> Message:
        """Send a request, and return its answer."""
        asked = Deferred.fromCoroutine(client.request(do, **fields))
        self.network.flush()
        answer, _ = self.successResultOf(asked)
        return answer

    def cross(self, *requests: tuple[LobbyClient, str, dict[str, Any]]) -> list[Any]:
        """Send requests at once; return each answer or error."""
        asked = [
            Deferred.fromCoroutine(client.request(do, room="den", **fields)).addErrback(
                lambda failure: failure.value
            )
            for client, do, fields in requests
        ]
        self.network.flush()
        return [self.successResultOf(each) for each in asked]


class CrossingLinkTests(LinkCase):
    def test_equal_offers_are_accepted_on_both_sides(self) -> None:
        draw = {"what": "draw"}
        for outcome in self.cross((self.alice, "offer", draw), (self.bob, "offer", draw)):
            assert "error" not in outcome[0]
        assert self.network.server.registry.room("den") is None
        again = {"what": "rematch"}
        for outcome in self.cross((self.alice, "offer", again), (self.bob, "offer", again)):
            assert "error" not in outcome[0]
        room = self.network.server.registry.room("den")
        assert room is not None and room.begun

    def test_a_resignation_overtakes_every_request(self) -> None:
        for do, fields in REQUESTS:
            (done, _), late = self.cross((self.alice, "resign", {}), (self.bob, do, fields))
            assert "error" not in done
            if do != "say":  # which goes on for a while
                assert late.code == "not-in-room"
                assert str(late) == "the match in room den is over: bob won (forfeited)", do
            for client in (self.alice, self.bob):
                self.ask(client, "leave", room="den")
            self.ask(self.alice, "open", game="reversi", room="den")
            self.ask(self.bob, "join", room="den")


class AbortedTests(CrossingCase):
    def ended(self, loser: Person, **fields: Any) -> Message:
        self.begin(**fields)
        return self.end(loser)

    def end(self, loser: Person) -> Message:
        return next(m for m in loser.ask("resign", room="den") if m.get("event") == "ended")

    def test_before_the_winner_moved(self) -> None:
        assert self.ended(self.alice, rated=True)["aborted"]
        self.begin(rated=True)
        self.alice.ask("move", room="den", move="d3")
        assert self.end(self.alice)["aborted"], "bob hasn't moved"

    def test_after_that_it_counts(self) -> None:
        self.begin(rated=True)
        self.alice.ask("move", room="den", move="d3")
        assert "aborted" not in self.end(self.bob)

    def test_what_is_unrated_never_counts(self) -> None:
        assert "aborted" not in self.ended(self.alice)
