"""The acts of admins on tournaments, and of other accounts with ``--tournaments accounts``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import zip_longest
from random import Random
from typing import TypeVar

from tictac.errors import BadOption, Malformed, NoSuchUser, NotAnAdmin
from tictac.games.all import game_type_of
from tictac.lobby.registry import Registry
from tictac.names import MAX_USER_NAME, check_new_name, is_computer, is_given, is_reserved
from tictac.plugins.tournament.cup import Cup, Line
from tictac.plugins.tournament.cup_plan import (
    NOT_OF_USERS,
    CupPlan,
    check_id,
    check_times,
    load_plan,
)
from tictac.plugins.tournament.deciding import advanced, beginning, filling, next_computer
from tictac.plugins.tournament.hosting.follower import Followed, Follower
from tictac.plugins.tournament.hosting.request_types import Admin
from tictac.plugins.tournament.hosting.tables import TournamentTables
from tictac.plugins.tournament.plan import SET
from tictac.plugins.tournament.refusals import (
    NameTaken,
    NoSuchGameNumber,
    NoSuchTournament,
    NotAnArena,
    NotEntered,
    NotOpen,
    TournamentExists,
    TournamentFull,
    TournamentOver,
)
from tictac.plugins.tournament.swiss import MISSING
from tictac.plugins.tournament.view import Json, decided_json, room_of
from tictac.storage.store import Stored

_Value = TypeVar("_Value")

ROUNDED = 1e-9
"""The sum of equal shares can exceed the point by this much."""

LIKE = 50
"""So many names that are like a taken one are tried."""


class Acts:
    """Carries out acts on the tournaments of ``follower``.

    ``who`` is ``admins`` or ``accounts``; each account can then have one unrated tournament of its
    own. ``most`` is the maximum number of tournaments that are open or running. ``is_timed`` says
    whether the server limits the time of each move, and ``takes_guests`` whether guests can play.
    """

    def __init__(
        self,
        log: Stored[TournamentTables],
        follower: Follower,
        registry: Registry,
        who: str,
        most: int,
        is_timed: bool,
        rng: Random,
        takes_guests: bool = False,
    ) -> None:
        self._log, self._follower, self._registry = log, follower, registry
        self._who, self._most, self._is_timed = who, most, is_timed
        self._rng, self.takes_guests = rng, takes_guests
        self.is_counted: Callable[[str], bool] = lambda tournament: False
        """Returns whether a plug-in counts the games of a tournament at its end."""

    async def act(self, user: str, request: Admin, is_admin: bool) -> Json:
        """Carry out an act of a user. Raises a Refusal."""
        if not is_admin and (self._who != "accounts" or is_given(user)):
            raise NotAnAdmin("only admins can do this")
        tournament = check_id(_needed(request, "tournament", request.tournament))
        try:
            known = await self._follower.get(tournament)
        except NoSuchTournament:
            if request.act != "tournament":
                raise
            return await self._make(tournament, user, request, is_admin)
        if not is_admin and known.owner != user:
            raise NotAnAdmin("only its creator and admins can do that")
        if known.lobby != self._follower.lobby and not request.new:
            raise NotOpen(f"the lobby {known.lobby} plays this tournament")
        if known.cup.phase == "over" and request.act not in ("score", "tournament"):
            raise TournamentOver("the tournament is over")
        match request.act:
            case "tournament" if request.new:
                raise TournamentExists(f"there is a tournament {tournament} already")
            case "tournament":
                self._check_change(known, request, is_admin)
                await self._append(known, ["changed", _needed(request, "plan", request.plan)])
            case "begin":
                await self._begin(known)
            case "add":
                return await self._add(known, request)
            case "remove":
                name = _needed(request, "user", request.user)
                await self._append(known, lambda cup: ["withdrew", number_in(cup, name), "admin"])
            case "rename":
                await self._rename(known, request)
            case "score":
                await self._score(known, user, request)
            case "extend":
                await self._extend(known, request)
            case "end":
                await self._append(known, ["over", "called-off"])
                for room in list(self._registry.known_rooms()):
                    if room.terms.play is not None and room.terms.play.tournament == known.id:
                        decided = decided_json("called-off")
                        self._registry.call_off(room.name, "closed", decided)
        return {}

    async def rights(self, user: str, known: Followed | None = None) -> str | None:
        """Return which tournaments a user can administer: "all", "own", or None for none.

        With ``known``, the answer is about this tournament.
        """
        if is_given(user):
            return None
        if await self._log.ask(TournamentTables.is_admin, user):
            return "all"
        is_own = known is None or known.owner == user
        return "own" if self._who == "accounts" and is_own else None

    async def _make(self, tournament: str, user: str, request: Admin, is_admin: bool) -> Json:
        values = _needed(request, "plan", request.plan)
        plan = load_plan(values, NOT_OF_USERS)
        check_times(plan, self._follower.utc(), self._is_timed)
        self._check_server(plan)
        await self._follower.look()
        running = self._follower.running()
        if len(running) >= self._most:
            raise TournamentFull(f"{self._most} tournaments are open or running already")
        if not is_admin:
            if plan.rated:
                raise NotAnAdmin("only admins make rated tournaments")
            if mine := next((each.id for each in running if each.owner == user), None):
                raise TournamentFull(f"your tournament {mine} isn't over: end it first")
        await self._follower.make(tournament, values, user)
        return {"tournament": tournament}

    def _check_server(self, plan: CupPlan) -> None:
        """Raise BadOption for a plan that this server can't carry out."""
        from importlib.util import find_spec

        if plan.system == "swiss" and find_spec("py4swiss") is None:
            raise BadOption(MISSING)
        if plan.guests and not self.takes_guests:
            raise BadOption("guests needs a server with --guests")
        if plan.lasts and not self._registry.outlives:
            raise BadOption("this server keeps no matches over days")

    def _check_change(self, known: Followed, request: Admin, is_admin: bool) -> None:
        plan, before = (
            load_plan(_needed(request, "plan", request.plan), NOT_OF_USERS),
            known.cup.plan,
        )
        # The times of the old plan can be in the past now, so check only new times.
        changed = replace(
            plan,
            begins=None if plan.begins == before.begins else plan.begins,
            ends=None if plan.ends == before.ends else plan.ends,
        )
        check_times(changed, self._follower.utc(), self._is_timed)
        self._check_server(plan)
        if plan.rated and not is_admin:
            raise NotAnAdmin("only admins make rated tournaments")
        if (plan.rated or plan.lasts) and any(each.level for each in known.cup.players):
            what = "rated is" if plan.rated else "days are"
            raise BadOption(f"{what} for accounts: computers have entered")

    async def _add(self, known: Followed, request: Admin) -> Json:
        level, name = request.computer, request.user
        if name is None and level is not None:
            return {"user": await self._add_computer(known, level)}
        if name is None or level is not None:
            raise Malformed("add needs a user or a computer")
        player = await self._log.ask(TournamentTables.player, name, known.cup.plan.game)
        if player is None:
            raise NoSuchUser(f"there is no account {name!a:.40}")
        known.check_pairs_more(name, self._follower.utc())
        await self._append(known, lambda cup: entering(cup, name, player.rating, is_asked=True))
        return {"user": name}

    async def _add_computer(self, known: Followed, level: str) -> str:
        plan = known.cup.plan
        levels = game_type_of(plan.game).levels
        if level not in levels:
            raise BadOption(f"computer is one of {', '.join(levels) or 'none'}")
        if plan.rated:
            raise BadOption("a rated tournament is between accounts: the computer has none")
        if known.cup.plan.lasts:
            raise BadOption("the computer moves at once: it plays with another clock")
        known.check_pairs_more("", self._follower.utc())
        added = ""

        def enter(cup: Cup) -> Line:
            nonlocal added
            added = next_computer(cup)
            return ["entered", added, None, level]

        await self._append(known, enter)
        return added

    async def _begin(self, known: Followed) -> None:
        dealt, now, ends = self._rng.getrandbits(32), self._follower.utc(), known.cup.plan.ends
        if ends is not None and ends <= now:
            raise BadOption("ends is a time in the past: extend the arena first")
        await self._append(known, filling)
        await self._append(known, lambda cup: beginning(cup, dealt, now))

    async def _score(self, known: Followed, user: str, request: Admin) -> None:
        number, scores = (
            _needed(request, "game", request.game),
            _needed(request, "scores", request.scores),
        )
        # Others are refused by their range; the sum of any numbers can overflow.
        if all(0 <= each <= 1 for each in scores) and sum(scores) > 1 + ROUNDED:
            raise BadOption("scores add up to at most 1: a game has one point, for one or shared")
        if known.cup.phase == "over" and self.is_counted(known.id):
            raise TournamentOver("the ladder has counted its games")

        def decide(cup: Cup) -> Line:
            if number in cup.open:
                return ["ended", number, scores, SET, None]
            line = ["set", number, scores, user]
            until = cup.games[number].round + 1
            is_early = cup.plan.system == "knock-out" and until <= cup.round
            if is_early and advanced(cup.add(line))[:until] != advanced(cup)[:until]:
                raise NotOpen("the next round has the winner of this game")
            return line

        game = known.cup.games.get(number)
        if game is None:
            raise NoSuchGameNumber(f"there is no game {number}")
        await self._append(known, decide)
        self._registry.call_off(room_of(known.id, game), "closed", decided_json("set", scores))

    async def _extend(self, known: Followed, request: Admin) -> None:
        seconds = _needed(request, "seconds", request.seconds)

        def decide(cup: Cup) -> Line:
            if cup.plan.length is not None:
                plan = replace(cup.plan, length=cup.plan.length + seconds)
                return ["changed", plan.dump()]  # the fold checks the length
            if cup.plan.ends is None:
                raise NotAnArena("only an arena has an end that can be moved")
            plan = replace(cup.plan, ends=cup.plan.ends + seconds)
            check_times(replace(plan, begins=None), self._follower.utc(), True)
            return ["changed", plan.dump()]

        await self._append(known, decide)

    async def _rename(self, known: Followed, request: Admin) -> None:
        user, wanted = (
            _needed(request, "user", request.user),
            _needed(request, "name", request.name),
        )
        if not is_guest(user):
            raise BadOption("only guests have a name in a tournament")
        called = await self.check_called(known, user, wanted)
        await self._append(known, lambda cup: ["named", number_in(cup, user), called])
        for room in self._registry.known_rooms():  # whoever looks at it from now on sees that name
            play = room.terms.play
            if play is not None and play.tournament == known.id and user in play.names:
                called_by_seat = zip_longest(play.names, play.called)
                names = tuple([called if each == user else old for each, old in called_by_seat])
                room.terms = replace(room.terms, play=play._replace(called=names))

    async def check_called(self, known: Followed, user: str, wanted: str) -> str:
        """Return the name that a guest wants in a tournament. Raises BadUserName or NameTaken."""
        called = check_new_name(wanted.strip())
        others = list(_like(called))
        number = known.cup.number_of(user) or 0
        taken = set(await self._log.ask(TournamentTables.taken, [called, *others]))
        free = [
            name
            for name in (called, *others)
            if not (name in taken or is_reserved(name) or known.cup.has_shown(name, number))
        ]
        if called not in free[:1]:
            raise NameTaken(called, free[0] if free else "")
        return called

    async def _append(self, known: Followed, line: Line | Callable[[Cup], Line | None]) -> None:
        await self._follower.append(known.id, line if callable(line) else lambda _: line)


