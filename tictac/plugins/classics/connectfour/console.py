"""Connect Four at a terminal: two people at one keyboard, or one against a server.

Source: connect-four.md, "The programs". The two differ only in the source of yellow's moves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionClosed, ConnectionDone

from tictac.errors import IllegalMove
from tictac.net.client_connection import UnknownMessage
from tictac.plugins.classics.connectfour import wire
from tictac.plugins.classics.connectfour.client import ConnectFourClient, Game, ServerGame
from tictac.plugins.games.connectfour.rules import RED, YELLOW, Move, Outcome, Position, Rules, Side
from tictac.reactor import Work
from tictac.terminal.dialog import LOST, Ended, Quit, answered, first_of, too_late
from tictac.terminal.style import Style, visible
from tictac.terminal.terminal import Terminal

T = TypeVar("T")

NAMES: dict[Side, str] = {RED: "Red", YELLOW: "Yellow"}

_SHORT = {"D": "DROP", "P": "POP"}


def draw_board(position: Position, paint: Callable[[str], str] = str) -> list[str]:
    """Return the column numbers and the rows from the top, with one blank between cells.

    Cells are as wide as the widest number, so that columns line up on boards of 10 and
    more. ``paint`` adds color to a cell.
    """
    numbers = [str(number) for number in range(1, position.columns + 1)]
    width = len(numbers[-1])
    lines = [" ".join(number.rjust(width) for number in numbers)]
    margin = " " * (width - 1)
    return lines + [" ".join(margin + paint(cell) for cell in row) for row in position.rows]


def read_move(typed: str) -> Move | None:
    """Return the move that a person typed, in upper or lower case: a column alone is a drop."""
    words = typed.upper().split()
    if len(words) == 1:
        words.insert(0, "DROP")
    verb, *rest = words or [""]
    move = wire.parse_request(" ".join([_SHORT.get(verb, verb), *rest]).encode("utf-8", "replace"))
    return move if isinstance(move, Move) else None


class Screen:
    """A person's terminal during a game; ``client`` is the connection to a server, if any."""

    def __init__(
        self,
        terminal: Terminal,
        style: Style,
        rules: Rules,
        client: ConnectFourClient | None = None,
    ) -> None:
        self._terminal = terminal
        self._client = client
        self._style = style
        self._rules = rules
        self._paint = {RED: style.red, YELLOW: style.yellow}
        self._shown: Position | None = None
        self._hint_due = True

    # Output

    def show_position(self, position: Position) -> None:
        """Draw the board, unless it was just drawn, and print whose turn it is, if any."""
        if position is self._shown:
            return
        self._shown = position
        for line in draw_board(position, lambda cell: self._paint.get(cell, str)(cell)):
            self._terminal.show(line)
        if self._rules.outcome(position) is None:
            self._terminal.show(f"It is {NAMES[position.to_move].lower()}'s turn.")

    def show_move(self, side: Side, move: Move) -> None:
        """Print a move of a side that plays elsewhere."""
        self._terminal.show(f"{NAMES[side]}: {move}")

    def show_end(self, outcome: Outcome) -> None:
        """Print the result of the game."""
        if outcome.winner is None:
            self._terminal.show("The game is a draw.")
        else:
            self._terminal.show(f"{NAMES[outcome.winner]} has won.")

    def show_problem(self, problem: str) -> None:
        """Print why the input is invalid, and then the valid forms."""
        self._terminal.show(f"{problem[0].upper()}{problem[1:]}.")
        self._hint_due = True

    # Input

    async def ask_move(self, stirred: Callable[[], Deferred[Any]]) -> Move:
        """Ask for a move, which can be impossible.

        Raises :class:`Quit`, EOFError at the end of the input, and any error of the Deferred of
        ``stirred`` meanwhile.
        """
        while True:
            self._show_hint()
            prompt = "> " if self._terminal.output_is_terminal else ""
            typed: str = await first_of(stirred, partial(self._terminal.ask, prompt))
            if typed.strip().upper() == "QUIT":
                raise Quit
            move = read_move(typed)
            if move is not None:
                return move
            shown = visible(typed.strip())
            self.show_problem(
                f"that isn't a move: {shown:.60}" if shown else "that was an empty line"
            )

    async def answered(self, doing: Work[T]) -> T:
        """Await a server's answer, if there is a server; a person can leave (dialog.answered)."""
        return await (answered(self._terminal, doing, self._client) if self._client else doing)

    def _show_hint(self) -> None:
        if not self._hint_due:
            return
        self._hint_due = False
        pops = "POP and a column to pop your piece at its bottom, " if self._rules.pops else ""
        hint = f"a column from 1 to {self._rules.columns} to drop, {pops}or QUIT"
        self._terminal.show(self._style.dim(f"({hint})"))


async def ask_until(terminal: Terminal, prompt: str, read: Callable[[str], T]) -> T:
    """Ask until ``read`` accepts the answer; return its result.

    ``read`` raises ValueError with a sentence that says why not. Raises EOFError at the end
    of the input.
    """
    while True:
        try:
            return read((await terminal.ask(prompt)).strip())
        except ValueError as error:
            terminal.show(f"{error}.")


async def play_here(terminal: Terminal, style: Style, rules: Rules) -> int:
    """Play a game of two people at this terminal; return the exit status of the program."""
    try:
        return await _play(Game(rules), Screen(terminal, style, rules))
    except EOFError:
        return report_end_of_input(terminal)


async def play_server(
    client: ConnectFourClient, terminal: Terminal, style: Style, rules: Rules, user: str
) -> int:
    """Play as ``user`` at this terminal against a server; return the exit status."""
    game = ServerGame(client, rules)
    screen = Screen(terminal, style, rules, client)
    try:
        await screen.answered(game.begin(user))
        terminal.show(f"Welcome {visible(user)}. You are red, the server is yellow.")
        return await _play(game, screen)
    except Quit:
        return 0
    except EOFError:
        return report_end_of_input(terminal)
    except ConnectionDone:
        was_asked = game.begun and game.position.to_move in game.people
        terminal.error(too_late(client.quiet_for()) if was_asked else LOST)
    except UnknownMessage as error:
        received = visible(error.message[:100].decode("utf-8", "replace")) or "an empty line"
        terminal.error(f"Error: the server sent a message that doesn't fit now: {received}")
    except ConnectionClosed:
        terminal.error(LOST)
    except Ended as ended:
        terminal.error(str(ended))
    finally:
        client.close()
    return 1


def report_end_of_input(terminal: Terminal) -> int:
    """Print that the input has ended; return the exit status for that."""
    terminal.error("Error: the input has ended, and the game has not.")
    return 1


async def _play(game: Game, screen: Screen) -> int:
    """Play ``game`` to its end; return the exit status."""
    try:
        while game.outcome is None:
            screen.show_position(game.position)
            await _take_turn(game, screen)
    except Quit:
        return 0
    screen.show_position(game.position)
    screen.show_end(game.outcome)
    return 0


async def _take_turn(game: Game, screen: Screen) -> None:
    side = game.position.to_move
    if side in game.people:
        await _make_move(game, screen)
        return
    try:
        move = await screen.answered(game.next_move())
    except IllegalMove as refusal:
        screen.show_problem(str(refusal))
        return
    if move is not None:
        screen.show_move(side, move)


async def _make_move(game: Game, screen: Screen) -> None:
    """Ask a person at this terminal until they enter a legal move."""
    while True:
        move = await screen.ask_move(game.stirred)
        try:
            return game.make(move)
        except IllegalMove as refusal:
            screen.show_problem(str(refusal))
