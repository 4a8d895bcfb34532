"""The search for mates in chess: what it proves, its bounds, and a puzzle of the day."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

from tictac_openspiel import engines, mates
from tictac_openspiel.adapter import Position
from tictac_openspiel.games import GAME_TYPES
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from tictac.archive.match import Event, Match, Player, dump_match
from tictac.game import Evaluation
from tictac.plugins.puzzles.finding import Puzzle, Search, Solver, find
from tictac.plugins.puzzles.puzzles import Puzzles, dump_puzzle, load_puzzle
from tictac.plugins.puzzles.shell import Commands

CHESS = GAME_TYPES["chess"]

SCHOLAR = "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6"
"""White mates at once."""

FOOL = "f2f3 e7e5"
"""White must not move the pawn g2 by two squares."""

LEGAL = "e2e4 e7e5 g1f3 d7d6 f1c4 c8g4 b1c3 g7g6"
"""White leaves the queen: whoever takes it is mated in two moves."""

DAY = "2026-11-29"

TAKEN = f"{LEGAL} f3e5 g4d1"
BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


def position(moves: str) -> Any:
    game = CHESS.game()
    found = game.start(2, Random(1))
    for move in moves.split():
        found = game.play(found, move, None).position
    return found


def placed(fen: str) -> Any:
    """Return a position that no moves lead to."""
    game: Any = CHESS.game()
    state = game.new_state(2).get_game().new_initial_state(fen)
    return Position(game, 2, (), state)


def never() -> bool:
    return False


def weigh(position: Any, move: str, stop: Callable[[], bool] = never) -> Evaluation | None:
    return mates.judge(position.game)(position, move, stop)


class FindTests(SynchronousTestCase):
    def find(self, position: Any) -> tuple[int, str] | None:
        found = mates.Mates(never).find(position.state, range(1, mates.LONGEST + 1))
        if found is None:
            return None
        return found.moves, position.state.action_to_string(found.action)

    def test_a_mate_in_one(self) -> None:
        assert self.find(position(SCHOLAR)) == (1, "Qxf7#")
        assert self.find(placed(BACK_RANK)) == (1, "Ra8#")

    def test_a_mate_in_two_is_no_longer_one(self) -> None:
        assert self.find(position(TAKEN)) == (2, "Bxf7+")

    def test_a_quiet_move_mates_too(self) -> None:
        assert self.find(placed("7k/8/4K3/8/8/8/8/6R1 w - - 0 1")) == (2, "Kf7")

    def test_a_mate_in_three(self) -> None:
        assert self.find(placed("8/8/7k/8/8/8/R7/1R4K1 w - - 0 1")) == (3, "Rg2")

    def test_stalemate_is_no_mate(self) -> None:
        stalemate = placed("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1")
        after = stalemate.state.child(stalemate.moves["f1f7"][0])
        assert after.is_terminal() and not mates.Mates(never).is_mated(after, 0)

    def test_none(self) -> None:
        assert self.find(position("")) is None


class WeighTests(SynchronousTestCase):
    def test_a_move_that_mates(self) -> None:
        assert weigh(position(SCHOLAR), "h5f7") == Evaluation("h5f7", 1, 1)

    def test_a_mate_that_is_missed_is_no_loss_that_is_seen(self) -> None:
        assert weigh(position(SCHOLAR), "b1c3") == Evaluation("h5f7", 1, 0.5, guessed=True)

    def test_a_move_that_stalemates(self) -> None:
        found = weigh(placed("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1"), "g5g6")
        assert found is not None and (found.after, found.guessed) == (0.5, False)

    def test_a_move_that_lets_a_mate_in(self) -> None:
        found = weigh(position(FOOL), "g2g4")
        assert found is not None and (found.before, found.after) == (0.5, 0)
        assert found.best != "g2g4"

    def test_a_move_that_lets_none_in_has_no_value(self) -> None:
        assert weigh(position(FOOL), "e2e4") is None

    def test_the_longest_defense_is_the_best(self) -> None:
        mated = placed("3K4/2Q3R1/8/7k/8/8/8/8 b - - 0 1")
        assert weigh(mated, "h5h4") == Evaluation("h5h6", 0, 0)
        assert weigh(mated, "h5h6") == Evaluation("h5h6", 0, 0)
        cornered = placed("6k1/8/6K1/8/8/8/8/R7 b - - 0 1")
        assert weigh(cornered, "g8h8") == Evaluation("g8f8", 0, 0)

    def test_beyond_its_time_nothing_is_known(self) -> None:
        assert weigh(position(SCHOLAR), "h5f7", lambda: True) is None

    def test_beyond_so_many_positions_nothing_is_known(self) -> None:
        self.patch(mates, "NODES", 3)  # type: ignore[attr-defined]
        assert weigh(position(LEGAL), "f3e5") is None

    def test_a_position_is_searched_once_for_all_its_moves(self) -> None:
        before, asked = position(SCHOLAR), count()
        judged = mates.judge(before.game)
        for move in before.moves:
            assert judged(before, move, lambda: next(asked) < 0) is not None
        assert next(asked) < 40 * len(before.moves)


def record(moves: str) -> str:
    """Return a match that Black gave up, as a line of the archive."""
    game, options = CHESS.game(), CHESS.values({})
    played = [Event(float(at), ("moved", at % 2, move)) for at, move in enumerate(moves.split())]
    end = Event(len(played) + 1.0, ("ended", "forfeited", 0, None))
    players = (Player("alice", "account"), Player("bob", "account"))
    return dump_match(
        Match(
            "m1", "chess", options, game.dump(game.start(2, Random(1))), players, None, False,
            False, None, 1_700_000_000.0, (*played, end), "forfeited", 0,
        )
    )  # fmt: skip


class PuzzleTests(SynchronousTestCase):
    def setUp(self) -> None:
        # A program that happens to be installed here would play.
        self.patch(engines, "find", lambda name: None)  # type: ignore[attr-defined]

    def test_a_mate_in_two_of_a_match(self) -> None:
        found = find(Search("chess", [record(TAKEN)], [], 10.0, 1, 0), counting())
        assert found is not None and (found.match, found.seat, found.wins) == ("m1", 0, True)
        assert [step.best for step in found.steps] == ["c4f7", "c3d5"]
        assert [list(step.replies) for step in found.steps] == [["e8e7"], []]
        assert [step.hint for step in found.steps] == ["twice", "wins"]
        assert found.steps[0].position == position(TAKEN).text, "what people see"

    def test_no_other_move_mates_as_soon_and_each_gets_a_reply_that_stops_it(self) -> None:
        before = position(TAKEN)
        [first, _], _ = Solver(CHESS, before.game, counting()).solve(before)
        assert {*first.others, first.best} == {*before.moves}
        search = mates.Mates(never)
        for move, (reply, text, _) in first.others.items():
            after = before.game.play(before, move, None).position
            assert not search.is_mated(after.state, 1)
            stopped = before.game.play(after, reply, None).position
            assert stopped.text == text and search.attack(stopped.state, 1) is None

    def test_two_mates_are_no_puzzle(self) -> None:
        both = placed("6k1/5ppp/8/8/8/8/5PPP/R2R2K1 w - - 0 1")
        assert Solver(CHESS, both.game, counting()).solve(both) == ([], False)

    def test_a_mate_at_once_is_one_among_many_moves(self) -> None:
        found = find(Search("chess", [record(SCHOLAR)], [], 10.0, 1, 0), counting())
        assert found is not None and [step.best for step in found.steps] == ["h5f7"]

    def test_a_promotion(self) -> None:
        before = placed("7k/4P1pp/8/6N1/8/7B/5PPP/6K1 w - - 0 1")
        steps, wins = Solver(CHESS, before.game, counting()).solve(before)
        assert steps == [] and not wins, "a queen and a rook mate"


class Shell:
    """The shell of a terminal, which asks ``puzzles`` (puzzles.shell.Shell)."""

    def __init__(self, puzzles: Puzzles) -> None:
        self._puzzles = puzzles
        self.lines: list[str] = []

    def show(self, *lines: str) -> None:
        self.lines += lines

    async def request(self, do: str, /, **fields: Any) -> dict[str, Any]:
        if "moves" in fields:
            return self._puzzles.check(**fields, who="alice")
        return self._puzzles.list(DAY)


class TerminalTests(SynchronousTestCase):
    def setUp(self) -> None:
        puzzles, before = Puzzles(lambda: DAY), position(TAKEN)
        steps, wins = Solver(CHESS, before.game, counting()).solve(before)
        puzzle = Puzzle("chess", CHESS.values({}), 2, 0, steps, wins, "")
        puzzles.add(DAY, load_puzzle(dump_puzzle(puzzle)))
        self.shell = Shell(puzzles)
        self.commands = Commands(self.shell)

    def type(self, rest: str) -> list[str]:
        self.shell.lines = []
        self.successResultOf(Deferred.fromCoroutine(self.commands.obey("puzzle", rest)))
        return self.shell.lines

    def test_to_the_end(self) -> None:
        *board, task = self.type("chess")
        assert task == "Chess: White moves and wins in 2 moves. Type puzzle and the move."
        assert len(board) > 8
        assert self.type("c4-f7")[-1] == "Right. e8e7 follows. The next move? (puzzle MOVE)"
        assert self.type("c3d5")[-1] == "Solved."

    def test_a_wrong_move(self) -> None:
        self.type("chess")
        assert self.type("e1d1")[-1].startswith("Not the right move: ")


def counting() -> Callable[[], float]:
    """Return a clock that advances at each look, so that no machine is too slow."""
    times = count()
    return lambda: next(times) / 1000
