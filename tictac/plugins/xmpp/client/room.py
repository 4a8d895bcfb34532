"""A room as a MUG client sees it, and the words that its user types. Has no connection.

Source: docs/reference/xmpp.md, "The client". It is the other side of "Rules of a service".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from twisted.words.xish.domish import Element, SerializedXML

from tictac.plugins.xmpp import xml
from tictac.plugins.xmpp.addresses import Address, parse
from tictac.plugins.xmpp.client.boards import NO_BOARD, Board, look_of, move_element, read_state
from tictac.plugins.xmpp.xml import DATA, MUG, OWNER, SEARCH, TTT, USER, tag, text_of

HELP = """\
x, o, none - take a role, or give it up, which interrupts a match
take ROLE - take a role of another game: take red
start - begin the match, or go on
2 3 - mark row 2, column 3; other games say how they are played
move MOVE - make a move of a game whose moves are words
board, who - show the board; list the occupants
open - open a new room as it is
options [NAME=VALUE ...] - show the options, or change some: options rows=5 cols=5
role NICK ROLE - give an occupant a role, or none
member ADDRESS, owner NICK - make a member, or the next owner
invite ADDRESS [REASON] - invite a player; computer is one, too
accept, decline [REASON] - answer the last invitation
draw, takeback, resign, pause - offers, and the like, for a match with the lobby
say TEXT, msg NICK TEXT - say something to all, or to one
nick NAME - take another nick
save, load - save the room, and load it again
search [NAME=VALUE ...] - search rooms: search name=den roles=1
leave, join ROOM - leave the room; enter another one
QUIT - leave the program"""

_TALK = ("draw", "takeback", "resign", "pause")
_ROOM_OPTIONS = (
    *("roomname", "matchdesc", "roomdesc", "roompolicy", "moderated", "allowinvites", "maxusers"),
    *("publicroom", "membersonly", "anonymity", "passwordprotectedroom", "roomsecret", "chat"),
)
_STATUSES = {
    "created": "The room is new: write open, or options.",
    "inactive": "No match is being played.",
    "active": "The match is on.",
    "paused": "The match is interrupted: it goes on when both players start.",
}


class Seen(NamedTuple):
    """An occupant: the affiliation, the role (x, o, or none), and the address if it is shown."""

    affiliation: str
    role: str
    jid: str


class Invited(NamedTuple):
    """An invitation to ``room``, ``by`` an address."""

    room: Address
    by: str
    password: str
    game: str


@dataclass(slots=True)
class RoomClient:
    """One user in one room at a time.

    ``send`` gets the text of a stanza, and ``show`` a line for the user. ``person`` is the user's
    own bare address, and ``game`` the namespace of the room's game.
    """

    send: Callable[[str], None]
    show: Callable[[str], None]
    room: Address
    nick: str
    person: str
    game: str = TTT
    occupants: dict[str, Seen] = field(default_factory=dict)
    status: str = ""
    board: Board = NO_BOARD
    invited: Invited | None = None
    _state: Element | None = None  # the board's
    _move: Element | None = None  # made since that
    _asked: dict[str, str] = field(default_factory=dict)  # the purpose of each iq under way
    _ids: int = 0

    # Commands of the user

    def enter(self, password: str = "") -> None:
        """Enter the room, which creates it if there is none."""
        secret = tag("password", None, password) if password else None
        self._presence(self.nick, tag("game", {"xmlns": MUG, "var": self.game}, secret))

    def leave(self) -> None:
        """Leave the room."""
        self._presence(self.nick, "", "unavailable")
        self.occupants.clear()

    def type(self, line: str) -> None:
        """Do what the user has typed. Raises ValueError, with a sentence."""
        word, _, rest = line.strip().partition(" ")
        word, rest = word.lower(), rest.strip()
        match word:
            case "":
                pass
            case "help":
                self.show(HELP)
            case "x" | "o" | "none" if not rest:
                self._take(word)
            case "take":
                self._take(rest)
            case "start":
                self._message(tag("start", {"xmlns": USER}))
            case "board":
                self._show_board()
            case "who":
                self._show_occupants()
            case "leave":
                self.leave()
            case "save" | "load":
                self._ask(word, tag(word, {"xmlns": OWNER}), "set")
            case "accept" | "decline":
                self._answer(word, rest)
            case "search":
                self._search(rest)
            case "say" | "msg" | "nick" | "join":
                self._talk(word, rest)
            case "options" | "open" | "role" | "member" | "owner" | "invite":
                self._own(word, rest)
            case _ if word in _TALK:
                self._message(tag("body", None, word))
            case _ if word.isdecimal() or word in ("pop", "move"):
                typed = rest if word == "move" else f"{word} {rest}"
                move = move_element(self.game, typed, self.board.number or 1)
                self._message(tag("turn", {"xmlns": USER}, move))
            case _:
                raise ValueError("That isn't a command: write help.")

    def _take(self, role: str) -> None:
        self._presence("", tag("game", {"xmlns": MUG}, tag("item", {"role": role})))

    def _talk(self, word: str, rest: str) -> None:
        first, _, text = rest.partition(" ")
        if not rest or (word == "msg" and not text):
            raise ValueError(f"Write {word} and what belongs to it: help lists all.")
        if word == "say":
            self._message(tag("body", None, f"say {rest}"))
        elif word == "msg":
            self._message(tag("body", None, text.strip()), first)
        elif word == "nick" and self.nick in self.occupants:
            # The room announces it, unless it is taken.
            self._presence(rest, tag("game", {"xmlns": MUG}))
        elif word == "nick":
            self.nick = rest
            self.show(f"You will enter as {rest}: write join ROOM.")
        else:
            room = first if "@" in first else f"{first}@{self.room.domain}"
            self._go(parse(room), text.strip())

    def _go(self, room: Address, password: str) -> None:
        if self.occupants:
            self.leave()
        self.room, self.status, self.board = room, "", NO_BOARD
        self._state = self._move = None
        self.enter(password)

    def _own(self, word: str, rest: str) -> None:
        """Send a request of the owner."""
        first, _, more = rest.partition(" ")
        if word == "options" and not rest:
            self._ask("options", tag("query", {"xmlns": OWNER}, tag("options")), "get")
        elif word in ("options", "open"):
            self._configure(_values(rest))
        elif not first or (word == "role" and not more):
            raise ValueError(f"Write {word} and what belongs to it: help lists all.")
        elif word == "invite":
            who = f"{first}@{self.room.domain}" if first == "computer" else first
            reason = tag("reason", None, more) if more else None
            invite = tag("invite", {"to": who}, reason)
            game = tag("game", {"xmlns": USER}, invite)
            # Invitations have the type normal, which is that of messages without one.
            self.send(tag("message", {"to": str(self.room)}, game))
        else:
            item = {
                "role": {"nick": first, "role": more.strip()},
                "member": {"jid": first, "affiliation": "member"},
                "owner": {"nick": first, "affiliation": "owner"},
            }[word]
            self._ask(word, tag("query", {"xmlns": OWNER}, tag("item", item)), "set")

    def _configure(self, values: Mapping[str, str]) -> None:
        """Submit options; without any, that only opens the room."""
        name = re.split("[/:]", self.game)[-1]
        game = {f"mug/{name}#config_{n}": v for n, v in values.items() if n not in _ROOM_OPTIONS}
        room = {f"mug#roomconfig_{n}": v for n, v in values.items() if n in _ROOM_OPTIONS}
        theirs = tag("options", {"xmlns": self.game}, _submit(f"{self.game}#{name}config", game))
        options = tag("options", None, _submit(f"{MUG}#matchconfig", room), theirs)
        self._ask("set", tag("query", {"xmlns": OWNER}, options), "set")

    def _search(self, rest: str) -> None:
        fields = {f"mug#roomsearch_{name}": value for name, value in _values(rest).items()}
        query = tag("query", {"xmlns": SEARCH}, _submit(SEARCH, fields))
        self._ask("search", query, "set", self.room.domain)

    def _answer(self, word: str, reason: str) -> None:
        if self.invited is None:
            raise ValueError("There is no invitation to answer.")
        invited, self.invited = self.invited, None
        if word == "accept":
            self.game = invited.game
            self._go(invited.room, invited.password)
            return
        why = tag("reason", None, reason) if reason else None
        declined = tag("decline", {"to": invited.by}, why)
        game = tag("game", {"xmlns": USER}, declined)
        self.send(tag("message", {"to": str(invited.room)}, game))

    def _presence(self, nick: str, inner: str, kind: str | None = None) -> None:
        to = self.room._replace(resource=nick)
        self.send(tag("presence", {"to": str(to), "type": kind}, SerializedXML(inner)))

    def _message(self, inner: SerializedXML, nick: str = "") -> None:
        attributes = {"to": str(self.room._replace(resource=nick)), "type": "chat"}
        self.send(tag("message", attributes, inner))

    def _ask(self, what: str, inner: SerializedXML, kind: str, to: str = "") -> None:
        self._ids += 1
        asked = f"ask-{self._ids}"
        self._asked[asked] = what
        to = to or str(self.room)
        self.send(tag("iq", {"to": to, "type": kind, "id": asked}, inner))

    # Stanzas of the service

    def receive(self, stanza: Element) -> None:
        """Handle a stanza of any sender; only those of MUG's services mean something."""
        try:
            sender = parse(stanza.getAttribute("from") or self.person)
        except ValueError:
            return
        kind = stanza.getAttribute("type") or ""
        if stanza.name == "iq":
            if (asked := self._asked.pop(stanza.getAttribute("id") or "", None)) is not None:
                self._answered(asked, stanza, kind)
        elif stanza.name == "message":
            self._heard_message(stanza, sender, kind)
        elif sender.bare == str(self.room):
            self._heard_presence(stanza, sender.resource, kind)

    def _answered(self, asked: str, stanza: Element, kind: str) -> None:
        if kind == "error":
            self.show(f"Refused: {_why(stanza)}.")
            return
        forms = list(_forms(stanza))
        match asked:
            case "options":
                for form in forms:
                    for name, values, choices in _fields(form):
                        among = f" ({', '.join(choices)})" if choices else ""
                        self.show(f"{name}={' '.join(values)}{among}")
                self.show("To change some, write options NAME=VALUE ...")
            case "search":
                items = [item for form in forms for item in form.elements(DATA, "item")]
                for item in items:
                    cells = {name: " ".join(values) for name, values, _ in _fields(item)}
                    self.show(f"{cells.get('jid', '?')}: {cells.get('status', '?')}")
                if not items:
                    self.show("There are no such rooms.")
            case _:
                self.show("Done.")

    def _heard_presence(self, stanza: Element, nick: str, kind: str) -> None:
        if kind == "error":
            self.show(f"Refused: {_why(stanza)}.")
            return
        game = xml.first(stanza, MUG, "game")
        item = None if game is None else xml.first(game, MUG, "item")
        if nick and kind == "unavailable":
            self._gone(stanza, nick)
        elif nick and item is not None:
            self._seen(nick, item)
        elif game is not None and not nick:
            self._heard_state(game)

    def _gone(self, stanza: Element, nick: str) -> None:
        self.occupants.pop(nick, None)
        mine = nick == self.nick
        if mine:
            self.occupants.clear()
        if xml.first(stanza, MUG, "saved") is not None:
            self.show("The room is saved; its owner can load it." if mine else f"{nick} has left.")
        elif xml.first(stanza, USER, "invalid-turn") is not None:
            who = "You are" if mine else f"{nick} is"
            self.show(f"{who} removed for an impossible move.")
        else:
            self.show("You have left the room." if mine else f"{nick} has left.")

    def _seen(self, nick: str, item: Element) -> None:
        new_nick = item.getAttribute("nick")
        names = ("affiliation", "role", "jid")
        affiliation, role, jid = (item.getAttribute(name) or "" for name in names)
        before, seen = self.occupants.get(nick), Seen(affiliation, role or "none", jid)
        if new_nick and new_nick != nick:
            self.occupants.pop(nick, None)
            self.occupants[new_nick] = seen
            if nick == self.nick:
                self.nick = new_nick
            self.show(f"{nick} is now called {new_nick}.")
        elif before != seen:
            self.occupants[nick] = seen
            self.show(f"{self._described(nick)}.")

    def _described(self, nick: str) -> str:
        seen = self.occupants[nick]
        rank = f", {seen.affiliation}," if seen.affiliation in ("owner", "member") else ""
        address = f" ({seen.jid})" if seen.jid else ""
        plays = f"plays {seen.role}" if seen.role != "none" else "looks on"
        return f"{nick}{address}{rank} {plays}"

    def _heard_state(self, game: Element) -> None:
        known, before = self.status, self.board.lines
        status = xml.first(game, MUG, "status")
        self.status = known if status is None else text_of(status)
        if xml.first(game, MUG, "configuration-changed") is not None:
            self.show("The options have changed.")
        has_ended = known in ("active", "paused") and self.status == "inactive"
        if self.status != known and not has_ended:
            self.show(_STATUSES.get(self.status, self.status))
        state, last = xml.first(game, self.game, "state"), self._board_after_move()
        if state is not None:
            try:
                self.board, self._state, self._move = read_state(state), state, None
            except ValueError as error:
                self.show(str(error))
                state = None
        if has_ended:
            # The state has the board of the next match.
            for line in last:
                self.show(line)
            self._show_result()
            self.show(_STATUSES["inactive"])
        elif state is not None and (self.board.lines != before or self.status != known):
            self._show_board()

    def _board_after_move(self) -> list[str]:
        """Return the board with the move that came since the last state, if there is one."""
        if self._state is None or self._move is None:
            return []
        if self._move.getAttribute("id") != str(self.board.number):
            return []  # the state has it already: services can send it before the turn
        return look_of(self.game).lines_after(self._state, self._move, self.board.turn)

    def _show_board(self) -> None:
        for line in self.board.lines:
            self.show(line)
        mine, board = self.occupants.get(self.nick), self.board
        if self.status == "active":
            is_mine = mine is not None and mine.role == board.turn
            usage = look_of(self.game).usage
            self.show(f"Your turn: {usage}." if is_mine else f"It is the turn of {board.turn}.")
        else:
            self._show_result()

    def _show_result(self) -> None:
        if result := self.board.result:
            self.show("It is a draw." if result == "draw" else f"{result} has won.")

    def _show_occupants(self) -> None:
        for nick in self.occupants:
            self.show(self._described(nick))

    def _heard_message(self, stanza: Element, sender: Address, kind: str) -> None:
        game = xml.first(stanza, USER, "game")
        around = stanza if game is None else game
        if (invited := xml.first(around, USER, "invited")) is not None and kind != "error":
            self._heard_invitation(around, invited, sender)
        elif sender.bare != str(self.room):
            return
        elif kind == "error":
            self.show(f"Refused: {_why(stanza)}.")
        elif (declined := xml.first(around, USER, "declined")) is not None:
            reason = xml.first(declined, USER, "reason")
            why = "" if reason is None else f": {text_of(reason)}"
            self.show(f"{declined.getAttribute('from') or '?'} declines{why}.")
        elif xml.first(stanza, USER, "start") is not None:
            self.show(f"{sender.resource} has started.")
        elif (turn := xml.first(stanza, USER, "turn")) is not None:
            for move in turn.elements(self.game, "move"):
                self._move = move
                self.show(f"{sender.resource} {look_of(self.game).describe(move)}.")
        elif (body := _named(stanza, "body")) is not None:
            self.show(f"{sender.resource or self.room.node}: {text_of(body)}")

    def _heard_invitation(self, game: Element, invited: Element, sender: Address) -> None:
        by = invited.getAttribute("from") or str(sender)
        secret, reason = xml.first(game, USER, "password"), xml.first(invited, USER, "reason")
        password = "" if secret is None else text_of(secret)
        game_of = invited.getAttribute("var") or TTT
        self.invited = Invited(Address(sender.node, sender.domain), by, password, game_of)
        why = "" if reason is None else f" ({text_of(reason)})"
        self.show(f"{by} invites you to {sender.bare}{why}: write accept, or decline.")


