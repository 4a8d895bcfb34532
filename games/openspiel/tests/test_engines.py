"""Programs of others that speak UCI and GTP, here played by small programs of this file."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stderr
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from tictac_openspiel import engines, opponent
from tictac_openspiel.games import GAME_TYPES
from tictac_openspiel.options import ADD_ON, GameOptions
from twisted.trial.unittest import SynchronousTestCase

UCI = """
import sys
kind, log = sys.argv[1:]
nodes = 0
for line in sys.stdin:
    print(line, end="", file=open(log, "a"))
    word = line.split()[0]
    nodes = "nodes" in line if word == "go" else nodes
    if word in ("uci", "usi") and kind == "mute":
        sys.exit(1)
    if word in ("uci", "usi"):
        print(f"id name fake\\n{word}ok", flush=True)
    elif word == "go" and kind == "dies":
        sys.exit(1)
    elif word == ("stop" if kind == "stops" and nodes == 0 else "go") and kind != "ignores":
        print("info depth 1\\nbestmove", "a1a8" if kind == "illegal" else "e2e4", flush=True)
"""
GTP = """
import sys
kind, log = sys.argv[1:]
for line in sys.stdin:
    print(line, end="", file=open(log, "a"))
    if kind == "silent" and line.startswith("genmove"):
        continue
    print("= E5\\n" if line.startswith("genmove") else "= \\n", flush=True)
