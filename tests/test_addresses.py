"""Limits count an IPv6 network as one address: no counter gets the host of a connection.

A connection has a ``host`` for log lines and trusted networks, and a ``place`` for limits.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path

import pytest
from twisted.internet.task import Clock

import tictac
from tests.helpers import Server
from tests.plugins.people.served import People
from tests.plugins.tournament.cups import plan_json
from tests.plugins.tournament.hosting.served import Tournaments
from tests.protocols.lobby.helpers import Person
from tictac.ip_networks import network_of
from tictac.net.budget import Budget
from tictac.net.limits import ConnectionLimit, FirstOnly, PeerRate
from tictac.plugins.people.settings import PeopleOptions
from tictac.storage.workers import Slots

ROOT = Path(tictac.__file__).parent

NO_CONNECTIONS = {
    "args",
    "place",
    "address",
    "where",
    "target",
    "self.target",
    "server.tournaments",
}
"""What has a host, but isn't a connection."""

NOT_OURS = {"client", "check", "running", "terminal"}
"""Folders of clients, and of programs that start servers."""

COUNT_BY_NETWORK = {
    "enter", "leave", "note", "is_first", "purse", "have_purse", "network_of", "is_within",
    "_count", "has_address", "verify", "login", "login_by_token", "register", "change", "_read",
    "export", "slowed", "set_password", "_read_other",
}  # fmt: skip
"""Functions that find the place of a host themselves (see below, and test_throttle.py)."""

ELSEWHERE = {"_counted_as", "_half_closed_as", "peer", "address", "where"}
"""Variables and keys for these functions, for log lines, and for admins."""

ONE, OTHER, THIRD = "2001:db8::1", "2001:db8::2:0:0:1", "2001:db8:0:1::1"


def uses(tree: ast.AST) -> Iterator[tuple[ast.Attribute, list[ast.AST]]]:
    """Yield each use of a ``host``, with the nodes around it, the inner ones first."""
    around: list[ast.AST] = []

    def walk(node: ast.AST) -> Iterator[tuple[ast.Attribute, list[ast.AST]]]:
        if isinstance(node, ast.Attribute) and node.attr == "host":
            yield node, around[::-1]
        around.append(node)
        for child in ast.iter_child_nodes(node):
            yield from walk(child)
        around.pop()

    return walk(tree)


def is_allowed(use: ast.Attribute, around: list[ast.AST]) -> bool:
    if ast.unparse(use.value) in NO_CONNECTIONS or not isinstance(use.ctx, ast.Load):
        return True
    for node in around:
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            return called.startswith("_log.") or called.rpartition(".")[2] in COUNT_BY_NETWORK
        if isinstance(node, ast.Assign):
            names = {name for each in node.targets for name in ast.unparse(each).split(", ")}
            return bool({name.removeprefix("self.") for name in names} & ELSEWHERE)
        if isinstance(node, ast.Dict):
            return any(
                isinstance(key, ast.Constant) and key.value in ELSEWHERE and value is use
                for key, value in zip(node.keys, node.values, strict=True)
            )
    return False


def wrong(source: str) -> list[int]:
    """Return the lines where something else gets a host."""
    return [use.lineno for use, around in uses(ast.parse(source)) if not is_allowed(use, around)]


def test_no_counter_gets_a_host() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path in ROOT.rglob("*.py")
        if not NOT_OURS & set(path.relative_to(ROOT).parts) and (lines := wrong(path.read_text()))
    }
    # The name of a service's object.
    found.pop("plugins/tournament/hosting/service.py", None)
    found.pop("plugins/tournament/ladder/service.py", None)
    found.pop("net/listening.py", None)  # the address of a port
    # Hosts that the server connects to.
    found.pop("plugins/notices/channels/email.py", None)
    found.pop("plugins/notices/channels/posting.py", None)
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        'who = f"guests of {session.connection.host}"',
        "count[connection.host] += 1",
        "self._used.setdefault(self.host, [])",
        "host = asker.host",
        "{connection.host: 1}",
    ],
)
def test_the_next_one_is_found(line: str) -> None:
    assert wrong(line) == [1]


# The functions that get hosts


def test_connections() -> None:
    limit = ConnectionLimit(0, 1)
    assert limit.enter(ONE) is None
    assert limit.enter(OTHER) == "too-many-connections-of-one-peer"
    assert limit.enter(THIRD) is None


def test_rates() -> None:
    rate = PeerRate(1, 1, Clock().seconds)
    assert [rate.allows(each) for each in (ONE, OTHER, THIRD)] == [True, False, True]


def test_log_lines() -> None:
    first = FirstOnly()
    assert [first.is_first("kind", each) for each in (ONE, OTHER, THIRD)] == [True, False, True]


def test_purses() -> None:
    budget = Budget(Clock(), Clock().seconds, 1, 1, (ip_network(OTHER),))
    assert budget.purse(ONE) is budget.purse("2001:db8::7") is not budget.purse(THIRD)
    assert budget.purse(ONE) is not budget.purse(OTHER)  # it is trusted


def test_slots() -> None:
    slots, entered = Slots(0), list[str]()

    def note(_: None, host: str) -> None:
        entered.append(host)

    for host in (ONE, OTHER, THIRD):
        slots.enter(host).addCallback(note, host)
    for _ in range(2):
        slots.leave()
    assert entered == [ONE, THIRD]


def test_a_place_is_its_own_place() -> None:
    assert network_of(network_of(ONE)) == network_of(OTHER) != network_of(THIRD)


# The requests that count by address


def guest(server: Server, host: str) -> Person:
    person = Person(server)
    person.visitor = server.connect(host=host)
    person.ask("guest")
    return person


def test_challenges() -> None:
    server = Server(guests=True)
    People(server, PeopleOptions(challenge_burst=1, max_challenges_got=9))
    bob = Person(server, "bob")
    bob.ask("hello", takes=["challenge"])
    codes = [
        guest(server, host).ask("challenge", user="bob", game="nim")[0].get("error")
        for host in (ONE, OTHER, OTHER, THIRD)
    ]
    assert codes == [None, None, "too-many-challenges", None]


def test_acts_in_tournaments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tictac.plugins.tournament.hosting.request_handlers.GUESTS_A_MINUTE", 2)
    server = Server(guests=True)
    Tournaments(server, "alice")
    plan = plan_json(system="arena", guests=True)
    [made] = Person(server, "alice").ask("admin", act="tournament", tournament="cup", plan=plan)
    assert made == {"answer": None, "tournament": "cup"}
    codes = [
        guest(server, host).ask("enter", tournament="cup")[0].get("error")
        for host in (ONE, OTHER, OTHER, THIRD)
    ]
    assert codes == [None, None, "too-many-events", None]
