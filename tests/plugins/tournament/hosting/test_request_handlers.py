"""Tournaments in the lobby protocol: who is told what, and each refusal once."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from tests.archive.helpers import match as archived
from tests.helpers import Server
from tests.plugins.tournament.cups import plan_json
from tests.plugins.tournament.hosting.served import Tournaments
from tests.plugins.tournament.hosting.stage import CUP, NOW, result
from tests.protocols.lobby.helpers import Message, Person
from tictac.archive.reader import Reader
from tictac.archive.tables import MatchTables
from tictac.net.storage_quota import Storage
from tictac.plugins.tournament.cup_plan import MOST_PLAYERS, NOT_OF_USERS, utc_text
from tictac.plugins.tournament.hosting.event_sender import AT_ONCE, GATHERED
from tictac.plugins.tournament.hosting.follower import COMMAND, Follower
from tictac.plugins.tournament.hosting.pages import TournamentPages, _results_csv
from tictac.plugins.tournament.hosting.request_handlers import (
    A_MINUTE,
    AWAY,
    GUEST_TIMEOUT,
    GUESTS_A_MINUTE,
    LINE,
)
from tictac.plugins.tournament.hosting.tables import TournamentTables
from tictac.plugins.web.api import Given


class Hall:
    """A server with tournaments; vera looks after it, alice, bob and carol play."""

    def __init__(self, **tournaments: Any) -> None:
        self.server = Server(guests=True, rejoin_timeout=30)
        self.tournaments = Tournaments(self.server, "vera", **tournaments)
        names = ("alice", "bob", "carol", "vera")
        self.people = {name: Person(self.server, name) for name in names}

    def ask(self, who: str, do: str, **fields: Any) -> Message:
        """Send a request about the tournament; its answer."""
        if do != "tournaments":
            fields.setdefault("tournament", CUP)
        said = self.people[who].ask(do, **fields)
        [answer] = [message for message in said if "answer" in message]
        return answer

    def act(self, act: str, who: str = "vera", **fields: Any) -> Message:
        return self.ask(who, "admin", act=act, **fields)

    def make(self, *names: str, **plan: Any) -> None:
        """Make a tournament that these enter."""
        answer = self.act("tournament", plan=plan_json(**plan))
        assert answer == {"answer": None, "tournament": CUP}, answer
        for name in names:
            assert "you" in self.ask(name, "enter")

    def begin(self, *names: str, **plan: Any) -> None:
        self.make(*names, **plan)
        assert self.act("begin") == {"answer": None}
        self.pass_time(2)

    def pass_time(self, seconds: float) -> None:
        self.tournaments.pass_time(seconds)

    def cards(self, who: str) -> list[Message]:
        """Return the cards that a user got since the last call."""
        return [m["you"] for m in self.people[who].read() if "you" in m and "event" in m]

    def news(self, who: str) -> list[Message]:
        """Return the events for followers since the last call."""
        events, found = ("tournament", "tournaments"), self.people[who].read()
        return [each for each in found if each.get("event") in events and "you" not in each]

    def waiting(self) -> str:
        """Who waits for a game."""
        cards = {name: self.ask(name, "tournament")["you"] or {} for name in self.people}
        return next(name for name, card in cards.items() if card.get("state") == "waiting")

    def resign(self, *names: str) -> None:
        """Let the players of each game come, and these resign."""
        for name, person in self.people.items():
            card = self.ask(name, "tournament")["you"]
            if card and card["state"] == "playing":
                person.ask("join", room=card["room"])
        for name in names:
            card = self.ask(name, "tournament")["you"]
            self.people[name].ask("resign", room=card["room"])
        self.pass_time(2)


@pytest.fixture
def hall() -> Hall:
    return Hall()


def error(answer: Message) -> str:
    assert "error" in answer, answer
    code: str = answer["error"]
    return code


# Cards


def test_who_has_entered_is_told_of_the_first_game(hall: Hall) -> None:
    hall.begin("alice", "bob", system="knock-out")
    [card] = hall.cards("alice")
    assert card["state"] == "playing" and card["against"] == ["bob"] and card["seat"] == 0
    assert card["until"] and hall.cards("carol") == []


def test_all_connections_of_an_account_are_told(hall: Hall) -> None:
    other = Person(hall.server, "alice")
    hall.make("alice", "bob", system="knock-out")
    other.read()
    hall.act("begin")
    hall.pass_time(2)
    cards = [message["you"] for message in other.read()]
    assert cards == hall.cards("alice") and len(cards) == 1


def test_what_one_connection_has_done_the_others_get(hall: Hall) -> None:
    other = Person(hall.server, "alice")
    hall.make("bob", system="arena")
    answer = hall.ask("alice", "enter")
    [event] = other.read()
    assert event == {"event": "tournament", "tournament": CUP, "you": answer["you"]}
    assert hall.cards("alice") == []


def test_a_login_says_what_is_going_on(hall: Hall) -> None:
    hall.begin("alice", "bob", system="knock-out")
    [answer] = Person(hall.server).ask("login", user="alice", password="secret")
    assert answer["tournaments"][CUP]["state"] == "playing"


def test_a_game_is_sent_again_when_its_room_is_there(hall: Hall) -> None:
    """After a restart, a player is back before the room is: join would answer no-such-room."""
    hall.begin("alice", "bob", system="knock-out")
    for call in hall.server.clock.getDelayedCalls():
        call.cancel()
    later = Server(rejoin_timeout=30, store=hall.server.store)
    tournaments = Tournaments(later)
    later.registry.live_rooms.clear()
    alice = Person(later)
    [said] = alice.ask("login", user="alice", password="secret")
    assert said["tournaments"][CUP]["state"] == "playing"
    tournaments.pass_time(8)
    cards = [each["you"] for each in alice.read() if "you" in each]
    assert [each["state"] for each in cards] == ["playing"]
    assert later.registry.room(cards[0]["room"]) is not None


def test_a_card_while_others_play_and_a_bye(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="knock-out")
    assert [card["state"] for card in hall.cards("alice")] == ["bye"]
    hall.resign("carol")
    states = [card["state"] for card in hall.cards("carol")]
    assert states[-1] == "out"
    [waiting] = hall.cards("bob")[-1:]
    assert waiting["state"] == "waiting" and waiting["round"] == 2 and waiting["next"]


def test_the_card_of_a_round_that_is_played(hall: Hall) -> None:
    Person(hall.server)
    hall.begin("alice", "bob", "carol", system="round-robin")
    card = hall.ask("alice", "tournament")["you"]
    assert card["state"] == "waiting" and (card["left"], card["of"]) == (1, 1)


def test_nobody_waits_for_a_round_after_the_last(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="round-robin", rest=0)
    rounds = []
    for _ in range(3):
        waiting, others = hall.waiting(), ("alice", "bob", "carol")
        rounds.append(hall.ask(waiting, "tournament")["you"]["round"])
        hall.resign(next(name for name in others if name != waiting))
    assert rounds == [2, 3, None]


def test_the_card_of_one_who_has_withdrawn(hall: Hall) -> None:
    hall.make("alice", "bob", system="arena")
    assert hall.ask("alice", "withdraw")["you"] == {"state": "out", "players": 1}
    hall.ask("alice", "enter")
    hall.act("begin")
    hall.pass_time(2)
    assert hall.ask("bob", "withdraw")["you"]["rank"] == 1


def test_the_card_of_one_who_pauses(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="arena")
    waiting = hall.waiting()
    card = hall.ask(waiting, "pause", pause=True)["you"]
    assert card["paused"] and "round" not in card
    assert "paused" not in hall.ask(waiting, "pause", pause=False)["you"]


def test_one_can_pause_while_one_plays(hall: Hall) -> None:
    hall.begin("alice", "bob", system="arena")
    card = hall.ask("alice", "pause", pause=True)["you"]
    assert (card["state"], card["paused"]) == ("playing", True)
    assert "paused" not in hall.ask("alice", "pause", pause=False)["you"]


def test_the_card_of_the_end(hall: Hall) -> None:
    hall.begin("alice", "bob", system="knock-out")
    hall.resign("bob")
    assert hall.cards("bob")[-1] == {
        "state": "over", "name": "Friday Cup", "rank": 2, "why": "played",
        "first": ["alice", "bob"], "ranks": [1, 2], "players": 2, "points": 0,
    }  # fmt: skip


def test_equal_players_share_a_place_on_the_card_of_the_end(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="knock-out")
    hall.act("end")
    hall.pass_time(2)
    [*_, card] = hall.cards("carol")
    assert (card["rank"], card["ranks"], len(card["first"])) == (3, [1, 1, 3], 3)
    assert "more" not in card and "shared" not in card


def test_the_card_of_the_end_counts_the_equal_players_whom_it_does_not_name(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", "vera", system="round-robin")
    hall.act("end")
    hall.pass_time(2)
    [*_, card] = hall.cards("alice")
    assert (card["ranks"], len(card["first"]), card["more"]) == ([1, 1, 1], 3, 1)
    assert (card["rank"], card["shared"]) == (1, 3)


def test_near_the_end_of_an_arena_nobody_waits_for_an_opponent(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="arena", ends=utc_text(NOW + 200))
    waiting = hall.waiting()
    whole = hall.ask(waiting, "tournament", follow=True)
    assert "closed" not in whole and "closed" not in whole["you"]
    hall.pass_time(15)  # both others are absent, and pause
    hall.pass_time(160)
    told = hall.people[waiting].read()
    assert any("you" in each and each["you"].get("closed") for each in told)
    assert any("standings" in each and each.get("closed") for each in told)
    hall.act("extend", seconds=60)
    hall.pass_time(2)
    assert "closed" not in hall.cards(waiting)[-1]
    assert "closed" not in hall.ask(waiting, "tournament")


# Play


def test_play_leads_to_the_board(hall: Hall) -> None:
    hall.begin("alice", "bob", system="knock-out")
    hall.people["alice"].read()
    answer, event = hall.people["alice"].ask("play", tournament=CUP)
    assert answer == {"answer": None, "room": f"{CUP}.1"} and event["event"] == "room"
    assert event["tournament"] == CUP and event["round"] == 1
    assert error(hall.ask("alice", "play")) == "already-playing"


def test_play_waits_for_the_next_game(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="round-robin")
    hall.people["alice"].read()
    assert hall.people["alice"].ask("play", tournament=CUP) == []
    assert error(hall.ask("alice", "play")) == "already-playing"
    hall.resign("bob")
    hall.pass_time(22)
    answers = [message for message in hall.people["alice"].read() if "answer" in message]
    assert {"answer": None, "room": f"{CUP}.2"} in answers


def test_play_ends_with_the_tournament(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="round-robin")
    hall.people["alice"].read()
    hall.people["alice"].ask("play", tournament=CUP)
    hall.act("end")
    hall.pass_time(2)
    [answer] = [message for message in hall.people["alice"].read() if "answer" in message]
    assert error(answer) == "tournament-over"
    assert error(hall.ask("alice", "play")) == "tournament-over"
    assert hall.server.registry.room(f"{CUP}.1") is None


def test_play_ends_a_pause(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="arena")
    waiting = hall.waiting()
    hall.ask(waiting, "pause", pause=True)
    hall.people[waiting].ask("play", tournament=CUP)
    hall.pass_time(1)
    assert "paused" not in hall.ask(waiting, "tournament")["you"]


# Following


def test_who_follows_hears_at_most_once_a_second(hall: Hall) -> None:
    hall.make("alice", "bob", system="knock-out")
    assert hall.ask("carol", "tournament", follow=True)["n"] == 2
    hall.act("begin")
    hall.pass_time(3)
    news = hall.news("carol")
    assert len(news) <= 2 and news[-1]["left"] == 1
    assert [game["number"] for message in news for game in message["games"]] == [1]
    hall.resign("bob")
    news = hall.news("carol")
    assert news[-1]["state"] == "over" and news[-1]["standings"][0]["name"] == "alice"
    assert [game["scores"] for message in news for game in message["games"]] == [[1, 0]]


def test_who_follows_no_more_hears_nothing(hall: Hall) -> None:
    hall.make("alice", "bob", system="knock-out")
    hall.ask("carol", "tournament", follow=True)
    hall.ask("carol", "tournament", follow=False)
    hall.act("begin")
    hall.pass_time(2)
    assert hall.news("carol") == []


def test_many_followers_get_an_event_in_several_turns(hall: Hall) -> None:
    hall.make(system="knock-out")
    hall.pass_time(3)
    strangers = [Person(hall.server) for _ in range(AT_ONCE + 2)]
    for stranger in strangers:
        stranger.ask("tournament", tournament=CUP, follow=True)
    hall.ask("alice", "enter")
    clock, heard = hall.server.clock, []
    clock.rightNow += GATHERED
    for _ in range(3):
        clock.turn()
        heard.append(sum(bool(stranger.read()) for stranger in strangers))
        strangers[-1].ask("tournament", tournament=CUP, follow=False)
    assert heard == [AT_ONCE, 1, 0]


def test_the_list_is_followed(hall: Hall) -> None:
    assert hall.ask("carol", "tournaments", follow=True)["tournaments"] == []
    hall.make(system="knock-out")
    hall.pass_time(2)
    [event] = hall.news("carol")
    assert [each["id"] for each in event["tournaments"]] == [CUP]


def test_strangers_look_on(hall: Hall) -> None:
    hall.begin("alice", "bob", system="knock-out")
    [answer] = Person(hall.server).ask("tournament", tournament=CUP)
    assert answer["you"] is None and answer["games"][0]["room"] == f"{CUP}.1"


def test_parts_of_a_tournament(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="knock-out")
    answer = hall.ask("alice", "tournament", round=1)
    assert answer["byes"] == ["alice"] and len(answer["games"]) == 1
    assert len(hall.ask("alice", "tournament", player="bob")["games"]) == 1
    assert hall.ask("alice", "tournament", first=3)["standings"][0]["name"] == "carol"


def test_pages_of_the_list(hall: Hall) -> None:
    for number in range(5):
        hall.act("tournament", tournament=f"cup-{number}", plan=plan_json("knock-out"))
        hall.pass_time(1)
    first = hall.ask("alice", "tournaments", limit=3)
    second = hall.ask("alice", "tournaments", limit=3, cursor=first["cursor"])
    found = [each["id"] for page in (first, second) for each in page["tournaments"]]
    assert found == [f"cup-{number}" for number in (4, 3, 2, 1, 0)] and second["cursor"] is None
    assert hall.ask("alice", "tournaments", state="running")["tournaments"] == []


# Who goes


def test_who_has_gone_pauses_in_an_arena(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="arena")
    waiting = hall.waiting()
    hall.people[waiting].visitor.hang_up()
    hall.pass_time(AWAY + 1)
    cup = hall.tournaments.follower.known[CUP].cup
    entry = cup.entries[cup.number_of(waiting) or 0]
    assert (entry.state, entry.why) == ("paused", "gone")


def test_who_comes_back_in_time_does_not_pause(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="arena")
    waiting = hall.waiting()
    hall.people[waiting].visitor.hang_up()
    hall.pass_time(AWAY - 2)
    hall.people[waiting] = Person(hall.server)
    hall.people[waiting].ask("login", user=waiting, password="secret")
    hall.pass_time(4)
    assert "paused" not in hall.ask(waiting, "tournament")["you"]


# Refusals


@pytest.mark.parametrize("do", ["enter", "withdraw", "pause", "play", "tournament"])
def test_there_is_no_such_tournament(hall: Hall, do: str) -> None:
    fields = {"pause": True} if do == "pause" else {}
    assert error(hall.ask("alice", do, **fields)) == "no-such-tournament"


def test_refusals_of_players(hall: Hall) -> None:
    hall.make("alice", "bob", system="round-robin")
    assert error(hall.ask("alice", "enter")) == "entered-already"
    assert error(hall.ask("carol", "withdraw")) == "not-entered"
    assert error(hall.ask("carol", "play")) == "not-entered"
    assert error(hall.ask("alice", "pause", pause=True)) == "not-an-arena"
    hall.act("begin")
    assert error(hall.ask("carol", "enter")) == "not-open"
    hall.act("end")
    assert error(hall.ask("carol", "enter")) == "tournament-over"
    for fields in ({"first": 0}, {"player": "eve"}):
        assert error(hall.ask("alice", "tournament", **fields)) == "bad-filter"
    assert error(hall.ask("alice", "tournaments", limit=101)) == "bad-filter"


def test_guests_do_not_take_part(hall: Hall) -> None:
    hall.make(system="knock-out")
    hall.people["eve"] = Person(hall.server)
    hall.people["eve"].ask("guest")
    assert error(hall.ask("eve", "enter")) == "guests-refused"


def test_who_has_stored_too_much_enters_no_more(hall: Hall) -> None:
    hall.make(system="arena", guests=True)
    guest = Guest(hall.server)
    storage = Storage(hall.server.clock.seconds, 2 * LINE)
    hall.server.registry.storage = storage
    assert "you" in enter(guest)
    assert "you" in guest.ask("withdraw", tournament=CUP)[0]
    assert error(enter(guest)) == "too-much-stored"
    assert "you" in hall.ask("alice", "enter")


def test_only_a_group_enters(hall: Hall) -> None:
    hall.make(system="knock-out", group="7b")
    assert error(hall.ask("alice", "enter")) == "wrong-group"
    hall.server.store.database.execute("UPDATE users SET group_name = '7b' WHERE name = 'alice'")
    assert "you" in hall.ask("alice", "enter")


def test_nobody_enters_and_withdraws_all_the_time(hall: Hall) -> None:
    hall.make(system="knock-out")
    for turn in range(A_MINUTE):
        assert "you" in hall.ask("alice", "withdraw" if turn % 2 else "enter")
    assert error(hall.ask("alice", "enter")) == "too-many-events"
    hall.pass_time(61)
    assert "you" in hall.ask("alice", "enter")


def test_a_database_that_is_away(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall.make(system="knock-out")

    def away(*_: Any) -> Any:
        raise OSError("no disk")

    monkeypatch.setattr(hall.tournaments.log, "ask", away)
    assert error(hall.ask("alice", "enter")) == "archive-away"


# Acts


def test_acts_are_for_admins(hall: Hall) -> None:
    hall.make("alice", system="knock-out")
    for act in ("begin", "end", "tournament"):
        assert error(hall.act(act, "alice", plan=plan_json("knock-out"))) == "not-an-admin"


def test_accounts_make_one_unrated_tournament_of_their_own() -> None:
    hall = Hall(who="accounts")
    plan = plan_json("knock-out")
    assert error(hall.act("tournament", "alice", plan=plan | {"rated": True})) == "not-an-admin"
    assert hall.act("tournament", "alice", plan=plan)["tournament"] == CUP
    assert error(hall.act("tournament", "alice", tournament="b", plan=plan)) == "tournament-full"
    assert error(hall.act("end", "bob")) == "not-an-admin"
    assert hall.act("end", "alice") == {"answer": None}


def test_there_are_not_too_many() -> None:
    hall = Hall(most=1)
    hall.make(system="knock-out")
    answer = hall.act("tournament", tournament="b", plan=plan_json("knock-out"))
    assert error(answer) == "tournament-full"


def test_a_plan_is_changed_before_it_begins(hall: Hall) -> None:
    hall.make("alice", "bob", system="knock-out")
    assert error(hall.act("tournament", plan=plan_json("arena"), new=True)) == "tournament-exists"
    assert hall.act("tournament", plan=plan_json("round-robin", rest=1)) == {"answer": None}
    assert hall.ask("alice", "tournament")["tournament"]["system"] == "round-robin"
    hall.act("begin")
    assert error(hall.act("tournament", plan=plan_json("arena"))) == "not-open"


def test_a_bad_plan_says_why(hall: Hall) -> None:
    answer = hall.act("tournament", plan=plan_json("ladder"))
    assert error(answer) == "bad-option" and "system" in answer["message"]
    assert error(hall.act("tournament")) == "malformed"
    assert error(hall.act("tournament", tournament="Friday", plan={})) == "bad-option"
    past = plan_json("arena", ends=utc_text(NOW - 5))
    assert error(hall.act("tournament", plan=past)) == "bad-option"


@pytest.mark.parametrize("name", NOT_OF_USERS)
def test_a_server_refuses_what_only_the_command_has(hall: Hall, name: str) -> None:
    answer = hall.act("tournament", plan=plan_json("round-robin", **{name: False}))
    assert error(answer) == "bad-option" and f"a plan has no '{name}'" in answer["message"]


def test_admins_add_and_remove(hall: Hall) -> None:
    hall.make(system="knock-out")
    assert hall.act("add", user="alice")["user"] == "alice"
    assert hall.act("add", computer="best")["user"] == "computer"
    assert hall.act("add", computer="best")["user"] == "computer 2"
    assert error(hall.act("add", computer="divine")) == "bad-option"
    assert error(hall.act("add", user="eve")) == "no-such-user"
    assert error(hall.act("add")) == "malformed"
    assert hall.act("remove", user="alice") == {"answer": None}
    assert error(hall.ask("alice", "enter")) == "not-open"
    assert hall.act("add", user="alice")["user"] == "alice"
    assert error(hall.act("remove", user="eve")) == "not-entered"


def test_computers_are_not_rated(hall: Hall) -> None:
    hall.make(system="knock-out", rated=True)
    assert error(hall.act("add", computer="best")) == "bad-option"


def test_it_needs_players_to_begin(hall: Hall) -> None:
    hall.make("alice", system="knock-out")
    assert error(hall.act("begin")) == "too-few-players"


def test_an_admin_sets_a_result(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="round-robin")
    assert error(hall.act("score", game=9, scores=[1, 0])) == "no-such-game-number"
    assert error(hall.act("score", game=1, scores=[2, 0])) == "bad-option"
    for more in ([1, 1], [1, 0.5], [10**400, 0.5]):  # no game has more than one point
        assert error(hall.act("score", game=1, scores=more)) == "bad-option"
    assert hall.act("score", game=1, scores=[0, 1]) == {"answer": None}
    hall.pass_time(1)
    assert hall.server.registry.room(f"{CUP}.1") is None
    assert hall.act("score", game=1, scores=[0.5, 0.5]) == {"answer": None}
    [game] = hall.ask("alice", "tournament", round=1)["games"]
    assert (game["scores"], game["how"], game["set_by"]) == ([0.5, 0.5], "set", "vera")


def ends(person: Person) -> list[tuple[Any, ...]]:
    """Return how matches ended, and who decided that."""
    found = [each for each in person.read() if each.get("event") == "ended"]
    return [(each["how"], each.get("decided"), each["winner"], each["result"]) for each in found]


@pytest.mark.parametrize(
    ("scores", "winner"), [([0, 1], 1), ([0.5, 0.5], None), ([0.75, 0.25], 0), ([0, 0], None)]
)
def test_the_players_of_a_running_game_learn_who_set_the_result(
    hall: Hall, scores: list[float], winner: int | None
) -> None:
    hall.begin("alice", "bob", system="round-robin")
    hall.resign()
    hall.people["bob"].visitor.hang_up()
    assert hall.act("score", game=1, scores=scores) == {"answer": None}
    assert ends(hall.people["alice"]) == [("closed", "set", winner, scores)]
    login = Person(hall.server).ask("login", user="bob", password="secret")
    [end] = login[0]["seats"]["ended"]
    assert (end["decided"], end["winner"], end["result"]) == ("set", winner, scores)
    assert (end["tournament"], end["round"]) == (CUP, 1)


def test_the_players_of_a_running_game_learn_that_the_tournament_was_ended(hall: Hall) -> None:
    hall.begin("alice", "bob", system="round-robin")
    hall.resign()
    hall.act("end")
    assert ends(hall.people["alice"]) == [("closed", "called-off", None, None)]


def test_a_result_is_corrected_after_the_end(hall: Hall) -> None:
    hall.begin("alice", "bob", system="round-robin")
    [game] = hall.ask("alice", "tournament", round=1)["games"]
    winner, loser = game["players"]
    assert hall.act("score", game=1, scores=[1, 0]) == {"answer": None}
    hall.pass_time(2)
    whole = hall.ask("vera", "tournament")
    assert (whole["state"], "corrected" in whole) == ("over", False)
    assert hall.cards(loser)[-1]["rank"] == 2
    assert hall.act("score", game=1, scores=[0, 1]) == {"answer": None}
    hall.pass_time(2)
    whole = hall.ask("vera", "tournament")
    assert [each["name"] for each in whole["standings"]] == [loser, winner]
    assert whole["corrected"] > whole["ended"]
    [head] = hall.ask("vera", "tournaments")["tournaments"]
    assert head["ended"] == whole["ended"], "a correction is no later end"
    assert hall.cards(loser)[-1]["rank"] == 1
    known = hall.tournaments.follower.known[CUP]
    assert [row.split(",")[1] for row in _results_csv(known).splitlines()[1:]] == [loser, winner]


AFTER_THE_END: list[tuple[str, Message]] = [
    ("begin", {}), ("end", {}), ("add", {"user": "carol"}), ("add", {"computer": "best"}),
    ("remove", {"user": "alice"}), ("extend", {"seconds": 60}),
    ("tournament", {"plan": plan_json("arena", ends=utc_text(NOW + 900))}),
]  # fmt: skip


@pytest.mark.parametrize(("act", "fields"), AFTER_THE_END)
def test_nothing_else_changes_after_the_end(hall: Hall, act: str, fields: Message) -> None:
    hall.begin("alice", "bob", system="arena", ends=utc_text(NOW + 100))
    hall.act("end")
    assert error(hall.act(act, **fields)) == "tournament-over"


@pytest.mark.parametrize("do", ["enter", "withdraw", "pause"])
def test_players_change_nothing_after_the_end(hall: Hall, do: str) -> None:
    hall.begin("alice", "bob", system="arena", ends=utc_text(NOW + 100))
    hall.act("end")
    fields = {"pause": True} if do == "pause" else {}
    assert error(hall.ask("alice", do, **fields)) == "tournament-over"
    if do == "enter":
        assert error(hall.ask("carol", do)) == "tournament-over"


def test_a_later_round_of_a_knock_out_keeps_its_players(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", "vera", system="knock-out", rest=0)
    for number in (1, 2):
        assert hall.act("score", game=number, scores=[1, 0]) == {"answer": None}
    hall.pass_time(2)
    assert hall.ask("vera", "tournament")["round"] == 2
    assert error(hall.act("score", game=1, scores=[0, 1])) == "not-open"
    assert hall.act("score", game=1, scores=[0.75, 0.25]) == {"answer": None}
    assert hall.act("score", game=3, scores=[1, 0]) == {"answer": None}
    hall.pass_time(2)
    assert hall.act("score", game=3, scores=[0, 1]) == {"answer": None}


def test_who_would_have_no_game_does_not_enter(hall: Hall) -> None:
    hall.make("alice", "bob", system="swiss", rounds=2, rest=0)
    hall.act("add", computer="best")
    hall.act("begin")
    hall.pass_time(2)
    assert "you" in hall.ask("carol", "enter")
    hall.ask("carol", "withdraw")
    assert hall.act("score", game=1, scores=[1, 0]) == {"answer": None}
    hall.pass_time(2)
    assert hall.ask("vera", "tournament")["round"] == 2
    assert error(hall.ask("carol", "enter")) == "not-open"
    assert error(hall.act("add", user="carol")) == "not-open"
    assert error(hall.act("add", computer="best")) == "not-open"
    player = next(
        name
        for name in ("alice", "bob")
        if hall.ask(name, "tournament")["you"]["state"] == "playing"
    )
    assert error(hall.ask(player, "enter")) == "entered-already"
    hall.ask(player, "withdraw")
    assert "you" in hall.ask(player, "enter")  # the game goes on


def test_an_arena_takes_no_players_shortly_before_its_end(hall: Hall) -> None:
    hall.begin("alice", "bob", system="arena", ends=utc_text(NOW + 100))
    hall.pass_time(90)
    assert hall.ask("vera", "tournament")["closed"]
    assert error(hall.ask("carol", "enter")) == "not-open"


def test_an_arena_is_extended(hall: Hall) -> None:
    hall.begin("alice", "bob", system="arena", ends=utc_text(NOW + 100))
    assert hall.act("extend", seconds=60) == {"answer": None}
    assert hall.ask("alice", "tournament")["tournament"]["ends"] == utc_text(NOW + 160)


def test_the_rounds_are_known_when_it_begins_unless_the_plan_has_them(hall: Hall) -> None:
    hall.make("alice", "bob", "carol", system="swiss")
    assert hall.ask("alice", "tournament")["rounds"] is None
    plan = plan_json("swiss", rounds=2)
    assert hall.act("tournament", plan=plan) == {"answer": None}
    assert hall.ask("alice", "tournament")["rounds"] == 2
    assert hall.act("tournament", plan=plan_json("swiss")) == {"answer": None}
    assert hall.act("begin") == {"answer": None}
    assert hall.ask("alice", "tournament")["rounds"] == 2


def test_an_arena_that_an_admin_begins_has_its_whole_length(hall: Hall) -> None:
    hall.make("alice", "bob", system="arena", ends=None, length=300)
    head = hall.ask("alice", "tournament")["tournament"]
    assert (head["ends"], head["length"]) == (None, 300)
    assert error(hall.act("extend", seconds=-300)) == "bad-option"
    assert hall.act("extend", seconds=60) == {"answer": None}
    hall.pass_time(400)
    at = hall.server.clock.seconds()
    assert hall.act("begin") == {"answer": None}
    head = hall.ask("alice", "tournament")["tournament"]
    assert head["ends"] == utc_text(NOW + at + 360) and "length" not in head


def test_an_arena_does_not_begin_after_its_end(hall: Hall) -> None:
    hall.make("alice", "bob", system="arena", ends=utc_text(NOW + 60))
    hall.pass_time(70)
    assert error(hall.act("begin")) == "bad-option"
    assert hall.act("extend", seconds=60) == {"answer": None}
    assert hall.act("begin") == {"answer": None}


def test_an_arena_with_a_start_time_is_extended(hall: Hall) -> None:
    begins, ends = utc_text(NOW + 10), utc_text(NOW + 100)
    hall.make("alice", "bob", system="arena", begins=begins, ends=ends)
    assert hall.act("extend", seconds=60) == {"answer": None}
    hall.pass_time(12)
    assert hall.ask("alice", "tournament")["state"] == "running"
    assert hall.act("extend", seconds=60) == {"answer": None}
    assert hall.ask("alice", "tournament")["tournament"]["ends"] == utc_text(NOW + 220)


def test_only_an_arena_is_extended(hall: Hall) -> None:
    hall.begin("alice", "bob", system="knock-out")
    assert error(hall.act("extend", seconds=60)) == "not-an-arena"


def test_of_games_that_are_paired_ahead_those_in_rooms_are_told(hall: Hall) -> None:
    cups, may_begin = hall.tournaments, {1}
    cups.host.may_begin = lambda game: game.number in may_begin
    plan = plan_json("round-robin", games=3, rest=0, alone=False)
    result(cups.follower.make(CUP, plan, ""))
    for line in (["entered", "alice", None, None], ["entered", "bob", None, None], ["began", 1]):
        result(cups.follower.append(CUP, lambda _, line=line: line))  # type: ignore[misc]
    hall.pass_time(2)
    whole = hall.ask("carol", "tournament", follow=True)
    assert [game["number"] for game in whole["games"]] == [1] and len(cups.host.running()) == 1
    may_begin.add(2)
    hall.pass_time(3)
    games = hall.news("carol")[-1]["games"]
    assert [game["number"] for game in games] == [1, 2]


def test_a_tournament_of_the_command_is_nothing_to_accounts_of_the_same_names(hall: Hall) -> None:
    result(hall.tournaments.follower.make(CUP, plan_json("round-robin"), COMMAND))
    for line in (["entered", "alice", None, None], ["entered", "bob", None, None], ["began", 1]):
        result(hall.tournaments.follower.append(CUP, lambda _, line=line: line))  # type: ignore[misc]
    hall.pass_time(2)
    assert hall.cards("alice") == [] and hall.ask("alice", "tournament")["you"] is None
    for do in ("enter", "withdraw", "play"):
        assert error(hall.ask("alice", do)) == "not-open"


def in_the_north(hall: Hall) -> Follower:
    """Make a tournament in another lobby, with alice and bob; return what its server knows."""
    north = Follower(hall.tournaments.log, hall.tournaments.utc, "north")
    result(north.make(CUP, plan_json("round-robin"), ""))
    for line in (["entered", "alice", None, None], ["entered", "bob", None, None]):
        result(north.append(CUP, lambda _, line=line: line))  # type: ignore[misc]
    return north


def test_a_tournament_of_another_lobby_can_be_looked_at(hall: Hall) -> None:
    north = in_the_north(hall)
    assert hall.ask("carol", "tournaments", follow=True)["tournaments"] == []
    seen = hall.ask("carol", "tournament", follow=True)
    assert seen["tournament"]["state"] == "open" and seen["you"] is None
    assert hall.ask("alice", "tournament")["you"] is None
    result(north.append(CUP, lambda _: ["began", 1]))
    hall.pass_time(3)
    assert [each["event"] for each in hall.news("carol")] == ["tournament"]
    assert hall.cards("alice") == []


def test_and_nothing_else(hall: Hall) -> None:
    north = in_the_north(hall)
    for do in ("enter", "withdraw", "play"):
        assert error(hall.ask("carol", do)) == "not-open"
    for act in ("begin", "end"):
        refused = hall.act(act)
        assert error(refused) == "not-open"
        assert refused["message"] == "the lobby north plays this tournament"
    plan = plan_json("round-robin")
    assert error(hall.act("tournament", plan=plan, new=True)) == "tournament-exists"
    assert result(north.catch_up(CUP)).cup.phase == "open"


def test_it_takes_no_place_here() -> None:
    hall = Hall(most=1)
    in_the_north(hall)
    hall.ask("vera", "tournament")
    answer = hall.act("tournament", plan=plan_json("round-robin"), tournament="friday")
    assert answer["tournament"] == "friday"


def test_nor_does_it_keep_the_name_of_a_removed_account(hall: Hall) -> None:
    in_the_north(hall)
    assert "bob" in str(hall.ask("vera", "tournament"))
    MatchTables(hall.server.store.database).forget_player("bob")
    hall.tournaments.desk.removed("bob")
    assert "bob" not in str(hall.ask("vera", "tournament"))


# Who may do what


def test_who_asks_is_told_what_they_may_administer() -> None:
    hall = Hall(who="accounts")
    plan = plan_json("knock-out")
    assert hall.act("tournament", "alice", plan=plan)["tournament"] == CUP
    guest = Person(hall.server)
    guest.ask("guest")
    for person, all_of_them, this in (
        (hall.people["vera"], "all", "all"),
        (hall.people["alice"], "own", "own"),
        (hall.people["bob"], "own", None),
        (guest, None, None),
        (Person(hall.server), None, None),
    ):
        assert person.ask("tournaments", rights=True)[0]["rights"] == all_of_them
        assert person.ask("tournament", tournament=CUP, rights=True)[0]["rights"] == this
    assert "rights" not in hall.ask("alice", "tournament")


def test_where_admins_make_them_others_may_nothing(hall: Hall) -> None:
    assert hall.ask("alice", "tournaments", rights=True)["rights"] is None


# Guests


class Guest(Person):
    """A new guest, called ``user``."""

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        [answer] = self.ask("guest")
        self.user: str = answer["user"]
        self.token: str = answer["token"]


def enter(person: Person, **fields: Any) -> Message:
    said = person.ask("enter", tournament=CUP, **fields)
    [answer] = [each for each in said if "answer" in each]
    return answer


def begin_with_guest(hall: Hall, name: str, system: str = "knock-out") -> Guest:
    """Begin a tournament of alice and a guest, whose game is there."""
    hall.make("alice", system=system, guests=True)
    guest = Guest(hall.server)
    enter(guest, name=name)
    hall.act("begin")
    hall.pass_time(2)
    return guest


def test_guests_play_where_the_maker_lets_them(hall: Hall) -> None:
    hall.make(system="knock-out", guests=True)
    one, other = Guest(hall.server), Guest(hall.server)
    assert enter(one)["you"]["state"] == "entered" and "you" in enter(other)
    hall.act("begin")
    hall.pass_time(2)
    for guest in (one, other):
        cards = [each["you"] for each in guest.read() if each.get("event") == "tournament"]
        assert cards[-1]["state"] == "playing"
        guest.ask("join", room=f"{CUP}.1")
    one.ask("resign", room=f"{CUP}.1")
    hall.pass_time(2)
    assert hall.ask("alice", "tournament")["state"] == "over"
    assert hall.ask("alice", "tournament")["standings"][0]["name"] == other.user


def test_they_play_nowhere_else(hall: Hall) -> None:
    hall.make(system="knock-out")
    assert error(enter(Guest(hall.server))) == "guests-refused"


@pytest.mark.parametrize("other", [{"rated": True}, {"group": "10b"}])
def test_a_plan_for_guests_is_neither_rated_nor_for_a_group(
    hall: Hall, other: dict[str, Any]
) -> None:
    answer = hall.act("tournament", plan=plan_json("knock-out", guests=True, **other))
    assert error(answer) == "bad-option" and "guests" in answer["message"]


def test_a_server_without_guests_makes_none_for_them(hall: Hall) -> None:
    hall.tournaments.desk.acts.takes_guests = False
    answer = hall.act("tournament", plan=plan_json("knock-out", guests=True))
    assert error(answer) == "bad-option" and "--guests" in answer["message"]


@pytest.mark.parametrize("system", ["swiss", "arena"])
def test_a_guest_who_has_gone_withdraws(hall: Hall, system: str) -> None:
    hall.make("alice", "bob", system=system, guests=True)
    guest = Guest(hall.server)
    enter(guest)
    guest.visitor.hang_up()
    hall.pass_time(GUEST_TIMEOUT - 5)
    assert len(hall.ask("alice", "tournament")["standings"]) == 3
    hall.pass_time(6)
    assert [each["name"] for each in hall.ask("alice", "tournament")["standings"]] == [
        "alice", "bob",
    ]  # fmt: skip


def test_a_guest_whose_phone_locks_stays_in_under_the_same_name(hall: Hall) -> None:
    hall.make("alice", "bob", system="swiss", guests=True)
    guest = Guest(hall.server)
    enter(guest)
    for _ in range(2):  # the time begins anew with each absence
        guest.visitor.hang_up()
        hall.pass_time(GUEST_TIMEOUT - 5)
        Guest(hall.server).visitor.hang_up()  # names of others are dropped
        guest.visitor = Person(hall.server).visitor
        [answer] = guest.ask("guest", token=guest.token)
        assert answer["user"] == guest.user
        assert answer["tournaments"][CUP]["state"] == "entered"


def test_a_guest_pauses_in_an_arena_and_comes_back(hall: Hall) -> None:
    hall.make("alice", "bob", system="arena", guests=True)
    hall.act("begin")
    hall.pass_time(2)
    guest = Guest(hall.server)
    enter(guest)  # the two others play
    guest.visitor.hang_up()
    hall.pass_time(AWAY + 1)
    guest.visitor = Person(hall.server).visitor
    [answer] = guest.ask("guest", token=guest.token)
    assert answer["tournaments"][CUP]["paused"]
    assert "paused" not in guest.ask("pause", tournament=CUP, pause=False)[0]["you"]


def test_a_guest_whose_seat_is_held_stays_in(hall: Hall) -> None:
    hall.make(system="knock-out", guests=True)
    one, other = Guest(hall.server), Guest(hall.server)
    enter(one), enter(other)
    hall.act("begin")
    hall.pass_time(2)
    for guest in (one, other):
        guest.ask("join", room=f"{CUP}.1")
    one.visitor.hang_up()
    hall.pass_time(2 * AWAY + 1)
    again = Person(hall.server)
    [answer] = again.ask("guest", token=one.token)
    assert answer["user"] == one.user and answer["tournaments"][CUP]["state"] == "playing"
    assert answer["seats"]["held"][0]["room"] == f"{CUP}.1"
    assert again.ask("join", room=f"{CUP}.1")[-1]["seat"] is not None
    other.ask("resign", room=f"{CUP}.1")
    hall.pass_time(2)
    assert hall.ask("alice", "tournament")["standings"][0]["name"] == one.user


def test_a_guest_who_does_not_come_back_to_the_seat_is_out(hall: Hall) -> None:
    hall.make("alice", system="arena", guests=True)
    guest = Guest(hall.server)
    enter(guest)
    hall.act("begin")
    hall.pass_time(2)
    guest.ask("join", room=f"{CUP}.1")
    hall.ask("alice", "join", room=f"{CUP}.1")
    guest.visitor.hang_up()
    hall.pass_time(30 + 2 * AWAY)
    assert hall.server.registry.room(f"{CUP}.1") is None
    hall.pass_time(GUEST_TIMEOUT)
    states = {e["name"]: e["state"] for e in hall.ask("alice", "tournament")["standings"]}
    assert states[guest.user] == "out"


def test_another_process_gives_the_names_of_guests_to_others(hall: Hall) -> None:
    hall.make(system="arena", guests=True)
    guest = Guest(hall.server)
    assert "you" in enter(guest)
    later = Server(guests=True, rejoin_timeout=30, store=hall.server.store)
    tournaments = Tournaments(later)
    tournaments.pass_time(2)
    namesake = Person(later)
    while namesake.ask("guest")[0]["user"] != guest.user:
        namesake.ask("logout")
    assert namesake.ask("tournament", tournament=CUP)[0]["you"]["state"] == "out"
    assert error(enter(namesake)) == "guests-refused"


def test_a_server_that_does_not_decide_leaves_the_guests_of_the_other_one(hall: Hall) -> None:
    hall.make(system="arena", guests=True)
    guest = Guest(hall.server)
    assert "you" in enter(guest)
    beside = Server(guests=True, rejoin_timeout=30, store=hall.server.store)
    Tournaments(beside, decides=False).pass_time(2)
    hall.pass_time(2)
    assert guest.ask("tournament", tournament=CUP)[0]["you"]["state"] != "out"
    assert error(Guest(beside).ask("enter", tournament=CUP)[-1]) == "not-open"


def test_who_leaves_a_server_that_does_not_decide_stays_in(hall: Hall) -> None:
    hall.make("alice", system="arena", guests=True)
    guest = Guest(hall.server)
    assert "you" in enter(guest)
    assert hall.act("begin") == {"answer": None}
    beside = Server(guests=True, rejoin_timeout=30, store=hall.server.store)
    others = Tournaments(beside, decides=False)
    others.pass_time(2)
    namesake = Person(beside)
    while namesake.ask("guest")[0]["user"] != guest.user:
        namesake.ask("logout")
    alice = Person(beside, "alice")
    namesake.visitor.hang_up()
    alice.visitor.hang_up()
    others.pass_time(2 * AWAY)
    words = [line[0] for _, _, line in TournamentTables(hall.server.store.database).read(CUP)]
    assert "withdrew" not in words and "paused" not in words, words


def test_guests_of_an_address_enter_so_often(hall: Hall) -> None:
    hall.make(system="arena", guests=True)
    one, other = Guest(hall.server), Guest(hall.server)
    for _ in range(GUESTS_A_MINUTE // 2):
        assert "you" in enter(one)
        one.ask("withdraw", tournament=CUP)
        hall.pass_time(0.25)
    assert error(enter(other)) == "too-many-events"
    assert "you" in hall.ask("alice", "enter")


def test_guests_of_an_address_fill_no_tournament(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MOST_PLAYERS, "arena", 4)
    hall.make(system="arena", guests=True)
    one, other, third = (Guest(hall.server) for _ in range(3))
    assert "you" in enter(one) and "you" in enter(other)
    assert error(enter(third)) == "tournament-full"
    one.ask("withdraw", tournament=CUP)
    assert error(enter(third)) == "tournament-full", "those who have left count, too"
    assert "you" in enter(one)
    assert "you" in hall.ask("alice", "enter")


def test_guests_make_no_tournaments() -> None:
    hall = Hall(who="accounts")
    [answer] = Guest(hall.server).ask("admin", act="tournament", tournament=CUP, plan=plan_json())
    assert error(answer) == "not-an-admin"


@pytest.mark.parametrize("is_running", [True, False])
def test_accounts_that_are_removed_at_once_withdraw(hall: Hall, is_running: bool) -> None:
    """Also if that is while the server doesn't run; nobody waits for them."""
    hall.begin("alice", "bob", "carol", "vera", system="swiss", rounds=3)
    room = hall.ask("alice", "tournament")["you"]["room"]
    gone = ("bob", "carol", "vera")
    for name in gone:
        MatchTables(hall.server.store.database).forget_player(name)
    tournaments = hall.tournaments
    if is_running:
        for name in gone:
            tournaments.desk.removed(name)
    else:
        for call in hall.server.clock.getDelayedCalls():
            call.cancel()
        later = Server(rejoin_timeout=30, store=hall.server.store)
        tournaments = Tournaments(later)
    tournaments.pass_time(2)
    cup = tournaments.follower.known[CUP].cup
    assert [(each.name, each.state) for each in cup.entries.values()] == [
        ("alice", "in"), *[("deleted", "out")] * 3,
    ]  # fmt: skip
    assert len(cup.order) == 2 and not cup.open
    assert tournaments.server.registry.room(room) is None


