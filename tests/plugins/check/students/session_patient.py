"""A session server with asyncio that ignores moves on a taken cell or off the board.

It waits for another. Moves out of turn are dropped, and the next player 1 waits meanwhile.

``session_patient.py PORT``
"""

# mypy: ignore-errors

import asyncio
import sys


class Session(asyncio.Protocol):
    waiting = None

    def connection_made(self, transport):
        self.transport, self.buffer, self.other = transport, b"", None
        self.taken = {}
        first = Session.waiting
        if first is None:
            self.number, Session.waiting = 1, self
            self.tell(1)
        else:
            self.number, Session.waiting = 2, None
            self.other, first.other, self.taken = first, self, first.taken
            self.tell(2)
            first.tell(1)

    def tell(self, *numbers):
        self.transport.write(b"".join(number.to_bytes(4, "big") for number in numbers))

    def data_received(self, data):
        self.buffer += data
        while len(self.buffer) >= 8:
            move, self.buffer = self.buffer[:8], self.buffer[8:]
            row, column = (
                int.from_bytes(part, "big", signed=True) for part in (move[:4], move[4:])
            )
            if self.other is not None and len(self.taken) % 2 + 1 == self.number:
                self.move(row, column)

    def move(self, row, column):
        if (row, column) in self.taken or not (0 <= row < 3 and 0 <= column < 3):
            return
        self.taken[row, column] = self.number
        status = self.status()
        self.other.tell(status, row, column)
        if status != 4:
            self.tell(status)
            self.transport.close()
            self.other.transport.close()

    def status(self):
        own = [cell for cell, number in self.taken.items() if number == self.number]
        for at in range(3):
            if sum(row == at for row, _ in own) == 3 or sum(column == at for _, column in own) == 3:
                return self.number
        if sum(row == column for row, column in own) == 3:
            return self.number
        if sum(row + column == 2 for row, column in own) == 3:
            return self.number
        return 3 if len(self.taken) == 9 else 4

    def connection_lost(self, _):
        if Session.waiting is self:
            Session.waiting = None
        if self.other is not None:
            self.other.transport.close()


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Session, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


asyncio.run(main())
