"""Pieces that a move takes: where they were, and how many each side has taken."""

from __future__ import annotations

from random import Random
from typing import Any

from tictac_openspiel.games import GAME_TYPES
from twisted.trial.unittest import SynchronousTestCase


class TakenTests(SynchronousTestCase):
    def after(self, name: str, moves: str) -> str:
        """Return the position after moves; it is the same when it is read from a record."""
        game: Any = GAME_TYPES[name].game()
        position = game.start(2, Random(1))
        for move in moves.split():
            position = game.play(position, move, None).position
        text: str = position.text
        assert game.load(game.dump(position)).text == text
        return text

    def lines(self, name: str, moves: str) -> list[str]:
        view = GAME_TYPES[name].text_view(GAME_TYPES[name].values({}))
        return view.lines(self.after(name, moves), lambda seat, text: text)

    def test_stones_of_go_leave_a_mark_for_one_move(self) -> None:
        assert self.after("go", "a2 a1 b1").endswith(" w taken=1-0 gone=a1")
        assert self.after("go", "a2 a1 b1 pass").endswith(" b taken=1-0")
        assert self.lines("go", "a2 a1 b1")[8] == "1 * b . . . . . . ."

    def test_several_stones_are_named(self) -> None:
        taken = self.lines("go", "a2 a1 b2 b1 c1")[-1]
        assert taken == "Taken: 2-0. Taken by the last move: a1 b1"

    def test_the_end_of_go_is_counted(self) -> None:
        end = self.after("go", "a2 b1 b2 pass pass")
        assert end.endswith(" taken=0-0 count=2-8.5 end=area:8.5,2")
        # One region touches both colors, and counts for none; a1 and b1 are Black's.
        told = self.lines("go", "a2 j9 b2 j8 c1 pass pass")[-2:]
        assert told == ["Taken: 0-0. Count: 5-9.5", "Area: 9.5 : 5 points."]

    def test_the_count_of_go_agrees_with_the_winner(self) -> None:
        rng = Random(5)
        game: Any = GAME_TYPES["go"].game()
        for _ in range(5):
            position = game.start(2, rng)
            while (result := game.result(position)) is None:
                position = game.play(position, rng.choice(game.moves(position)), None).position
            black, white = position.text.partition("count=")[2].split()[0].split("-")
            assert result.winner == (float(black) < float(white))

    def test_a_jump_of_checkers_takes_what_it_passes(self) -> None:
        assert self.after("checkers", "c3d4 b6c5 d4b6").endswith(" x gone=c5")

    def test_a_mill_takes_a_man(self) -> None:
        assert self.after("ninemensmorris", "a7 d6 d7 f6 g7 d6").endswith(" hand=6-7 gone=d6")

    def test_pieces_that_the_other_lacks_were_taken(self) -> None:
        told = self.lines("chess", "e2e4 d7d5 e4d5 d8d5")[-1]
        assert told == "White has taken p. Black has taken P"
        assert self.lines("xiangqi", "b2b9 a9b9")[-1] == "Red has taken n. Black has taken C"

    def test_a_promoted_pawn_was_not_taken(self) -> None:
        moves = "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h6 b7a8q h6h5"
        assert self.lines("chess", moves)[-1] == "White has taken r b p p"
