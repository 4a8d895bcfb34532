"""Tournaments over days: all games of a league at once, whose players are never there together."""

from __future__ import annotations

import pytest

from tests.helpers import Server
from tests.plugins.tournament.cups import plan_json
from tests.plugins.tournament.hosting.served import Tournaments
from tests.plugins.tournament.hosting.stage import CUP, Stage
from tests.protocols.lobby.helpers import Person
from tictac.errors import BadOption
from tictac.lobby.clock import DAY
from tictac.plugins.tournament.cup_plan import load_plan
from tictac.plugins.tournament.standings import standings

SIX = ("ann", "ben", "cat", "dan", "eve", "fay")
DAYS = {"days": 3}


@pytest.fixture
def stage() -> Stage:
    return Stage().start()


def later(stage: Stage, days: float) -> None:
    """Let days pass, as the server's timers see them."""
    stage.clock.advance(days * DAY)
    stage.pass_time(2)


def move(stage: Stage, user: str) -> int:
    """Let a player come to each room in which it is their turn, move, and go; return how many."""
    count = 0
    for name in list(stage.rooms()):
        room = stage.registry.room(name)
        if room is None or room.players[room.turn].user != user:
            continue
        guest = stage.come(user, name)
        stage.registry.place(guest, room.game.moves(room.position)[-1])
        stage.registry.leave(guest)
        count += 1
    return count


def test_a_league_of_six_to_its_last_table(stage: Stage) -> None:
    stage.begin(*SIX, system="round-robin", clock=DAYS)
    later(stage, 0)
    assert len(stage.rooms()) == 15  # all rounds
    for _ in range(40):
        for user in SIX[:-1]:  # fay never comes
            later(stage, 0.2)
            move(stage, user)
        if stage.cup.phase == "over":
            break
    assert (stage.cup.phase, stage.cup.why, len(stage.cup.order)) == ("over", "played", 15)
    table = {stage.cup.entries[place.number].name: place.points for place in standings(stage.cup)}
    assert sum(table.values()) == 15 and table["fay"] == 0
    fays = [game for game in stage.cup.games.values() if "fay" in stage.cup.names(game)]
    assert {game.how for game in fays} == {"timed out"}
    assert not stage.rooms()


def test_a_withdrawal_ends_all_games_of_a_player(stage: Stage) -> None:
    stage.begin(*SIX[:3], system="round-robin", clock=DAYS)
    later(stage, 0)
    rooms = stage.registry.known_rooms()
    stage.append_line(["withdrew", 1, ""])
    later(stage, 0)
    decided = [room.decided and room.decided["decided"] for room in rooms]
    assert sorted(decided, key=str) == [None, "withdrew", "withdrew"]
    [left] = stage.rooms().values()
    assert sorted(left) == ["ben", "cat"]


def test_other_tournaments_go_on_meanwhile(stage: Stage) -> None:
    stage.begin("ann", "ben", system="round-robin", clock=DAYS)
    stage.make("ann", "ben", tournament="live", system="round-robin")
    stage.append_line(["began", 0], "live")
    stage.pass_time(3)
    assert sorted(stage.rooms()) == [f"{CUP}.1", "live.1"]


def test_a_swiss_round_ends_with_its_games(stage: Stage) -> None:
    stage.begin(*SIX[:4], system="swiss", rounds=2, rest=0, clock=DAYS)
    assert len(stage.rooms()) == 2
    later(stage, 3.1)
    stage.pass_time(3)
    assert (stage.cup.round, len(stage.rooms())) == (2, 2)


@pytest.mark.parametrize("others", [{"system": "arena"}, {"guests": True}, {"alone": False}])
def test_what_needs_seconds(others: dict[str, object]) -> None:
    told = {"system": "round-robin", **others}
    with pytest.raises(BadOption, match="clock is in seconds"):
        load_plan(plan_json(**told, clock=DAYS))  # type: ignore[arg-type]


def test_a_server_without_a_journal_has_no_days() -> None:
    server = Server()
    Tournaments(server, "carol")
    carol = Person(server, "carol")
    told = plan_json("round-robin", clock=DAYS)
    assert carol.error("admin", act="tournament", tournament=CUP, plan=told) == "bad-option"
    server.registry.outbox.outlives = True
    [answer] = carol.ask("admin", act="tournament", tournament=CUP, plan=told)
    assert answer["tournament"] == CUP
    assert carol.error("admin", act="add", tournament=CUP, computer="club") == "bad-option"
