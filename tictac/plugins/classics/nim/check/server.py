"""The checker for a server of Nim; the cases are in server.txt."""

from __future__ import annotations

from collections.abc import Sequence

from tictac.plugins.check.cases import Case, Finding, NotApplicable, Suite
from tictac.plugins.check.peer import MAX_SHOWN, Peer, shown_hex
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, Scene

PLAY, TURN, MOVE, WIN, LOSE, EXIT = (bytes([kind]) for kind in range(1, 7))
NAMES = {1: "play", 2: "turn", 3: "move", 4: "win", 5: "lose", 6: "exit"}

GOODBYE = 1.0
"""Seconds that a server gets between two cases, to notice which players left."""

MOMENT = 0.15

MATCHES = 24
"""Matches of which chance doesn't let the same player begin each."""


def shown_messages(data: bytes) -> str:
    """Return the messages by name, with their bytes."""
    said, left = [], data[:MAX_SHOWN]
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
    return f"{', '.join(said) or 'nothing'} ({shown_hex(data)})"


def move(index: int, amount: int) -> bytes:
    """Return a move as bytes."""
    return MOVE + bytes([index]) + amount.to_bytes(4, "big")


def turn(numbers: Sequence[int]) -> bytes:
    """Return the message with the numbers for the player to move."""
    return TURN + bytes([len(numbers)]) + b"".join(n.to_bytes(4, "big") for n in numbers)


class NimScene(Scene):
    """A table: ``mover`` has the turn, and ``numbers`` are the list that the server sent."""

    show = staticmethod(shown_messages)

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.mover: Peer
        self.other: Peer
        self.numbers: list[int] = []

    def encode(self, text: str) -> bytes:
        return bytes.fromhex(text)

    async def finish(self) -> None:
        """Do nothing: the server may send a waiting player a message at any time."""

    async def close(self) -> None:
        await self.leave()
        await super().close()

    async def leave(self) -> None:
        """Leave, and wait until the server has noticed: it has one table for all cases."""
        here = [peer for peer in self._all if peer.transport is not None and peer.closed is None]
        for peer in here:
            peer.send(EXIT)
        late = self.harness.clock.seconds() + GOODBYE
        while any(p.closed is None and not p.input_ended for p in here):
            if self.harness.clock.seconds() > late:
                break
            await self.wait(0.01)

    async def enter(self, name: str) -> Peer:
        """Connect, and send ``play``."""
        peer = await self.connect(name)
        peer.send(PLAY)
        return peer

    async def meet(self, least: int = 1) -> None:
        """Begin a match of alice and bob with so many numbers; the server chooses who begins."""
        for _ in range(MATCHES):
            if "alice" in self.peers:
                await self.leave()
            alice, bob = await self.enter("alice"), await self.enter("bob")
            await self.start(alice, bob)
            if len(self.numbers) >= least:
                return
        raise NotApplicable(f"no list of {MATCHES} had {least} numbers")

    async def start(self, one: Peer, two: Peer) -> None:
        """Read the first ``turn`` of a match, which either player may get."""
        if not (one.has_stirred or two.has_stirred) and not await one.stirs(two):
            expected = f"turn for {one.name} or {two.name}, who want to play"
            raise Finding(expected, f"nothing came in {self.harness.patience.limit:g} s")
        await self.take_turn(*((one, two) if one.has_stirred else (two, one)))

    async def take_turn(self, mover: Peer, other: Peer) -> None:
        """Read the first ``turn`` of a match."""
        self.mover, self.other = mover, other
        await mover.expect(TURN)
        (count,) = await mover.read(1)
        data = await mover.read(4 * count)
        self.numbers = [int.from_bytes(data[n : n + 4], "big") for n in range(0, 4 * count, 4)]

    async def make(self, index: int, amount: int) -> None:
        """Move, and check the messages to both players."""
        self.mover.send(move(index, amount))
        await self.see(index, amount)

    async def see(self, index: int, amount: int) -> None:
        """Check that the opponent gets the numbers after the move, or both players the result."""
        self.numbers[index] -= amount
        self.numbers = [number for number in self.numbers if number]
        if self.numbers:
            await self.other.expect(turn(self.numbers))
            self.mover, self.other = self.other, self.mover
        else:
            await self.mover.expect(WIN)
            await self.other.expect(LOSE)

    async def play_on(self, left: int = 0) -> None:
        """Take whole numbers until ``left`` numbers are left; at the end ``mover`` has won."""
        while len(self.numbers) > left:
            await self.make(0, self.numbers[0])

    async def sit_down(self, *names: str) -> list[Peer]:
        """Join the queue one by one; a move after each shows that the server continues."""
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
        """Check that the server disconnects one player, and that the other wins."""
        await other.expect(WIN)
        await who.expect_close()


