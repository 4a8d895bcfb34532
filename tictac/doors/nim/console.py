"""The Nim client that a person plays with, or that plays by itself."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.error import ConnectionDone

from tictac.doors.nim.client import NimClient
from tictac.doors.nim.match import Match
from tictac.doors.nim.wire import Exit, Lose, Malformed, Message, Play, Turn, Win
from tictac.games.nim.rules import Move, Numbers
from tictac.terminal.dialog import Dialog, Ended, Quit, see_through, too_late
from tictac.terminal.terminal import Terminal

HINT = "positions count from 1, so 2 6 takes 6 from the second number; QUIT leaves"
PROMPT = "Position and amount: "
WAITING = "Waiting for an opponent..."
NOT_YOUR_TURN = "It isn't your turn. QUIT leaves."

Chooser = Callable[[Numbers], Move]


async def play(
    client: NimClient, terminal: Terminal, choose: Chooser | None = None, games: int = 0
) -> int:
    """Play until a match is lost, or somebody leaves; the exit status of the program.

    ``choose`` plays instead of the person. After ``games`` matches won (0: any number)
    the client leaves.
    """
    console = Console(client, Dialog(terminal, client.next_message), choose, games)
    return await see_through(client, terminal, console.run())


class Console:
    """One match after the other, for as long as they are won."""

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
        self._match = Match()

    async def run(self) -> None:
        """Play until a match is lost.

        Raises :class:`~tictac.terminal.dialog.Quit` or EOFError when somebody leaves, and
        :class:`~tictac.net.client.WrongMessage` or twisted's ConnectionClosed when it
        can't go on.
        """
        self._client.send(Play())
        self._dialog.say(WAITING)
        if self._choose is None:
            self._dialog.hint(HINT)
        try:
            await self._play_matches()
        except (Quit, EOFError):
            self._client.send(Exit())
            raise

    async def _play_matches(self) -> None:
        heard = await self._wait()
        while True:
            self._match.hear(heard)
            self._show_answer()
            match heard:
                case Turn(numbers):
                    heard = await self._take_turn(numbers)
                case Win():
                    self._note_win()
                    heard = await self._wait()
                case Lose():
                    self._dialog.say("You have lost.")
                    return

    async def _wait(self) -> Message | Malformed:
        return await self._dialog.wait(NOT_YOUR_TURN)

    def _show_answer(self) -> None:
        answers, self._match.answers = self._match.answers, []
        if answers:
            positions = " or ".join(str(at + 1) for at, _ in answers)
            self._dialog.say(
                f"The other player takes {answers[0].amount} from position {positions}."
            )

    def _note_win(self) -> None:
        self._won += 1
        self._dialog.say("You have won!")
        if self._won == self._games:
            raise Quit
        self._dialog.say(WAITING)

    async def _take_turn(self, numbers: Numbers) -> Message | Malformed:
        """Make a move; what the server says to it, or said before it was made."""
        self._dialog.say("Your turn. The numbers, by position:")
        self._dialog.say_list([f"{at}: {n}" for at, n in enumerate(numbers, 1)])
        try:
            said = self._choose(numbers) if self._choose else await self._ask_move(numbers)
        except ConnectionDone:
            raise Ended(too_late(self._client.quiet_for())) from None
        if not isinstance(said, Move):
            return said
        self._match.move(said)
        self._client.send(said)
        self._dialog.say(f"You take {said.amount} from position {said.at + 1}.")
        return await self._wait()

    async def _ask_move(self, numbers: Numbers) -> Message | Malformed:
        while isinstance(said := await self._dialog.ask(PROMPT), str):
            try:
                return parse_entry(said, numbers)
            except ValueError as error:
                self._dialog.say(str(error))
        return said


def parse_entry(typed: str, numbers: Numbers) -> Move:
    """The move in an entry like ``2 6``: a position, counted from 1, and an amount.

    Raises ValueError, with a line for the person, when it can't be made.
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
