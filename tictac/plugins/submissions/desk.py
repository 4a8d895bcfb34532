"""Submitted programs in the lobby protocol, and what a runner and an upload do with them."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from secrets import token_urlsafe
from typing import NamedTuple, TypeVar, cast

from twisted.internet.defer import Deferred, DeferredSemaphore
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from tictac.accounts.accounts import Accounts
from tictac.archive.match import utc_text
from tictac.errors import ArchiveAway, BadFilter, GuestsRefused, NotAnAdmin, Refusal
from tictac.logs import LIMITED
from tictac.names import is_given
from tictac.net.logins import LoginConnection
from tictac.plugins.submissions import request_types as requests
from tictac.plugins.submissions.package import read_manifest
from tictac.plugins.submissions.refusals import NoSuchProgram, NoSuchRunner, OnlyPlays
from tictac.plugins.submissions.tables import ACTIVE, GATE, Change, Lease, ProgramTables, Version
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import on
from tictac.protocols.lobby.json_view import Message
from tictac.protocols.lobby.session import Session
from tictac.reactor import Reactor, Work
from tictac.storage.store import Store, StoreAwayError, StoreClosedError, Stored

_log = Logger(observer=LIMITED)

T = TypeVar("T")

UPLOAD_TIME = 3600.0
"""Seconds for which an address for an upload, and for following it, is valid."""

MOST_UPLOADS = 1_000
"""Such addresses at a time; a further one ends the oldest."""

MOST_CLAIMED = 100
"""Maximum versions that one claim leases."""

PLAYING = frozenset({
    "hello", "ping", "games", "rules", "join", "leave", "move", "resign", "offer", "accept",
    "decline", "respond", "open", "play", "series", "tournament",
})  # fmt: skip
"""The requests of a submitted program."""


class Limits(NamedTuple):
    """Bytes of an archive, versions of an account in 24 hours, and seconds of a lease."""

    size: int
    a_day: int
    lease: float


class Upload:
    """An address for an upload. ``number`` is the version that came there."""

    def __init__(self, user: str, ends: float) -> None:
        self.user, self.ends = user, ends
        self.number: int | None = None
        self.is_used = False


class ProgramRole:
    """The rights of a submitted program (protocols.lobby.session.Role): it can only play."""

    def __init__(self, version: Version) -> None:
        self._series = version.series

    def take(self, session: Session, request: wire.Request) -> bool:
        """Refuse all that isn't playing; leave the rest to the session."""
        allowed = request.do in PLAYING
        if isinstance(request, wire.Open):
            allowed = request.computer is not None and not request.rated
        elif request.do == "play":
            allowed = getattr(request, "series", None) == self._series
        if not allowed:
            raise OnlyPlays(f"a submitted program can't send {request.do}")
        return False

    def refused(self, refusal: Refusal) -> None:
        """Ignore a refused request."""

    def disconnected(self) -> bool:
        """Return False, so that a seat is held for the next connection."""
        return False


