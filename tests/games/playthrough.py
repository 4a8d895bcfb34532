"""The recorded games of tictac: ``python -m tests.games.playthrough [NAME ...]`` makes them anew.

NAME is one of :data:`PLAYTHROUGHS`. Read the differences before you commit them: a room or an
archive that was written before has the older texts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.games.cases import CLUE, CONNECT_FOUR, NIM, REVERSI, TIC_TAC_TOE
from tictac.testing.conformance import Case
from tictac.testing.playthrough import playthrough

PLAYTHROUGHS = {
    "tictactoe": Case(TIC_TAC_TOE),
    "tictactoe_5x4": Case(TIC_TAC_TOE, {"columns": 5, "rows": 4, "strike": 4, "first": "O"}),
    "connectfour": Case(CONNECT_FOUR),
    "connectfour_pops": Case(CONNECT_FOUR, {"pops": True, "columns": 5, "rows": 4}),
    "reversi": Case(REVERSI, {"size": "6"}),
    "nim": Case(NIM),
    "clue": Case(CLUE),
    "clue_alone": Case(CLUE, seats=1),
}
"""The games by the names of their files. Options that change much have a file of their own."""

LEAVES = 8
"""After so many moves, a seat leaves a game that goes on without it."""

HEAD = """\
# Made by: python -m tests.games.playthrough {}
#
# A line that begins with > is a move as a player sends it; at !2, seat 2 leaves. A view is what
# viewers see, and each seat without a view of its own; a position is whole, with its secrets.

"""


def file_of(name: str) -> Path:
    """Return the file of a recorded game."""
    return Path(__file__).with_name("playthroughs") / f"{name}.txt"


def random_moves(case: Case) -> Iterator[str]:
    """Yield the moves of a game at random, the same at every call."""
    game = case.game_type.game(case.options)
    # The dice are those of playthrough. With 6, cards are shown in Clue, and accusations are wrong.
    chance, rng = Random(1), Random(6)
    seats, number = case.seats or case.game_type.seats[0], 0
    position = game.start(seats, chance)
    while (seat := game.turn(position)) is not None:
        leaver = (seat + 1) % seats
        left = game.drop(position, leaver) if number == LEAVES and leaver != seat else None
        text = rng.choice(game.moves(position)) if left is None else f"!{leaver}"
        yield text
        position = (left or game.play(position, text, chance)).position
        number += 1


if __name__ == "__main__":
    for each in sys.argv[1:] or PLAYTHROUGHS:
        case = PLAYTHROUGHS[each]
        file_of(each).write_text(HEAD.format(each) + playthrough(case, random_moves(case)), "utf-8")
