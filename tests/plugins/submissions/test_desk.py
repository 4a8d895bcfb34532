"""Submitted programs over the lobby protocol and HTTP."""

from __future__ import annotations

import base64
import json
from typing import Any, cast

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import InstantPool
from tests.plugins.submissions.archives import BOT, archive
from tests.plugins.web.helpers import HOST, WebServer, answer, request
from tests.protocols.lobby.helpers import Person
from tictac.accounts.tables import AccountTables
from tictac.net.plugin import ProtocolService
from tictac.plugins.submissions.desk import UPLOAD_TIME, Desk, Limits
from tictac.plugins.submissions.pages import LONGEST_BEAT, LONGEST_TEXT, ProgramPages, RunnerPages
from tictac.protocols.lobby.admin import Admin

NOW = 1_700_000_000.0

PLAN = {"game": "nim", "options": {}, "clock": {"initial": 30, "increment": 0}, "group": ""}

Given = Any
"""JSON, or its parts."""


class Threads:
    """A reactor whose threads work at once."""

    def __init__(self, clock: Any) -> None:
        self.seconds, self.pool = clock.seconds, InstantPool()
        self.pool.start()

    def getThreadPool(self) -> InstantPool:
        return self.pool

    def callFromThread(self, call: Any, *words: Any) -> None:
        call(*words)


class DeskCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.web = WebServer()
        self.server = server = self.web.rooms
        self.now = NOW
        execute = server.store.database.execute
        execute("INSERT INTO series VALUES ('term', 'open', 1, ?)", (json.dumps(PLAN),))
        self.desk = Desk(server.store, server.accounts, Limits(4096, 3, 60.0),
                         cast(Any, Threads(server.clock)), lambda: self.now)  # fmt: skip
        server.lobby.extend(self.desk)
        pages: Any = self.web.site.resource
        programs, runners = ProgramPages(self.desk, server.accounts), RunnerPages(self.desk)
        pages.others |= {b"/programs/": programs, b"/runner/": runners}
        self.web.site.bodies += [programs.longest, runners.longest]
        part = cast(ProtocolService, type("Part", (), {"factories": []}))
        server.lobby.admin = Admin(
            server.accounts, server.registry, lambda: [part], server.lobby.day_time, lambda: 1.0
        )
        AccountTables(server.store.database).set_admin("carol", True)
        self.alice, self.carol = Person(server, "alice"), Person(server, "carol")

    def post(self, path: str, body: bytes, *headers: str) -> tuple[int, Given]:
        transport = self.web.connect()
        length = f"Content-Length: {len(body)}"
        transport.arrive(request(path, f"Host: {HOST}", length, *headers, method="POST") + body)
        data = transport.take()
        if transport.disconnected:
            return 0, {}
        status, _, found = answer(data)
        return status, json.loads(found) if found.startswith(b"{") else found

    def push(self, data: bytes = b"") -> tuple[int, Given]:
        [offered] = self.alice.ask("push")
        return self.post(offered["upload"], data or archive(BOT))

    def add_runner(self, name: str = "one") -> str:
        [added] = self.carol.ask("runners", act="add", runner=name)
        token: str = added["token"]
        return token

    def ask(self, runner: str, what: str, **fields: Given) -> tuple[int, Given]:
        return self.post(f"/runner/{what}", json.dumps(fields).encode(),
                         f"Authorization: Bearer {runner}")  # fmt: skip

    def claim(self, runner: str, **places: int) -> list[Given]:
        status, found = self.ask(runner, "claim", **places)
        assert status == 200, found
        work: list[Given] = found["work"]
        return work