async def probe(harness: Harness, peer: Peer) -> None:
    """Check that two new players can play."""
    other = Peer("another probe", harness.clock, harness.patience, lambda *line: None)
    try:
        await harness.target.connect(other)
        scene = NimScene(harness, SUITE.cases[0])
        for each in (peer, other):
            each.show = shown_messages
            each.send(PLAY)
        await scene.start(peer, other)
        scene.mover.send(move(0, scene.numbers[0]))
        await scene.other.read(1)
    finally:
        other.hang_up()


SUITE = Suite("nim", "docs/nim.md", read_rules(__package__), NimScene, probe, probe_is_seen=True)


async def two_meet(scene: NimScene) -> None:
    await scene.meet()
    if not scene.numbers or not all(scene.numbers):
        raise scene.mover.finding("a list of numbers above 0", f"{scene.numbers} came")


async def ten_numbers(scene: NimScene) -> None:
    await scene.meet()
    if not 3 <= len(scene.numbers) <= 10:
        raise scene.mover.finding("3 to 10 numbers", f"{len(scene.numbers)} came")


async def chance(scene: NimScene) -> None:
    who, lists = set(), set()
    for _ in range(MATCHES):
        await scene.meet()
        who.add(scene.mover.name)
        lists.add(tuple(scene.numbers))
        # Nobody stays for the next match.
        await scene.leave()
    if len(lists) == 1:
        raise Finding("lists that differ", f"{MATCHES} times {scene.numbers} came")
    if len(who) == 1:
        raise Finding("chance to choose who begins", f"{MATCHES} times it was {scene.mover.name}")


async def one_turn(scene: NimScene) -> None:
    await scene.meet(2)
    before = turn(scene.numbers)
    scene.mover.send(move(0, scene.numbers[0]))
    if await scene.other.read(1) == TURN:
        rest = await scene.other.read(len(before) - 5)
        if before.startswith(TURN + rest):
            raise scene.other.finding("no list before a move was made", "the first list came")


