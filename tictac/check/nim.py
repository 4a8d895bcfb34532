"""The cases of servers of Nim."""

from __future__ import annotations

from functools import partial

from tictac.check.cases import Case, Finding, Level, NotApplicable, Suite
from tictac.check.peer import Peer
from tictac.check.scene import Bench, Scene

PLAY, TURN, MOVE, WIN, LOSE, EXIT = (bytes([kind]) for kind in range(1, 7))
NAMES = {1: "play", 2: "turn", 3: "move", 4: "win", 5: "lose", 6: "exit"}

GOODBYE = 1.0
"""Seconds that a server gets to let go those who have left, between two cases."""

MOMENT = 0.15


def shown_messages(data: bytes) -> str:
    """Messages by their names, and their bytes."""
    said, left = [], data
    while left:
        kind, size = left[0], 1
        if kind == TURN[0] and len(left) > 1:
            size = 2 + 4 * left[1]
        elif kind == MOVE[0]:
            size = 6
        numbers = [
            str(int.from_bytes(left[n : n + 4], "big")) for n in range(2, min(size, len(left)), 4)
        ]
        index = [f"index {left[1]}:"] if kind == MOVE[0] and len(left) > 1 else []
        said.append(" ".join([NAMES.get(kind, f"type {kind}"), *index, *numbers]))
        left = left[size:]
    return f"{', '.join(said) or 'nothing'} ({data.hex(' ')})"


def move(index: int, amount: int) -> bytes:
    """A move."""
    return MOVE + bytes([index]) + amount.to_bytes(4, "big")


def turn(numbers: list[int]) -> bytes:
    """The list of numbers for whose turn it is."""
    return TURN + bytes([len(numbers)]) + b"".join(n.to_bytes(4, "big") for n in numbers)


class NimScene(Scene):
    """A table: ``mover`` has the turn, and ``numbers`` are what it was sent."""

    show = staticmethod(shown_messages)

    def __init__(self, bench: Bench, case: Case) -> None:
        super().__init__(bench, case)
        self.mover: Peer
        self.other: Peer
        self.numbers: list[int] = []

    def encode(self, text: str) -> bytes:
        return bytes.fromhex(text)

    async def finish(self) -> None:
        """Nothing: who waits may be sent something at any time."""

    async def close(self) -> None:
        await self.leave()
        await super().close()

    async def leave(self) -> None:
        """Leave, and wait until the server has noticed: it has one table for all cases."""
        here = [peer for peer in self._all if peer.transport is not None and peer.closed is None]
        for peer in here:
            peer.send(EXIT)
        late = self.bench.reactor.seconds() + GOODBYE
        while any(p.closed is None and not p.input_ended for p in here):
            if self.bench.reactor.seconds() > late:
                break
            await self.beat(0.01)

    async def enter(self, name: str) -> Peer:
        """Somebody connects and sends ``play``."""
        peer = await self.connect(name)
        peer.send(PLAY)
        return peer

    async def meet(self) -> None:
        """Let alice and bob begin a match; the dice say who has the turn."""
        if "alice" in self.peers:
            await self.leave()
        alice, bob = await self.enter("alice"), await self.enter("bob")
        await self.start(alice, bob)

    async def start(self, one: Peer, two: Peer) -> None:
        """Read the first ``turn`` of a match, whoever gets it."""
        late = self.bench.reactor.seconds() + self.bench.patience.limit
        while not (one.unread or two.unread or one.closed or two.closed):
            if self.bench.reactor.seconds() > late:
                expected = f"turn for {one.name} or {two.name}, who want to play"
                raise Finding(expected, f"nothing came in {self.bench.patience.limit:g} s")
            await self.beat(0.005)
        await self.take_turn(*((one, two) if one.unread or one.closed else (two, one)))

    async def take_turn(self, mover: Peer, other: Peer) -> None:
        """Read the first ``turn`` of a match."""
        self.mover, self.other = mover, other
        await mover.expect(TURN)
        (count,) = await mover.read(1)
        data = await mover.read(4 * count)
        self.numbers = [int.from_bytes(data[n : n + 4], "big") for n in range(0, 4 * count, 4)]

    async def make(self, index: int, amount: int) -> None:
        """Move, and see what both are sent for it."""
        self.mover.send(move(index, amount))
        await self.see(index, amount)

    async def see(self, index: int, amount: int) -> None:
        """See that the other one is sent what the move leads to, or both that it is over."""
        self.numbers[index] -= amount
        self.numbers = [number for number in self.numbers if number]
        if self.numbers:
            await self.other.expect(turn(self.numbers))
            self.mover, self.other = self.other, self.mover
        else:
            await self.mover.expect(WIN)
            await self.other.expect(LOSE)

    async def play_on(self, left: int = 0) -> None:
        """Take whole numbers until so many are left; in the end ``mover`` has won."""
        while len(self.numbers) > left:
            await self.make(0, self.numbers[0])

    async def sit_down(self, *names: str) -> list[Peer]:
        """Join the queue, one after the other; a move between tells that the server goes on."""
        peers = []
        for name in names:
            peers.append(await self.enter(name))
            await self.pause(MOMENT)
            index = max(range(len(self.numbers)), key=self.numbers.__getitem__)
            if self.numbers[index] > 1:
                await self.make(index, 1)
        if any(peer.unread for peer in peers):
            raise NotApplicable("it has more than one table")
        return peers

    async def punished(self, who: Peer, other: Peer) -> None:
        """See that one is disconnected, and the other has won."""
        await other.expect(WIN)
        await who.expect_close()


