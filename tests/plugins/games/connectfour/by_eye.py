"""Connect Four a second time, as slow and as plain as can be: what the rules are held against."""

from __future__ import annotations

from collections.abc import Iterator

from tictac.plugins.games.connectfour.rules import Move

DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


class ByEye:
    """A game on columns of letters, the lowest first. It remembers all boards it has seen."""

    def __init__(
        self, columns: int = 7, rows: int = 6, pops: bool = True, repetition: bool = False
    ) -> None:
        self.columns = [""] * columns
        self.rows = rows
        self.pops = pops
        self.repetition = repetition
        self.mover = "R"
        self.seen = [self.drawn()]

    def drawn(self) -> tuple[str, ...]:
        """Return the board's rows, the top one first, and the side to move."""
        padded = [column.ljust(self.rows, ".") for column in self.columns]
        return (*("".join(row) for row in reversed(list(zip(*padded, strict=True)))), self.mover)

    def winners(self) -> set[str]:
        """Return who has four in a row, by walking from each cell in each direction."""
        grid = self.drawn()[:-1]
        return {
            side
            for side in "RY"
            for row in range(self.rows)
            for column in range(len(self.columns))
            for down, right in DIRECTIONS
            if grid[row][column] == side
            and "".join(self._walk(grid, row, column, down, right)) == side * 4
        }

    def _walk(
        self, grid: tuple[str, ...], row: int, column: int, down: int, right: int
    ) -> Iterator[str]:
        for step in range(4):
            y, x = row + down * step, column + right * step
            if 0 <= y < self.rows and 0 <= x < len(self.columns):
                yield grid[y][x]

    def outcome(self) -> str | None:
        """Return ``R``, ``Y``, or ``draw``, or None before the end."""
        winners = self.winners()
        if winners:
            # Whoever isn't to move has popped, and wins when both have four.
            popper = "Y" if self.mover == "R" else "R"
            return popper if popper in winners else self.mover
        repeated = self.repetition and self.seen.count(self.seen[-1]) >= 3
        if repeated or not self.possible():
            return "draw"
        return None

    def possible(self) -> list[Move]:
        """Return the drops and pops that the rules allow, whether the game is over or not."""
        numbered = list(enumerate(self.columns, 1))
        drops = [Move("DROP", n) for n, pieces in numbered if len(pieces) < self.rows]
        pops = [Move("POP", n) for n, pieces in numbered if pieces.startswith(self.mover)]
        return drops + (pops if self.pops else [])

    def moves(self) -> list[Move]:
        """Return the moves that can be played: none once the game is over."""
        return [] if self.outcome() else self.possible()

    def play(self, move: Move) -> None:
        """Make a move."""
        pieces = self.columns[move.column - 1]
        self.columns[move.column - 1] = pieces[1:] if move.kind == "POP" else pieces + self.mover
        self.mover = "Y" if self.mover == "R" else "R"
        self.seen.append(self.drawn())

    def copy(self) -> ByEye:
        copy = ByEye(len(self.columns), self.rows, self.pops, self.repetition)
        copy.columns, copy.mover, copy.seen = self.columns[:], self.mover, self.seen[:]
        return copy

    def sequences(self, length: int) -> int:
        """Return the number of sequences of this many moves from here."""
        if length == 0:
            return 1
        total = 0
        for move in self.moves():
            after = self.copy()
            after.play(move)
            total += after.sequences(length - 1)
        return total
