"""A program that speaks UCI, USI or GTP as a player of the lobby protocol.

The tournament starts this module as the command of such a player (players.py): it starts the
program, shakes hands with it, and then connects to ask for a seat. So only a program
that answers gets a seat. A program that ends, or answers nonsense, ends the bridge with status 1
and a line on standard error, which the tournament shows. An impossible move goes to the server,
which decides.

Source: UCI (Stefan Meyer-Kahlen, 2006), USI for shogi, GTP 2 (Gunnar Farnebäck, 2002).
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import NamedTuple, Protocol

from twisted.internet.defer import Deferred, DeferredList, FirstError, TimeoutError
from twisted.internet.error import ConnectError, ConnectionClosed, ProcessExitedAlready
from twisted.internet.interfaces import IReactorProcess, IReactorTime
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from tictac.errors import Refusal, SetupError
from tictac.game import Dialect, Game, GameType
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.net.client_connection import WrongMessage
from tictac.plugins.client.connection import LobbyClient, Message, Refused, connect
from tictac.plugins.programs.program import in_reactor
from tictac.reactor import Reactor
from tictac.terminal.style import visible

PLACES = "/usr/games", "/usr/local/games"
"""Folders after those of PATH, which Debian uses for programs that play."""

PATIENCE = 10.0
"""Seconds for an answer that needs no thinking."""

LAG = 0.05
"""Seconds of its clock that a program doesn't get, for the way of its move to the server."""

MATE = 100_000
"""The score of a mate, in centipawns."""

LONGEST = 1 << 16
"""Maximum characters of a line."""

MOST_LINES = 100_000
"""Maximum lines that wait unread, and lines of an answer."""


class Trouble(SetupError):
    """The program can't play on; ``str()`` is the reason."""


class Declined(Trouble):
    """A GTP command that the program refused."""


