"""Ratings and judgements over the lobby protocol."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any

from twisted.internet.defer import Deferred, fail
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import answering
from tests.archive.helpers import BEGAN, archive_of, match, match_of
from tests.helpers import Server
from tests.protocols.lobby.helpers import Person
from tictac.accounts.tables import AccountTables
from tictac.analysis import Analysis, dump, load
from tictac.archive.tables import MatchTables
from tictac.engines.worker import AnalysisJob
from tictac.errors import CannotThink
from tictac.protocols.lobby.lobby import PUSH_DELAY
from tictac.protocols.lobby.rated import Rated
from tictac.ratings.tables import RatingTables
from tictac.storage.store import StoreAwayError


class SlowThinker:
    """Judges when the test says so."""

    def __init__(self) -> None:
        self.asked: list[tuple[AnalysisJob, Deferred[str]]] = []
        self.given_up = 0

    def think(self, question: AnalysisJob, line: Hashable = None) -> Deferred[str]:
        self.asked.append((question, Deferred(self._give_up)))
        return self.asked[-1][1]

    def _give_up(self, _: Deferred[str]) -> None:
        self.given_up += 1

    def answer(self) -> None:
        """Answer the first question with its analysis."""
        case, answer = self.asked.pop(0)
        answer.callback(dump(case.judge(lambda: 0.0)))


class RatingsCase(SynchronousTestCase):
    """A server over a database with three accounts and a rated match of two."""

    def setUp(self) -> None:
        matches = match("m1", rated=True), match("secret", private=True)
        self.archive = archive_of(*matches, users=["alice", "bob", "carol"])
        RatingTables(self.archive.database).count(10)
        self.engine = SlowThinker()
        self.server = Server(archive=self.archive, engine=self.engine)


class RatingsTests(RatingsCase):
    def test_of_a_group_the_best_come_first(self) -> None:
        person = Person(self.server)
        accounts = AccountTables(self.archive.database)
        accounts.set_group("bob", "7b")
        accounts.set_group("carol", "8a")  # who isn't rated
        (answer,) = person.ask("ratings", game="tictactoe", group="7b")
        assert [each["player"] for each in answer["players"]] == ["bob"]
        assert answer["groups"] == ["7b"]
        (nobody,) = person.ask("ratings", game="tictactoe", group="8a")
        assert nobody["players"] == []
        assert person.error("ratings", game="tictactoe", group="\0") == "bad-filter"

    def test_of_a_game_the_best_come_first(self) -> None:
        (answer,) = Person(self.server).ask("ratings", game="tictactoe")
        assert [each["player"] for each in answer["players"]] == ["alice", "bob"]
        assert answer["players"][0] == {
            "player": "alice",
            "game": "tictactoe",
            "rating": 1662,
            "deviation": 290,
            "provisional": True,
            "matches": 1,
            "ended": "2023-11-14T22:13:22.625Z",
            "last": "w",
            "month": 0,
            "rank": 1,
        }

    def test_of_a_player_in_a_game_with_the_rank(self) -> None:
        person = Person(self.server)
        (answer,) = person.ask("ratings", game="tictactoe", player="bob", limit=1)
        assert [each["player"] for each in answer["players"]] == ["alice"]
        assert (answer["player"]["player"], answer["player"]["rank"]) == ("bob", 2)
        (nobody,) = person.ask("ratings", game="tictactoe", player="carol")
        assert nobody["player"] is None
        (first,) = Person(self.server).ask("ratings", game="tictactoe", limit=1)
        assert len(first["players"]) == 1

    def test_of_a_player_in_every_game_and_after_each_match(self) -> None:
        (answer,) = Person(self.server).ask("ratings", player="bob")
        assert [each["rating"] for each in answer["ratings"]] == [1338]
        assert [(each["match"], each["rating"]) for each in answer["history"]] == [("m1", 1338)]

    def test_what_cannot_be_asked(self) -> None:
        person = Person(self.server)
        assert person.error("ratings") == "bad-filter"
        assert person.error("ratings", game="nim", player="\0") == "bad-filter"
        assert person.error("ratings", game="nim", limit=0) == "bad-filter"
        assert person.error("ratings", game="chess") == "no-such-game"
        assert Person(Server()).error("ratings", game="nim") == "no-archive"


class RatedRoomsTests(RatingsCase):
    def test_a_rated_match_is_archived_as_one(self) -> None:
        alice, bob = Person(self.server, "alice"), Person(self.server, "bob")
        alice.ask("open", game="tictactoe", room="den", rated=True)
        whole = bob.ask("join", room="den")[1]
        assert whole["event"] == "room" and whole["rated"] is True
        alice.ask("move", room="den", move="0:0")
        assert alice.error("offer", room="den", what="takeback") == "not-offered"
        room = self.server.registry.room("den")
        assert room is not None
        bob.ask("resign", room="den")
        ended = match_of(room, BEGAN)
        assert ended is not None and ended.rated

    def test_who_seeks_a_rated_match_meets_who_does_so_too(self) -> None:
        alice, bob, carol = (Person(self.server, name) for name in ("alice", "bob", "carol"))
        (rated, _) = alice.ask("seek", game="nim", rated=True)[:2]
        (unrated, _) = bob.ask("seek", game="nim")[:2]
        (found, _) = carol.ask("seek", game="nim", rated=True)[:2]
        assert found["room"] == rated["room"] != unrated["room"]

    def test_it_is_between_accounts(self) -> None:
        alice, guest = Person(self.server, "alice"), Person(self.server)
        guest.ask("guest")
        self.server.lobby.guests = True
        assert guest.error("open", game="nim", rated=True) == "guests-refused"
        assert guest.error("seek", game="nim", rated=True) == "guests-refused"
        assert alice.error("open", game="nim", rated=True, computer="best") == "bad-option"
        assert alice.error("open", game="nim", rated=True, private=True) == "bad-option"
        alice.ask("open", game="nim", room="den", rated=True)
        assert guest.error("join", room="den") == "guests-refused"
        assert guest.ask("watch", room="den")[0]["room"] == "den"


class ShownTests(RatingsCase):
    def test_the_lobby_shows_what_players_are_rated_once_it_is_known(self) -> None:
        vera, alice, carol = (Person(self.server, user) for user in ("vera", "alice", "carol"))
        vera.ask("lobby")
        alice.ask("open", game="tictactoe", room="den")
        carol.ask("open", game="nim", room="attic")
        self.server.clock.advance(PUSH_DELAY)
        den, attic = vera.read()
        assert den["ratings"] == [{"rating": 1662, "provisional": True}, None]
        assert "ratings" not in attic

    def test_the_lobby_and_the_ratings_show_who_aborts_one_match_after_another(self) -> None:
        lost = {"rated": True, "ending": "left", "winner": 0}
        aborted = [match(f"a{n}", began=self.server.clock.seconds() + n, **lost) for n in range(4)]
        self.patch(time, "time", lambda: aborted[-1].ended)
        ended = [each._replace(events=each.events[-1:]) for each in aborted]
        MatchTables(self.archive.database).add_all(ended)
        RatingTables(self.archive.database).count(10)
        vera, bob = Person(self.server, "vera"), Person(self.server, "bob")
        vera.ask("lobby")
        bob.ask("open", game="tictactoe", room="den")
        self.server.clock.advance(PUSH_DELAY)
        (den,) = vera.read()
        assert den["ratings"][0]["aborts"] == 4
        (answer,) = vera.ask("ratings", player="bob")
        assert [each["aborts"] for each in answer["ratings"]] == [4]

    def test_no_player_is_looked_up_twice_in_a_minute(self) -> None:
        asked: list[str] = []

        def note(request: Callable[[str], Deferred[Any]], user: str) -> Deferred[Any]:
            asked.append(user)
            return request(user)

        self.enterContext(answering(RatingTables.standings, note))
        Person(self.server).ask("lobby")
        alice = Person(self.server, "alice")
        for seconds in (0, 59, 1):
            self.server.clock.advance(seconds)
            alice.ask("open", game="tictactoe", room="den")
            alice.ask("leave", room="den", for_good=True)
        assert asked == ["alice", "alice"]

    def test_a_database_that_fails_at_once_fails_for_any_number_of_players(self) -> None:
        slow: list[Deferred[Any]] = [Deferred()]

        def standings(_: object, user: str) -> Deferred[Any]:
            return slow[0] if user == "slow" else fail(StoreAwayError())

        known: list[str] = []
        rated = Rated(self.archive, self.server.clock.seconds, known.append)
        with answering(RatingTables.standings, standings):
            for user in ("slow", *(f"player{number}" for number in range(1000))):
                rated.of(user, "nim")
            slow[0].errback(StoreAwayError())
        rated.of("alice", "tictactoe")
        assert known == ["alice"]


class JudgeTests(RatingsCase):
    def test_it_is_judged_once_for_all_who_wait_and_then_kept(self) -> None:
        alice, bob = Person(self.server, "alice"), Person(self.server, "bob")
        assert alice.ask("judge", match="m1") == bob.ask("judge", match="m1") == []
        self.engine.answer()
        (answer,) = alice.read()
        assert [each["verdict"] for each in answer["judgement"]["moves"]].count("blunder") == 1
        assert bob.read() == bob.ask("judge", match="m1") == [answer]
        assert self.engine.asked == []
        kept = MatchTables(self.archive.database).judgement("m1")
        assert kept is not None and load(kept) is not None

    def test_other_processes_are_left_to_moves(self) -> None:
        MatchTables(self.archive.database).add_all([match("m2")])
        alice, bob, carol = (Person(self.server, name) for name in ("alice", "bob", "carol"))
        for person, match_id in ((alice, "m1"), (bob, "m2"), (carol, "m2")):
            person.ask("judge", match=match_id)
        assert len(self.engine.asked) == 1
        bob.visitor.hang_up()
        alice.visitor.hang_up()
        self.engine.asked.pop(0)
        self.engine.answer()
        assert len(carol.read()) == 1

    def test_it_is_read_in_turn_with_what_others_ask_for(self) -> None:
        MatchTables(self.archive.database).keep_judgement("m1", dump(Analysis((), ())))
        alice, bob = Person(self.server, "alice"), Person(self.server, "bob")
        finding: Deferred[None] = Deferred()
        with answering(RatingTables.leaders, lambda *_: finding):
            alice.ask("ratings", game="nim")
        assert bob.ask("judge", match="m1") == []
        finding.errback(StoreAwayError())
        assert [answer["judgement"]["moves"] for answer in bob.read()] == [[]]

    def test_by_rules_that_arent_known(self) -> None:
        alice = Person(self.server, "alice")
        alice.ask("judge", match="m1")
        self.engine.asked[0][1].callback("")
        assert [answer["error"] for answer in alice.read()] == ["cannot-think"]
        assert MatchTables(self.archive.database).judgement("m1") is None

    def test_it_is_given_up_when_nobody_waits_any_more(self) -> None:
        alice, bob = Person(self.server, "alice"), Person(self.server, "bob")
        for person in (alice, bob):
            person.ask("judge", match="m1")
        alice.visitor.hang_up()
        assert self.engine.given_up == 0
        bob.visitor.hang_up()
        assert self.engine.given_up == 1
        assert MatchTables(self.archive.database).judgement("m1") is None

    def test_why_it_is_refused(self) -> None:
        carol = Person(self.server, "carol")
        for unseen, code in (("secret", "private-match"), ("m3", "no-such-match")):
            assert carol.error("judge", match=unseen) == code
        carol.ask("judge", match="m1")
        self.engine.asked[0][1].errback(CannotThink("no process"))
        assert [answer["error"] for answer in carol.read()] == ["cannot-think"]
        assert Person(self.server).error("judge", match="m1") == "not-logged-in"
        assert Person(Server(), "alice").error("judge", match="m1") == "no-archive"
