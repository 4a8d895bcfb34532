"""Multi-User Chat in rooms of the lobby for any game: each MUC user has a seat in the lobby.

MUC's occupants look on at first; ``join`` takes a seat. A room shows its players and viewers as
occupants, whatever their protocol. When its match ends, MUC clients stay in it among themselves,
until the last one leaves. Source: docs/reference/xmpp.md, "Multi-User Chat".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from tictac.lobby.room import Room
from tictac.plugins.xmpp.addresses import REFEREE, fold, is_nick, is_reserved
from tictac.plugins.xmpp.chat import ChatCommands
from tictac.plugins.xmpp.chat_rooms import LONGEST_TEXT, ChatSeat, described, talk
from tictac.plugins.xmpp.events import ChatSession, Event, Stanza, erred, remark
from tictac.plugins.xmpp.muc import (
    Attendance,
    Seen,
    View,
    is_command,
    looks_like,
    private,
    reflected,
)
from tictac.plugins.xmpp.refusals import Refused, full
from tictac.plugins.xmpp.state import MOST_SESSIONS
from tictac.plugins.xmpp.xml import CORRECTION, first, tag


class MucTables:
    """The MUC clients in the lobby's rooms, over the seats of ``chat``."""

    def __init__(self, chat: ChatCommands) -> None:
        self.chat = chat
        self.attendances: dict[str, Attendance] = {}

    def room(self, node: str, person: str = "") -> Room | None:
        """Return the lobby's room with that node if MUG can't show it."""
        rooms = self.chat.rooms
        if node in rooms.by_name or rooms.visited(node) is not None:
            return None
        return rooms.ended.get(node) or rooms.lobby_room(node, person)

    def seat(self, s: Stanza) -> ChatSeat | None:
        """Return the seat of the MUC client that has sent a stanza to a room, or None."""
        seat = self.chat.seats.get((s.person, s.to.node))
        return None if seat is None or seat.muc_client(s.address) is None else seat

    # Entering and leaving

    def enter(
        self, s: Stanza, session: ChatSession, password: str | None, show: str
    ) -> list[Event]:
        """Let a client enter, enter again, or change its nick. Raises Refused."""
        node, nick, chat = s.to.node, s.to.resource, self.chat
        if not is_nick(nick):
            raise Refused("not-acceptable", "that nick isn't possible")
        seat = chat.seats.get((s.person, node))
        known = seat is not None and seat.muc_client(s.address) is not None
        if seat is not None and seat.nick and not known and fold(seat.nick) != fold(nick):
            raise Refused("conflict", f"you are here as {seat.nick} already")
        if is_reserved(nick) or self._has(node, nick, seat, s.person):
            raise Refused("conflict", f"{nick} is taken")
        if seat is None:
            try:
                seat = chat.sit_down(s, session, node, password)
            except Refused as refused:
                raise _not_in(refused) from None
            self.attendances.setdefault(node, Attendance(session.via))
        elif not known and len(seat.muc_clients) >= MOST_SESSIONS:
            raise full(f"a user can be in a room with up to {MOST_SESSIONS} clients")
        is_another, seat.nick, seat.show = known and seat.nick != nick, nick, show
        if is_another:
            return [_changed(session)]
        attendance = self.attendances.setdefault(node, Attendance(session.via))
        attendance.forget(s.address)
        lines = seat.read() if seat.is_in and session in seat.sessions else []
        if seat.is_in and session not in seat.sessions:
            lines = list(seat.standing())
        if session not in seat.sessions:
            seat.sessions.append(session)
        if not seat.is_in:
            seat.entering.append(s.tree)
        return [_changed(session)._replace(to=(session,), lines=lines)]

    def _has(self, node: str, nick: str, mine: ChatSeat | None, person: str) -> bool:
        """Return whether another occupant has that nick; not the own account by other protocols."""
        if fold(nick) == fold(self.chat.rooms.gateway.account_of(person)):
            here = [seat for seat in self._here(node) if seat is not mine]
            return any(fold(seat.nick) == fold(nick) for seat in here)
        view = self.view(node)
        if view is None and (room := self.room(node, person)) is not None:
            return fold(nick) in map(
                fold, [m.user for m in room.players] + [*room.viewers.values()]
            )
        seen = {} if view is None else view.occupants
        return any(
            fold(each.nick) == fold(nick)
            for key, each in seen.items()
            if mine is None or key != mine.occupant_id
        )

    def leave(self, s: Stanza) -> list[Event]:
        """Let a client leave; the lobby can hold a player's seat."""
        seat = self.seat(s)
        session = None if seat is None else seat.muc_client(s.address)
        if seat is None or session is None:
            return []
        if seat.without(s.address):
            self.chat.forget(seat)
            seat.leave()
        return [_changed(session)]

    def show(self, s: Stanza, show: str) -> list[Event]:
        """Note a client's availability."""
        seat = self.seat(s)
        session = None if seat is None else seat.muc_client(s.address)
        if seat is None or session is None:
            return []
        seat.show = show
        return [_changed(session)]

    def goodbye(self) -> list[Event]:
        """Put all clients out, because the service ends."""
        events = []
        for (_, node), seat in self.chat.seats.items():
            if seat.muc_clients and node in self.attendances:
                self.attendances[node].why[seat.occupant_id] = "shutdown"
                events.append(_changed(seat.muc_clients[0]))
                seat.sessions = [session for session in seat.sessions if not session.muc]
        return events

    def put_out(self, person: str) -> list[Event]:
        """Put a person out of all rooms; the lobby can hold a player's seats."""
        events = []
        for (who, node), seat in list(self.chat.seats.items()):
            if who != person:
                continue
            self.chat.forget(seat)
            if seat.muc_clients and node in self.attendances:
                self.attendances[node].why[seat.occupant_id] = "kicked"
                events.append(_changed(seat.muc_clients[0]))
            others = [session for session in seat.sessions if not session.muc]
            events.append(remark(others, f"You were removed from {node}."))
            seat.leave()
        return events

    # Messages

    def talk(self, s: Stanza, seat: ChatSeat, text: str) -> list[Event]:
        """Pass a message on to all; if it is a command or a move, run that."""
        session = seat.muc_client(s.address)
        if session is None or not seat.is_in:
            raise Refused("not-acceptable", "you aren't in this room yet")
        here = self._here(s.to.node)
        clients = [client for each in here for client in each.muc_clients]
        heard = reflected(session.via, clients, seat.nick, seat.user or "", s.tree)
        text = " ".join(text.split())
        typed = is_command(text) or (not seat.over and _is_move(seat, text))
        if not text or not typed or first(s.tree, CORRECTION, "replace") is not None:
            if text and not seat.over:
                self._say(seat, here, text)
            return [heard]
        try:
            if text.lower() == "join":
                return [heard, *self._join(seat, session)]
            if seat.over and text.lower() != "leave":
                seat.news += seat.standing()
                return [heard, remark([session], *seat.read())]
            events = self.chat.run(s, text)
        except Refused as refused:
            return [heard, remark([session], str(refused))]
        return [heard, *answered(events, s.session, session)]

    def _say(self, seat: ChatSeat, here: list[ChatSeat], text: str) -> None:
        """Say something in the lobby, without the events that MUC's clients have got already."""
        text = text[:LONGEST_TEXT]
        for each in here:
            each.echo = seat.user or "", text
        try:
            talk(self.chat.rooms.gateway, seat, seat.room, "say", text)
        except Refused:
            for each in here:
                each.echo = None
            raise

    def _join(self, seat: ChatSeat, session: ChatSession) -> list[Event]:
        """Take a seat at the game; if there is none, look on as before."""
        room, registry = seat.room, self.chat.rooms.gateway.registry
        if seat.over:
            raise Refused("not-allowed", "The match here is over.")
        if seat.number is not None:
            raise Refused("conflict", "You play already.")
        is_mine = seat.user in [member.user for member in room.players]
        if len(room.players) >= room.terms.seats and not is_mine:
            raise Refused("conflict", "No seat is free.")
        self.chat.rooms.gateway.claim(room, seat.user or "")
        registry.leave(seat)
        seat.moves_up = True
        try:
            seat.ask(registry.join, room.name, "PLAYER", room.terms.key)
        except Refused as refused:
            return [remark([session], str(refused)), *self._look_on(seat)]
        return [remark(seat.sessions, *seat.read())]

    def _look_on(self, seat: ChatSeat) -> list[Event]:
        """Watch again, because the lobby has refused a seat."""
        seat.moves_up, seat.returns = False, True
        room, registry = seat.room, self.chat.rooms.gateway.registry
        try:
            seat.ask(registry.join, room.name, "VIEWER", room.terms.key)
        except Refused as refused:
            seat.over = True
            return [remark(seat.sessions, str(refused))]
        return []

    def private(self, s: Stanza, seat: ChatSeat) -> list[Event]:
        """Pass a private message on. Raises Refused."""
        session = seat.muc_client(s.address)
        here = self._here(s.to.node)
        target = next((each for each in here if fold(each.nick) == fold(s.to.resource)), None)
        if target is None or session is None:
            raise Refused("item-not-found", "no occupant in this chat has that nick")
        return private(session.via, target.muc_clients, seat.nick, seat.user or "", s.tree)

    # Answers of the lobby

    def news(self, seat: ChatSeat) -> list[Event]:
        """Return the news of a seat; after that, the server compares a MUC client's room again."""
        if not seat.muc_clients:
            return [remark(seat.sessions, *seat.read())]
        [session, *_] = seat.muc_clients
        if seat.over and not seat.is_in:
            refused = seat.take_refusal() or Refused("not-acceptable", "the lobby refuses that")
            waiting, seat.entering, seat.sessions = seat.entering, [], []
            return [erred(tree, _not_in(refused)) for tree in waiting]
        if seat.refused_seat:
            seat.refused_seat = False
            lines = seat.read()
            return [remark([session], *lines), *self._look_on(seat)]
        seat.entering, said = [], self._said(seat)
        if seat.over:
            self.chat.rooms.ended.setdefault(session.via.partition("@")[0], seat.room)
        return [*said, _changed(session)._replace(to=tuple(seat.sessions), lines=seat.read())]

    def _said(self, seat: ChatSeat) -> list[Event]:
        """Return what others said, from their nicks."""
        said, seat.said, events = seat.said, [], list[Event]()
        view = self.view(seat.muc_clients[0].via.partition("@")[0])
        for user, text in said:
            names = {} if view is None else view.occupants
            nick = next((n for key, n in self._users(seat, names) if key == user), "")
            body = tag("body", None, text if nick else f"{user}: {text}")
            room, others = seat.muc_clients[0].via, (c for c in seat.sessions if not c.muc)
            events.append(Event(room, tuple(seat.muc_clients), nick=nick or REFEREE, talk=body))
            events.append(remark(others, f"{user}: {text}"))
        return events

    def _users(self, seat: ChatSeat, seen: Mapping[Hashable, Seen]) -> Iterator[tuple[str, str]]:
        """Yield the users in a room with their nicks."""
        room = seat.room
        users = {m.occupant: m.user for m in room.players} | room.viewers
        yield from ((users[str(key)], who.nick) for key, who in seen.items() if str(key) in users)

    # What MUC's clients see

    def view(self, node: str) -> View | None:
        """Return a room as MUC's clients see it; None if there are none."""
        here = self._here(node)
        if not here:
            return None
        room, seats = here[0].room, {seat.occupant_id: seat for seat in here}
        occupants: dict[Hashable, Seen] = {}
        taken = {REFEREE, *(fold(seat.nick) for seat in here)}
        if any(seat.over for seat in here):
            for seat in here:
                occupants[seat.occupant_id] = _seen(seat, "")
            return View(occupants, f"{described(room, node)}: the match is over")
        players = [(m.occupant, m.user, n) for n, m in enumerate(room.players) if m.away is None]
        for occupant, user, number in [*players, *((o, u, None) for o, u in room.viewers.items())]:
            status = "" if number is None else f"plays {_side(room, number)}"
            if (mine := seats.get(occupant)) is not None:
                occupants[occupant] = _seen(mine, status)
                continue
            nick = user
            while fold(nick) in taken:
                nick += "_"
            taken.add(fold(nick))
            occupants[occupant] = Seen(nick, "none", status)
        for seat in here:  # those between two seats, until the lobby answers
            occupants.setdefault(seat.occupant_id, _seen(seat, ""))
        is_logged = room.terms.key is None
        return View(occupants, described(room, node), is_logged=is_logged)

    def forget(self, node: str) -> None:
        """Forget a room if its last MUC client has left, and none waits for the lobby."""
        if any(seat.muc_clients for (_, where), seat in self.chat.seats.items() if where == node):
            return
        self.attendances.pop(node, None)
        self.chat.rooms.ended.pop(node, None)

    def _here(self, node: str) -> list[ChatSeat]:
        here = [seat for (_, where), seat in self.chat.seats.items() if where == node]
        return [seat for seat in here if seat.muc_clients and seat.is_in]


