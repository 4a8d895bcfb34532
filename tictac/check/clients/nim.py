"""The cases of a client of Nim."""

from __future__ import annotations

import struct

from tictac.check.cases import Finding, NotApplicable
from tictac.check.clients.scene import SETTLE, ClientScene, ClientSuite
from tictac.check.peer import shown_hex
from tictac.check.scene import direction
from tictac.games.nim.rules import Move, Numbers, moves_between, take

PLAY, TURN, MOVE, WIN, LOSE = (bytes([kind]) for kind in range(1, 6))


def turn(*numbers: int) -> bytes:
    """The message of a list."""
    return TURN + struct.pack(f"!B{len(numbers)}I", len(numbers), *numbers)


class NimClientScene(ClientScene):
    """A case of a Nim client."""

    show = staticmethod(shown_hex)
    typed = "{position} {amount}"
    numbers: Numbers = ()

    @direction("it takes part")
    async def takes_part(self) -> None:
        """It sends ``play``."""
        await (await self.peer()).expect(PLAY)

    @direction(r"of ([\d ]+) it takes (\d+) from index (\d+)")
    async def takes(self, numbers: str, amount: str, at: str) -> None:
        """It is told a list, and answers."""
        listed = tuple(map(int, numbers.split(" ")))
        if self.numbers and not moves_between(self.numbers, listed):
            listed = take(self.numbers, Move(0, 1))  # who plays by itself has moved otherwise
        (await self.peer()).send(turn(*listed))
        await self.moves(listed, int(at), int(amount))

    async def moves(self, numbers: tuple[int, ...], at: int, amount: int) -> None:
        """Have it make a move; any that is legal, if it plays by itself."""
        peer = await self.peer()
        self.type_move(position=at + 1, index=at, amount=amount)
        if peer.unread.startswith(PLAY):
            peer.unread = peer.unread[1:]  # may come again after a win
        data = await peer.read(6)
        kind, index, taken = struct.unpack("!cBI", data)
        legal = kind == MOVE and index < len(numbers) and 0 < taken <= numbers[index]
        if not legal or (not self.plays_itself and (index, taken) != (at, amount)):
            expected = shown_hex(MOVE + struct.pack("!BI", at, amount))
            if self.plays_itself:
                expected = "03, an index of the list, and an amount that can be taken"
            raise Finding(f"server to get {expected}", f"{shown_hex(data)} came")
        self.numbers = take(numbers, Move(index, taken))

    @direction("the server sends ([0-9a-f ]+)")
    async def _sends(self, data: str) -> None:
        (await self.peer()).send(bytes.fromhex(data))

    @direction("it ends")
    async def _ends_somehow(self) -> None:
        await self.ends()


SUITE = ClientSuite("nim-client", "a client of Nim", "docs/nim.md", NimClientScene)


@SUITE.special("""
1.1 it connects to the host and port of its command [gate]
The client: tictac nim -h HOST -p PORT
Connect to the host and port that are given on the command line as soon as the program starts.
""")
async def connects(scene: NimClientScene) -> None:
    await scene.peer()


