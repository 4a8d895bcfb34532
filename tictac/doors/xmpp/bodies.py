"""Events as lines of text, for people whose client knows nothing of games.

Source: docs/xmpp.md, "Chat".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tictac.doors.xmpp.events import (
    Declined,
    Event,
    NotInvited,
    OccupantGone,
    OccupantShown,
    Remarked,
    RoomShown,
    Session,
    Started,
    Turned,
)
from tictac.games.tictactoe.rules import NAMES, Board
from tictac.terminal.board import draw_grid

HELP = """\
rooms - the rooms that there are
new [NAME [ROWS COLS [STRIKE]]] - open a room for tic-tac-toe, and enter it
new NAME GAME [OPTION=VALUE ...] - open a room for another game, and play
games - the games that there are, and their options
join NAME [PASSWORD] - enter a room; at other games, play
watch NAME [PASSWORD] - watch another game
x, o or none - take a role, or give it up
computer [LEVEL] - let the computer play
invite ADDRESS - invite somebody
start - begin, or go on, when both roles are taken
2 3 - mark row 2, column 3; other games say how they are played
draw, decline - offer or accept a draw, or don't
resign - give the match up
pause - interrupt the match
say TEXT - say something to the others
board - the room and its board
leave - leave the room"""


def drawn(board: Board, columns: int) -> str:
    """A board as lines of text."""
    return "\n".join(draw_grid([NAMES[mark] for mark in board], columns))


def lines_for(events: Iterable[Event]) -> dict[Session, list[str]]:
    """What is to be said to each chat, in the order of what happened."""
    said: dict[Session, list[str]] = {}
    drawn_for: set[str] = set()
    for event in events:
        if isinstance(event, Turned):
            drawn_for.add(event.room)
        to = getattr(event, "to", ())
        chats = [session for session in to if session.via]
        if chats:
            lines = list(_lines(event, with_board=getattr(event, "room", "") not in drawn_for))
            for session in chats:
                said.setdefault(session, []).extend(lines)
    return {session: lines for session, lines in said.items() if lines}


def _lines(event: Event, with_board: bool) -> Iterator[str]:
    match event:
        case Turned(nick=nick, move=move, board=board, columns=columns):
            yield f"{nick} marks {move.row} {move.col}."
            yield drawn(board, columns)
        case RoomShown():
            yield from standing(event, with_board)
        case OccupantShown():
            yield _occupant(event)
        case OccupantGone(nick=nick, why="invalid-turn"):
            yield f"{nick} is put out for an impossible move."
        case OccupantGone(room=room, why="saved"):
            yield f"{room} is saved; its owner can load it."
        case OccupantGone(nick=nick):
            yield f"{nick} has left."
        case Started(nick=nick):
            yield f"{nick} has started."
        case Remarked(text=text):
            yield text
        case Declined(invitee=invitee, reason=reason):
            yield f"{invitee} declines{': ' if reason else ''}{reason}."
        case NotInvited(invitee=invitee):
            yield f"{invitee} can't be invited."
        case _:
            pass


def standing(event: RoomShown, with_board: bool) -> Iterator[str]:
    """How a room stands."""
    name = event.room.partition("@")[0]
    if event.state is None:
        yield f"{name} waits for its configuration."
        return
    rules, turn, board, result = event.state
    if event.reconfigured:
        yield f"{name} has new options: {rules.rows}x{rules.cols}, {rules.strike} in a row win."
    if event.status in ("active", "paused") and with_board:
        yield drawn(board, rules.cols)
    if event.status == "active":
        yield f"It is the turn of {turn}: ROW COL, as in 2 3."
    elif event.status == "paused":
        yield f"The match in {name} is interrupted: it goes on when both players start."
    elif result:
        yield "It is a draw." if result == "draw" else f"{result} has won."
        yield f"The next match begins when both players start; {turn} moves first."
    else:
        yield f"No match in {name} yet: it begins when x and o are taken and both start."


def _occupant(event: OccupantShown) -> str:
    if event.new_nick:
        return f"{event.nick} is now called {event.new_nick}."
    owner = ", the owner," if event.affiliation == "owner" else ""
    return f"{event.nick}{owner} {f'plays {event.role}' if event.role else 'looks on'}."
