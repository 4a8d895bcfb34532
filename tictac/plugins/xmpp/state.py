"""The state of a room, its occupants, and the events that show them.

Source: docs/reference/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote

from tictac.plugins.xmpp.addresses import bare, fold, is_reserved, parse
from tictac.plugins.xmpp.events import ChatSession, Event, Sessions
from tictac.plugins.xmpp.forms import Options
from tictac.plugins.xmpp.gateway import User, name_of, user_of
from tictac.plugins.xmpp.match import MugMatch
from tictac.plugins.xmpp.muc import Attendance, Seen, View, Why
from tictac.plugins.xmpp.mug_elements import Role
from tictac.plugins.xmpp.refusals import Refused, full
from tictac.plugins.xmpp.xml import CONFERENCE, MUG, USER, tag

MOST_SESSIONS = 8
"""Maximum clients of one occupant."""


@dataclass(slots=True, eq=False)
class Occupant:
    """An occupant of a room; ``person`` is the bare address.

    An occupant who is ``ready`` starts as soon as the other player does. The computer always is,
    and so is a player ``elsewhere``, who uses another protocol, where the name is ``person``. A
    player who takes a role by an ad-hoc command is ready for one match. ``show`` is the
    availability of a MUC client. ``account`` is what the address was linked with on entering.
    """

    nick: str
    person: str
    sessions: list[ChatSession] = field(default_factory=list)
    role: Role | None = None
    ready: bool = False
    computer: bool = False
    elsewhere: bool = False
    show: str = ""
    account: str = ""

    @property
    def jid(self) -> str:
        """The address for occupants who can see it; empty for a player elsewhere."""
        if self.elsewhere:
            return ""
        return self.sessions[0].address if self.sessions else self.person

    def session(self, address: str) -> ChatSession | None:
        """Return the session of ``address``; any client of a person belongs to the chat session."""
        exact = (s for s in self.sessions if s.address == address)
        chats = (s for s in self.sessions if s.chats and bare(s.address) == bare(address))
        return next(exact, None) or next(chats, None)

    def add(self, session: ChatSession) -> None:
        """Add a client, or replace a known one. Raises Refused for too many."""
        known = self.session(session.address)
        if known is not None and (known.address == session.address or session.chats):
            self.sessions[self.sessions.index(known)] = session
            return
        if len(self.sessions) >= MOST_SESSIONS:
            raise full(f"a user can be in a room with up to {MOST_SESSIONS} clients")
        self.sessions.append(session)


class Roster(list[Occupant]):
    """The occupants of a room, or some of them, in the order of their entering."""

    def named(self, nick: str) -> Occupant | None:
        """Return the occupant with a nick, in any case, or None."""
        return next((occupant for occupant in self if fold(occupant.nick) == fold(nick)), None)

    def at(self, address: str) -> Occupant | None:
        """Return the occupant with a client at ``address``, or else that person's chat, or None."""
        exact = (o for o in self for session in o.sessions if session.address == address)
        return next(exact, None) or next((o for o in self if o.session(address)), None)

    def persons(self, person: str) -> Roster:
        """Return all occupants who are that person."""
        return Roster(occupant for occupant in self if occupant.person == person)

    def holder(self, role: Role) -> Occupant | None:
        """Return the occupant with that role, or None."""
        return next((occupant for occupant in self if occupant.role == role), None)

    def players(self) -> Roster:
        """Return the occupants with a role."""
        return Roster(occupant for occupant in self if occupant.role)

    def people(self) -> Roster:
        """Return the occupants with a client."""
        return Roster(occupant for occupant in self if occupant.sessions)

    def computer(self) -> Occupant | None:
        """Return the computer, or None."""
        return next((occupant for occupant in self if occupant.computer), None)

    def sessions(self) -> Sessions:
        """Return the clients of all occupants."""
        return tuple([session for occupant in self for session in occupant.sessions])

    def free_nick(self, nick: str, person: str = "") -> str:
        """Return ``nick``, with a tail if anyone but ``person`` has it."""
        while is_reserved(nick) or ((other := self.named(nick)) and other.person != person):
            nick += "_"
        return nick


