"""Matches as PGN and SGF."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from tictac_openspiel.games import GAME_TYPES
from tictac_openspiel.records import write_pgn, write_sgf
from twisted.trial.unittest import SynchronousTestCase

from tictac.archive.match import EXPORTS, BadMatch, Event, Export, Match, Player

ALICE, BOB = Player("alice", "account"), Player("computer", "computer", "best")


def match_of(game: str, moves: str, end: Sequence[Any] = (), **more: Any) -> Match:
    """Return a match whose seats alternate; without an end, the last move wins or draws."""
    values = GAME_TYPES[game].values(more.pop("options", {}))
    rules: Any = GAME_TYPES[game].game(values)
    said = moves.split()
    position = rules.start(2, Random(1))
    for move in said:
        position = rules.play(position, move, None).position
    if not end:
        winner = rules.result(position).winner
        end = "drawn" if winner is None else "won", winner, said.pop()
    events = [Event(n, ("moved", n % 2, move)) for n, move in enumerate(said)]
    start = rules.dump(rules.start(2, Random(1)))
    last = Event(len(said), ("ended", *end))
    match = Match(
        "m1", game, values, start, (ALICE, BOB), None, False, False, None, 1_790_000_000.0,
        (*events, last), end[0], end[1],
    )  # fmt: skip
    return match._replace(**more)


def pgn(match: Match) -> str:
    return "".join(write_pgn(match))


def sgf(match: Match) -> str:
    return "".join(write_sgf(match))


class PgnTests(SynchronousTestCase):
    def test_a_mate(self) -> None:
        assert (
            pgn(match_of("chess", "f2f3 e7e5 g2g4 d8h4"))
            == """\
[Event "Casual match"]
[Site "?"]
[Date "2026.09.21"]
[Round "-"]
[White "alice"]
[Black "computer at best"]
[Result "0-1"]
[Termination "normal"]

1. f3 e5 2. g4 Qh4# 0-1

"""
        )

    def test_special_moves(self) -> None:
        moves = "e2e4 a7a6 e4e5 d7d5 e5d6 a6a5 g1f3 a5a4 f1e2 a4a3 e1g1 a3b2 d6c7 b2a1q c7d8n"
        said = "1. e4 a6 2. e5 d5 3. exd6 a5 4. Nf3 a4 5. Be2 a3 6. O-O axb2 7. dxc7 bxa1=Q 8."
        said += "\ncxd8=N 1-0"
        text = pgn(match_of("chess", moves, ("forfeited", 0, None)))
        assert text.endswith(f"\n\n{said}\n\n"), text

    def test_results(self) -> None:
        for end, result, termination in (
            (("agreed", None, None), "1/2-1/2", "normal"),
            (("timed out", 1, None), "0-1", "time forfeit"),
            (("left", 0, None), "1-0", "abandoned"),
            (("absent", None, None), "*", "normal"),
        ):
            text = pgn(match_of("chess", "e2e4", end))
            assert f'[Result "{result}"]\n[Termination "{termination}"]\n\n1. e4 {result}\n' in text

    def test_a_name_stays_in_its_quotes(self) -> None:
        players = (Player('a"b\\c', "account"), BOB)
        text = pgn(match_of("chess", "e2e4", ("agreed", None, None), players=players))
        assert '[White "a\\"b\\\\c"]' in text

    def test_a_name_stays_in_its_line(self) -> None:
        players = (Player('a\n\n[Result "1-0"]', "guest"), BOB)
        text = pgn(match_of("chess", "e2e4", ("agreed", None, None), players=players))
        assert '[White "a [Result \\"1-0\\"]"]\n' in text

    def test_a_variant_has_its_name(self) -> None:
        text = pgn(match_of("crazyhouse", "e2e4 d7d5 e4d5 d8d5 P@e4", ("agreed", None, None)))
        assert '[Variant "Crazyhouse"]' in text
        assert text.endswith("1. e4 d5 2. exd5 Qxd5 3. P@e4 1/2-1/2\n\n")

    def test_a_match_after_an_opening_has_its_position(self) -> None:
        rules: Any = GAME_TYPES["chess"].game()
        start = rules.play(rules.start(2, Random(1)), "e2e4", None).position
        events = (Event(0, ("moved", 1, "e7e5")), Event(1, ("ended", "agreed", None, None)))
        match = match_of("chess", "e2e4", ("agreed", None, None))
        text = pgn(match._replace(start=rules.dump(start), events=events))
        assert '[SetUp "1"]\n[FEN "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b ' in text
        assert text.endswith("\n1... e5 1/2-1/2\n\n")

    def test_moves_taken_back_are_left_out(self) -> None:
        match = match_of("chess", "e2e4 e7e5", ("agreed", None, None))
        events = (*match.events[:2], Event(2, ("undone", 1, 1)), match.events[-1])
        assert pgn(match._replace(events=events)).endswith("\n1. e4 1/2-1/2\n\n")

    def test_a_match_against_the_rules_is_refused(self) -> None:
        match = match_of("chess", "e2e4", ("agreed", None, None))
        moves = [(Event(0, ("moved", 0, move)),) for move in ("e2e5", "e2e4 | ")]
        for bad in ({"start": "2 99999"}, *({"events": each} for each in moves)):
            with self.assertRaises(BadMatch):
                pgn(match._replace(**bad))


class SgfTests(SynchronousTestCase):
    def test_go(self) -> None:
        text = sgf(match_of("go", "d4 j9 pass pass"))
        assert text == (
            "(;FF[4]GM[1]CA[UTF-8]AP[tictac]SZ[9]KM[7.5]RU[Chinese]PB[alice]PW[computer at best]"
            "DT[2026-09-21]RE[W+]\n;B[df];W[ia];B[];W[])\n"
        )

    def test_hex(self) -> None:
        text = sgf(match_of("hex", "a1 k11", ("timed out", 0, None)))
        assert "GM[11]" in text and "SZ[11]" in text and "KM" not in text
        assert text.endswith("RE[B+T]\n;B[a1];W[k11])\n")

    def test_an_opening_comes_first(self) -> None:
        rules: Any = GAME_TYPES["go"].game()
        start = rules.play(rules.start(2, Random(1)), "d4", None).position
        events = (Event(0, ("moved", 1, "e5")), Event(1, ("ended", "agreed", None, None)))
        match = match_of("go", "d4", ("agreed", None, None))
        text = sgf(match._replace(start=rules.dump(start), events=events))
        assert text.endswith("RE[0]\n;B[df];W[ee])\n")

    def test_a_name_stays_in_its_brackets(self) -> None:
        players = (Player("a]b\\c:d", "account"), BOB)
        text = sgf(match_of("go", "d4", ("agreed", None, None), players=players))
        assert "PB[a\\]b\\\\c\\:d]" in text


class PluginTests(SynchronousTestCase):
    def test_tictac_finds_the_formats(self) -> None:
        for name in ("chess.pgn", "antichess.pgn", "crazyhouse.pgn", "go.sgf", "hex.sgf"):
            assert isinstance(EXPORTS.load(name), Export)
