"""Challenges: one person asks another one for a game. Source: people.md, "Challenges"."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from tictac.errors import BadOption, GuestsRefused, InTooManyRooms, TooManyRooms
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms
from tictac.names import is_given
from tictac.plugins.people import request_types as requests
from tictac.plugins.people.playing import Playing
from tictac.plugins.people.refusals import Busy, NoSuchChallenge, NotHere, TooManyChallenges
from tictac.plugins.people.roster import Roster
from tictac.plugins.people.settings import PeopleOptions
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.json_view import Message
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import Session

MINUTES = 600.0
"""Seconds in which challenges are counted, and for which who was declined twice waits."""

MOST_REMEMBERED = 10_000
"""Maximum senders, and pairs of people, that are counted; beyond it, counting restarts."""

State = Literal["accepted", "declined", "withdrawn", "expired"]


@dataclass(eq=False)
class Challenge:
    """A challenge that stands. ``side`` is the seat that the sender wants."""

    id: str
    session: Session
    by: str
    user: str
    terms: Terms
    side: int | None
    timer: IDelayedCall | None = None


class Messages(Protocol):
    """What reaches accounts that aren't here (Challenges.messages)."""

    def reaches(self, user: str) -> bool:
        """Return whether an account has an address for messages."""

    def invite(self, user: str, room: Room) -> None:
        """Send a message about a room that waits for the account."""


