"""The host: pairs, makes rooms, counts each game once, and survives whatever happens between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs, formatEvent

from tests.plugins.tournament.cups import left_out, plan_json
from tests.plugins.tournament.hosting.stage import CUP, NOW, Stage, pair_at_once, result
from tictac.errors import Refusal
from tictac.lobby.record import SOONEST
from tictac.plugins.tournament.cup import Cup, Line
from tictac.plugins.tournament.cup_plan import load_plan, utc_text
from tictac.plugins.tournament.deciding import decide
from tictac.plugins.tournament.hosting.follower import COMMAND, Followed
from tictac.plugins.tournament.hosting.host import AT_ONCE, FEW, FORGOTTEN, LULL
from tictac.plugins.tournament.hosting.tables import KeptLine, TournamentTables
from tictac.plugins.tournament.refusals import NotEntered
from tictac.storage.store import StoreAwayError

FOUR = ("ann", "ben", "cat", "dan")


@pytest.fixture
def stage() -> Stage:
    return Stage().start()


def folded(stage: Stage, system: str) -> Cup:
    """Return the tournament as its lines in the database lead to it."""
    return Cup(load_plan(plan_json(system))).fold(stage.lines())


def test_a_tournament_from_the_first_round_to_the_last(stage: Stage) -> None:
    stage.begin(*FOUR, system="knock-out")
    assert stage.rooms() == {f"{CUP}.1": ("ann", "dan"), f"{CUP}.2": ("ben", "cat")}
    stage.play(*FOUR)
    stage.pass_time(20)
    assert stage.rooms() == {f"{CUP}.3": ("ann", "ben")}
    stage.play(*FOUR)
    stage.pass_time(2)
    assert stage.words()[-4:] == ["ended", "paired", "ended", "over"]
    assert stage.cup.why == "played" and not stage.rooms() and not stage.faults
    assert not TournamentTables(stage.store.database).outcomes(CUP)
    assert all(game.match for game in stage.cup.games.values())


def test_it_leaves_the_tournaments_of_the_command_alone(stage: Stage) -> None:
    result(stage.follower.make(CUP, plan_json("round-robin"), COMMAND))
    for line in (["entered", "ann", None, None], ["entered", "ben", None, None], ["began", 1]):
        stage.append_line(line)
    stage.pass_time(2)
    assert stage.words()[-1] == "began" and not stage.rooms()


def test_only_the_server_of_its_lobby_decides_it(stage: Stage) -> None:
    north = Stage(stage.store, stage.clock, "north").start()
    north.begin("ann", "ben", system="knock-out")
    assert stage.follower.known == {}
    assert result(stage.follower.get(CUP)).cup.phase == "running" and not stage.host.running()
    stage.pass_time(30)
    assert north.rooms() and not stage.rooms()
    north.play("ann")
    stage.pass_time(2)
    assert north.words().count("paired") == 1 and stage.cup.why == "played"


def test_players_rest_between_two_rounds(stage: Stage) -> None:
    stage.begin(*FOUR, system="round-robin", rest=20)
    stage.play(*FOUR)
    stage.pass_time(15)
    assert not stage.rooms()
    stage.pass_time(7)
    assert len(stage.rooms()) == 2


def test_it_begins_at_its_time(stage: Stage) -> None:
    stage.make(*FOUR, system="round-robin", begins=utc_text(NOW + 60))
    stage.pass_time(50)
    assert not stage.rooms()
    stage.pass_time(12)
    assert stage.cup.phase == "running" and len(stage.rooms()) == 2


def test_with_too_few_it_waits_an_hour(stage: Stage) -> None:
    stage.make("ann", system="round-robin", begins=utc_text(NOW + 60))
    stage.clock.advance(FEW + 50)
    assert stage.cup.phase == "open"
    stage.clock.advance(20)
    stage.pass_time(1)
    assert (stage.cup.phase, stage.cup.why) == ("over", "few")


def test_one_that_nobody_begins_is_over_some_day(stage: Stage) -> None:
    stage.make(*FOUR)
    stage.clock.advance(FORGOTTEN + 1)
    stage.pass_time(1)
    assert stage.cup.why == "abandoned"


def test_who_does_not_come_has_lost(stage: Stage) -> None:
    stage.begin("ann", "ben", system="knock-out", grace=30)
    stage.come("ben", f"{CUP}.1")
    stage.pass_time(32)
    stage.pass_time(2)
    game = stage.cup.games[1]
    assert (game.scores, game.how, game.match) == ((0, 1), "absent", None)
    assert stage.cup.phase == "over"


def test_computers_come_by_themselves(stage: Stage) -> None:
    stage.begin("computer", "computer 2", system="knock-out")
    stage.pass_time(30)
    assert stage.cup.phase == "over" and stage.cup.games[1].how == "won"


def test_an_arena_goes_on_until_its_time_is_up(stage: Stage) -> None:
    stage.begin(*FOUR, system="arena", ends=utc_text(NOW + 60))
    for _ in range(3):
        stage.play(*FOUR)
    assert len(stage.cup.games) >= 6
    stage.pass_time(60)
    stage.play(*FOUR)
    assert (stage.cup.phase, stage.cup.why) == ("over", "time")


def test_an_arena_pairs_no_players_near_its_end(stage: Stage) -> None:
    """Of 200 seconds the last 30 are left out, with a clock of 60; more time lets it go on."""
    stage.begin(*FOUR, system="arena", ends=utc_text(NOW + 200))
    known = stage.follower.known[CUP]
    while not known.is_closed(stage.follower.utc()):
        stage.play(*FOUR)
    assert stage.follower.utc() < NOW + 180
    stage.play(*FOUR)
    games = len(stage.cup.games)
    stage.pass_time(5)
    assert (stage.cup.phase, len(stage.cup.games), stage.cup.open) == ("running", games, {})
    stage.append_line(["changed", {**stage.cup.plan.dump(), "ends": utc_text(NOW + 300)}])
    stage.pass_time(2)
    assert len(stage.cup.games) == games + 2


def test_an_arena_with_a_length_lasts_that_long_whenever_it_begins(stage: Stage) -> None:
    """Another process, or the same one after a restart, reads the end from the first line."""
    stage.make(*FOUR, system="arena", ends=None, length=60, begins=utc_text(NOW + 20))
    stage.pass_time(9)
    assert (stage.cup.phase, stage.cup.plan.ends) == ("open", None)
    stage.pass_time(11)
    ends = stage.cup.plan.ends
    assert ends is not None and NOW + 80 <= ends <= NOW + 82
    stage.kill()
    again = Stage(stage.store, stage.clock).start()
    again.pass_time(2)
    assert (again.cup.phase, again.cup.plan.ends) == ("running", ends)
    while again.cup.phase == "running":
        again.play(*FOUR)
        again.pass_time(1)
    assert again.cup.why == "time" and 0 <= again.utc() - ends < 10


def test_who_withdraws_while_a_round_is_paired_is_not_paired(stage: Stage) -> None:
    pytest.importorskip("py4swiss", reason="there is no py4swiss for this machine")
    asked: list[tuple[Cup, Deferred[Line | None]]] = []

    def pair(cup: Cup) -> Deferred[Line | None]:
        asked.append((cup, Deferred()))
        return asked[-1][1]

    stage.pair = pair
    stage.begin(*FOUR, system="swiss", rounds=2)
    stage.append_line(["withdrew", 4, "self"])
    cup, answer = asked.pop()
    stage.pair = pair_at_once
    answer.callback(decide(cup))
    stage.pass_time(2)
    assert len(stage.rooms()) == 1 and stage.cup.byes == [(1, 3)]


def test_a_package_that_is_missing_is_said_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "py4swiss.engines", None)
    with capturedLogs() as logs:
        stage.begin(*FOUR, system="swiss")
        stage.pass_time(5)
    said = [str(formatEvent(event)) for event in logs]
    assert sum("paused" in line for line in said) == 1
    assert stage.cup.phase == "running"


def test_a_killed_server_goes_on(stage: Stage) -> None:
    stage.begin(*FOUR, system="round-robin")
    tom = [stage.come(name, f"{CUP}.1") for name in stage.rooms()[f"{CUP}.1"]]
    stage.registry.forfeit(tom[0])
    stage.clock.advance(0.5)  # the outcome is kept; the host may have counted it
    stage.kill()
    again = Stage(stage.store, stage.clock).start()
    again.pass_time(2)
    assert list(again.rooms()) == [f"{CUP}.2"] and again.cup.order == [1]


def test_a_room_that_is_closed_is_made_again(stage: Stage) -> None:
    stage.begin("ann", "ben", system="knock-out")
    stage.registry.call_off(f"{CUP}.1", "closed")
    stage.pass_time(2)
    assert list(stage.rooms()) == [f"{CUP}.1"]
    assert not stage.cup.order


def test_a_room_whose_outcome_is_on_its_way_is_not_made_again(stage: Stage) -> None:
    stage.begin("ann", "ben", system="knock-out")
    guests = [stage.come(name, f"{CUP}.1") for name in ("ann", "ben")]
    stage.registry.forfeit(guests[0])
    for _ in range(round(0.45 / 0.05)):
        stage.clock.advance(0.05)
        assert not stage.rooms()


def test_a_line_is_refused_only_after_the_lines_of_others_are_read(stage: Stage) -> None:
    other = Stage(stage.store, Clock())
    stage.make("ann")
    other.append_line(["entered", "ben", None, None])
    stage.append_line(["entered", "cat", None, None])
    other.append_line(["withdrew", 3, "self"])
    assert [each.name for each in other.cup.players] == ["ann", "ben"]
    with pytest.raises(NotEntered):
        stage.append_line(["withdrew", 3, "self"])


def test_a_server_with_a_file_goes_on_at_once_whatever_the_time_of_day(stage: Stage) -> None:
    stage.begin(*FOUR, system="round-robin")
    stage.kill()
    again = Stage(stage.store, Clock())
    again.follower.utc = lambda: NOW - 3600.0
    again.start()
    again.pass_time(1)
    assert len(again.rooms()) == 2


def test_a_tournament_is_seen_only_when_all_its_lines_are_read(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.begin(*FOUR, system="round-robin")
    later = Stage(stage.store, stage.clock)
    waiting: list[Deferred[None]] = []
    ask = later.log.ask

    def slowly(work: Any, *about: Any) -> Any:
        answer = ask(work, *about)
        if work is not TournamentTables.read:
            return answer
        waiting.append(Deferred())
        return waiting[-1].addCallback(lambda _: answer)

    monkeypatch.setattr(later.log, "ask", slowly)
    rounds: list[int] = []
    later.follower.changed.append(lambda known: rounds.append(known.cup.round))
    found = [Deferred.fromCoroutine(later.follower.get(CUP)) for _ in range(2)]
    looking = Deferred.fromCoroutine(later.follower.look())
    assert not later.follower.known and not later.follower.running()
    stage.play(*FOUR)
    while waiting:
        waiting.pop(0).callback(None)
        assert rounds and set(rounds) == {1}
    one, other = (each.result for each in found)
    assert one is other is later.follower.known[CUP]
    assert len(one.cup.order) == 2 and looking.called


def test_the_database_is_away(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.begin("ann", "ben", system="knock-out")
    ask = stage.store.ask

    def away(*_: Any) -> Any:
        raise StoreAwayError

    with capturedLogs() as logs:
        monkeypatch.setattr(stage.store, "ask", away)
        guests = [stage.come(name, f"{CUP}.1") for name in ("ann", "ben")]
        stage.registry.forfeit(guests[0])
        stage.pass_time(10)
        monkeypatch.setattr(stage.store, "ask", ask)
        stage.pass_time(5)
    assert stage.cup.phase == "over" and stage.cup.order == [1]
    assert any("continue" in str(formatEvent(event)) for event in logs)


def test_lines_of_a_newer_version(stage: Stage) -> None:
    stage.begin("ann", "ben", system="knock-out")
    number = stage.cup.lines + 1
    stage.store.database.execute(
        "INSERT INTO tournament_lines VALUES (?, ?, 0, ?)", (CUP, number, '["teamed",1]')
    )
    with capturedLogs() as logs:
        stage.pass_time(5)
    assert stage.follower.known[CUP].broken and stage.cup.lines == number - 1
    assert sum("newer" in str(formatEvent(event)) for event in logs) == 1
    with pytest.raises(Refusal):
        stage.append_line(["withdrew", 1, "self"])


def test_a_tournament_is_read_anew_in_the_middle_of_a_decision(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An account was removed: the host goes on with what the tournament is now."""
    stage.begin(*(f"p{number}" for number in range(6)), system="swiss", rounds=3)
    next_line = stage.host._next_line
    decided: list[Line] = []

    def decide_late(known: Followed) -> Line | None:
        line = next_line(known)
        if line is None or len(decided) > 9:  # before, it had no end
            return None
        decided.append(line)
        result(stage.follower.read_again(CUP))
        return line

    monkeypatch.setattr(stage.host, "_next_line", decide_late)
    for number in (1, 2, 3):
        stage.append_line(["withdrew", number, "removed"])
    stage.pass_time(2)
    assert [line for line in decided if decided.count(line) > 1] == []
    assert stage.words().count("ended") == 3


