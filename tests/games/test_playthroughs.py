"""Recorded games, played again: they show what changed of the rules, the texts, and the views.

A change is allowed, but it has to be seen: older archives and journals have the older texts.
"""

from __future__ import annotations

from difflib import unified_diff

import pytest

from tests.games.cases import NIM, TIC_TAC_TOE
from tests.games.playthrough import HEAD, PLAYTHROUGHS, file_of, random_moves
from tictac.plugin import plugins
from tictac.testing.conformance import Case
from tictac.testing.playthrough import moves_in, playthrough


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_a_recorded_game_shows_what_it_showed(name: str) -> None:
    kept = file_of(name).read_text("utf-8")
    again = HEAD.format(name) + playthrough(PLAYTHROUGHS[name], moves_in(kept))
    changes = "\n".join(unified_diff(kept.splitlines(), again.splitlines(), "kept", "now", n=1))
    assert kept == again, f"{changes}\nIf this is right: python -m tests.games.playthrough {name}"


def test_every_bundled_game_is_recorded() -> None:
    # No others that happen to be installed.
    own = [plugin for source, plugin in plugins() if source.split()[0] == "tictac"]
    bundled = {name for plugin in own for name in plugin.games}
    assert {case.game_type.name for case in PLAYTHROUGHS.values()} == bundled
    assert {*file_of("").parent.iterdir()} == {*map(file_of, PLAYTHROUGHS)}


def test_a_recorded_game_of_clue_shows_every_kind_of_move() -> None:
    moves = moves_in(file_of("clue").read_text("utf-8"))
    kinds = {"roll", "no-roll", "go", "suggest", "show", "accuse"}
    assert {move.split()[0] for move in moves if move[0] != "!"} == kinds


def test_a_recorded_move_that_is_refused_is_the_last_line() -> None:
    text = playthrough(Case(TIC_TAC_TOE), ["1:1", "1:1", "0:0"])
    assert text.endswith("> 1:1\nrefused: 1:1 is occupied by X\n")


def test_a_recorded_game_ends_where_a_player_leaves_a_game_for_two() -> None:
    text = playthrough(Case(NIM), ["0:1", "!1"])
    assert "> !1\nmade: the match is over\n" in text and "result: None\n" in text


def test_the_same_moves_are_made_at_random() -> None:
    assert all(
        [*random_moves(case)] == moves_in(file_of(name).read_text("utf-8"))
        for name, case in PLAYTHROUGHS.items()
    )