async def probe(bench: Bench, peer: Peer) -> None:
    """See that two who come now can play."""
    other = Peer("another probe", bench.reactor, bench.patience, lambda *line: None)
    try:
        await bench.target.connect(other)
        scene = NimScene(bench, SUITE.cases[0])
        for each in (peer, other):
            each.show = shown_messages
            each.send(PLAY)
        await scene.start(peer, other)
        await scene.make(0, scene.numbers[0])
    finally:
        other.hang_up()


SUITE = Suite("nim", "a server of Nim", "docs/nim.md", NimScene, probe)

# A server has one table: what one case does is seen by the next.
_case = partial(SUITE.case, alone=True)


@_case(
    "1.1", "two who play meet", "Messages",
    "When two have sent play (01), the one who begins is sent turn: 02, one byte n from 3 to 10, and"
    " n numbers of four bytes above 0, the highest byte first.",
    "When the second client has sent the byte 01, draw 3 to 10 numbers and send them to one of the"
    " two: 02, how many, then each in four bytes (struct.pack('>I', number)).",
    gate=True, alone=False,
)  # fmt: skip
async def two_meet(scene: NimScene) -> None:
    await scene.meet()
    if not 3 <= len(scene.numbers) <= 10:
        raise scene.mover.finding("3 to 10 numbers", f"{len(scene.numbers)} came")
    if not all(0 < number < 1 << 24 for number in scene.numbers):
        raise scene.mover.finding(
            "numbers above 0, the highest byte first", f"{scene.numbers} came"
        )


@_case(
    "1.2", "the list is for whose turn it is", "A match",
    "The player who begins is sent turn; the other one is sent turn when a move was made.",
    "Send turn to one player alone: to the one who is to move.",
    needs="1.1",
)  # fmt: skip
async def one_turn(scene: NimScene) -> None:
    await scene.meet()
    before = turn(scene.numbers)
    scene.mover.send(move(0, scene.numbers[0]))
    if await scene.other.read(1) == TURN:
        rest = await scene.other.read(len(before) - 5)
        if before.startswith(TURN + rest):
            raise scene.other.finding("no list before a move was made", "the first list came")


