"""Ad-hoc commands (XEP-0050): chat commands as forms, up to one form per command.

A player who takes a role by a form also starts the match, because there is no command to start.

A journal lets the lobby's answers come later than its decisions. So a command is a generator: it
yields after each request, and goes on with what happened when the lobby has answered. It is
answered at its end. If a request is refused, the command sends what happened before, and its answer
is the refusal: what happened can be news of other people's rooms.

    new-reversi (computer)    asks for the room, and yields
    the lobby has saved it    the room's lines; asks for the computer, and yields
    the match has begun       the board; the answer has all these lines

Source: docs/reference/xmpp.md, "Ad-hoc commands".
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from urllib.parse import unquote

from twisted.words.xish.domish import Element, SerializedXML

from tictac.game import GameType
from tictac.games.all import GAMES
from tictac.plugins.xmpp import directory
from tictac.plugins.xmpp.chat import ChatCommands, is_number
from tictac.plugins.xmpp.events import ChatSession, Event, Stanza, erred, result, spoken
from tictac.plugins.xmpp.fields import Field, Fields, form, one, option_field, read_form
from tictac.plugins.xmpp.mug_games import MUG_TICTACTOE
from tictac.plugins.xmpp.mug_tictactoe import TICTACTOE, TicTacToe
from tictac.plugins.xmpp.own_commands import OwnCommands
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import COMMANDS, CONFERENCE, DATA, ITEMS, first, tag

_OTHERS = {
    f"new-{game_type.name}": game_type for game_type in GAMES.values() if game_type is not TICTACTOE
}
NODES: Mapping[str, str] = {
    "new": "Open a room",
    **{node: f"Open a room: {game_type.title}" for node, game_type in _OTHERS.items()},
    "mine": "Your games",
    "join": "Enter a room",
    "watch": "Watch a game",
    "move": "Make a move",
    "leave": "Leave the room",
    "board": "Show the board",
}
_LABELS = {"rows": "Rows", "cols": "Columns", "strike": "To win"}


def discover(domain: str, what: str, node: str | None) -> SerializedXML | None:
    """Return the list of commands, or one command; None for any other node."""
    if node == COMMANDS and what == ITEMS:
        found = ({"jid": domain, "node": each, "name": NODES[each]} for each in NODES)
        return directory.items(found, COMMANDS)
    if node == COMMANDS:
        return directory.info("Commands", (), kind=("automation", "command-list"), node=node)
    if node is None or node not in NODES or what == ITEMS:
        return None
    can, kind = (COMMANDS, DATA), ("automation", "command-node")
    return directory.info(NODES[node], can, kind=kind, node=node)


Steps = Generator[None, list[Event] | None, list[Event]]
"""A command under way, which gets the events and returns the stanzas to send."""


def run(chat: ChatCommands, s: Stanza, command: Element) -> Steps:
    """Do one step of a command: send its form, or do what the form asks.

    The answer to the command has the lines that its sender would get in a chat.

    Raises:
        Refused: The command is unknown, or has no form now.
    """
    node, fields, is_cancelled = read(command)
    status, inner, events = "completed", list[SerializedXML](), list[Event]()
    if is_cancelled:
        status = "canceled"
    elif fields is None and (asked := _form(chat, s, node)) is not None:
        status = "executing"
        inner = [COMPLETE, asked]
    else:
        try:
            for done in _do(chat, s, node, fields or {}):
                events += done
                events += (yield) or []
        except Refused as refused:
            return [*events, erred(s.tree, refused)]
    chat.note_activity(s.person)
    said = [lines for session, lines in spoken(events).items() if session.address == s.address]
    lines = [line for each in said for line in each]
    if lines:
        inner.append(note("\n".join(lines)))
    others = []
    for event in events:
        to = tuple(each for each in event.to if not each.via or each.address != s.address)
        others.append(event._replace(to=to))
    return [*others, answer(s, command, status, *inner)]


COMPLETE = tag("actions", {"execute": "complete"}, tag("complete"))
"""The only action of a form."""


def read(command: Element) -> tuple[str, Fields | None, bool]:
    """Return the node of a step, the values of its form, and whether the sender cancels.

    Raises:
        Refused: There is no such command, or no such action.
    """
    get, x = command.getAttribute, first(command, DATA, "x")
    node, action = get("node") or "", get("action") or "execute"
    kind, fields = ("", None) if x is None else read_form(x)
    if node not in NODES:
        raise Refused("item-not-found", "there is no such command")
    if action not in ("execute", "complete", "next", "cancel"):
        raise Refused("bad-request", "commands here are executed, completed, or canceled")
    return node, fields, "cancel" in (action, kind)


def note(text: str) -> SerializedXML:
    """Return what a command reports."""
    return tag("note", {"type": "info"}, text)


def answer(s: Stanza, command: Element, status: str, *inner: str) -> Event:
    """Return the answer to a step of a command."""
    node = command.getAttribute("node") or ""
    session = command.getAttribute("sessionid") or f"{node}-1"
    given = {"xmlns": COMMANDS, "node": node, "sessionid": session, "status": status}
    return result(s.tree, tag("command", given, *inner))


async def choose(own: OwnCommands, s: Stanza, command: Element) -> list[Event]:
    """Do a step of the command ``mine``: the form of the sender's games, or one of them.

    The next match is chosen already. The answer has the link to the chosen room, and a message
    invites to it, because clients open invitations, but no links in answers to commands.

    Raises:
        Refused: The sender has no match in the room.
    """
    _, fields, is_cancelled = read(command)
    if is_cancelled:
        return [answer(s, command, "canceled")]
    games = await own.my_games(s.person)
    if not games:
        return [answer(s, command, "completed", note("You play no match now."))]
    if fields is None:
        due = next((game.room for game in games if game.is_due), games[0].room)
        rooms = tuple(game.room for game in games)
        field = Field("room", "list-single", "Match", (due,), rooms)
        shown = "\n".join(f"{game.line}\n{game.link}" for game in games)
        return [
            answer(
                s, command, "executing", COMPLETE, form("form", "", NODES["mine"], [field], shown)
            )
        ]
    room = one(fields, "room") or ""
    link = next((game.link for game in games if game.room == room), None)
    if link is None:
        raise Refused("item-not-found", f"you have no match in {room:.80}")
    found = [Field("room", "text-single", "Match", (room,))]
    found.append(Field("link", "text-single", "Link", (link,)))
    jid = unquote(link.removeprefix("xmpp:").partition("?")[0])
    invited = tag("x", {"xmlns": CONFERENCE, "jid": jid})
    text = tag("body", None, f"To go to {room}, enter {link}")
    to = (ChatSession(s.address),)
    return [
        answer(s, command, "completed", note(link), form("result", "", "", found)),
        Event(s.to.bare, to, "message", text + invited, kind="normal"),
    ]


def _form(chat: ChatCommands, s: Stanza, node: str) -> SerializedXML | None:
    """Return the form of a command, or None if the command needs none now."""
    shown = list[Event]()
    goal = ""
    roles = MUG_TICTACTOE.roles(MUG_TICTACTOE.terms)
    role = Field("role", "list-single", "Play as", ("none",), ("none", *roles))
    if node == "new":
        fields = [
            Field("name", "text-single", "Name of the room"),
            *(
                Field(n, "list-single", label, ("3",), TicTacToe.SIZES)
                for n, label in _LABELS.items()
            ),
            role._replace(values=("x",)),
            Field("computer", "boolean", "Play against the computer", ("0",)),
        ]
    elif node in _OTHERS:
        fields, goal = list(_fields(_OTHERS[node])), _OTHERS[node].goal
    elif node in ("join", "watch"):
        names = tuple(chat.names(node == "watch"))
        fields = [
            Field("room", "list-single" if names else "text-single", "Room", (), names),
            Field("password", "text-private", "Password, if it has one"),
            *([role] if node == "join" else []),
        ]
    elif node == "move" and chat.chat_seat(s) is not None:
        fields = [Field("move", "text-single", "Move")]
        shown = chat.run(s, "board")
    elif node == "move" and chat.room(s).match.status == "active":
        fields = [Field("row", "text-single", "Row"), Field("col", "text-single", "Column")]
        shown = chat.board(s)
    else:
        return None
    drawn = [line for lines in spoken(shown).values() for line in lines]
    return form("form", "", NODES[node], fields, "\n".join(drawn) or goal)


def _do(chat: ChatCommands, s: Stanza, node: str, fields: Fields) -> Iterator[list[Event]]:
    """Make the requests of a command, one after the other; yield the events of each."""
    sits = chat.chat_seat(s) is not None
    name, secret = one(fields, "room") or "", one(fields, "password") or None
    match node:
        case "new":
            yield from _new(chat, s, fields)
        case "watch":
            yield chat.play(s, name, "VIEWER", secret)
        case "join":
            yield chat.enter(s, name, secret)
            yield _take(chat, s, fields)
        case "leave" if not sits:
            yield [s.answer("You have left."), *chat.run(s, "leave")]
        case "leave" | "board":
            yield chat.run(s, node)
        case "move" if sits:
            yield chat.run(s, one(fields, "move") or "board")
        case "move" if not fields:
            # There is no match yet, so the command to move starts one.
            yield chat.room(s).start(s.address)
        case "move":
            row, col = (one(fields, name) or "" for name in ("row", "col"))
            if not (is_number(row) and is_number(col)):
                raise Refused("bad-request", "Row and column are numbers.")
            yield chat.room(s).turn_or_explain(s.address, f"{int(row)} {int(col)}")
        case _:
            yield from _open(chat, s, _OTHERS[node], fields)


def _open(
    chat: ChatCommands, s: Stanza, game_type: GameType, fields: Fields
) -> Iterator[list[Event]]:
    words = [f"seats={seats}"] if (seats := one(fields, "seats")) else []
    for option in game_type.options:
        if value := one(fields, option.name):
            flags = {"1": "yes", "0": "no"} if option.kind == "flag" else {}
            words.append(f"{option.name}={flags.get(value, value)}")
    level = one(fields, "computer") or "none"
    if level not in ("none", *game_type.levels):
        raise Refused("not-acceptable", f"{level!r:.40} isn't a level of the computer")
    yield chat.open(s, one(fields, "name") or "", game_type.name, words)
    seat = chat.chat_seat(s)
    if seat is not None and level != "none":
        for _ in range(seat.room.terms.seats - len(seat.room.players)):
            yield chat.run(s, f"computer {level}")


def _new(chat: ChatCommands, s: Stanza, fields: Fields) -> Iterator[list[Event]]:
    sizes = {f"mug/tictactoe#config_{n}": fields[n] for n in _LABELS if fields.get(n)}
    yield chat.new(s, one(fields, "name") or "", sizes)
    yield _take(chat, s, fields)
    if one(fields, "computer") in ("1", "true"):
        yield chat.run(s, "computer")


def _take(chat: ChatCommands, s: Stanza, fields: Fields) -> list[Event]:
    role = one(fields, "role") or "none"
    if role == "none" or chat.chat_seat(s) is not None:
        return []
    room = chat.room(s)
    occupant = room.occupant(s.address)
    events = room.take_role(s.address, role)
    occupant.ready = True
    return events + room.start_the_ready()


def _fields(game_type: GameType) -> Iterator[Field]:
    """Return the fields of a form for a new room of a game."""
    yield Field("name", "text-single", "Name of the room")
    for option in game_type.options:
        yield option_field(option, option.name, option.default)
    if len(game_type.seats) > 1:
        numbers = tuple(map(str, game_type.seats))
        yield Field("seats", "list-single", "Players", numbers[:1], numbers)
    if game_type.levels:
        levels = ("none", *game_type.levels)
        yield Field("computer", "list-single", "The computer plays", ("none",), levels)
