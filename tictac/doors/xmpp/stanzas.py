"""What a stanza asks, and doing it. Lenient: what can be understood is.

Source: docs/xmpp.md, "What is implemented".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from tictac.doors.xmpp import directory, invitations, ownership
from tictac.doors.xmpp.addresses import Address, bare, parse
from tictac.doors.xmpp.configuration import check_form_type
from tictac.doors.xmpp.events import Event, Session, result
from tictac.doors.xmpp.forms import Fields, read_form
from tictac.doors.xmpp.ownership import Item
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.registry import Rooms
from tictac.doors.xmpp.room import Room
from tictac.doors.xmpp.xml import (
    COMMANDS,
    COMPONENT,
    DATA,
    INFO,
    ITEMS,
    MUG,
    OWNER,
    PING,
    SEARCH,
    STANZAS,
    TTT,
    USER,
    first,
    text_of,
)

LONGEST_REASON = 500
MOST_ITEMS = 100
"""Changes that may be asked for at once."""

CHAT_KINDS = ("", "chat", "normal", "groupchat")
"""Types of messages whose bodies are for us."""

_GONE = {
    "gone",
    "item-not-found",
    "jid-malformed",
    "recipient-unavailable",
    "redirect",
    "remote-server-not-found",
    "remote-server-timeout",
    "service-unavailable",
}
_DELAYS = {("urn:xmpp:delay", "delay"), ("jabber:x:delay", "x")}


class Stanza(NamedTuple):
    """A stanza that came in: from whom, to which address of ours, its type, and all of it."""

    sender: Address
    to: Address
    kind: str
    tree: Any

    @property
    def leaves(self) -> bool:
        """Whether it says that a client is gone."""
        return bool(self.tree.name == "presence" and self.kind == "unavailable")


Act = Callable[[], list[Event]]
"""What is to be done. Raises Refused."""


def opened(tree: Any) -> Stanza:
    """A stanza. Raises ValueError for what can't be answered, as it has no proper sender."""
    if tree.uri != COMPONENT or tree.name not in ("presence", "message", "iq"):
        raise ValueError(f"an element <{tree.name}> of {tree.uri!r:.80}")
    get = tree.getAttribute
    return Stanza(parse(get("from") or ""), parse(get("to") or ""), get("type") or "", tree)


