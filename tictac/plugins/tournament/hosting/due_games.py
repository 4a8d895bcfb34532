"""Players of several tournaments play one game at a time.

Due games have an order: first the time since which each is due, then the tournament and the number.
The invariant: the server makes a room only if none of its players has a room in another tournament,
or an earlier due game there. Therefore, the first of all due games never waits, and each waiting
game becomes the first one later: no player waits forever. Computers can play several games at a
time. Games over days don't count.

An arena doesn't pair a player who has a game elsewhere. If a player is free in two arenas, the
arena with the earlier last game pairs the player. After ``TURN`` seconds without a game, the other
arena can pair the player, too.

Example: bob plays in a Swiss system and in an arena. The Swiss system pairs bob with eve while bob
plays in the arena. The room waits, and the cards of both players say why. Then bob's arena game
ends. Bob has a due game elsewhere, so the arena doesn't pair bob, and the server makes the room.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tictac.lobby.registry import Registry
from tictac.plugins.tournament.cup import DELETED, CupGame
from tictac.plugins.tournament.hosting.follower import Followed, Follower
from tictac.plugins.tournament.view import room_of

TURN = 20.0
"""Seconds for which one arena leaves a free player to another one."""


class Busy(NamedTuple):
    """The player who plays in another tournament, and that tournament."""

    user: str
    tournament: str


class Elsewhere:
    """Finds the players of each tournament in ``follower`` who play in another one."""

    def __init__(self, follower: Follower, registry: Registry) -> None:
        self._follower, self._registry = follower, registry

    def _others(self, known: Followed) -> Iterator[Followed]:
        for other in self._follower.running_here():
            if other.cup.phase == "running" and other.id != known.id:
                yield other

    def game(self, known: Followed, game: CupGame) -> Busy | None:
        """Return the player for whom a due game must wait; None if the game can begin."""
        others = [] if known.cup.plan.lasts else list(self._others(known))
        if not others or self._registry.has_room(room_of(known.id, game)):
            return None
        place = _place(known, game)
        for name in known.cup.people(game):
            for other in others:
                theirs = other.due.get(name)
                if theirs is not None and (
                    _place(other, theirs) < place
                    or self._registry.has_room(room_of(other.id, theirs))
                ):
                    return Busy(name, other.id)
        return None

    def player(self, known: Followed, number: int) -> Busy | None:
        """Return where a free player of an arena plays first; None for this tournament."""
        entry = known.cup.entries[number]
        if entry.level is not None:
            return None
        now, mine = self._follower.utc(), known.free_since(number)
        free, earlier = mine, None
        for other in self._others(known):
            if entry.name in other.due:
                return Busy(entry.name, other.id)
            there = other.cup.number_of(entry.name)
            if there is None or entry.name == DELETED:
                continue
            theirs = other.free_since(there)
            free = max(free, theirs)
            if theirs < mine and _can_pair(other, there, now):
                earlier = Busy(entry.name, other.id)
        return earlier if 0 <= now - free < TURN else None

    def players(self, known: Followed) -> set[int]:
        """Return the players of an arena whom it must not pair now."""
        if next(self._others(known), None) is None:
            return set()
        there = known.cup.available
        return {each.number for each in there if self.player(known, each.number) is not None}

    def playable_at(self, known: Followed, game: CupGame) -> float:
        """Return the time since which the players of a game have had no other game anywhere."""
        found = known.due_at(game)
        for name in known.cup.people(game):
            for other in self._follower.known.values():
                number = other.cup.number_of(name)
                if number is not None:
                    found = max(found, other.ended_at.get(number, 0))
        return found


def _place(known: Followed, game: CupGame) -> tuple[float, str, int]:
    return known.due_at(game), known.id, game.number


def _can_pair(known: Followed, number: int, now: float) -> bool:
    """Return whether an arena can pair a player now or soon."""
    cup = known.cup
    in_time = cup.plan.is_arena and not known.is_closed(now)
    return in_time and cup.entries[number].state == "in" and len(cup.available) > 1
