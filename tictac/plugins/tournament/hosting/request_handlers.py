"""Tournaments in the lobby protocol: requests of players, and events for them.

Source: docs/reference/people.md, "Tournaments".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from tictac.errors import (
    AlreadyPlaying,
    ArchiveAway,
    BadOption,
    GuestsRefused,
    Refusal,
    TooManyEvents,
)
from tictac.lobby.registry import Registry
from tictac.names import DELETED, GUEST, is_given
from tictac.net.logins import LoginConnection
from tictac.plugins.tournament.cup import REMOVED, Cup, CupGame, Entry, Line
from tictac.plugins.tournament.cup_plan import MOST_PLAYERS
from tictac.plugins.tournament.hosting import request_types as requests
from tictac.plugins.tournament.hosting.admin_acts import Acts, entering, is_guest, number_in
from tictac.plugins.tournament.hosting.due_games import Elsewhere
from tictac.plugins.tournament.hosting.event_sender import EventSender
from tictac.plugins.tournament.hosting.follower import COMMAND, Followed, Follower
from tictac.plugins.tournament.hosting.tables import TournamentTables
from tictac.plugins.tournament.refusals import (
    NameTaken,
    NotEntered,
    NotOpen,
    TournamentFull,
    TournamentOver,
    WrongGroup,
)
from tictac.plugins.tournament.view import Json, card, names_json, room_of
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import Handlers, on
from tictac.protocols.lobby.session import Session
from tictac.storage.store import Stored

_log = Logger()

AWAY = 10.0
"""Seconds after which a disconnected player pauses in an arena."""

GUEST_TIMEOUT = 600.0
"""The default seconds after which a disconnected guest withdraws: a phone locks its screen."""

MINUTE, A_MINUTE, GUESTS_A_MINUTE = 60.0, 20, 100
"""Maximum entries, withdrawals, and pauses per minute: of an account, and of an address's guests.
"""

LINE, PLAN = 256, 2048
"""The cost in bytes of a player's request that adds a line, and of an act on a tournament."""

_GONE = ("out", "gone")
"""The state of a guest who didn't return, and why."""

_Work = Callable[..., Coroutine[Any, Any, Json]]