class Invitation(NamedTuple):
    """An unanswered invitation: the id of its stanza, and the inviter's address in it."""

    id: str
    by: str


AFFILIATIONS = ("owner", "member", "none")


@dataclass(slots=True)
class RoomState:
    """A room at ``address``; its ``owner``, ``members``, and the ``banned`` are bare addresses.

    ``returning`` has the people who were in the room when it was saved, with their roles.
    ``invited`` has the invitations by invitee and inviter, ``invitations`` counts them.
    ``known_as`` has the room addresses of people whose own address mustn't be shown here.
    ``news`` has events of the match that weren't sent yet. ``echo`` is the user and text of what an
    occupant said, until the lobby sends that. ``attendance`` is None while there is no MUC client.
    A room of another protocol has no owner, and is ``closed`` with the match.
    """

    address: str
    owner: str
    match: MugMatch
    options: Options = field(default_factory=Options)
    members: set[str] = field(default_factory=set)
    banned: set[str] = field(default_factory=set)
    occupants: Roster = field(default_factory=Roster)
    news: list[Event] = field(default_factory=list)
    saved: bool = False
    awaited: bool = False
    returning: dict[str, Role | None] = field(default_factory=dict)
    invited: dict[tuple[str, str], Invitation] = field(default_factory=dict)
    invitations: int = 0
    known_as: dict[str, str] = field(default_factory=dict)
    echo: tuple[str, str] | None = None
    attendance: Attendance | None = None
    closed: bool = False

    @property
    def node(self) -> str:
        """The room's name: its address without the domain."""
        return self.address.partition("@")[0]

    @property
    def name(self) -> str:
        """The room's name as chat users type it."""
        return name_of(self.node)

    @property
    def is_over(self) -> bool:
        """Whether the room has no occupants and awaits none."""
        held = bool(self.owner) and self.match.is_shared  # a player from here can come back
        return not (self.saved or self.awaited or held or self.occupants.people())

    def affiliation(self, person: str) -> str:
        """Return the affiliation of a person."""
        if person == self.owner:
            return "owner"
        return "member" if person in self.members else "none"

    def free_roles(self) -> list[Role]:
        """Return the free roles."""
        return [role for role in self.match.roles if self.occupants.holder(role) is None]

    def user(self, occupant: Occupant) -> User:
        """Return an occupant as a user of the lobby, whose name reveals no hidden address."""
        if occupant.elsewhere:
            return User(occupant.person)
        if occupant.account:
            return User(occupant.account, occupant.person)
        person, open_here = occupant.person, self.options.anonymity == "non-anonymous"
        return User(user_of(person if open_here else f"{occupant.nick}@{self.node}"), person)

    @property
    def key(self) -> str | None:
        """The key of the match's room in the lobby; None if that room is public."""
        options = self.options
        if options.members_only or not (options.public or options.protected):
            return self.match.gateway.key
        return options.secret if options.protected else None

    def drain(self) -> list[Event]:
        """Return the events of the match since the last call."""
        news, self.news = self.news, []
        return news

    def occupant(self, address: str) -> Occupant:
        """Return the occupant with a client at ``address``. Raises Refused."""
        occupant = self.occupants.at(address)
        if occupant is None:
            raise Refused("not-acceptable", "you aren't in this room")
        return occupant

    @property
    def is_full(self) -> bool:
        """Whether no one else can enter."""
        limits = self.options.max_users, self.match.gateway.settings.max_occupants
        return len(self.occupants) >= min((most for most in limits if most), default=1_000_000)

    # Events

    def state_presences(
        self, to: Sessions, reconfigured: bool = False, pause: bool = False
    ) -> list[Event]:
        """Return the state of the room; ``pause`` is whether the match has just been paused."""
        status, events = self.match.status, []
        pausing = tag("pause", {"xmlns": MUG}) if pause else ""
        for role, sessions in self.by_view(to):
            game = tag(
                "game",
                {"xmlns": MUG},
                tag("configuration-changed") if reconfigured else None,
                tag("status", None, status),
                None if status == "created" else self.match.state(role),
            )
            reads = any(session.via for session in sessions)
            lines = tuple(self._standing(role, reconfigured)) if reads else ()
            inner = game + pausing
            events.append(Event(self.address, sessions, "presence", inner, lines=lines))
        return events

    def by_view(self, to: Iterable[ChatSession]) -> Iterator[tuple[Role | None, Sessions]]:
        """Yield clients with the role by which they see the match: None for all if all see it."""
        if not self.match.has_secrets:
            yield None, tuple(to)
            return
        seen = dict[Role | None, list[ChatSession]]()
        for session in to:
            here = next((o for o in self.occupants if session in o.sessions), None)
            role = None if here is None else here.role
            seen.setdefault(role, []).append(session)
        for role, sessions in seen.items():
            yield role, tuple(sessions)

    def talk_elsewhere(self, to: Sessions) -> list[Event]:
        """Return a message about where to talk, if the owner has chosen a room for that.

        An address of XMPP is also an invitation to that room (XEP-0249).
        """
        if not self.options.chat or not to:
            return []
        places = self.options.chat.splitlines()
        message = self.remarked(f"Talk about the match in {' or '.join(places)}", to=to)
        jids = [jid for place in places if (jid := _room_in(place))]
        invites = (tag("x", {"xmlns": CONFERENCE, "jid": jid}) for jid in jids[:1])
        return [message._replace(inner=message.inner + "".join(invites))]

    def view(self) -> View:
        """Return the room as MUC's clients see it."""
        terms, options, holder = self.match.terms, self.options, self.occupants.holder
        players = [(role, holder(role)) for role in self.match.roles]
        who = [f"{role} is free" if o is None else f"{o.nick} plays {role}" for role, o in players]
        game = self.match.mug.describe(terms)
        seen: dict[Hashable, Seen] = {
            occupant: Seen(
                occupant.nick,
                self.affiliation(occupant.person),
                f"plays {occupant.role}" if occupant.role else "",
                occupant.show,
                occupant.jid,
                tuple(session for session in occupant.sessions if session.muc),
            )
            for occupant in self.occupants
        }
        subject = f"{game}: {'the match is over' if self.closed else ', '.join(who)}"
        agreed = options, tuple(self.match.chosen.values.items()), terms.seats
        return View(seen, subject, options.anonymity, self.owner, agreed, self.key is None)

    def _standing(self, role: Role | None, reconfigured: bool) -> Iterator[str]:
        name, match = self.name, self.match
        if match.status == "created":
            yield f"{name} waits for its configuration."
            return
        if reconfigured:
            yield f"{name} has new options: {match.mug.describe(match.terms)}."
        if match.status in ("active", "paused"):
            yield match.drawn(role)
        if match.status == "active":
            yield f"It is the turn of {match.turn}: {match.prompt(role)}."
        elif match.status == "paused":
            until = f"it goes on when {self.all_or_both} players start"
            yield f"The match in {name} is interrupted: {until}."
        elif match.result:
            draw = match.result == "draw"
            yield "It is a draw." if draw else f"{match.result} has won."
            if self.owner:
                first = f"; {match.turn} moves first" if match.turn else ""
                yield f"The next match begins when {self.all_or_both} players start{first}."
        elif not self.owner:
            free = " or ".join(self.free_roles())
            yield f"No match in {name} yet: it begins when a player takes {free}."
        else:
            *most, last = match.roles
            roles = f"{', '.join(most)} and {last}" if most else last
            taken = f"when {roles} are taken and {self.all_or_both} start"
            yield f"No match in {name} yet: it begins {taken}."

    @property
    def all_or_both(self) -> str:
        """The word for all players."""
        return "both" if len(self.match.roles) == 2 else "all"

    def shown(
        self, occupant: Occupant, to: Iterable[ChatSession], new_nick: str = ""
    ) -> list[Event]:
        """Return the presence of an occupant, with the address for clients that can see it."""
        anonymity, nick, role = self.options.anonymity, occupant.nick, occupant.role
        affiliation = self.affiliation(occupant.person)
        seeing, others = list[ChatSession](), list[ChatSession]()
        for session in to:
            to_owner = anonymity == "semi-anonymous" and bare(session.address) == self.owner
            (seeing if anonymity == "non-anonymous" or to_owner else others).append(session)
        owner = ", the owner," if affiliation == "owner" else ""
        line = f"{nick}{owner} {f'plays {role}' if role else 'looks on'}."
        if new_nick:
            line = f"{nick} is now called {new_nick}."
        events = []
        for jid, viewers in ("", others), (occupant.jid, seeing):
            if viewers:
                item = {"affiliation": affiliation, "role": role or "none", "jid": jid or None}
                game = tag("game", {"xmlns": MUG}, tag("item", {**item, "nick": new_nick or None}))
                events.append(
                    Event(self.address, tuple(viewers), "presence", game, nick, lines=(line,))
                )
        return events

    def all_shown(self, occupants: Iterable[Occupant]) -> list[Event]:
        """Return the presences of some occupants, for all occupants."""
        everybody = self.occupants.sessions()
        return [event for occupant in occupants for event in self.shown(occupant, everybody)]

    def gone(self, occupant: Occupant, to: Sessions, why: Why = "") -> Event:
        """Return the presence of a removed occupant; ``why`` is empty if the occupant left."""
        item = {"affiliation": self.affiliation(occupant.person), "role": "none"}
        inner: str = tag("game", {"xmlns": MUG}, tag("item", item))
        if self.attendance is not None:
            self.attendance.why[occupant] = why
        put_out = {"invalid-turn": "was removed for an impossible move", "kicked": "was removed"}
        put_out["banned"] = put_out["kicked"]
        line = f"{occupant.nick} {put_out.get(why, 'has left')}."
        if why in ("invalid-turn", "saved"):
            inner += tag(why, {"xmlns": USER if why == "invalid-turn" else MUG})
        if why == "saved":
            line = f"{self.address} is saved; its owner can load it."
        return Event(
            self.address, to, "presence", inner, occupant.nick, "unavailable", lines=(line,)
        )

    def started(self, player: Occupant, to: Sessions) -> Event:
        """Return the message that a player has started."""
        start, lines = tag("start", {"xmlns": USER}), (f"{player.nick} has started.",)
        return Event(self.address, to, "message", start, player.nick, lines=lines)

    def turned(self, role: Role, move: str) -> list[Event]:
        """Return the messages that a role has made a move, which is in the position."""
        match, holder = self.match, self.occupants.holder(role)
        nick, events = role if holder is None else holder.nick, []
        game, mug, seat = match.terms.game, match.mug, match.seat_of(role)
        assert seat is not None
        for seeing, sessions in self.by_view(self.occupants.sessions()):
            seen = game.seen(match.position, move, match.seat_of(seeing))
            turn = tag("turn", {"xmlns": USER}, mug.move(match.terms, seen, match.played))
            lines = list[str]()
            if any(session.via for session in sessions):
                made = mug.describe_move(match.terms, match.view(seeing) or "", seat, seen)
                lines = [f"{nick} {made}.", match.drawn(seeing)]
            events.append(Event(self.address, sessions, "message", turn, nick, "chat", lines))
        return events

    def remarked(
        self,
        text: str,
        speaker: Occupant | None = None,
        to: Iterable[ChatSession] | None = None,
        line: str | None = None,
    ) -> Event:
        """Return a message of ``speaker`` with a body, for what MUG has no element.

        Chat users, whose messages all come from the room, get ``line`` instead.
        """
        everybody = self.occupants.sessions() if to is None else tuple(to)
        nick = "" if speaker is None else speaker.nick
        inner, lines = tag("body", None, text), (text if line is None else line,)
        return Event(self.address, everybody, "message", inner, nick, "chat", lines)


def _room_in(place: str) -> str:
    """Return the address of a room in a URI or an address; empty if it is none of XMPP."""
    scheme, colon, rest = place.strip().partition(":")
    jid = (rest if colon else scheme).partition("?")[0]
    try:
        address = parse(unquote(jid)) if scheme == "xmpp" or not colon else None
    except ValueError:
        return ""
    return address.bare if address is not None and address.node else ""
