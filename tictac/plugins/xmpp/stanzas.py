"""From a stanza to requests of rooms. Lenient: reads every stanza that has one meaning.

Source: docs/reference/xmpp.md, "What is implemented".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from twisted.words.xish.domish import Element

from tictac.plugins.xmpp import adhoc, directory, invitations, muc, muc_owner, ownership, xml
from tictac.plugins.xmpp.addresses import is_reserved, parse
from tictac.plugins.xmpp.chat import ChatCommands, welcome
from tictac.plugins.xmpp.events import ChatSession, Event, Stanza, remark, result
from tictac.plugins.xmpp.fields import Fields, read_form
from tictac.plugins.xmpp.muc_tables import MucTables, answered
from tictac.plugins.xmpp.mug_elements import numbers_of
from tictac.plugins.xmpp.mug_games import MUG_TICTACTOE, mug_game
from tictac.plugins.xmpp.ownership import Item
from tictac.plugins.xmpp.paging import read_page
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.registry import Rooms
from tictac.plugins.xmpp.room import MugRoom
from tictac.plugins.xmpp.xml import first, text_of

LONGEST_REASON = 500
MOST_ITEMS = 100
"""Maximum items in one request."""

CHAT_KINDS = ("", "chat", "normal", "groupchat")
"""Types of messages whose bodies are commands."""

_GONE = re.compile(
    "gone|redirect|jid-malformed|item-not-found|recipient-unavailable|service-unavailable"
    "|remote-server-not-found|remote-server-timeout"
)
_DELAYS = {("urn:xmpp:delay", "delay"), ("jabber:x:delay", "x")}


Act = Callable[[], list[Event] | adhoc.Steps]
"""A request to make, which returns events, or steps to them. Raises Refused."""


class Desk:
    """Reads stanzas and makes their requests of rooms; the server does the rest."""

    rooms: Rooms
    chat: ChatCommands
    tables: MucTables

    def save(self, s: Stanza, room: MugRoom) -> list[Event]:
        """Save a room."""
        raise NotImplementedError

    def choose(self, s: Stanza, command: Element) -> list[Event]:
        """Do a step of the command about the sender's games, which is answered later."""
        raise NotImplementedError

    def read(self, s: Stanza) -> Act | str | None:
        """Return the request of a stanza, the text of a chat message, or None for neither."""
        readers = {"presence": self._presence, "message": self._message, "iq": self._iq}
        try:
            return readers[s.tree.name](s)
        except Refused as refused:
            return partial(_refuse, refused)

    def _in_room(
        self, s: Stanza, act: Callable[[MugRoom], list[Event]], saved: bool = False
    ) -> Act:
        """Return a request of the room; ``saved`` is whether it also works in a saved room."""

        def do() -> list[Event]:
            room = self.rooms.find(s.to.node)
            if room.saved and not saved:
                raise Refused("not-allowed", "the room is saved; its owner can load it")
            return act(room)

        if not s.to.node:
            raise Refused("service-unavailable", "that is asked of a room")
        return partial(self.rooms.in_room, s.to.node, do)

    def _if_there(self, s: Stanza, act: Callable[[MugRoom], list[Event]]) -> Act:
        """Return a request of the room, which does nothing if there is no such MUG room."""
        name, rooms = s.to.node, self.rooms.by_name
        return lambda: self.rooms.in_room(name, lambda: act(rooms[name]) if name in rooms else [])

    # Presence

    def _presence(self, s: Stanza) -> Act | None:
        if s.leaves:
            return self._left(s)
        if s.kind == "error":
            return self._bounced(s)
        if s.kind in ("subscribe", "unsubscribe", "probe"):
            return partial(self._subscribed, s)
        if s.kind:
            return None
        game, x = first(s.tree, xml.MUG, "game"), first(s.tree, xml.MUC, "x")
        if s.to.resource or (x is not None and game is None):
            return partial(self.rooms.in_room, s.to.node, lambda: self._enter(s, game, x))
        if game is None:
            return None
        item = first(game, xml.MUG, "item") or first(game, xml.USER, "item")
        role = None if item is None else item.getAttribute("role")
        if role is None:
            raise Refused("bad-request", "a presence to a room needs a nick or a role")
        return self._in_room(s, lambda room: room.take_role(s.address, role))

    def _subscribed(self, s: Stanza) -> list[Event]:
        """Answer a subscription to the service, which is always available; rooms have none."""
        answers: Sequence[str | None] = ("unsubscribed",)
        if s.kind == "subscribe" and not s.to.node:
            answers = ("subscribed", None)
        elif s.kind == "probe":
            answers = () if s.to.node else (None,)
        to = (ChatSession(s.person),)
        return [Event(s.to.bare, to, "presence", kind=kind) for kind in answers]

    def _left(self, s: Stanza) -> Act:
        """Return the request of a client to leave a room."""
        if self.tables.seat(s) is not None:
            return partial(self.tables.leave, s)
        return self._if_there(s, lambda room: room.leave(s.address))

    def _enter(self, s: Stanza, game: Element | None, x: Element | None) -> list[Event]:
        """Enter a room by MUG's ``game`` or MUC's ``x``, or create one."""
        name, nick, seat = s.to.node, s.to.resource, self.tables.seat(s)
        if not (name and nick):
            raise Refused("jid-malformed", f"the {'nick' if name else 'name of a room'} is missing")
        room = self.rooms.by_name.get(name)
        known = None if room is None else room.occupants.at(s.address)
        mine = None if known is None else known.session(s.address)
        around, is_in_chat = game or x, seat is not None or (mine is not None and mine.muc)
        if around is None and seat is not None and seat.nick == nick:
            return self.tables.show(s, _show(s))
        if around is None and known is not None and room and room.occupants.named(nick) is known:
            known.show = _show(s)
            return [Event(room.address, ())] if is_in_chat else []
        if around is None and known is None and seat is None and self._is_room(s):
            return [muc.stranger(f"{name}@{self.rooms.domain}", nick, s.address)]
        is_muc = game is None and (x is not None or is_in_chat)
        session = self._muc_session(s) if is_muc else ChatSession(s.address)
        wanted = None if game is None else game.getAttribute("var")
        mug = MUG_TICTACTOE if is_muc else mug_game(wanted or "")
        if mug is None and not (known and wanted is None):
            raise Refused("bad-request", "there is no such game: disco#info lists them")
        if room is not None and not is_muc and wanted not in (None, room.match.mug.uri):
            raise Refused("bad-request", f"the game here is {room.match.mug.uri}")
        secret = None if around is None else first(around, around.uri or "", "password")
        password = None if secret is None else text_of(secret)
        if is_muc and (seat is not None or self.tables.room(name, s.person) is not None):
            return self.tables.enter(s, session, password, _show(s))
        if room is None and self.rooms.visited(name) is None:
            events = self.rooms.create(name, session, nick, mug or MUG_TICTACTOE)
            # A MUC room is open at once, with the usual options (XEP-0045, section 10.1.2).
            opened = self.rooms.by_name[name]
            if is_muc:
                ready = [*events[1:], *ownership.configure(opened, s.person, [])]
                quiet = [event._replace(lines=()) for event in ready]
                return [*quiet, remark([session], welcome(opened))]
            return events
        events = self.rooms.come_in(name, session, nick, password)
        if is_muc:
            self.rooms.by_name[name].occupant(s.address).show = _show(s)
        return events

    def _is_room(self, s: Stanza) -> bool:
        """Return whether there is a room at the address of a stanza."""
        node, rooms = s.to.node, self.rooms
        is_mug = node in rooms.by_name or rooms.visited(node) is not None
        return is_mug or self.tables.room(node, s.person) is not None

    def _muc_session(self, s: Stanza) -> ChatSession:
        return ChatSession(s.address, f"{s.to.node}@{self.rooms.domain}", "groupchat", muc=True)

    def _bounced(self, s: Stanza) -> Act:
        """Return the request of an error: the stanza with that id wasn't delivered."""
        error = first(s.tree, xml.COMPONENT, "error")
        why = () if error is None else error.elements()
        gone = any(each.uri == xml.STANZAS and _GONE.fullmatch(each.name) for each in why)
        sent = s.tree.getAttribute("id") or ""
        if gone and self.tables.seat(s) is not None:
            return partial(self.tables.leave, s)

        def act(room: MugRoom) -> list[Event]:
            events = invitations.unreachable(room, s.person, sent)
            return events or (room.leave(s.address) if gone else [])

        return self._if_there(s, act)

    # Messages

    def _message(self, s: Stanza) -> Act | str | None:
        if s.kind == "error":
            return self._bounced(s)
        of_mug = bool(s.to.resource) and any(map(xml.is_of_mug, s.tree.elements()))
        # MUG sends turns to the room or, elsewhere in its text, to the own occupant's address.
        if s.to.resource and not (of_mug and self._is_own(s)):
            if s.kind not in ("", "chat", "normal"):
                raise Refused("bad-request", "private messages are of type chat or normal")
            if of_mug:
                # They would look like what the room itself sends after it has checked it.
                refused = Refused("not-acceptable", "send that to the room itself")
                return self._in_room(s, lambda room: _refuse(refused))
            seat, body = self.tables.seat(s), first(s.tree, xml.COMPONENT, "body")
            if is_reserved(s.to.resource) and body is not None:
                return text_of(body)  # a command that others don't see
            if seat is not None:
                return partial(self.tables.private, s, seat)
            return self._in_room(s, lambda r: r.private(s.address, s.to.resource, s.tree))
        if s.kind == "groupchat" and s.to.node and (act := self._for_all(s)) is not None:
            return act
        # A MUG client sends its elements inside a <game> element, or without that.
        sender, game = s.address, first(s.tree, xml.USER, "game")
        around = s.tree if game is None else game
        if turns := list(around.elements(xml.USER, "turn")):
            if len(turns) > 1:
                raise Refused("bad-request", "one turn at a time")
            move = _read_move(turns[0])
            return self._in_room(s, lambda room: room.turn(sender, *move, s.tree))
        if first(around, xml.USER, "start") is not None:
            return self._in_room(s, lambda room: room.start(sender))
        if invites := [_to_and_reason(each) for each in around.elements(xml.USER, "invite")]:
            present = self.rooms.present
            return self._in_room(s, lambda r: invitations.invite(r, sender, invites, present))
        if (decline := first(around, xml.USER, "decline")) is not None:
            to, why = _to_and_reason(decline)
            return self._in_room(
                s, lambda r: invitations.decline(r, s.person, to, why, self.rooms.present)
            )
        if game is not None:
            raise Refused("bad-request", "nothing is known of what is in <game>")
        muc_user = first(s.tree, xml.MUC_USER, "x")
        if muc_user is not None and any(muc_user.elements()):
            return self._invited(s, muc_user)
        body = first(s.tree, xml.COMPONENT, "body")
        delayed = any((child.uri, child.name) in _DELAYS for child in s.tree.elements())
        return None if body is None or delayed or s.kind not in CHAT_KINDS else text_of(body)

    def _for_all(self, s: Stanza) -> Act | None:
        """Return the request of a message of MUC; None if it is one of a chat user to the room."""
        body, subject = (first(s.tree, xml.COMPONENT, name) for name in ("body", "subject"))
        text = "" if body is None else text_of(body)
        room, seat = self.rooms.by_name.get(s.to.node), self.tables.seat(s)
        occupant = None if room is None else room.occupants.at(s.address)
        session = None if occupant is None else occupant.session(s.address)
        chat_seat = self.chat.seats.get((s.person, s.to.node))
        sessions = [session] if session else [] if chat_seat is None else chat_seat.sessions
        if seat is None and any(each.chats for each in sessions):
            return None
        retitles = body is None and subject is not None  # section 8.1: and has no thread
        if retitles and first(s.tree, xml.COMPONENT, "thread") is None and (seat or session):
            return partial(_refuse, Refused("forbidden", "the subject is the match"))
        if seat is not None:
            return partial(self.tables.talk, s, seat, text)
        return self._in_room(s, partial(self._talked, s, text))

    def _talked(self, s: Stanza, text: str, room: MugRoom) -> list[Event]:
        """Pass a message on to all; if it is a command, run that."""
        events, typed = room.groupchat(s.address, s.tree, text)
        if typed:
            session = self._muc_session(s)
            try:
                events += answered(self.chat.run(s, text), s.session, session)
            except Refused as refused:
                events.append(remark([session], str(refused)))
        return events

    def _invited(self, s: Stanza, x: Element) -> Act | None:
        """Return the request of MUC's invitations, or of the answer to one."""
        present, sender = self.rooms.present, s.address
        if invites := [_to_and_reason(each) for each in x.elements(xml.MUC_USER, "invite")]:
            return self._in_room(s, lambda r: invitations.invite(r, sender, invites, present))
        if (decline := first(x, xml.MUC_USER, "decline")) is not None:
            to, why = _to_and_reason(decline)
            return self._in_room(s, lambda r: invitations.decline(r, s.person, to, why, present))
        return None

    def _is_own(self, s: Stanza) -> bool:
        """Return whether a stanza is for the sender's own occupant."""
        room = self.rooms.by_name.get(s.to.node)
        mine = None if room is None else room.occupants.at(s.address)
        return room is not None and mine is not None and room.occupants.named(s.to.resource) is mine

    # Iqs

    def _done(
        self, s: Stanza, do: Callable[[MugRoom, str], list[Event]], saved: bool = False
    ) -> Act:
        """Return a request of the room that ends with an empty result."""
        return self._in_room(s, lambda room: [*do(room, s.person), result(s.tree)], saved)

    def _result(self, s: Stanza, ask: Callable[[MugRoom, str], str], saved: bool = False) -> Act:
        """Return a request whose result is an answer about the room."""
        return self._in_room(s, lambda room: [result(s.tree, ask(room, s.person))], saved)

    def _iq(self, s: Stanza) -> Act | None:
        if s.kind in ("result", "error"):
            return None
        child, of_room = next(s.tree.elements(), None), bool(s.to.node)
        if s.kind not in ("get", "set") or child is None:
            raise Refused("bad-request", "an iq is a get or a set, and has one child")
        match child.uri, child.name, s.kind:
            case ((xml.INFO | xml.ITEMS), "query", "get"):
                return self._discovered(s, child, child.getAttribute("node"))
            case xml.PING, "ping", "get" if s.to.resource:
                return self._pinged(s)
            case _ if s.to.resource:
                pass
            case ((xml.MUC_OWNER | xml.MUC_ADMIN), "query", _):
                return self._administered(s, child)
            case xml.SEARCH, "query", _:
                return self._search(s, child)
            case xml.REGISTER, "query", _ if of_room:
                return self._not_here(s)
            case xml.PING, "ping", "get" if of_room:
                return self._done(s, lambda room, who: [], saved=True)
            case xml.PING, "ping", "get":
                return lambda: [result(s.tree)]
            case xml.COMMANDS, "command", "set":
                if of_room:
                    return self._not_here(s)
                if child.getAttribute("node") == "mine":
                    return partial(self.choose, s, child)
                return partial(adhoc.run, self.chat, s, child)
            case xml.OWNER, "query", _:
                return self._owner(s, child)
            case xml.OWNER, "save", _:
                return self._in_room(s, partial(self.save, s))
            case xml.OWNER, "load", _:
                return self._done(s, ownership.load, saved=True)
        raise Refused("service-unavailable", "nothing is known of that")

    def _pinged(self, s: Stanza) -> Act:
        """Answer a client that asks whether it is still in the room (XEP-0410)."""

        def act() -> list[Event]:
            room, seat = self.rooms.by_name.get(s.to.node), self.tables.seat(s)
            mine = None if room is None else room.occupants.at(s.address)
            nick = "" if mine is None else mine.nick
            if not (nick := nick if seat is None else seat.nick):
                raise Refused("not-acceptable", "you aren't in this room")
            if nick != s.to.resource:
                raise Refused("service-unavailable", "only your own occupant answers")
            return [result(s.tree)]

        return act

    def _not_here(self, s: Stanza) -> Act:
        refused = Refused("service-unavailable", "a room doesn't answer that")
        if self.tables.room(s.to.node, s.person) is not None:
            return partial(_refuse, refused)
        return self._in_room(s, lambda room: _refuse(refused))

    def _discovered(self, s: Stanza, query: Element, node: str | None) -> Act:
        what = query.uri or ""
        if s.to.node and node in directory.UNKNOWN_NODES:
            raise Refused("feature-not-implemented", "rooms don't have that node")
        asked = what, s.to.resource, node
        is_room = bool(s.to.node) and not (s.to.resource or node)
        table = self.tables.room(s.to.node, s.person) if is_room else None
        here = self.tables.seat(s) is not None
        if table is not None and (table.terms.key is None or here):
            view = self.tables.view(s.to.node) if here else None
            shown = directory.table(table, s.to.node, self.rooms.domain, view, what)
            return lambda: [result(s.tree, shown)]
        if s.to.node:
            sender = s.address
            return self._result(s, lambda r, _: directory.discovered(r, sender, *asked), True)
        found = None if s.to.resource else adhoc.discover(self.rooms.domain, what, node)
        if found is None and (s.to.resource or node is not None):
            raise Refused("item-not-found", "there is no such node")
        if found is None and what == xml.INFO:
            found = directory.info("Games", directory.service(), chats=True)
        if found is not None:
            return lambda: [result(s.tree, found)]
        page = read_page(query, self.rooms.gateway.settings.page)
        return lambda: [result(s.tree, directory.rooms(self.rooms, page))]

    def _search(self, s: Stanza, query: Element) -> Act:
        x = first(query, xml.DATA, "x")
        # Without a form each field is an element (XEP-0055).
        elements = (each for each in query.elements() if each.uri == xml.SEARCH)
        fields: Fields = {each.name: (text_of(each),) for each in elements}
        kind, fields = ("", fields) if x is None else read_form(x)
        if kind not in ("submit", ""):
            raise Refused("bad-request", "a search is a form of type submit")
        if s.to.node:
            return self._not_here(s)
        if x is None and s.kind == "get" and not fields:
            return lambda: [result(s.tree, directory.search_form())]
        page = read_page(query, self.rooms.gateway.settings.page)
        return lambda: [result(s.tree, directory.search(self.rooms, fields, page))]

    # Requests of the owner

    def _owner(self, s: Stanza, query: Element) -> Act:
        if first(query, xml.OWNER, "save") is not None:
            return self._in_room(s, partial(self.save, s))
        if first(query, xml.OWNER, "load") is not None:
            return self._done(s, ownership.load, saved=True)
        if items := list(query.elements(xml.OWNER, "item")):
            return self._listed(s, items) if s.kind == "get" else self._changed(s, items)
        forms = [read_form(x) for x in _forms(query)]
        if any(kind == "cancel" for kind, _ in forms):
            return self._done(s, ownership.cancel)
        filled = [fields for kind, fields in forms if kind == "submit"]
        state = next((child for child in _within(query) if child.name == "state"), None)
        if filled or state is not None:
            return self._done(s, lambda room, who: ownership.configure(room, who, filled, state))
        if s.kind == "set":
            raise Refused("bad-request", "a form of type submit or cancel is needed")
        return self._result(s, ownership.options)

    def _listed(self, s: Stanza, items: list[Element]) -> Act:
        role, affiliation = (items[0].getAttribute(name) for name in ("role", "affiliation"))
        if len(items) != 1 or (role is None) == (affiliation is None):
            raise Refused("bad-request", "ask for one role or one affiliation")
        if role is not None:
            return self._result(s, lambda room, who: ownership.roles(room, who, role))
        return self._result(s, lambda room, who: ownership.affiliations(room, who, affiliation))

    def _administered(self, s: Stanza, query: Element) -> Act:
        """Return a request of the owner by MUC."""
        if self.tables.seat(s) is not None or self.tables.room(s.to.node, s.person) is not None:
            return partial(_refuse, Refused("forbidden", "a room of the lobby has no owner"))
        if query.uri == xml.MUC_OWNER and s.kind == "get":
            return self._result(s, muc_owner.options)
        if query.uri == xml.MUC_OWNER:
            return self._done(s, lambda room, who: muc_owner.change(room, who, query))
        items = list(query.elements(xml.MUC_ADMIN, "item"))
        if not 0 < len(items) <= MOST_ITEMS:
            raise Refused("bad-request", f"there are 1 to {MOST_ITEMS} items")
        if s.kind == "get":
            get = items[0].getAttribute
            role, affiliation = get("role") or "", get("affiliation") or ""
            return self._result(s, lambda r, who: muc_owner.listed(r, who, affiliation, role))
        given, check = [_read_item(each) for each in items], self.rooms.check_room_for
        return self._done(s, lambda room, who: muc_owner.give(room, who, given, check))

    def _changed(self, s: Stanza, elements: list[Element]) -> Act:
        if len(elements) > MOST_ITEMS:
            raise Refused("not-acceptable", f"{MOST_ITEMS} items at most at once")
        items = [_read_item(each) for each in elements]
        if all(item.role is not None for item in items):
            return self._done(s, lambda room, who: ownership.give_roles(room, who, items))
        if any(item.affiliation is None or item.role is not None for item in items):
            raise Refused("bad-request", "each item gives a role, or each an affiliation")
        check = self.rooms.check_room_for
        return self._done(s, lambda room, who: ownership.affiliate(room, who, items, check))