def _not_in(refused: Refused) -> Refused:
    """Return a refusal to enter, in which conflict would mean that the nick is taken."""
    return full(str(refused)) if refused.condition == "conflict" else refused


def answered(events: list[Event], asked: ChatSession, mine: ChatSession) -> list[Event]:
    """Return events that answer a command with the MUC client that typed it as the receiver."""
    return [e._replace(to=tuple(mine if c == asked else c for c in e.to)) for e in events]


def _changed(session: ChatSession) -> Event:
    """Return an event of the room of a MUC client, after which the room is compared again."""
    return Event(session.via, ())


def _seen(seat: ChatSeat, status: str) -> Seen:
    return Seen(seat.nick, "none", status, seat.show, "", tuple(seat.muc_clients))


def _side(room: Room, number: int) -> str:
    """Return the name of a player's side, such as X."""
    view = room.game.view(room.position, None) if room.begun else ""
    text_view = room.terms.game_type.text_view(room.terms.values)
    sides = text_view.sides_of(view, room.terms.seats)
    return sides[number] if number < len(sides) else f"seat {number + 1}"


def _is_move(seat: ChatSeat, text: str) -> bool:
    """Return whether a text is a move of a player, in form."""
    if seat.number is None or not seat.room.running:
        return False
    return looks_like(text, seat.possible(), seat.reads)
