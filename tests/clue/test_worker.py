"""What a process does with a question about Clue, and players who live in no process."""

from __future__ import annotations

import json
from random import Random

import pytest

from tests.accounts.helpers import in_reactor, reactor
from tests.clue.helpers import BOARD, play, some_deal
from tictac.games.clue.board import parse_board
from tictac.games.clue.messages import Answer, Hello, Message, Turn
from tictac.clue.game import Game
from tictac.games.clue.players import PLAYERS, make_player
from tictac.clue.thinking import Thinkers
from tictac.clue.wire import write_answer
from tictac.clue.worker import Question, Thought, answer, ask, think

HELLO = Hello(0, (0, 7, 13))
TURN = Turn(BOARD.initial())


def ask_here(question: Question) -> Thought:
    """The answer, found in this process."""
    return answer(think(ask(question).rstrip(b"\n"), lambda: False))


class Carried:
    """A player whose notes are carried to and fro, beside one who simply goes on living."""

    def __init__(self, kind: str, seed: str) -> None:
        self.question = Question(BOARD.rows, kind, seed, None, ())
        self.living = make_player(kind, BOARD, Random(seed))

    def hear(self, message: Message) -> Answer | None:
        self.question = self.question._replace(told=(*self.question.told, message))
        said = self.living.hear(message)
        if said is not None:
            thought = ask_here(self.question)
            assert thought.answer + b"\n" == write_answer(said)
            self.question = self.question._replace(kept=thought.kept, told=())
        return said


def test_players_decide_as_if_they_had_never_been_put_away() -> None:
    deal, dice = some_deal(3)
    kinds = [*sorted(PLAYERS), "sensible", "leech"]
    players = [Carried(kind, str(seat)) for seat, kind in enumerate(kinds)]
    over, _ = play(Game(BOARD, deal, dice), players)
    assert over.how == "won"


def test_a_question_is_one_line() -> None:
    line = ask(Question(BOARD.rows, "leech", "1", None, (HELLO, TURN)))
    assert line.count(b"\n") == 1 and line.endswith(b"\n")


def test_notes_are_much_smaller_than_with_the_map() -> None:
    thought = ask_here(Question(BOARD.rows, "leech", "1", None, (HELLO, TURN)))
    assert len(thought.kept) < 20_000
    assert b"neighbours" not in thought.kept.encode()


def test_another_map_is_played_on() -> None:
    rows = list(BOARD.rows)
    rows[0] = rows[0].replace("5", ".").replace("4", ".")
    rows[24] = rows[24].replace("1", ".")
    rows[8] = "4" + rows[8][1:24] + "5"
    rows[9] = rows[9][:24] + "1"
    other = parse_board("\n".join(rows))
    thought = ask_here(Question(rows, "leech", "1", None, (HELLO, Turn(other.initial()))))
    assert thought.answer in (b"roll", b"no-roll")


@pytest.mark.parametrize("line", [b"", b"{}", b"[]", b'["x"]', b'["x", null]', b"7", b"\xff"])
def test_what_is_no_answer(line: bytes) -> None:
    with pytest.raises(ValueError):
        answer(line)


def test_no_answer_is_an_empty_one() -> None:
    assert ask_here(Question(BOARD.rows, "leech", "1", None, (HELLO,))).answer == b""
    assert json.loads(ask(Question((), "x", "1", "k", ())))[3] == "k"


@in_reactor
async def test_with_real_processes() -> None:
    thinkers = Thinkers(reactor, 1)
    thinkers.start()
    try:
        first = await thinkers.think(Question(BOARD.rows, "detective", "1", None, (HELLO, TURN)))
        assert first.answer == b"roll"
        again = Question(BOARD.rows, "detective", "1", first.kept, (TURN,))
        assert (await thinkers.think(again)).answer == b"roll"
    finally:
        await thinkers.stop()
