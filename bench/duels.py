"""Matches between two nodes that are played for one fault, so that a test needs no luck."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence

from bench.servers import BenchError
from bench.survivors import Line, Lost, Notes

USERS = ("xena", "yves")

KEPT = 1.0
"""Seconds until moves out of turn are at the owner of the room, and until its answers are back."""


class Duel:
    """A running match: the first player is at the room's owner, the second one at another node."""

    def __init__(self, room: str, lines: Sequence[Line]) -> None:
        self.notes = Notes(room, USERS, done=len(USERS))
        self._owner, self._visitor = self._lines = lines

    @classmethod
    async def begin(cls, room: str, ports: Sequence[int]) -> Duel:
        """Begin a match in a new room, at the nodes of these two ports."""
        lines = [await Line.open([port], user) for port, user in zip(ports, USERS, strict=True)]
        requests = (f"CREATE:{room}", f"JOIN:{room}:PLAYER")
        for line, request in zip(lines, requests, strict=True):
            answer = await line.ask(request)
            if not answer.endswith(":ACKSTATUS:0"):
                raise BenchError(f"{answer} to {request}")
        for line in lines:
            await line.hear()  # The match begins.
        return cls(room, lines)

    async def end(self, fault: Awaitable[object], patience: float) -> list[str]:
        """Resign while a fault begins; describe players without the end ``patience`` s after it."""
        under_way = asyncio.ensure_future(fault)
        await asyncio.sleep(0)
        self._owner.say("FORFEIT")
        await under_way
        return (await self._hear(patience))[1]

    async def overtake(self, patience: float) -> list[str]:
        """Make a waiting move of the visitor impossible by playing another one.

        Describe the players without the end, and a visitor whose boards came out of order.
        """
        for move in ("PLACE:1:0", "PLACE:2:2"):
            self._visitor.say(move)
        await asyncio.sleep(KEPT)
        self._owner.say("PLACE:1:0")
        await asyncio.sleep(KEPT)
        self._owner.say("FORFEIT")
        boards, faults = await self._hear(patience)
        if is_overtaken(boards):
            faults.append(f"{USERS[1]} was told in {self.notes.room}: {', '.join(boards)}")
        return faults

    async def _hear(self, patience: float) -> tuple[list[str], list[str]]:
        """Return the visitor's boards, and descriptions of the players who didn't get the end."""
        heard = [await self._hear_end(line, patience) for line in self._lines]
        faults = [
            f"{user} was never told how {self.notes.room} ended"
            for user, (_, is_told) in zip(USERS, heard, strict=True)
            if not is_told
        ]
        return heard[1][0], faults

    async def _hear_end(self, line: Line, patience: float) -> tuple[list[str], bool]:
        boards = list[str]()
        try:
            async with asyncio.timeout(patience):
                while True:
                    verb, _, rest = (await line.hear()).partition(":")
                    if verb == "GAMEEND":
                        self.notes.ends.add(rest)
                        return boards, True
                    boards.append(rest)
        except (Lost, TimeoutError):
            return boards, False
        finally:
            self.notes.seen += boards
            line.close()


def is_overtaken(boards: Sequence[str]) -> bool:
    """Return whether an older board came after a newer one."""
    free = [board.count("0") for board in boards]
    return free != sorted(free, reverse=True)