def test_the_name_of_a_removed_account_is_gone_from_a_tournament_that_is_over(hall: Hall) -> None:
    hall.begin("alice", "bob", system="knock-out")
    assert hall.act("end") == {"answer": None}
    assert "bob" in str(hall.ask("vera", "tournament"))
    MatchTables(hall.server.store.database).forget_player("bob")
    hall.tournaments.desk.removed("bob")
    assert "bob" not in str(hall.ask("vera", "tournament"))


# Names of guests


def test_everybody_sees_the_name_of_a_guest(hall: Hall) -> None:
    hall.make("alice", system="knock-out", guests=True)
    guest = Guest(hall.server)
    names = {guest.user: "Leonie S."}
    assert enter(guest, name=" Leonie S. ")["you"]["state"] == "entered"
    hall.act("begin")
    hall.pass_time(2)
    [card] = hall.cards("alice")
    assert card["against"] == [guest.user] and card["names"] == names
    whole = hall.ask("alice", "tournament")
    assert whole["names"] == names
    assert guest.user in [each["name"] for each in whole["standings"]], "the name is no identity"
    for person in (hall.people["alice"], guest):
        assert person.ask("join", room=f"{CUP}.1")[-1]["names"] == names
    hall.people["alice"].ask("resign", room=f"{CUP}.1")
    hall.pass_time(2)
    assert hall.cards("alice")[-1]["names"] == names
    assert hall.ask("alice", "tournament", player=guest.user)["names"] == names


