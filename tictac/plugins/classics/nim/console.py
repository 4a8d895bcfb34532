"""The Nim client for a person at a terminal, or for the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from twisted.internet.error import ConnectionDone

from tictac.net.client_connection import WrongMessage
from tictac.plugins.classics.nim.client import NimClient
from tictac.plugins.classics.nim.wire import Exit, Lose, Malformed, Message, Play, Turn, Win
from tictac.plugins.games.nim.rules import MOST, Move, Numbers, moves_between, take
from tictac.terminal.dialog import Dialog, Ended, Interrupted, Quit, see_through, too_late
from tictac.terminal.terminal import Terminal


class NimState:
    """The numbers that the client knows; after a win, it knows none of the next match.

    ``answers`` are the possible last moves of the opponent, for the list of the last own turn:
    several if equal numbers leave it open, none if nothing is known.
    """

    def __init__(self) -> None:
        self.answers: list[Move] = []
        self._numbers: Numbers | None = None
        self._my_turn = False
        self._emptied: int | None = None

    def observe(self, message: Message | Malformed) -> None:
        """Apply a message of the server.

        Raises :class:`~tictac.net.client_connection.WrongMessage` if the message is impossible.
        """
        match message:
            case Turn(numbers):
                self._receive_turn(numbers)
            case Lose():
                self._receive_lose()
            case Win():
                self.__init__()  # type: ignore[misc]
            case Malformed(why):
                raise WrongMessage(why)

    def move(self, move: Move) -> None:
        """Apply the own move; raises :class:`~tictac.errors.IllegalMove`."""
        assert self._numbers is not None
        left = take(self._numbers, move)
        self._emptied = move.at if len(left) < len(self._numbers) else None
        self._numbers = left
        self._my_turn = False

    def _receive_turn(self, numbers: Numbers) -> None:
        if self._my_turn:
            raise WrongMessage("a second turn before the move")
        if self._numbers is None:
            # The source allows any positive size, and says 3 to 10 of the game itself.
            if not 1 <= len(numbers) <= MOST:
                raise WrongMessage(f"a match with a list of {len(numbers)}")
        else:
            self._note_answer(self._numbers, numbers)
        self._numbers = numbers
        self._my_turn = True

    def _receive_lose(self) -> None:
        if self._numbers is None:
            return  # the opponent began, and took the only number
        # After this player's move, the opponent takes the last number.
        if self._my_turn or len(self._numbers) != 1:
            raise WrongMessage("a lost match that isn't over")
        self._note_answer(self._numbers, ())

    def _note_answer(self, before: Numbers, after: Numbers) -> None:
        moves = moves_between(before, after)
        if not moves:
            raise WrongMessage(f"{_show(before)} can't become {_show(after)}")
        self.answers = [Move(self._index_in_turn(at), amount) for at, amount in moves]

    def _index_in_turn(self, at: int) -> int:
        # The numbers after the one that the own move emptied have moved up.
        return at if self._emptied is None or at < self._emptied else at + 1


def _show(numbers: Numbers) -> str:
    return " ".join(map(str, numbers)) or "an empty list"


HINT = "positions count from 1, so 2 6 takes 6 from the second number; QUIT leaves"
PROMPT = "Position and amount: "
WAITING = "Waiting for an opponent..."
NOT_YOUR_TURN = "It isn't your turn. QUIT leaves."

Chooser = Callable[[Numbers], Move]


async def play(
    client: NimClient, terminal: Terminal, choose: Chooser | None = None, games: int = 0
) -> int:
    """Play until a match is lost, or the person leaves; return the exit status of the program.

    ``choose`` plays instead of the person. After ``games`` won matches (0: any number),
    the client leaves.
    """
    console = Console(client, Dialog(terminal, client.next_message), choose, games)
    return await see_through(client, terminal, console.run())


class Console:
    """A series of matches, which ends with the first loss."""

    def __init__(
        self,
        client: NimClient,
        dialog: Dialog[Message | Malformed],
        choose: Chooser | None,
        games: int,
    ) -> None:
        self._client = client
        self._dialog = dialog
        self._choose = choose
        self._games = games
        self._won = 0
        self._match = NimState()

    async def run(self) -> None:
        """Play until a match is lost.

        Raises :class:`~tictac.terminal.dialog.Quit` or EOFError if the person leaves, and
        :class:`~tictac.net.client_connection.WrongMessage` or twisted's ConnectionClosed if the
        match can't continue.
        """
        self._client.send(Play())
        self._dialog.show(WAITING)
        if self._choose is None:
            self._dialog.hint(HINT)
        try:
            await self._play_matches()
        except (Quit, EOFError):
            self._client.send(Exit())
            raise

    async def _play_matches(self) -> None:
        heard = await self._wait(in_queue=True)
        while True:
            self._match.observe(heard)
            self._show_answer()
            match heard:
                case Turn(numbers):
                    heard = await self._take_turn(numbers)
                case Win():
                    self._note_win()
                    heard = await self._wait(in_queue=True)
                case Lose():
                    self._dialog.show("You have lost.")
                    return

    async def _wait(self, in_queue: bool = False) -> Message | Malformed:
        return await self._dialog.wait(NOT_YOUR_TURN, in_queue, self._choose is None)

    def _show_answer(self) -> None:
        answers, self._match.answers = self._match.answers, []
        if answers:
            positions = " or ".join(str(at + 1) for at, _ in answers)
            self._dialog.show(
                f"The other player takes {answers[0].amount} from position {positions}."
            )

    def _note_win(self) -> None:
        self._won += 1
        self._dialog.show("You have won!")
        if self._won == self._games:
            raise Quit
        self._dialog.show(WAITING)

    async def _take_turn(self, numbers: Numbers) -> Message | Malformed:
        """Make a move; return the server's answer, or its message before the move."""
        self._dialog.show("Your turn. The numbers, by position:")
        self._dialog.show_list([f"{at}: {n}" for at, n in enumerate(numbers, 1)])
        try:
            move = (
                self._choose(numbers)
                if self._choose
                else await self._dialog.ask_for(PROMPT, lambda typed: parse_entry(typed, numbers))
            )
        except Interrupted as early:
            return cast(Message | Malformed, early.message)
        except ConnectionDone:
            raise Ended(too_late(self._client.quiet_for())) from None
        self._match.move(move)
        self._client.send(move)
        self._dialog.show(f"You take {move.amount} from position {move.at + 1}.")
        return await self._wait()


def parse_entry(typed: str, numbers: Numbers) -> Move:
    """Return the move in an entry like ``2 6``: a position, counted from 1, and an amount.

    Raises ValueError, with a line for the person, if the move is impossible.
    """
    try:
        position, amount = map(int, typed.split())
    except ValueError:
        raise ValueError("Type a position and an amount, such as 2 6.") from None
    if not 1 <= position <= len(numbers):
        raise ValueError(f"Positions are from 1 to {len(numbers)}.")
    most = numbers[position - 1]
    if not 1 <= amount <= most:
        raise ValueError(f"From position {position} you can take 1 to {most}.")
    return Move(position - 1, amount)