SUITE.read("""
1.2 it sends play, one byte [gate, needs 1.1]
Messages: play, 1, client: the type, one byte
Send one byte, 1, as soon as you are connected, and flush it.
(it takes part)

1.3 a move is six bytes [gate, needs 1.2]
Messages: move, 3: type, one byte: the index in the list, from 0; four bytes: the amount
Send the type 3, the index, and the amount in four bytes, the highest first: "!BBI" in Python.
(it takes part)
(of 24 17 3 it takes 6 from index 0)

2.1 the index counts from 0 [needs 1.3]
Messages: one byte: the index in the list, from 0
What a person calls the third number has the index 2.
(it takes part)
(of 24 17 3 it takes 2 from index 2)

2.2 the list shrinks [needs 1.3]
A match: Zeros are left out, so the list shrinks and the indices move.
Forget the last list at each turn: an index is one of the list that came last.
(it takes part)
(of 24 17 3 it takes 1 from index 2)
(of 24 2 it takes 2 from index 1)

2.3 amounts are unsigned [needs 1.3]
Messages: All values are unsigned and in network byte order.
Read and write numbers as unsigned: they go up to 4294967295.
(it takes part)
(of 4294967295 1 1 it takes 3000000000 from index 0)

2.4 a list may have ten numbers [needs 1.3]
The game: A list of 3 to 10 numbers.
Read as many numbers as the byte behind the type says.
(it takes part)
(of 1 2 3 4 5 6 7 8 9 300 it takes 299 from index 9)

3.1 a winner stays [needs 1.3]
A match: Who has made the list empty gets win, at once; it stays.
After win wait for the next turn: don't end, and don't connect again.
(it takes part)
(of 1 1 1 it takes 1 from index 0)
(of 1 it takes 1 from index 0)
(the server sends 04)
(of 24 17 3 it takes 6 from index 0)

3.2 somebody may win before the first turn [needs 1.3]
The queue: During a match the other player gets win, perhaps before its first turn.
Take win at any time.
(it takes part)
(the server sends 04)
(of 24 17 3 it takes 6 from index 0)

3.3 a loser leaves [needs 1.3]
A match: Who hasn't gets lose, at once; and is disconnected.
After lose say so and end.
(it takes part)
(of 1 1 it takes 1 from index 0)
(the server sends 05)
(it ends)

3.4 after a match that was lost the exit status is 0 [decided, needs 3.3]
The client: A client plays until it loses or leaves; the exit status is 0 then.
Losing is no error: exit with status 0.
(it takes part)
(of 1 1 it takes 1 from index 0)
(the server sends 05)
(it ends with 0)

4.1 a type that there isn't [needs 1.2]
The client: A server that says what it can't say is told in one line on standard error, status 1.
Look at the type of each message: at one that isn't turn, win or lose print an error and exit.
(it takes part)
(the server sends 09)
(it ends with an error)

4.2 an empty list [needs 1.2]
Messages: turn, 2: type, one byte n > 0, then n numbers of four bytes, each > 0
A list without numbers can't be: print an error and exit with status 1.
(it takes part)
(the server sends 02 00)
(it ends with an error)

4.3 a list with a zero [needs 1.2]
Messages: turn, 2: type, one byte n > 0, then n numbers of four bytes, each > 0
A zero in the list can't be: print an error and exit with status 1.
(it takes part)
(the server sends 02 03 00000001 00000000 00000001)
(it ends with an error)

4.4 a server that goes away [decided, needs 1.3]
The client: A server that is lost is told in one line on standard error, and the status is 1.
When recv gives nothing, or read gives -1, the server has closed: exit then.
(it takes part)
(of 24 17 3 it takes 6 from index 0)
(the server hangs up)
(it ends with an error)

4.5 there is no server [decided, needs 1.1]
The client: A server that can't be reached is told in one line, and the status is 1.
When connecting fails, say so and exit with status 1.
(there is no server)
""")

CHOPPED = """
2.5 messages may come in pieces [needs 1.3]
Messages: TCP may split messages and join them.
Read until a message is whole: TCP may bring one byte at a time.
"""
JOINED = """
2.6 messages may come at once [needs 3.1]
Messages: TCP may split messages and join them.
Keep what is left behind a message: TCP may bring the next one with it.
"""


@SUITE.special(CHOPPED)
async def chopped(scene: NimClientScene) -> None:
    await scene.takes_part()
    for byte in turn(24, 17, 3):
        (await scene.peer()).send(bytes([byte]))
        await scene.wait(0.02)
    await scene.moves((24, 17, 3), 0, 6)


@SUITE.special(JOINED)
async def joined(scene: NimClientScene) -> None:
    await scene.takes_part()
    await scene.takes("1 1 1", "1", "0")
    await scene.takes("1", "1", "0")
    (await scene.peer()).send(WIN + turn(24, 17, 3))
    await scene.moves((24, 17, 3), 0, 6)


@SUITE.special("""
4.6 what can't be taken isn't sent [decided, needs 1.3]
The client: A wrong entry is asked for again.
Compare what is typed with the list before you send it, and ask again if it can't be taken.
""")
async def too_much(scene: NimClientScene) -> None:
    if scene.plays_itself:
        raise NotApplicable("nobody types its moves")
    await scene.takes_part()
    (await scene.peer()).send(turn(24, 17, 3))
    scene.type_move(position=3, index=2, amount=4)
    await scene.wait(SETTLE)
    await scene.moves((24, 17, 3), 2, 3)