async def moves(scene: NimScene) -> None:
    await scene.meet()
    last = len(scene.numbers) - 1
    for index in {0: 0, last: 0, min(1, last): 0}:
        # One that borrows: another order of bytes gives another number.
        number = scene.numbers[index]
        amount = (number & 255) + 1 if number > 255 else max(1, number // 3)
        if amount < number:
            await scene.make(index, amount)


async def zeros(scene: NimScene) -> None:
    await scene.meet(2)
    await scene.make(0, scene.numbers[0])


async def indices(scene: NimScene) -> None:
    await scene.meet(3)
    await scene.make(0, scene.numbers[0])
    await scene.make(1, scene.numbers[1])


async def ends(scene: NimScene) -> None:
    await scene.meet()
    await scene.play_on()


async def loser_goes(scene: NimScene) -> None:
    await scene.meet()
    await scene.play_on()
    await scene.other.expect_close()


async def pieces(scene: NimScene) -> None:
    await scene.meet()
    while len(scene.numbers) > 1:
        amount, data = scene.numbers[0], move(0, scene.numbers[0])
        await scene.send_pieces(scene.mover, data[:1], data[1:4], data[4:], seconds=0.03)
        await scene.see(0, amount)


async def winner_stays(scene: NimScene) -> None:
    await scene.meet()
    await scene.play_on()
    await scene.start(await scene.enter("carol"), scene.mover)
    await scene.make(0, scene.numbers[0])


async def newcomer_begins(scene: NimScene) -> None:
    await scene.meet()
    for name in ("carol", "dave"):
        await scene.play_on()
        await scene.take_turn(await scene.enter(name), scene.mover)
        await scene.make(0, scene.numbers[0])


async def queue(scene: NimScene) -> None:
    await scene.meet()
    carol, dave, _ = await scene.sit_down("carol", "dave", "erin")
    await scene.play_on()
    await scene.take_turn(carol, scene.mover)
    await scene.play_on()
    await scene.take_turn(dave, scene.mover)


async def leave_queue(scene: NimScene) -> None:
    await scene.meet()
    carol, dave, erin = await scene.sit_down("carol", "dave", "erin")
    carol.send(EXIT)
    dave.hang_up()
    await scene.pause(2 * MOMENT)
    await scene.play_on()
    await scene.take_turn(erin, scene.mover)


async def without_play(scene: NimScene) -> None:
    await scene.connect("vera")
    await scene.wait(MOMENT)
    await scene.meet()
    await scene.make(0, scene.numbers[0])


async def exit_in_match(scene: NimScene) -> None:
    await scene.meet()
    scene.mover.send(EXIT)
    await scene.other.expect(WIN)


async def lost_in_match(scene: NimScene) -> None:
    await scene.meet()
    scene.mover.hang_up()
    await scene.other.expect(WIN)


async def exit_out_of_turn(scene: NimScene) -> None:
    await scene.meet()
    scene.other.send(EXIT)
    await scene.mover.expect(WIN)
    await scene.start(await scene.enter("carol"), scene.mover)
    scene.other.hang_up()
    await scene.mover.expect(WIN)


async def together(scene: NimScene) -> None:
    await scene.meet(2)
    scene.mover.send(move(0, scene.numbers[0]) + EXIT)
    await scene.other.expect(turn(scene.numbers[1:]))
    await scene.other.expect(WIN)


async def wrong(scene: NimScene, text: str) -> None:
    """Send each of these messages as the player to move, each in a separate match."""
    for message in text.split():
        await scene.meet()
        scene.mover.send(bytes.fromhex(message))
        await scene.punished(scene.mover, scene.other)


async def wrong_index(scene: NimScene) -> None:
    for index in (None, 255):
        await scene.meet()
        scene.mover.send(move(len(scene.numbers) if index is None else index, 1))
        await scene.punished(scene.mover, scene.other)


async def too_much(scene: NimScene) -> None:
    await scene.meet()
    scene.mover.send(move(0, scene.numbers[0] + 1))
    await scene.punished(scene.mover, scene.other)


async def out_of_turn(scene: NimScene) -> None:
    await scene.meet()
    scene.other.send(move(0, 1))
    await scene.punished(scene.other, scene.mover)


async def play_after_win(scene: NimScene) -> None:
    await scene.meet()
    scene.mover.send(EXIT)
    winner = scene.other
    await winner.expect(WIN)
    winner.send(PLAY)
    await scene.wait(MOMENT)
    await scene.take_turn(await scene.enter("carol"), winner)
    await scene.make(0, scene.numbers[0])


async def move_after_win(scene: NimScene) -> None:
    await scene.meet()
    scene.other.send(EXIT)
    winner = scene.mover
    await winner.expect(WIN)
    winner.send(move(0, 1))
    await scene.wait(MOMENT)
    await scene.take_turn(await scene.enter("carol"), winner)
    await scene.make(0, scene.numbers[0])


SUITE.read_cases(__package__, "server.txt", globals())
