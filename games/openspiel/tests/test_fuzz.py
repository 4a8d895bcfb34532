"""What is no history, no position, and no move of a game: each is refused, and ends no process.

OpenSpiel ends the process with a segmentation fault on an impossible action, so a fault here isn't
a failed test, but the end of all tests of this file.
"""

from __future__ import annotations

import contextlib
from random import Random
from typing import Any

from tictac_openspiel.adapter import Position
from tictac_openspiel.catalogue_of_tables import ENTRIES
from tictac_openspiel.games import GAME_TYPES
from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import IllegalMove, NotAMove

SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789+*@/- |x=QSAKé\u0663\0"
NUMBERS = (-(2**70), -(2**31), -5, -1, 0, 1, 51, 52, 9_999, 2**31, 2**63, 2**70)
ROUNDS = 100


def positions(name: str, rng: Random) -> list[Position]:
    """Return some positions of a random game, up to 60 moves from its beginning."""
    game: Any = GAME_TYPES[name].game()
    found = [game.start(game.entry.seats[0], rng)]
    for _ in range(rng.choice((5, 20, 60))):
        if not (moves := game.moves(found[-1])):
            break
        found.append(game.play(found[-1], rng.choice(moves), rng).position)
    return found


class FuzzTests(SynchronousTestCase):
    def histories(self, name: str) -> None:
        game, rng = GAME_TYPES[name].game(), Random(name)
        known = [game.dump(position) for position in positions(name, rng)]
        for _ in range(ROUNDS):
            head, *words = rng.choice(known).split(" ")
            at = rng.randrange(len(words) + 1)
            number = str(rng.choice((*NUMBERS, rng.randrange(3000))))
            words = rng.choice(
                (
                    [*words[:at], number, *words[at + 1 :]],
                    [*words[:at], number, *words[at:]],
                    words[:at],
                    [*words, *words],
                    sorted(words),
                    [*words[:at], rng.choice(SIGNS), *words[at:]],
                )
            )
            head = rng.choice((head, head, head, "0", "-1", "99", "", "2:", "2:x", "2:1:1"))
            text = " ".join([head, *words])
            with contextlib.suppress(ValueError):
                # What it takes, it can play on.
                again: Any = game.load(text)
                assert game.load(game.dump(again)) == again
                assert (game.turn(again) is None) == (not game.moves(again))

    def moves(self, name: str) -> None:
        game, rng = GAME_TYPES[name].game(), Random(name)
        found = positions(name, rng)
        somewhere = [move for position in found for move in game.moves(position)]
        for _ in range(ROUNDS):
            position, move = rng.choice(found), rng.choice(somewhere)
            at = rng.randrange(len(move) + 1)
            text = rng.choice(
                (
                    move,
                    move[:at] + rng.choice(SIGNS) + move[at:],
                    move[:at] + rng.choice(SIGNS) + move[at + 1 :],
                    move[::-1],
                    move + rng.choice(somewhere),
                    f"{move} | {rng.choice(NUMBERS)}",
                    f"{move} | ",
                    "".join(rng.choices(SIGNS, k=rng.randrange(9))),
                )
            )
            dice = rng.choice((None, Random(1)))
            with contextlib.suppress(NotAMove, IllegalMove):
                after = game.play(position, text, dice)
                plain = text.partition(" | ")[0]
                assert plain in game.moves(position), f"{text!r} was taken in {position!r}"
                assert game.play(position, after.move, None) == after

    def typed(self, name: str) -> None:
        game_type, rng = GAME_TYPES[name], Random(name)
        view = game_type.text_view(game_type.values({}))
        for _ in range(ROUNDS):
            with contextlib.suppress(NotAMove):
                assert isinstance(view.read("".join(rng.choices(SIGNS, k=rng.randrange(12)))), str)


def _test(what: str, name: str) -> Any:
    return lambda self: getattr(self, what)(name)


for _entry in ENTRIES:
    for _what in ("histories", "moves", "typed"):
        setattr(FuzzTests, f"test_{_what}_of_{_entry.name}", _test(_what, _entry.name))
