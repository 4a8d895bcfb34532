"""The tournaments in memory, as folds over the lines that this process has read.

Several processes can add lines to one tournament. A line has a number, and the first process that
adds that number wins. Another process reads the new line, and then decides again (``append``).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from twisted.internet.defer import DeferredLock, succeed
from twisted.logger import Logger

from tictac.errors import ArchiveAway, Refusal
from tictac.options import MAIN
from tictac.plugins.tournament.cup import BadLine, Cup, CupGame, Line
from tictac.plugins.tournament.cup_plan import load_plan
from tictac.plugins.tournament.hosting.tables import KeptLine, NewLine, Row, TournamentTables
from tictac.plugins.tournament.refusals import NoSuchTournament, NotOpen, TournamentExists
from tictac.plugins.tournament.standings import Place, standings
from tictac.plugins.tournament.view import Json, head_of, is_last_round
from tictac.storage.store import Stored

_log = Logger()

TRIES = 5
"""Maximum attempts to add a line if other processes are faster."""

KEPT = 50
"""Maximum finished tournaments in memory."""

COMMAND = ":command"
"""The owner of tournaments that a process of `tictac tournament` decides and plays."""


@dataclass
class Followed:
    """A tournament after the lines that this process has read. Times are seconds since 1970.

    ``made`` is the time of its creation, ``at`` that of its last line, ``began`` that of its
    beginning, ``ended`` that of the last end of a game or of the beginning, ``over`` that of
    its end, and ``corrected`` that of the last correction after its end. ``read`` is the number of
    its last line. A tournament is ``broken`` if this version can't read a line; it then has the
    state before that line.
    """

    id: str
    cup: Cup
    owner: str
    lobby: str
    made: float
    at: float
    began: float = 0.0
    ended: float = 0.0
    read: int = 0
    broken: bool = False
    paired_at: dict[int, float] = field(default_factory=dict)
    """When each game was paired."""
    added_at: list[float] = field(default_factory=list)
    """When each line was added."""
    matches: dict[str, int] = field(default_factory=dict)
    """The games by their ids in the archive."""
    ended_at: dict[int, float] = field(default_factory=dict)
    """When the last game of each player ended."""
    over: float | None = None
    corrected: float | None = None
    latest: list[KeptLine] = field(default_factory=list)
    """The lines of the last call of ``take``."""
    lock: DeferredLock = field(default_factory=DeferredLock)

    def take(self, lines: Iterable[KeptLine]) -> None:
        """Fold new lines. Log the first unreadable line once."""
        unread = [each for each in lines if each.number > self.read]
        new = [each for nth, each in enumerate(unread, self.read + 1) if each.number == nth]
        self.latest = [] if self.broken else self._fold(new)
        for number, at, line in self.latest:
            self.read, self.at = number, at / 1000
            self.added_at.append(self.at)
            if line[0] in ("ended", "began"):
                self.ended = self.at
            if line[0] == "began":
                self.began = self.at
            elif line[0] == "ended":
                if line[4] is not None:
                    self.matches[line[4]] = line[1]
                self.ended_at |= dict.fromkeys(self.cup.games[line[1]].seats, self.at)
            elif line[0] == "paired":
                self.paired_at |= dict.fromkeys([game for game, _ in line[2]], self.at)
            elif line[0] == "over":
                self.over = self.at
            elif line[0] == "set" and self.over is not None:
                self.corrected = self.at
        for made in ("table", "due"):
            self.__dict__.pop(made, None)

    def _fold(self, new: list[KeptLine]) -> list[KeptLine]:
        """Fold lines, and return the readable ones."""
        try:
            self.cup = self.cup.fold([each.line for each in new])  # one copy for all
        except (BadLine, Refusal, ValueError) as error:
            if len(new) > 1:
                half = len(new) // 2
                read = self._fold(new[:half])
                return read if self.broken else read + self._fold(new[half:])
            self.broken = True
            _log.error(
                "tournament {tournament}: line {number} can't be read: {why};"
                " a newer version might have written the line; ignoring the tournament",
                number=new[0].number, tournament=self.id, why=error,
            )  # fmt: skip
            return []
        return new

    @property
    def closes(self) -> float | None:
        """The time after which a running arena pairs no players; None for other tournaments."""
        is_running = self.cup.phase == "running" and self.cup.plan.is_arena
        return self.cup.plan.closes(self.began) if is_running else None

    def is_closed(self, now: float) -> bool:
        """Return whether an arena pairs no players any more."""
        return self.closes is not None and now >= self.closes

    def check_pairs_more(self, user: str, now: float) -> None:
        """Raise NotOpen if a user who enters now, or comes back, would have no game."""
        cup, number = self.cup, self.cup.number_of(user)
        if number is not None and (cup.entries[number].state != "out" or number in cup.busy()):
            return
        is_last = cup.phase == "running" and cup.plan.system == "swiss" and is_last_round(cup)
        if is_last or self.is_closed(now):
            raise NotOpen("the last games are paired: a player who enters now has none")

    def due_at(self, game: CupGame) -> float:
        """Return the time since which an open game is due, by this tournament alone."""
        ends = [self.ended_at.get(number, 0.0) for number in game.seats]
        return max(self.paired_at.get(game.number, 0.0), *ends)

    def free_since(self, number: int) -> float:
        """Return the time since which a player without a game has been free."""
        if self.cup.plan.is_arena:
            return self.added_at[self.cup.forms[number].since - 1]
        return self.ended_at.get(number, 0.0)

    @cached_property
    def table(self) -> list[Place]:
        """The standings."""
        return standings(self.cup)

    @cached_property
    def due(self) -> Mapping[str, CupGame]:
        """The due games by the names of their players, who can't play another one meanwhile."""
        plan = self.cup.plan
        due = self.cup.due() if plan.alone and not plan.lasts else ()
        return {name: game for game in due for name in self.cup.people(game)}


