"""A process in which the server's players of Clue think.

``python -m tictac.clue.worker`` is started by net/processes.py. A player lives nowhere: a question
has all that it has noted so far, and what it was told since; the answer has its notes again.
"""

from __future__ import annotations

import base64
import io
import json
import pickle
from collections.abc import Iterable, Sequence
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from tictac.clue.board import Board, parse_board
from tictac.clue.events import Answer, Message
from tictac.clue.player import Hears
from tictac.clue.players import make_player
from tictac.clue.wire import read_message, write_answer, write_message
from tictac.net.answering import Hurried, answer_input


class Question(NamedTuple):
    """What shall ``told`` be answered with? The last of these messages asks for an answer.

    ``rows`` is the map, ``kind`` one of players.PLAYERS, ``seed`` that of its dice, ``kept`` the
    notes of the last answer, None at first.
    """

    rows: Sequence[str]
    kind: str
    seed: str
    kept: str | None
    told: Sequence[Message]


class Thought(NamedTuple):
    """The notes, and the answer as a line of the protocol without its end."""

    kept: str
    answer: bytes


def ask(question: Question) -> bytes:
    """A question as a line."""
    told = b"".join(map(write_message, question.told)).decode("ascii")
    return json.dumps(question._replace(told=told)).encode() + b"\n"  # type: ignore[arg-type]


def answer(line: bytes) -> Thought:
    """What stands in an answer. Raises ValueError when it isn't one."""
    match json.loads(line):
        case [str(kept), str(said)]:
            return Thought(kept, said.encode())
    raise ValueError(f"{line[:80]!r} is no answer")


def think(line: bytes, hurried: Hurried) -> bytes:
    """The answer to a question, as a line."""
    rows, kind, seed, kept, told = json.loads(line)
    board = _board("\n".join(rows))
    player = _load(kept, board) if kept else make_player(kind, board, Random(seed))
    said = hear(player, _messages(told))
    text = "" if said is None else write_answer(said).decode("ascii").rstrip()
    return json.dumps([_dump(player), text]).encode() + b"\n"


def hear(player: Hears, messages: Iterable[Message]) -> Answer | None:
    """Let a player hear messages; the answer to the last one, if it asks for any."""
    said: Answer | None = None
    for message in messages:
        said = player.hear(message)
    return said


def _messages(told: str) -> list[Message]:
    lines = [line.encode() for line in told.splitlines()]
    return [read_message(*pair) for pair in zip(lines[::2], lines[1::2], strict=True)]


_board = lru_cache(maxsize=8)(parse_board)


# The map is as large as the notes, and what was found out about it is kept by its identity.


class _Pickler(pickle.Pickler):
    def persistent_id(self, obj: Any) -> str | None:
        return "board" if isinstance(obj, Board) else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, board: Board) -> None:
        super().__init__(file)
        self._board = board

    def persistent_load(self, pid: Any) -> Board:
        return self._board


def _dump(player: Hears) -> str:
    file = io.BytesIO()
    _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(player)
    return base64.b64encode(file.getvalue()).decode("ascii")


def _load(kept: str, board: Board) -> Hears:
    player: Hears = _Unpickler(io.BytesIO(base64.b64decode(kept)), board).load()
    return player


if __name__ == "__main__":
    answer_input(think)
