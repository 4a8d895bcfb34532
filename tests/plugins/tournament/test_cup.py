"""The fold: every line in every state is a tournament or a refusal; nobody is in two games."""

from __future__ import annotations

from math import nan
from random import Random
from typing import Any

import pytest

from tests.plugins.tournament.cups import absent, cup_of, due, end_all, go_on, plan_json, states
from tictac.errors import BadOption, Refusal
from tictac.plugins.tournament.cup import RETURNS, BadLine, Cup, Line
from tictac.plugins.tournament.cup_plan import check_id, check_times, load_plan
from tictac.plugins.tournament.deciding import AHEAD, beginning, decide, verdict
from tictac.plugins.tournament.plan import Fault
from tictac.plugins.tournament.refusals import (
    AlreadyCounted,
    EnteredAlready,
    NoSuchGameNumber,
    NotAnArena,
    NotEntered,
    NotOpen,
    TooFewPlayers,
    TournamentFull,
    TournamentOver,
)
from tictac.plugins.tournament.standings import standings

SHAPES: list[dict[str, Any]] = [
    {"system": "swiss", "rounds": 4},
    {"system": "swiss", "rounds": 3, "games": 2},
    {"system": "arena"},
    {"system": "round-robin"},
    {"system": "round-robin", "games": 4},
    {"system": "round-robin", "game": "clue", "seats": 6, "games": 2},
    {"system": "round-robin", "games": 3, "alone": False},
    {"system": "swiss", "rounds": 3, "games": 2, "alone": False},
    {"system": "knock-out"},
    {"system": "knock-out", "games": 3, "more": 1},
]


SPRT = {"elo0": 0, "elo1": 50, "alpha": 0.05, "beta": 0.05}


def needs_dutch(shape: dict[str, Any]) -> None:
    if shape["system"] == "swiss":
        pytest.importorskip("py4swiss", reason="there is no py4swiss for this machine")


def lines_of(shape: dict[str, Any], seed: int) -> tuple[Cup, list[Line]]:
    """Play a tournament at random: late players, withdrawals, pauses, absences, corrections."""
    rng = Random(f"{seed} {shape}")
    first = Cup(load_plan(plan_json(**shape)))
    cup, lines = first, list[Line]()

    def append_line(line: Line) -> None:
        nonlocal cup
        try:
            cup = cup.add(line)
        except Refusal:
            return
        lines.append(line)

    for number in range(rng.randint(7, 9)):
        append_line(["entered", f"p{number}", rng.choice([None, 1500.0, 1800.5]), None])
    for turn in range(3000):
        what, player = rng.random(), rng.randint(1, 10)
        if what < 0.15 and turn < 150:
            append_line(["entered", f"late{rng.randint(0, 3)}", None, rng.choice([None, "easy"])])
            append_line([rng.choice(["withdrew", "paused"]), player, "self"])
        elif what < 0.25 and turn < 150:
            append_line([rng.choice(["back", "resumed"]), player])
        elif what < 0.3:
            append_line(["began", rng.getrandbits(20)])
        elif what < 0.7 and cup.due():
            game = rng.choice(cup.due())
            count = len(game.seats)
            won = [float(seat == rng.randrange(count)) for seat in range(count)]
            scores, how = rng.choice(
                [
                    (won, "won"),
                    ([1 / count] * count, "drawn"),
                    (won, "absent"),
                    ([0.0] * count, "absent"),
                ]
            )
            append_line(["ended", game.number, scores, how, None if how == "absent" else "m"])
            if rng.random() < 0.05:
                append_line(["set", game.number, [0.0] * count, "root"])
        elif line := decide(cup, turn > 400):
            cup = cup.add(line)  # what the machine decides is never refused
            lines.append(line)
        if cup.phase == "over":
            break
    assert cup.phase == "over"
    return first, lines


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_tournament_of_chance(shape: dict[str, Any]) -> None:
    needs_dutch(shape)
    for seed in range(12):
        first, lines = lines_of(shape, seed)
        cup, counted = first, list[int]()
        for line in lines:
            cup = cup.add(line)
            playing = [number for game in cup.due() for number in game.seats]
            assert len(playing) == len(set(playing)) or not cup.plan.alone
            counted += [line[1]] if line[0] == "ended" else []
        assert len(counted) == len(set(counted)) and set(counted) == set(cup.games)
        whole, middle = first.fold(lines), len(lines) // 2
        assert vars(whole) == vars(cup) == vars(first.fold(lines[:middle]).fold(lines[middle:]))
        table = standings(cup)
        assert sorted(each.number for each in table) == sorted(cup.seeds)
        assert [each.rank for each in table] == sorted(each.rank for each in table)
        if shape["system"] == "swiss":
            met = [frozenset(game.seats) for game in cup.games.values() if game.how != "absent"]
            assert max(map(met.count, met), default=0) <= shape.get("games", 1)


