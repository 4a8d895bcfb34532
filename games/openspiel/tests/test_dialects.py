"""Programs of others in a tournament: a UCI program of this file, and those that are installed."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest import SkipTest

from tictac_openspiel.engines import PLACES
from tictac_openspiel.games import GAME_TYPES
from twisted.trial.unittest import SynchronousTestCase

from tictac.plugins.tournament.running.bridge import shifted

MATE = "f2f3 e7e5 g2g4 d8h4"
UCI = f"""
import sys
moves = "{MATE}".split()
for line in sys.stdin:
    word = line.split()[0]
    if word == "position":
        played = line.split()[3:]
    elif word == "go":
        print("bestmove", moves[len(played)] if played == moves[: len(played)] else "lost")
    elif word in ("uci", "isready"):
        print(dict(uci="uciok", isready="readyok")[word])
    sys.stdout.flush()
"""
ROOT = Path(__file__).parents[3]
PLAY = "from tictac.server.cli import main; raise SystemExit(main())"
THEIRS = {
    "chess": r"[a-h][1-8][a-h][1-8][qrbn]?",
    "antichess": r"[a-h][1-8][a-h][1-8][qrbnk]?",
    "crazyhouse": r"([a-h][1-8]|[PNBRQ]@)[a-h][1-8][qrbn]?",
    "xiangqi": r"([a-i]([1-9]|10)){2}",
    "shogi": r"([1-9][a-i]|[PLNSGBR]\*)[1-9][a-i]\+?",
    "go": r"[a-hj-t](1?[1-9]|10)|pass",
    "hex": r"[a-s]1?[0-9]",
}
"""The moves of programs, by the documents of their protocols."""


class DialectTests(SynchronousTestCase):
    def test_moves_are_written_as_programs_read_them(self) -> None:
        assert {name for name, game in GAME_TYPES.items() if game.dialects} == set(THEIRS)
        for name, theirs in THEIRS.items():
            (dialect,) = GAME_TYPES[name].dialects.values()
            game: Any = GAME_TYPES[name].game()
            rng, position = Random(1), game.start(2, Random(1))
            for _ in range(60):
                if game.turn(position) is None:
                    break
                for move in game.moves(position):
                    written = shifted(move, dialect.shift)
                    self.assertRegex(written, f"^({theirs})$")
                    assert shifted(written, -dialect.shift) == move
                position = game.play(position, rng.choice(game.moves(position)), rng).position

    def test_setup_fills_in_the_options(self) -> None:
        setup = GAME_TYPES["go"].dialects["gtp"].setup
        values = GAME_TYPES["go"].values({"size": "13"})
        lines = [line.format(**values) for line in setup]
        assert lines == ["boardsize 13", "clear_board", "komi 7.5"]

    def play(self, game: str, *players: str) -> dict[str, Any]:
        """Play one game in a tournament: the game as it says it in JSON."""
        folder = Path(self.enterContext(TemporaryDirectory()))
        given = [f"--player=p{number}={what}" for number, what in enumerate(players)]
        more = [f"--game={game}", "--games=1", "--time=20", f"--json={folder / 'cup.json'}"]
        path = os.pathsep.join([os.environ.get("PATH", ""), PLACES])
        done = subprocess.run(
            [sys.executable, "-c", PLAY, "tournament", str(folder / "cup.jsonl"), *more, *given],
            env={**os.environ, "PATH": path}, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        games: list[dict[str, Any]] = json.loads((folder / "cup.json").read_text())["games"]
        return games[0]

    def test_a_uci_program_mates_another(self) -> None:
        script = Path(self.enterContext(TemporaryDirectory()), "engine.py")
        script.write_text(UCI)
        game = self.play("chess", *[f"uci:{sys.executable} {script}"] * 2)
        assert (game["how"], game["scores"], game["faults"]) == ("won", [0.0, 1.0], {})

    def test_stockfish_plays_chess(self) -> None:
        self.plays("chess", "uci:stockfish")

    def test_gnu_go_plays_go(self) -> None:
        self.plays("go", "gtp:gnugo --mode gtp --level 1 --chinese-rules")

    def test_the_commands_of_the_guide_start_these_programs(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        for name, given in (("stockfish", ""), ("gnugo", "--mode gtp")):
            (folder / name).write_text(f'#!/bin/sh\n[ "$*" = "{given}" ] && exit 3\n')
            (folder / name).chmod(0o700)
        guide = (ROOT / "docs" / "guides" / "tournament.md").read_text("utf-8")
        section = guide.split("### Programs that speak UCI or GTP\n\n```text\n")[1]
        commands = section.split("```")[0].splitlines()
        assert len(commands) == 2
        for command in commands:
            _, *words = shlex.split(command)
            done = subprocess.run(
                [sys.executable, "-c", PLAY, *words], cwd=folder,
                env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
                capture_output=True, text=True,
            )  # fmt: skip
            assert (done.returncode, "exit status 3" in done.stdout) == (0, True), done

    def plays(self, game: str, what: str) -> None:
        """Let a program play against itself, if it is installed."""
        program = what.partition(":")[2].split()[0]
        if shutil.which(program, path=f"{os.environ.get('PATH', '')}:{PLACES}") is None:
            raise SkipTest(f"{program} isn't installed")
        # On a busy machine, its clock can run out.
        assert self.play(game, what, what)["how"] in ("won", "drawn", "timed out", "forfeited")
