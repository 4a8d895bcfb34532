"""The desk of a teacher, and codes, in the lobby protocol. Source: people.md, "The desk".

A teacher sees the own groups alone. Every request asks the database who teaches the group, so that
a teacher who isn't one any more gets nothing from then on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from io import StringIO

from msgspec.structs import replace
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tictac.accounts.accounts import Accounts
from tictac.accounts.tables import AccountTables
from tictac.accounts.tokens import Token
from tictac.archive.match import utc_text
from tictac.errors import (
    ArchiveAway,
    BadCode,
    BadFilter,
    BadOption,
    NotAnAdmin,
    NotLoggedIn,
    Refusal,
    UserExists,
)
from tictac.lobby.terms import Terms
from tictac.logs import LIMITED
from tictac.names import (
    check_group,
    check_new_name,
    check_password,
    is_given,
    is_reserved,
    password_bytes,
)
from tictac.plugins.desk import request_types as requests
from tictac.plugins.desk.codes import PAIRS, plain_code, shown_code
from tictac.plugins.desk.marks import Marked, Marks
from tictac.plugins.desk.pairing import NEVER, pair
from tictac.plugins.desk.presence import Presence
from tictac.plugins.desk.refusals import NotATeacher, NoTokens, PasswordNeeded
from tictac.plugins.desk.rules import read_rule
from tictac.plugins.desk.tables import WRONG, DeskTables, Kind, Pupil, RuleRow
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import Handlers, on
from tictac.protocols.lobby.json_view import Message
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import Session
from tictac.reactor import Work
from tictac.sheets import safe, write_sheet
from tictac.storage.store import Store, StoreAwayError, StoreClosedError, Stored

_log = Logger(observer=LIMITED)

PAGE = 100
"""Maximum pupils in an answer, and in one click."""

HOURS = 12
"""Hours back for which the matches of a pupil are counted."""

MOST_GROUPS, MOST_MET = 200, 10_000
"""Maximum groups whose pairs are remembered, and pairs of each."""

MOST_SEEN = 10_000
"""Maximum logins that wait to be noted."""


class DeskRequests:
    """The part of the desk in the lobby protocol (extension.Extension).

    ``slip_days`` is how long a slip's code lasts, and ``most`` the maximum of accounts of a group.
    """

    def __init__(
        self,
        store: Store,
        accounts: Accounts,
        lobby: Lobby,
        presence: Presence,
        marks: Marks,
        slip_days: int,
        most: int,
        utc: Callable[[], float] = time.time,
    ) -> None:
        self._tables, self._stored = Stored(store, DeskTables), Stored(store, AccountTables)
        self._accounts, self._lobby = accounts, lobby
        self._presence, self._marks, self._utc = presence, marks, utc
        self._slip_days, self._most = slip_days, most
        self._met: dict[str, dict[tuple[str, str], int]] = {}
        self._teachers: Mapping[str, Sequence[str]] = {}
        self._seen: dict[str, int] = {}
        self.handlers: Handlers = dict((
            on(requests.Desk, self._desk), on(requests.Pair, self._pair),
            on(requests.Code, self._code),
        ))  # fmt: skip
        accounts.came = self._came

    def _came(self, user: str) -> None:
        if len(self._seen) < MOST_SEEN:
            self._seen[user] = int(self._utc())

    async def save(self) -> None:
        """Note the logins since the last call, and learn who is a teacher."""
        seen, self._seen = self._seen, {}
        if seen:
            await self._tables.ask(DeskTables.note, seen)
        self._teachers = await self._tables.ask(DeskTables.teachers)

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, object]:
        groups = self._teachers.get(session.user or "", ())
        return {"desk": list(groups)} if groups else {}

    def gone(self, session: Session) -> None:
        pass

    # Requests

    def _work(self, session: Session, request: wire.Request, work: Work[Message]) -> None:
        def answer(fields: Message) -> None:
            session.send(wire.answer(request.id, **fields))

        def refuse(refusal: Refusal) -> None:
            session.send(wire.error(request.id, refusal))

        asked = Deferred.fromCoroutine(_reaching(work))
        session.connection.wait_for(request.do.upper(), asked, answer, refuse)

    def _desk(self, session: Session, request: requests.Desk) -> None:
        self._work(session, request, self._serve(session, request))

    def _pair(self, session: Session, request: requests.Pair) -> None:
        terms = wire.read_terms(request)
        if terms.seats != 2:
            raise BadOption("only games of two are paired")
        alone = None
        if request.odd is not None:
            alone = wire.read_terms(replace(request, rated=None), computer=request.odd)
        self._work(session, request, self._pair_up(session, request, terms, alone))

    def _code(self, session: Session, request: requests.Code) -> None:
        work = self._make_code if request.code is None else self._use_code
        self._work(session, request, work(session, request))

    async def _is_admin(self, session: Session) -> bool:
        return session.connection.is_operator or await self._accounts.is_admin(session.user or "")

    async def _check(self, session: Session, group: str) -> bool:
        """Return whether a user is an admin. Raises NotATeacher for one who has no right here."""
        if await self._is_admin(session):
            return True
        user = session.user or ""
        if is_given(user) or group not in await self._tables.ask(DeskTables.groups_of, user):
            raise NotATeacher("only a teacher of this group, or an admin, can do this")
        return False

    def _note(self, session: Session, what: str) -> None:
        who = "the operator" if session.connection.is_operator else repr(session.user)
        _log.info(
            "desk: {who} at {address}: {what}",
            who=who, address=session.connection.host, what=what,
        )  # fmt: skip

    # The desk

    async def _serve(self, session: Session, request: requests.Desk) -> Message:
        if request.group is None:
            if request.act is not None:
                raise BadFilter(f"{request.act} needs a group")
            return await self._groups(session)
        group = check_group(request.group)
        is_admin = await self._check(session, group)
        if request.act is None:
            return await self._show(group, request.first or 0)
        if request.act == "export":
            self._note(session, f"export, group {group!r}")
            return await self._export(group, request.first or 0)
        names = list(dict.fromkeys(request.users or []))
        words = [f"{request.act}, group {group!r}", *map(repr, names)]
        words += [] if request.rule is None else [repr(request.rule)]
        words += [] if request.number is None else [f"number {request.number}"]
        self._note(session, ", ".join(words + ["off"] * bool(request.off)))
        match request.act:
            case "teacher":
                return await self._set_teachers(group, names, is_admin, not request.off)
            case "add":
                return await self._add(group, names)
            case "slips":
                return await self._slips(group, names, is_admin)
            case "rule":
                return await self._add_rule(group, request)
            case "drop":
                await self._tables.ask(DeskTables.drop_rule, group, request.number or 0)
        return {}

    async def _groups(self, session: Session) -> Message:
        if await self._is_admin(session):
            return {"groups": await self._tables.ask(DeskTables.groups)}
        groups = await self._tables.ask(DeskTables.groups_of, session.user or "")
        if not groups:
            raise NotATeacher("only a teacher, or an admin, has a desk")
        return {"groups": groups}

    async def _show(self, group: str, first: int) -> Message:
        ask = self._tables.ask
        pupils, rows = await ask(DeskTables.pupils, group), await ask(DeskTables.rules, group)
        some = pupils[max(0, first) : max(0, first) + PAGE]
        names = [each.name for each in some]
        since = round(1000 * (self._utc() - 3600 * HOURS))
        recent = await ask(DeskTables.played_since, names, since)
        marks, complete = await self._marks.of(group, rows, names)
        self._presence.look()
        states = [str(self._presence.state(each.name)["state"]) for each in pupils]
        after = max(0, first) + PAGE
        teachers = await ask(DeskTables.teachers)
        return {
            "group": group,
            "teachers": [name for name, groups in teachers.items() if group in groups],
            "counts": {
                "pupils": len(pupils), "online": sum(state != "away" for state in states),
                "playing": states.count("playing"), "waiting": states.count("waiting"),
            },
            "pupils": [
                self._pupil_json(each) | {
                    "recent": recent[each.name],
                    "marks": [_mark_json(mark) for mark in marks[each.name]],
                } for each in some
            ],
            "rules": [self._rule_json(row) for row in rows],
            "complete": complete,
            "next": after if after < len(pupils) else None,
        }  # fmt: skip

    def _pupil_json(self, pupil: Pupil) -> Message:
        state = self._presence.state(pupil.name)
        if state["state"] == "away":
            state = {"state": "never"} if pupil.seen is None else state
        seen = None if pupil.seen is None else _time(pupil.seen)
        return {"user": pupil.name, **state, "seen": seen, "special": pupil.special}

    def _rule_json(self, row: RuleRow) -> Message:
        fields = {"number": row.number, "title": row.title, "text": row.rule}
        return {**fields, "since": _time(row.since), **read_rule(row.rule).fields()}

    async def _set_teachers(
        self, group: str, names: list[str], is_admin: bool, teaches: bool
    ) -> Message:
        if not is_admin:
            raise NotAnAdmin("only an admin decides who is a teacher")
        if not group:
            raise BadFilter("teacher needs a group")
        for name in names:
            await self._tables.ask(DeskTables.set_teacher, name, group, teaches)
        await self.save()
        return {}

    async def _add(self, group: str, names: list[str]) -> Message:
        if not group or not names:
            raise BadFilter("add needs a group, and users")
        new = [check_new_name(name) for name in names]
        for name in new:
            if is_reserved(name):
                raise UserExists(f"the name {name} is reserved")
        await self._tables.ask(DeskTables.add, group, new, self._most)
        return {"added": new}

    async def _slips(self, group: str, names: list[str], is_admin: bool) -> Message:
        if not names or not group:
            raise BadFilter("slips needs a group, and users")
        now = int(self._utc())
        ends = now + self._slip_days * 86_400
        codes = await self._tables.ask(DeskTables.make_slips, group, names, is_admin, now, ends)
        slips = [{"user": name, "code": shown_code(code)} for name, code in codes.items()]
        return {"slips": slips, "until": _time(ends)}

    async def _add_rule(self, group: str, request: requests.Desk) -> Message:
        text = " ".join((request.rule or "").split())
        self._marks.read(text)
        title = wire.read_said(request.title or text)[:60]
        now = int(self._utc())
        number = await self._tables.ask(DeskTables.add_rule, group, title, text[:200], now)
        return {"number": number}

    async def _export(self, group: str, first: int) -> Message:
        """Return a part of the table of a group as CSV; the first part names the columns."""
        ask = self._tables.ask
        pupils, rows = await ask(DeskTables.pupils, group), await ask(DeskTables.rules, group)
        some = pupils[max(0, first) : max(0, first) + PAGE]
        names, complete = [each.name for each in some], False
        recent = await ask(DeskTables.played_since, names, 0)
        while not complete:
            marks, complete = await self._marks.of(group, rows, names)
        file = StringIO(newline="")
        header = ["name", "group", "last_login", "matches"]
        for row in rows:
            header += [safe(row.title), f"{safe(row.title)}: passed"]
        lines = []
        for each in some:
            cells = [each.name, group, "" if each.seen is None else _time(each.seen)]
            cells.append(str(recent[each.name]))
            for mark in marks[each.name]:
                cells += [str(mark.have), "yes" if mark.passed else "no"]
            lines.append(cells)
        write_sheet(header, lines, file)
        text = file.getvalue() if first <= 0 else file.getvalue().partition("\n")[2]
        after = max(0, first) + PAGE
        return {"csv": text, "next": after if after < len(pupils) else None}

    # Pairing

    async def _pair_up(
        self, session: Session, request: requests.Pair, terms: Terms, alone: Terms | None
    ) -> Message:
        group = check_group(request.group)
        await self._check(session, group)
        pupils = await self._tables.ask(DeskTables.pupils, group)
        wanted = None if request.users is None else set(request.users)
        # From here on in one turn of the reactor: a session that waits now is seated now.
        self._presence.look(fresh=True)
        found = [(each.name, self._presence.waiting(each.name)) for each in pupils]
        waiting = {
            name: here for name, here in found
            if here is not None and (wanted is None or name in wanted)
        }  # fmt: skip
        names = list(waiting)[:PAGE]
        met = self._met_in(group)

        def cost(one: str, other: str) -> int:
            if other and self._lobby.blocks(one, other):
                return NEVER
            return met.get(_both(one, other), 0)

        pairs, left = pair(names, cost)
        for name in left:
            met[name, ""] = met.get((name, ""), 0) + 1
        made: list[Message] = []
        for one, other in pairs:
            room = self._seat(waiting[one], waiting[other], terms)
            if room is None:
                left += [one, other]
                continue
            met[_both(one, other)] = met.get(_both(one, other), 0) + 1
            made.append({"room": room, "users": [one, other]})
        for name in list(left) if alone is not None else ():
            room = self._seat(waiting[name], None, alone or terms)
            if room is not None:
                left.remove(name)
                made.append({"room": room, "users": [name]})
        self._note(session, f"pair, group {group!r}, {len(made)} rooms")
        return {"rooms": made, "left": left}

    def _met_in(self, group: str) -> dict[tuple[str, str], int]:
        met = self._met.pop(group, {})
        self._met[group] = {} if len(met) > MOST_MET else met
        while len(self._met) > MOST_GROUPS:
            del self._met[next(iter(self._met))]
        return self._met[group]

    def _seat(self, one: Session, other: Session | None, terms: Terms) -> str | None:
        """Open a room for two connections, or one; return its name, None if that is impossible."""
        name, registry = self._lobby.room_name(), self._lobby.registry
        if not one.can_sit(name) or (other is not None and not other.can_sit(name)):
            return None
        registry.create(one.sit(name), name, terms)
        if not registry.has_room(name):
            return None
        if other is not None:
            registry.join(other.sit(name), name, "PLAYER", terms.key)
        return name

    # Codes

    async def _make_code(self, session: Session, request: requests.Code) -> Message:
        user = session.user or ""
        if session.connection.is_visitor or is_given(user):
            raise NotLoggedIn("log in first: the code is for a terminal of your account")
        if not self._accounts.tokens.days:
            raise NoTokens("this server keeps no logins: log in there with the password")
        now = int(self._utc())
        ends = now + PAIRS
        code = await self._tables.ask(DeskTables.make_code, user, "pair", now, ends)
        return {"code": shown_code(code), "seconds": PAIRS}

    async def _use_code(self, session: Session, request: requests.Code) -> Message:
        connection, code = session.connection, plain_code(request.code or "")
        if not code:
            raise BadCode("a code has eight letters and digits, such as abcd-efgh")

        def check() -> Deferred[tuple[str, Kind]]:
            return self._tables.ask(DeskTables.check_code, code, int(self._utc()))

        name, kind = await self._accounts.slowed(code, connection.host, check)
        password = b""
        if kind == "slip":
            if request.password is None:
                raise PasswordNeeded(f"choose a password for {name}")
            password = password_bytes(request.password)
            check_password(password, self._accounts.min_password)
        await self._tables.ask(DeskTables.spend_code, code, name, kind)
        _log.info("{user!r}: {kind} used from {peer}", user=name, kind=kind, peer=connection.host)
        if kind == "slip":
            set_password = self._accounts.set_password
            token = await set_password(name, password, connection.host, connection.is_half_closed)
        else:
            token = await self._token_of(name)
        if token is None:
            return {"user": name}
        return {"user": name, "token": token.text, "expires": utc_text(token.expires)}

    async def _token_of(self, name: str) -> Token | None:
        account = await self._stored.ask(AccountTables.get, name)
        token = None if account is None else await self._accounts.tokens.give(account)
        if token is None:
            raise BadCode(WRONG)  # removed, or with another password, a moment ago
        return token


def _both(one: str, other: str) -> tuple[str, str]:
    return (min(one, other), max(one, other)) if other else (one, "")


def _time(seconds: int) -> str:
    return utc_text(seconds).replace(".000", "")


def _mark_json(mark: Marked) -> Message:
    return {"have": mark.have, "passed": mark.passed} | ({"last": mark.last} if mark.last else {})


async def _reaching(work: Work[Message]) -> Message:
    """Await the work. Raises ArchiveAway if the database fails."""
    try:
        return await work
    except (StoreAwayError, StoreClosedError):
        raise ArchiveAway("the server's database is unavailable: try again") from None
