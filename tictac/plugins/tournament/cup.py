"""A tournament as a fold over its lines.

A line is a JSON list that reports one event; ``Cup._take`` has all kinds of lines. deciding.py
chooses the next line. The fold checks whether the line is allowed, and computes the state after it.
It depends on the lines alone, not on the time, files, or chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from random import Random
from typing import Any, Literal, NamedTuple

from tictac.errors import BadOption
from tictac.names import MAX_USER_NAME, folded
from tictac.plugins.tournament.arena import Form
from tictac.plugins.tournament.cup_plan import MOST_PLAYERS, CupPlan, load_plan
from tictac.plugins.tournament.plan import ABSENT, SET, Fault
from tictac.plugins.tournament.refusals import (
    AlreadyCounted,
    EnteredAlready,
    NameTaken,
    NoSuchGameNumber,
    NotAnArena,
    NotEntered,
    NotOpen,
    TooFewPlayers,
    TournamentFull,
    TournamentOver,
)

Line = Sequence[Any]
Phase = Literal["open", "running", "over"]
State = Literal["in", "paused", "out"]

DELETED = "deleted"
"""The name of all removed accounts (tictac.names)."""

REMOVED = "removed"
"""The reason why a player is out after the removal of the account."""

RETURNS = 10
"""Maximum entries for each place of a tournament, because each return of a guest is a new entry."""

ENDS = ("played", "time", "stuck", "few", "abandoned", "called-off")
"""The reasons for the end of a tournament."""


class BadLine(ValueError):
    """Raised for a line that is unknown to this version, or not allowed after the lines before."""


class Entry(NamedTuple):
    """A player.

    ``level`` is the level of a computer player, and None for other players. ``missed`` is the
    number of successive games up to now that the player missed. ``held`` is the number of the game
    that was due when the player withdrew, which the player can still finish. It is 0 if there is
    none, or if the account was removed. ``called`` is the name that a guest has in this tournament
    alone; it is only shown. Everything else goes by ``name``.
    """

    number: int
    name: str
    rating: float | None = None
    level: str | None = None
    state: State = "in"
    why: str = ""
    missed: int = 0
    held: int = 0
    called: str = ""

    @property
    def shown(self) -> str:
        """The name to show."""
        return self.called or self.name


class CupGame(NamedTuple):
    """A game: ``seats`` are players by number, in the order of the game's seats.

    Games that differ only in the seats have the same ``deal``. ``scores`` are None until the end of
    the game. If an admin sets the scores, ``set_by`` is the name of the admin, and ``how`` is SET.
    ``moves`` is the number of moves if it is known, otherwise 0.
    ``faults`` are pairs of a player's name and a fault, including faults that cost the player
    nothing.
    """

    number: int
    round: int
    seats: tuple[int, ...]
    deal: int
    scores: tuple[float, ...] | None = None
    how: str = ""
    match: str | None = None
    set_by: str = ""
    faults: tuple[tuple[str, Fault], ...] = ()
    moves: int = 0


class Cup:
    """The state of a tournament. It is immutable: ``add`` returns the next state.

    - ``entries``, ``points``, and ``forms`` have all players by number. ``points`` are those of
      games. ``forms`` are for the pairing of an arena.
    - ``seeds`` are the numbers of the players after the beginning, the strongest first. Later
      players follow.
    - ``games`` has all games by number, and ``open`` the unfinished ones. ``order`` has the
      numbers of the finished games in the order of their ends.
    - ``byes`` are pairs of a round and a player's number.
    - ``dealt`` is the seed of all deals, and ``lines`` the number of lines so far.
    - With a sequential test, ``pairs`` has the number of pairs of games, which have the same deal,
      by half points of the first seed.
    """

    def __init__(self, plan: CupPlan) -> None:
        self.plan = plan
        self.phase: Phase = "open"
        self.why = ""
        self.entries: dict[int, Entry] = {}
        self.games: dict[int, CupGame] = {}
        self.open: dict[int, CupGame] = {}
        self.order: list[int] = []
        self.byes: list[tuple[int, int]] = []
        self.seeds: list[int] = []
        self.points: dict[int, float] = {}
        self.forms: dict[int, Form] = {}
        self.round = 0
        self.dealt = 0
        self.lines = 0
        self.pairs = [0] * 5
        self._deals = 0
        self._halves: dict[int, dict[int, float]] = {}
        self._met: dict[tuple[int, ...], tuple[int, int]] = {}
        self._numbers: dict[str, int] = {}
        self._shown: dict[str, int] = {}

    def add(self, line: Line) -> Cup:
        """Return the state after one more line. Raises a Refusal, or BadLine."""
        return self.fold([line])

    def fold(self, lines: Iterable[Line]) -> Cup:
        """Return the state after more lines. Raises a Refusal, or BadLine."""
        after = copy(self)
        for name in _CONTAINERS:
            setattr(after, name, copy(getattr(self, name)))
        for line in lines:
            after._take(line)
            after.lines += 1
        return after

    # Queries

    @property
    def players(self) -> list[Entry]:
        """The players. After the beginning, this includes players who withdraw."""
        if self.phase == "open" or not self.seeds:
            return [each for each in self.entries.values() if each.state != "out"]
        return [self.entries[number] for number in self.seeds]

    @property
    def available(self) -> list[Entry]:
        """The players who can be paired."""
        return [each for each in self.players if each.state == "in"]

    def number_of(self, name: str) -> int | None:
        """Return the number of a player, including players who withdrew; None if unknown."""
        return self._numbers.get(name)

    def has_shown(self, name: str, but: int = 0) -> bool:
        """Return whether a player other than ``but`` has this name, in any spelling.

        A player who left before the beginning has no name any more.
        """
        number = self._shown.get(folded(name), but)
        left = self.phase == "open" and number and self.entries[number].state == "out"
        return number != but and not left

    def shown(self, name: str) -> str:
        """Return the name to show of a player."""
        return self.called([name]).get(name, name)

    def called(self, names: Iterable[str]) -> dict[str, str]:
        """Return the guests' names in this tournament, by the names of their entries."""
        entries = [self.entries[self._numbers[name]] for name in names if name in self._numbers]
        return {each.name: each.called for each in entries if each.called}

    def busy(self) -> set[int]:
        """Return the players with a game that hasn't ended."""
        return {number for game in self.open.values() for number in game.seats}

    def due(self) -> list[CupGame]:
        """Return the games to play now: open games whose players have no open game before it.

        In a plan without ``alone``, or over days, these are all open games.
        """
        if self.plan.lasts or not self.plan.alone:
            return list(self.open.values())
        busy, found = set[int](), []
        for game in self.open.values():
            if busy.isdisjoint(game.seats):
                found.append(game)
            busy.update(game.seats)
        return found

    def due_game_of(self, number: int) -> CupGame | None:
        """Return the game that a player is to play now."""
        return next((game for game in self.due() if number in game.seats), None)

    def names(self, game: CupGame) -> tuple[str, ...]:
        """Return the names of a game's players, in the order of the seats."""
        return tuple([self.entries[number].name for number in game.seats])

    def people(self, game: CupGame) -> list[str]:
        """Return the names of the players of a game, except computers and removed accounts.

        These players can't play two games at a time.
        """
        entries = [self.entries[number] for number in game.seats]
        return [each.name for each in entries if each.level is None and each.name != DELETED]

    def deal_of(self, game: CupGame) -> int:
        """Return the seed of a game's deal: equal for games that differ only in the seats."""
        return Random(f"{self.dealt} {game.deal}").getrandbits(31)

    def opening_of(self, game: CupGame) -> tuple[str, ...]:
        """Return the moves of the opening, which come before the players' moves."""
        openings = self.plan.openings
        return openings[game.deal % len(openings)] if openings else ()

    # The fold

    def _take(self, line: Line) -> None:
        if self.phase == "over" and (not line or line[0] != "set"):
            raise TournamentOver("the tournament is over")
        match list(line):
            case ["entered", str(name), int() | float() | None as rating, level, *called]:
                self._enter(name, rating, level, called)
            case ["back", int(number), *called]:
                self._reenter(self._entry(number), called)
            case ["named", int(number), str(name)]:
                self._call(self._entry(number), [name])
            case ["withdrew", int(number), str(why)]:
                self._withdraw(self._entry(number), why)
            case ["paused", int(number), str(why)]:
                self._pause(self._entry(number), "in", "paused", why)
            case ["resumed", int(number)]:
                self._pause(self._entry(number), "paused", "in", "")
            case ["changed", dict(plan)]:
                self._change(load_plan(plan))
            case ["began", int(dealt)]:
                self._begin(dealt)
            case ["began", int(dealt), str(ends)] if self.plan.is_arena:
                self._begin(dealt)
                self.plan = self.plan.begun(ends)
            case ["paired", int(round_), list(games), list(byes)]:
                self._pair(round_, games, byes)
            case ["ended", int(number), list(scores), str(how), str() | None as match, *more]:
                self._end(number, scores, how, match, *_more_of(more))
            case ["set", int(number), list(scores), str(who)]:
                self._set(number, scores, who)
            case ["over", str(why)] if why in ENDS:
                self.phase, self.why = "over", why
                self.open = {}
            case _:
                raise BadLine(f"{line!r:.80} isn't a line of a tournament")

    def _entry(self, number: int) -> Entry:
        entry = self.entries.get(number)
        if entry is None:
            raise NotEntered("no player has that number")
        return entry

    def _enter(self, name: str, rating: float | None, level: object, called: list[object]) -> None:
        if not (level is None or isinstance(level, str)):
            raise BadLine(f"{level!r:.80} isn't a level")
        if name in self._numbers and name != DELETED:
            raise EnteredAlready(f"{name} takes part already")
        self._check_takes_one_more()
        if len(self.entries) >= RETURNS * MOST_PLAYERS[self.plan.system]:
            raise TournamentFull("too many players have entered and left")
        number = len(self.entries) + 1
        self.entries[number] = Entry(number, name, rating, level)
        self.points[number] = 0.0
        self.forms[number] = Form(self.lines + 1)
        self._numbers[name] = number
        self._call(self.entries[number], called)
        if self.phase == "running":
            self.seeds.append(number)

    def _call(self, entry: Entry, called: list[object]) -> None:
        """Let a player have another name in this tournament, if there is one in ``called``."""
        match called:
            case []:
                name = entry.shown
            case [str(name)] if 0 < len(name) <= MAX_USER_NAME and entry.level is None:
                self.entries[entry.number] = entry._replace(called=name)
            case _:
                raise BadLine(f"{called!r:.80} isn't a name of a player")
        if self.has_shown(name, entry.number):
            if called or entry.called:
                raise NameTaken(name)
            return  # an account keeps its name; a guest had it before
        if self._shown.get(old := folded(entry.shown)) == entry.number:
            del self._shown[old]
        self._shown[folded(name)] = entry.number

    def _check_takes_one_more(self) -> None:
        if self.phase == "running" and not self.plan.takes_latecomers:
            raise NotOpen("it has begun, and takes no more players")
        most = MOST_PLAYERS[self.plan.system]
        if self.plan.alone and len(self.players) >= most:
            raise TournamentFull(f"it has {most} players already")

    def _reenter(self, entry: Entry, called: list[object]) -> None:
        if entry.state != "out":
            raise EnteredAlready(f"{entry.name} takes part already")
        self._call(entry, called)
        entry = self.entries[entry.number]
        if entry.number not in self.seeds or not self.plan.takes_latecomers:
            self._check_takes_one_more()
        self.entries[entry.number] = entry._replace(state="in", why="", missed=0, held=0)
        self._restart_wait(entry.number)
        if self.phase == "running" and entry.number not in self.seeds:
            self.seeds.append(entry.number)

    def _withdraw(self, entry: Entry, why: str) -> None:
        if entry.state == "out":
            raise NotEntered(f"{entry.name} doesn't take part any more")
        game = self.due_game_of(entry.number)
        ends_all = game is None or why == REMOVED or self.plan.lasts
        held = 0 if game is None or ends_all else game.number
        self.entries[entry.number] = entry._replace(state="out", why=why, held=held)

    def _pause(self, entry: Entry, before: State, after: State, why: str) -> None:
        if not self.plan.is_arena:
            raise NotAnArena("players pause in arenas only: withdraw")
        if entry.state == "out":
            raise NotEntered(f"{entry.name} doesn't take part any more")
        if entry.state != before:
            raise NotEntered(f"{entry.name} is {entry.state} already")
        self.entries[entry.number] = entry._replace(state=after, why=why, missed=0)
        self._restart_wait(entry.number)

    def _restart_wait(self, number: int) -> None:
        """Let a player's wait for a game begin with the current line."""
        self.forms[number] = self.forms[number]._replace(since=self.lines + 1)

    def _change(self, plan: CupPlan) -> None:
        if self.phase == "running" and self.plan.changes(plan):
            raise NotOpen("it has begun: only ends and rounds can change")
        if len(self.players) > MOST_PLAYERS[plan.system]:
            raise TournamentFull(f"{plan.system} has at most {MOST_PLAYERS[plan.system]} players")
        if plan.rounds and plan.rounds < self.round:
            raise BadOption(f"rounds is at least {self.round}: that many rounds are paired already")
        self.plan = plan

    def _begin(self, dealt: int) -> None:
        if self.phase != "open":
            raise NotOpen("it has begun already")
        there, least = self.available, max(2, self.plan.seats)
        if len(there) < least:
            raise TooFewPlayers(f"it needs {least} players to begin, and has {len(there)}")
        there.sort(key=lambda each: -(each.rating or 0))
        self.seeds = [each.number for each in there]
        self.phase, self.dealt = "running", dealt

    def _pair(self, round_: int, games: list[list[Any]], byes: list[int]) -> None:
        plays_on = self.plan.system == "knock-out" and round_ == self.round and not byes
        if self.phase != "running" or (round_ != self.round + 1 and not plays_on):
            raise BadLine(f"round {round_} can't be paired now")
        if self.open and not (plays_on or self.plan.is_arena or self.plan.pairs_ahead):
            raise BadLine("games of the round before are being played")
        if len(self.games) + len(games) > self.plan.most_games:
            raise BadLine(f"a tournament has at most {self.plan.most_games} games")
        busy = set[int]() if self.plan.pairs_ahead else self.busy()
        may_be_out = self.plan.system in ("round-robin", "knock-out")
        paired = set[int]()
        for each in games:
            match each:
                case [int(number), [*seats]] if number == len(self.games) + 1:
                    pass
                case _:
                    raise BadLine(f"{each!r:.80} isn't the next game")
            if len(set(seats)) != self.plan.seats or not set(seats) <= set(self.seeds):
                raise BadLine(f"{seats!r:.80} aren't the players of a game")
            for player in seats:
                if player in busy or (self.entries[player].state != "in" and not may_be_out):
                    raise BadLine(f"player {player} can't be paired now")
            game = CupGame(number, round_, tuple(seats), self._deal(seats))
            self.games[number] = self.open[number] = game
            paired.update(seats)
        for player in byes:
            if player not in self.seeds or player in paired:
                raise BadLine(f"player {player!r:.20} can't have a bye")
            self.byes.append((round_, player))
        self.round = round_

    def _deal(self, seats: list[int]) -> int:
        """Return the deal of the next game of these players.

        The deal changes after each player had each seat.
        """
        players = tuple(sorted(seats))
        times, deal = self._met.get(players, (0, 0))
        if times % len(players) == 0:
            deal, self._deals = self._deals, self._deals + 1
        self._met[players] = times + 1, deal
        return deal

    def _end(
        self,
        number: int,
        scores: list[float],
        how: str,
        match: str | None,
        faults: tuple[tuple[str, Fault], ...],
        moves: int,
    ) -> None:
        game = self.games.get(number)
        if game is None:
            raise NoSuchGameNumber(f"there is no game {number}")
        if number not in self.open:
            raise AlreadyCounted(f"game {number} is counted already")
        given = self._scores(game, scores)
        ended = game._replace(scores=given, how=how, match=match, faults=faults, moves=moves)
        self._count(ended, given)
        del self.open[number]
        self.order.append(number)
        for player, score in zip(game.seats, given, strict=True):
            entry = self.entries[player]
            missed = entry.missed + 1 if how == ABSENT and not score else 0
            if missed != entry.missed:
                self.entries[player] = entry._replace(missed=missed)
        if self.plan.is_arena:
            self._note_forms(game, [how == ABSENT and bool(score) for score in given])

    def _note_forms(self, game: CupGame, waited: Sequence[bool]) -> None:
        """Update the forms of the players after a game of an arena.

        ``waited`` says for each seat whether the player waited for an absent opponent.
        """
        one, other = (self.forms[number] for number in game.seats)
        for form, against, seat in ((one, other, 0), (other, one, 1)):
            line = None if waited[seat] else self.lines + 1
            after = form.after(against, game.number, game.seats[1 - seat], 1 - 2 * seat, line)
            self.forms[game.seats[seat]] = after

    def _set(self, number: int, scores: list[float], who: str) -> None:
        game = self.games.get(number)
        if game is None or game.scores is None:
            raise NoSuchGameNumber(f"there is no game {number} that has ended")
        given = self._scores(game, scores)
        changes = [new - old for new, old in zip(given, game.scores, strict=True)]
        self._count(game._replace(scores=given, how=SET, set_by=who), changes)
        if game.how == ABSENT:
            for player in game.seats:
                entry = self.entries[player]
                missed = min(entry.missed, self._missed_in_a_row(player))
                self.entries[player] = entry._replace(missed=missed)

    def _missed_in_a_row(self, player: int) -> int:
        """Return how many successive games up to now a player missed."""
        ended = [self.games[number] for number in reversed(self.order)]
        theirs = [game for game in ended if player in game.seats]
        missed = [
            game.how == ABSENT and not (game.scores or ())[game.seats.index(player)]
            for game in theirs
        ]
        return [*missed, False].index(False)

    def _scores(self, game: CupGame, scores: list[float]) -> tuple[float, ...]:
        if len(scores) != len(game.seats) or not all(map(_is_score, scores)):
            raise BadOption(f"scores has a number from 0 to 1 for each of {len(game.seats)} seats")
        return tuple(map(float, scores))

    def _count(self, game: CupGame, more: Iterable[float]) -> None:
        if self.plan.sprt is not None:
            self._count_pair(game)
        self.games[game.number] = game
        for player, points in zip(game.seats, more, strict=True):
            self.points[player] += points

    def _count_pair(self, game: CupGame) -> None:
        """Count a game in its pair, and no longer the result that it had before."""
        before = self._halves.get(game.deal, {})
        after = {number: own for number, own in before.items() if number != game.number}
        if game.scores and game.how != ABSENT and any(game.scores):
            after[game.number] = game.scores[game.seats.index(self.seeds[0])]
        self._halves[game.deal] = after
        for halves, more in ((before, -1), (after, 1)):
            if len(halves) == 2:
                self.pairs[round(2 * sum(halves.values()))] += more