def test_a_database_that_came_back_older(stage: Stage) -> None:
    stage.make(*FOUR)
    stage.store.database.execute("DELETE FROM tournament_lines WHERE number > 2")
    stage.pass_time(2)
    assert [each.name for each in stage.cup.players] == ["ann", "ben"]


@pytest.mark.parametrize("system", ["round-robin", "knock-out", "arena", "swiss"])
@pytest.mark.parametrize("part", range(3))
def test_hosts_that_die_at_any_write(system: str, part: int) -> None:
    if system == "swiss":
        pytest.importorskip("py4swiss", reason="there is no py4swiss for this machine")
    for seed in range(part * 5, part * 5 + 5):
        play_with_deaths(system, Random(f"{system} {seed}"))


def play_with_deaths(system: str, rng: Random) -> None:
    """Play a tournament whose servers are killed before or after writes, and have rivals."""
    stage = Stage()
    deadline = {"ends": utc_text(NOW + 300)} if system == "arena" else {}
    stage.make(*(f"p{n}" for n in range(rng.randint(2, 7))), system=system, rest=1, **deadline)
    stage.append_line(["began", 0])
    stages, store, clock = [stage], stage.store, stage.clock
    plain = store.ask
    risk = 0.03

    def ask(work: Any, only_reads: bool = False) -> Any:
        if not only_reads and rng.random() < risk:
            if rng.random() < 0.5:
                plain(work, only_reads)
            raise StoreAwayError  # whether it was done is unknown
        return plain(work, only_reads)

    store.ask = ask  # type: ignore[method-assign]
    for each in stages:
        each.start()
    for turn in range(400):
        stage = rng.choice(stages)
        if turn > 200:
            risk = 0.0
        what = rng.random()
        if what < 0.05 and turn < 200:
            victim = rng.choice(stages)
            victim.host._looking.stop()
            victim.host._is_stopping = True
            stages.remove(victim)
            stages.append(Stage(store, clock).start())
        elif what < 0.08 and len(stages) < 3:
            stages.append(Stage(store, clock).start())
        elif stage.rooms():
            room, names = rng.choice(list(stage.rooms().items()))
            live = stage.registry.live_rooms[room]
            if not live.occupants:
                guests = [stage.come(name, room) for name in names]
                stage.registry.forfeit(rng.choice(guests))
        clock.pump([0.5] * 6)
        if folded(stage, system).phase == "over":
            break
    else:
        raise AssertionError(f"{system}: {stage.lines()[-5:]}")
    counted = Counter(line[1] for line in stage.lines() if line[0] == "ended")
    assert set(counted.values()) <= {1} and set(counted) == set(folded(stage, system).games)


