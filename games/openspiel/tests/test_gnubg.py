"""GNU Backgammon, here played by a small program, and what its hints mean."""

from __future__ import annotations

import re
import stat
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tictac_openspiel import engines, gnubg
from tictac_openspiel.games import GAME_TYPES
from twisted.trial.unittest import SynchronousTestCase

PROGRAM = """#!{python}
import sys
open({log!r}, "w").write(sys.stdin.read())
print("root is now on roll.")
for number, hint in enumerate({hints!r}, 1):
    print(f"    {{number}}. Cubeful 0-ply    {{hint:<28}} Eq.: +0.102 (-0.108)")
    print("       0.551 0.174 0.013 - 0.449 0.124 0.005")
print({proper!r})
if not {hints!r} and not {proper!r}:
    sys.stdout.flush()
    import threading
    threading.Event().wait()
"""


class GnubgTests(SynchronousTestCase):
    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program, self.log = Path(folder.name, "gnubg"), Path(folder.name, "log")
        self.game: Any = GAME_TYPES["backgammon"].game()

    def at(self, dice: str, side: str) -> Any:
        """Return a first position with these dice and that side to move."""
        for seed in range(2000):
            found = self.game.start(2, Random(seed))
            if f" {side} dice={dice} " in found.text:
                return found
        raise AssertionError(f"no {side} with {dice}")

    def choose(self, position: Any, *hints: str, proper: str = "", stop: bool = False) -> str:
        text = PROGRAM.format(python=sys.executable, log=str(self.log), hints=hints, proper=proper)
        self.program.write_text(text)
        self.program.chmod(stat.S_IRWXU)
        made = gnubg.Gnubg(str(self.program), 0.01, 0.01 if stop else 60)
        return made.move(position, "club", lambda: stop)

    def test_a_hint_is_a_move_here(self) -> None:
        before = self.at("1-3", "x")
        assert {*self.choose(before, "8/5 6/5").split()} == {"8/5", "6/5"}

    def test_a_way_of_one_checker_is_two_steps(self) -> None:
        before = self.at("1-3", "x")
        assert self.choose(before, "24/20") in ("24/23 23/20", "24/21 21/20")

    def test_the_point_of_a_hit_is_kept(self) -> None:
        before = self.at("1-3", "x")
        assert self.choose(before, "24/23*/20") == "24/23 23/20"
        assert self.choose(before, "24/21*/20*") == "24/21 21/20"

    def test_the_other_side_counts_from_its_own_end(self) -> None:
        before = self.at("1-3", "o")
        assert {*self.choose(before, "8/5 6/5").split()} == {"17/20", "19/20"}
        board = "set board simple 0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0"
        assert board in self.log.read_text().splitlines()

    def test_the_first_hint_that_is_a_move_here_counts(self) -> None:
        before = self.at("1-3", "x")
        assert {*self.choose(before, "6/off", "13/10 6/5").split()} == {"13/10", "6/5"}
        assert self.choose(before, "6/off") == ""

    def test_half_a_double_is_played_at_a_time(self) -> None:
        rng, after = Random(1), self.at("1-2", "x")
        halves: dict[str, str] = {}
        while not halves:
            moves = self.game.moves(after) or self.fail("no double with a half in this game")
            after = self.game.play(after, rng.choice(list(moves)), rng).position
            if re.search(r"dice=(\d)-\1", after.text):
                steps = {move: {*move.split(" ")} for move in after.moves if "bar" not in move}
                halves = {min(two): move for move, two in steps.items() if len(two) == 1}
        step, move = next(iter(halves.items()))
        points = step.split("/")
        if " o " in after.text:
            points = [each if each == "off" else str(25 - int(each)) for each in points]
        assert self.choose(after, "/".join(points) + "(4)") == move

    def cube(self, *moves: str) -> Any:
        """Return a position of a match before the roll, after these moves."""
        game: Any = GAME_TYPES["backgammon"].game({"points": "5"})
        rng = Random(1)
        position = game.start(2, rng)
        for move in (game.moves(position)[0], *moves):
            position = game.play(position, move, rng).position
        return position

    def test_the_cube_is_asked_for_with_the_points(self) -> None:
        proper = "Proper cube action: Double, take"
        assert self.choose(self.cube(), proper=proper) == "double"
        asked = self.log.read_text()
        assert "new match 5\n" in asked and "set score 0 0\n" in asked
        assert "set cube centre\n" in asked and "dice" not in asked

    def test_what_the_program_says_of_the_cube(self) -> None:
        for said, rolls, answers in (
            ("No double, take", "roll", "take"),
            ("Too good to double, pass", "roll", "drop"),
            ("Redouble, pass", "double", "drop"),
            ("Double, take", "double", "take"),
        ):
            proper = f"Proper cube action: {said}"
            assert self.choose(self.cube(), proper=proper) == rolls
            assert self.choose(self.cube("double"), proper=proper) == answers

    def test_a_program_that_is_too_slow_is_killed(self) -> None:
        assert self.choose(self.at("1-3", "x"), stop=True) == ""

    def test_it_is_the_program_for_backgammon(self) -> None:
        assert isinstance(engines.start("backgammon", "gnubg"), gnubg.Gnubg)
