"""Series in the lobby protocol: to enter, to wait, and to play; standings; acts of admins."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers import Server
from tests.plugins.tournament.hosting.served import Tournaments
from tests.plugins.tournament.ladder.served import add_series
from tests.plugins.tournament.ladder.term import SERIES, plan_json, seconds_of
from tests.protocols.lobby.helpers import Message, Person
from tictac.accounts.tables import AccountTables
from tictac.plugins.tournament.ladder.tables import SeriesTables

DAY = "term-270115"


class School:
    """A server with a series; vera looks after it, alice, bob and carol play."""

    def __init__(self, most: int = 2, most_players: int = 2, **plan: Any) -> None:
        self.server = server = Server(guests=True, rejoin_timeout=30)
        self.tournaments = Tournaments(server, "vera")
        self.keeper = add_series(self.tournaments, most, most_players)
        self.keeper.start()
        names = ("alice", "bob", "carol", "vera")
        self.people = {name: Person(server, name) for name in names}
        self.seated: dict[str, list[str]] = {name: [] for name in names}
        answer = self.act("create", plan=plan_json(**plan))
        assert answer == {"answer": None, "series": SERIES}, answer
        self.pass_time(6)

    def ask(self, who: str, do: str, **fields: Any) -> Message:
        """Send a request; its answer, which can take a moment."""
        said = self.people[who].ask(do, **fields)
        self.pass_time(1)
        [answer] = [each for each in [*said, *self.people[who].read()] if "answer" in each]
        return answer

    def act(self, act: str, who: str = "vera", **fields: Any) -> Message:
        return self.ask(who, "ladder", act=act, **{"series": SERIES} | fields)

    def play(self, who: str, **fields: Any) -> list[Message]:
        """Ask for the next game; the messages."""
        said = self.people[who].ask("play", series=SERIES, **fields)
        self.seated[who] += [each["room"] for each in said if each.get("event") == "room"]
        return said

    def pass_time(self, seconds: float) -> None:
        self.tournaments.pass_time(seconds)

    def go_to(self, text: str) -> None:
        self.server.clock.advance(seconds_of(text) - self.server.clock.seconds())
        self.pass_time(6)

    def rooms(self, who: str) -> list[str]:
        """Return the rooms that a player was seated in."""
        said = self.people[who].read()
        self.seated[who] += [each["room"] for each in said if each.get("event") == "room"]
        return self.seated[who]

    def standings(self, who: str = "carol") -> list[Message]:
        rows: list[Message] = self.ask(who, "series", series=SERIES)["standings"]
        return rows


@pytest.fixture
def school() -> School:
    return School()


def error(messages: list[Message]) -> str:
    [code] = [message["error"] for message in messages if "error" in message]
    return str(code)


def test_players_are_seated_when_both_wait(school: School) -> None:
    assert not school.play("alice") and not school.play("bob")
    school.pass_time(6)
    assert school.rooms("alice") == school.rooms("bob") == [f"{DAY}.1"]


def test_the_next_game_follows_the_next_request(school: School) -> None:
    school.play("alice")
    school.play("bob")
    school.pass_time(6)
    school.people["bob"].ask("resign", room=f"{DAY}.1")
    for who in ("alice", "bob"):
        school.play(who)
    school.pass_time(60)
    assert school.rooms("bob")[-1] == f"{DAY}.2"


def test_an_entry_survives_the_process(school: School) -> None:
    school.play("alice", version="2")
    [player] = SeriesTables(school.server.store.database).players(SERIES)
    assert (player.name, player.version) == ("alice", "2")


def test_who_waits_at_the_end_of_an_arena_plays_in_the_next() -> None:
    school = School(night="none")
    school.play("alice")
    school.go_to("2027-01-15 23:30")
    school.play("bob")
    assert not school.rooms("alice") and not school.rooms("bob")
    school.go_to("2027-01-16 06:00")
    school.pass_time(6)
    assert school.rooms("alice") == school.rooms("bob") == ["term-270116.1"]


def test_who_waits_by_day_plays_at_night() -> None:
    school = School()
    for who in ("alice", "bob"):
        school.play(who)
    school.pass_time(6)
    school.people["bob"].ask("resign", room=f"{DAY}.1")
    school.go_to("2027-01-15 23:30")
    for who in ("alice", "bob"):
        school.play(who)
    school.pass_time(30)
    assert [room.partition(".")[0] for room in school.rooms("alice")][-1] == f"{DAY}n"


def to_the_finals(school: School) -> None:
    """Let alice beat bob and wait for the next game, and then freeze the series."""
    for who in ("alice", "bob"):
        school.play(who)
    school.pass_time(6)
    school.people["bob"].ask("resign", room=f"{DAY}.1")
    school.ask("bob", "pause", tournament=DAY, pause=True)
    school.play("alice")
    school.act("freeze")


def test_who_waits_while_a_series_is_frozen_plays_in_the_finals(school: School) -> None:
    """The finals are made at once, before the arena lets those go that wait in it."""
    to_the_finals(school)
    school.play("bob")
    school.pass_time(10)
    assert school.rooms("alice")[-1] == school.rooms("bob")[-1] == "term-f1.1"


def test_who_waits_after_a_restart_plays_in_the_finals(school: School) -> None:
    """A new process takes requests before it has looked at its series."""
    to_the_finals(school)
    school.keeper.series[SERIES].current = None
    school.play("bob")
    school.pass_time(10)
    assert school.rooms("bob")[-1] == "term-f1.1"


def test_who_waits_at_the_end_of_a_series_is_told() -> None:
    school = School(hours="09:00-10:00", night="none")
    school.play("alice")
    school.act("end")
    assert error(school.people["alice"].read()) == "series-frozen"


def test_who_waits_after_a_restart_plays_in_the_tournament_that_is_there(school: School) -> None:
    """A new process takes requests before it has looked at its series."""
    school.keeper.series[SERIES].current = None
    for who in ("alice", "bob"):
        school.play(who)
    assert not school.rooms("alice")
    school.pass_time(12)
    assert school.rooms("alice") == school.rooms("bob") == [f"{DAY}.1"]


def test_a_player_has_one_request_to_play(school: School) -> None:
    school.play("alice")
    assert error(school.play("alice")) == "already-playing"


def test_a_lost_connection_does_not_wait(school: School) -> None:
    school.go_to("2027-01-15 23:30:30")
    school.play("alice")
    school.people["alice"].visitor.hang_up()
    school.go_to("2027-01-16 06:00")
    assert school.keeper.series[SERIES].current == "term-270116"


def test_guests_have_no_account_for_a_rank(school: School) -> None:
    guest = Person(school.server)
    guest.ask("guest")
    assert error(guest.ask("play", series=SERIES)) == "guests-refused"


def test_a_group_is_for_itself() -> None:
    school = School(group="7b")
    AccountTables(school.server.store.database).set_group("alice", "7b")
    assert not school.play("alice")
    assert error(school.play("bob")) == "wrong-group"


def test_a_series_has_a_maximum_of_players(school: School) -> None:
    school.play("alice")
    school.play("bob")
    assert error(school.play("carol")) == "series-full"


def test_there_is_no_such_series(school: School) -> None:
    assert error(school.people["alice"].ask("play", series="other")) == "no-such-series"
    assert error([school.ask("alice", "series", series="other")]) == "no-such-series"


def test_play_is_about_a_tournament_or_a_series(school: School) -> None:
    assert error(school.people["alice"].send('{"do": "play"}')) == "malformed"


def test_a_frozen_series_takes_no_new_versions(school: School) -> None:
    school.play("alice", version="1")
    known = school.keeper.series[SERIES]
    known.row = known.row._replace(state="frozen")  # without finals, it would be over at once
    assert error(school.play("alice", version="2")) == "series-frozen"
    assert error(school.play("carol")) == "series-frozen"


# Standings


def test_standings_have_levels_as_marks() -> None:
    school = School(game="connectfour", levels=["beginner"])
    school.play("alice")
    school.pass_time(40)
    rows = school.standings()
    assert [row["user"] or row["level"] for row in rows] == ["beginner", "alice"]
    assert rows[0]["rating"] == 724 and rows[1]["rating"] is None


def test_standings_follow_from_games(school: School) -> None:
    for who in ("alice", "bob"):
        school.play(who)
    school.pass_time(6)
    school.people["bob"].ask("resign", room=f"{DAY}.1")
    school.pass_time(2)
    alice, bob = school.standings()
    assert (alice["user"], alice["rank"], alice["games"]) == ("alice", 1, 1)
    assert alice["rating"] > bob["rating"] and bob["rank"] == 2


def test_players_see_why_they_lost_and_others_do_not(school: School) -> None:
    for who in ("alice", "bob"):
        school.play(who)
    school.pass_time(6)
    school.people["bob"].ask("resign", room=f"{DAY}.1")
    school.go_to("2027-01-15 23:31")
    assert school.ask("bob", "series", series=SERIES)["you"]["losses"] == {"forfeited": 1}
    answer = school.ask("carol", "series", series=SERIES)
    assert answer["you"] is None and "losses" not in str(answer["standings"])
    assert school.act("players")["rows"][1]["losses"] == {"forfeited": 1}


def test_a_list_says_where_each_series_is(school: School) -> None:
    [head] = school.ask("alice", "series")["series"]
    assert head == {
        "id": SERIES, "name": "Term", "game": "nim", "title": "Nim", "state": "open",
        "players": 0, "tournament": DAY, "kind": "day", "opens": "2027-01-16T06:00:00Z",
        "until": "2027-01-15T23:30:00Z",
    }  # fmt: skip


# Admins


@pytest.mark.parametrize("act", ["create", "change", "freeze", "end", "remove", "players"])
def test_only_admins_manage_series(school: School, act: str) -> None:
    assert error([school.act(act, who="alice", plan=plan_json())]) == "not-an-admin"


def test_ids_are_taken_once(school: School) -> None:
    assert error([school.act("create", plan=plan_json())]) == "series-exists"


def test_a_server_has_a_maximum_of_series(school: School) -> None:
    assert "error" not in school.act("create", series="two", plan=plan_json())
    assert error([school.act("create", series="three", plan=plan_json())]) == "series-full"


def test_an_ended_series_makes_no_tournaments(school: School) -> None:
    school.act("end")
    school.go_to("2027-01-16 08:00")
    assert "term-270116" not in school.tournaments.follower.known
    assert error(school.play("alice")) == "series-frozen"


def test_a_removed_series_leaves_its_tournaments(school: School) -> None:
    school.act("remove")
    assert school.ask("alice", "series")["series"] == []
    assert school.ask("alice", "tournament", tournament=DAY)["tournament"]["id"] == DAY
    assert not SeriesTables(school.server.store.database).all()


def test_a_change_holds_from_the_next_tournament_on(school: School) -> None:
    assert school.act("change", plan=plan_json(game="reversi")) == {"answer": None}
    assert school.tournaments.follower.known[DAY].cup.plan.game == "nim"
    school.go_to("2027-01-16 08:00")
    assert school.tournaments.follower.known["term-270116"].cup.plan.game == "reversi"


def test_acts_need_their_fields(school: School) -> None:
    assert error([school.act("change")]) == "malformed"
