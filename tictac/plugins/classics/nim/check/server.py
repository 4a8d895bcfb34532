"""The suite for servers of Nim; the cases are in server.txt."""

from __future__ import annotations

from collections.abc import Sequence

from tictac.plugins.check.cases import Case, Finding, NotApplicable, OtherRuleBroken, Suite
from tictac.plugins.check.peer import MAX_SHOWN, Peer, shown_hex
from tictac.plugins.check.rules import read_rules
from tictac.plugins.check.scene import Harness, Scene, direction

NAMES = ("play", "turn", "move", "win", "lose", "exit")

GOODBYE = 1.0
"""Maximum seconds between two cases, in which the server notices disconnected players."""

MOMENT = 0.15

MATCHES = 24
"""Number of matches after which both players have begun, except by extreme chance."""

LISTS = 8
"""Number of lists whose length a case checks."""

SHORTEST_SILENCE, LONGEST_SILENCE = 5.0, 600.0
"""Minimum and maximum seconds that a server can wait for a move (rule N3.2)."""


class Types:
    """The first byte of each message. It's an option, because the source's header file is lost."""

    def __init__(self, kinds: Sequence[int] = (1, 2, 3, 4, 5, 6)) -> None:
        self.names = dict(zip(kinds, NAMES, strict=True))
        self.play, self.turn, self.move, self.win, self.lose, self.exit = (
            bytes([kind]) for kind in kinds
        )

    @classmethod
    def read(cls, text: str) -> Types:
        """Read ``--types``. Raises ValueError."""
        kinds = [int(part) if part.isdecimal() else 256 for part in text.split(",")]
        if len(set(kinds)) != len(kinds) or len(kinds) != len(NAMES) or max(kinds) > 255:
            raise ValueError(f"that is six numbers below 256, for {', '.join(NAMES)}")
        return cls(kinds)

    def a_move(self, index: int, amount: int) -> bytes:
        """Return a move as bytes."""
        return self.move + bytes([index]) + amount.to_bytes(4, "big")

    def a_turn(self, numbers: Sequence[int]) -> bytes:
        """Return the message with the numbers for the player to move."""
        return self.turn + bytes([len(numbers)]) + b"".join(n.to_bytes(4, "big") for n in numbers)

    def shown(self, data: bytes) -> str:
        """Return the messages by name, with their bytes."""
        said, left = [], data[:MAX_SHOWN]
        while left:
            kind, size = self.names.get(left[0], f"type {left[0]}"), 1
            if kind == "turn" and len(left) > 1:
                size = 2 + 4 * left[1]
            elif kind == "move":
                size = 6
            numbers = [
                str(int.from_bytes(left[n : n + 4], "big"))
                for n in range(2, min(size, len(left)), 4)
            ]
            index = [f"index {left[1]}:"] if kind == "move" and len(left) > 1 else []
            said.append(" ".join([kind, *index, *numbers]))
            left = left[size:]
        return f"{', '.join(said) or 'nothing'} ({shown_hex(data)})"

    def free(self) -> list[bytes]:
        """Return the lowest two types that no message has, and the highest."""
        free = [bytes([kind]) for kind in range(256) if kind not in self.names]
        return [*free[:2], free[-1]]

    def read_hex(self, text: str) -> bytes:
        """Return the bytes of a hexadecimal text, in which ``{turn}`` is the type of a message.

        ``{free}`` is an undefined type.
        """
        names = {name: bytes([kind]) for kind, name in self.names.items()}
        whole = {**names, "free": self.free()[-1]}
        return bytes.fromhex(text.format(**{name: kind.hex() for name, kind in whole.items()}))

    @classmethod
    def of(cls, harness: Harness) -> Types:
        """Return the types of the program under test."""
        return harness.options.get("types") or cls()