class Desk:
    """Reads stanzas, and does what they ask of rooms.

    ``command`` does an ad-hoc command, ``commands`` tells of them, ``save`` keeps a room.
    """

    def __init__(
        self,
        rooms: Rooms,
        command: Callable[[Stanza, Any], list[Event]],
        commands: Callable[[str, str], str | None],
        save: Callable[[Stanza, Room], list[Event]],
    ) -> None:
        self._rooms = rooms
        self._command = command
        self._commands = commands
        self._save = save

    def read(self, s: Stanza) -> Act | str | None:
        """What a stanza asks; as text what is typed in a chat; None when it asks nothing."""
        readers = {"presence": self._presence, "message": self._message, "iq": self._iq}
        try:
            return readers[s.tree.name](s)
        except Refused as refused:
            return partial(_refuse, refused)

    def _in_room(self, s: Stanza, act: Callable[[Room], list[Event]], saved: bool = False) -> Act:
        """Do something in the room; ``saved`` says that it may be saved."""

        def do() -> list[Event]:
            room = self._rooms.find(s.to.node)
            if room.saved and not saved:
                raise Refused("not-allowed", "the room is saved; its owner can load it")
            return act(room)

        if not s.to.node:
            raise Refused("service-unavailable", "that is asked of a room")
        return lambda: self._rooms.in_room(s.to.node, do)

    def _if_there(self, s: Stanza, act: Callable[[Room], list[Event]]) -> Act:
        """Do something in the room, if it is one of ours."""
        name, rooms = s.to.node, self._rooms.by_name
        return lambda: self._rooms.in_room(name, lambda: act(rooms[name]) if name in rooms else [])

    # Presence

    def _presence(self, s: Stanza) -> Act | None:
        if s.leaves:
            return self._if_there(s, lambda room: room.leave(str(s.sender)))
        if s.kind == "error":
            return self._bounced(s)
        if s.kind:
            return None
        game = first(s.tree, MUG, "game")
        if s.to.resource:
            return lambda: self._rooms.in_room(s.to.node, lambda: self._enter(s, game))
        if game is None:
            return None
        item = first(game, MUG, "item") or first(game, USER, "item")
        role = None if item is None else item.getAttribute("role")
        if role is None:
            raise Refused("bad-request", "a presence to a room needs a nick or a role")
        return self._in_room(s, lambda room: room.take_role(str(s.sender), role))

    def _enter(self, s: Stanza, game: Any) -> list[Event]:
        """Enter a room, or create it."""
        name, nick, session = s.to.node, s.to.resource, Session(str(s.sender))
        if not name:
            raise Refused("jid-malformed", "the name of a room is missing")
        room = self._rooms.by_name.get(name)
        known = None if room is None else room.occupants.at(session.address)
        if known is not None and game is None and room and room.occupants.named(nick) is known:
            return []  # away, or back: no matter of ours
        wanted = None if game is None else game.getAttribute("var")
        if wanted != TTT and not (known and wanted is None):
            raise Refused("bad-request", f"the game here is {TTT}")
        if room is None and self._rooms.visited(name) is None:
            return self._rooms.create(name, session, nick)
        secret = None if game is None else first(game, MUG, "password")
        password = None if secret is None else text_of(secret)
        return self._rooms.come_in(name, session, nick, password)

    def _bounced(self, s: Stanza) -> Act:
        """What we sent with that id wasn't delivered."""
        error = first(s.tree, COMPONENT, "error")
        why = () if error is None else error.elements()
        gone = any(each.uri == STANZAS and each.name in _GONE for each in why)
        sent = s.tree.getAttribute("id") or ""

        def act(room: Room) -> list[Event]:
            events = invitations.unreachable(room, s.sender.bare, sent)
            return events or (room.leave(str(s.sender)) if gone else [])

        return self._if_there(s, act)

    # Messages

    def _message(self, s: Stanza) -> Act | str | None:
        if s.kind == "error":
            return self._bounced(s)
        if s.to.resource:
            if s.kind not in ("", "chat", "normal"):
                raise Refused("bad-request", "private messages are of type chat or normal")
            return self._in_room(s, lambda r: r.private(str(s.sender), s.to.resource, s.tree))
        act = self._spoken(s)
        if act is not None:
            return act
        body = first(s.tree, COMPONENT, "body")
        delayed = any((child.uri, child.name) in _DELAYS for child in s.tree.elements())
        return None if body is None or delayed or s.kind not in CHAT_KINDS else text_of(body)

    def _spoken(self, s: Stanza) -> Act | None:
        """What a MUG client says, inside the ``<game>`` wrapper or without."""
        sender, game = str(s.sender), first(s.tree, USER, "game")
        around = s.tree if game is None else game
        if turns := list(around.elements(USER, "turn")):
            if len(turns) > 1:
                raise Refused("bad-request", "one turn at a time")
            move = _read_move(turns[0])
            return self._in_room(s, lambda room: room.turn(sender, *move, s.tree))
        if first(around, USER, "start") is not None:
            return self._in_room(s, lambda room: room.start(sender))
        if invites := [_to_and_reason(each) for each in around.elements(USER, "invite")]:
            return self._in_room(s, lambda room: invitations.invite(room, sender, invites))
        if (decline := first(around, USER, "decline")) is not None:
            to, why = _to_and_reason(decline)
            return self._in_room(s, lambda r: invitations.decline(r, s.sender.bare, to, why))
        if game is not None:
            raise Refused("bad-request", "nothing is known of what is in <game>")
        return None

    # Iqs

    def _done(self, s: Stanza, do: Callable[[Room, str], list[Event]], saved: bool = False) -> Act:
        """Do something for a person in the room, and say so."""
        return self._in_room(s, lambda room: [*do(room, s.sender.bare), result(s.tree)], saved)

    def _told(self, s: Stanza, ask: Callable[[Room, str], str], saved: bool = False) -> Act:
        """Tell what a person asks about the room."""
        return self._in_room(s, lambda room: [result(s.tree, ask(room, s.sender.bare))], saved)

    def _iq(self, s: Stanza) -> Act | None:
        if s.kind in ("result", "error"):
            return None
        child, get = next(s.tree.elements(), None), s.kind == "get"
        if s.kind not in ("get", "set") or child is None:
            raise Refused("bad-request", "an iq is a get or a set, and has one child")
        name = child.uri, child.name
        if name in ((INFO, "query"), (ITEMS, "query")) and get:
            return self._discovered(s, child.uri, child.getAttribute("node"))
        if not s.to.resource:
            if name == (SEARCH, "query"):
                return self._search(s, child, get)
            if name == (PING, "ping") and get:
                pong = [result(s.tree)]
                return self._done(s, lambda room, who: [], True) if s.to.node else lambda: pong
            if name == (COMMANDS, "command") and not get:
                return partial(self._command, s, child) if not s.to.node else self._not_here(s)
            if name == (OWNER, "query"):
                return self._owner(s, child, get)
            if name in ((OWNER, "save"), (OWNER, "load")):
                return self._kept(s, child.name)
        raise Refused("service-unavailable", "nothing is known of that")

    def _not_here(self, s: Stanza) -> Act:
        refused = Refused("service-unavailable", "that isn't asked of a room")
        return self._in_room(s, lambda room: _refuse(refused))

    def _discovered(self, s: Stanza, what: str, node: str | None) -> Act:
        sender, nick = str(s.sender), s.to.resource
        if s.to.node:
            return self._told(
                s, lambda room, _: directory.discovered(room, sender, what, nick, node), True
            )
        found = None if nick else self._commands(what, node or "")
        if found is None and (nick or node is not None):
            raise Refused("item-not-found", "there is no such node")
        if found is None and what == INFO:
            found = directory.service_info()
        if found is None:
            rooms = self._rooms.listed()
            named = ({"jid": r.address, "name": r.options.name or r.address} for r in rooms)
            found = directory.items(named)
        answer = [result(s.tree, found)]
        return lambda: answer

    def _search(self, s: Stanza, query: Any, get: bool) -> Act:
        x = first(query, DATA, "x")
        if x is None:
            # Without a form each field is an element (XEP-0055).
            kind = ""
            fields: Fields = {e.name: (text_of(e),) for e in query.elements() if e.uri == SEARCH}
        else:
            kind, fields = read_form(x)
        if kind not in ("submit", ""):
            raise Refused("bad-request", "a search is a form of type submit")
        if s.to.node:
            return self._not_here(s)
        if x is None and get and not fields:
            return lambda: [result(s.tree, directory.search_form())]
        return lambda: [result(s.tree, directory.search(self._rooms.listed(), fields))]

    # The owner's

    def _kept(self, s: Stanza, name: str) -> Act:
        if name == "save":
            return self._in_room(s, lambda room: self._save(s, room))
        return self._done(s, ownership.load, saved=True)

    def _owner(self, s: Stanza, query: Any, get: bool) -> Act:
        for name in ("save", "load"):
            if first(query, OWNER, name) is not None:
                return self._kept(s, name)
        if items := list(query.elements(OWNER, "item")):
            return self._listed(s, items) if get else self._changed(s, items)
        forms = [read_form(x) for x in _forms(query)]
        kinds = {kind for kind, _ in forms}
        if "cancel" in kinds:
            return self._done(s, ownership.cancel)
        if "submit" in kinds:
            filled: dict[str, tuple[str, ...]] = {}
            for kind, fields in forms:
                if kind == "submit":
                    check_form_type(fields)
                    filled |= fields
            return self._done(s, lambda room, who: ownership.configure(room, who, filled))
        if not get:
            raise Refused("bad-request", "a form of type submit or cancel is needed")
        return self._told(s, ownership.options)

    def _listed(self, s: Stanza, items: list[Any]) -> Act:
        role, affiliation = (items[0].getAttribute(name) for name in ("role", "affiliation"))
        if len(items) != 1 or (role is None) == (affiliation is None):
            raise Refused("bad-request", "ask for one role or one affiliation")
        if role is not None:
            return self._told(s, lambda room, who: ownership.roles(room, who, role))
        return self._told(s, lambda room, who: ownership.affiliations(room, who, affiliation))

    def _changed(self, s: Stanza, elements: list[Any]) -> Act:
        if len(elements) > MOST_ITEMS:
            raise Refused("not-acceptable", f"{MOST_ITEMS} items at most at once")
        items = tuple(map(_read_item, elements))
        if all(item.role is not None for item in items):
            return self._done(s, lambda room, who: ownership.give_roles(room, who, items))
        if any(item.affiliation is None or item.role is not None for item in items):
            raise Refused("bad-request", "each item gives a role, or each an affiliation")

        def affiliate(room: Room, person: str) -> list[Event]:
            for item in items:
                if item.affiliation == "owner" and item.jid and bare(item.jid) != person:
                    self._rooms.check_room_for(bare(item.jid))
            return ownership.affiliate(room, person, items)

        return self._done(s, affiliate)


