"""Players of several tournaments: one game at a time, nobody waits forever, and all are told."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.helpers import Server
from tests.plugins.tournament.cups import plan_json
from tests.plugins.tournament.hosting.served import Tournaments
from tests.plugins.tournament.hosting.stage import CUP, NOW, Stage, result
from tests.protocols.lobby.helpers import Person
from tictac.plugins.tournament.cup_plan import utc_text
from tictac.plugins.tournament.hosting.due_games import TURN

ENDS = utc_text(NOW + 1_000_000)


@pytest.fixture
def stage() -> Stage:
    return Stage().start()


def begin(stage: Stage, tournament: str, names: str, system: str, **plan: object) -> None:
    if system == "arena":
        plan["ends"] = ENDS
    stage.make(*names.split(), tournament=tournament, system=system, **plan)
    stage.append_line(["began", 0], tournament)


def end(stage: Stage, room: str) -> None:
    """Let all come to a room, and its first player resign."""
    guests = [stage.come(name, room) for name in stage.rooms()[room] if name != "computer"]
    stage.registry.forfeit(guests[0])


def check(stage: Stage) -> None:
    """Nobody plays in two rooms."""
    playing = Counter(name for names in stage.rooms().values() for name in names)
    assert all(count == 1 for name, count in playing.items() if name != "computer"), stage.rooms()


def games(stage: Stage, tournament: str) -> Counter[str]:
    """Return how many games of each player have ended."""
    cup = stage.follower.known[tournament].cup
    return Counter(name for number in cup.order for name in cup.names(cup.games[number]))


def test_the_second_game_waits_for_the_first(stage: Stage) -> None:
    begin(stage, "one", "ann ben", "round-robin", games=3, rest=0)
    begin(stage, "two", "ben cat", "round-robin", games=3, rest=0)
    stage.pass_time(3)
    ends = []
    for _ in range(6):
        [room] = stage.rooms()
        ends.append(room)
        end(stage, room)
        stage.pass_time(3)
    # In turns: whose game was due first.
    assert ends == ["one.1", "two.1", "one.2", "two.2", "one.3", "two.3"]
    assert not stage.follower.running()


def test_a_tournament_that_cannot_be_read_keeps_nobody(stage: Stage) -> None:
    begin(stage, "one", "ann ben", "round-robin", rest=0)
    begin(stage, "two", "ben cat", "round-robin", rest=0)
    stage.pass_time(3)
    stage.follower.known["one"].broken = True
    end(stage, "one.1")
    stage.pass_time(3)
    assert list(stage.rooms()) == ["two.1"]


def test_computers_play_everywhere(stage: Stage) -> None:
    begin(stage, "one", "ann computer", "round-robin")
    begin(stage, "two", "ben computer", "round-robin")
    stage.pass_time(2)
    assert {*stage.rooms()} == {"one.1", "two.1"}


def test_removed_accounts_are_different_players(stage: Stage) -> None:
    begin(stage, "one", "ann deleted", "knock-out")
    begin(stage, "two", "ben deleted", "knock-out")
    stage.pass_time(2)
    assert {*stage.rooms()} == {"one.1", "two.1"}


def test_an_arena_does_not_pair_who_plays_elsewhere(stage: Stage) -> None:
    begin(stage, "one", "ann ben", "round-robin")
    stage.pass_time(2)
    begin(stage, "two", "ann cat dan", "arena")
    stage.pass_time(2)
    assert stage.rooms() == {"one.1": ("ann", "ben"), "two.1": ("cat", "dan")}
    end(stage, "one.1")
    end(stage, "two.1")
    stage.pass_time(3)
    [names] = stage.rooms().values()
    assert "ann" in names


def test_two_arenas_pair_their_players_in_turns(stage: Stage) -> None:
    begin(stage, "one", "ann ben cat", "arena")
    begin(stage, "two", "ann ben cat dan", "arena")
    for _ in range(60):
        stage.pass_time(5)
        check(stage)
        for room in stage.rooms():
            end(stage, room)
    for tournament in ("one", "two"):
        found = games(stage, tournament)
        assert min(found[name] for name in ("ann", "ben", "cat")) >= 8


def test_an_arena_that_cannot_pair_keeps_nobody_from_another_one(stage: Stage) -> None:
    begin(stage, "one", "ann ben", "arena")
    begin(stage, "two", "ann ben", "arena")
    stage.append_line(["paused", 2, "self"], "two")
    stage.append_line(["resumed", 2], "two")
    for _ in range(round(10 * (TURN + 5) / 5)):
        stage.pass_time(5)
        for room in stage.rooms():
            end(stage, room)
    assert games(stage, "one")["ann"] + games(stage, "two")["ann"] >= 8


@pytest.mark.parametrize("seed", range(8))
def test_any_tournaments_at_once_come_to_their_ends(seed: int) -> None:
    stage, rng = Stage().start(), Random(seed)
    people = ["ann", "ben", "cat", "dan", "eve", "fay", "computer"]
    systems = {f"cup-{n}": rng.choice(["round-robin", "knock-out", "arena"]) for n in range(4)}
    for tournament, system in systems.items():
        names = rng.sample(people, rng.randrange(2, 6))
        begin(stage, tournament, " ".join(names), system, rest=rng.choice([0, 5]))
    for _turn in range(400):
        stage.pass_time(2)
        check(stage)
        for room in stage.rooms():
            if rng.random() < 0.4:
                end(stage, room)
        if rng.random() < 0.02:
            stage.kill()
            stage = Stage(stage.store, stage.clock).start()
    left = {each.id for each in stage.follower.running()}
    assert left == {each for each, system in systems.items() if system == "arena"}
    for tournament in left:
        cup = stage.follower.known[tournament].cup
        assert len(games(stage, tournament)) == len(cup.entries)


def test_all_are_told_why_they_wait() -> None:
    server = Server(rejoin_timeout=30)
    tournaments = Tournaments(server)
    people = {name: Person(server, name) for name in ("alice", "bob", "carol")}
    for tournament, names in (("one", ("alice", "bob")), (CUP, ("bob", "carol"))):
        result(tournaments.follower.make(tournament, plan_json("round-robin"), "root"))
        for name in names:
            people[name].ask("enter", tournament=tournament)
        result(tournaments.follower.append(tournament, lambda _: ["began", 0]))
        tournaments.pass_time(2)
    cards = [people[name].ask("tournament", tournament=CUP)[-1]["you"] for name in ("bob", "carol")]
    assert [each["state"] for each in cards] == ["waiting", "waiting"]
    assert [each["busy"] for each in cards] == [
        {"user": None, "tournament": "one"}, {"user": "bob", "tournament": "one"},
    ]  # fmt: skip
    people["carol"].read()
    for name in ("alice", "bob"):
        people[name].ask("join", room="one.1")
    people["alice"].ask("resign", room="one.1")
    tournaments.pass_time(2)
    [told] = [each["you"] for each in people["carol"].read() if "you" in each]
    assert (told["state"], told["room"]) == ("playing", f"{CUP}.1")