class Desk:
    """Submitted programs in the lobby protocol (extension.Extension), for pages, and runners."""

    def __init__(
        self,
        store: Store,
        accounts: Accounts,
        limits: Limits,
        reactor: Reactor,
        utc: Callable[[], float] = time.time,
    ) -> None:
        self._tables, self._accounts = Stored(store, ProgramTables), accounts
        self.limits, self._reactor, self._utc = limits, reactor, utc
        self._uploads: dict[str, Upload] = {}
        self._reading = DeferredSemaphore(1)
        self.handlers = dict((
            on(requests.Push, self._push), on(requests.Programs, self._programs),
            on(requests.Run, self._run), on(requests.Runners, self._administer),
            on(requests.Submissions, self._administer),
        ))  # fmt: skip

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, object]:
        return {} if is_given(session.user or "") else {"programs": True}

    def gone(self, session: Session) -> None:
        pass

    # Authors

    def open_upload(self, user: str) -> Message:
        """Return the path for one upload of an account, and its limits."""
        if len(self._uploads) >= MOST_UPLOADS:
            del self._uploads[next(iter(self._uploads))]
        ticket = token_urlsafe(18)
        self._uploads[ticket] = Upload(user, self._reactor.seconds() + UPLOAD_TIME)
        return {"upload": f"/programs/upload/{ticket}", "largest": self.limits.size}

    def upload(self, ticket: str) -> Upload | None:
        """Return a valid upload; None if there is none."""
        found = self._uploads.get(ticket)
        if found is None or found.ends <= self._reactor.seconds():
            return None
        return found

    async def receive(self, ticket: str, data: bytes) -> Message:
        """Save an uploaded program as the next version. Raises a Refusal."""
        upload = self.upload(ticket)
        if upload is None or upload.is_used:
            raise NoSuchProgram("this address isn't valid any more: ask for another one")
        upload.is_used = True
        pool = self._reactor.getThreadPool()
        manifest = await self._reading.run(
            deferToThreadPool, self._reactor, pool, read_manifest, data
        )
        now = int(self._utc())
        new = Version(
            upload.user, 0, manifest.series, manifest.title, manifest.command, manifest.build,
            len(data), hashlib.sha256(data).hexdigest(), now, now,
        )  # fmt: skip
        new = await _reaching(self._tables.ask(ProgramTables.push, new, data, self.limits.a_day))
        upload.number = new.number
        _log.info("program {number} of {user!r} received", number=new.number, user=new.name)
        return version_json(new)

    async def state(self, ticket: str) -> Message:
        """Return the version that was uploaded to an address, or else the account's latest one.

        Raises NoSuchProgram.
        """
        upload = self.upload(ticket)
        if upload is None:
            raise NoSuchProgram("this address isn't valid any more: ask for another one")
        if upload.number is not None:
            return await self._version(upload.user, upload.number)
        found = await _reaching(self._tables.ask(ProgramTables.of, upload.user))
        if not found:
            raise NoSuchProgram("nothing was uploaded there")
        return detailed_json(found[0])

    async def _version(self, user: str, number: int) -> Message:
        found = await _reaching(self._tables.ask(ProgramTables.get, user, number))
        if found is None:
            raise NoSuchProgram(f"you have no version {number}")
        return detailed_json(found)

    def _push(self, session: Session, request: requests.Push) -> None:
        session.send(wire.answer(request.id, **self.open_upload(_account(session))))

    def _programs(self, session: Session, request: requests.Programs) -> None:
        self._work(session, request, self._list(_account(session), request.number))

    async def _list(self, user: str, number: int | None) -> Message:
        if number is not None:
            return await self._version(user, number)
        found = await _reaching(self._tables.ask(ProgramTables.of, user))
        return {
            "programs": [version_json(each) for each in found[:100]],
            "largest": self.limits.size,
        }

    def _work(
        self,
        session: Session,
        request: wire.Request,
        work: Work[T],
        then: Callable[[T], object] | None = None,
    ) -> None:
        def answer(found: T) -> None:
            if then is None:
                session.send(wire.answer(request.id, **cast(Message, found)))
            else:
                then(found)

        def refuse(refusal: Refusal) -> None:
            session.send(wire.error(request.id, refusal))

        asked = Deferred.fromCoroutine(work)
        session.connection.wait_for(request.do.upper(), asked, answer, refuse)

    # Runners

    async def claim(self, runner: str, gates: int, plays: int) -> list[Lease]:
        """Lease waiting versions to a runner: to check, and to play on the ladder."""
        now, leases = int(self._utc()), list[Lease]()
        until = now + round(self.limits.lease)
        for states, most in ((GATE, gates), (("ladder",), plays)):
            tokens = [token_urlsafe(24) for _ in range(min(most, MOST_CLAIMED))]
            if tokens:
                asked = self._tables.ask(ProgramTables.claim, runner, states, tokens, now, until)
                claimed: list[Lease] = await _reaching(asked)
                leases += claimed
        return leases

    async def runner(self, token: str) -> str:
        """Return the name of the runner with a token. Raises NoSuchRunner."""
        found = await _reaching(self._tables.ask(ProgramTables.visit, token, int(self._utc())))
        if found is None:
            raise NoSuchRunner("no runner has this token: see tictac admin runners")
        return found

    async def content(self, runner: str, token: str) -> bytes:
        """Return the archive of a lease. Raises NoSuchProgram."""
        version = await self._leased(token)
        if version.runner != runner:
            raise NoSuchProgram("another runner has this program")
        found = self._tables.ask(ProgramTables.content, version.name, version.number)
        content = await _reaching(found)
        if content is None:
            raise NoSuchProgram("its files aren't kept any more")
        return content

    async def beat(self, runner: str, token: str, change: Change, rest: float | None) -> bool:
        """Note a report and prolong the lease, or end it for ``rest`` seconds (tables.beat)."""
        if change.state is not None and change.state not in (*ACTIVE, "refused"):
            raise BadFilter(f"no runner reports the state {change.state!r:.40}")
        now = int(self._utc())
        if rest is not None:
            going = self._tables.ask(ProgramTables.release, runner, token, change, now, round(rest))
            await _reaching(going)
            return False
        until = now + round(self.limits.lease)
        return await _reaching(
            self._tables.ask(ProgramTables.beat, runner, token, change, now, until)
        )

    async def _leased(self, token: str) -> Version:
        asked = self._tables.ask(ProgramTables.leased, token, int(self._utc()))
        if (version := await _reaching(asked)) is None:
            raise NoSuchProgram("this lease has ended")
        return version

    def _run(self, session: Session, request: requests.Run) -> None:
        def log_in(version: Version) -> None:
            session.become(version.name, request, ProgramRole(version))

        self._work(session, request, self._entering(request.token), log_in)

    async def _entering(self, token: str) -> Version:
        version = await self._leased(token)
        self._accounts.bans.check_user(version.name)
        return version

    # Admins

    def _administer(
        self, session: Session, request: requests.Runners | requests.Submissions
    ) -> None:
        session.administer(request, partial(self._act, request))

    async def _act(
        self,
        request: requests.Runners | requests.Submissions,
        asker: LoginConnection,
        is_admin: bool,
    ) -> Message:
        if not is_admin:
            raise NotAnAdmin("only admins can do this")
        if isinstance(request, requests.Submissions):
            found = await _reaching(self._tables.ask(ProgramTables.group, request.group))
            rows = [{"user": each.name, "group": group, **version_json(each)}
                    for each, group in found]  # fmt: skip
            return {"submissions": rows}
        name = (request.runner or "").strip()
        if request.act != "list" and not (name.isprintable() and 0 < len(name) <= 40):
            raise BadFilter("runner is a name of 1 to 40 characters")
        if request.act == "add":
            token = token_urlsafe(32)
            adding = self._tables.ask(ProgramTables.add_runner, name, token, int(self._utc()))
            await _reaching(adding)
            return {"runner": name, "token": token}
        if request.act == "remove":
            if not await _reaching(self._tables.ask(ProgramTables.remove_runner, name)):
                raise NoSuchRunner(f"there is no runner {name!r}")
            return {}
        rows = [
            {"runner": name, "added": utc_text(made), "seen": utc_text(seen) if seen else None,
             "programs": count}
            for name, made, seen, count in await _reaching(self._tables.ask(ProgramTables.runners))
        ]  # fmt: skip
        return {"runners": rows}


def version_json(version: Version) -> Message:
    """Return a version as an entry of a list."""
    losses = json.loads(version.losses)
    return {
        "number": version.number, "series": version.series, "name": version.title,
        "size": version.size, "pushed": utc_text(version.pushed), "state": version.state,
        "changed": utc_text(version.changed), "report": version.report.partition("\n")[0][:200],
        "games": version.games, "lost": version.lost,
        "reasons": _count(str(each.get("how", "")) for each in losses),
    }  # fmt: skip


def detailed_json(version: Version) -> Message:
    """Return all that the author can see of a version."""
    return {
        **version_json(version), "command": version.command, "build": version.build,
        "report": version.report, "stderr": version.stderr, "losses": json.loads(version.losses),
    }  # fmt: skip


def _count(reasons: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in reasons:
        found[each] = found.get(each, 0) + 1
    return found


def _account(session: Session) -> str:
    user = session.user or ""
    if is_given(user):
        raise GuestsRefused("a guest has no programs: log in first")
    return user


async def _reaching(work: Deferred[T]) -> T:
    """Await the work; raise ArchiveAway if the database fails."""
    try:
        return await work
    except (StoreAwayError, StoreClosedError):
        raise ArchiveAway("the server's database is unavailable: try again") from None
