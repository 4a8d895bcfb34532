"""The progress of pupils by the rules of their group, kept up to date as matches end.

Each rule remembers for each pupil how far the matches were read. An answer reads at most ``WORK``
matches, so that it takes a bounded time; ``complete`` says whether that was enough.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

from tictac.plugins.desk.refusals import BadRule
from tictac.plugins.desk.rules import Progress, Rule, read_rule
from tictac.plugins.desk.tables import BATCH, DeskTables, RuleRow
from tictac.storage.store import Stored

WORK = 2000
"""Maximum matches that are read for one answer."""

TOGETHER = 50
"""Pupils whose matches the database reads in one turn."""

MOST_KEPT = 20_000
"""Maximum rules times pupils in memory; the first ones are read again."""

Source = Callable[[Rule, Sequence[str]], Awaitable[Mapping[str, int]]]
"""Returns what pupils have for a rule, by name."""


class Marked(NamedTuple):
    """A pupil's number by a rule, the last results against its level, and whether it passes."""

    have: int
    last: str
    passed: bool


class Marks:
    """The progress by rules. ``sources`` has what plug-ins know, by the kind of a rule."""

    def __init__(self, tables: Stored[DeskTables]) -> None:
        self._tables = tables
        self._kept: dict[tuple[str, RuleRow, str], Progress] = {}
        self.sources: dict[str, Source] = {"rating": self._ratings}

    def read(self, text: str) -> Rule:
        """Return the rule in a text. Raises BadRule, also for a kind that has no source here."""
        rule = read_rule(text)
        if rule.kind not in ("beat", "play", *self.sources):
            raise BadRule(f"this server knows nothing for the rule {text!r:.60}")
        return rule

    async def of(
        self, group: str, rows: Sequence[RuleRow], names: Sequence[str]
    ) -> tuple[dict[str, list[Marked]], bool]:
        """Return the marks of pupils, one for each rule, and whether all matches were read."""
        found: dict[str, list[Marked]] = {name: [] for name in names}
        complete, left = True, WORK
        for row in rows:
            rule = read_rule(row.rule)
            if rule.kind in ("beat", "play"):
                read, done = await self._read(group, row, rule, names, left)
                complete &= done
                left = max(0, left - read)
                for name in names:
                    progress = self._progress(group, row, name)
                    passed = progress.passes(rule)
                    found[name].append(Marked(progress.have, progress.last, passed))
                continue
            source = self.sources.get(rule.kind)
            have = {} if source is None else await source(rule, names)
            for name in names:
                progress = Progress((0, 0), have.get(name, 0))
                found[name].append(Marked(progress.have, "", progress.passes(rule)))
        return found, complete

    def _progress(self, group: str, row: RuleRow, name: str) -> Progress:
        key = group, row, name
        if key not in self._kept:
            while len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = Progress((1000 * row.since, -1))
        return self._kept[key]

    async def _read(
        self, group: str, row: RuleRow, rule: Rule, names: Sequence[str], most: int
    ) -> tuple[int, bool]:
        """Read the next matches for a rule; return their number, and whether these were all."""
        read, complete, mates = 0, True, set[str]()
        if rule.company == "classmates":
            mates = {each.name for each in await self._tables.ask(DeskTables.pupils, group)}
        for first in range(0, len(names), TOGETHER):
            if read >= most:
                return read, False
            some = [self._progress(group, row, name) for name in names[first : first + TOGETHER]]
            asked = dict(zip(names[first : first + TOGETHER], some, strict=True))
            places = {name: progress.at for name, progress in asked.items()}
            played = await self._tables.ask(DeskTables.played, rule.game, places)
            origins = {each.door for some in played.values() for each in some if each.door}
            ladders = await self._tables.ask(DeskTables.ladders, origins) if origins else ()
            for name, matches in played.items():
                progress = asked[name]
                if progress.at != places[name]:
                    continue  # another teacher's question was faster
                for each in matches:
                    if each.door not in ladders:
                        progress.note(rule, each, mates)
                    progress.at = each.place
                read += len(matches)
                complete &= len(matches) < BATCH
        return read, complete

    async def _ratings(self, rule: Rule, names: Sequence[str]) -> Mapping[str, int]:
        return await self._tables.ask(DeskTables.ratings, rule.game, names)