def _refuse(refused: Refused) -> list[Event]:
    raise refused


def _forms(around: Any) -> Iterator[Any]:
    """The forms in it, in its ``<options>``, and in those of the game within them."""
    yield from around.elements(DATA, "x")
    for child in around.elements():
        if child.name == "options":
            yield from _forms(child)


def _read_item(element: Any) -> Item:
    nick, jid, affiliation, role = map(element.getAttribute, ("nick", "jid", "affiliation", "role"))
    if jid is not None:
        try:
            jid = str(parse(jid.strip()))
        except ValueError as error:
            raise Refused("jid-malformed", str(error)) from None
    if not nick and not jid:
        raise Refused("bad-request", "an item needs a nick or a jid")
    return Item(nick or None, jid, affiliation, role)


def _read_move(turn: Any) -> tuple[int, int, int]:
    """The one move in a ``<turn>``: row, column, and its number. Raises Refused when there isn't
    one, or it isn't whole."""
    [move, *more] = [*turn.elements()] or [None]
    if move is None or more or (move.uri, move.name) != (TTT, "move"):
        raise Refused("bad-request", "a turn has exactly one move")
    numbers = [(move.getAttribute(name) or "").strip() for name in ("row", "col", "id")]
    if not all(re.fullmatch(r"[+-]?[0-9]{1,9}", number) for number in numbers):
        raise Refused("bad-request", "row, col and id of a move must be numbers")
    row, col, number = map(int, numbers)
    return row, col, number


def _to_and_reason(said: Any) -> tuple[str, str]:
    """To whom an invitation goes, or its answer; and why, cut where it becomes a novel."""
    found = (first(said, uri, "reason") for uri in (USER, said.uri, COMPONENT))
    reason = next((text_of(each) for each in found if each is not None), "")
    return said.getAttribute("to") or "", reason[:LONGEST_REASON]
