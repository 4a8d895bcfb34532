"""Multi-User Chat (XEP-0045): what its clients get of a room, and what they type there.

A room describes itself as a :class:`View` of its occupants. Its :class:`Attendance` compares the
view with what the room's clients got last, and sends them the difference. Therefore no request has
to know which presences it changes, and rooms of all kinds show occupants in the same way.

    alice enters            view: alice                    alice gets her presence, and the subject
    bob enters              view: alice, bob               alice gets bob's presence; bob gets both
    bob takes a role        view: alice, bob (plays o)     both get bob's presence, and the subject
    bob is now called rob   view: alice, rob (plays o)     both get bob's end and rob's presence

Source: docs/reference/xmpp.md, "Multi-User Chat".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from twisted.internet.interfaces import IReactorTime
from twisted.words.xish.domish import Element, SerializedXML

from tictac.plugins.xmpp.addresses import REFEREE
from tictac.plugins.xmpp.events import ChatSession, Event, groupchat
from tictac.plugins.xmpp.xml import MUC_USER, copied, escape, tag

MOST_WAITING = 50
"""Maximum lines that wait for a client; beyond it, the oldest are left out."""

LONGEST_MOVE = 60
"""Maximum characters of a text in a room that can be a move."""

SHOWS = ("away", "chat", "dnd", "xa")
"""The values of ``<show>`` (RFC 6121, section 4.7.2.1)."""

Why = Literal["", "invalid-turn", "saved", "kicked", "banned", "excluded", "closed", "shutdown"]
"""Why an occupant isn't in a room any more; empty: the occupant left."""

_OPEN, _CONFIGURED, _OWN, _CREATED, _RENAMED = 100, 104, 110, 201, 303
_KICKED, _LOST = 307, 333
_LOGGED, _NOT_LOGGED = 170, 171
_ANONYMITIES = {"non-anonymous": 172, "semi-anonymous": 173, "fully-anonymous": 174}
_CODES = {
    "invalid-turn": _KICKED,
    "kicked": _KICKED,
    "banned": 301,
    "excluded": 321,
    "saved": 332,
    "shutdown": 332,
}
_REASONS = {"invalid-turn": "an impossible move", "saved": "the room is saved"}

_STALE = "It is the turn of "
"""Begins a line that is of no use any more when there is a newer board."""

_COMMAND = re.compile(
    "x|o|none|start|pause|draw|takeback|decline|resign|board|moves|notes|where|help|rules|leave"
    r"|join|computer( [\w-]+)?|invite \S+@\S+|[0-9]{1,5} [0-9]{1,5}|[a-z][0-9]{1,2}"
)


def is_command(text: str) -> bool:
    """Return whether a text in a room is a command; all other texts are only talk."""
    return _COMMAND.fullmatch(" ".join(text.lower().split())) is not None


def looks_like(text: str, possible: Iterable[str], reads: Callable[[str], bool]) -> bool:
    """Return whether a text is a move: it has the form of one that is ``possible`` now."""
    if not 0 < len(text) <= LONGEST_MOVE or not text.strip():
        return False
    moves, text = {spelled.lower() for spelled in possible}, text.lower()
    if any(map(str.isdigit, text)):
        return _shape(text) in set(map(_shape, moves))
    if text in moves:
        return True
    return text.split()[0] in {each.split()[0] for each in moves} and reads(text)


def _shape(text: str) -> str:
    """Return the form of a text: its words and numbers, each as one character."""
    return re.sub("[0-9]+", "9", re.sub("[a-z]+", "a", text))


def content(message: Element) -> str:
    """Return the content of a message as text, to pass on.

    Only the service writes elements of ``muc#user`` (XEP-0045, section 17.3).
    """
    children = (c for c in message.children if isinstance(c, str) or c.uri != MUC_USER)
    return "".join(escape(c) if isinstance(c, str) else copied(c) for c in children)


def private(
    room: str, to: Iterable[ChatSession], nick: str, user: str, message: Element
) -> list[Event]:
    """Return a private message of a user; MUC's clients can recognize it as one (section 7.5)."""
    kind, inner = message.getAttribute("type") or None, content(message)
    sent = message.getAttribute("id")
    marked, plain = inner + tag("x", {"xmlns": MUC_USER}), list[ChatSession]()
    events = []
    for client in to:
        if not client.muc:
            plain.append(ChatSession(client.address))
            continue
        mine = (ChatSession(client.address),)
        events.append(Event(room, mine, "message", marked, nick, kind, id=sent, speaker=user))
    if plain:
        events.append(Event(room, tuple(plain), "message", inner, nick, kind, speaker=user))
    return events


def stranger(room: str, nick: str, client: str) -> Event:
    """Return the answer to a change of presence by a client that isn't in the room.

    The client thinks that it is in the room (section 7.2.18).
    """
    item = tag("item", {"affiliation": "none", "role": "none"})
    inner = tag("x", {"xmlns": MUC_USER}, item, *_statuses((_OWN, _KICKED, _LOST)))
    return Event(room, (ChatSession(client),), "presence", inner, nick, "unavailable")


