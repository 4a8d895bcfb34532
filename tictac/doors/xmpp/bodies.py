"""Events as lines of text, for people whose client knows nothing of games.

Source: docs/xmpp.md, "Chat".
"""

from __future__ import annotations

from collections.abc import Iterable

from tictac.doors.xmpp.events import Event, Session, Told, Turned

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
takeback - the same, to take moves back
resign - give the match up
pause - interrupt the match
say TEXT - say something to the others
board - the room and its board
leave - leave the room"""


def lines_for(events: Iterable[Event]) -> dict[Session, list[str]]:
    """What is to be said to each chat, in the order of what happened."""
    said: dict[Session, list[str]] = {}
    drawn_for: set[str] = set()
    for event in events:
        if isinstance(event, Told):
            if isinstance(event, Turned):
                drawn_for.add(event.room)
            lines = list(event.lines(event.room not in drawn_for))
            for session in event.to:
                if session.via and lines:
                    said.setdefault(session, []).extend(lines)
    return said