def _more_of(given: list[object]) -> tuple[tuple[tuple[str, Fault], ...], int]:
    """Return the faults and the number of moves of a game that ended."""
    match given:
        case []:
            return (), 0
        case [dict(faults)] | [dict(faults), int()] if all(map(_is_fault, faults.values())):
            moves = given[1] if len(given) > 1 else 0
            assert isinstance(moves, int)
            return tuple([(name, Fault(*fault)) for name, fault in faults.items()]), moves
    raise BadLine(f"{given!r:.80} aren't faults")


def _is_fault(value: object) -> bool:
    return isinstance(value, Sequence) and [type(each) for each in value] == [str, str]


def _is_score(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


_CONTAINERS = (
    "entries", "games", "open", "order", "byes", "seeds", "points", "forms", "pairs", "_halves",
    "_met", "_numbers", "_shown",
)  # fmt: skip
"""The attributes of a Cup that the fold changes in place, on a copy."""


def encounters(cup: Cup) -> Mapping[tuple[int, frozenset[int]], list[CupGame]]:
    """Return the games of each round by their players, in the order of their numbers."""
    found: dict[tuple[int, frozenset[int]], list[CupGame]] = {}
    for game in cup.games.values():
        found.setdefault((game.round, frozenset(game.seats)), []).append(game)
    return found
