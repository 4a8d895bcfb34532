"""The computer where the best move is known, and what a level must not do."""

from __future__ import annotations

from random import Random
from typing import Any

import pyspiel
from tictac_openspiel import bridges, hive, opponent, players, truth
from tictac_openspiel.catalogue_of_tables import ENTRIES
from tictac_openspiel.games import GAME_TYPES
from twisted.trial.unittest import SynchronousTestCase

from tictac.game import Evaluation


def position(name: str, moves: str, options: dict[str, Any] | None = None) -> Any:
    game = GAME_TYPES[name].game(options)
    found = game.start(2, Random(1))
    for move in moves.split():
        found = game.play(found, move, Random(1)).position
    return found


def choice(name: str, moves: str, level: str, asks: int = 200) -> str:
    """Return the computer's move after these; its time is up when it was asked so often."""
    left = iter([False] * asks)
    before = position(name, moves)
    return opponent.choose(before.game, before, level, lambda: next(left, True), Random(1))


class BoardTests(SynchronousTestCase):
    def test_gomoku_completes_a_five(self) -> None:
        for level in ("club", "best"):
            assert choice("gomoku", "h8 a1 h9 a3 h10 a5 h11 a7", level) in ("h7", "h12")

    def test_gomoku_blocks_a_four(self) -> None:
        for level in ("club", "best"):
            assert choice("gomoku", "a1 h8 a3 h9 a5 h10 h7 h11", level) == "h12"

    def test_hex_keeps_a_bridge(self) -> None:
        for level in ("club", "best"):
            assert choice("hex", "f6 a1 e8 e7", level, 40) == "f7"
            assert choice("hex", "f6 a1 e8 f7", level, 40) == "e7"

    def test_hex_joins_its_sides(self) -> None:
        way = "f1 a1 f2 a2 f3 a3 f4 a4 f5 a5 f6 a6 f7 a7 f8 a8 f9 a9 f11 a10"
        for level in ("club", "best"):
            assert choice("hex", way, level, 40) in ("f10", "e10", "e11")

    def test_hex_cuts_the_only_way(self) -> None:
        way = "f1 b1 f2 b2 f3 b3 f4 b4 f5 b5 f6 b6 f7 b7 f8 b8 f9 e11 f10"
        for level in ("club", "best"):
            assert choice("hex", way, level, 40) == "f11"

    def test_hex_knows_which_sides_are_joined(self) -> None:
        rng = Random(3)
        for _ in range(20):
            found = position("hex", "", {"size": "7"})
            while moves := found.game.moves(found):
                found = found.game.play(found, rng.choice(moves), rng).position
            winner = found.game.result(found).winner
            cells = bridges.Cells(found.text.split(" ")[0].split("/"))
            assert cells.ways(winner, bridges=False)[0] == 0
            assert cells.ways(1 - winner)[0] >= bridges.FAR

    def test_chess_mates(self) -> None:
        assert choice("antichess", "e2e3 b7b5", "best") == "f1b5"
        assert choice("chess", "f2f3 e7e5 g2g4", "club") == "d8h4"

    def test_chess_takes_a_queen(self) -> None:
        assert choice("chess", "e2e4 d7d5 e4d5 d8d5 b1c3 a7a6", "club") == "c3d5"


class TruthTests(SynchronousTestCase):
    def weigh(self, name: str, moves: str, move: str, **options: str) -> Evaluation | None:
        before = position(name, moves, options)
        return truth.judge(before.game)(before, move, lambda: False)

    def test_a_win_that_is_missed_costs_all(self) -> None:
        moves = "a4 c4 b5 d1 e2 b1 d3"
        found = self.weigh("dotsandboxes", moves, "a2", size="2")
        assert found == Evaluation("b3", 1, 0)
        assert self.weigh("dotsandboxes", moves, "b3", size="2") == Evaluation("b3", 1, 1)

    def test_a_draw_that_is_lost_costs_half(self) -> None:
        moves = "b3 c2 d5 a4 d3 c4 e4 a2"
        assert self.weigh("dotsandboxes", moves, "e2", size="2") == Evaluation("b5", 0.5, 0)

    def test_a_win_at_once_is_known_on_any_board(self) -> None:
        moves = "d1 a1 d2 a2 d3 a3 d4 a4 d5 a5 d6 b1"
        assert self.weigh("hex", moves, "d7", size="7") == Evaluation("d7", 1, 1)

    def test_beyond_the_time_nothing_is_known(self) -> None:
        before = position("chess", "")
        assert truth.judge(before.game)(before, "e2e4", lambda: True) is None

    def test_a_move_without_a_choice_has_no_value(self) -> None:
        before = position("antichess", "e2e3 b7b5")
        assert truth.judge(before.game)(before, "f1b5", lambda: False) is None

    def test_games_with_chance_or_secrets_have_no_judge(self) -> None:
        for entry in ENTRIES:
            judged = GAME_TYPES[entry.name].judge is not None
            game: Any = GAME_TYPES[entry.name].game()
            kind = game.new_state(entry.seats[0]).get_game().get_type()
            is_open = kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
            assert not judged or (is_open and not entry.hidden and 2 in entry.seats), entry.name


