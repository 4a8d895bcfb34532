"""Clients that hang, flood, or are typed to otherwise."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.error import ConnectError

from tests.accounts.helpers import in_reactor
from tests.documents import BIN
from tests.helpers import needs_linux
from tests.plugins.check.clients import STARTERS
from tests.plugins.check.helpers import outcomes
from tictac.errors import SetupError
from tictac.plugins.check.cases import Outcome, Verdict
from tictac.plugins.check.clients.scene import ClientTarget, first_difference, read_asks
from tictac.plugins.check.peer import Patience, Peer
from tictac.plugins.check.report import causes, first_line
from tictac.plugins.check.scene import Harness
from tictac.plugins.check.suites import SUITES
from tictac.plugins.check.target import free_port
from tictac.plugins.classics.session.check.client import SessionClientScene

SESSION = f"{sys.executable} {STARTERS / 'session.py'} {{host}} {{port}}"


async def outcome(protocol: str, number: str, target: ClientTarget) -> Outcome:
    """Return what becomes of a case."""
    name = f"{protocol}-client"
    return (await outcomes(name, Harness(reactor, target, 1, 5.0), f"{name}-{number}"))[-1]


@in_reactor
async def test_a_client_that_floods_is_stopped() -> None:
    found = await outcome("session", "1.1", ClientTarget(reactor, "yes"))
    assert found.verdict is Verdict.FAIL
    assert found.came == "it prints without end, so the checker ended it after 256 KiB: y"
    assert sum(len(line.data) for line in found.transcript) < 1 << 20


@in_reactor
async def test_output_without_end_is_one_cause_and_the_first_sentence(tmp_path: Path) -> None:
    client = tmp_path / "client.py"
    client.write_text(
        "import socket, sys; s = socket.create_connection(sys.argv[1:3]); s.recv(9)\n"
        "while True: print('Please wait')"
    )
    command = f"{sys.executable} {client} {{host}} {{port}}"
    both = [await outcome("session", "1.2", ClientTarget(reactor, command)) for _ in range(2)]
    assert len(causes(both)) == 1
    # What came before depends on who was faster.
    assert re.match(
        r"Mend this first: the program prints without end after .* KiB: Please wait\)\.$",
        first_line(both),
    ), first_line(both)


@in_reactor
async def test_a_client_that_breaks_is_told_how_in_words(tmp_path: Path) -> None:
    client = tmp_path / "client.py"
    client.write_text(
        "import socket, sys; s = socket.create_connection(sys.argv[1:3]); s.recv(9); print([][0])"
    )
    command = f"{sys.executable} {client} {{host}} {{port}}"
    found = await outcome("session", "1.2", ClientTarget(reactor, command))
    assert found.died == "it ended with exit status 1: IndexError: list index out of range"
    assert "IndexError: list index out of range\\n'" in "".join(found.lines())


@in_reactor
async def test_a_client_that_hangs_costs_its_time_and_is_ended() -> None:
    found = await outcome("session", "1.1", ClientTarget(reactor, "sleep 600", start_limit=0.5))
    assert (found.verdict, found.came) == (Verdict.FAIL, "it didn't")
    assert found.seconds < 60


@in_reactor
async def test_moves_are_typed_as_one_says(tmp_path: Path) -> None:
    client = tmp_path / "client.py"
    asks = 'column, row = ask("Column: "), ask("Row: ")'
    other = asks.replace("column, row", "row, column")
    client.write_text((STARTERS / "session.py").read_text("utf-8").replace(asks, other))
    command = f"{sys.executable} {client} {{host}} {{port}}"
    assert (await outcome("session", "1.3", ClientTarget(reactor, command))).verdict is Verdict.FAIL
    told = ClientTarget(reactor, command, typed=r"{row}\n{column}")
    assert (await outcome("session", "1.3", told)).verdict is Verdict.PASS


@in_reactor
async def test_moves_may_be_typed_in_lower_case(tmp_path: Path) -> None:
    client, asks = tmp_path / "client.py", "words = sys.stdin.readline().upper().split()"
    source = (STARTERS / "connectfour.py").read_text("utf-8")
    assert asks in source
    refuses = "line = sys.stdin.readline(); words = line.upper().split() * line.islower()"
    client.write_text(source.replace(asks, refuses))
    command = f"{sys.executable} {client} {{host}} {{port}} {{name}}"
    told = ClientTarget(reactor, command, typed="{verb:lower} {column}")
    assert (await outcome("connectfour", "2.1", told)).verdict is Verdict.PASS


@in_reactor
async def test_a_letter_and_fixed_answers_are_typed(tmp_path: Path) -> None:
    client = tmp_path / "client.py"
    source = (STARTERS / "connectfour.py").read_text("utf-8")
    words = "words = sys.stdin.readline().upper().split()"
    assert words in source
    asks = "{'d': 'DROP', 'p': 'POP'}"
    client.write_text(
        "import sys\nassert sys.stdin.readline() == 'yes\\n'\n"
        + source.replace(
            words, f"words = sys.stdin.readline().split(); words[0] = {asks}[words[0]]"
        )
    )
    command = f"{sys.executable} {client} {{host}} {{port}} {{name}}"
    told = ClientTarget(reactor, command, typed="{letter:lower} {column}")
    harness = Harness(reactor, told, 1, 5.0, options={"asks": read_asks("host,=yes,port,name")})
    found = await outcomes("connectfour-client", harness, "connectfour-client-2.3")
    assert found[-1].verdict is Verdict.PASS, found[-1]


@pytest.mark.parametrize(
    "printed, told",
    [
        (b"-\n| X |\n-\n", 'where "| O |" belongs, it printed "| X |"'),
        (b"a\n-\n| O |\n", 'where "-" belongs, it printed ""'),
        (b"", "it printed nothing"),
        (b"y" * 400, "it printed 400 bytes, and last"),
    ],
)
def test_the_first_line_that_differs_is_told(printed: bytes, told: str) -> None:
    assert first_difference(printed, ["-", "| O |", "-"]).startswith(told)


@in_reactor
async def test_a_client_that_lingers_at_its_end_has_ended(tmp_path: Path) -> None:
    client, closed = tmp_path / "client.py", tmp_path / "closed"
    os.mkfifo(closed)
    window = os.open(closed, os.O_RDWR)
    client.write_text(
        f"print('no server; this window closes soon', flush=True)\nopen({str(closed)!r}).readline()"
    )
    command = f"{sys.executable} {client} {{host}} {{port}}"
    harness = Harness(reactor, ClientTarget(reactor, command), 1, limit=0.1)
    scene = SessionClientScene(harness, SUITES["session-client"].cases[0])
    # Later than the limit of the harness.
    reactor.callLater(1, os.write, window, b"\n")
    try:
        await scene.play("(there is no server)")
    finally:
        await scene.close()
        os.close(window)


def test_a_typing_error_in_typed_is_told_at_the_start() -> None:
    with pytest.raises(SetupError, match=r"of this client has the parts \{row\}, \{column\}"):
        SessionClientScene.check_typed("{colum}")
    SessionClientScene.check_typed(r"{row:lower}\n{column}")


@needs_linux
@in_reactor
async def test_a_stranger_at_the_port_is_sent_away(tmp_path: Path) -> None:
    go, port = tmp_path / "go", free_port("127.0.0.1")
    command = f"while [ ! -e {go} ]; do sleep 0.02; done; exec {SESSION}"
    target = ClientTarget(reactor, command.replace("{port}", str(port)), port=port)
    checking = Deferred.fromCoroutine(outcome("session", "1.3", target))
    stranger = Peer("stranger", reactor, Patience(300), lambda *line: None)
    while not stranger.connected:
        with suppress(ConnectError):
            await connectProtocol(HostnameEndpoint(reactor, "127.0.0.1", port), stranger)
    await stranger.expect_close()
    stranger.hang_up()
    go.touch()
    found = await checking
    assert found.verdict is Verdict.PASS, found


@in_reactor
async def test_what_plays_by_itself_may_move_anywhere() -> None:
    command = f"{BIN / 'tictac'} nim -h {{host}} -p {{port}} --auto random"
    found = await outcome("nim", "2.2", ClientTarget(reactor, command, typed=""))
    assert found.verdict is Verdict.PASS, found


@in_reactor
async def test_what_the_command_lacks_is_typed() -> None:
    command = f"{BIN / 'tictac'} connectfour --network"
    found = await outcome("connectfour", "2.1", ClientTarget(reactor, command))
    assert found.verdict is Verdict.PASS, found


@in_reactor
async def test_a_client_at_a_terminal() -> None:
    command = f"{BIN / 'tictac'} rooms {{host}} {{port}}"
    for number, verdict in (("4.3", Verdict.PASS), ("1.6", Verdict.NOT_APPLICABLE)):
        found = await outcome("rooms", number, ClientTarget(reactor, command, terminal=True))
        assert found.verdict is verdict, found


@in_reactor
async def test_how_a_client_has_crashed_is_told() -> None:
    found = await outcome("session", "1.2", ClientTarget(reactor, SESSION.replace("{port}", "x")))
    assert found.missing == "session-client-1.1"
    crashed = await outcome("session", "1.1", ClientTarget(reactor, SESSION.replace("{port}", "x")))
    assert "exit status 1: ValueError: invalid literal" in crashed.came