class AuthorTests(DeskCase):
    def test_an_upload_becomes_a_version(self) -> None:
        status, pushed = self.push()
        assert (status, pushed["number"], pushed["state"]) == (200, 1, "received")
        [listed] = self.alice.ask("programs")
        assert [each["series"] for each in listed["programs"]] == ["term"]
        [shown] = self.alice.ask("programs", number=1)
        assert shown["command"] == "python3 main.py {host} {port} {name}"
        assert self.alice.error("programs", number=2) == "no-such-program"
        [others] = Person(self.server, "bob").ask("programs")
        assert others["programs"] == []

    def test_an_address_is_good_for_one_upload_and_an_hour(self) -> None:
        [offered] = self.alice.ask("push")
        assert self.post(offered["upload"], archive(BOT))[0] == 200
        assert self.post(offered["upload"], archive(BOT))[1]["error"] == "no-such-program"
        [offered] = self.alice.ask("push")
        self.server.clock.advance(UPLOAD_TIME + 1)
        assert self.post(offered["upload"], b"")[1]["error"] == "no-such-program"

    def test_an_address_without_an_upload_shows_the_latest_version(self) -> None:
        """A server that was restarted has forgotten the address of an upload."""
        [offered] = self.alice.ask("push")
        state = offered["upload"].replace("/upload/", "/state/")
        assert self.web.get(state)[0] == 404
        self.push()
        self.push()
        status, _, found = self.web.get(state)
        assert (status, json.loads(found)["number"]) == (200, 2)

    def test_only_such_an_address_gets_a_large_body(self) -> None:
        data = archive(BOT) + bytes(1000)
        assert self.post("/programs/upload/guessed", data) == (0, {})
        [offered] = self.alice.ask("push")
        assert self.post(offered["upload"], bytes(5000)) == (0, {})
        assert self.post("/runner/beat", bytes(LONGEST_BEAT + 1)) == (0, {})

    def test_a_bad_archive_is_refused_with_its_reason(self) -> None:
        status, found = self.push(archive({"../main.py": b""}))
        assert (status, found["error"]) == (400, "bad-program")
        assert "'../main.py' isn't a name" in found["message"]

    def test_an_account_has_a_daily_limit(self) -> None:
        for _ in range(3):
            assert self.push()[0] == 200
        assert self.push()[1]["error"] == "too-many-programs"

    def test_a_login_over_http(self) -> None:
        def log_in(scheme: str, text: str) -> tuple[int, Given]:
            given = base64.b64encode(text.encode()).decode()
            return self.post("/programs/login", b"", f"Authorization: {scheme} {given}")

        status, found = log_in("Basic", "alice:secret")
        assert status == 200 and found["largest"] == 4096
        status, again = log_in("Token", f"alice:{found['token']}")
        assert status == 200 and again["upload"] != found["upload"]
        assert self.post(again["upload"], archive(BOT))[0] == 200
        state = again["upload"].replace("upload", "state", 1)
        found = json.loads(self.web.get(state)[2])
        assert (found["state"], found["number"]) == ("received", 1)
        assert log_in("Token", "alice:guess")[0] == 401
        assert log_in("Basic", "alice:wrong")[1]["error"] == "wrong-password"
        assert log_in("Basic", "alice")[1]["error"] == "not-logged-in"

    def test_guests_have_no_programs(self) -> None:
        assert self.post("/programs/login", b"")[0] == 401
        guest = Person(self.server)
        assert guest.error("push") == guest.error("programs") == "not-logged-in"