class Desk:
    """The part of tournaments in the lobby protocol (extension.Extension)."""

    def __init__(
        self,
        log: Stored[TournamentTables],
        follower: Follower,
        registry: Registry,
        acts: Acts,
        clock: Any,
        guest_timeout: float = GUEST_TIMEOUT,
    ) -> None:
        self._log, self._follower, self._registry = log, follower, registry
        self.acts, self._clock, self._guest_timeout = acts, clock, guest_timeout
        answered = (
            on(requests.Tournaments, self._tournaments), on(requests.Tournament, self._tournament),
            on(requests.Enter, self._enter), on(requests.Withdraw, self._withdraw),
            on(requests.Pause, self._pause),
        )  # fmt: skip
        self.handlers: Handlers = {
            **{kind: partial(self._answer, work) for kind, work in answered},
            **dict((on(requests.Play, self.play), on(requests.Admin, self._admin))),
        }
        self.takes_over: Callable[[Session, requests.Play], bool] = lambda session, request: False
        """Returns whether a plug-in goes on with a waiting player of a tournament that is over."""
        self._elsewhere = Elsewhere(follower, registry)
        self._sessions: dict[str, dict[Session, None]] = defaultdict(dict)
        self._absent: dict[str, IDelayedCall] = {}
        self._plays: list[tuple[Session, requests.Play]] = []
        self._used: dict[str, list[float]] = {}
        # The guests that ever entered a tournament, by address: one address can't fill it alone.
        self._guests: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._looked_at: set[str] = set()
        self._restored: set[str] = set()  # guests of an earlier process, with seats
        follower.changed.append(self._changed)
        self.events = EventSender(follower, registry, clock, self)

    def stop(self) -> None:
        """Send no more events, and wait for no disconnected player."""
        self.events.stop()
        for user in list(self._absent):
            self._stop_waiting(user)

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, Any]:
        user = session.user or ""
        self._stop_waiting(user)
        if user in self._restored:
            self._restored.remove(user)
            if not self._has_running_match(user):
                self._guest_is_gone(user)  # only a token gives a name with a seat back
        self._sessions[user][session] = None
        cards = {
            each.id: card
            for each in self._follower.running()
            if (card := self.card_of(each, user)) is not None
        }
        for tournament, card in cards.items():
            self.events.remember_card(user, tournament, card)
        return {"tournaments": cards} if cards else {}

    def gone(self, session: Session) -> None:
        self.events.forget(session)
        self._plays = [each for each in self._plays if each[0] is not session]
        for user, sessions in list(self._sessions.items()):
            if sessions.pop(session, session) is None and not sessions:
                del self._sessions[user]
                self.events.forget_user(user)
                self._wait_for(user, AWAY, self._pause_absent)

    def sessions_of(self, user: str) -> list[Session]:
        """Return the connections of a user."""
        return list(self._sessions.get(user, ()))

    def users(self) -> list[str]:
        """Return the names of the connected users."""
        return list(self._sessions)

    # Requests

    def play(self, session: Session, request: requests.Play) -> None:
        """Seat a player in the next game, as soon as its room exists."""
        work = self._play(session, request)
        self._ask(session, request, work, lambda room: self._seat_or_wait(session, request, room))

    def _admin(self, session: Session, request: requests.Admin) -> None:
        is_own = request.act in requests.ACTS
        session.administer(request, partial(self._act, request) if is_own else None)

    async def _act(self, request: requests.Admin, asker: LoginConnection, is_admin: bool) -> Json:
        if self._registry.storage is not None and not is_admin:
            self._registry.storage.spend(asker, PLAN)
        user = "" if asker.is_operator else asker.user or ""
        done: Json = await raising_archive_away(self.acts.act(user, request, is_admin))
        return done

    def _answer(self, work: _Work, session: Session, request: wire.Request) -> None:
        """Answer with what ``work`` returns."""

        def answer(fields: Json) -> None:
            session.send(wire.answer(request.id, **fields))

        self._ask(session, request, work(session, request), answer)

    def _ask(
        self,
        session: Session,
        request: wire.Request,
        work: Coroutine[Any, Any, Any],
        answer: Callable[[Any], None],
    ) -> None:
        asked = Deferred.fromCoroutine(raising_archive_away(work))

        def refuse(refusal: Refusal) -> None:
            if isinstance(refusal, NameTaken) and refusal.free:
                session.connection.note(refusal.code)
                fields = {"error": refusal.code, "message": str(refusal), "free": refusal.free}
                session.send(wire.answer(request.id, **fields))
            else:
                session.refuse(request.id, refusal)

        session.connection.wait_for(request.do.upper(), asked, answer, refuse)

    async def _tournaments(self, session: Session, request: requests.Tournaments) -> Json:
        follow, state = request.follow, request.state
        limit = 20 if request.limit is None else request.limit
        page = await self.events.page(state, request.cursor, limit)
        if follow is not None:
            self.events.follow_list(session, follow)
        return {**page, **await self._rights(session, request.rights)}

    async def _tournament(self, session: Session, request: requests.Tournament) -> Json:
        known = await self._follower.get(request.tournament)
        whole = self.events.whole(known, request.first, request.round, request.player)
        you = None if session.user is None else self.card_of(known, session.user)
        if request.follow is not None:
            self.events.follow(session, known, request.follow)
        return {**whole, "you": you, **await self._rights(session, request.rights, known)}

    async def _rights(
        self, session: Session, is_asked: bool | None, known: Followed | None = None
    ) -> Json:
        """Return the field with the user's rights (Acts.rights), if the request asks for it."""
        if not is_asked:
            return {}
        user = session.user
        return {"rights": None if user is None else await self.acts.rights(user, known)}

    async def _enter(self, session: Session, request: requests.Enter) -> Json:
        known = await self._known_here(request)
        user = self._player(session, known)
        known.check_pairs_more(user, self._follower.utc())
        if is_guest(user):
            most = MOST_PLAYERS[known.cup.plan.system] // 2 * session.connection.times
            if len(self._guests) > 10_000:
                self._guests.clear()
            entered = self._guests[known.id, session.connection.network]
            if user not in entered and len(entered) >= most:
                raise TournamentFull(f"{most} guests of your address have entered already")
            wanted, called = request.name, ""
            if wanted is not None:
                called = await self.acts.check_called(known, user, wanted)
            try:
                card = await self._append_and_send(
                    session, known, lambda cup: _guest_entering(cup, user, called)
                )
            except NameTaken:  # in this moment, or while the guest was away
                await self.acts.check_called(known, user, wanted or known.cup.shown(user))
                raise
            entered.add(user)
            return card
        if request.name is not None:
            raise BadOption("accounts take part by their names")
        player = await self._log.ask(TournamentTables.player, user, known.cup.plan.game)
        group = known.cup.plan.group
        if group and (player is None or player.group != group):
            raise WrongGroup(f"this tournament is for the group {group}")
        rating = None if player is None else player.rating
        return await self._append_and_send(session, known, lambda cup: entering(cup, user, rating))

    async def _withdraw(self, session: Session, request: requests.Withdraw) -> Json:
        return await self._append_for(session, request, lambda n: ["withdrew", n, "self"])

    async def _pause(self, session: Session, request: requests.Pause) -> Json:
        def decide(number: int) -> Line:
            return ["paused", number, "self"] if request.pause else ["resumed", number]

        return await self._append_for(session, request, decide)

    async def _append_for(
        self, session: Session, request: requests.CupRequest, decide: Callable[[int], Line]
    ) -> Json:
        known = await self._known_here(request)
        user = self._player(session, known)
        return await self._append_and_send(session, known, lambda cup: decide(number_in(cup, user)))

    async def _append_and_send(
        self, session: Session, known: Followed, decide: Callable[[Cup], Line]
    ) -> Json:
        user = session.user or ""
        known = await self._follower.append(known.id, decide)
        card = self.card_of(known, user)
        assert card is not None
        self.events.send_card(user, known.id, card, but=session)
        return {"you": card}

    async def _play(self, session: Session, request: requests.Play) -> str | None:
        user = session.user or ""
        known = await self._known_here(request)
        entry = known.cup.entries[number_in(known.cup, user)]
        if known.cup.phase == "over":
            raise TournamentOver("the tournament is over")
        if entry.state == "out":
            raise NotEntered("you don't take part any more")
        if any(each[0] is session for each in self._plays):
            raise AlreadyPlaying("you wait for your next game already")
        if entry.state == "paused":
            await self._follower.append(known.id, lambda _: ["resumed", entry.number])
        return self._room_for(known, user)

    def _room_for(self, known: Followed, user: str) -> str | None:
        """Return the name of the room of a player's due game, if the room exists."""
        number = known.cup.number_of(user)
        game = None if number is None else known.cup.due_game_of(number)
        if game is None or not self._registry.has_room(room_of(known.id, game)):
            return None
        return room_of(known.id, game)

    def _seat_or_wait(self, session: Session, request: requests.Play, room: str | None) -> None:
        """Seat a player in a room, or let the player wait for the next game's room."""
        if room is None:
            self._plays.append((session, request))
            return
        try:
            if not session.can_sit(room):
                raise AlreadyPlaying("you are at the board already, or at too many others")
            occupant = session.seat(request, room)
        except Refusal as refusal:
            session.refuse(request.id, refusal)
        else:
            self._registry.join(occupant, room, "PLAYER")

    def seat_waiting(self, known: Followed) -> None:
        """Seat the waiting players whose rooms now exist."""
        for each in list(self._plays):
            session, request = each
            if request.tournament != known.id:
                continue
            room = self._room_for(known, session.user or "")
            card_ = self.card_of(known, session.user or "")
            is_out = card_ is None or card_["state"] in ("out", "over")
            if room is None and not is_out:
                continue
            self._plays.remove(each)
            if is_out and not self.takes_over(session, request):
                session.refuse(request.id, TournamentOver("there is no next game for you"))
            elif not is_out:
                self._seat_or_wait(session, request, room)

    async def _known_here(self, request: requests.CupRequest) -> Followed:
        """Return the tournament of a request. Raises NotOpen if it is played elsewhere."""
        known = await self._follower.get(request.tournament)
        if not self._follower.is_here(known):
            raise NotOpen("another server plays this tournament")
        return known

    def _player(self, session: Session, known: Followed) -> str:
        """Return the user of a session that changes something. Raises a Refusal."""
        user = who = session.user or ""
        most = A_MINUTE
        if is_given(user):
            if not (known.cup.plan.guests and self.acts.takes_guests):
                raise GuestsRefused("this tournament is for accounts: log in first")
            most = GUESTS_A_MINUTE * session.connection.times
            who = f"{GUEST}{session.connection.network}"
        now = self._clock.seconds()
        used = [at for at in self._used.get(who, ()) if at > now - MINUTE]
        if len(used) >= most:
            raise TooManyEvents(f"that was {most} times in a minute: wait")
        if len(self._used) > 10_000:
            self._used.clear()
        self._used[who] = [*used, now]
        if self._registry.storage is not None:
            self._registry.storage.spend(session.connection, LINE)
        return user

    # Cards

    def card_of(self, known: Followed, user: str) -> Json | None:
        """Return a user's card of a tournament; None if the user never entered it."""
        number = known.cup.number_of(user)
        if number is None or not self._follower.is_here(known):
            return None
        entry = known.cup.entries[number]
        if entry.state == "out" and known.cup.phase == "open":
            return {"state": "out", "players": len(known.cup.players)}
        made = card(
            known.cup, entry, lambda: known.table, partial(self.events.board, known),
            self.events.next_round(known), partial(self._busy, known, entry),
            known.is_closed(self._follower.utc()),
        )  # fmt: skip
        return names_json(known.cup, [user]) | made  # a card with names has the player's own, too

    def _busy(self, known: Followed, entry: Entry, game: CupGame | None) -> Json | None:
        """Return the game in another tournament that comes before a player's next game here."""
        if game is not None:
            busy = self._elsewhere.game(known, game)
        elif known.cup.plan.is_arena and entry.state == "in":
            busy = self._elsewhere.player(known, entry.number)
        else:
            return None
        return busy and {**busy._asdict(), "user": None if busy.user == entry.name else busy.user}

    # Absent users

    def removed(self, user: str) -> None:
        """Reload the tournaments of a removed account, which has the name "deleted" in them now.

        Lines can already have that name for other accounts that were removed at the same time.
        """
        for known in list(self._follower.known.values()):
            if known.cup.number_of(user) is not None:
                self._run_in_background(self._remove(known.id, user))

    async def _remove(self, tournament: str, user: str) -> None:
        known = await self._follower.read_again(tournament)
        number = known.cup.number_of(user)
        if number is not None and self._follower.is_here(
            known
        ):  # the account entered during its removal
            self._take_out(known, known.cup.entries[number], REMOVED)

    def _changed(self, known: Followed) -> None:
        """Withdraw removed accounts, and guests of an earlier process.

        Guests with held seats can return. The server gives the names of the other guests to new
        guests.
        """
        if known.cup.phase == "over" or not self._follower.is_here(known):
            return  # they might be guests of the server that decides
        is_new = known.id not in self._looked_at
        self._looked_at.add(known.id)
        for entry in known.cup.entries.values():
            if entry.name == DELETED and known.owner != COMMAND:
                self._take_out(known, entry, REMOVED)
            elif not (is_new and is_guest(entry.name)):
                continue
            elif self._has_running_match(entry.name):
                self._restored.add(entry.name)
                self._wait_for(entry.name, AWAY, self._withdraw_absent)
            else:
                self._take_out(known, entry, "gone")

    def _take_out(self, known: Followed, entry: Entry, why: str) -> None:
        if entry.state != "out":
            self._run_in_background(
                self._follower.append(known.id, partial(_withdrawing, entry.number, why))
            )

    def _has_running_match(self, user: str) -> bool:
        """Return whether ``user`` has a running match, for example with a held seat."""
        rooms = map(self._registry.room, self._registry.seats.of(user))
        return any(room is not None and room.begun for room in rooms)

    def _guest_is_gone(self, user: str) -> None:
        for known in self._follower.running_here():
            if (number := known.cup.number_of(user)) is not None:
                self._take_out(known, known.cup.entries[number], "gone")

    def _run_in_background(self, work: Coroutine[Any, Any, object]) -> None:
        """Run ``work`` in the background; a Refusal ends it silently."""
        Deferred.fromCoroutine(raising_archive_away(work)).addErrback(
            lambda failure: failure.trap(Refusal)
        )

    def keeps(self, user: str) -> bool:
        """Return whether a disconnected guest can return to a tournament by the guest's token."""
        return user in self._absent

    def _wait_for(self, user: str, seconds: float, then: Callable[[str], None]) -> None:
        """Call ``then`` if a disconnected user doesn't return within ``seconds``."""
        self._stop_waiting(user)
        self._absent[user] = self._clock.callLater(seconds, then, user)

    def _stop_waiting(self, user: str) -> None:
        call = self._absent.pop(user, None)
        if call is not None and call.active():
            call.cancel()

    def _pause_absent(self, user: str) -> None:
        """Pause a disconnected player in the running arenas, and wait for a guest."""
        del self._absent[user]
        takes_part = False
        for known in self._follower.running_here():
            number = known.cup.number_of(user)
            if number is None or known.cup.entries[number].state == "out":
                continue
            takes_part = True
            if known.cup.plan.is_arena and known.cup.phase == "running":
                pausing = partial(_pausing, number)  # if the player is free
                self._run_in_background(self._follower.append(known.id, pausing))
        if takes_part and is_guest(user):
            left = max(0.0, self._guest_timeout - AWAY)
            self._wait_for(user, left, self._withdraw_absent)

    def _withdraw_absent(self, user: str) -> None:
        """Withdraw a guest who doesn't return, once no seat is held any more."""
        if self._has_running_match(user):  # the guest's token still leads back
            self._wait_for(user, AWAY, self._withdraw_absent)
            return
        self._absent.pop(user, None)
        self._restored.discard(user)
        self._guest_is_gone(user)


def _pausing(number: int, cup: Cup) -> Line | None:
    """Return the line that pauses a disconnected player, unless a game has begun meanwhile."""
    is_free = number not in cup.busy() and cup.entries[number].state == "in"
    return ["paused", number, "gone"] if is_free else None


def _withdrawing(number: int, why: str, cup: Cup) -> Line | None:
    """Return the line that withdraws a player, unless the player has withdrawn."""
    is_in = cup.phase != "over" and cup.entries[number].state != "out"
    return ["withdrew", number, why] if is_in else None


def _guest_entering(cup: Cup, name: str, called: str) -> Line:
    """Return the line by which a guest enters, or comes back. Raises GuestsRefused."""
    number = cup.number_of(name)
    if number is not None and (cup.entries[number].state, cup.entries[number].why) == _GONE:
        raise GuestsRefused("a guest of that name has left: log in as a guest again")
    return entering(cup, name, None, called=called)


async def raising_archive_away(work: Coroutine[Any, Any, Any]) -> Any:
    """Await the work; raise ArchiveAway if the database fails."""
    try:
        return await work
    except Refusal:
        raise
    except Exception as error:
        _log.debug("tournaments: {why}", why=error)
        raise ArchiveAway("the tournaments can't be reached now: try again") from None