def _like(name: str) -> Iterator[str]:
    """Yield names that are like a name."""
    for number in range(2, LIKE + 2):
        end = f" {number}"
        yield name[: MAX_USER_NAME - len(end)].rstrip() + end


def is_guest(user: str) -> bool:
    """Return whether the server gave this name to a guest."""
    return is_given(user) and not is_computer(user)


def number_in(cup: Cup, name: str) -> int:
    """Return the number of a player. Raises NotEntered."""
    number = cup.number_of(name)
    if number is None:
        raise NotEntered(f"{name} doesn't take part")
    return number


def entering(
    cup: Cup, name: str, rating: float | None, is_asked: bool = False, called: str = ""
) -> Line:
    """Return the line with which a player enters, or comes back. Raises NotOpen.

    ``called`` is the name of a guest in this tournament. ``is_asked`` says whether an admin asks
    for it. If an admin removed the player, only an admin can let the player come back.
    """
    number, more = cup.number_of(name), [called] if called else []
    if number is None:
        return ["entered", name, rating, None, *more]
    entry = cup.entries[number]
    if entry.why == "admin" and entry.state == "out" and not is_asked:
        raise NotOpen("you were removed from the tournament")
    return ["back", number, *more]


def _needed(request: Admin, name: str, value: _Value | None) -> _Value:
    if value is None:
        raise Malformed(f"{request.act} needs {name}")
    return value
