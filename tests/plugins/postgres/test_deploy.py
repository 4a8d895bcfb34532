"""deploy/standby.sh starts what docs/guides/postgresql.md says, behind HAProxy."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from unittest import skipIf

from tests.documents import BIN, ROOT, page
from tests.helpers import needs_linux
from tests.terminal.processes import read_until
from tests.test_end_to_end import Caller, ServerCase
from tictac.plugins.check.target import free_port

SCRIPT = ROOT / "deploy" / "standby.sh"
PATIENCE = 60.0
PASSWORD = "a-long-secret"

_NEEDED = ("haproxy", "setpriv")
_PATH = f"{os.environ['PATH']}:/usr/sbin"
_POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
_MISSING = [name for name in _NEEDED if shutil.which(name, path=_PATH) is None]
_MISSING += [] if _POSTGRES else ["postgresql"]


def free_ports() -> int:
    """Return a free port whose other ports are free, too."""
    while True:
        first, taken = free_port(), [socket.socket() for _ in range(8)]
        try:
            for each, more in zip(taken, (1, 2, 80, 81, 82, 101, 102, 202), strict=True):
                each.bind(("127.0.0.1", first + more))
        except OSError:
            continue
        else:
            return first
        finally:
            for each in taken:
                each.close()


@needs_linux
@skipIf(
    bool(_MISSING) and not os.environ.get("TICTAC_TEST_ALL"),
    f"deploy/standby.sh needs {', '.join(_MISSING)}",
)
class ScriptTests(ServerCase):
    def setUp(self) -> None:
        super().setUp()
        # PostgreSQL, which isn't run by root, has to find its way through it.
        self.folder = Path(tempfile.mkdtemp(prefix="tictac-standby-"))
        self.folder.chmod(0o711)
        self.addCleanup(shutil.rmtree, self.folder)
        self.port = free_ports()
        self.script = subprocess.Popen(
            [SCRIPT, self.folder],
            cwd=self.folder,
            env={**os.environ, "PATH": f"{BIN}:{_PATH}", "FIRST_PORT": str(self.port)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.addCleanup(self.stop)
        assert self.script.stdout is not None
        log = read_until(self.script.stdout.fileno(), "\n")
        assert f"a server and its standby: tictac play 127.0.0.1 {self.port}, " in log, log

    def stop(self) -> None:
        self.script.terminate()
        self.script.communicate(timeout=PATIENCE)

    def connect(self) -> Caller:
        return Caller(self, socket.create_connection(("127.0.0.1", self.port), PATIENCE), b"\n")

    def test_a_match_outlives_the_active_server(self) -> None:
        alice = self.connect().sign_up("alice", PASSWORD)
        bob = self.connect().sign_up("bob", PASSWORD)
        alice.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
        alice.expect("BEGIN:alice:bob")
        alice.ask("PLACE:1:1", "BOARDSTATUS:000010000")
        bob.expect("BOARDSTATUS:000010000")
        pid = int((self.folder / "server1.pid").read_text())
        server = os.pidfd_open(pid)
        self.addCleanup(os.close, server)
        signal.pidfd_send_signal(server, signal.SIGKILL)
        # A dying process takes connections to the last.
        assert select.select([server], [], [], PATIENCE)[0] and alice.at_end()
        alice = self.come_back("alice")
        bob = self.come_back("bob")
        bob.ask("PLACE:0:0", "BOARDSTATUS:200010000")
        alice.expect("BOARDSTATUS:200010000")

    def come_back(self, user: str) -> Caller:
        """Connect until the standby answers, and take the seat again."""
        for _ in range(round(PATIENCE / 0.2)):
            time.sleep(0.2)
            try:
                caller = self.connect()
                caller.ask(f"LOGIN:{user}:{PASSWORD}", "LOGIN:ACKSTATUS:0")
            except (OSError, AssertionError):
                continue
            state = ("INPROGRESS:bob:alice", "BOARDSTATUS:000010000")
            caller.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", *state)
            return caller
        raise AssertionError(f"{user} isn't back")


def test_the_document_calls_it_so() -> None:
    text = page("postgresql").read_text("utf-8")
    assert re.search(r"^    deploy/standby\.sh$", text, re.MULTILINE)
    assert "#   deploy/standby.sh [FOLDER]" in SCRIPT.read_text("utf-8")


def test_the_containers_run_the_same() -> None:
    compose = (ROOT / "deploy" / "compose.yaml").read_text("utf-8")
    servers = (ROOT / "deploy" / "servers.cfg").read_text("utf-8")
    found = re.findall(r"^    server (\w+) (\w+):5000 port 9000$", servers, re.MULTILINE)
    assert len(found) == 2
    for name, _ in found:
        assert f"\n  {name}: *server\n" in compose
