"""Connect Four at a terminal: two people at one keyboard, or one against a server.

Source: connect-four.md, "Playing here" and "Playing against a server". The two
differ in where yellow's moves come from, and in nothing else.
"""

from __future__ import annotations

from twisted.internet.error import ConnectionClosed, ConnectionDone

from tictac.doors.connectfour.client import ConnectFourClient, Game, ServerGame
from tictac.doors.connectfour.screen import Screen
from tictac.errors import IllegalMove
from tictac.games.connectfour.rules import Rules
from tictac.net.client import UnknownMessage
from tictac.terminal.dialog import LOST, Quit, too_late
from tictac.terminal.style import Style, visible
from tictac.terminal.terminal import Terminal


async def play_here(terminal: Terminal, style: Style, rules: Rules) -> int:
    """Two people at this terminal; the exit status of the program."""
    try:
        return await _play(Game(rules), Screen(terminal, style, rules))
    except EOFError:
        return input_ended(terminal)


async def play_server(
    client: ConnectFourClient, terminal: Terminal, style: Style, rules: Rules, user: str
) -> int:
    """The person at this terminal, as ``user``, against a server; the exit status."""
    game = ServerGame(client, rules)
    try:
        await game.begin(user)
        terminal.say(f"Welcome {visible(user)}. You are red, the server is yellow.")
        return await _play(game, Screen(terminal, style, rules))
    except EOFError:
        return input_ended(terminal)
    except ConnectionDone:
        was_asked = game.begun and game.position.to_move in game.people
        terminal.error(too_late(client.quiet_for()) if was_asked else LOST)
    except UnknownMessage as error:
        received = visible(error.message[:100].decode("utf-8", "replace"))
        terminal.error(f"Error: the server sent what it can't say now: {received}")
    except ConnectionClosed:
        terminal.error(LOST)
    finally:
        client.close()
    return 1


def input_ended(terminal: Terminal) -> int:
    """Say that nothing more can be typed; the exit status that goes with it."""
    terminal.error("Error: the input has ended, and the game has not.")
    return 1


async def _play(game: Game, screen: Screen) -> int:
    """Play ``game`` to its end; the exit status."""
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
        move = await game.next_move()
    except IllegalMove as refusal:
        screen.show_problem(str(refusal))
        return
    if move is not None:
        screen.show_move(side, move)


async def _make_move(game: Game, screen: Screen) -> None:
    """Ask somebody here until they give a move that can be made."""
    while True:
        move = await screen.ask_move(game.stirred)
        try:
            return game.make(move)
        except IllegalMove as refusal:
            screen.show_problem(str(refusal))
