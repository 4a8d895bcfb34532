"""What a Nim client knows of its match, to hold against it what the server says.

Source: nim.md, "Behaviour", and "Errors", last paragraph.
"""

from __future__ import annotations

from tictac.net.decoding import WrongMessage
from tictac.nim.rules import MOST, Move, Numbers, follows, take
from tictac.nim.wire import Lose, Malformed, Message, Turn, Win


class Match:
    """The numbers as far as they are known; after a win those of the next match aren't."""

    def __init__(self) -> None:
        self._numbers: Numbers | None = None
        self._my_turn = False

    def hear(self, message: Message | Malformed) -> None:
        """Note what the server says.

        Raises :class:`~tictac.net.decoding.WrongMessage` if that can't be.
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
        self._numbers = take(self._numbers, move)
        self._my_turn = False

    def _hear_turn(self, numbers: Numbers) -> None:
        if self._my_turn:
            raise WrongMessage("a second turn before the move")
        if self._numbers is None:
            # Before the first turn of a match at most one number can have gone.
            if not 1 < len(numbers) <= MOST:
                raise WrongMessage(f"a match with a list of {len(numbers)}")
        elif not follows(self._numbers, numbers):
            raise WrongMessage(f"{_show(self._numbers)} can't become {_show(numbers)}")
        self._numbers = numbers
        self._my_turn = True

    def _hear_lose(self) -> None:
        # The other one takes the last number, after a move of this one.
        if self._my_turn or self._numbers is None or len(self._numbers) != 1:
            raise WrongMessage("a lost match that isn't over")


def _show(numbers: Numbers) -> str:
    return " ".join(map(str, numbers)) or "an empty list"
