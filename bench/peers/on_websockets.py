"""The same on the Python package websockets: python on_websockets.py PORT."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from websockets.asyncio.server import broadcast, serve


class Room:
    """Tic-tac-toe of two connections."""

    def __init__(self) -> None:
        self.sockets: list[Any] = []
        self._begin()

    def _begin(self) -> None:
        self.cells, self.turn, self.made = ["0"] * 9, 0, 0

    def play(self, seat: int, move: str) -> dict[str, Any]:
        """Return what both players hear; the ninth move ends the match, and the next begins."""
        cell = int(move[0]) + 3 * int(move[2])
        if self.turn != seat or self.cells[cell] != "0":
            return {"error": "illegal-move"}
        self.cells[cell] = str(seat + 1)
        self.turn, self.made = 1 - seat, self.made + 1
        position, over = "".join(self.cells), self.made == 9
        said = {"seat": seat, "move": move, "position": position, "turn": self.turn, "over": over}
        if over:
            self._begin()
        return said


rooms: dict[str, Room] = {}


async def handle(socket: Any) -> None:
    """Seat a player, then play its moves."""
    room = rooms.setdefault(json.loads(await socket.recv())["join"], Room())
    seat = len(room.sockets)
    room.sockets.append(socket)
    await socket.send(json.dumps({"seat": seat}))
    async for data in socket:
        broadcast(room.sockets, json.dumps(room.play(seat, json.loads(data)["move"])))


async def main() -> None:
    """Serve until the process is ended."""
    async with serve(handle, "127.0.0.1", int(sys.argv[1]), compression=None):
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
