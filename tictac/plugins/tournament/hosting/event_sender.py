"""Events of tournaments: for players when their cards change, for followers once a second."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Protocol

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from tictac.errors import BadFilter
from tictac.lobby.events import Ended
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms
from tictac.plugins.tournament.awards import awards
from tictac.plugins.tournament.cup import Cup, CupGame
from tictac.plugins.tournament.hosting.due_games import Elsewhere
from tictac.plugins.tournament.hosting.follower import Followed, Follower
from tictac.plugins.tournament.hosting.request_types import STATES
from tictac.plugins.tournament.refusals import NoSuchGameNumber
from tictac.plugins.tournament.view import (
    SHOWN,
    Board,
    Json,
    computers_json,
    game_json,
    head_of,
    is_last_round,
    names_json,
    pushed_values,
    room_of,
    table_json,
    time_json,
)
from tictac.protocols.lobby import json_view, wire
from tictac.protocols.lobby.session import Session

GATHERED = 1.0
"""Seconds between two events for the followers of a tournament."""

AT_ONCE = 20
"""Maximum followers that get an event in one turn of the reactor, because moves wait meanwhile."""

SOON = 0.25
"""Seconds between two checks for the room of a player's game."""

LONGEST_PAGE = 100


class Players(Protocol):
    """The connected users and their cards (request_handlers.Desk)."""

    def sessions_of(self, user: str) -> list[Session]:
        """Return the connections of a user."""

    def users(self) -> list[str]:
        """Return the names of the connected users."""

    def card_of(self, known: Followed, user: str) -> Json | None:
        """Return a user's card of a tournament; None if the user never entered it."""

    def seat_waiting(self, known: Followed) -> None:
        """Seat the waiting players whose rooms now exist."""