@_case(
    "2.1", "a move takes the amount from the number", "Messages",
    "A move is 03, the index in the list from 0, and four bytes, the amount; the other player is sent"
    " the new list as turn.",
    "Subtract the amount from the number at that index (counted from 0) and send the whole new list"
    " to the other player.",
    needs="1.2",
)  # fmt: skip
async def moves(scene: NimScene) -> None:
    await scene.meet()
    last = len(scene.numbers) - 1
    for index in (0, last, 1):
        amount = max(1, scene.numbers[index] // 3)
        if amount < scene.numbers[index]:
            await scene.make(index, amount)


@_case(
    "2.2", "zeros are left out", "A match",
    "Zeros are left out, so the list shrinks.",
    "Remove a number from the list when it has become 0, before you send the list.",
    needs="2.1",
)  # fmt: skip
async def zeros(scene: NimScene) -> None:
    await scene.meet()
    await scene.make(0, scene.numbers[0])


@_case(
    "2.3", "indices count in the list that was sent last", "A match",
    "Zeros are left out, so the list shrinks and the indices move.",
    "Take the index for one of the list without its zeros, which the player was sent, not for one of"
    " the list of the beginning.",
    needs="2.2",
)  # fmt: skip
async def indices(scene: NimScene) -> None:
    await scene.meet()
    await scene.make(0, scene.numbers[0])
    await scene.make(1, scene.numbers[1])


@_case(
    "2.4", "who empties the list wins", "A match",
    "Who has made the list empty is sent win (04), who hasn't lose (05).",
    "When the list has become empty send 04 to the player who has made that move, and 05 to the other.",
    needs="2.3",
)  # fmt: skip
async def ends(scene: NimScene) -> None:
    await scene.meet()
    await scene.play_on()


@_case(
    "2.5", "who has lost is let go", "A match",
    "Who hasn't made the list empty is sent lose, and is disconnected.",
    "Close the connection of the player who has lost, behind the byte 05.",
    needs="2.4",
)  # fmt: skip
async def loser_goes(scene: NimScene) -> None:
    await scene.meet()
    await scene.play_on()
    await scene.other.expect_close()


@_case(
    "2.6", "a move that comes in pieces", "Messages",
    "TCP may split messages.",
    "Read until all six bytes of a move are there: one recv needn't return all that was sent.",
    needs="2.3",
)  # fmt: skip
async def pieces(scene: NimScene) -> None:
    await scene.meet()
    while len(scene.numbers) > 1:
        amount, data = scene.numbers[0], move(0, scene.numbers[0])
        for cut in (data[:1], data[1:4], data[4:]):
            scene.mover.send(cut)
            await scene.beat(0.03)
        await scene.see(0, amount)


@_case(
    "3.1", "the winner stays", "The queue",
    "A winner needs no second play: it meets the next of the queue.",
    "Keep the winner at the table, and begin the next match as soon as somebody is in the queue.",
    needs="2.5",
)  # fmt: skip
async def winner_stays(scene: NimScene) -> None:
    await scene.meet()
    await scene.play_on()
    await scene.start(await scene.enter("carol"), scene.mover)
    await scene.make(0, scene.numbers[0])


@_case(
    "3.2", "the newcomer begins", "A match",
    "Of a winner who has stayed and a newcomer it is the newcomer who begins.",
    "Send the first list of a match to the player who has come from the queue.",
    needs="3.1",
)  # fmt: skip
async def newcomer_begins(scene: NimScene) -> None:
    await scene.meet()
    for name in ("carol", "dave"):
        await scene.play_on()
        await scene.take_turn(await scene.enter(name), scene.mover)
        await scene.make(0, scene.numbers[0])


@_case(
    "3.3", "first come, first served", "The queue",
    "Who has sent play and meets nobody yet waits in a queue, first come, first served.",
    "Keep those who wait in the order in which they have sent play, and take the first of them.",
    needs="3.2",
)  # fmt: skip
async def queue(scene: NimScene) -> None:
    await scene.meet()
    carol, dave, _ = await scene.sit_down("carol", "dave", "erin")
    await scene.play_on()
    await scene.take_turn(carol, scene.mover)
    await scene.play_on()
    await scene.take_turn(dave, scene.mover)


@_case(
    "3.4", "who leaves the queue is forgotten", "The queue",
    "Exit (06) is the way out, at any time.",
    "Take a client out of the queue when it sends 06, and when its connection is lost.",
    needs="3.3",
)  # fmt: skip
async def leave_queue(scene: NimScene) -> None:
    await scene.meet()
    carol, dave, erin = await scene.sit_down("carol", "dave", "erin")
    carol.send(EXIT)
    dave.hang_up()
    await scene.pause(2 * MOMENT)
    await scene.play_on()
    await scene.take_turn(erin, scene.mover)


@_case(
    "3.5", "who hasn't sent play doesn't play", "The queue",
    "Whoever connects and sends play takes part.",
    "Don't count a client when it connects, but when it has sent the byte 01.",
    needs="2.1",
)  # fmt: skip
async def without_play(scene: NimScene) -> None:
    await scene.connect("vera")
    await scene.beat(MOMENT)
    await scene.meet()
    await scene.make(0, scene.numbers[0])


@_case(
    "4.1", "exit gives the match to the other one", "The queue",
    "Exit during a match: the other player gets win.",
    "When a player sends 06, send 04 to the opponent.",
    needs="2.1",
)  # fmt: skip
async def exit_in_match(scene: NimScene) -> None:
    await scene.meet()
    scene.mover.send(EXIT)
    await scene.other.expect(WIN)


@_case(
    "4.2", "so does a connection that is lost", "The queue",
    "The other player gets win also when the connection is lost.",
    "Treat the end of a connection (recv returns nothing) like exit.",
    needs="2.1",
)  # fmt: skip
async def lost_in_match(scene: NimScene) -> None:
    await scene.meet()
    scene.mover.hang_up()
    await scene.other.expect(WIN)


@_case(
    "4.3", "also if it isn't the leaver's turn", "The queue",
    "Exit is the way out at any time; the other player gets win.",
    "Read from both players all the time, not only from the one who is to move.",
    needs="4.1 4.2",
)  # fmt: skip
async def exit_out_of_turn(scene: NimScene) -> None:
    await scene.meet()
    scene.other.send(EXIT)
    await scene.mover.expect(WIN)
    await scene.start(await scene.enter("carol"), scene.mover)
    scene.other.hang_up()
    await scene.mover.expect(WIN)


@_case(
    "4.4", "messages that come together", "Messages",
    "TCP may join messages.",
    "Keep what you have read beyond a message: it is the beginning of the next.",
    needs="4.1",
)  # fmt: skip
async def together(scene: NimScene) -> None:
    await scene.meet()
    scene.mover.send(move(0, scene.numbers[0]) + EXIT)
    await scene.other.expect(turn(scene.numbers[1:]))
    await scene.other.expect(WIN)


async def _wrong(scene: NimScene, data: bytes) -> None:
    """Whose turn it is sends something wrong."""
    await scene.meet()
    scene.mover.send(data)
    await scene.punished(scene.mover, scene.other)


_WRONG = "Whoever does that is disconnected, and its opponent gets win"


@_case(
    "5.1", "a type that isn't defined", "Errors", f"{_WRONG}: a type that isn't defined.",
    "Close the connection, that one only, when the first byte of a message is none of the types (0"
    " never is one), and tell the opponent 04.",
    needs="4.2",
)  # fmt: skip
async def undefined(scene: NimScene) -> None:
    for data in (b"\x00", b"\x07", b"\xff"):
        await _wrong(scene, data)


@_case(
    "5.2", "a type of the server's", "Errors", f"{_WRONG}: a type that only the server sends.",
    "Close the connection of a client that sends 02, 04 or 05.", needs="5.1",
)  # fmt: skip
async def servers_types(scene: NimScene) -> None:
    for data in (turn([1, 2]), WIN, LOSE):
        await _wrong(scene, data)


@_case(
    "5.3", "an index outside the list", "Errors", f"{_WRONG}: a move with an index outside the list.",
    "Compare the index with the length of the list: the last one is the length less 1.", needs="5.1",
)  # fmt: skip
async def wrong_index(scene: NimScene) -> None:
    for index in (None, 255):
        await scene.meet()
        scene.mover.send(move(len(scene.numbers) if index is None else index, 1))
        await scene.punished(scene.mover, scene.other)


@_case(
    "5.4", "an amount of 0", "Errors", f"{_WRONG}: a move with an amount of 0.",
    "Refuse an amount below 1.", needs="5.1",
)  # fmt: skip
async def nothing_taken(scene: NimScene) -> None:
    await _wrong(scene, move(0, 0))


@_case(
    "5.5", "an amount above the number", "Errors", f"{_WRONG}: a move with an amount above the number.",
    "Compare the amount with the number before you subtract it.", needs="5.1",
)  # fmt: skip
async def too_much(scene: NimScene) -> None:
    await scene.meet()
    scene.mover.send(move(0, scene.numbers[0] + 1))
    await scene.punished(scene.mover, scene.other)


@_case(
    "5.6", "amounts have no sign", "Messages",
    f"All values are unsigned. {_WRONG}: a move with an amount above the number.",
    "Read the amount as unsigned (struct.unpack('>I', ...)): FFFFFFFF is 4294967295, not -1.",
    needs="5.5",
)  # fmt: skip
async def unsigned(scene: NimScene) -> None:
    await _wrong(scene, move(0, 0xFFFFFFFF))


@_case(
    "5.7", "a move out of turn", "Errors", f"{_WRONG}: a move out of turn.",
    "Look who has sent a move, and whether it is that player's turn.", needs="5.1",
)  # fmt: skip
async def out_of_turn(scene: NimScene) -> None:
    await scene.meet()
    scene.other.send(move(0, 1))
    await scene.punished(scene.other, scene.mover)


@_case(
    "5.8", "a second play", "Errors", f"{_WRONG}: a second play.",
    "Close the connection of a client that sends 01 again before it has won.", needs="5.1",
)  # fmt: skip
async def second_play(scene: NimScene) -> None:
    await _wrong(scene, PLAY)


@_case(
    "6.1", "a play that crossed with win", "After a win",
    "After each win one play is ignored, whenever it comes.",
    "Forgive a client that has won one play: it may have sent it before it knew.",
    needs="3.2 4.1", level=Level.DECIDED,
)  # fmt: skip
async def play_after_win(scene: NimScene) -> None:
    await scene.meet()
    scene.mover.send(EXIT)
    winner = scene.other
    await winner.expect(WIN)
    winner.send(PLAY)
    await scene.beat(MOMENT)
    await scene.take_turn(await scene.enter("carol"), winner)
    await scene.make(0, scene.numbers[0])


@_case(
    "6.2", "a move that crossed with win", "After a win",
    "After each win one move is ignored, if the client was to move when it won.",
    "Forgive a client that has won one move: it may have sent it before it knew that it had won.",
    needs="3.2 4.1", level=Level.DECIDED,
)  # fmt: skip
async def move_after_win(scene: NimScene) -> None:
    await scene.meet()
    scene.other.send(EXIT)
    winner = scene.mover
    await winner.expect(WIN)
    winner.send(move(0, 1))
    await scene.beat(MOMENT)
    await scene.take_turn(await scene.enter("carol"), winner)
    await scene.make(0, scene.numbers[0])
