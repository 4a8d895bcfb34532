"""What a Nim client knows of its match, to hold against it what the server says.

Source: nim.md, "A match" and "The client".
"""

from __future__ import annotations

from tictac.doors.nim.wire import Lose, Malformed, Message, Turn, Win
from tictac.games.nim.rules import MOST, Move, Numbers, moves_between, take
from tictac.net.client import WrongMessage


class Match:
    """The numbers as far as they are known; after a win those of the next match aren't.

    ``answers`` are the moves of which the other player has just made one, by the list of the
    last own turn: several when equal numbers leave it open, none when nothing is known.
    """

    def __init__(self) -> None:
        self.answers: list[Move] = []
        self._numbers: Numbers | None = None
        self._my_turn = False
        self._emptied: int | None = None

    def hear(self, message: Message | Malformed) -> None:
        """Note what the server says.

        Raises :class:`~tictac.net.client.WrongMessage` if that can't be.
        """
        match message:
            case Turn(numbers):
                self._hear_turn(numbers)
            case Lose():
                self._hear_lose()
            case Win():
                self.__init__()  # type: ignore[misc]
            case Malformed(why):
                raise WrongMessage(why)

    def move(self, move: Move) -> None:
        """Note the own move; raises :class:`~tictac.errors.IllegalMove`."""
        assert self._numbers is not None
        left = take(self._numbers, move)
        self._emptied = move.at if len(left) < len(self._numbers) else None
        self._numbers = left
        self._my_turn = False

    def _hear_turn(self, numbers: Numbers) -> None:
        if self._my_turn:
            raise WrongMessage("a second turn before the move")
        if self._numbers is None:
            # Before the first turn of a match at most one number can have gone.
            if not 1 < len(numbers) <= MOST:
                raise WrongMessage(f"a match with a list of {len(numbers)}")
        else:
            self._note_answer(self._numbers, numbers)
        self._numbers = numbers
        self._my_turn = True

    def _hear_lose(self) -> None:
        # The other one takes the last number, after a move of this one.
        if self._my_turn or self._numbers is None or len(self._numbers) != 1:
            raise WrongMessage("a lost match that isn't over")
        self._note_answer(self._numbers, ())

    def _note_answer(self, before: Numbers, after: Numbers) -> None:
        moves = moves_between(before, after)
        if not moves:
            raise WrongMessage(f"{_show(before)} can't become {_show(after)}")
        self.answers = [Move(self._index_in_turn(at), amount) for at, amount in moves]

    def _index_in_turn(self, at: int) -> int:
        # Numbers behind the one that the own move has emptied have come forward.
        return at if self._emptied is None or at < self._emptied else at + 1


def _show(numbers: Numbers) -> str:
    return " ".join(map(str, numbers)) or "an empty list"
