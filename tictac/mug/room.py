"""One room: who is in it, what they are and play. Decides; sends nothing.

A room knows no connection and no clock. Every request returns the events that it led to,
or raises :class:`~tictac.mug.refusals.Refused`, and then nothing has changed. What its
owner may ask is in ``ownership.py``; how it is saved in ``saving.py``.

Source: docs/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from tictac.mug.addresses import bare, fold, is_nick
from tictac.mug.board import ROLES, Move, Role
from tictac.mug.events import Erred, Event, Forwarded, OccupantGone, Session, Started, Turned
from tictac.mug.occupants import Occupant, sessions_of
from tictac.mug.refusals import Refused
from tictac.mug.state import RoomState
from tictac.mug.xml import Element


class Room(RoomState):
    """What may be asked of a room."""

    __slots__ = ()

    # Coming and going

    def enter(self, session: Session, nick: str, password: str | None) -> list[Event]:
        """Let a client in, let it change its nick, or tell it again what it knows."""
        known = self.occupants.at(session.address)
        mine = None if known is None else known.session(session.address)
        if known and mine and (session.via or not mine.via):
            # A MUG client of somebody who also chats is another session; a chat isn't.
            known.add(session if mine.via else mine)
            same = fold(known.nick) == fold(nick)
            return self.welcome(known, session) if same else self.rename(known, nick)
        if not is_nick(nick):
            raise Refused("not-acceptable", "nobody can go by that nick")
        person = bare(session.address)
        self.require_open(person)
        here = self.occupants.named(nick)
        if here is not None and here.person == person:
            here.add(session)
            return self.welcome(here, session)
        self.require_entitled(person, nick, password)
        newcomer = Occupant(nick, person, [session])
        return self.let_in(newcomer)

    def let_in(self, newcomer: Occupant) -> list[Event]:
        """Let somebody in who may enter; the newcomer's own presence comes last."""
        role = self.returning.pop(newcomer.person, None)
        if role is not None and role in self.free_roles():
            newcomer.role = role
            self.match.starts.clear()
        others = sessions_of(self.occupants)
        self.occupants.add(newcomer)
        self.awaited = False
        events = self.shown(newcomer, others)
        for session in newcomer.sessions:
            events += self.welcome(newcomer, session)
        return events

    def welcome(self, newcomer: Occupant, session: Session) -> list[Event]:
        """Tell a client of ``newcomer`` what there is."""
        events: list[Event] = [self.told((session,))]
        for other in self.occupants:
            if other is not newcomer:
                events += self.shown(other, (session,))
        return events + self.shown(newcomer, (session,))

    def leave(self, address: str) -> list[Event]:
        """One client is gone; with an occupant's last one the occupant is."""
        occupant = self.occupants.at(address)
        session = None if occupant is None else occupant.session(address)
        if occupant is None or session is None or session.address != address:
            return []
        if len(occupant.sessions) == 1:
            return self.put_out(occupant)
        occupant.sessions.remove(session)
        affiliation = self.affiliation(occupant.person)
        return [OccupantGone(self.address, (session,), occupant.nick, affiliation)]

    def put_out(self, occupant: Occupant, invalid_turn: bool = False) -> list[Event]:
        """An occupant is out, with all clients; the match of a player pauses."""
        everybody = self.occupants.sessions()
        self.occupants.remove(occupant)
        events: list[Event] = [
            OccupantGone(
                self.address,
                everybody,
                occupant.nick,
                self.affiliation(occupant.person),
                "invalid-turn" if invalid_turn else "",
            )
        ]
        return events + (self.roles_changed() if occupant.role else [])

    def rename(self, occupant: Occupant, nick: str) -> list[Event]:
        """Give an occupant another nick, and announce it under the old one."""
        if not is_nick(nick):
            raise Refused("not-acceptable", "nobody can go by that nick")
        other = self.occupants.named(nick)
        if other is not None and other is not occupant:
            raise Refused("conflict", f"{nick} is taken")
        events = self.shown(occupant, self.occupants.sessions(), new_nick=nick)
        self.occupants.rename(occupant, nick)
        return events

    # Roles

    def take_role(self, address: str, role: str) -> list[Event]:
        """Take a role, or give the own one up (``none``)."""
        occupant = self.occupant(address)
        if role == "none":
            return self.give_role(occupant, None)
        if role not in ROLES:
            raise Refused("not-acceptable", f"{role!r:.40} isn't a role")
        holder = self.occupants.holder(role)
        if holder is not None and holder is not occupant:
            raise Refused("conflict", f"{role} is taken by {holder.nick}")
        return self.give_role(occupant, role)

    def give_role(self, occupant: Occupant, role: Role | None) -> list[Event]:
        """Give a role that is free, and tell everybody."""
        change = occupant.role != role
        occupant.role = role
        events = self.shown(occupant, self.occupants.sessions())
        return events + (self.roles_changed() if change else [])

    def roles_changed(self) -> list[Event]:
        """Void earlier starts, and interrupt the match if it lacks a player.

        The computer leaves when it has nothing to play; those start who always would.
        """
        self.match.starts.clear()
        events: list[Event] = []
        if self.free_roles() and self.match.pause():
            events.append(self.told(self.occupants.sessions(), pause=True))
        computer = self.occupants.computer()
        if computer is not None and computer.role is None:
            events += self.put_out(computer)
        return events + self.start_the_ready()

    def start(self, address: str) -> list[Event]:
        """A player starts; with the other one's start the match begins or goes on."""
        occupant = self.occupants.at(address)
        if occupant is None or occupant.role is None:
            raise Refused("forbidden", "you have no role")
        if not self.match.can_start:
            raise Refused("not-allowed", "there is nothing to start now")
        if self.free_roles():
            raise Refused("not-allowed", "both roles must be taken first")
        return self._start(occupant) + self.start_the_ready()

    def start_the_ready(self) -> list[Event]:
        """Let those start who do so by themselves, once the other player has or would."""
        players = self.occupants.players()
        starts = self.match.starts
        if len(players) < len(ROLES) or not self.match.can_start:
            return []
        if not starts and not all(player.ready for player in players):
            return []
        waiting = [p for p in players if p.ready and p.role not in starts]
        return [event for player in waiting for event in self._start(player)]

    def _start(self, player: Occupant) -> list[Event]:
        assert player.role is not None
        players = self.occupants.players()
        events: list[Event] = [Started(self.address, sessions_of(players), player.nick)]
        if self.match.start(player.role):
            for each in players:
                each.ready = each.computer
            events.append(self.told(self.occupants.sessions()))
        return events

    # Turns

    def turn(self, address: str, move: Move) -> list[Event]:
        """Make a move. One that can't be made costs the player the place in the room."""
        player = self._player(address)
        try:
            return self._play(player, move)
        except Refused as refused:
            if not refused.invalid_turn:
                raise
            erred = Erred(refused)
        if player.person == self.owner:
            return [erred, *self.give_role(player, None)]
        return [erred, *self.put_out(player, invalid_turn=True)]

    def turn_or_explain(self, address: str, row: int, col: int) -> list[Event]:
        """Make a move; one that can't be made is only refused."""
        return self.play_as(self._player(address), row, col)

    def play_as(self, player: Occupant, row: int, col: int) -> list[Event]:
        """Make the next move for a player. Raises Refused, and nothing has changed."""
        return self._play(player, Move(row, col, self.match.number))

    def _player(self, address: str) -> Occupant:
        occupant = self.occupants.at(address)
        if occupant is None or occupant.role is None:
            raise Refused("forbidden", "you have no role")
        return occupant

    def _play(self, player: Occupant, move: Move) -> list[Event]:
        assert player.role is not None
        columns = self.match.rules.cols
        board = self.match.play(player.role, move)
        everybody = self.occupants.sessions()
        turned = Turned(self.address, everybody, player.nick, move, board, columns)
        return [turned, self.told(everybody)]

    # Other

    def private(
        self, address: str, nick: str, kind: str, payload: tuple[Element | str, ...]
    ) -> list[Event]:
        """Pass a private message on."""
        sender, target = self.occupant(address), self.occupants.named(nick)
        if target is None:
            raise Refused("item-not-found", "nobody in the room goes by that nick")
        if target.computer:
            raise Refused("service-unavailable", "the computer doesn't talk")
        return [Forwarded(self.address, tuple(target.sessions), sender.nick, kind, payload)]

    def interrupt(self) -> list[Event]:
        """Pause the match, because the players can't be reached."""
        if not self.match.pause():
            return []
        return [self.told(self.occupants.sessions(), pause=True)]
