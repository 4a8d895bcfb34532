"""Tables as the shell shows them: what the last move has changed, how a match ended."""

from __future__ import annotations

from typing import Any

from tests.plugins.client.helpers import START, ended, moved, room_event
from tictac.plugins.client.room_panel import SeenTable
from tictac.terminal.style import Style

THREE = {"rows": 3, "columns": 3, "strike": 3, "first": "X"}


def table(colour: bool, **fields: Any) -> SeenTable:
    """Return a table at which alice has seat 0."""
    seen = SeenTable(Style(colour), lambda: 0.0)
    seen.handle_event(room_event(**{"seat": 0} | fields))
    return seen


def test_the_last_move_is_marked_without_colour() -> None:
    seen = table(False)
    lines = seen.handle_event(moved(4, 0, "b1", ".X../.XX./.XO./.... O", 1))
    assert lines[:6] == [
        "You: b1", "     a b c d", "  1  .>X . .", "  2  .>X X .", "  3  . X O .", "  4  . . . .",
    ]  # fmt: skip
    assert lines[6] == "     X 4, O 1"


def test_the_line_that_has_won_is_marked() -> None:
    end = ended(4, "won", 0, move="2:2", position="120120001")
    fields = {"game": "tictactoe", "options": THREE, "position": "120120000"}
    assert (
        table(False, **fields).handle_event(end)[-2] == "  3  . .>X"
    )  # no line: the position is as told
    end["position"] = "120120100"
    assert table(False, **fields).handle_event(end)[2:5] == [
        "  1 *X O .",
        "  2 *X O .",
        "  3 *X . .",
    ]
    assert "".join(table(True, **fields).handle_event(end)).count("\x1b[1;7;32mX") == 3


def test_a_line_of_connect_four_is_marked_in_the_first_column() -> None:
    options = {"columns": 7, "rows": 6, "pops": True, "repetition": True}
    rows = "/".join(["......."] * 4)
    before = f"{rows}/YYY..../RRR.... R"
    end = ended(4, "won", 0, move="4", position=f"{rows}/YYY..../RRRR... Y")
    seen = table(False, game="connectfour", options=options, position=before)
    assert seen.handle_event(end)[-2] == "*R*R*R*R . . ."


def test_in_clue_what_was_shown_stays_in_view() -> None:
    places = "17,24/U,V/15,0/10,0/0,6/U,S"
    players = [{"user": name, "away": False} for name in ("alice", *"bcdef")]
    asked = f"{places} 0 suggest 0 - - - -"
    options = {"rounds": 500}
    seen = table(False, game="clue", options=options, position=asked, players=players)
    assert seen.players() == (
        "alice (Scarlet), b (Mustard), c (White), d (Green), e (Peacock), f (Plum). You are Scarlet"
    )
    shown = moved(4, 1, "suggest 5 rope U: 3 rope", f"{places} 1 turn 0 0:5,rope,U:3:rope - - -", 1)
    assert len(seen.handle_event(shown)) == 1, "no board drives away what is told"
    wrong = moved(5, 1, "accuse", f"{places} 2 turn 0 - 1 - -", 2)
    assert seen.handle_event(wrong) == ["b (Mustard): accuse: wrong, and out"]
    seen.handle_event(moved(5, 1, "no-roll", f"{places} 2 turn 0 - - - -", 2))
    assert "Green showed you rope" in seen.status()
    drawn = seen.handle_event(moved(6, 2, "roll 7", f"{places} 0 move 7 - - - -", 0))
    assert len(drawn) == 20, "the board for who goes somewhere"


def test_what_ended_it_is_told() -> None:
    for said, how, more in (
        ("alice took too long for a move.", "timed out", {}),
        ("alice ran out of time.", "timed out", {"clocks": [0, 60]}),
        ("alice left.", "left", {}),
        ("alice disconnected and didn't come back.", "left", {"disconnected": True}),
    ):
        lines = table(False, seat=1).handle_event(ended(4, how, 1, **more))
        assert lines[-2:] == [said, "You have won."]


def test_clocks_with_more_than_an_increment() -> None:
    byoyomi = {"initial": 60, "increment": 0, "period": 30, "periods": 3}
    for clock, shown in (
        (byoyomi, "0:05 + 3x30 s / 0:12 (2 periods left)"),
        ({"initial": 60, "delay": 5}, "1:35 (delay 5 s) / 0:42 (delay 5 s)"),
        ({"initial": 60, "new": 5}, "1:35 / 0:42"),
        ("fast", "1:35 / 0:42"),
    ):
        seen = SeenTable(Style(), lambda: 7.0, marks=False)
        seen.handle_event(room_event(0, clocks=[95, 42.5], clock=clock))
        assert seen.status().endswith(shown)


def test_a_period_that_runs_out_while_nobody_moves() -> None:
    now = [0.0]
    seen = SeenTable(Style(), lambda: now[0], marks=False)
    clock = {"initial": 60, "increment": 0, "period": 30, "periods": 3}
    assert "(You 0:05 + 3x30 s, bob 0:30 (last period))" in " ".join(
        seen.handle_event(room_event(0, clocks=[95, 30], clock=clock))
    )
    now[0] = 36
    assert "0:29 (2 periods left) / 0:30 (last period)" in seen.status()


def test_offers_that_come_to_nothing() -> None:
    seen, about = table(False), {"room": "k7", "seat": 0, "what": "takeback"}
    for event, said in (
        ("offered", "You asked for a takeback."),
        ("expired", "You waited too long for the takeback."),
        ("withdrawn", "You withdrew the takeback."),
    ):
        assert seen.handle_event({"event": event, "n": 5, **about}) == [said]
    undone = {"event": "undone", "room": "k7", "n": 7, "seat": 0, "count": 2, "position": START}
    assert seen.handle_event(undone)[0] == "You took 2 moves back."


def test_a_game_that_this_program_does_not_know() -> None:
    event = room_event(None, game="chess", title="Chess", options={}, position="a\x1bb")
    lines = SeenTable(Style(), lambda: 0.0, marks=False).handle_event(event)
    assert lines[-2:] == ["a\\x1bb", "It is alice's turn."]


def test_a_game_that_isnt_installed_is_shown_as_its_picture() -> None:
    start = {"game": "hexes", "options": {}, "position": "a", "picture": ["/ \\", "\\ /"]}
    seen = table(False, **start)
    assert seen.board() == ["/ \\", "\\ /"]
    lines = seen.handle_event(moved(4, 0, "b", "b", 1) | {"picture": ["/-\\", "\\ /"]})
    assert lines[1:3] == ["/-\\", "\\ /"]
