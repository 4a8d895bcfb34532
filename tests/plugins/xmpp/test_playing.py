"""Roles, starting, and turns."""

from __future__ import annotations

import pytest

from tests.plugins.xmpp.helpers import Client, World, play
from tictac.plugins.xmpp.xml import TTT, USER

SIZE = "t:rows('3') t:cols('3') t:strike('3')"
PAUSED_EMPTY = f"den: game(status('paused') t:state({SIZE} t:next('x') t:board)) pause"
INVALID = "error type=cancel(undefined-condition invalid-turn)"


def ends(answers: list[str]) -> list[str]:
    """Return the answers without their recipients."""
    return [answer.split(" < ")[1] for answer in answers]


# Roles


def test_a_role_is_taken_and_everybody_hears_of_it(world: World) -> None:
    _alice, bob = world.den("alice", "bob")
    assert bob.take("den", "x") == [
        "bob/desk < den/bob: game(item affiliation=none role=x)",
        "alice/desk < den/bob: game(item affiliation=none jid=bob@example.org/desk role=x)",
    ]


def test_a_role_that_is_taken_or_unknown(world: World) -> None:
    alice, bob = world.den("alice", "bob")
    alice.take("den", "x")
    assert ends(bob.take("den", "x")) == ["den error: game error type=cancel(conflict)"]
    for role in ("X", "z", "", "all"):
        assert ends(bob.take("den", role)) == ["den error: game error type=modify(not-acceptable)"]


def test_the_own_role_again_is_no_error(world: World) -> None:
    [alice] = world.den("alice")
    assert alice.take("den", "x") == alice.take("den", "x")


def test_the_other_role_frees_the_first(world: World) -> None:
    alice, bob = world.den("alice", "bob")
    alice.take("den", "x")
    alice.take("den", "o")
    assert "role=x" in bob.take("den", "x")[0]


def test_a_role_is_given_up(world: World) -> None:
    alice, bob = world.den("alice", "bob")
    alice.take("den", "x")
    assert "role=none" in alice.take("den", "none")[0]
    assert "role=x" in bob.take("den", "x")[0]


def test_a_role_for_somebody_who_isnt_there(world: World) -> None:
    world.den("alice")
    assert ends(world.client("bob").take("den", "x")) == [
        "den error: game error type=modify(not-acceptable)"
    ]
    assert ends(world.client("bob").take("attic", "x")) == [
        "attic error: game error type=cancel(item-not-found)"
    ]


# Starting


def test_both_start_and_the_match_begins(world: World) -> None:
    alice, bob, _vera = world.den("alice", "bob", "vera")
    alice.take("den", "x")
    bob.take("den", "o")
    assert alice.start("den") == [
        "alice/desk < den/alice message: u:start",
        "bob/desk < den/alice message: u:start",
    ]
    active = f"den: game(status('active') t:state({SIZE} t:next('x') t:board))"
    assert bob.start("den") == [
        "alice/desk < den/bob message: u:start",
        "bob/desk < den/bob message: u:start",
        *(f"{name}/desk < {active}" for name in ("alice", "bob", "vera")),
    ]


def refused(client: Client) -> str:
    """Return why a start is refused."""
    [answer] = client.start("den")
    return answer.split("u:start error ")[1]


def test_who_cant_start(world: World) -> None:
    alice, bob = world.den("alice", "bob")
    assert refused(alice) == "type=auth(forbidden)"
    assert refused(world.client("zoe")) == "type=auth(forbidden)"
    alice.take("den", "x")
    assert refused(alice) == "type=cancel(not-allowed)"
    bob.take("den", "o")
    alice.start("den")
    bob.start("den")
    assert refused(bob) == "type=cancel(not-allowed)"


def test_nobody_starts_in_a_locked_room(world: World) -> None:
    alice = world.client("alice")
    alice.enter("den", "alice")
    alice.take("den", "x")
    assert refused(alice) == "type=cancel(not-allowed)"


