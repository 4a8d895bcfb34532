"""A server of the two-player session (docs/reference/session.md)."""

from __future__ import annotations

from typing import Literal

from tests.plugins.check.servers import LINES, Faulty, Link, main

ON = 4


class Player:
    """Somebody, with what was sent and not used yet."""

    def __init__(self, link: Link, order: str = "big") -> None:
        self.link, self.order = link, order
        self.moves: list[int] = []
        self.match: Match | None = None

    def say(self, *numbers: int) -> None:
        order: Literal["little", "big"] = "little" if self.order == "little" else "big"
        self.link.send(b"".join(n.to_bytes(4, order, signed=True) for n in numbers))


class Match:
    """A match of two."""

    def __init__(self, server: Session, players: list[Player], cells: list[int]) -> None:
        self.fault, self.players, self.cells = server.fault, players, cells
        self.turn, self.over = 0, False

    def go_on(self) -> None:
        """Make the moves that are there."""
        while not self.over and len(self.players[self.turn].moves) > 1:
            row, column, *self.players[self.turn].moves = self.players[self.turn].moves
            cell = 3 * row + column
            if self.cells[cell] and self.fault != "takes an occupied cell":
                self.close(self.turn)
                return
            self.cells[cell] = self.turn + 1
            self.tell(row, column)
            self.turn = 1 - self.turn

    def tell(self, row: int, column: int) -> None:
        status, mover, other = self.status(), self.players[self.turn], self.players[1 - self.turn]
        if self.fault == "swaps row and column":
            row, column = column, row
        if self.fault == "counts rows from 1":
            row += 1
        if status != ON or self.fault == "tells the mover, too":
            mover.say(status)
        if status != ON and self.fault == "forgets the last move":
            other.say(status)
        elif status != ON or self.fault != "keeps moves to itself":
            other.say(status, row, column)
        if status != ON and self.fault != "never closes":
            self.close()

    def status(self) -> int:
        lines = {
            "misses the middle row": [line for line in LINES if line != (3, 4, 5)],
            "misses a column": [line for line in LINES if line != (2, 5, 8)],
            "misses a diagonal": LINES[:-1],
        }.get(self.fault, LINES)
        if self.fault == "only rows win for player 2" and self.turn == 1:
            lines = LINES[:3]
        won = any(all(self.cells[cell] == self.turn + 1 for cell in line) for line in lines)
        full = all(self.cells)
        if won and not (full and self.fault == "takes a win with the last cell for a draw"):
            return 1 if self.fault == "always lets player 1 win" else self.turn + 1
        return 3 if full and self.fault != "forgets a draw" else ON

    def close(self, first: int = 0) -> None:
        """End it; the connection of ``first`` before the other."""
        self.over = True
        self.players[first].link.close()
        if self.fault != "leaves the opponent waiting":
            self.players[1 - first].link.close()


class Session(Faulty):
    """The first to come is player 1, the next player 2."""

    FAULTS = {
        "only rows win for player 2": "session-3.5",
        "little-endian": "session-1.1",
        "doesn't say that player 2 is there": "session-1.1",
        "has one match in all": "session-1.2",
        "has one match at a time": "session-1.3",
        "has one board for all": "session-1.4",
        "keeps moves to itself": "session-2.1",
        "swaps row and column": "session-2.1",
        "counts rows from 1": "session-2.1",
        "tells the mover, too": "session-2.2",
        "needs a whole move in one read": "session-2.3",
        "reads one number at a time": "session-2.4",
        "drops early moves": "session-2.5",
        "drops moves before the match": "session-2.6",
        "misses the middle row": "session-3.2",
        "misses a column": "session-3.3",
        "misses a diagonal": "session-3.4",
        "always lets player 1 win": "session-3.5",
        "forgets the last move": "session-3.1",
        "forgets a draw": "session-3.6",
        "takes a win with the last cell for a draw": "session-3.7",
        "never closes": "session-3.8",
        "pairs with who has left": "session-4.1",
        "takes an occupied cell": "session-4.2",
        "dies of a cell off the board": "session-4.3",
        "leaves the opponent waiting": "session-4.4",
        "waits for a player who has gone": "session-4.5",
    }

    def __init__(self, fault: str = "") -> None:
        super().__init__(fault)
        self.waiting: Player | None = None
        self.cells = [0] * 9
        self.matches = 0
        self.last: Match | None = None

    async def talk(self, link: Link) -> None:
        player = Player(link, "little" if self.fault == "little-endian" else "big")
        if self.waiting is None:
            self.waiting = player
            player.say(1)
        else:
            self.begin(self.waiting, player)
        await self.read(player)
        if self.waiting is player and self.fault != "pairs with who has left":
            self.waiting = None
        careless = self.fault == "waits for a player who has gone"
        if player.match and not player.match.over and not careless:
            player.match.close(player.match.players.index(player))

    def begin(self, first: Player, second: Player) -> None:
        self.waiting = None
        self.matches += 1
        if self.matches > 1 and self.fault == "has one match in all":
            return
        if self.fault == "has one match at a time" and self.last and not self.last.over:
            return
        cells = self.cells if self.fault == "has one board for all" else [0] * 9
        first.match = second.match = self.last = Match(self, [first, second], cells)
        second.say(2)
        if self.fault != "doesn't say that player 2 is there":
            first.say(1)
        if self.fault == "drops moves before the match":
            first.moves.clear()
        first.match.go_on()

    async def read(self, player: Player) -> None:
        rest = b""
        while data := await player.link.reader.read(100):
            if self.fault == "needs a whole move in one read" and len(data) % 8:
                return
            if self.fault == "reads one number at a time":
                data = data[:8]
            rest += data
            while len(rest) > 3:
                number = int.from_bytes(rest[:4], player.order, signed=True)  # type: ignore[arg-type]
                rest = rest[4:]
                if number not in (0, 1, 2):
                    if self.fault == "dies of a cell off the board":
                        self.block()
                    return
                player.moves.append(number)
            if player.match:
                if self.fault == "drops early moves":
                    other = player.match.players[1 - player.match.turn]
                    other.moves.clear()
                player.match.go_on()
                if player.match.over:
                    return


if __name__ == "__main__":
    main(Session)