class NimScene(Scene):
    """A case of a Nim server. ``mover`` has the turn, and ``numbers`` is the current list.

    Scripts have ``mover`` and ``other`` as names of these players' connections, too.
    """

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        self.types = Types.of(harness)
        self.show = self.types.shown
        self.numbers: list[int] = []

    @property
    def mover(self) -> Peer:
        """The player who has the turn."""
        return self.peers["mover"]

    @property
    def other(self) -> Peer:
        """The opponent of ``mover``."""
        return self.peers["other"]

    def encode(self, text: str) -> bytes:
        return self.types.read_hex(text)

    async def finish(self) -> None:
        """Do nothing: the server can send a waiting player a message at any time."""

    async def close(self) -> None:
        await self.leave()
        await super().close()

    async def leave(self) -> None:
        """Send ``exit`` on all connections, and wait until the server closes them.

        The server has one match and one queue for all cases.
        """
        here = [peer for peer in self._all if peer.transport is not None and peer.closed is None]
        for peer in here:
            peer.send(self.types.exit)
        late = self.harness.clock.seconds() + GOODBYE
        while any(p.closed is None and not p.input_ended for p in here):
            if self.harness.clock.seconds() > late:
                break
            await self.wait(0.01)

    async def enter(self, name: str) -> Peer:
        """Connect, and send ``play``."""
        peer = await self.connect(name)
        peer.send(self.types.play)
        return peer

    @direction(r"they meet(?: with (\d) numbers)?")
    async def meet(self, least: str | None = None) -> None:
        """Begin a match of alice and bob with at least ``least`` numbers. Raises NotApplicable."""
        for _ in range(MATCHES):
            if "alice" in self.peers:
                await self.leave()
            alice, bob = await self.enter("alice"), await self.enter("bob")
            await self.start(alice, bob)
            if len(self.numbers) >= int(least or 1):
                return
        raise NotApplicable(f"no list of {MATCHES} had {least or 1} numbers")

    async def start(self, one: Peer, two: Peer) -> None:
        """Expect the first ``turn`` of a match, which either player can get. Raises Finding."""
        if not (one.is_readable or two.is_readable) and not await one.wait_readable(two):
            expected = f"turn for {one.name} or {two.name}, who want to play"
            raise Finding(expected, f"nothing came in {self.harness.patience.limit:g} s")
        await self.take_turn(*((one, two) if one.is_readable else (two, one)))

    async def take_turn(self, mover: Peer, other: Peer) -> None:
        """Expect the first ``turn`` of a match at ``mover``, and read its numbers."""
        self.peers |= {"mover": mover, "other": other}
        await mover.expect(self.types.turn)
        (count,) = await mover.read(1)
        data = await mover.read(4 * count)
        self.numbers = [int.from_bytes(data[n : n + 4], "big") for n in range(0, 4 * count, 4)]

    @direction(r"(\w+) and (\w+) start")
    async def _start(self, one: str, two: str) -> None:
        await self.start(self.peers[one], self.peers[two])

    @direction(r"(\w+) has the first turn against (\w+)")
    async def _take_turn(self, mover: str, other: str) -> None:
        await self.take_turn(self.peers[mover], self.peers[other])

    @direction("the mover takes the first number")
    async def take_first(self) -> None:
        """Take the whole first number."""
        await self.make_move(0, self.numbers[0])

    async def make_move(self, index: int, amount: int) -> None:
        """Move, and check the messages to both players."""
        self.mover.send(self.types.a_move(index, amount))
        await self.expect_result(index, amount)

    async def expect_result(self, index: int, amount: int) -> None:
        """Check that the opponent gets the numbers after the move, or both players the result."""
        self.numbers[index] -= amount
        self.numbers = [number for number in self.numbers if number]
        if self.numbers:
            await self.other.expect(self.types.a_turn(self.numbers))
            self.peers |= {"mover": self.other, "other": self.mover}
        else:
            await self.mover.expect(self.types.win)
            await self.other.expect(self.types.lose)

    @direction("they play to the end")
    async def play_on(self) -> None:
        """Take whole numbers until none remain: ``mover`` wins."""
        while self.numbers:
            await self.take_first()

    @direction("(.+) join the queue")
    async def join_queue(self, names: str) -> None:
        """Join the queue one by one; a move after each shows that the server continues."""
        peers = []
        for name in names.split(", "):
            peers.append(await self.enter(name))
            await self.pause(MOMENT)
            index = max(range(len(self.numbers)), key=self.numbers.__getitem__)
            if self.numbers[index] > 1:
                await self.make_move(index, 1)
        if any(peer.unread for peer in peers):
            raise NotApplicable("it has more than one table")

    async def expect_forfeit(self, who: Peer, other: Peer) -> None:
        """Check that the server disconnects one player, and that the other wins."""
        await other.expect(self.types.win)
        await who.expect_close()


async def probe(harness: Harness, peer: Peer) -> None:
    """Check that two new players can play."""
    other = Peer("another probe", harness.clock, harness.patience, lambda *line: None)
    try:
        await harness.target.connect(other)
        scene = NimScene(harness, SUITE.cases[0])
        for each in (peer, other):
            each.show = scene.show
            each.send(scene.types.play)
        await scene.start(peer, other)
        scene.mover.send(scene.types.a_move(0, scene.numbers[0]))
        await scene.other.read(1)
    finally:
        other.hang_up()


SUITE = Suite(
    "nim", "docs/reference/nim.md", read_rules(__package__), NimScene, probe, probe_disturbs=True,
    options={"types": Types.read},
)  # fmt: skip


async def two_meet(scene: NimScene) -> None:
    await scene.meet()
    if not scene.numbers or not all(scene.numbers):
        with scene.citing("N1.2"):
            raise scene.mover.finding("a list of numbers above 0", f"{scene.numbers} came")
    if not any(number % (1 << 24) for number in scene.numbers):
        with scene.citing("N1.3"):
            expected = "numbers with the highest byte first"
            raise scene.mover.finding(expected, f"{scene.numbers} came: the lowest byte is first")