"""


class EngineCase(SynchronousTestCase):
    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.starts = 0
        self.log = Path(folder.name, "log")
        self.log.write_text("")
        # A machine that is busy with other tests answers late.
        for name in ("GRACE", "PATIENCE"):
            patched = patch.object(engines, name, 60)
            patched.start()
            self.addCleanup(patched.stop)
        self.addCleanup(self.stop_all)

    def stop_all(self) -> None:
        for brain in engines.BRAINS.values():
            brain.close()
        engines.BRAINS.clear()

    def choose(self, name: str, kind: str, level: str = "best", asks: int = 5) -> str | None:
        """Let a program choose the first move of a game; time is up when it was asked so often."""
        protocol, program = (engines.Gtp, GTP) if name == "go" else (engines.Uci, UCI)
        command = [sys.executable, "-c", program, kind, str(self.log)]

        def begin(name: str, path: str) -> engines.Uci | engines.Gtp:
            self.starts += 1
            return protocol(command, *[name] * (name != "go"))

        with patch.multiple(engines, start=begin, find=lambda name: "program"):
            game: Any = GAME_TYPES[name].game()
            start = game.start(2, Random(1))
            left = iter([False] * asks)
            return engines.choose(game, start, level, lambda: next(left, True))

    def sent(self) -> list[str]:
        return self.log.read_text().splitlines()


class UciTests(EngineCase):
    def test_the_best_level_thinks_until_it_is_stopped(self) -> None:
        assert self.choose("chess", "stops") == "e2e4"
        assert self.sent()[-2:] == ["go infinite", "stop"]

    def test_a_position_is_sent_as_fen(self) -> None:
        self.choose("chess", "stops")
        start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        assert f"position fen {start}" in self.sent()

    def test_the_level_club_looks_at_few_positions(self) -> None:
        assert self.choose("chess", "stops", "club", 3000) == "e2e4"
        assert self.sent()[-1] == "go nodes 300"
        assert "setoption name Skill Level value 3" in self.sent()

    def test_without_time_it_looks_at_one(self) -> None:
        assert self.choose("chess", "stops", asks=0) == "e2e4"
        assert self.sent()[-1] == "go nodes 1"

    def test_a_variant_is_named(self) -> None:
        self.choose("antichess", "stops")
        assert "setoption name UCI_Variant value antichess" in self.sent()

    def test_shogi_speaks_usi(self) -> None:
        self.choose("shogi", "stops")
        assert self.sent()[0] == "usi"
        assert any(line.startswith("position sfen lnsgkgsnl/1r5b1/") for line in self.sent())

    def test_an_illegal_move_is_none(self) -> None:
        assert self.choose("chess", "illegal") is None

    def test_a_program_that_ends_is_started_again(self) -> None:
        assert self.choose("chess", "dies") is None
        assert self.choose("chess", "stops") == "e2e4"

    def test_after_some_faults_in_a_row_it_isnt_asked_again(self) -> None:
        with redirect_stderr(io.StringIO()) as printed:
            for kind in ("dies", "illegal", "dies", "stops", "stops"):
                assert self.choose("chess", kind) is None
        assert self.starts == 3
        [line] = printed.getvalue().splitlines()
        assert line.startswith("program failed at chess: ")

    def test_a_good_move_forgets_the_faults(self) -> None:
        for _ in range(2):
            found = [self.choose("chess", kind) for kind in ("dies", "illegal", "stops")]
            assert found == [None, None, "e2e4"]
            engines.BRAINS["chess"].close()

    def test_a_program_that_cant_start_isnt_asked_again(self) -> None:
        with redirect_stderr(io.StringIO()) as printed:
            assert [self.choose("chess", "mute") for _ in range(2)] == [None, None]
        assert (self.starts, printed.getvalue().count("\n")) == (1, 1)

    def test_a_program_that_ignores_stop_is_killed(self) -> None:
        with patch.object(engines, "GRACE", 0.01):
            assert self.choose("chess", "ignores") is None
        assert engines.BRAINS["chess"]._program is None

    def test_ranks_of_xiangqi_count_from_zero_here(self) -> None:
        assert engines._back("xiangqi", "h3h10") == "h2h9"
        assert engines._back("xiangqi", "a10a9") == "a9a8"


class GtpTests(EngineCase):
    def test_a_program_plays_go(self) -> None:
        assert self.choose("go", "answers", asks=3000) == "e5"
        assert self.sent() == [
            "boardsize 9", "clear_board", "komi 7.5", "level 4", "genmove b"
        ]  # fmt: skip

    def test_a_program_that_is_too_slow_is_killed(self) -> None:
        with patch.object(engines, "GRACE", 0.01):
            assert self.choose("go", "silent") is None
        assert engines.BRAINS["go"]._program is None


class ChoiceTests(SynchronousTestCase):
    def choose(self, name: str, level: str) -> str:
        game: Any = GAME_TYPES[name].game()
        return opponent.choose(game, game.start(2, Random(1)), level, lambda: True, Random(1))

    def test_without_a_program_the_search_of_this_package_plays(self) -> None:
        self.addCleanup(engines.BRAINS.clear)
        with patch.object(engines, "find", lambda name: None):
            for name in ("chess", "go", "hex"):
                assert self.choose(name, "club") in GAME_TYPES[name].game().moves(
                    GAME_TYPES[name].game().start(2, Random(1))
                )

    def test_no_program_plays_as_a_beginner(self) -> None:
        with patch.object(engines, "start", self.fail):
            self.choose("chess", "beginner")


class OptionTests(SynchronousTestCase):
    def choose(self, *choices: str) -> None:
        patched = patch.dict(os.environ)
        patched.start()
        self.addCleanup(patched.stop)
        runtime: Any = SimpleNamespace(settings={GameOptions: GameOptions(choices)})
        assert ADD_ON.make(runtime) is None

    def test_an_operator_chooses_a_program(self) -> None:
        self.choose(f"chess={sys.executable}")
        assert engines.program_of("chess") == sys.executable

    def test_an_operator_turns_a_program_off(self) -> None:
        self.choose("go=none", "chess=none")
        assert [engines.program_of(name) for name in ("go", "chess")] == [None, None]

    def test_another_game_keeps_the_program_that_is_installed(self) -> None:
        self.choose("go=none")
        with patch.object(engines, "find", {"fairy-stockfish": "/fairy"}.get):
            assert [engines.program_of(name) for name in ("chess", "xiangqi", "hex")] == [
                "/fairy", "/fairy", None
            ]  # fmt: skip

    def test_a_choice_names_a_game_and_a_program(self) -> None:
        assert engines.read_choice(f"go={sys.executable}") == f"go={sys.executable}"
        for wrong in ("hex=none", "go", "go=", "go=/no/such/program", "go=two words"):
            with self.assertRaises(ValueError):
                engines.read_choice(wrong)