def test_many_rooms_are_not_made_in_one_turn(stage: Stage) -> None:
    stage.make(*(f"p{n}" for n in range(64)), system="knock-out")
    stage.append_line(["began", 0])
    counts = set[int]()
    for _ in range(100):
        before = len(stage.rooms())
        stage.clock.advance(0.05)
        counts.add(len(stage.rooms()) - before)
    assert len(stage.rooms()) == 32 and max(counts) <= AT_ONCE


def test_two_hundred_are_paired_in_another_process() -> None:
    pytest.importorskip("py4swiss", reason="there is no py4swiss for this machine")
    stage = Stage().start()
    asked: list[Cup] = []

    def pair(cup: Cup) -> Deferred[Line | None]:
        asked.append(cup)
        return Deferred()

    stage.pair = pair
    stage.begin(*(f"p{n}" for n in range(200)), system="swiss", rounds=3)
    assert [len(cup.players) for cup in asked] == [200]


@pytest.mark.parametrize("count", [3, 4, 5, 7])
@pytest.mark.parametrize("computers", [0, 1])
def test_nobody_is_left_out_of_an_arena(stage: Stage, count: int, computers: int) -> None:
    """The server is killed twice in twenty minutes of games of 5 to 50 seconds."""
    names = [*(f"p{n}" for n in range(1, count)), "computer" if computers else "p0"]
    stage.begin(*names, system="arena", ends=utc_text(NOW + 1_000_000))
    rng, ends = Random(count), dict[str, float]()
    for turn in range(240):
        if turn in (80, 160):
            stage.kill()
            stage = Stage(stage.store, stage.clock).start()
            ends.clear()
        for room, players in stage.rooms().items():
            if room not in ends:
                ends[room] = stage.clock.seconds() + rng.choice([5, 20, 50])
                for name in players:
                    if name != "computer":
                        stage.come(name, room)
            elif (
                stage.clock.seconds() >= ends[room] and stage.registry.live_rooms[room].room.running
            ):
                live = stage.registry.live_rooms[room]
                stage.registry.forfeit(rng.choice([*live.occupants.values()]))
        stage.pass_time(5)
    out = left_out(Cup(load_plan(plan_json("arena"))), stage.lines())
    assert all(len(each) <= 1 for each in out)
    assert not any(one & other for one, other in pairwise(out))
    games = Counter(each for game in stage.cup.games.values() for each in game.seats)
    assert min(games.values()) >= 0.7 * max(games.values()) > 10


