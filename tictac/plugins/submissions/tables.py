"""The tables of submitted programs, in the database of the accounts (storage/schema: programs).

A version goes through its states in one direction::

    received -> checked -> trial -> ladder -> replaced
    received, checked, trial -> refused or replaced

A runner has a version by a *lease*: a token, of which the row has the hash, until a time that each
beat moves. A version whose time is over belongs to the next runner that claims work. All changes
of a runner name the hash. So a runner that was away for too long changes nothing, and learns that
it must stop.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple

from tictac.accounts.tokens import token_hash
from tictac.archive.match import utc_text
from tictac.plugins.submissions.refusals import BadProgram, RunnerExists, TooManyPrograms
from tictac.storage.database import Database
from tictac.storage.store import reading

DAY = 86_400

GATE = ("received", "checked", "trial")
ACTIVE = (*GATE, "ladder")
"""States in which a runner runs a version."""

LAST_LOSSES = 50
"""Losses of a version that are kept."""

KEPT_FILES = 3
"""Latest versions of an account whose files are kept."""

_ROW = (
    "name, number, series, title, command, build, size, digest, pushed, changed, state, report,"
    " stderr, games, lost, losses, runner"
)


class Version(NamedTuple):
    """A version of an account's program. ``losses`` is JSON; times are seconds since 1970."""

    name: str
    number: int
    series: str
    title: str
    command: str
    build: str
    size: int
    digest: str
    pushed: int
    changed: int
    state: str = "received"
    report: str = ""
    stderr: str = ""
    games: int = 0
    lost: int = 0
    losses: str = "[]"
    runner: str = ""


class Lease(NamedTuple):
    """A version that a runner has claimed, with its token, and the plan of its series as JSON."""

    token: str
    version: Version
    plan: str


class Change(NamedTuple):
    """A report of a runner about a version; None: unchanged. ``losses`` are new ones."""

    state: str | None = None
    report: str | None = None
    stderr: str | None = None
    games: int = 0
    losses: Sequence[Mapping[str, object]] = ()


