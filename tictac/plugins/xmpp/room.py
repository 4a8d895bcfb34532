"""One room: its occupants, their affiliations and roles. Decides, and sends nothing.

A room knows no connection and no clock. Each request returns its events, or raises
:class:`~tictac.plugins.xmpp.refusals.Refused` and changes nothing. The owner's requests are in
``ownership.py``.

Source: docs/reference/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from contextlib import suppress

from twisted.words.xish.domish import Element

from tictac.lobby.events import (
    Began,
    Ended,
    Joined,
    Left,
    Offered,
    Paused,
    Placed,
    Position,
    Said,
    Undone,
)
from tictac.lobby.events import Event as LobbyEvent
from tictac.lobby.events import Refused as LobbyRefused
from tictac.plugins.xmpp.addresses import bare, fold, is_nick, is_reserved
from tictac.plugins.xmpp.chat_rooms import LONGEST_TEXT, talk
from tictac.plugins.xmpp.events import ChatSession, Event, erred, remark
from tictac.plugins.xmpp.muc import Attendance, Why, is_command, private, reflected
from tictac.plugins.xmpp.mug_elements import Role
from tictac.plugins.xmpp.refusals import Refused, full
from tictac.plugins.xmpp.state import Occupant, RoomState
from tictac.plugins.xmpp.xml import CORRECTION, first


class MugRoom(RoomState):
    """A room and the requests of its occupants."""

    __slots__ = ()

    # Entering and leaving

    def enter(self, session: ChatSession, nick: str, password: str | None) -> list[Event]:
        """Let a client enter, let an occupant change the nick, or send the state again."""
        known = self.occupants.at(session.address)
        mine = None if known is None else known.session(session.address)
        if session.muc and self.attendance is None:
            self.attendance = Attendance(self.address, self.match.status == "created")
        if known and mine and (session.chats or not mine.chats):
            # A chat user's MUG client is another session; another chat client isn't.
            known.add(mine if session.chats and not mine.chats else session)
            same = fold(known.nick) == fold(nick)
            if same and session.muc and self.attendance is not None:
                self.attendance.forget(session.address)
            return self.welcome(known, session) if same else self.rename(known, nick)
        if not is_nick(nick):
            raise Refused("not-acceptable", "that nick isn't possible")
        person = bare(session.address)
        if person in self.banned:
            raise Refused("forbidden", "the owner doesn't let you in")
        if self.match.status == "created" and person != self.owner:
            raise Refused("item-not-found", "the room is locked: its owner hasn't configured it")
        if self.saved:
            raise Refused("not-allowed", "the room is saved; its owner can load it")
        here = self.occupants.named(nick)
        if here is not None and here.person == person:
            here.add(session)
            return self.welcome(here, session)
        if self.options.members_only and self.affiliation(person) == "none":
            raise Refused("registration-required", "only members can enter")
        if self.options.protected and password != self.options.secret:
            raise Refused("not-authorized", "the room has a password, which is another")
        if here is not None or is_reserved(nick):
            raise Refused("conflict", f"{nick} is taken")
        if self.is_full and person != self.owner:
            raise full("the room is full")
        account = self.match.gateway.account_for(person)
        return self.let_in(Occupant(nick, person, [session], account=account))

    def let_in(self, newcomer: Occupant) -> list[Event]:
        """Add an occupant, whose own presence comes last."""
        role = self.returning.pop(newcomer.person, None)
        if role is not None and role in self.free_roles() and not self.match.is_shared:
            newcomer.role = role
            self.match.starts.clear()
        others = self.occupants.sessions()
        self.occupants.append(newcomer)
        self.awaited = False
        events = self.shown(newcomer, others)
        for session in newcomer.sessions:
            events += self.welcome(newcomer, session)
        return events

    def welcome(self, newcomer: Occupant, session: ChatSession) -> list[Event]:
        """Return the state of the room for a client of ``newcomer``."""
        others = [other for other in self.occupants if other is not newcomer]
        shown = [event for each in (*others, newcomer) for event in self.shown(each, (session,))]
        return [*self.state_presences((session,)), *shown, *self.talk_elsewhere((session,))]

    def leave(self, address: str) -> list[Event]:
        """Remove a client; with an occupant's last client, remove the occupant."""
        occupant = self.occupants.at(address)
        session = None if occupant is None else occupant.session(address)
        if occupant is None or session is None or session.address != address:
            return []
        if len(occupant.sessions) == 1:
            return self.put_out(occupant)
        occupant.sessions.remove(session)
        return [self.gone(occupant, (session,))]

    def put_out(self, occupant: Occupant, why: Why = "") -> list[Event]:
        """Remove an occupant with all clients; a player's match pauses."""
        everybody = self.occupants.sessions()
        self.occupants.remove(occupant)
        gone = self.gone(occupant, everybody, why)
        return [gone, *(self.roles_changed(occupant.role) if occupant.role else [])]

    def rename(self, occupant: Occupant, nick: str) -> list[Event]:
        """Give an occupant another nick, and announce that under the old nick."""
        if not is_nick(nick):
            raise Refused("not-acceptable", "that nick isn't possible")
        if self.occupants.named(nick) not in (None, occupant) or is_reserved(nick):
            raise Refused("conflict", f"{nick} is taken")
        events = self.shown(occupant, self.occupants.sessions(), new_nick=nick)
        occupant.nick = nick
        return events

    # Roles

    def take_role(self, address: str, role: str) -> list[Event]:
        """Take a role, or release the present role (``none``)."""
        occupant = self.occupant(address)
        wanted = self.role_named(role)
        if wanted is None:
            return self.give_role(occupant, None)
        if self.closed:
            raise Refused("not-allowed", "the match here is over")
        holder = self.occupants.holder(wanted)
        table = self.match.table
        if holder is not None and holder.elsewhere and holder.person == occupant.account and table:
            self.match.gateway.make_way(table, occupant.account)  # the same account's connection
            holder = self.occupants.holder(wanted)
        if holder is not None and holder is not occupant:
            raise Refused("conflict", f"{role} is taken by {holder.nick}")
        if self.match.is_shared and holder is None:
            if occupant.role is not None:
                raise Refused("not-allowed", "give your role up first")
            self.match.sit(wanted, self.user(occupant))
        return self.give_role(occupant, wanted)

    def role_named(self, name: str | None) -> Role | None:
        """Return a role, or None for ``none``. Raises Refused."""
        if name in self.match.roles:
            return name
        if name != "none":
            known = ", ".join(self.match.roles)
            raise Refused("not-acceptable", f"{name!r:.40} isn't a role: they are {known}")
        return None

    def give_role(self, occupant: Occupant, role: Role | None) -> list[Event]:
        """Give an occupant a free role, and notify all occupants."""
        before, occupant.role = occupant.role, role
        events = self.all_shown([occupant])
        return events + (self.roles_changed(before) if before != role else [])

    def roles_changed(self, lost: Role | None = None) -> list[Event]:
        """Void earlier starts after a change of roles, in which a player can have ``lost`` one.

        A match without all players pauses. If a player of another protocol is in the match, the
        lobby decides about the match. The computer leaves if it has no role; players who are always
        ready start.
        """
        match = self.match
        match.starts.clear()
        if match.is_shared:
            if lost is not None:
                if self.owner and match.gateway.registry.holds_seats:
                    match.pause()
                match.leave(lost)
        elif self.free_roles():
            match.pause()
        events = self.drain()
        computer = self.occupants.computer()
        if computer is not None and computer.role is None:
            events += self.put_out(computer)
        return events + self.start_the_ready()

    def start(self, address: str) -> list[Event]:
        """Note that a player starts; with both starts, the match begins or continues."""
        occupant = self._player(address)[0]
        if not self.match.can_start:
            raise Refused("not-allowed", "there is nothing to start now")
        if self.free_roles():
            raise Refused("not-allowed", f"{self.all_or_both} roles must be taken first")
        try:
            return self._start(occupant) + self._start_ready()
        except Refused:
            self.match.starts.clear()
            raise

    def start_the_ready(self) -> list[Event]:
        """Start for the players who are always ready, if the other has started or is ready."""
        try:
            return self._start_ready()
        except Refused as refused:
            self.match.starts.clear()
            return [*self.drain(), self.remarked(f"The match can't begin: {refused}.")]

    def _start_ready(self) -> list[Event]:
        players = self.occupants.players()
        starts = self.match.starts
        if len(players) < len(self.match.roles) or not self.match.can_start:
            return []
        if not starts and not all(player.ready for player in players):
            return []
        waiting = [p for p in players if p.ready and p.role not in starts]
        return [event for player in waiting for event in self._start(player)]

    def _start(self, player: Occupant) -> list[Event]:
        assert player.role is not None
        players, starts = self.occupants.players(), self.match.starts
        events = [self.started(player, players.sessions())]
        if len({*starts, player.role}) < len(self.match.roles):
            starts.add(player.role)
            return events
        users = {p.role: self.user(p) for p in players if p.role and p.sessions}
        self.match.begin(users, self.key)
        starts.clear()
        for each in players:
            each.ready = not each.sessions
        return events + self.drain()

    # Turns

    def turn(self, address: str, move: Element, number: int, asked: Element) -> list[Event]:
        """Make a move; an illegal one costs the owner the role, and others their place."""
        if move.uri != self.match.mug.uri:
            raise Refused("bad-request", f"a move here is one of {self.match.mug.uri}")
        made = self.match.mug.read_move(self.match.terms, move)
        player, role = self._player(address)
        try:
            self.match.play(role, made, number)
            return self.drain()
        except Refused as refused:
            if not refused.invalid_turn:
                raise
            answer = erred(asked, refused)
        if player.person == self.owner:
            return [answer, *self.give_role(player, None)]
        return [answer, *self.put_out(player, "invalid-turn")]

    def turn_or_explain(self, address: str, typed: str) -> list[Event]:
        """Make the next move, as a person types it, and only refuse an illegal one."""
        move = self.match.mug.typed(self.match.terms, typed)
        self.match.play(self._player(address)[1], move)
        return self.drain()

    def _player(self, address: str) -> tuple[Occupant, Role]:
        occupant = self.occupants.at(address)
        if occupant is None or occupant.role is None:
            roles = " or ".join(self.match.roles)
            raise Refused("forbidden", f"you have no role: take {roles} first")
        return occupant, occupant.role

    # Other requests

    def private(self, address: str, nick: str, message: Element) -> list[Event]:
        """Pass a private message on, also to chat users."""
        sender, target = self.occupant(address), self.occupants.named(nick)
        if target is None:
            raise Refused("item-not-found", "no occupant has that nick")
        if not target.sessions:
            raise Refused("service-unavailable", f"{nick} has no client here")
        return private(self.address, target.sessions, sender.nick, self.user(sender).name, message)

    def say(self, address: str, text: str) -> list[Event]:
        """Say something to all occupants, also to those in the lobby."""
        speaker, match, said = self.occupant(address), self.match, " ".join(text.split())
        seat = match.persons().get(speaker.role) if speaker.role else None
        ear = match.ear_for(speaker.person) if seat is None else seat
        if match.table is not None and ear is not None:
            text = (said if seat else f"{speaker.nick}: {said}")[:LONGEST_TEXT]
            self.echo = ear.user or "", text
            try:
                talk(match.gateway, ear, match.table, "say", text)
            except Refused:
                self.echo = None
                raise
            finally:
                if seat is None:
                    ear.pay_as("")
        event = self.remarked(said, speaker, line=f"{speaker.nick}: {said}")
        return [event._replace(talk=event.inner, speaker=self.user(speaker).name)]

    def groupchat(self, address: str, message: Element, text: str) -> tuple[list[Event], bool]:
        """Pass a MUC client's message on, and return whether its text is a command.

        A correction (XEP-0308) is none. Other clients get only text that is talk.
        """
        speaker = self.occupant(address)
        clients = [session for session in self.occupants.sessions() if session.muc]
        typed = is_command(text) or self.match.is_typed(speaker.role, text)
        typed = typed and first(message, CORRECTION, "replace") is None
        heard = reflected(self.address, clients, speaker.nick, self.user(speaker).name, message)
        if typed or not text.strip():
            return [heard], typed
        [said] = self.say(address, text)
        return [heard, said._replace(to=tuple(s for s in said.to if not s.muc), talk="")], False

    def settle(self) -> None:
        """Open the match to the lobby while only its second role is free, or close that room."""
        if self.owner and self.match.status == "inactive" and not self.match.is_shared:
            host = self.occupants.holder(self.match.roles[0])
            waits = self.free_roles() == [*self.match.roles[1:2]] and not self.saved
            waits = waits and self.key != self.match.gateway.key and not self.match.is_custom
            user = self.user(host) if host is not None and host.sessions and waits else None
            with suppress(Refused):  # there is no place in the lobby
                self.match.wait(user, self.key)

    # Events of the match

    def handle_event(self, event: LobbyEvent) -> None:
        """Note an event of the room of the lobby; :meth:`drain` returns what to send."""
        match, everybody = self.match, self.occupants.sessions()
        match event:
            case Joined(to=to, user=user, seat=int(seat)) if not self.match.is_ours(to):
                newcomer = elsewhere(self.occupants.free_nick(user), user, match.role_of(seat))
                self.occupants.append(newcomer)
                self.news += self.shown(newcomer, everybody)
            case LobbyRefused(to=to, refusal=refusal) if self.match.is_ours(to):
                asked = next(role for role, seat in match.seats.items() if seat.occupant_id == to)
                holder = self.occupants.holder(asked)
                clients = [] if holder is None else holder.sessions
                self.news.append(self.remarked(str(refusal), to=clients))
            case LobbyRefused(refusal=refusal):
                # With a journal, the refusal comes after the role was given.
                for player in self.occupants.players():
                    if player.sessions and player.role not in match.seats:
                        player.role = None
                        self.news += [*self.all_shown([player]), self.remarked(str(refusal))]
            case Left(seat=int(seat)):
                self._lose(match.role_of(seat))
                if self.owner:
                    match.pause()
            case Began():
                match.begun()
                self.news += self.state_presences(everybody)
            case Paused(paused=paused):
                match.status = "paused" if paused else "active"
                match.starts.clear()
                self.news += self.state_presences(everybody, pause=paused)
            case Placed(position=position, seat=seat, move=move):
                self._turned(position, seat, move)
                self.news += self.state_presences(everybody)
            case Said(user=user, text=text) if (user, text) == self.echo:
                self.echo = None
            case Said(user=user, text=text):
                speaker = next((o for o in self.occupants if self.user(o).name == user), None)
                said = " ".join(text.split())
                line = f"{user}: {said}"
                heard = self.remarked(said if speaker else line, speaker, line=line)
                shown = heard.inner if speaker else ""
                self.news.append(heard._replace(talk=shown, speaker=user))
            case Offered(seat=seat, what=what, state=state):
                self._offered(match.role_of(seat), what, state)
            case Undone(seat=seat, position=position, moves=moves):
                match.position = position
                match.played -= moves
                role = match.role_of(seat)
                text = f"{role} takes a move back."
                self.news.append(self.remarked(text, self.occupants.holder(role)))
                self.news += self.state_presences(everybody)
            case Ended():
                self._end(event)

    def _offered(self, role: Role, what: str, state: str) -> None:
        """Report the state of an offer of ``role``, and send it to the other player."""
        words = {"offered": "offers", "declined": "doesn't want"}.get(state, f"has {state}")
        text, offerer = f"{role} {words} a {what}", self.occupants.holder(role)
        asked = [o for o in self.occupants.players() if o.role != role and state == "offered"]
        asks = [session for occupant in asked for session in occupant.sessions]
        others = [session for session in self.occupants.sessions() if session not in asks]
        self.news.append(self.remarked(f"{text}.", offerer, others))
        self.news.append(self.remarked(f"{text}: write {what}, or decline.", offerer, asks))

    def _turned(self, position: Position, seat: int, move: str) -> None:
        match = self.match
        match.position = position
        match.played += 1
        self.news += self.turned(match.role_of(seat), move)

    def _end(self, ended: Ended) -> None:
        was_on = self.match.status != "inactive"
        match, mover = self.match, self.match.seat_of(self.match.turn or None)
        if ended.move is not None and mover is not None:
            self._turned(ended.position, mover, ended.move)
        match.finish(ended)
        if was_on:
            self.news += self.state_presences(self.occupants.sessions())
        everybody, before = self.occupants.sessions(), len(self.news)
        for role in match.roles:
            self._lose(role)
        if not self.owner:
            self.closed = True
            for occupant in self.occupants.people():
                occupant.role = None
                self.news += self._dismiss(occupant)
            # Chat users get one line instead of a line for each who leaves.
            self.news[before:] = [event._replace(lines=()) for event in self.news[before:]]
            others = [session for session in everybody if not session.muc]
            self.news.append(remark(others, f"The room {self.name} is closed."))

    def _dismiss(self, occupant: Occupant) -> list[Event]:
        """Put an occupant out of a closed room, in which MUC clients stay as long as they like.

        They would close their windows over the last board.
        """
        staying = [session for session in occupant.sessions if session.muc]
        if not staying:
            return self.put_out(occupant)
        leaving = tuple(session for session in occupant.sessions if not session.muc)
        occupant.sessions = staying
        return [self.gone(occupant, leaving)] if leaving else []

    def _lose(self, role: Role) -> None:
        """Remove the player of another protocol who has that role, if there is one."""
        holder = self.occupants.holder(role)
        if holder is not None and holder.elsewhere:
            self.news.append(self.gone(holder, self.occupants.sessions()))
            self.occupants.remove(holder)
        elif holder is not None and holder.account and role not in self.match.seats:
            holder.role = None  # another connection of the account takes the seat
            text = f"You play {role} elsewhere now. To play here, write {role}."
            self.news += [*self.all_shown([holder]), self.remarked(text, to=holder.sessions)]


def elsewhere(nick: str, user: str, role: Role) -> Occupant:
    """Return an occupant for a player of another protocol."""
    return Occupant(nick, user, [], role, ready=True, elsewhere=True)