def test_two_of_four_play_on_after_a_lull(stage: Stage) -> None:
    stage.begin(*FOUR, system="arena", ends=utc_text(NOW + 1_000_000), grace=600)
    ann, _ = [stage.come(name, f"{CUP}.1") for name in ("ann", "ben")]
    stage.registry.forfeit(ann)
    stage.pass_time(2 * LULL - 4)
    assert len(stage.cup.games) == 2
    stage.pass_time(6)
    assert stage.cup.names(stage.cup.games[3]) == ("ben", "ann")


def test_a_clock_that_is_set_back_keeps_nobody_waiting(stage: Stage) -> None:
    stage.begin(*FOUR, system="round-robin", rest=20)
    stage.play(*FOUR)
    stage.follower.known[CUP].ended += 3600
    stage.pass_time(2)
    assert len(stage.rooms()) == 2


def test_nobody_sees_a_line_before_its_copy_is_kept(stage: Stage) -> None:
    stage.begin("ann", "ben", system="knock-out")
    keeping: list[tuple[list[Line], Deferred[None]]] = []
    seen: list[int] = []

    async def keep(tournament: str, lines: Sequence[KeptLine]) -> None:
        keeping.append(([each.line for each in lines], Deferred()))
        await keeping[-1][1]

    stage.follower.keep = keep
    stage.follower.changed.append(lambda known: seen.append(known.cup.lines))
    before = stage.cup.lines
    told = Deferred.fromCoroutine(stage.follower.append(CUP, lambda _: ["withdrew", 1, "self"]))
    looked = Deferred.fromCoroutine(stage.follower.look())
    assert [lines for lines, _ in keeping] == [[["withdrew", 1, "self"]]] * 2
    assert stage.cup.lines == before and not seen and not told.called
    for _, kept in keeping[:2]:
        kept.callback(None)
    assert stage.cup.lines == before + 1 and told.called and looked.called
    assert set(seen) == {before + 1}


def test_the_grace_goes_on_in_a_room_that_is_made_again(stage: Stage) -> None:
    stage.begin("ann", "ben", system="round-robin", games=2, grace=30, rest=0)
    for _ in range(8):
        stage.pass_time(3)
        stage.kill()
        stage = Stage(stage.store, stage.clock).start()
        stage.come("ben", f"{CUP}.1")
    assert not stage.cup.order
    stage.pass_time(SOONEST + 2)
    assert stage.cup.games[1].how == "absent"
    stage.pass_time(25)  # the next game has a grace of its own
    assert list(stage.rooms()) == [f"{CUP}.2"]
    stage.pass_time(10)
    assert stage.cup.games[2].how == "absent"