class RunnerTests(DeskCase):
    def setUp(self) -> None:
        super().setUp()
        self.push()
        self.one = self.add_runner()

    def test_a_runner_gets_work_with_all_that_it_needs(self) -> None:
        [job] = self.claim(self.one, gates=2, plays=2)
        assert (job["user"], job["number"], job["series"]) == ("alice", 1, "term")
        assert (job["state"], job["level"]) == ("received", "beginner")
        assert job["terms"] == {"game": "nim", "clock": PLAN["clock"]}
        assert self.ask(self.one, "files", token=job["token"]) == (200, archive(BOT))
        assert self.claim(self.one, gates=2, plays=2) == []
        other = self.add_runner("two")
        assert self.ask(other, "files", token=job["token"])[0] == 404
        assert self.ask(other, "beat", token=job["token"]) == (200, {"go": False})

    def test_another_runner_gets_the_work_of_a_silent_one(self) -> None:
        [job] = self.claim(self.one, gates=1)
        other = self.add_runner("two")
        self.now += 59
        assert self.claim(other, gates=1) == []
        assert self.ask(self.one, "beat", token=job["token"]) == (200, {"go": True})
        self.now += 61
        [again] = self.claim(other, gates=1)
        assert again["token"] != job["token"]
        assert self.ask(self.one, "beat", token=job["token"]) == (200, {"go": False})

    def test_a_report_reaches_the_author_in_its_limits(self) -> None:
        [job] = self.claim(self.one, gates=1)
        loss = {"how": "timed out", "words": "w" * 999, "else": "x"}
        text = "x" * LONGEST_TEXT + "\0end"
        self.ask(self.one, "beat", token=job["token"], report=text, losses=[loss, 7], games=2)
        [shown] = self.alice.ask("programs", number=1)
        assert len(shown["report"]) == LONGEST_TEXT and shown["report"].endswith("xend")
        assert shown["losses"] == [{"how": "timed out", "words": "w" * 200}]
        assert (shown["games"], shown["lost"], shown["reasons"]) == (2, 1, {"timed out": 1})

    def test_bad_reports(self) -> None:
        [job] = self.claim(self.one, gates=1)
        bad: Given
        for bad in ({"state": "won"}, {"report": 1}, {"games": -1}, {"losses": {}}, {"rest": "x"}):
            status, found = self.ask(self.one, "beat", token=job["token"], **bad)
            assert (status, found["error"]) == (400, "bad-filter"), bad
        status, _ = self.post("/runner/claim", b"[", f"Authorization: Bearer {self.one}")
        assert status == 400

    def test_only_runners_get_work(self) -> None:
        assert self.ask("guess", "claim")[0] == 401
        assert self.post("/runner/claim", b"{}")[0] == 401
        self.carol.ask("runners", act="remove", runner="one")
        assert self.ask(self.one, "claim")[0] == 401

    def test_a_program_logs_in_by_its_lease_and_only_plays(self) -> None:
        [job] = self.claim(self.one, gates=1)
        program = Person(self.server)
        [entered] = program.ask("run", token=job["token"])
        assert entered["user"] == "alice"
        for do, fields in (
            ("programs", {}), ("push", {}), ("logout", {}), ("seek", {"game": "nim"}),
            ("password", {"old": "secret", "password": "stolen"}),
            ("admin", {"act": "on"}), ("open", {"game": "nim"}),
            ("say", {"room": "den", "text": "x"}),
        ):  # fmt: skip
            assert program.error(do, **fields) == "only-plays", do
        found = program.ask("open", game="nim", computer="beginner")
        assert "room" in found[0], found

    def test_a_lease_that_ended_is_no_login(self) -> None:
        [job] = self.claim(self.one, gates=1)
        self.now += 60
        assert Person(self.server).error("run", token=job["token"]) == "no-such-program"
        assert Person(self.server).error("run", token="") == "no-such-program"


class AdminTests(DeskCase):
    def test_submissions_for_the_teacher(self) -> None:
        self.push()
        AccountTables(self.server.store.database).set_group("alice", "7b")
        [found] = self.carol.ask("submissions", group="7b")
        [row] = found["submissions"]
        assert (row["user"], row["group"], row["state"]) == ("alice", "7b", "received")
        [found] = self.carol.ask("submissions", group="8a")
        assert found["submissions"] == []
        assert self.alice.error("submissions") == self.alice.error("runners") == "not-an-admin"

    def test_runners(self) -> None:
        self.add_runner()
        assert self.carol.error("runners", act="add", runner="one") == "runner-exists"
        assert self.carol.error("runners", act="remove", runner="two") == "no-such-runner"
        assert self.carol.error("runners", act="add", runner=" ") == "bad-filter"
        [found] = self.carol.ask("runners", act="list")
        assert [(each["runner"], each["seen"]) for each in found["runners"]] == [("one", None)]