class Engine(ProcessProtocol):
    """A running program that answers lines by lines; ``name`` is its name in messages."""

    def __init__(self, clock: IReactorTime, name: str) -> None:
        self.name, self.last = name, ""
        self.ended: Deferred[Trouble | None] = Deferred()
        """Fires when the program has ended."""
        self._clock, self._rest = clock, b""
        self._trouble: Trouble | None = None
        self._lines: deque[str] = deque()
        self._waiting: Deferred[None] | None = None

    def send(self, line: str) -> None:
        """Send a line."""
        if self.transport is not None:
            self.transport.write(f"{line}\n".encode())

    async def line(self) -> str:
        """Return the next line. Raises Trouble after the last one."""
        while not self._lines:
            if self._trouble is not None:
                raise self._trouble
            self._waiting = Deferred()
            await self._waiting
        self.last = self._lines.popleft()
        return self.last

    async def answer(self, wanted: Callable[[str], bool]) -> str:
        """Skip lines until ``wanted`` is true for one, and return it. Raises Trouble."""
        while not wanted(line := await self.line()):
            pass
        return line

    async def soon(self, wanted: Callable[[str], bool], what: str) -> str:
        """Return such a line, if it comes within PATIENCE. Raises Trouble that names ``what``."""
        answering: Deferred[str] = Deferred.fromCoroutine(self.answer(wanted))
        try:
            return await answering.addTimeout(PATIENCE, self._clock)
        except TimeoutError:
            said = f"; its last line was {self.last!r:.80}" if self.last else ""
            raise Trouble(f"{self.name} sent no {what} in {PATIENCE:g} s{said}") from None

    def kill(self) -> None:
        """End the program."""
        with suppress(ProcessExitedAlready):
            if self.transport is not None:
                self.transport.signalProcess("KILL")

    # What Twisted calls

    def outReceived(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._lines += [line.decode(errors="replace").strip() for line in lines]
        if len(self._rest) > LONGEST:
            self._end(Trouble(f"{self.name} sent a line of more than {LONGEST} characters"))
        self._wake()
        if len(self._lines) > MOST_LINES:
            self._end(Trouble(f"{self.name} sent more than {MOST_LINES} lines without a question"))

    def processEnded(self, reason: Failure) -> None:
        value = reason.value
        signal, status = getattr(value, "signal", None), getattr(value, "exitCode", None)
        by = f"signal {signal}" if signal else f"exit status {status}"
        self._end(Trouble(f"{self.name} ended with {by}"))

    def _end(self, trouble: Trouble) -> None:
        if self._trouble is None:
            self._trouble = trouble
            self._wake()
            self.ended.callback(trouble)

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.called:
            waiting.callback(None)


class Turn(NamedTuple):
    """A question to a program: the seat to move, the record, and the clocks.

    ``start`` is the view of the first position if it isn't the usual one; otherwise it is empty.
    ``moves`` are pairs of a seat and a move. ``left`` are the seconds of each seat; None without
    clocks.
    """

    seat: int
    start: str
    moves: Sequence[tuple[int, str]]
    left: Sequence[float] | None
    control: TimeControl


class Agreement(NamedTuple):
    """When programs end a game by their scores, in centipawns.

    A program offers and accepts a draw if its last ``draw_moves`` scores were within ``draw`` of 0,
    after ``draw_from`` moves of the game. It resigns if its last ``lost_moves`` scores were at most
    ``-lost``. No number of moves means never.
    """

    draw: int = 0
    draw_moves: int = 0
    draw_from: int = 0
    lost: int = 0
    lost_moves: int = 0

    def is_drawn(self, scores: Sequence[int | None], moves: int) -> bool:
        """Return whether a program takes the game for drawn."""
        last = scores[-self.draw_moves :]
        is_long = moves >= self.draw_from and 0 < self.draw_moves == len(last)
        return is_long and all(each is not None and abs(each) <= self.draw for each in last)

    def is_lost(self, scores: Sequence[int | None]) -> bool:
        """Return whether a program takes the game for lost."""
        last = scores[-self.lost_moves :]
        is_long = 0 < self.lost_moves == len(last)
        return is_long and all(each is not None and each <= -self.lost for each in last)


NEVER = Agreement()


class Words(Protocol):
    """A protocol of programs; all methods raise Trouble."""

    score: int | None
    """The program's score of the last move that it chose, in centipawns for itself, if it has one.
    """

    async def greet(self) -> None:
        """Find out whether the program speaks this protocol."""

    async def begin(self, setup: Sequence[str]) -> None:
        """Begin a match after these lines."""

    async def choose(self, turn: Turn) -> str | None:
        """Return the program's move; None: it resigns."""


class Uci:
    """UCI, and USI, which differs in the names of a few words, and in who has Black."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine, self._name = engine, name
        self._sides = "bw" if name == "usi" else "wb"
        self.score: int | None = None

    async def greet(self) -> None:
        """Wait for ``uciok``."""
        await self._ask(self._name, f"{self._name}ok")

    async def begin(self, setup: Sequence[str]) -> None:
        """Send the lines, and wait until the program is ready for a new game."""
        for line in setup:
            self._engine.send(line)
        await self._ask("isready", "readyok")
        self._engine.send(f"{self._name}newgame")
        await self._ask("isready", "readyok")

    async def choose(self, turn: Turn) -> str | None:
        """Return the word after ``bestmove``."""
        kind = "sfen" if self._name == "usi" else "fen"
        start = f"{kind} {turn.start}" if turn.start else "startpos"
        moves = "".join(f" {move}" for _, move in turn.moves)
        self._engine.send(f"position {start}" + (f" moves{moves}" if moves else ""))
        self._engine.send(f"go {self._time(turn)}")
        self.score = None
        line = await self._engine.answer(self._is_best)
        words = line.split()
        if len(words) < 2 or words[1] in ("(none)", "0000", "win"):
            raise Trouble(f"{self._engine.name} answered {line!r:.80} to go")
        return None if words[1] == "resign" else words[1]

    def _is_best(self, line: str) -> bool:
        """Return whether a line has the move; note the score in the lines before it."""
        if found := re.match(r"info .*?\bscore (cp|mate) ([-+]?\d{1,9})\b", line):
            number = int(found[2])
            is_lost = found[2].startswith("-") or (number == 0 and self._name == "uci")
            self.score = number if found[1] == "cp" else -MATE if is_lost else MATE
        return line.split(" ")[0] == "bestmove"

    async def _ask(self, line: str, answer: str) -> None:
        self._engine.send(line)
        await self._engine.soon(lambda line: line == answer, answer)

    def _time(self, turn: Turn) -> str:
        control = turn.control
        if turn.left is None:
            return "movetime 1000"
        main = [max(0.0, left - control.period * control.periods) for left in turn.left]
        times = [max(1, round(1000 * (left - LAG))) for left in main]
        # Bronstein's delay adds no more than a move took, as if it were an increment to spend.
        added = round(1000 * (control.increment + control.delay))
        words = [f"{side}time {time}" for side, time in zip(self._sides, times, strict=True)]
        words += [f"{side}inc {added}" for side in self._sides] if added else []
        if control.periods and self._name == "usi":
            words.append(f"byoyomi {round(1000 * (control.period - LAG))}")
        elif control.periods and not main[turn.seat]:
            return f"movetime {max(1, round(1000 * (control.period - LAG)))}"
        return " ".join(words)


class Gtp:
    """GTP 2; the first seat has Black."""

    score: int | None = None

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine, self._known = engine, set[str]()
        self._sent: list[tuple[int, str]] = []

    async def greet(self) -> None:
        """Find out which commands the program has; small programs don't say it."""
        with suppress(Declined):
            self._known = set((await self._ask("list_commands")).split())

    async def begin(self, setup: Sequence[str]) -> None:
        """Send the lines."""
        for line in setup:
            await self._ask(line)

    async def choose(self, turn: Turn) -> str | None:
        """Play the moves since the last turn, and return the program's next one."""
        if turn.start:
            raise Trouble(f"{self._engine.name}: GTP has no words for a game after an opening")
        for seat, move in turn.moves[len(self._sent) :]:
            await self._ask(f"play {'bw'[seat]} {move}")
        self._sent = [*turn.moves]
        color = "bw"[turn.seat]
        if turn.left is not None and "time_left" in self._known:
            await self._send_time(turn)
        move = (await self._ask(f"genmove {color}", False)).lower()
        if move == "resign":
            return None
        self._sent.append((turn.seat, move))  # genmove has played it
        return move

    async def _send_time(self, turn: Turn) -> None:
        assert turn.left is not None
        control = turn.control
        if len(turn.moves) < 2 and "time_settings" in self._known:
            main, period = round(control.initial), round(control.period)
            await self._ask(f"time_settings {main} {period} {int(control.periods > 0)}")
        for seat, left in enumerate(turn.left):
            main = int(max(0.0, left - control.period * control.periods - LAG))
            stones = int(not main and control.periods > 0)
            seconds = round(control.period) if stones else main
            await self._ask(f"time_left {'bw'[seat]} {seconds} {stones}")

    async def _ask(self, command: str, soon: bool = True) -> str:
        """Return the answer, its lines joined. Raises Trouble if it is an error or nonsense."""
        self._engine.send(command)
        name = self._engine.name
        word = command.split(" ")[0]
        first = (
            await self._engine.soon(bool, f"answer to {word}")
            if soon
            else await self._engine.answer(bool)
        )
        if not re.match(r"[=?]\d*(\s|$)", first):
            raise Trouble(f"{name} answered {first!r:.80} to {command!r:.80}, which isn't GTP")
        lines = [re.sub(r"^[=?]\d*\s*", "", first)]
        while line := await self._engine.soon(lambda line: True, f"end of the answer to {word}"):
            lines.append(line)
            if len(lines) > MOST_LINES:
                raise Trouble(f"{name} answered {word} with more than {MOST_LINES} lines")
        if first[0] == "?":
            raise Declined(f"{name} refused {command!r:.80}: {' '.join(lines):.80}")
        return " ".join(lines)


WORDS: Mapping[str, Callable[[Engine, str], Words]] = {"uci": Uci, "usi": Uci, "gtp": Gtp}
"""The protocols of programs, by the word before a command."""


def shifted(move: str, shift: int) -> str:
    """Return a move with greater numbers (Dialect.shift)."""
    return re.sub(r"\d+", lambda found: str(int(found[0]) + shift), move, flags=re.ASCII)


class Player:
    """Plays one match over ``client`` as ``words`` choose."""

    def __init__(
        self, client: LobbyClient, words: Words, game_type: GameType, dialect: Dialect,
        control: TimeControl, agreement: Agreement = NEVER,
    ) -> None:  # fmt: skip
        self._client, self._words, self._control = client, words, control
        self._agreement = agreement
        self._scores: list[int | None] = []
        self._held_back: Message | None = None
        self._game_type, self._dialect = game_type, dialect
        self._seat: int | None = None
        self._room, self._first, self._usual = "", "", ""
        self._moves: list[tuple[int, str]] = []

    async def play(self, name: str, password: str, wish: Message) -> None:
        """Log in, ask for a seat, and play until the match ends.

        Raises Trouble, Refused, or as ``LobbyClient.next_message``.
        """
        await self._client.request("login", user=name, password=password)
        _, before = await self._client.request(**wish)
        for message in before:
            await self._receive(message)
        while await self._receive(await self._client.next_message()):
            pass

    async def _receive(self, message: Message) -> bool:
        """Handle a message; return False after the end."""
        if "error" in message:
            raise Refused(message["error"], message.get("message", message["error"]))
        match message.get("event"):
            case "room":
                self._seat, self._room = message["seat"], message["room"]
                values = message["options"]
                self._enter(message, self._game_type.game(values))
                await self._words.begin([line.format(**values) for line in self._dialect.setup])
            case "began":
                self._first = message["position"]
            case "moved":
                self._moves.append((message["seat"], self._to_them(message["move"])))
            case "undone":
                del self._moves[-message["count"] :]
            case "offered" if message["seat"] != self._seat:
                verb = "accept" if self._is_drawn() else "decline"
                self._client.send(verb, room=self._room, what=message["what"])
            case "declined" | "expired" if self._held_back is not None:
                self._client.send("move", **self._held_back)
                self._held_back = None
            case "ended":
                return False
        if message.get("moves") and message.get("turn") == self._seat:
            await self._move(message)
        return True

    async def _move(self, message: Message) -> None:
        assert self._seat is not None
        start = "" if self._first == self._usual else self._first
        turn = Turn(self._seat, start, self._moves, message["clocks"], self._control)
        move = await self._words.choose(turn)
        self._scores.append(self._words.score)
        if move is None or self._agreement.is_lost(self._scores):
            self._client.send("resign", room=self._room)
            return
        ours = shifted(move, -self._dialect.shift)
        chosen: Message = {"room": self._room, "move": ours, "at": message["n"]}
        if self._is_drawn():
            # A move withdraws an offer: it waits until the other program has answered.
            self._held_back = chosen
            self._client.send("offer", room=self._room, what="draw")
        else:
            self._client.send("move", **chosen)

    def _is_drawn(self) -> bool:
        return self._agreement.is_drawn(self._scores, len(self._moves))

    def _enter(self, message: Message, game: Game[object]) -> None:
        """Take the first position and the moves of a room, which can have begun before."""
        position = game.start(2, Random(0))
        self._first = self._usual = game.view(position, None)
        self._moves = self._recorded(message["record"])
        with suppress(Refusal):
            for _, move in self._moves:
                ours = shifted(move, -self._dialect.shift)
                position = game.play(position, ours, None).position
        if game.view(position, None) != message["position"]:
            # The record lacks the opening: so the match begins for the program where it is now.
            self._first, self._moves = message["position"], []

    def _recorded(self, record: Sequence[Sequence[int | str]]) -> list[tuple[int, str]]:
        moves: list[tuple[int, str]] = []
        for _, *fields in record:
            match fields:
                case ["undone", _, int(count)]:
                    del moves[-count:]
                case ["moved", int(seat), str(move)]:
                    moves.append((seat, self._to_them(move)))
        return moves

    def _to_them(self, move: str) -> str:
        return shifted(move, self._dialect.shift)


async def run(reactor: Reactor, args: argparse.Namespace, words: Words, engine: Engine) -> None:
    """Play one match. Raises Trouble."""
    await words.greet()
    try:
        client = await connect(reactor, args.host, args.port)
    except (ConnectError, ConnectionClosed, OSError, ValueError) as error:
        raise Trouble(f"there is no server at {args.host} port {args.port}: {error}") from None
    game_type = game_type_of(args.game)
    numbers = [int(each) for each in f"{args.draws or '0,0,0'},{args.resigns or '0,0'}".split(",")]
    dialect, agreement = game_type.dialects[args.protocol], Agreement(*numbers)
    player = Player(client, words, game_type, dialect, args.time, agreement)
    password, wish = os.environ.get("PASSWORD", "secret"), {"do": args.do, **_wish(args)}
    playing: Deferred[Trouble | None]
    playing = Deferred.fromCoroutine(player.play(args.name, password, wish))
    first = DeferredList(
        [playing, engine.ended], fireOnOneCallback=True, fireOnOneErrback=True, consumeErrors=True
    )
    try:
        trouble, _ = await first
        if trouble is not None:
            raise trouble
    except FirstError as error:
        error.subFailure.trap(ConnectionClosed, Refused, WrongMessage, Trouble)
        if error.subFailure.check(ConnectionClosed):
            raise Trouble(client.ending) from None
        raise Trouble(error.subFailure.getErrorMessage()) from None


def _wish(args: argparse.Namespace) -> dict[str, str]:
    return {"room": args.room} if args.room else {"game": args.game}


def engine_path() -> str:
    """Return PATH, and after it the folders of PLACES."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), *PLACES])


def start(reactor: Reactor, protocol: str, command: str) -> tuple[Words, Engine]:
    """Start a program, whose standard error is ours; return its protocol, and itself."""
    engine = Engine(reactor, Path(command.split(" ")[0]).name)
    shell = ["/bin/sh", "-c", f"exec {command}"]
    environment = {**os.environ, "PATH": engine_path()}
    IReactorProcess(reactor).spawnProcess(
        engine, shell[0], shell, environment, childFDs={0: "w", 1: "r", 2: 2}
    )
    return WORDS[protocol](engine, protocol), engine


def main(arguments: Sequence[str]) -> int:
    """Play one match; return the exit status."""
    parser = argparse.ArgumentParser(prog="bridge", description=__doc__)
    parser.add_argument("protocol", choices=WORDS)
    parser.add_argument("game")
    parser.add_argument("time", type=TimeControl.parse)
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("name")
    parser.add_argument("command")
    parser.add_argument("--do", default="seek")
    parser.add_argument("--room", default="")
    parser.add_argument("--draws", default="")
    parser.add_argument("--resigns", default="")
    args = parser.parse_args(arguments)

    async def work(reactor: Reactor) -> None:
        words, engine = start(reactor, args.protocol, args.command)
        try:
            await run(reactor, args, words, engine)
        except Trouble as trouble:
            # The tournament must see the status before it waits in vain after the connection's end.
            print(visible(str(trouble)), file=sys.stderr, flush=True)
            engine.kill()
            os._exit(1)
        engine.kill()

    in_reactor(work)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