def test_a_change_of_roles_or_options_voids_a_start(world: World) -> None:
    alice, bob = world.den("alice", "bob")
    alice.take("den", "x")
    bob.take("den", "o")
    alice.start("den")
    alice.configure("den", rows="4")
    assert len(bob.start("den")) == 2
    bob.take("den", "none")
    bob.take("den", "o")
    assert len(alice.start("den")) == 2
    assert len(bob.start("den")) == 4


# Turns


def test_a_turn_is_reflected_and_the_state_told(world: World) -> None:
    alice, _bob, _vera = world.match("vera")
    turn = "den/alice message chat: u:turn(t:move col=3 id=1 row=1)"
    field = "t:board(t:field col=3 row=1('x'))"
    state = f"den: game(status('active') t:state({SIZE} t:next('o') {field}))"
    people = ("alice", "bob", "vera")
    assert alice.turn("den", 1, 3, 1) == [
        *(f"{name}/desk < {turn}" for name in people),
        *(f"{name}/desk < {state}" for name in people),
    ]


WON = [(1, 1), (2, 1), (1, 2), (2, 2), (1, 3)]
DRAWN = [(1, 1), (2, 2), (1, 2), (1, 3), (3, 1), (2, 1), (2, 3), (3, 2), (3, 3)]


@pytest.mark.parametrize(("moves", "end"), [(WON, "t:won('x')"), (DRAWN, "t:draw")])
def test_the_end_is_the_next_round_with_the_result(
    world: World, moves: list[tuple[int, int]], end: str
) -> None:
    alice, bob = world.match()
    last = play(alice, bob, *moves)[-1]
    assert last == (
        f"bob/desk < den: game(status('inactive') t:state({SIZE} t:next('o') t:board {end}))"
    )
    # Roles are kept, the other one begins, and the result is gone.
    alice.start("den")
    assert bob.start("den")[-1] == (
        f"bob/desk < den: game(status('active') t:state({SIZE} t:next('o') t:board))"
    )
    assert len(bob.turn("den", 1, 1, 1)) == 4


@pytest.mark.parametrize(
    ("row", "col", "number"),
    [(2, 2, 3), (1, 1, 2), (0, 1, 2), (4, 1, 2), (1, -1, 2), (10, 10, 2), (1, 1, 4), (1, 1, 0)],
)
def test_an_impossible_move_of_a_member(row: int, col: int, number: int) -> None:
    world = World()
    alice, bob, _vera = world.match("vera")
    alice.turn("den", 1, 1, 1)
    out = "den/bob unavailable: game(item affiliation=none role=none) u:invalid-turn"
    state = f"t:state({SIZE} t:next('o') t:board(t:field col=1 row=1('x')))"
    pause = f"den: game(status('paused') {state}) pause"
    turn = f"u:turn(t:move col={col} id={number} row={row})"
    assert bob.turn("den", row, col, number) == [
        f"bob/desk < den message error: {turn} {INVALID}",
        f"alice/desk < {out}",
        f"bob/desk < {out}",
        f"vera/desk < {out}",
        f"alice/desk < {pause}",
        f"vera/desk < {pause}",
    ]


def test_a_move_out_of_turn(world: World) -> None:
    _alice, bob = world.match()
    assert bob.turn("den", 1, 1, 1)[0].endswith(INVALID)


def test_an_impossible_move_of_the_owner(world: World) -> None:
    alice, _bob = world.match()
    assert alice.turn("den", 9, 9, 1) == [
        f"alice/desk < den message error: u:turn(t:move col=9 id=1 row=9) {INVALID}",
        "bob/desk < den/alice: game(item affiliation=owner role=none)",
        "alice/desk < den/alice: game(item affiliation=owner jid=alice@example.org/desk role=none)",
        f"alice/desk < {PAUSED_EMPTY}",
        f"bob/desk < {PAUSED_EMPTY}",
    ]