LINES: list[Line] = [
    ["entered", "eve", None, None], ["entered", "p1", 1500, None], ["back", 1], ["entered"],
    ["withdrew", 1, "self"], ["withdrew", 77, "self"], ["paused", 1, "self"], ["resumed", 1],
    ["changed", plan_json()], ["changed", {}], ["began", 1], ["paired", 1, [], [99]],
    ["paired", 2, [[2, [1, 2]]], []], ["paired", 1, [[1, [1, 2]]], [3]],
    ["paired", 1, [[1, [1, 1]]], []], ["paired", 1, [[1]], []],
    ["paired", 2, [[3, ["p1", None]]], []], ["ended", 1, [1, 0], "won", None],
    ["ended", 1, [1], "won", None], ["ended", 9, [1, 0], "won", "m"],
    ["set", 1, [0, 1], "root"], ["set", 1, [2, "x"], "root"], ["over", "time"],
    ["over", "bored"], [], ["danced", 1],
]  # fmt: skip


@pytest.mark.parametrize("system", ["swiss", "round-robin", "knock-out", "arena"])
def test_every_line_in_every_state_is_taken_or_refused(system: str) -> None:
    begun = cup_of(system, 3)
    paired = begun.add(["paired", 1, [[1, [1, 2]]], [3]])
    states_ = [
        Cup(load_plan(plan_json(system))),
        begun,
        paired,
        paired.add(["ended", 1, [1, 0], "won", "m"]),
        paired.add(["over", "called-off"]),
    ]
    for cup in states_:
        before = dict(vars(cup))
        for line in LINES:
            try:
                after = cup.add(line)
            except (Refusal, BadLine):
                after = None
            assert vars(cup) == before, line
            assert after is None or after.lines == cup.lines + 1


@pytest.mark.parametrize(
    ("system", "line", "refusal"),
    [
        ("swiss", ["entered", "p1", None, None], EnteredAlready),
        ("swiss", ["back", 1], EnteredAlready),
        ("swiss", ["withdrew", 9, "self"], NotEntered),
        ("swiss", ["paused", 1, "self"], NotAnArena),
        ("arena", ["resumed", 1], NotEntered),
        ("round-robin", ["entered", "eve", None, None], NotOpen),
        ("knock-out", ["entered", "eve", None, None], NotOpen),
        ("swiss", ["began", 1], NotOpen),
        ("swiss", ["changed", plan_json(rest=5)], NotOpen),
        ("swiss", ["ended", 5, [1, 0], "won", None], NoSuchGameNumber),
        ("swiss", ["set", 1, [1, 0], "root"], NoSuchGameNumber),
        ("swiss", ["changed", {}], BadOption),
    ],
)
def test_a_refusal(system: str, line: Line, refusal: type[Refusal]) -> None:
    with pytest.raises(refusal):
        cup_of(system, 4).add(line)


def test_a_game_is_counted_once() -> None:
    cup = cup_of("knock-out", 2).add(["paired", 1, [[1, [1, 2]]], []])
    cup = cup.add(["ended", 1, [1, 0], "won", "m"])
    with pytest.raises(AlreadyCounted):
        cup.add(["ended", 1, [0, 1], "won", "n"])
    assert cup.points == {1: 1, 2: 0}


def test_nothing_happens_after_the_end_but_a_correction() -> None:
    cup = cup_of("knock-out", 2).fold(
        [["paired", 1, [[1, [1, 2]]], []], ["ended", 1, [1, 0], "won", "m"], ["over", "played"]]
    )
    with pytest.raises(TournamentOver):
        cup.add(["withdrew", 1, "self"])
    after = cup.add(["set", 1, [0, 1], "root"])
    assert after.points == {1: 0, 2: 1} and after.games[1].set_by == "root"


