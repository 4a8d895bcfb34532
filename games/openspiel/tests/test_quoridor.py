"""Quoridor: OpenSpiel's moves against rules of our own, because it warns of a fault."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from tictac_openspiel import opponent, quoridor
from tictac_openspiel.games import GAME_TYPES
from tictac_openspiel.quoridor import FAR, SIZE, WAYS, Cell, blocked, distance
from twisted.trial.unittest import SynchronousTestCase

MATCHES, MOST = 6, 90
FILES = "abcdefghi"


def steps(own: Cell, other: Cell, between: set[tuple[Cell, Cell]]) -> Iterator[Cell]:
    """Yield where a pawn can go, by the rules as they are printed."""

    def near(cell: Cell) -> Iterator[Cell]:
        for dx, dy in WAYS:
            x, y = cell[0] + dx, cell[1] + dy
            if 0 <= x < SIZE and 0 <= y < SIZE and (cell, (x, y)) not in between:
                yield x, y

    for cell in near(own):
        if cell != other:
            yield cell
            continue
        behind = (2 * cell[0] - own[0], 2 * cell[1] - own[1])
        yield from [behind] if behind in near(cell) else (at for at in near(cell) if at != own)


def walls(pawns: tuple[Cell, Cell], there: list[str]) -> Iterator[str]:
    """Yield the walls that can be put."""
    for x in range(SIZE - 1):
        for y in range(SIZE - 1):
            for kind, (dx, dy) in (("h", (1, 0)), ("v", (0, 1))):
                name = f"{FILES[x]}{y + 1}"
                overlaps = {f"{name}h", f"{name}v"} | {
                    f"{FILES[x + by * dx]}{y + 1 + by * dy}{kind}" for by in (-1, 1)
                }
                between = blocked([*there, name + kind])
                ways = (distance(pawns[seat], (0, SIZE - 1)[seat], between) for seat in (0, 1))
                if not overlaps & {*there} and max(ways) < FAR:
                    yield name + kind


class QuoridorTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.game: Any = GAME_TYPES["quoridor"].game()

    def test_moves_are_those_of_the_rules(self) -> None:
        """A pawn can always move, so that OpenSpiel's fault, a forced pass, can't happen."""
        for seed in range(MATCHES):
            rng, position = Random(seed), self.game.start(2, Random(seed))
            pawns: list[Cell] = [(4, 8), (4, 0)]
            there, left = list[str](), [10, 10]
            while position.mover is not None and len(position.history) < MOST:
                mover = position.mover
                found = {
                    f"{FILES[x]}{y + 1}"
                    for x, y in steps(pawns[mover], pawns[1 - mover], blocked(there))
                }
                assert found, position
                pawn = sorted(found)
                if left[mover]:
                    found |= {*walls((pawns[0], pawns[1]), there)}
                assert found == {*position.moves}, position
                move = rng.choice(pawn if rng.random() < 0.5 else sorted(found))
                position = self.game.play(position, move, None).position
                if len(move) == 3:
                    there.append(move)
                    left[mover] -= 1
                else:
                    pawns[mover] = (FILES.index(move[0]), int(move[1]) - 1)

    def test_the_ways_of_the_pawns_are_counted_around_walls(self) -> None:
        position = self.game.start(2, Random(1))
        assert quoridor.pressure(position.state) == 0
        # A step ahead; a wall across both ways; and one that only this pawn has to go around.
        for move, ahead in (("e8", 1), ("d7h", 1), ("e8v", 0)):
            position = self.game.play(position, move, None).position
            assert quoridor.pressure(position.state) == ahead

    def test_walls_are_drawn_at_a_terminal(self) -> None:
        view = GAME_TYPES["quoridor"].text_view({})
        rows = "/".join(["....B....", *["........."] * 7, "....A...."])
        lines = view.lines(f"{rows} A left=8-9 walls=d2h+a1v+h8v", lambda seat, text: text)
        assert lines[0] == "   a   b   c   d   e   f   g   h   i"
        assert lines[1] == "1  . | .   .   .   B   .   .   .   ."
        assert lines[3] == "2  . | .   .   .   .   .   .   .   ."
        assert lines[4] == "              ---+---"
        assert lines[-1] == "Walls left: 8-9" and len(lines) <= 22

    def test_a_computer_runs_when_it_is_ahead(self) -> None:
        position = self.game.start(2, Random(1))
        for move in ("e8", "e2", "e7", "e3", "e6", "e4"):
            position = self.game.play(position, move, None).position
        move = opponent.choose(self.game, position, "beginner", lambda: True, Random(1))
        assert move in position.moves and move not in ("d6", "f6", "e7")
