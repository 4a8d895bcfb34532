"""openapi.json against real servers: each path, each status, each body, and no other paths."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jsonschema_rs import Draft202012Validator
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH, temporary_directory
from tests.archive.helpers import match
from tests.plugins.web.openapi import OPENAPI, OPERATIONS, Operation, described_text
from tests.plugins.web.routes import FILLED, api_paths
from tests.programs import LOCAL, Program
from tests.protocols.lobby.observer import RoomObserver
from tests.terminal.processes import PATIENCE
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.tables import MatchTables
from tictac.ratings.tables import RatingTables
from tictac.storage.sqlite import SqliteDatabase, create_database

SPEC = json.loads(OPENAPI.read_text("utf-8"))
PASSWORD = "secret"  # of HASH

GOOD = {
    "match": "zoe", "player": "alice", "game": "tictactoe", "room": "den", "tournament": "robin",
    "round": "1", "result": "won", "since": "2023-01-01", "until": "2030-01-01", "limit": "2",
    "seat": "1", "first": "1", "draws": "nim,tictactoe", "state": "open", "rooms": "den,attic",
    "group": "8b", "format": "pgn", "key": "", "series": "term", "day": "2026-01-01",
    "moves": "3", "number": "1",
}  # fmt: skip
"""Values of parameters that the servers of the tests know."""

ELSEWHERE = {"get_report": {"tournament": "swiss"}, "get_private_room": {"room": "attic"},
             "get_private_chat_link": {"room": "attic"}}  # fmt: skip
"""Other values that an operation needs."""

BAD = {
    "match": ["nothing", "hidden"], "player": ["nobody", "%00"], "game": ["quoridor"],
    "room": ["nothing"], "key": ["wrong"], "tournament": ["nothing", "robin", "swiss"],
    "round": ["x"], "result": ["x"], "since": ["now"], "cursor": ["nowhere", "%00"],
    "limit": ["x", "0", "101"], "seat": ["x", "9"], "first": ["x", "0"], "state": ["x"],
    "group": ["%00"],
}  # fmt: skip
"""Wrong values, of which an operation refuses at least one for each of its statuses."""

ELSEWHERE_TESTED = {
    (name, status)
    for name in ("export_match", "get_series", "get_player_of_series", "get_puzzle", "get_board")
    for status in (200, 304)
}
"""What needs a package with formats (test_api.py), a ladder (ladder/test_pages.py), a puzzle, or a
running game (hosting/test_pages.py)."""


def fill(database: SqliteDatabase) -> None:
    """Add accounts with a rated match, which counts, and with a private one."""
    AccountTables(database).add_many([Account(user, HASH) for user in ("alice", "bob")])
    MatchTables(database).add_all([match("zoe", rated=True), match("hidden", private=True)])
    RatingTables(database).count(10)


class Server:
    """A server of its own process, and an HTTP connection to it."""

    def __init__(self, case: SynchronousTestCase, *options: str) -> None:
        folder = temporary_directory(case)
        create_database(folder / "users.db", fill)
        (folder / "secret").write_text("s")
        # No mail server and no XMPP server is there: the parts only wait for them.
        self.program = Program(
            case, folder, "--port", LOCAL, "--web", LOCAL, "--tournaments", "accounts",
            "--budget", "0", "--web-timeout", "0",
            "--public-url", "http://play.test", "--notices-contact", "a@play.test",
            "--xmpp-component", "games.play.test", "--xmpp-secret-file", "secret",
            "--xmpp-server", "tcp:127.0.0.1:1", *options,
        )  # fmt: skip
        self.program.wait_for("tictac is up")
        found = re.search(r"web: listening on (\S+) port (\d+)", self.program.log)
        assert found, self.program.log
        self._http = HTTPConnection(found[1], int(found[2]), timeout=PATIENCE)
        case.addCleanup(self._http.close)

    def log_in(self, case: SynchronousTestCase, user: str) -> RoomObserver:
        """Log in over the lobby protocol."""
        person = RoomObserver(self.program)
        case.addCleanup(person.close)
        person.send(do="login", user=user, password=PASSWORD)
        self.answer = person.read()
        return person

    def ask(
        self, path: str, method: str = "GET", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        self._http.request(method, path, headers=headers)
        answer = self._http.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()


def filled(operation: Operation, **given: str) -> str:
    """Return a path of an operation, with these values instead of the usual ones."""
    values = GOOD | ELSEWHERE.get(operation.name, {}) | given
    path = re.sub(r"{(\w+)}", lambda name: quote(values[name[1]], safe="%"), operation.path)
    query = {name: values[name] for name in operation.query if name in values}
    return path + ("?" + urlencode(query, safe="%,") if query else "")


def response_of(operation: Operation, status: int) -> dict[str, Any]:
    """Return the described response; fail for a status that isn't described."""
    responses = SPEC["paths"][operation.path]["get"]["responses"]
    assert str(status) in responses, f"{operation.path} isn't described to answer {status}"
    found: dict[str, Any] = responses[str(status)]
    if "$ref" in found:
        found = SPEC["components"]["responses"][found["$ref"].rpartition("/")[2]]
    return found