class Challenges:
    """The challenges that stand among the people of ``roster``, within the limits of ``options``.

    The guests of an address can send twice as many as an account in ten minutes, and up to half of
    the challenges that a person gets. A challenge expires after ``seconds`` (0: it doesn't).
    """

    def __init__(
        self, lobby: Lobby, roster: Roster, playing: Playing, clock: IReactorTime,
        options: PeopleOptions, seconds: float, chance: Callable[[], float],
    ) -> None:  # fmt: skip
        self._lobby, self._roster, self._playing = lobby, roster, playing
        self._clock, self._options, self._seconds, self._chance = clock, options, seconds, chance
        self._open: dict[str, Challenge] = {}
        self._of: dict[str, dict[Challenge, None]] = {}
        self._sent: dict[str, list[float]] = {}
        self._refused: dict[tuple[str, str], list[float]] = {}
        self.messages: Messages | None = None
        self._invited: dict[tuple[str, str], str] = {}  # rooms that wait for an absent account
        playing.began = self._began

    def stop(self) -> None:
        """Expire nothing any more."""
        for each in self._open.values():
            if each.timer is not None:
                each.timer.cancel()

    def __len__(self) -> int:
        return len(self._open)

    # Requests

    def issue(self, session: Session, request: requests.Challenge) -> None:
        """Challenge a user. Raises a Refusal."""
        by, user, side = session.user or "", request.user, request.side
        key = self._lobby.key() if request.private else None
        terms = wire.read_terms(request, key=key)
        if terms.seats != 2:
            raise BadOption("a challenge is for a game of two")
        if side not in (None, 0, 1):
            raise BadOption(f"side is 0 or 1, not {side}")
        if terms.rated and key is not None:
            raise BadOption("a rated match isn't private, because ratings show it")
        self._check_guests(by, terms)
        is_absent = self._check_reachable(by, user, terms)
        for each in self._of.get(user, ()):
            if each.by == user and each.user == by and _are_alike(each, terms, side):
                self._accept(session, request, each)
                return
        self._check_limits(session, by, user)
        self._sent.setdefault(self._payer(session, by), []).append(self._clock.seconds())
        if is_absent:
            self._invite(session, request, by, terms)
            return
        challenge = Challenge(self._lobby.key(), session, by, user, terms, side)
        self._open[challenge.id] = challenge
        for name in (by, user):
            self._of.setdefault(name, {})[challenge] = None
        seconds = self._seconds or None
        if seconds is not None:
            challenge.timer = self._clock.callLater(seconds, self._end, challenge, "expired")
        session.send(wire.answer(request.id, challenge=challenge.id, seconds=seconds))
        line = wire.line(_challenge_json(challenge, seconds))
        takers = self._roster.takers(user)
        session.connection.pay_for(len(takers))
        for taker in takers:
            taker.send(line)

    def _invite(self, session: Session, request: requests.Challenge, by: str, terms: Terms) -> None:
        """Open a room over days, which waits for an account that isn't here."""
        if request.side == 1:
            raise BadOption("a player who isn't here has the second seat")
        if not terms.rated:  # a rated match is public
            terms = replace(terms, key=self._lobby.key())
        name, registry = self._lobby.room_name(), self._lobby.registry
        registry.create(session.seat(request, name), name, terms)
        room = registry.room(name)
        if room is not None and self.messages is not None:
            self._invited[by, request.user] = name
            self.messages.invite(request.user, room)

    def respond(self, session: Session, request: requests.Respond) -> None:
        """Accept, decline or withdraw a challenge. Raises a Refusal."""
        challenge, how = self._open.get(request.challenge), request.how
        user = session.user or ""
        asked = None if challenge is None else challenge.by if how == "withdraw" else challenge.user
        if challenge is None or asked != user:
            raise NoSuchChallenge("this challenge is over")
        if how == "accept":
            self._accept(session, request, challenge)
            return
        session.send(wire.answer(request.id))
        self._end(challenge, "withdrawn" if how == "withdraw" else "declined", but=session)

    def _accept(self, session: Session, request: wire.Request, challenge: Challenge) -> None:
        user, sender, terms = session.user or "", challenge.session, challenge.terms
        self._check_guests(user, terms)
        is_busy = self._roster.is_busy(user) or challenge.by in self._playing
        if is_busy and not terms.lasting:
            raise Busy(f"{challenge.by} or you play already")
        name = self._lobby.room_name()
        if not session.can_sit(name):
            raise InTooManyRooms("you are in too many rooms")
        if not sender.can_sit(name):
            raise InTooManyRooms(f"{challenge.by} is in too many rooms")
        side = challenge.side if challenge.side is not None else int(self._chance() < 0.5)
        registry = self._lobby.registry
        if side == 1:
            registry.create(session.seat(request, name), name, terms)
            if not registry.has_room(name):
                return  # it has been answered why
            self._end(challenge, "accepted", but=session, room=name)
            registry.join(sender.sit(name), name, "PLAYER", terms.key)
        else:
            occupant = sender.sit(name)
            held: list[bytes] = []

            def hold(data: bytes) -> None:
                held.append(data)

            occupant.send = hold  # the sender gets the acceptance first
            registry.create(occupant, name, terms)
            occupant.send = sender.send
            if not registry.has_room(name):
                raise TooManyRooms(f"no room could be made for {challenge.by} and you")
            self._end(challenge, "accepted", but=session, room=name)
            for line in held:
                sender.send(line)
            registry.join(session.seat(request, name), name, "PLAYER", terms.key)

    def _check_guests(self, user: str, terms: Terms) -> None:
        between_accounts = terms.rated or terms.lasting or not self._lobby.guests
        if is_given(user) and between_accounts:
            raise GuestsRefused("log in first: this match is between accounts")

    def _check_reachable(self, by: str, user: str, terms: Terms) -> bool:
        """Raise a Refusal, or return whether only a message reaches the user."""
        if user == by:
            raise Busy("that is you")
        settings = self._roster.settings(user)
        refuses = settings.challenges == "nobody"
        refuses |= settings.challenges == "accounts" and is_given(by)
        refuses |= is_given(user) and (terms.rated or terms.lasting)
        refuses |= self._lobby.blocks(by, user)
        is_here = bool(self._roster.takers(user))
        is_reached = is_here or (
            terms.lasting and self.messages is not None and self.messages.reaches(user)
        )
        if settings.hidden or refuses or not is_reached:
            raise NotHere(f"{user:.40} can't be challenged now")
        if terms.lasting:
            return not is_here
        if self._roster.is_busy(user):
            raise Busy(f"{user} plays a match")
        if by in self._playing:
            raise Busy("you play a match")
        return False

    def _check_limits(self, session: Session, by: str, user: str) -> None:
        options, mine = self._options, self._of.get(by, ())
        invited = {pair: name for pair, name in self._invited.items() if self._waits(name)}
        self._invited = invited
        if (by, user) in invited or any(each.by == by and each.user == user for each in mine):
            raise TooManyChallenges(f"you have challenged {user} already")
        if sum(each.by == by for each in mine) >= options.max_challenges:
            most = options.max_challenges
            raise TooManyChallenges(f"you have challenged {most} people already")
        theirs = [each for each in self._of.get(user, ()) if each.user == user]
        waiting = sum(asked == user for _, asked in invited)
        if len(theirs) + waiting >= options.max_challenges_got:
            most = options.max_challenges_got
            raise TooManyChallenges(f"{user} has {most} challenges already")
        payer, times = self._payer(session, by), session.connection.times
        of_guests = [each for each in theirs if is_given(each.by)]
        same = [each for each in of_guests if self._payer(each.session, each.by) == payer]
        if is_given(by) and len(same) >= max(1, options.max_challenges_got // 2) * times:
            raise TooManyChallenges(f"guests of your address have challenged {user} already")
        for memory in (self._sent, self._refused):
            if len(memory) > MOST_REMEMBERED:
                memory.clear()
        since = self._clock.seconds() - MINUTES
        if len([at for at in self._refused.get((by, user), ()) if at > since]) >= 2:
            raise TooManyChallenges(f"{user} has declined twice: wait ten minutes")
        recent = self._sent[payer] = [at for at in self._sent.get(payer, ()) if at > since]
        most = options.challenge_burst * (2 * times if is_given(by) else 1)
        if len(recent) >= most:
            raise TooManyChallenges(f"you have challenged {most} times in ten minutes: wait")

    def _waits(self, name: str) -> bool:
        live_room = self._lobby.registry.live_rooms.get(name)
        return live_room is not None and not live_room.room.begun

    def _payer(self, session: Session, by: str) -> str:
        """Return whose challenges are counted together: an account's, or an address's guests'."""
        return f"guests of {session.connection.network}" if is_given(by) else f"account {by}"

    # Ends

    def gone(self, session: Session, user: str) -> None:
        """End unanswerable challenges: a connection is lost, or has another user."""
        is_reachable = bool(self._roster.takers(user))
        for each in list(self._of.get(user, ())):
            if each.session is session or (each.user == user and not is_reachable):
                self._end(each, "withdrawn", but=session, why="gone")

    def close(self, user: str, accounts_stay: bool) -> None:
        """Decline the open challenges of a user who takes none any more."""
        for each in list(self._of.get(user, ())):
            if each.user == user and not (accounts_stay and not is_given(each.by)):
                self._end(each, "declined")

    def _began(self, users: Collection[str]) -> None:
        for user in users:
            for each in list(self._of.get(user, ())):
                if each.by == user or self._roster.is_busy(user):
                    self._end(each, "withdrawn", why="playing")

    def _end(
        self,
        challenge: Challenge,
        state: State,
        but: Session | None = None,
        why: str | None = None,
        room: str | None = None,
    ) -> None:
        """End a challenge; send the event to both people, except to ``but``."""
        del self._open[challenge.id]
        for name in (challenge.by, challenge.user):
            of = self._of[name]
            del of[challenge]
            if not of:
                del self._of[name]
        if challenge.timer is not None and challenge.timer.active():
            challenge.timer.cancel()
        pair = challenge.by, challenge.user
        if state in ("declined", "expired"):
            self._refused[pair] = [*self._refused.get(pair, ())[-1:], self._clock.seconds()]
        elif state == "accepted":
            self._refused.pop(pair, None)
        message: Message = {"event": "challenge", "challenge": challenge.id, "state": state}
        if why is not None:
            message["why"] = why
        if challenge.session is not but:
            about = {} if room is None else {"room": room}
            challenge.session.send(wire.line({**message, **about}))
        others = [each for each in self._roster.takers(challenge.user) if each is not but]
        elsewhere = {"elsewhere": True} if state in ("accepted", "declined") else {}
        _send(others, {**message, **elsewhere})


def _send(sessions: Iterable[Session], message: Message) -> None:
    line = wire.line(message)
    for session in sessions:
        session.send(line)


def _challenge_json(challenge: Challenge, seconds: float | None) -> Message:
    terms = challenge.terms
    return {
        "event": "challenge",
        "challenge": challenge.id,
        "state": "open",
        "by": challenge.by,
        "user": challenge.user,
        "game": terms.game_type.name,
        "title": terms.game_type.title,
        "options": dict(terms.values),
        "clock": terms.time and terms.time.fields(),
        "rated": terms.rated,
        "private": terms.key is not None,
        "side": None if challenge.side is None else 1 - challenge.side,
        "seconds": seconds,
    }


def _are_alike(challenge: Challenge, terms: Terms, side: int | None) -> bool:
    """Return whether a challenge is for the same match, and the sides fit."""
    one, sides = challenge.terms, {side, challenge.side}
    same = one.game_type is terms.game_type and one.values == terms.values
    same &= one.time == terms.time and one.rated is terms.rated
    same &= (one.key is None) is (terms.key is None)
    return same and (None in sides or len(sides) == 2)
