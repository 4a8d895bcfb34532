"""PGN and SGF files of other programs."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from test_records import match_of
from tictac_openspiel import reading
from tictac_openspiel.games import GAME_TYPES
from tictac_openspiel.reading import BadFile, read_pgn, read_sgf
from tictac_openspiel.records import write_pgn, write_sgf
from twisted.trial.unittest import SynchronousTestCase

from tictac.archive.checking import check
from tictac.archive.match import Match, dump_match


class Case(SynchronousTestCase):
    def one(self, found: Any) -> Match:
        (match,) = found
        check(match)
        assert isinstance(match, Match)
        return match

    def why(self, found: Any) -> str:
        with self.assertRaises(BadFile) as caught:
            list(found)
        return str(caught.exception)

    def comes_back(self, name: str, write: Any, read: Any) -> None:
        """Check that random matches are the same after writing and reading."""
        game: Any = GAME_TYPES[name].game()
        for seed in range(5):
            rng, moves = Random(seed), list[str]()
            position = game.start(2, rng)
            while game.turn(position) is not None and len(moves) < 100:
                moves.append(rng.choice(game.moves(position)))
                position = game.play(position, moves[-1], rng).position
            is_over = game.turn(position) is None
            match = match_of(name, " ".join(moves), () if is_over else ("forfeited", 1, None))
            found = self.one(read("".join(write(match))))
            assert found.moves() == match.moves()
            assert (found.ending, found.winner) == (match.ending, match.winner)


class PgnTests(Case):
    def test_what_this_package_writes_comes_back(self) -> None:
        self.comes_back("chess", write_pgn, read_pgn)

    def test_what_others_write(self) -> None:
        text = """[White "A"]
[Black "B\\"b"]
[Date "2020.02.30"]

1. e4 $1 {good; [%clk 0:01]} e5 (1... c5 2. Nf3 (2. c3)) 2.Nf3 ; a comment
2... Nc6 3. Bb5 a6! 4. 0-0 1-0

[White "C"]

1. d4 1/2-1/2
"""
        first, second = read_pgn(text)
        assert first.moves() == ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1"]
        assert [player[:2] for player in first.players] == [("A", "guest"), ('B"b', "guest")]
        assert (first.ending, first.winner, second.ending) == ("forfeited", 0, "agreed")
        for match in (first, second):
            check(match)

    def test_the_same_match_has_the_same_id(self) -> None:
        assert self.one(read_pgn("1. e4 *")).id == self.one(read_pgn("1. e4 *")).id
        assert self.one(read_pgn("1. e4 *")).id != self.one(read_pgn("1. d4 *")).id

    def test_what_cannot_be_read_is_named(self) -> None:
        assert self.why(read_pgn("1. e4 e5 2. Ke3 *")) == (
            "game 1: line 1: 'Ke3' is no legal move after 2 moves"
        )
        text = '1. e4 e5 *\n\n[White "A"]\n\n1. e4 {a\nb} e5\n2. Ke3 *'
        assert self.why(read_pgn(text)) == "game 2: line 7: 'Ke3' is no legal move after 2 moves"
        assert self.why(read_pgn('1. e4 *\n\n[FEN "8/8"]\n\n*')).startswith("game 2: line 3: ")
        assert "usual position" in self.why(read_pgn('[FEN "8/8"]\n\n*'))
        assert self.why(read_pgn("\0\1")).startswith("game 1: ")
        with patch.object(reading, "MOST_MOVES", 1):
            assert "more than 1 moves" in self.why(read_pgn("1. e4 e5 *"))


class SgfTests(Case):
    def test_what_this_package_writes_comes_back(self) -> None:
        self.comes_back("go", write_sgf, read_sgf)

    def test_a_swap_of_hex_comes_back(self) -> None:
        text = "(;FF[4]GM[11]SZ[7];B[b5];W[swap-pieces];B[c3];W[resign])"
        match = self.one(read_sgf(text))
        assert match.moves() == ["b5", "swap", "c3"] and match.options["swap"] is True
        assert "W[swap-pieces]" in "".join(write_sgf(match))
        check(match)

    def test_the_first_variation_is_the_match(self) -> None:
        text = "(;GM[1]SZ[9]KM[6.5]C[a\\] (;]RE[B+Resign];B[ee](;W[];B[aa])(;W[dd]))"
        match = self.one(read_sgf(text))
        assert match.moves() == ["e5", "pass", "a9"]
        assert (match.ending, match.winner, match.options["komi"]) == ("forfeited", 0, 6)

    def test_what_cannot_be_read_is_named(self) -> None:
        for text, why in (
            ("(;SZ[9];B[ee];W[ee])", "game 1: line 1: W[ee] is no legal move after 1 moves"),
            ("(;SZ[9];W[ee])", "game 1: line 1: W[ee] is no legal move after 0 moves"),
            ("(;SZ[9];B[zz])", "game 1: line 1: B[zz] is no legal move after 0 moves"),
            ("(;SZ[9];B[ee]\n\n;W[ee])", "game 1: line 3: W[ee] is no legal move after 1 moves"),
            (
                "(;GM[11];B[a1];W[swap-sides];B[a1])",
                "game 1: line 1: B[a1] is no legal move after 2 moves",
            ),
            ("(;SZ[9]AB[aa])", "game 1: only hex, and go without a handicap, can be read"),
            ("(;SZ[9]KM[6])", "game 1: the komi is a whole number and a half, not '6'"),
            (
                f"(;SZ[9]KM[{'9' * 5000}.5])",
                f"game 1: the komi is a whole number and a half, not '{'9' * 19}",
            ),
            ("(;SZ[7])", "game 1: size is one of 9, 13, 19, not '7'"),
            ("(;SZ[9]", "a parenthesis isn't closed"),
            ("(;" + "B[" * 9 + "\\)", "a parenthesis isn't closed"),
        ):
            assert self.why(read_sgf(text)) == why


class CommandTests(SynchronousTestCase):
    def test_a_file_that_is_too_large_is_refused(self) -> None:
        path = Path(self.enterContext(TemporaryDirectory()), "match.pgn")
        path.write_text("1. e4 *")
        assert reading.run(Namespace(file=path, picture=None)) == 0
        with patch.object(reading, "LARGEST", 3):
            assert reading.run(Namespace(file=path, picture=None)) == 1

    def test_another_file_is_refused(self) -> None:
        assert reading.run(Namespace(file=Path("match.txt"), picture=None)) == 1
        assert reading.run(Namespace(file=Path("not-there.pgn"), picture=None)) == 1

    def test_a_line_becomes_a_picture(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        lines, picture = folder / "match", folder / "picture"
        lines.write_text(dump_match(next(read_pgn("1. e4 *"))))
        for suffix, start in ((".gif", b"GIF89a"), (".png", b"\x89PNG")):
            drawn = picture.with_suffix(suffix)
            assert reading.run(Namespace(file=lines, picture=drawn)) == 0
            assert drawn.read_bytes().startswith(start)
        assert reading.run(Namespace(file=lines, picture=picture.with_suffix(".bmp"))) == 1
        lines.write_text("no")
        assert reading.run(Namespace(file=lines, picture=picture.with_suffix(".gif"))) == 1