@pytest.mark.parametrize(
    ("name", "free"),
    [
        ("Tom", "Tom 2"),
        ("TOM", "TOM 2"),
        ("T\N{CYRILLIC SMALL LETTER O}m", None),  # not a new name: it mixes scripts
        ("alice", "alice 2"),
        ("vera", "vera 2"),
        ("twenty characters ab", "twenty characters 2"),
        ("guest-1", None),
        ("computer 2", None),
        ("", None),
        ("a" * 21, None),
        ("Tom:", None),
    ],
)
def test_a_name_of_another_is_refused_with_a_free_one(
    hall: Hall, name: str, free: str | None
) -> None:
    hall.make(system="knock-out", guests=True)
    assert "you" in enter(Guest(hall.server), name="Tom")
    assert "you" in enter(Guest(hall.server), name="twenty characters ab")
    guest = Guest(hall.server)
    answer = enter(guest, name=name)
    if free is None:
        assert error(answer) in ("bad-user-name", "name-taken") and "free" not in answer
    else:
        assert error(answer) == "name-taken" and answer["free"] == free
        assert answer["message"] == f"{name} is taken: {free} is free"
        assert "you" in enter(guest, name=free)


def test_a_name_is_free_again_before_the_beginning(hall: Hall) -> None:
    hall.make(system="swiss", guests=True)
    one, other = Guest(hall.server), Guest(hall.server)
    enter(one, name="Tom")
    one.ask("withdraw", tournament=CUP)
    assert "you" in enter(other, name="Tom")
    assert enter(one)["free"] == "Tom 2"
    assert "you" in enter(one, name="Tom 2")


