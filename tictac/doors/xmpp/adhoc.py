"""Ad-hoc commands (XEP-0050): the same as by chat, in forms; each has one at most.

Who takes a role by a form starts by it too: there is no command for that alone.
Source: docs/xmpp.md, "Ad-hoc commands".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tictac.doors.xmpp import directory
from tictac.doors.xmpp.chat import Caller, ChatCommands, Said
from tictac.doors.xmpp.configuration import LARGEST, SMALLEST
from tictac.doors.xmpp.events import Event
from tictac.doors.xmpp.forms import Field, Fields, flag, form, one
from tictac.doors.xmpp.match import ROLES
from tictac.doors.xmpp.queries import COMMANDS
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.requests import Command, Discover
from tictac.doors.xmpp.xml import Element, element
from tictac.game import Kind
from tictac.games.all import GAMES
from tictac.games.tictactoe.game import KIND

DATA = "jabber:x:data"
_OTHERS = {f"new-{kind.name}": kind for kind in GAMES.values() if kind is not KIND}
NODES: Mapping[str, str] = {
    "new": "Open a room",
    **{node: f"Open a room: {kind.title}" for node, kind in _OTHERS.items()},
    "join": "Enter a room",
    "watch": "Watch a game",
    "move": "Make a move",
    "leave": "Leave the room",
    "board": "Show the board",
}
_ANY_ROLE = ("none", *ROLES)
_NUMBERS = tuple(str(number) for number in range(SMALLEST, LARGEST + 1))


class AdHoc:
    """The ad-hoc commands, over those of chat. Each may raise Refused."""

    def __init__(self, chat: ChatCommands) -> None:
        self._chat = chat

    def discover(self, asked: Discover) -> Element | None:
        """The commands, or one of them; None when something else was asked."""
        node, domain = asked.node or "", self._chat.rooms.domain
        if node != COMMANDS and (asked.what, node in NODES) != ("info", True):
            return None
        if asked.what == "items":
            found = ({"jid": domain, "node": each, "name": NODES[each]} for each in NODES)
            return directory.items(found, COMMANDS)
        kind, name = (
            ("command-list", "Tic-tac-toe") if node == COMMANDS else ("command-node", NODES[node])
        )
        identity = {"category": "automation", "type": kind, "name": name}
        return directory.info(identity, () if node == COMMANDS else (COMMANDS, DATA), node)

    def run(self, caller: Caller, command: Command) -> tuple[Said, Element]:
        """One step of a command, its form or what it does; and the answer, but for its note."""
        if command.node not in NODES:
            raise Refused("item-not-found", "there is no such command")
        if command.action not in ("execute", "complete", "next", "cancel"):
            raise Refused("bad-request", "commands here are executed, completed or cancelled")
        filled = command.form
        if command.action == "cancel" or (filled is not None and filled.kind == "cancel"):
            return Said([], []), _command(command, "canceled")
        if filled is None:
            asked = self._form(caller, command.node)
            if asked is not None:
                return Said([], []), _command(command, "executing", _COMPLETE, asked)
        said = self._do(caller, command.node, {} if filled is None else filled.fields)
        return said, _command(command, "completed")

    def _form(self, caller: Caller, node: str) -> Element | None:
        """The form of a command, if it needs one now."""
        chat, shown = self._chat, ""
        if node == "new":
            sizes = (("rows", "Rows"), ("cols", "Columns"), ("strike", "To win"))
            fields = [
                Field("name", "text-single", "Name of the room"),
                *(Field(name, "list-single", label, ("3",), _NUMBERS) for name, label in sizes),
                Field("role", "list-single", "Play as", ("x",), _ANY_ROLE),
                Field("computer", "boolean", "Play against the computer", ("0",)),
            ]
        elif node in _OTHERS:
            fields, shown = list(_fields(_OTHERS[node])), _OTHERS[node].goal
        elif node in ("join", "watch"):
            names = tuple(chat.names(node == "watch"))
            fields = [
                Field("room", "list-single" if names else "text-single", "Room", (), names),
                Field("password", "text-private", "Password, if it has one"),
            ]
            if node == "join":
                fields.append(Field("role", "list-single", "Play as", ("none",), _ANY_ROLE))
        elif node == "move" and chat.sitter(caller) is not None:
            fields = [Field("move", "text-single", "Move")]
            shown = "\n".join(chat.say(caller, "board").lines)
        elif node == "move" and chat.room(caller).match.status == "active":
            fields = [Field("row", "text-single", "Row"), Field("col", "text-single", "Column")]
            shown = "\n".join(chat.board(caller))
        else:
            return None
        return form("form", "", NODES[node], fields, shown)

    def _do(self, caller: Caller, node: str, fields: Fields) -> Said:
        chat, sits = self._chat, self._chat.sitter(caller) is not None
        name, secret = one(fields, "room") or "", one(fields, "password") or None
        match node:
            case "new":
                return Said(self._new(caller, fields), [])
            case "watch":
                return chat.play(caller, name, "VIEWER", secret)
            case "join":
                said = chat.enter(caller, name, secret)
                return Said(said.events + self._take(caller, fields), said.lines)
            case "leave" if not sits:
                return Said(chat.leave(caller), ["You have left."])
            case "leave" | "board":
                return chat.say(caller, node)
            case "move" if sits:
                return chat.say(caller, one(fields, "move") or "board")
            case "move" if not fields:
                # No match yet: to move is to start it.
                return Said(chat.room(caller).start(caller.session.address), [])
            case "move":
                row, col = (_number(one(fields, name)) for name in ("row", "col"))
                address = caller.session.address
                return Said(chat.room(caller).turn_or_explain(address, row, col), [])
        return self._open(caller, _OTHERS[node], fields)

    def _open(self, caller: Caller, kind: Kind, fields: Fields) -> Said:
        words = [f"seats={seats}"] if (seats := one(fields, "seats")) else []
        for option in kind.options:
            if value := one(fields, option.name):
                flags = {"1": "yes", "0": "no"} if option.kind == "flag" else {}
                words.append(f"{option.name}={flags.get(value, value)}")
        said = self._chat.open(caller, one(fields, "name") or "", kind.name, words)
        level = one(fields, "computer")
        return said if level in (None, "none") else self._chat.say(caller, f"computer {level}")

    def _new(self, caller: Caller, fields: Fields) -> list[Event]:
        sizes = {
            f"mug/tictactoe#config_{name}": fields[name]
            for name in ("rows", "cols", "strike")
            if fields.get(name)
        }
        events = self._chat.new(caller, one(fields, "name") or "", sizes)
        events += self._take(caller, fields)
        if one(fields, "computer") in ("1", "true"):
            rooms, room = self._chat.rooms, self._chat.room(caller)
            who = ((f"computer@{rooms.domain}", ""),)
            events += rooms.invite(room, caller.session.address, who)
        return events

    def _take(self, caller: Caller, fields: Fields) -> list[Event]:
        role = one(fields, "role") or "none"
        if role == "none" or self._chat.sitter(caller) is not None:
            return []
        room = self._chat.room(caller)
        occupant = room.occupant(caller.session.address)
        events = room.take_role(caller.session.address, role)
        occupant.ready = True
        return events + room.start_the_ready()


_COMPLETE = element(COMMANDS, "actions", {"execute": "complete"}, element(COMMANDS, "complete"))


def _command(command: Command, status: str, *children: Element) -> Element:
    session = command.session or f"{command.node}-1"
    attributes = {"node": command.node, "sessionid": session, "status": status}
    return element(COMMANDS, "command", attributes, *children)


def with_note(answer: Element, lines: list[str]) -> Element:
    """A completed command that says something."""
    note = element(COMMANDS, "note", {"type": "info"}, "\n".join(lines))
    return element(answer.uri, answer.name, answer.attributes, *answer.children, note)


def _number(text: str | None) -> int:
    if text is None or not (text.isascii() and text.isdecimal() and len(text) < 6):
        raise Refused("bad-request", "Row and column are numbers.")
    return int(text)


def _fields(kind: Kind) -> Iterator[Field]:
    """What is chosen of a game, from its options."""
    yield Field("name", "text-single", "Name of the room")
    for option in kind.options:
        label = option.help
        if option.kind == "flag":
            yield Field(option.name, "boolean", label, flag(bool(option.default)))
        elif option.kind == "choice":
            choice = str(option.default)
            yield Field(option.name, "list-single", label, (choice,), option.choices)
        else:
            label += f" From {option.lowest} to {option.highest}."
            yield Field(option.name, "text-single", label, (str(option.default),))
    if len(kind.seats) > 1:
        numbers = tuple(map(str, kind.seats))
        yield Field("seats", "list-single", "Players", numbers[:1], numbers)
    if kind.levels:
        yield Field(
            "computer", "list-single", "The computer plays", ("none",), ("none", *kind.levels)
        )