def test_it_needs_two_to_begin() -> None:
    cup = Cup(load_plan(plan_json())).add(["entered", "p1", None, None])
    with pytest.raises(TooFewPlayers):
        cup.add(["began", 1])


def test_it_is_full() -> None:
    lines: list[Line] = [["entered", f"p{n}", None, None] for n in range(40)]
    cup = Cup(load_plan(plan_json("round-robin"))).fold(lines)
    with pytest.raises(TournamentFull):
        cup.add(["entered", "eve", None, None])
    assert cup.fold([["withdrew", 1, "self"], ["entered", "eve", None, None]]).players


def test_players_cant_come_and_go_without_end() -> None:
    cup = Cup(load_plan(plan_json("round-robin")))
    for n in range(1, RETURNS * 40 + 1):
        cup = cup.fold([["entered", f"p{n}", None, None], ["withdrew", n, "gone"]])
    with pytest.raises(TournamentFull):
        cup.add(["entered", "eve", None, None])


def test_seeds_are_by_rating_and_then_by_entry() -> None:
    lines: list[Line] = [
        ["entered", "a", None, None],
        ["entered", "b", 1500.0, None],
        ["entered", "c", 1700.0, None],
        ["entered", "d", 1500.0, None],
        ["began", 1],
    ]
    cup = Cup(load_plan(plan_json())).fold(lines)
    assert [cup.entries[number].name for number in cup.seeds] == ["c", "b", "d", "a"]


def test_games_of_a_match_come_one_after_the_other() -> None:
    cup = go_on(cup_of("knock-out", 2, games=2))
    assert len(cup.open) == 2 and due(cup) == [("p1", "p2")]
    assert due(end_all(cup)) == [("p2", "p1")]


def test_games_of_the_same_players_have_the_same_deal() -> None:
    cup = go_on(cup_of("round-robin", 2, games=3))
    deals = []
    while cup.phase != "over":
        deals += [cup.deal_of(game) for game in cup.due()]
        cup = go_on(end_all(cup))
    assert deals[0] == deals[1] != deals[2]


def test_a_line_of_a_newer_version_is_told_apart_from_a_refusal() -> None:
    with pytest.raises(BadLine):
        cup_of("swiss", 3).add(["teamed", 1, 2])


def test_openings_come_by_turns_and_each_from_all_seats() -> None:
    openings = [["1"], ["2"]]
    cup = go_on(cup_of("round-robin", 3, games=2, openings=openings, alone=False))
    opened = {game.number: cup.opening_of(game) for game in cup.games.values()}
    assert opened == {1: ("1",), 2: ("2",), 3: ("1",), 4: ("1",), 5: ("2",), 6: ("1",)}


def test_players_who_need_not_be_alone_are_in_several_games() -> None:
    cup = go_on(cup_of("round-robin", 3, games=2, alone=False))
    assert len(due(cup)) == len(cup.games) == 6
    assert len(go_on(cup_of("round-robin", 2, games=2000, alone=False)).open) == AHEAD