async def ten_numbers(scene: NimScene) -> None:
    for _ in range(LISTS):
        await scene.meet()
        if not 1 <= len(scene.numbers) <= 10:
            raise scene.mover.finding("at most 10 numbers", f"{len(scene.numbers)} came")
        # Begin the next match with new connections.
        await scene.leave()


async def chance(scene: NimScene) -> None:
    who, lists = set(), set()
    for _ in range(MATCHES):
        await scene.meet()
        who.add(scene.mover.name)
        lists.add(tuple(scene.numbers))
        # Begin the next match with new connections.
        await scene.leave()
    if len(lists) == 1:
        raise Finding("lists that differ", f"{MATCHES} times {scene.numbers} came")
    if len(who) == 1:
        raise Finding("chance to choose who begins", f"{MATCHES} times it was {scene.mover.name}")


async def one_turn(scene: NimScene) -> None:
    await scene.meet("2")
    before = scene.types.a_turn(scene.numbers)
    scene.mover.send(scene.types.a_move(0, scene.numbers[0]))
    if await scene.other.read(1) == scene.types.turn:
        rest = await scene.other.read(len(before) - 5)
        if before.startswith(scene.types.turn + rest):
            raise scene.other.finding("no list before a move was made", "the first list came")


async def moves(scene: NimScene) -> None:
    await scene.meet()
    last = len(scene.numbers) - 1
    for index in {0: 0, last: 0, min(1, last): 0}:
        # The low byte of the difference borrows, so a wrong byte order gives a wrong number.
        number = scene.numbers[index]
        amount = (number & 255) + 1 if number > 255 else max(1, number // 3)
        if amount < number:
            await scene.make_move(index, amount)


async def indices(scene: NimScene) -> None:
    await scene.meet("3")
    await scene.take_first()
    # Take 1, because taking all of either of two equal numbers leaves the same list.
    await scene.make_move(1, 1)


async def pieces(scene: NimScene) -> None:
    await scene.meet()
    while len(scene.numbers) > 1:
        amount, data = scene.numbers[0], scene.types.a_move(0, scene.numbers[0])
        await scene.send_pieces(scene.mover, data[:1], data[1:4], data[4:], seconds=0.03)
        await scene.expect_result(0, amount)


async def leave_queue(scene: NimScene) -> None:
    await scene.meet()
    await scene.join_queue("carol, dave, erin")
    scene.peers["carol"].send(scene.types.exit)
    scene.peers["dave"].hang_up()
    await scene.pause(2 * MOMENT)
    await scene.play_on()
    await scene.take_turn(scene.peers["erin"], scene.mover)


async def together(scene: NimScene) -> None:
    await scene.meet("2")
    scene.mover.send(scene.types.a_move(0, scene.numbers[0]) + scene.types.exit)
    await scene.other.expect(scene.types.a_turn(scene.numbers[1:]))
    await scene.other.expect(scene.types.win)


async def wrong(scene: NimScene, text: str) -> None:
    """Send each of these messages as the player to move, each in a separate match."""
    for message in text.split():
        await scene.meet()
        scene.mover.send(scene.types.read_hex(message))
        await scene.expect_forfeit(scene.mover, scene.other)


async def undefined(scene: NimScene) -> None:
    for message in scene.types.free():
        await scene.meet()
        scene.mover.send(message)
        await scene.expect_forfeit(scene.mover, scene.other)


async def silent(scene: NimScene, text: str = "") -> None:
    """Check that a player who sends only a part of a move loses in time."""
    await scene.meet()
    scene.mover.send(scene.types.read_hex(text))
    began = scene.harness.clock.seconds()
    await scene.other.expect(scene.types.win, limit=LONGEST_SILENCE)
    await scene.mover.expect_close()
    took = scene.harness.clock.seconds() - began
    if took < SHORTEST_SILENCE:
        expected = f"{SHORTEST_SILENCE:g} s at least for a move"
        raise OtherRuleBroken("N3.2", expected, f"{scene.mover.name} lost after {took:.1f} s")


async def wrong_index(scene: NimScene) -> None:
    for index in (None, 255):
        await scene.meet()
        scene.mover.send(scene.types.a_move(len(scene.numbers) if index is None else index, 1))
        await scene.expect_forfeit(scene.mover, scene.other)


async def too_much(scene: NimScene) -> None:
    await scene.meet()
    scene.mover.send(scene.types.a_move(0, scene.numbers[0] + 1))
    await scene.expect_forfeit(scene.mover, scene.other)


SUITE.read_cases(__package__, "server.txt", globals())