def _show(s: Stanza) -> str:
    """Return the availability in a presence."""
    show = first(s.tree, xml.COMPONENT, "show")
    text = "" if show is None else text_of(show)
    return text if text in muc.SHOWS else ""


def _refuse(refused: Refused) -> list[Event]:
    raise refused


def _within(query: Element) -> Iterator[Element]:
    """Yield the elements in a query, and those in its ``<options>``."""
    for child in query.elements():
        yield child
        if child.name == "options":
            yield from _within(child)


def _forms(query: Element) -> Iterator[Element]:
    """Yield the forms in a query, in its ``<options>``, and in the game's within them."""
    return (each for each in _within(query) if (each.uri, each.name) == (xml.DATA, "x"))


def _read_item(element: Element) -> Item:
    names = ("nick", "jid", "affiliation", "role")
    nick, jid, affiliation, role = map(element.getAttribute, names)
    if jid is not None:
        try:
            jid = str(parse(jid.strip()))
        except ValueError as error:
            raise Refused("jid-malformed", str(error)) from None
    if not nick and not jid:
        raise Refused("bad-request", "an item needs a nick or a jid")
    return Item(nick or None, jid, affiliation, role)


def _read_move(turn: Element) -> tuple[Element, int]:
    """Return the only move in a ``<turn>``, and its number.

    Raises:
        Refused: There isn't exactly one move, or it has no number.
    """
    moves = list(turn.elements())
    if [move.name for move in moves] != ["move"]:
        raise Refused("bad-request", "a turn has exactly one move")
    [number] = numbers_of(moves[0], "id")
    return moves[0], number


def _to_and_reason(said: Element) -> tuple[str, str]:
    """Read the receiver of an invitation or its answer, and the reason, cut to its maximum."""
    found = (first(said, uri, "reason") for uri in (xml.USER, said.uri, xml.COMPONENT))
    reason = next((text_of(each) for each in found if each is not None), "")
    return said.getAttribute("to") or "", reason[:LONGEST_REASON]