def test_who_comes_back_keeps_the_name(hall: Hall) -> None:
    hall.make(system="swiss", guests=True)
    guest = Guest(hall.server)
    enter(guest, name="Tom")
    guest.ask("withdraw", tournament=CUP)
    assert "you" in enter(guest)
    assert hall.ask("alice", "tournament")["names"] == {guest.user: "Tom"}


def test_accounts_take_part_by_their_names(hall: Hall) -> None:
    hall.make(system="knock-out", guests=True)
    assert error(hall.ask("alice", "enter", name="Tom")) == "bad-option"


def test_the_organizer_renames_and_removes_a_guest(hall: Hall) -> None:
    hall.make("alice", system="swiss", guests=True)
    guest, other = Guest(hall.server), Guest(hall.server)
    enter(guest, name="Rude word"), enter(other, name="Tom")
    assert error(hall.act("rename", user=guest.user, name="Tom")) == "name-taken"
    assert error(hall.act("rename", user="alice", name="Tom 2")) == "bad-option"
    assert error(hall.act("rename", "alice", user=guest.user, name="Lea")) == "not-an-admin"
    assert hall.act("begin") == {"answer": None}
    hall.pass_time(2)
    assert hall.act("rename", user=guest.user, name="Lea") == {"answer": None}
    assert hall.ask("alice", "tournament")["names"] == {guest.user: "Lea", other.user: "Tom"}
    for person in (guest, other, hall.people["alice"]):
        answers = person.ask("tournament", tournament=CUP)
        [card] = [each["you"] for each in answers if "answer" in each]
        if guest.user in card.get("against", ()):
            assert person.ask("join", room=card["room"])[-1]["names"][guest.user] == "Lea"
    assert hall.act("remove", user=guest.user) == {"answer": None}
    [place] = [p for p in hall.ask("alice", "tournament")["standings"] if p["name"] == guest.user]
    assert place["state"] == "out"
    assert error(enter(guest)) == "not-open"


