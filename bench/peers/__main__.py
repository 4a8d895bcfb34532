"""What a move costs other servers: hand-written ones on ws, socket.io and Python's websockets.

They give two players each move, with the board and whose turn it is, over WebSockets: the same
matches of tic-tac-toe as in tictac's lobby protocol, in turns, from one load generator. Their
packages have fixed versions (package.json, and WEBSOCKETS below), and are fetched once.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from bench.report import parser, ratio, read, run, table
from bench.servers import Server, pin_to, running, tictac
from bench.tables import MOVES, Match, PagePlayer, Step, Tables, lobby_protocol, until_open
from tictac.plugins.check.target import free_port

SOURCES = Path(__file__).parent
BUILD = SOURCES.parent / "build" / "peers"
WEBSOCKETS = "websockets==17.4"
OURS = "tictac"


class Unavailable(Exception):
    """What a server needs isn't there."""


class SocketIoPlayer(PagePlayer):
    """A player that speaks version 5 of the protocol of socket.io, and answers its pings.

    Source: https://socket.io/docs/v4/engine-io-protocol/
    """

    def __init__(self, port: int) -> None:
        super().__init__(port, "/socket.io/?EIO=4&transport=websocket")
        if not self.rest:
            self.hear()
        self.rest = b""
        self.ask("40")

    def cut(self, data: bytes) -> tuple[list[bytes], bytes]:
        messages, rest = super().cut(data)
        if b"2" in messages:
            self.socket.sendall(self.encode("3"))
            messages.remove(b"2")
        return messages, rest


def plain_match(port: int, number: int) -> Match:
    """Return a table of one of our own servers."""
    players = PagePlayer(port, "/"), PagePlayer(port, "/")
    for player in players:
        player.ask(json.dumps({"join": f"room {number}"}))
    moves = [json.dumps({"move": move}) for move in MOVES]
    return Match(players, [Step(n % 2, move, (1, 1)) for n, move in enumerate(moves)], b"true")


def socket_io_match(port: int, number: int) -> Match:
    """Return a table of the server on socket.io."""
    players = SocketIoPlayer(port), SocketIoPlayer(port)
    for player in players:
        player.ask("42" + json.dumps(["join", f"room {number}"]))
    moves = ["42" + json.dumps(["move", move]) for move in MOVES]
    return Match(players, [Step(n % 2, move, (1, 1)) for n, move in enumerate(moves)], b"true")


def node_command(file: str, offline: bool) -> list[str]:
    """Return the command of a server for Node. Raises Unavailable."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        raise Unavailable("there is no Node here")
    if not (BUILD / "node_modules").exists():
        _fetch([npm, "install", "--no-audit", "--no-fund", "--no-package-lock"], offline)
    return [node, str(BUILD / file)]


def python_command(offline: bool) -> list[str]:
    """Return the command of the server on websockets. Raises Unavailable."""
    folder = BUILD / "python"
    if not folder.exists():
        to = ["--quiet", "--no-deps", "--target", str(folder)]
        _fetch([sys.executable, "-m", "pip", "install", *to, WEBSOCKETS], offline)
    program = f"import sys; sys.path.insert(0, {str(folder)!r}); import runpy; "
    program += f"runpy.run_path({str(BUILD / 'on_websockets.py')!r}, run_name='__main__')"
    return [sys.executable, "-c", program]


def _fetch(command: Sequence[str], offline: bool) -> None:
    if offline:
        raise Unavailable("its package isn't here, and --offline fetches nothing")
    done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True)
    if done.returncode:
        raise Unavailable(f"its package can't be fetched: {done.stderr.strip()[-200:]}")


Peer = tuple[Callable[[bool], list[str]], Callable[[int, int], Match]]

PEERS: dict[str, Peer] = {
    "ws": (lambda offline: node_command("ws.mjs", offline), plain_match),
    "socket.io": (lambda offline: node_command("socketio.mjs", offline), socket_io_match),
    "websockets": (python_command, plain_match),
}


@contextmanager
def started(name: str, command: Sequence[str]) -> Iterator[Server]:
    """Run a server of another library, on the same core as ours."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as folder:
        full = [*command, str(port)]
        with running(name, full, Path(folder), True, lambda text: port, BUILD) as server:
            until_open(port)
            yield server


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print one table."""
    made = parser(__doc__, rounds=(7, 3), seconds=(0.5, 0.2), rooms=(50, 20))
    made.add_argument("--offline", action="store_true", help="fetch no packages")
    options = read(made, arguments)
    BUILD.mkdir(parents=True, exist_ok=True)
    for source in [*SOURCES.glob("*.mjs"), *SOURCES.glob("*.json"), *SOURCES.glob("on_*.py")]:
        shutil.copy(source, BUILD)
    pin_to(1, 0)
    missing: list[str] = []
    played: dict[str, tuple[Server, Tables]] = {}
    cpu: dict[str, list[float]] = {}
    with ExitStack() as stack:
        web = free_port()
        ours = stack.enter_context(tictac(OURS, "--web", f"tcp:{web}:interface=127.0.0.1"))
        matches = [lobby_protocol(PagePlayer, web, number) for number in range(options.rooms)]
        played[OURS] = ours, stack.enter_context(Tables(matches))
        for name, (command, match) in PEERS.items():
            try:
                server = stack.enter_context(started(name, command(options.offline)))
            except Unavailable as error:
                missing.append(f"no {name}: {error}")
                continue
            matches = [match(server.port, number) for number in range(options.rooms)]
            played[name] = server, stack.enter_context(Tables(matches))
        for server, tables in played.values():
            tables.play(server, 4 * options.seconds)  # Node compiles what is used often
        for _ in range(options.rounds):
            for name, (server, tables) in played.items():
                cpu.setdefault(name, []).append(tables.play(server, options.seconds).cpu_a_move)
    rows = [
        [name, f"{ratio(figures, cpu[OURS]):.2f}", f"{median(figures):.1f}"]
        for name, figures in cpu.items()
    ]
    table(["server", f"CPU/{OURS}", "us a move"], rows)
    for sentence in missing:
        print(sentence)


if __name__ == "__main__":
    run(main)