class Seen(NamedTuple):
    """An occupant as MUC's clients see one: ``clients`` are the occupant's own, by MUC.

    ``status`` has the role in the match, ``jid`` the address, which not all clients can see.
    """

    nick: str
    affiliation: str
    status: str = ""
    show: str = ""
    jid: str = ""
    clients: tuple[ChatSession, ...] = ()


class View(NamedTuple):
    """A room as MUC's clients see it; ``subject`` is the match in a line.

    ``occupants`` have keys that stay the same under another nick. ``options`` is a value that
    changes with the options. ``owner`` is a bare address, or empty. ``is_logged`` is whether
    strangers can read the talk later, with the finished match.
    """

    occupants: Mapping[Hashable, Seen]
    subject: str
    anonymity: str = "semi-anonymous"
    owner: str = ""
    options: Hashable = None
    is_logged: bool = False

    def shows_jids_to(self, client: ChatSession) -> bool:
        """Return whether a client can see the addresses of occupants."""
        is_owner = client.address.partition("/")[0] == self.owner
        return self.anonymity == "non-anonymous" or (
            self.anonymity == "semi-anonymous" and is_owner
        )


@dataclass(slots=True)
class Attendance:
    """The last view that the MUC clients of the room at ``address`` got.

    ``is_new`` is whether a MUC client created the room and hasn't accepted its options yet. ``why``
    has the reasons of occupants who are removed, and ``last_words`` and ``next_room`` (address and
    password) of a closed room, until the next :meth:`update`.
    """

    address: str
    is_new: bool = False
    why: dict[Hashable, Why] = field(default_factory=dict)
    last_words: str = "The room is closed."
    next_room: tuple[str, str] = ("", "")
    _view: View | None = None
    _clients: dict[ChatSession, bool] = field(default_factory=dict)  # whether they see addresses

    def forget(self, address: str) -> None:
        """Forget what a client got, because it enters again."""
        self._clients = {c: sees for c, sees in self._clients.items() if c.address != address}

    def leaving(self, view: View) -> list[ChatSession]:
        """Return the clients that aren't in the room any more."""
        here = _clients_in(view)
        return [client for client in self._clients if client not in here]

    def update(self, view: View) -> Iterator[str]:
        """Yield the stanzas for the difference between a view and the last one."""
        before = view if self._view is None else self._view
        here, known, left = _clients_in(view), self._clients, self.leaving(view)
        for key, seen in before.occupants.items():
            if key not in view.occupants:
                why = self.why.get(key, "")
                # When a room closes, each client gets only its own end (section 10.9).
                for client in (c for c in known if why != "closed" or c in seen.clients):
                    yield self._gone(seen, client, why)
        owns = {client: seen for seen in before.occupants.values() for client in seen.clients}
        still = {key for key in before.occupants if key in view.occupants}
        for client in left:
            own = owns.get(client)
            if own is not None and any(before.occupants[key] is own for key in still):
                yield self._gone(own, client, "")  # another client of the occupant stays
        sees = {client: view.shows_jids_to(client) for client in here}
        present = [client for client in here if known.get(client) == sees[client]]
        shown_again = [client for client in here if client in known and client not in present]
        for key, seen in view.occupants.items():
            old = before.occupants.get(key) if self._view is not None else None
            for client in () if old is not None and old[:5] == seen[:5] else present:
                yield from self._changed(old, seen, client, sees[client])
        for client in shown_again:
            for key, seen in view.occupants.items():
                old = before.occupants.get(key, seen)
                yield from self._changed(old, seen, client, sees[client])
        if self._view is not None and before.options != view.options:
            codes = [_CONFIGURED]
            if before.anonymity != view.anonymity:
                codes.append(_ANONYMITIES[view.anonymity])
            if before.is_logged != view.is_logged:
                codes.append(_LOGGED if view.is_logged else _NOT_LOGGED)
            inner = tag("x", {"xmlns": MUC_USER}, *_statuses(codes))
            yield from (groupchat(self.address, c.address, inner) for c in here if c in known)
        title = tag("subject", None, view.subject)
        if before.subject != view.subject:
            yield from (groupchat(self.address, c.address, title) for c in here if c in known)
        for client in here:
            if client not in known:
                yield from self._welcome(view, client, sees[client])
                yield groupchat(self.address, client.address, title)
        self._view, self._clients = view, sees
        self.why.clear()

    def _welcome(self, view: View, client: ChatSession, sees: bool) -> Iterator[str]:
        """Yield the presences for a client that has entered; its own comes last.

        The room's own occupant is in each room, and never changes.
        """
        referee = Seen(REFEREE, "none", jid=self.address)
        yield self._shown(referee, client, view.anonymity == "non-anonymous")
        own = next(seen for seen in view.occupants.values() if client in seen.clients)
        for seen in view.occupants.values():
            if seen is not own:
                yield self._shown(seen, client, sees)
        codes = [_OPEN] * (view.anonymity == "non-anonymous") + [_CREATED] * (
            self.is_new and self._view is None
        )
        codes += [_LOGGED] * view.is_logged
        yield self._shown(own, client, sees, codes)

    def _changed(
        self, old: Seen | None, seen: Seen, client: ChatSession, sees: bool
    ) -> Iterator[str]:
        """Yield the presences of a changed occupant: for a new nick, one under each nick."""
        if old is not None and old.nick != seen.nick:
            codes = [_RENAMED, *([_OWN] if client in seen.clients else [])]
            x = _x(seen, "none", sees, codes, seen.nick)
            yield _presence(self.address, old.nick, client, x, kind="unavailable")
        yield self._shown(seen, client, sees)

    def _shown(self, seen: Seen, client: ChatSession, sees: bool, codes: Iterable[int] = ()) -> str:
        codes = [_OWN, *codes] if client in seen.clients else []
        role = "moderator" if seen.affiliation == "owner" else "participant"
        show = tag("show", None, seen.show) if seen.show else ""
        status = tag("status", None, seen.status) if seen.status else ""
        x = _x(seen, role, sees, codes)
        return _presence(self.address, seen.nick, client, SerializedXML(show + status + x))

    def _gone(self, seen: Seen, client: ChatSession, why: Why) -> str:
        codes = [_OWN] if client in seen.clients else []
        codes += [_CODES[why]] if why in _CODES else []
        more = None
        if why == "closed":
            jid, secret = self.next_room
            password = tag("password", None, secret) if secret else None
            more = tag(
                "destroy", {"jid": jid or None}, password, tag("reason", None, self.last_words)
            )
        if why == "banned":
            seen = seen._replace(affiliation="outcast")
        x = _x(seen, "none", False, codes, more=more, reason=_REASONS.get(why, ""))
        return _presence(self.address, seen.nick, client, x, kind="unavailable")