def test_the_players_of_a_running_game_get_the_new_name(hall: Hall) -> None:
    guest = begin_with_guest(hall, "Rude word")
    hall.cards("alice")
    assert hall.act("rename", user=guest.user, name="Lea") == {"answer": None}
    hall.pass_time(2)
    assert [each["names"] for each in hall.cards("alice")] == [{guest.user: "Lea"}]


def test_a_name_is_in_the_results(hall: Hall) -> None:
    begin_with_guest(hall, "Leonie S.")
    known = hall.tournaments.follower.known[CUP]
    assert "Leonie S." in _results_csv(known)


def test_a_match_of_the_archive_is_found_in_its_tournament(hall: Hall) -> None:
    guest = begin_with_guest(hall, "Leonie S.", "round-robin")
    room = hall.ask("alice", "tournament")["you"]["room"]
    guest.ask("join", room=room)
    hall.people["alice"].ask("join", room=room)
    guest.ask("resign", room=room)
    hall.pass_time(2)
    assert hall.act("score", game=1, scores=[0.5, 0.5]) == {"answer": None}
    follower, server = hall.tournaments.follower, hall.server
    archive = Reader(server.store, server.clock.seconds, server.clock.callLater)
    pages = TournamentPages(follower, hall.tournaments.desk.events, archive)

    async def games(*matches: str) -> list[Message]:
        answer = await pages.answer([], Given(matches=",".join(matches)))
        return cast(list[Message], json.loads(answer.content)["games"])

    [match] = follower.known[CUP].matches
    [game] = in_memory = result(games(match))
    assert game["names"] == {guest.user: "Leonie S."} and game["tournament"]["id"] == CUP
    assert (game["match"], game["scores"], game["set_by"]) == (match, [0.5, 0.5], "vera")
    del follower.known[CUP]
    others = [archived("m1"), archived("m2", door="nim"), archived("m3", door=CUP)]
    MatchTables(server.store.database).add_all(others)
    assert result(games("m1", match, "m2", "m3", "m4", match)) == in_memory