def test_a_decided_test_ends_it_with_games_that_are_open() -> None:
    cup = go_on(cup_of("round-robin", 2, games=1000, sprt=SPRT, alone=False))
    while cup.phase != "over":
        game = next(iter(cup.open.values()))
        scores = [float(number == 1) for number in game.seats]
        cup = go_on(cup.add(["ended", game.number, scores, "won", None]))
    found = verdict(cup)
    assert found and found.accepted == "H1" and cup.pairs == [0, 0, 0, 0, len(cup.order) // 2]
    assert len(cup.order) < 200


def test_a_corrected_result_counts_for_the_test() -> None:
    cup = go_on(cup_of("round-robin", 2, games=4, sprt=SPRT, alone=False))
    cup = cup.add(["ended", 1, [1, 0], "won", None]).add(["set", 1, [0.5, 0.5], "root"])
    assert cup.pairs == [0] * 5  # half of a pair says nothing
    cup = cup.add(["ended", 2, [1, 0], "won", None])
    assert cup.pairs == [0, 1, 0, 0, 0]
    assert cup.add(["set", 2, [0, 1], "root"]).pairs == [0, 0, 0, 1, 0]
    assert cup.pairs == [0, 1, 0, 0, 0]  # the state before is the same


def test_faults_are_kept_with_the_game() -> None:
    cup = go_on(cup_of("knock-out", 2))
    with pytest.raises(BadLine):
        cup.add(["ended", 1, [1, 0], "crashed", None, {"p2": "a bug"}])
    cup = cup.add(["ended", 1, [1, 0], "crashed", None, {"p2": ["crashed", "a bug"]}])
    assert cup.games[1].faults == (("p2", Fault("crashed", "a bug")),)


def test_an_arena_with_a_length_has_an_end_when_it_has_begun() -> None:
    plan = load_plan(plan_json("arena", ends=None, length=300))
    assert load_plan(plan.dump()) == plan
    players: list[Line] = [["entered", name, None, None] for name in ("ann", "ben")]
    cup = Cup(plan).fold(players)
    begun = cup.add(beginning(cup, 7, 1_800_000_000.0))
    assert (begun.plan.ends, begun.plan.length, begun.dealt) == (1_800_000_300.0, None, 7)
    assert "length" not in begun.plan.dump(), "an older version can read it"
    other = Cup(load_plan(plan_json("swiss"))).fold(players)
    assert beginning(other, 7, 0) == ["began", 7]
    with pytest.raises(BadLine):
        other.add(["began", 7, "2027-01-15T08:05:00Z"])


# Plans


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"system": "ladder"}, "system is one of"),
        ({"game": "chess"}, "chess"),
        ({"seats": 3}, "seats"),
        ({"rounds": 200}, "rounds"),
        ({"system": "arena", "ends": None}, "ends"),
        ({"ends": "2100-01-01T00:00:00Z"}, "ends"),
        ({"length": 300}, "ends"),
        ({"system": "arena", "ends": None, "length": 1}, "length is seconds from 10"),
        ({"system": "arena", "ends": "2100-01-01T00:00:00Z", "length": 300}, "length"),
        ({"name": "x" * 41}, "name"),
        ({"name": " "}, "name"),
        ({"grace": 1}, "grace"),
        ({"clock": {"initial": -1}}, "clock"),
        ({"begins": "tomorrow"}, "begins"),
        ({"colour": 1}, "colour"),
        ({"options": {"heaps": "many"}}, "heaps"),
        ({"rated": 1}, "rated"),
        ({"games": 101}, "games"),
        ({"sprt": SPRT}, "an SPRT needs a round robin"),
        ({"system": "round-robin", "sprt": {**SPRT, "elo1": 0}}, "elo1 of an SPRT must be above"),
        ({"system": "round-robin", "sprt": {**SPRT, "elo1": nan}}, "elo1 of an SPRT must be"),
        ({"system": "round-robin", "sprt": {**SPRT, "alpha": 0.7}}, "between 0 and 0.5"),
        ({"system": "round-robin", "sprt": {"elo0": 1}}, "sprt has the numbers"),
        ({"openings": ["a", 1]}, "openings"),
    ],
)
def test_a_plan_says_what_is_wrong_with_it(wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(Refusal, match=word):
        load_plan({**plan_json(), **wrong})


def test_a_plan_is_read_as_it_is_written() -> None:
    sprt = {"system": "round-robin", "sprt": SPRT, "openings": [["1:1"], []]}
    for shape in [*SHAPES, sprt]:
        plan = load_plan(plan_json(**shape, begins="2027-05-01T00:00:00Z"))
        assert load_plan(plan.dump()) == plan


@pytest.mark.parametrize(
    ("given", "is_timed", "word"),
    [
        ({"begins": "2001-01-01T00:00:00Z"}, True, "begins"),
        ({"begins": "2100-01-01T00:00:00Z"}, True, "begins"),
        ({"clock": None}, False, "clock"),
    ],
)
def test_times_that_cannot_be(given: dict[str, Any], is_timed: bool, word: str) -> None:
    plan = load_plan({**plan_json(), **given})
    with pytest.raises(BadOption, match=word):
        check_times(plan, 1.8e9, is_timed)


@pytest.mark.parametrize("text", ["", "Friday", "a b", "x" * 14, "friday.1"])
def test_what_cannot_be_an_id(text: str) -> None:
    with pytest.raises(BadOption):
        check_id(text)


def test_absences_are_counted_in_a_row() -> None:
    cup = go_on(cup_of("round-robin", 4))
    cup = go_on(end_all(absent(cup, "p1")))
    assert states(cup)["p1"] == "in"
    cup = go_on(end_all(cup))
    cup = go_on(end_all(absent(cup, "p1")))
    assert states(cup)["p1"] == "in"