def _clients_in(view: View) -> dict[ChatSession, None]:
    return dict.fromkeys(c for seen in view.occupants.values() for c in seen.clients)


def _statuses(codes: Iterable[int]) -> Iterator[SerializedXML]:
    return (tag("status", {"code": code}) for code in codes)


def _x(
    seen: Seen,
    role: str,
    sees: bool,
    codes: Iterable[int],
    nick: str = "",
    more: str | None = None,
    reason: str = "",
) -> SerializedXML:
    affiliation = "none" if more else seen.affiliation
    item = {"affiliation": affiliation, "role": role, "nick": nick or None}
    item["jid"] = seen.jid if sees and seen.jid else None
    inner = tag("item", item, tag("reason", None, reason) if reason else None)
    return tag("x", {"xmlns": MUC_USER}, inner, more, *_statuses(codes))


def _presence(
    room: str, nick: str, client: ChatSession, inner: SerializedXML, kind: str | None = None
) -> str:
    addresses = {"from": f"{room}/{nick}", "to": client.address, "type": kind}
    return tag("presence", addresses, inner)


def reflected(
    room: str, to: Iterable[ChatSession], nick: str, user: str, message: Element
) -> Event:
    """Return a message to MUC's clients as its sender, a user, wrote it, with its id."""
    sent = message.getAttribute("id")
    return Event(room, tuple(to), nick=nick, talk=content(message), id=sent, speaker=user)


class Pace:
    """Lets a client get a message at once, or some lines together if the last was a moment ago.

    ``interval`` has the seconds between two messages; 0: all are sent at once. ``send`` gets a
    client and its lines.
    """

    def __init__(
        self, clock: IReactorTime, interval: float, send: Callable[[ChatSession, list[str]], None]
    ) -> None:
        self._clock = clock
        self._interval = interval
        self._send = send
        self._waiting: dict[ChatSession, list[str]] = {}

    def send(self, client: ChatSession, lines: list[str]) -> None:
        """Send lines now or after the interval; of several boards, only the last counts."""
        waiting = self._waiting.get(client)
        if self._interval <= 0:
            self._send(client, lines)
            return
        if waiting is None:
            self._now(client, lines)
            return
        if any("\n" in line for line in lines):
            waiting[:] = [
                line for line in waiting if "\n" not in line and not line.startswith(_STALE)
            ]
        waiting += lines
        del waiting[:-MOST_WAITING]

    def rest(self, client: ChatSession) -> list[str]:
        """Return the lines that still wait, for a client that leaves."""
        waiting = self._waiting.get(client)
        if waiting is None:
            return []
        rest, waiting[:] = list(waiting), []
        return rest

    def _now(self, client: ChatSession, lines: list[str]) -> None:
        self._waiting[client] = []
        self._clock.callLater(self._interval, self._later, client)
        self._send(client, lines)

    def _later(self, client: ChatSession) -> None:
        if lines := self._waiting.pop(client):
            self._now(client, lines)