class EventSender:
    """Sends events when a tournament of ``follower`` changes.

    A player gets a new card at once, but at most one per ``GATHERED`` seconds. Followers of a
    tournament, and of the list of tournaments, get the gathered changes once per ``GATHERED``
    seconds.
    """

    def __init__(
        self, follower: Follower, registry: Registry, clock: IReactorTime, players: Players
    ) -> None:
        self._follower, self._registry, self._clock = follower, registry, clock
        self._players = players
        self._followers: dict[str, dict[Session, None]] = {}
        self._of_list: dict[Session, None] = {}
        self._sent: dict[str, dict[str, tuple[object, ...]]] = {}
        self._changed: set[str] = set()
        self._moved: set[str] = set()
        self._gathered: dict[str, None] = {}
        self._listed: dict[str, None] = {}
        self._last: dict[str, tuple[Cup, set[int]]] = {}
        self._calls: dict[str, IDelayedCall] = {}
        self._cards_sent = -GATHERED
        self._wholes: dict[tuple[object, ...], Json] = {}
        self._elsewhere = Elsewhere(follower, registry)
        follower.changed.append(self.changed)
        registry.observers.append(self)

    def stop(self) -> None:
        """Send no more events."""
        self._follower.changed.remove(self.changed)
        for call in self._calls.values():
            if call.active():
                call.cancel()

    def _later(self, name: str, seconds: float, function: Callable[[], object]) -> None:
        call = self._calls.get(name)
        if call is None or not call.active():
            self._calls[name] = self._clock.callLater(seconds, function)

    # lobby.interfaces.RoomObserver

    def room_opened(self, name: str, terms: Terms) -> None:
        """Send the players of a game their cards, because the room exists now."""
        if terms.play is not None and terms.play.tournament in self._follower.known:
            self.changed(self._follower.known[terms.play.tournament])

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Do nothing, because the line that counts the game causes the events."""

    # Subscriptions

    def follow(self, session: Session, known: Followed, follows: bool) -> None:
        """Begin or end the events of a tournament for a connection."""
        if follows:
            self._followers.setdefault(known.id, {})[session] = None
            self._last.setdefault(known.id, _seen(known.cup))
        else:
            self._unfollow(session, known.id)

    def follow_list(self, session: Session, follows: bool) -> None:
        """Begin or end the events of the list of tournaments for a connection."""
        if follows:
            self._of_list[session] = None
        else:
            self._of_list.pop(session, None)

    def forget(self, session: Session) -> None:
        """End all events for a closed connection."""
        self._of_list.pop(session, None)
        for tournament in list(self._followers):
            self._unfollow(session, tournament)

    def _unfollow(self, session: Session, tournament: str) -> None:
        followers = self._followers.get(tournament, {})
        followers.pop(session, None)
        if not followers:
            self._followers.pop(tournament, None)
            self._last.pop(tournament, None)

    # Cards

    def remember_card(self, user: str, tournament: str, card: Json) -> None:
        """Remember a card that a user got, so that the server doesn't send it again.

        If the card has a game without a room, the server sends it again when the room exists.
        """
        if card["state"] == "playing" and not self._registry.has_room(card["room"]):
            return
        self._sent.setdefault(user, {})[tournament] = pushed_values(card)

    def forget_user(self, user: str) -> None:
        """Forget the cards that a disconnected user got."""
        self._sent.pop(user, None)

    def changed(self, known: Followed) -> None:
        """Schedule the events of a changed tournament."""
        if known.latest and known.latest[0].number == 1:
            self._wholes.clear()  # a reload can have changed the name of a removed account
        elif known.latest:
            self._moved.update(_moved(known))
        self._changed.add(known.id)
        self._gathered[known.id] = None
        if known.lobby == self._follower.lobby:
            self._listed[known.id] = None
        if (left := (known.closes or 0) - self._follower.utc()) > 0:  # no line comes then
            self._later(f"close {known.id}", left, partial(self._close, known.id))
        wait = self._cards_sent + GATHERED - self._clock.seconds()
        self._later("cards", max(0.0, wait), self._send_cards)
        self._later("followers", GATHERED, self._send_news)

    def _close(self, tournament: str) -> None:
        """Send that an arena pairs no players any more."""
        del self._calls[f"close {tournament}"]
        if (known := self._follower.known.get(tournament)) is not None:
            self.changed(known)

    def _send_cards(self) -> None:
        changed, self._changed = self._changed, set()
        self._cards_sent = self._clock.seconds()
        for tournament in changed:
            known = self._follower.known.get(tournament)
            if known is None:
                continue
            for user in self._players.users():
                if known.cup.number_of(user) is not None:
                    self._send_changed_card(known, user)
            self._players.seat_waiting(known)
        moved, self._moved = self._moved.intersection(self._players.users()), set()
        # A game that began or ended can change a player's cards of other tournaments.
        for known in self._follower.running() if moved else ():
            for user in moved:
                if known.id not in changed and known.cup.number_of(user) is not None:
                    self._send_changed_card(known, user)
        if self._changed:
            self._calls.pop("cards", None)
            self._later("cards", SOON, self._send_cards)

    def _send_changed_card(self, known: Followed, user: str) -> None:
        card = self._players.card_of(known, user)
        if card is None:
            return
        is_soon = not (known.cup.round or "busy" in card or "closed" in card)
        if card["state"] == "waiting" and is_soon:
            return  # the first games follow in a moment
        if card["state"] == "playing" and not self._registry.has_room(card["room"]):
            self._changed.add(known.id)
            return
        if self._sent.get(user, {}).get(known.id) != pushed_values(card):
            self.send_card(user, known.id, card)

    def send_card(self, user: str, tournament: str, card: Json, but: Session | None = None) -> None:
        """Send a card to a user's connections, except to ``but``, which got it in an answer."""
        self.remember_card(user, tournament, card)
        line = wire.line({"event": "tournament", "tournament": tournament, "you": card})
        for session in self._players.sessions_of(user):
            if session is not but:
                session.send(line)

    def board(self, known: Followed, game: CupGame) -> Board:
        """Return the room of a game."""
        name = room_of(known.id, game)
        sleeps = name in self._registry.sleepers
        room = None if sleeps else self._registry.room(name)
        begun = sleeps or (room is not None and room.begun)
        until = self._elsewhere.playable_at(known, game) + known.cup.plan.grace
        return Board(name, begun, until)

    def next_round(self, known: Followed) -> float | None:
        """Return the time of the next round's pairing in seconds, if it is known."""
        cup = known.cup
        if cup.phase != "running" or cup.open or cup.plan.is_arena or not cup.round:
            return None
        return None if is_last_round(cup) else known.ended + cup.plan.rest

    # Followers

    def _send_news(self) -> None:
        gathered, self._gathered = self._gathered, {}
        listed, self._listed = self._listed, {}
        for tournament in gathered:
            known, followers = self._follower.known.get(tournament), self._followers.get(tournament)
            if known is None or not followers:
                continue
            line = wire.line({"event": "tournament", **self._news(known)})
            self._send(line, list(followers), followers)
        if self._of_list and listed:
            found = [self._follower.known.get(each) for each in listed]
            heads = [self._head(known) for known in found if known is not None]
            line = wire.line({"event": "tournaments", "tournaments": heads})
            self._send(line, list(self._of_list), self._of_list)

    def _send(
        self, line: bytes, sessions: list[Session], followers: Mapping[Session, None]
    ) -> None:
        """Send a line to some sessions now, and to the others in the next turns."""
        for session in sessions[:AT_ONCE]:
            if session in followers:
                session.send(line)
        if len(sessions) > AT_ONCE:
            self._clock.callLater(0, self._send, line, sessions[AT_ONCE:], followers)

    def _news(self, known: Followed) -> Json:
        cup = known.cup
        before, was_open = self._last.get(known.id, _seen(cup))
        self._last[known.id] = _seen(cup)
        began = cup.games.keys() - before.games.keys()
        ended = was_open - cup.open.keys()
        changed = {
            number for number in before.games.keys() & cup.games.keys()
            if before.games[number] != cup.games[number]
        }  # fmt: skip
        waiting = self._waiting(known)
        if not cup.plan.alone:
            began = cup.open.keys() - waiting  # the opening of a room adds no line
        return {
            "tournament": known.id,
            "n": cup.lines,
            **self._phase(known),
            **_named(
                cup,
                table_json(cup, known.table),
                _games(known, sorted((began | ended | changed) - waiting)),
            ),
        }

    def _waiting(self, known: Followed) -> set[int]:
        """Return the due games without a room, in a plan without ``alone``."""
        cup = known.cup
        if cup.plan.alone:
            return set()
        rooms = self._registry
        return {each.number for each in cup.due() if not rooms.has_room(room_of(known.id, each))}

    def _phase(self, known: Followed) -> Json:
        head, cup = self._head(known), known.cup
        values = {name: head[name] for name in ("state", "round", "rounds", "players", "ended")}
        if cup.why:
            values["why"] = cup.why
        if known.is_closed(self._follower.utc()):
            values["closed"] = True
        if known.corrected is not None:
            values["corrected"] = time_json(known.corrected)
        return values | {"left": len(cup.open), "next": time_json(self.next_round(known))}

    def _head(self, known: Followed) -> Json:
        return head_of(known.id, known.cup, known.over)

    # Answers

    def whole(
        self,
        known: Followed,
        first: int | None = None,
        round_: int | None = None,
        player: str | None = None,
    ) -> Json:
        """Return a tournament with its standings from the place ``first`` on, as JSON values.

        With ``round_`` or ``player``, return the games of that round or player instead. A cache has
        the answer until the next line. Raises BadFilter.
        """
        key = known.id, known.cup.lines, known.broken, first, round_, player
        if key not in self._wholes:
            if len(self._wholes) >= 200:
                self._wholes.clear()
            self._wholes[key] = self._whole(known, first, round_, player)
        return {**self._wholes[key], **self._phase(known)}

    def _whole(
        self, known: Followed, first: int | None, round_: int | None, player: str | None
    ) -> Json:
        cup, plan = known.cup, known.cup.plan.dump()
        more = ("options", "seats", "games", "more", "grace", "rest")
        whole = {
            "tournament": self._head(known) | {name: plan[name] for name in more},
            "n": cup.lines,
            "owner": known.owner,
            **computers_json(cup),
        }
        if round_ is not None:
            numbers = [each.number for each in cup.games.values() if each.round == round_]
            byes = [cup.entries[number].name for each, number in cup.byes if each == round_]
            return {**whole, **_named(cup, None, _games(known, numbers), byes), "byes": byes}
        if player is not None:
            number = cup.number_of(player)
            if number is None:
                raise BadFilter(f"{player!a:.40} doesn't take part")
            games = [each.number for each in cup.games.values() if number in each.seats]
            return {**whole, **_named(cup, None, _games(known, games))}
        if first is not None and first < 1:
            raise BadFilter("first is a place, from 1")
        rows = table_json(cup, known.table, first or 1, SHOWN)
        going_on = _games(known, sorted(cup.open.keys() - self._waiting(known)))
        if cup.phase == "over" and (found := awards(cup, known.table)):
            whole["awards"] = found
        return {**whole, **_named(cup, rows, going_on)}

    def rounds(self, known: Followed, first: int | None = None) -> Json:
        """Return the games of 50 players from the place ``first`` on, as JSON values.

        ``byes`` are pairs of a round and a name. Raises BadFilter.
        """
        cup = known.cup
        whole = self.whole(known, first)
        numbers = {cup.number_of(each["name"]) for each in whole["standings"]}
        of_them = [g.number for g in cup.games.values() if not numbers.isdisjoint(g.seats)]
        byes = [[round_, cup.entries[n].name] for round_, n in cup.byes if n in numbers]
        return {**whole, **_named(cup, whole["standings"], _games(known, of_them)), "byes": byes}

    def board_json(self, known: Followed, number: int) -> Json:
        """Return the room of a game as its viewers see it; without a room, None.

        The big screen asks for it more than once a second, without a login. Raises
        NoSuchGameNumber.
        """
        if number not in known.cup.games:
            raise NoSuchGameNumber(f"there is no game {number}")
        live_room = self._registry.live_rooms.get(f"{known.id}.{number}")
        if live_room is None:
            return {"board": None}
        board = json_view.whole(live_room.room, None, self._registry.seconds(), 0)
        return {"board": {**board, "viewers": [], "said": []}}

    def archived(self, known: Followed, match: str) -> Json | None:
        """Return the game that is in the archive under this id, if it is one of the tournament.

        It has its ``tournament``, as in lists, and the ``names`` of guests.
        """
        cup, number = known.cup, known.matches.get(match)
        if number is None:
            return None
        game = cup.games[number]
        more = {"tournament": self._head(known), **names_json(cup, cup.names(game))}
        return game_json(known.id, cup, game) | more

    async def page(self, state: str | None, cursor: str | None, limit: int) -> Json:
        """Return a page of the list of tournaments, the latest first. Raises BadFilter."""
        if state is not None and state not in STATES:
            raise BadFilter(f"state is one of {', '.join(STATES)}")
        if not 1 <= limit <= LONGEST_PAGE:
            raise BadFilter(f"limit is from 1 to {LONGEST_PAGE}")
        rows = await self._follower.page(state, cursor, limit + 1)
        heads = [json.loads(row.head) for row in rows[:limit]]
        return {"tournaments": heads, "cursor": rows[limit - 1].id if len(rows) > limit else None}


def _moved(known: Followed) -> Iterator[str]:
    """Yield the players whose games began or ended with the latest lines."""
    for _, _, line in known.latest:
        games = [game for game, _ in line[2]] if line[0] == "paired" else [line[1]]
        if line[0] in ("paired", "ended"):
            for game in games:
                yield from known.cup.names(known.cup.games[game])


def _seen(cup: Cup) -> tuple[Cup, set[int]]:
    return cup, set(cup.open)


def _named(
    cup: Cup, rows: list[Json] | None, games: list[Json], others: Iterable[str] = ()
) -> Json:
    """Return standings and games, with the names in this tournament of those in them."""
    names = [*others, *(each["name"] for each in rows or ())]
    names += [name for game in games for name in game["players"]]
    fields: Json = {} if rows is None else {"standings": rows}
    return {**fields, "games": games, **names_json(cup, names)}


def _games(known: Followed, numbers: Iterable[int]) -> list[Json]:
    return [game_json(known.id, known.cup, known.cup.games[number]) for number in numbers]