def test_a_turn_without_a_role(world: World) -> None:
    _, _, vera = world.match("vera")
    for client in vera, world.client("zoe"):
        assert client.turn("den", 1, 1, 1)[0].endswith("error type=auth(forbidden)")


def test_a_turn_without_a_match(world: World) -> None:
    alice, _bob = world.den("alice", "bob")
    alice.take("den", "x")
    assert alice.turn("den", 1, 1, 1)[0].endswith("error type=cancel(not-allowed)")
    assert len(world.rooms.find("den").occupants) == 2


MOVE = f"<move xmlns='{TTT}' row='1' col='1' id='1'/>"


@pytest.mark.parametrize(
    "inner",
    [
        "",
        MOVE * 2,
        MOVE.replace("row='1'", ""),
        MOVE.replace("id='1'", ""),
        MOVE.replace("col='1'", "col='one'"),
        MOVE.replace("col='1'", "col='1.0'"),
        MOVE.replace("col='1'", "col='٣'"),
        MOVE.replace("col='1'", f"col='{'9' * 5000}'"),
        MOVE.replace(TTT, "other"),
        MOVE + "<move xmlns='other'/>",
    ],
)
def test_a_malformed_turn_costs_nothing(world: World, inner: str) -> None:
    alice, _bob = world.match()
    [answer] = alice.message("den", f"<turn xmlns='{USER}'>{inner}</turn>")
    assert answer.startswith("alice/desk < den message error: u:turn")
    assert answer.endswith("error type=modify(bad-request)")
    assert len(alice.turn("den", 1, 1, 1)) == 4


def test_two_turns_at_once_and_nothing_known(world: World) -> None:
    alice, _bob = world.match()
    turn = f"<turn xmlns='{USER}'>{MOVE}</turn>"
    for inner in (turn * 2, f"<game xmlns='{USER}'><dance/></game>"):
        assert alice.message("den", inner)[0].endswith("error type=modify(bad-request)")


# Pausing


def test_a_role_that_is_given_up_pauses(world: World) -> None:
    alice, bob = world.match()
    answers = bob.take("den", "none")
    assert ends(answers)[2:] == [PAUSED_EMPTY, PAUSED_EMPTY]
    # It is paused once: what follows is no news.
    assert len(alice.take("den", "none")) == 2


def test_a_player_who_leaves_pauses_and_somebody_else_goes_on(world: World) -> None:
    alice, bob, vera = world.match("vera")
    alice.turn("den", 2, 2, 1)
    answers = bob.leave("den", "bob")
    assert [a.endswith(" pause") for a in answers] == [False] * 3 + [True] * 2
    vera.take("den", "o")
    alice.start("den")
    board = "t:board(t:field col=2 row=2('x'))"
    assert vera.start("den")[-1].endswith(f"status('active') t:state({SIZE} t:next('o') {board}))")
    assert len(vera.turn("den", 1, 1, 2)) == 4


def test_a_viewer_who_leaves_pauses_nothing(world: World) -> None:
    alice, _bob, vera = world.match("vera")
    assert len(vera.leave("den", "vera")) == 3
    assert len(alice.turn("den", 1, 1, 1)) == 4


def test_a_large_board(world: World) -> None:
    alice, bob = world.match(rows="10", cols="10", strike="4")
    moves = [(10, 10), (1, 1), (9, 9), (1, 2), (8, 8), (1, 3), (7, 7)]
    last = play(alice, bob, *moves)[-1]
    size = "t:rows('10') t:cols('10') t:strike('4')"
    assert last.endswith(f"status('inactive') t:state({size} t:next('o') t:board t:won('x')))")


def test_a_lost_link_pauses_every_match(world: World) -> None:
    alice, bob = world.match()
    world.server.interrupt()
    assert world.read() == [f"alice/desk < {PAUSED_EMPTY}", f"bob/desk < {PAUSED_EMPTY}"]
    assert len(alice.enter("den", "alice")) == 3
    alice.start("den")
    assert len(bob.start("den")) == 4