class ProgramTables:
    """Versions of programs, their files, and runners."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._execute = database.execute

    # Authors

    def push(self, new: Version, content: bytes, most_a_day: int) -> Version:
        """Add a version, with the next number. Raises BadProgram or TooManyPrograms.

        Without a series, it goes to the only one that is open. It replaces older versions that
        haven't passed.
        """
        with self._database.transaction():
            # A lock: two uploads at once would get the same number.
            group = self._execute("UPDATE users SET name = name WHERE name = ?", (new.name,))
            if group.rowcount != 1:
                raise BadProgram(f"there is no account {new.name}")
            since = new.pushed - DAY
            recent = "SELECT count(*) FROM programs WHERE name = ? AND pushed > ?"
            if self._execute(recent, (new.name, since)).fetchone()[0] >= most_a_day:
                raise TooManyPrograms(f"an account can push {most_a_day} versions in 24 hours")
            last = "SELECT max(number) FROM programs WHERE name = ?"
            number = (self._execute(last, (new.name,)).fetchone()[0] or 0) + 1
            new = new._replace(number=number, series=self._series(new))
            marks = ", ".join("?" * (len(new) + 2))
            self._execute(f"INSERT INTO programs ({_ROW}, lease, until) VALUES ({marks})",
                          (*new, "", 0))  # fmt: skip
            self._execute("INSERT INTO program_files (name, number, content) VALUES (?, ?, ?)",
                          (new.name, number, content))  # fmt: skip
            self._execute("DELETE FROM program_files WHERE name = ? AND number <= ? AND number"
                          f" NOT IN (SELECT number FROM programs WHERE name = ? AND {_is(ACTIVE)})",
                          (new.name, number - KEPT_FILES, new.name, *ACTIVE))  # fmt: skip
            self._replace(new, GATE)
        return new

    def _series(self, new: Version) -> str:
        own = self._execute("SELECT group_name FROM users WHERE name = ?", (new.name,)).fetchone()
        found = []
        for series, plan in self._execute(
            "SELECT id, plan FROM series WHERE state = 'open' ORDER BY id"
        ).fetchall():
            group = json.loads(plan).get("group")
            if not group or group == own[0]:
                found.append(str(series))
        if new.series and new.series not in found:
            raise BadProgram(f"no series {new.series} is open for you")
        if not new.series and len(found) != 1:
            ids = ", ".join(found) or "none"
            raise BadProgram(f"name the series in bot.toml; open for you: {ids}")
        return new.series or found[0]

    def _replace(self, new: Version, states: Sequence[str]) -> None:
        """Mark the older versions in these states as replaced, in an open transaction."""
        self._execute(
            "UPDATE programs SET state = 'replaced', changed = ?, lease = '', until = 0"
            f" WHERE name = ? AND series = ? AND number < ? AND {_is(states)}",
            (new.changed, new.name, new.series, new.number, *states),
        )

    @reading
    def of(self, name: str) -> list[Version]:
        """Return the versions of an account, the latest first."""
        found = f"SELECT {_ROW} FROM programs WHERE name = ? ORDER BY number DESC"
        return [Version(*row) for row in self._execute(found, (name,)).fetchall()]

    @reading
    def get(self, name: str, number: int) -> Version | None:
        """Return a version; None if there is none."""
        found = f"SELECT {_ROW} FROM programs WHERE name = ? AND number = ?"
        row = self._execute(found, (name, number)).fetchone()
        return None if row is None else Version(*row)

    @reading
    def group(self, group: str | None) -> list[tuple[Version, str]]:
        """Return the latest version of each account of a group, with the group; None: of all."""
        columns = ", ".join(f"p.{each}" for each in Version._fields)
        of_group = ("", ()) if group is None else (" AND u.group_name = ?", (group,))
        rows = self._execute(
            f"SELECT {columns}, u.group_name FROM programs p JOIN users u ON u.name = p.name"
            " WHERE p.number = (SELECT max(number) FROM programs o WHERE o.name = p.name)"
            f"{of_group[0]}",
            of_group[1],
        ).fetchall()
        return sorted((Version(*row[:-1]), str(row[-1])) for row in rows)

    @reading
    def passed(self, names: Iterable[str]) -> dict[str, int]:
        """Return 1 for each account whose latest version has passed its check.

        A version that waits for the check, or that a later one replaced, counts for nothing.
        """
        latest = (
            "SELECT state FROM programs WHERE name = ? AND state NOT IN ('received', 'replaced')"
            " ORDER BY number DESC LIMIT 1"
        )
        found = {name: self._execute(latest, (name,)).fetchone() for name in names}
        return {name: int(row[0] != "refused") for name, row in found.items() if row is not None}

    # Runners

    def claim(
        self, runner: str, states: Sequence[str], tokens: Sequence[str], now: int, until: int
    ) -> list[Lease]:
        """Lease waiting versions in these states to a runner, at most one for each token."""
        leases = []
        with self._database.transaction():
            waiting = self._execute(
                f"SELECT {_ROW}, (SELECT plan FROM series WHERE id = programs.series) AS plan"
                f" FROM programs WHERE {_is(states)} AND until <= ? AND EXISTS (SELECT 1 FROM"
                " series WHERE id = programs.series AND state <> 'over')"
                " ORDER BY pushed, name LIMIT ?",
                (*states, now, len(tokens)),
            ).fetchall()
            for token, row in zip(tokens, waiting, strict=False):
                version = Version(*row[:-1])
                taken = self._execute(
                    "UPDATE programs SET runner = ?, lease = ?, until = ?"
                    " WHERE name = ? AND number = ? AND until <= ?",
                    (runner, token_hash(token), until, version.name, version.number, now),
                )
                if taken.rowcount == 1:
                    leases.append(Lease(token, version._replace(runner=runner), str(row[-1])))
        return leases

    @reading
    def leased(self, token: str, now: int) -> Version | None:
        """Return the version of a lease that is in force."""
        found = f"SELECT {_ROW} FROM programs WHERE lease = ? AND until > ? AND {_is(ACTIVE)}"
        row = self._execute(found, (token_hash(token), now, *ACTIVE)).fetchone()
        return None if row is None else Version(*row)

    @reading
    def content(self, name: str, number: int) -> bytes | None:
        """Return the archive of a version; None if it isn't kept."""
        found = "SELECT content FROM program_files WHERE name = ? AND number = ?"
        row = self._execute(found, (name, number)).fetchone()
        return None if row is None else bytes(row[0])

    def beat(self, runner: str, token: str, change: Change, now: int, until: int) -> bool:
        """Note what a runner reports, and prolong its lease; return whether it goes on.

        The lease ends with a state in which no runner runs the version, and with the series.
        """
        hashed = token_hash(token)
        with self._database.transaction():
            version = self._report(runner, token, change, now)
            if version is None:
                return False
            over = "SELECT 1 FROM series WHERE id = ? AND state <> 'over'"
            goes_on = self._execute(over, (version.series,)).fetchone() is not None
            goes_on &= (change.state or version.state) in ACTIVE
            self._execute(
                "UPDATE programs SET until = ?, lease = ? WHERE lease = ?",
                (until if goes_on else 0, hashed if goes_on else "", hashed),
            )
        return goes_on

    def release(self, runner: str, token: str, change: Change, now: int, rest: int) -> None:
        """Note what a runner reports, and end its lease; others get it after ``rest`` seconds."""
        with self._database.transaction():
            if self._report(runner, token, change, now) is not None:
                self._execute(
                    "UPDATE programs SET until = ?, lease = '' WHERE lease = ?",
                    (now + rest, token_hash(token)),
                )

    def _report(self, runner: str, token: str, change: Change, now: int) -> Version | None:
        """Note a report of a lease in force, in an open transaction; None: it has ended."""
        lock = "UPDATE programs SET until = until WHERE runner = ? AND lease = ?"
        if self._execute(lock, (runner, token_hash(token))).rowcount != 1:
            return None
        version = self.leased(token, now)
        if version is not None:
            self._note(version, change, now)
        return version

    def _note(self, old: Version, change: Change, now: int) -> None:
        losses = [*json.loads(old.losses), *change.losses][-LAST_LOSSES:]
        moves = change.state not in (None, old.state)
        new = old._replace(
            state=change.state or old.state, changed=now if moves else old.changed,
            report=old.report if change.report is None else change.report,
            stderr=old.stderr if change.stderr is None else change.stderr,
            games=old.games + change.games, lost=old.lost + len(change.losses),
            losses=json.dumps(losses),
        )  # fmt: skip
        if new == old:
            return
        self._execute(
            "UPDATE programs SET state = ?, changed = ?, report = ?, stderr = ?, games = ?,"
            " lost = ?, losses = ? WHERE name = ? AND number = ?",
            (new.state, new.changed, new.report, new.stderr, new.games, new.lost, new.losses,
             new.name, new.number),
        )  # fmt: skip
        if moves and new.state == "ladder":
            self._replace(new, ACTIVE)

    def add_runner(self, runner: str, token: str, now: int) -> None:
        """Add a runner. Raises RunnerExists."""
        row = (runner, token_hash(token), now, 0)
        try:
            self._execute("INSERT INTO runners (runner, hash, made, seen) VALUES (?, ?, ?, ?)", row)
        except self._database.taken:
            there = self._execute("SELECT hash FROM runners WHERE runner = ?", (runner,)).fetchone()
            if not (self._database.unsure and there and there[0] == row[1]):
                raise RunnerExists(f"there is a runner {runner} already") from None

    def remove_runner(self, runner: str) -> bool:
        """Delete a runner and end its leases; return whether it existed."""
        with self._database.transaction():
            self._execute(
                "UPDATE programs SET lease = '', until = 0 WHERE runner = ? AND lease <> ''",
                (runner,),
            )
            found = self._execute("DELETE FROM runners WHERE runner = ?", (runner,)).rowcount == 1
        return found or self._database.unsure

    @reading
    def runners(self) -> list[tuple[str, int, int, int]]:
        """Return all runners: name, when it was added and seen, and how many versions it has."""
        rows = self._execute(
            "SELECT runner, made, seen, (SELECT count(*) FROM programs p WHERE p.runner ="
            " runners.runner AND p.lease <> '') FROM runners"
        ).fetchall()
        return sorted((str(row[0]), int(row[1]), int(row[2]), int(row[3])) for row in rows)

    def visit(self, token: str, now: int) -> str | None:
        """Return the runner with a token, and note the visit; None if there is none."""
        hashed = token_hash(token)
        found = "SELECT runner, seen FROM runners WHERE hash = ?"
        row = self._execute(found, (hashed,)).fetchone()
        if row is not None and now - row[1] >= 60:
            self._execute("UPDATE runners SET seen = ? WHERE hash = ?", (now, hashed))
        return None if row is None else str(row[0])


def _is(states: Sequence[str]) -> str:
    return f"state IN ({', '.join('?' * len(states))})"


class ProgramKeeper:
    """The programs of an account (accounts.keepers.Keeper), which go with the account."""

    columns: ClassVar = {"programs": ("name",), "program_files": ("name",)}

    def __init__(self, database: Database) -> None:
        self._database = database

    def export(self, name: str) -> Mapping[str, object]:
        """Return the versions, without their files, which the author has."""
        versions = ProgramTables(self._database).of(name)
        shown = [
            {
                **each._asdict(), "losses": json.loads(each.losses),
                "pushed": utc_text(each.pushed), "changed": utc_text(each.changed),
            }
            for each in versions
        ]  # fmt: skip
        for each in shown:
            del each["name"], each["runner"]
        return {"versions": shown} if shown else {}

    def remove(self, name: str) -> None:
        """Delete the programs."""
        with self._database.transaction():
            for table in self.columns:
                self._database.execute(f"DELETE FROM {table} WHERE name = ?", (name,))