def _values(rest: str) -> dict[str, str]:
    """Read NAME=VALUE words. Raises ValueError, with a sentence."""
    pairs = [word.partition("=") for word in rest.split()]
    if not all(name and equals for name, equals, _ in pairs):
        raise ValueError("Write NAME=VALUE, such as rows=5.")
    return {name: value for name, _, value in pairs}


def _submit(form_type: str, fields: Mapping[str, str]) -> SerializedXML:
    values = {"FORM_TYPE": form_type, **fields}
    inner = (tag("field", {"var": var}, tag("value", None, text)) for var, text in values.items())
    return tag("x", {"xmlns": DATA, "type": "submit"}, *inner)


def _forms(tree: Element) -> Iterable[Element]:
    for child in tree.elements():
        if (child.uri, child.name) == (DATA, "x"):
            yield child
        else:
            yield from _forms(child)


def _fields(around: Element) -> Iterable[tuple[str, list[str], list[str]]]:
    """Yield the fields of a form or item: the end of its name, the values, and the choices."""
    for each in around.elements(DATA, "field"):
        name = (each.getAttribute("var") or "").rpartition("_")[2]
        values = [text_of(value) for value in each.elements(DATA, "value")]
        options = (option.elements(DATA, "value") for option in each.elements(DATA, "option"))
        if name != "TYPE":
            yield name, values, [text_of(value) for option in options for value in option]


def _named(tree: Element, name: str) -> Element | None:
    """Return a child of a stanza, in the namespace of the stream."""
    return next((child for child in tree.elements() if child.name == name), None)


def _why(stanza: Element) -> str:
    """Return what an error says: its text, or else its condition."""
    error = _named(stanza, "error")
    if error is None:
        return "without a reason"
    text = xml.first(error, xml.STANZAS, "text")
    conditions = [child.name for child in error.elements() if child.name != "text"]
    return text_of(text) if text is not None else ", ".join(conditions) or "without a reason"