class HandTests(SynchronousTestCase):
    def check(self, name: str, view: str, seat: int, moves: str, move: str) -> None:
        found = players.choose(name, view, seat, moves.split(","), "club", Random(1))
        assert found == move, found

    def test_hearts_gets_rid_of_the_queen_of_spades(self) -> None:
        view = "play B hand=3,Qs2hAh,3,3 trick=A:Kd last=- points=0,0,0,0 way=left"
        self.check("hearts", view, 1, "Qs,2h,Ah", "Qs")

    def test_hearts_stays_below_the_highest_card(self) -> None:
        view = "play B hand=3,2d9dAd,3,3 trick=A:Td last=- points=0,0,0,0 way=left"
        self.check("hearts", view, 1, "2d,9d,Ad", "9d")

    def test_gin_rummy_knocks_when_it_can(self) -> None:
        view = "discard A hand=As2s3s,10 melds=-,- upcard=- pile=- stock=20 knock=10"
        self.check("ginrummy", view, 0, "As,2s,knock", "knock")

    def test_crazy_eights_keeps_its_eight(self) -> None:
        view = "play A hand=8s4h,5 last=4d suit=d stock=30"
        self.check("crazyeights", view, 0, "8s,4h,draw", "4h")

    def test_cribbage_keeps_fifteens(self) -> None:
        view = "crib A hand=5c5dJhKs2c8d,6 dealer=A crib=0 starter=- total=0 played=- score=0,0"
        self.check("cribbage", view, 0, "2c8d,5c5d,JhKs", "2c8d")

    def test_oh_hell_takes_what_it_bid(self) -> None:
        view = "play A hand=AsKd,2,2 trick=B:3s last=- trump=4h bids=1,0,0 taken=0,0,0"
        self.check("ohhell", view, 0, "As,2s", "As")

    def test_a_pair_of_aces_bets(self) -> None:
        view = "bet A hand=AsAd,2 board=- pot=3 put=1,2 chips=0,0 round=1/10 shown=- lay=-"
        self.check("holdem", view, 0, "fold,call,bet", "bet")

    def test_battleship_follows_a_line_of_hits(self) -> None:
        water = "/".join([".........."] * 10)
        hit = "/".join(["..XX......", *[".........."] * 9])
        self.check("battleship", f"shoot A waters={water},{hit}", 0, "j9,e1,c2", "e1")


class Noted:
    """A state that counts how often it is written, which takes Hive's longer with each move."""

    def __init__(self, state: Any) -> None:
        self.state, self.written = state, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)

    def __str__(self) -> str:
        self.written += 1
        return str(self.state)


class HiveTests(SynchronousTestCase):
    def test_hive_writes_a_position_once_for_all_its_moves(self) -> None:
        start = position("hive", "")
        noted = Noted(start.state)
        assert {*start.game.entry.board.moves(noted)} == {*start.moves}
        assert (len(start.moves) > 1, noted.written) == (True, 1)

    def test_hive_counts_the_pieces_around_the_queens(self) -> None:
        start = position("hive", "")
        assert hive.pressure(start.state) == 0
        game, found, rng = start.game, start, Random(2)
        while found.mover is not None and abs(hive.pressure(found.state)) < 3:
            found = game.play(found, rng.choice(list(found.moves)), rng).position
        ahead = hive.pressure(found.state)
        queens = [cell for cell, piece in found.cells.items() if piece in ("Q", "q")]
        assert ahead and len(queens) == 2