def test_it_goes_with_the_tournament(hall: Hall) -> None:
    hall.make("alice", system="knock-out", guests=True)
    enter(Guest(hall.server), name="Leonie S.")
    hall.act("end")
    database = hall.server.store.database
    found = "SELECT COUNT(*) FROM tournament_lines WHERE line LIKE '%Leonie S.%'"
    assert database.execute(found).fetchone()[0] == 1
    result(hall.tournaments.follower.prune(NOW + 86_400))
    assert database.execute(found).fetchone()[0] == 0


# Computers that fill up


@pytest.mark.parametrize(("players", "count"), [(("alice",), 2), (("alice", "bob"), 2)])
def test_a_computer_makes_the_number_even(hall: Hall, players: tuple[str, ...], count: int) -> None:
    hall.begin(*players, system="knock-out", fill="best")
    assert len(hall.ask("vera", "tournament")["standings"]) == count


def test_it_fills_up_at_the_planned_time(hall: Hall) -> None:
    hall.make("alice", system="knock-out", fill="best", begins=utc_text(NOW + 60))
    hall.pass_time(61)
    names = [each["name"] for each in hall.ask("alice", "tournament")["standings"]]
    assert sorted(names) == ["alice", "computer"]


@pytest.mark.parametrize("other", [{"rated": True}, {"fill": "divine"}])
def test_what_no_computer_can_fill(hall: Hall, other: dict[str, Any]) -> None:
    plan = plan_json("knock-out", **{"fill": "best", **other})
    assert error(hall.act("tournament", plan=plan)) == "bad-option"


# Awards


def test_the_awards_of_the_end(hall: Hall) -> None:
    hall.begin("alice", "bob", "carol", system="round-robin", rest=0)
    for _ in range(3):
        [game] = hall.ask("vera", "tournament")["games"]
        for name in game["players"]:
            hall.people[name].ask("join", room=game["room"])
        beaten = min(game["players"], key=["alice", "bob", "carol"].index)
        hall.people[beaten].ask("resign", room=game["room"])
        hall.pass_time(2)
    awards = hall.ask("vera", "tournament")["awards"]
    assert awards == [{"kind": "run", "name": "carol", "count": 2}]
