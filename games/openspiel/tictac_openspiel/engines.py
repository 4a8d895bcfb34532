"""Programs of others that speak UCI, USI, or GTP, where they are installed: stockfish, gnugo.

An engine process of tictac starts each once, and asks it again and again. While a program thinks,
``stop`` is asked every few milliseconds. Then a UCI program gets ``stop``, and a program that
doesn't answer within :data:`GRACE` seconds is killed. The pipe ends with this process, and so do
they.
"""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress

from tictac.game import ShouldStop
from tictac_openspiel.adapter import Position, Spiel

PLACES = os.pathsep.join(["/usr/games", "/usr/local/games"])
"""Folders after those of PATH."""

GRACE = 0.2
POLL = 0.01
PATIENCE = 5.0
"""Seconds for an answer that needs no thinking."""

VARIANTS = {
    "chess": "chess", "antichess": "antichess", "crazyhouse": "crazyhouse", "xiangqi": "xiangqi",
    "shogi": "shogi",
}  # fmt: skip
NODES = {"club": 300}
"""Positions that a UCI program looks at; without a number it thinks until ``stop``."""
SKILL = {"club": 3, "best": 20}
GNUGO = {"club": {9: 1, 13: 1, 19: 1}, "best": {9: 6, 13: 3, 19: 1}}
"""GNU Go's levels, by the size of the board."""


class EngineError(Exception):
    """The program didn't answer as its protocol asks."""


def find(name: str) -> str | None:
    """Return the path of a program, if it is installed."""
    return shutil.which(name) or shutil.which(name, path=PLACES)


class Engine:
    """A program that answers lines by lines."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, bufsize=1,
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put("\0")

    def send(self, line: str) -> None:
        """Send a line. Raises EngineError if the program has ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except OSError as error:
            raise EngineError(str(error)) from None

    def line(self, timeout: float) -> str | None:
        """Return the next line, or None if there is none in time. Raises EngineError at the end."""
        with suppress(queue.Empty):
            line = self._lines.get(timeout=timeout)
            if line == "\0":
                raise EngineError("the program has ended")
            return line
        return None

    def wait_for(self, beginning: str, patience: float) -> str:
        """Skip lines up to one that begins so. Raises EngineError."""
        while (line := self.line(patience)) is not None:
            if line.startswith(beginning):
                return line
        raise EngineError(f"no {beginning} in {patience} seconds")

    def kill(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


class Uci:
    """A UCI program, or a USI program for shogi, that plays a variant of chess."""

    def __init__(self, command: Sequence[str], variant: str) -> None:
        self._engine, self._variant = Engine(command), variant
        protocol = "usi" if variant == "shogi" else "uci"
        try:
            self._engine.send(protocol)
            self._engine.wait_for(f"{protocol}ok", PATIENCE)
            self._set("Hash", 16)
            self._set("Threads", 1)
            if variant not in ("chess", "shogi"):
                self._set("UCI_Variant", variant)
        except EngineError:
            self._engine.kill()
            raise

    def _set(self, name: str, value: object) -> None:
        usi = "USI_" if self._variant == "shogi" and name == "Hash" else ""
        self._engine.send(f"setoption name {usi}{name} value {value}")

    def move(self, text: str, level: str, stop: ShouldStop) -> str:
        """Return the program's move in a position, as it spells it. Raises EngineError."""
        self._set("Skill Level", SKILL[level])
        kind = "sfen" if self._variant == "shogi" else "fen"
        self._engine.send(f"position {kind} {text}")
        nodes = 1 if stop() else NODES.get(level)
        self._engine.send(f"go nodes {nodes}" if nodes else "go infinite")
        while not stop() or nodes == 1:
            line = self._engine.line(POLL if nodes != 1 else PATIENCE)
            if line is None and nodes == 1:
                raise EngineError("no move")
            if line and line.startswith("bestmove"):
                return line.split()[1]
        self._engine.send("stop")
        return self._engine.wait_for("bestmove", GRACE).split()[1]

    def close(self) -> None:
        """End the program."""
        self._engine.kill()


class Gtp:
    """A GTP program that plays go."""

    def __init__(self, command: Sequence[str]) -> None:
        self._engine = Engine(command)

    def ask(self, command: str, stop: ShouldStop | None = None) -> str:
        """Return the answer to a command. Raises EngineError."""
        self._engine.send(command)
        left = PATIENCE
        while True:
            line = self._engine.line(POLL)
            left -= POLL
            if stop is not None and stop():
                left = min(left, GRACE)
            if line is None and left <= 0:
                raise EngineError(f"no answer to {command}")
            if line and line[0] in "=?":
                if line[0] == "?":
                    raise EngineError(line)
                return line[1:].strip().lower()

    def move(self, game: Spiel, position: Position, level: str, stop: ShouldStop) -> str:
        """Return the program's move. Raises EngineError."""
        parameters = position.state.get_game().get_parameters()
        size = parameters["board_size"]
        self.ask(f"boardsize {size}")
        self.ask("clear_board")
        self.ask(f"komi {parameters['komi']}")
        for step in position.state.full_history():
            said = position.state.action_to_string(step.player, step.action)
            self.ask(f"play {said.lower()}")
        self.ask(f"level {GNUGO[level][size]}")
        return self.ask(f"genmove {'bw'[position.mover or 0]}", stop)

    def close(self) -> None:
        """End the program."""
        self._engine.kill()


_running: dict[str, Uci | Gtp | None] = {}
"""The programs of this process, by game; None: there is none, or it failed."""


def _start(name: str) -> Uci | Gtp | None:
    if name == "go":
        path = find("gnugo")
        return Gtp([path, "--mode", "gtp", "--chinese-rules"]) if path else None
    names = ("stockfish", "fairy-stockfish") if name == "chess" else ("fairy-stockfish",)
    path = next(filter(None, map(find, names)), None)
    return Uci([path], VARIANTS[name]) if path else None


def choose(game: Spiel, position: Position, level: str, stop: ShouldStop) -> str | None:
    """Return the move of a program, or None if there is none for the game or the level."""
    name = game.entry.name
    if level not in SKILL or (name != "go" and name not in VARIANTS):
        return None
    try:
        if name not in _running:
            _running[name] = _start(name)
        program = _running[name]
        if program is None:
            return None
        if isinstance(program, Gtp):
            move = program.move(game, position, level, stop)
        else:
            move = program.move(fen(name, position), level, stop)
            move = _back(name, move)
        if move in position.moves:
            return move
        raise EngineError(f"{move} isn't legal")
    except (EngineError, OSError):
        # One that was killed for its slowness begins anew with the next move.
        stopped = _running.pop(name, None)
        if stopped is not None:
            stopped.close()
        return None


def fen(name: str, position: Position) -> str:
    """Return a position as the programs read it."""
    return f"{position.text} - - 0 1" if name == "xiangqi" else position.text


def _back(name: str, move: str) -> str:
    """Return a move as the game writes it: xiangqi's ranks count from 0 here."""
    if name != "xiangqi":
        return move
    out = ""
    for part in _squares(move):
        out += f"{part[0]}{int(part[1:]) - 1}"
    return out


def _squares(move: str) -> list[str]:
    cut = next(at for at in range(1, len(move)) if move[at].isalpha())
    return [move[:cut], move[cut:]]