def validate(schema: dict[str, Any], body: object) -> None:
    """Hold a body to a schema of the description."""
    Draft202012Validator({"components": SPEC["components"], **schema}).validate(body)


class RealServerTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.given: set[tuple[str, int]] = set()

    def ask(
        self, server: Server, operation: Operation, path: str, method: str = "GET", **headers: str
    ) -> tuple[int, dict[str, str]]:
        """Send a request, and hold the answer to its description."""
        status, fields, body = server.ask(path, method, **headers)
        self.given.add((operation.name, status))
        described = response_of(operation, status)
        for name in described.get("headers", {}):
            assert name.lower() in fields, (path, status, name)
        if "content" not in described or method == "HEAD":
            assert body == b"", (path, status)
            return status, fields
        kind = fields["content-type"].partition(";")[0]
        schema = described["content"][kind].get("schema", {})
        validate(schema, json.loads(body) if kind == "application/json" else body.decode())
        return status, fields

    def fill_rooms(self, server: Server) -> None:
        """Open a room, a private one, and two tournaments."""
        alice, bob = server.log_in(self, "alice"), server.log_in(self, "bob")
        alice.send(do="open", game="tictactoe", room="den", clock={"initial": 60})
        alice.send(do="open", game="nim", room="attic", private=True)
        found = [alice.read() for _ in range(4)]
        (GOOD["key"],) = [each["key"] for each in found if "key" in each]
        for each, system, name in ((alice, "round-robin", "robin"), (bob, "swiss", "swiss")):
            plan = {"name": name, "system": system, "game": "tictactoe", "rounds": 1}
            plan |= {} if system == "swiss" else {"rounds": None}
            each.send(do="admin", act="tournament", tournament=name, plan=plan)
            assert each.read()["tournament"] == name
            each.send(do="enter", tournament=name)
            assert each.read()["you"]["state"] == "entered"
        bob.send(do="lobby")
        while "ratings" not in json.dumps(bob.read()):
            pass  # the server reads them from the database, which changes the list once more

    def test_every_answer_is_as_it_is_described(self) -> None:
        server = Server(self)
        self.fill_rooms(server)
        for operation in OPERATIONS:
            path = filled(operation)
            if (operation.name, 200) not in ELSEWHERE_TESTED:
                status, fields = self.ask(server, operation, path)
                assert status == 200, path
                assert self.ask(server, operation, path, "HEAD")[0] == 200
                known = {"If-None-Match": fields["etag"]}
                assert self.ask(server, operation, path, **known)[0] == 304
            assert self.ask(server, operation, path, "POST")[0] == 405
            for wrong in self.wrong(operation):
                self.ask(server, operation, wrong)
        hidden = Server(self, "--visitors", "none")
        for operation in OPERATIONS:
            self.ask(hidden, operation, filled(operation))
        keeps_nothing = Server(self, "--no-archive")
        for operation in OPERATIONS:
            self.ask(keeps_nothing, operation, filled(operation))
        # 503 is for a database that is unavailable: test_api.py.
        described = {
            (each.name, int(status))
            for each in OPERATIONS
            for status in SPEC["paths"][each.path]["get"]["responses"]
            if status != "503"
        }
        assert self.given == described - ELSEWHERE_TESTED

    def wrong(self, operation: Operation) -> Iterator[str]:
        """Yield paths with a wrong value each."""
        for name in (*operation.in_path, *operation.query):
            for value in BAD.get(name, ()):
                yield filled(operation, **{name: value})

    def test_a_pass_shows_what_the_description_says_that_it_does(self) -> None:
        server = Server(self, "--visitors", "none")
        server.log_in(self, "alice")
        scheme = SPEC["components"]["securitySchemes"]["pass"]
        assert (scheme["in"], scheme["name"]) == ("cookie", "pass")
        cookie = {"Cookie": f"{scheme['name']}={server.answer['pass']}"}
        for each in OPERATIONS:
            needs_it = SPEC["paths"][each.path]["get"]["security"] != []
            path = filled(each, match="zoe")
            without, _ = self.ask(server, each, path)
            assert (without == 403) == needs_it, path
            assert self.ask(server, each, path, **cookie)[0] != 403, path


class CompletenessTests(SynchronousTestCase):
    def test_the_description_is_made_of_the_code(self) -> None:
        made = "run: python -m tests.documents"
        assert OPENAPI.read_text("utf-8") == described_text(), made

    def test_every_path_is_described(self) -> None:
        patterns = [re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) for path in SPEC["paths"]]
        paths = {path.partition("?")[0] for path in api_paths()}
        sources = Path(__file__).parents[3].joinpath("tictac", "plugins").rglob("*.py")
        parts = {
            name for file in sources
            for name in re.findall(r'\.parts\["(\w+)"\] = ', file.read_text("utf-8"))
        }  # fmt: skip
        assert parts == {each.part for each in OPERATIONS if each.part}
        for path in paths - {f"/api/{FILLED}/{FILLED}"}:  # the case of all parts
            assert any(re.fullmatch(each, path) for each in patterns), path
        for each in patterns:
            each = each.replace(r"[^/]+\.[^/]+", "[^/]+")  # one case has a match and its files
            named = each.split("/")[2] in parts - {"tournaments"}
            assert named or any(re.fullmatch(each, path) for path in paths), each