class Follower:
    """The tournaments in memory of a process in ``lobby``, by id.

    ``utc`` returns the time of day in seconds since 1970. The follower reads tournaments of other
    lobbies only on request. It calls the functions in ``changed`` with each new or changed
    tournament.
    """

    def __init__(
        self, log: Stored[TournamentTables], utc: Callable[[], float], lobby: str = MAIN
    ) -> None:
        self._log, self.utc, self.lobby = log, utc, lobby
        self.known: dict[str, Followed] = {}
        self.changed: list[Callable[[Followed], object]] = []
        self.decides = True
        """Whether this process adds lines of its own, and makes rooms."""
        self.is_here: Callable[[Followed], bool]
        self.is_here = lambda known: (
            self.decides and known.owner != COMMAND and known.lobby == lobby
        )
        """Returns whether this server plays a tournament, not a command or another lobby."""
        self.keep: Callable[[str, Sequence[KeptLine]], Awaitable[object]]
        self.keep = lambda tournament, lines: succeed(None)
        """Saves a copy of new lines before they have any effect, for `tictac tournament`."""
        self._looking = DeferredLock()

    def running(self) -> list[Followed]:
        """Return the tournaments of this lobby that aren't over."""
        return [each for each in self._running() if each.lobby == self.lobby]

    def _running(self) -> list[Followed]:
        return [each for each in self.known.values() if each.cup.phase != "over"]

    def running_here(self) -> Iterator[Followed]:
        """Yield the running tournaments that this server decides, and can read."""
        return (each for each in self.running() if self.is_here(each) and not each.broken)

    async def look(self) -> None:
        """Read the new lines of all tournaments that aren't over."""
        await self._looking.acquire()
        try:
            numbers = await self._log.ask(TournamentTables.live, self.lobby)
            # These tournaments have just ended, or they belong to another lobby.
            others = [each.id for each in self._running() if each.id not in numbers]
            for tournament in [*numbers, *others]:
                known = self.known.get(tournament)
                if known is None or known.read < numbers.get(tournament, known.read + 1):
                    await self.catch_up(tournament)
                elif known.read > numbers.get(tournament, known.read):
                    _log.error(
                        "tournament {tournament}: the database has fewer lines than the server"
                        " has read: reading all lines",
                        tournament=tournament,
                    )
                    await self.read_again(tournament)
        finally:
            self._looking.release()

    async def get(self, tournament: str) -> Followed:
        """Return a tournament; read it if it isn't in memory. Raises NoSuchTournament."""
        return self.known.get(tournament) or await self.catch_up(tournament)

    async def catch_up(self, tournament: str) -> Followed:
        """Read the new lines of a tournament, and return it. Raises NoSuchTournament."""
        known = self.known.get(tournament)
        if known is None:
            read = await self._read(tournament)
            if tournament in self.known:  # another call was faster
                return await self.catch_up(tournament)
            return self._publish(read)
        if lines := await self._log.ask(TournamentTables.read, tournament, known.read):
            await self._take(known, lines)
        return known

    async def _take(self, known: Followed, lines: Sequence[KeptLine]) -> None:
        await self.keep(known.id, lines)
        known.take(lines)
        self._notify(known)

    async def _read(self, tournament: str) -> Followed:
        """Return a whole tournament, which isn't in ``known`` yet. Raises NoSuchTournament.

        Other code must not see the tournament before all its lines are folded.
        """
        row = await self._log.ask(TournamentTables.get, tournament)
        if row is None:
            raise NoSuchTournament(f"there is no tournament {tournament!a:.40}")
        made = row.made / 1000
        cup = Cup(load_plan(json.loads(row.plan)))
        read = Followed(row.id, cup, row.owner, row.lobby, made, made)
        lines = await self._log.ask(TournamentTables.read, tournament)
        await self.keep(tournament, lines)
        read.take(lines)
        return read

    def _publish(self, read: Followed) -> Followed:
        self.known[read.id] = read
        over = [each for each in self.known.values() if each.cup.phase == "over"]
        for each in over[:-KEPT]:
            del self.known[each.id]
        self._notify(read)
        return read

    def _notify(self, known: Followed) -> None:
        for changed in self.changed:
            changed(known)

    async def read_again(self, tournament: str) -> Followed:
        """Reload a whole tournament after a change of its lines. Raises NoSuchTournament."""
        return self._publish(await self._read(tournament))

    async def prune(self, before: float) -> None:
        """Delete the tournaments that ended before a time in seconds, a few at a time."""
        until = round(before * 1000)
        while ended := await self._log.ask(TournamentTables.prune, until, self.lobby):
            for tournament in ended:
                self.known.pop(tournament, None)

    async def page(self, state: str | None, before: str | None, limit: int) -> list[Row]:
        """Return the rows of up to ``limit`` tournaments, the latest first.

        Begin after the tournament ``before``, if it is given.
        """
        return await self._log.ask(TournamentTables.page, state, before, limit, self.lobby)

    # Adding

    async def make(self, tournament: str, plan: Json, owner: str) -> Followed:
        """Make a tournament. Raises TournamentExists."""
        cup = Cup(load_plan(plan))
        now = round(self.utc() * 1000)
        head = json.dumps(head_of(tournament, cup), ensure_ascii=False)
        plan_text = json.dumps(cup.plan.dump())
        row = Row(tournament, cup.phase, now, plan_text, head, owner, self.lobby)
        if not await self._log.ask(TournamentTables.make, row):
            raise TournamentExists(f"there is a tournament {tournament} already")
        return await self.catch_up(tournament)

    async def append(
        self, tournament: str, decide: Callable[[Cup], Line | None], counted: int = 0
    ) -> Followed:
        """Add the line that ``decide`` returns for the current state, unless it returns None.

        If another process was faster, call ``decide`` again. ``counted`` is the number of the game
        whose outcome the line counts. Return the tournament. Raises a Refusal if the line isn't
        allowed.
        """
        known = await self.get(tournament)
        lock = known.lock
        await lock.acquire()
        try:
            for _ in range(TRIES):
                if known.broken:
                    raise ArchiveAway("a newer server has changed the tournament: it waits for one")
                read = known.read
                try:
                    line = decide(known.cup)
                    if line is None or await self._append(known, line, counted):
                        return known
                    known = await self.catch_up(tournament)
                except Refusal:
                    # A line that another process added meanwhile can allow it.
                    known = await self.catch_up(tournament)
                    if known.read == read:
                        raise
            raise ArchiveAway("too many change the tournament at once: try again")
        finally:
            lock.release()

    async def _append(self, known: Followed, line: Line, counted: int) -> bool:
        after = known.cup.add(line)
        now, number = round(self.utc() * 1000), known.read + 1
        over = now / 1000 if known.over is None and after.phase == "over" else known.over
        head = json.dumps(head_of(known.id, after, over), ensure_ascii=False)
        new = NewLine(now, line, after.phase, head)
        if not await self._log.ask(TournamentTables.append, known.id, number, new, counted):
            return False
        if known.read == number - 1:  # a look might have read it meanwhile
            await self._take(known, [KeptLine(number, now, list(line))])
        return True
