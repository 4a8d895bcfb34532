"""Programs of others that speak UCI, USI, or GTP, where they are installed: stockfish, gnugo.

An engine process of tictac starts each once, and asks it again and again. While a program thinks,
``stop`` is asked every few milliseconds. Then a UCI program gets ``stop``, and a program that
doesn't answer within :data:`GRACE` seconds is killed. The pipe ends with this process, and so do
they.

A program that can't start, or fails :data:`FAULTS` times in a row, isn't asked again: the computer
of this package plays (opponent.py). Standard error has a line, which the server logs.
"""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic

from tictac.game import ShouldStop
from tictac_openspiel.adapter import Position, Spiel
from tictac_openspiel.gnubg import Gnubg

PLACES = os.pathsep.join(["/usr/games", "/usr/local/games"])
"""Folders after those of PATH."""

GRACE = 0.2
POLL = 0.01
PATIENCE = 5.0
"""Seconds for an answer that needs no thinking."""

FAULTS = 3

CHOSEN = "TICTAC_GAME_ENGINE"
"""The variable of the option ``--game-engine``, which engine processes inherit."""

PROGRAMS = {
    "chess": ("stockfish", "fairy-stockfish"),
    **dict.fromkeys(("antichess", "crazyhouse", "xiangqi", "shogi"), ("fairy-stockfish",)),
    "go": ("gnugo",),
    "backgammon": ("gnubg",),
}
"""The programs for a game, the best first; those without GNU in their names speak UCI or USI."""
NODES = {"club": 300}
"""Positions that a UCI program looks at; without a number it thinks until ``stop``."""
SKILL = {"club": 3, "best": 20}
GNUGO = {"club": {9: 1, 13: 1, 19: 1}, "best": {9: 4, 13: 2, 19: 1}}
"""GNU Go's levels, by the size of the board."""


class EngineError(Exception):
    """The program didn't answer as its protocol asks."""


def find(name: str) -> str | None:
    """Return the path of a program, if it is installed."""
    return shutil.which(name) or shutil.which(name, path=PLACES)


def read_choice(text: str) -> str:
    """Return a choice of a program for a game, ``GAME=PATH`` or ``GAME=none``.

    Raises ValueError.
    """
    game, _, path = text.partition("=")
    if game not in PROGRAMS:
        raise ValueError(f"{text!r:.80} isn't GAME=PATH, with one of {', '.join(PROGRAMS)}")
    if path != "none" and (find(path) is None or len(path.split()) != 1):
        raise ValueError(f"{path!r:.80} is no program without blanks, and not the word none")
    return text


def program_of(game: str) -> str | None:
    """Return the path of the program for a game: the chosen one, or one that is installed."""
    for choice in reversed(os.environ.get(CHOSEN, "").split()):
        name, _, path = choice.partition("=")
        if name == game:
            return None if path == "none" else find(path)
    return next(filter(None, map(find, PROGRAMS.get(game, ()))), None)


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

    def move(self, position: Position, level: str, stop: ShouldStop) -> str:
        """Return the program's move. Raises EngineError."""
        return _back(self._variant, self._think(fen(self._variant, position), level, stop))

    def _think(self, text: str, level: str, stop: ShouldStop) -> str:
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

    def ask(self, command: str, stop: ShouldStop) -> str:
        """Return the answer to a command. Raises EngineError."""
        self._engine.send(command)
        late: float | None = None
        while True:
            line = self._engine.line(POLL)
            if late is None and stop():
                late = monotonic() + GRACE
            if line is None and late is not None and monotonic() > late:
                raise EngineError(f"no answer to {command}")
            if line and line[0] in "=?":
                if line[0] == "?":
                    raise EngineError(line)
                return line[1:].strip().lower()

    def move(self, position: Position, level: str, stop: ShouldStop) -> str:
        """Return the program's move. Raises EngineError."""
        parameters = position.state.get_game().get_parameters()
        size = parameters["board_size"]
        self.ask(f"boardsize {size}", stop)
        self.ask("clear_board", stop)
        self.ask(f"komi {parameters['komi']}", stop)
        for step in position.state.full_history():
            said = position.state.action_to_string(step.player, step.action)
            self.ask(f"play {said.lower()}", stop)
        self.ask(f"level {GNUGO[level][size]}", stop)
        return self.ask(f"genmove {'bw'[position.mover or 0]}", stop)

    def close(self) -> None:
        """End the program."""
        self._engine.kill()


class Brain:
    """The program for a game, in this process."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._path = program_of(name)
        self._program: Uci | Gtp | Gnubg | None = None
        self._faults = 0

    def choose(self, position: Position, level: str, stop: ShouldStop) -> str | None:
        """Return a move, or None if there is no program, or it fails."""
        if self._path is None:
            return None
        try:
            program = self._program = self._program or start(self._name, self._path)
            move = program.move(position, level, stop)
            if move not in position.moves:
                raise EngineError(f"{move or 'no move'} isn't legal")
        except (EngineError, OSError) as error:
            self._fail(error)
            return None
        self._faults = 0
        return move

    def close(self) -> None:
        """End the program."""
        if self._program is not None:
            self._program.close()
            self._program = None

    def _fail(self, error: Exception) -> None:
        # One that was killed for its slowness begins anew with the next move.
        self._faults = FAULTS if self._program is None else self._faults + 1
        self.close()
        if self._faults >= FAULTS:
            text = f"{self._path} failed at {self._name}: {error}; the computer plays without it"
            print(text, file=sys.stderr, flush=True)
            self._path = None


BRAINS: dict[str, Brain] = {}
"""The programs of this process, by game."""


def start(name: str, path: str) -> Uci | Gtp | Gnubg:
    """Start the program for a game. Raises EngineError or OSError."""
    if name == "backgammon":
        return Gnubg(path, POLL, GRACE)
    if name == "go":
        return Gtp([path, "--mode", "gtp", "--chinese-rules"])
    return Uci([path], name)


def choose(game: Spiel, position: Position, level: str, stop: ShouldStop) -> str | None:
    """Return the move of a program, or None if there is none for the game or the level."""
    name = game.entry.name
    if level not in SKILL or name not in PROGRAMS:
        return None
    if name not in BRAINS:
        BRAINS[name] = Brain(name)
    return BRAINS[name].choose(position, level, stop)


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
