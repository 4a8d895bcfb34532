"""deploy/cluster.sh starts what docs/guides/postgresql.md says, behind HAProxy."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from unittest import skipIf

from tests.documents import BIN, ROOT, page
from tests.helpers import needs_linux
from tests.terminal.processes import read_until
from tests.test_end_to_end import Caller, ServerCase
from tictac.plugins.check.target import free_port

SCRIPT = ROOT / "deploy" / "cluster.sh"
PATIENCE = 60.0
PASSWORD = "a-long-secret"

_NEEDED = ("haproxy", "setpriv")
_PATH = f"{os.environ['PATH']}:/usr/sbin"
_POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
_MISSING = [name for name in _NEEDED if shutil.which(name, path=_PATH) is None]
_MISSING += [] if _POSTGRES else ["postgresql"]


def free_ports() -> int:
    """Return a free port whose cluster finds all its other ports free, too."""
    while True:
        first, taken = free_port(), [socket.socket() for _ in range(7)]
        try:
            for each, more in zip(taken, (1, 2, 101, 102, 202, 301, 302), strict=True):
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
    f"deploy/cluster.sh needs {', '.join(_MISSING)}",
)
class ClusterScriptTests(ServerCase):
    def setUp(self) -> None:
        super().setUp()
        # PostgreSQL, which isn't run by root, has to find its way through it.
        self.folder = Path(tempfile.mkdtemp(prefix="tictac-cluster-"))
        self.folder.chmod(0o711)
        self.addCleanup(shutil.rmtree, self.folder)
        self.port = free_ports()
        self.cluster = subprocess.Popen(
            [SCRIPT, "2", self.folder],
            cwd=self.folder,
            env={**os.environ, "PATH": f"{BIN}:{_PATH}", "FIRST_PORT": str(self.port)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.addCleanup(self.stop)
        assert self.cluster.stdout is not None
        log = read_until(self.cluster.stdout.fileno(), "\n")
        assert f"2 nodes: tictac play 127.0.0.1 {self.port} " in log, log

    def stop(self) -> None:
        self.cluster.terminate()
        self.cluster.communicate(timeout=PATIENCE)

    def connect(self) -> Caller:
        return Caller(self, socket.create_connection(("127.0.0.1", self.port), PATIENCE), b"\n")

    def node_of(self, user: str) -> int:
        """Return the number of the node that a user has logged in to."""
        for node in (1, 2):
            if f"{user!r} logged in" in (self.folder / f"node{node}.log").read_text():
                return node
        raise AssertionError(f"{user} is nowhere")

    def test_a_match_outlives_the_node_of_a_player(self) -> None:
        alice = self.connect().sign_up("alice", PASSWORD)
        bob = self.connect().sign_up("bob", PASSWORD)
        assert self.node_of("alice") != self.node_of("bob")
        alice.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
        alice.expect("BEGIN:alice:bob")
        alice.ask("PLACE:1:1", "BOARDSTATUS:000010000")
        bob.expect("BOARDSTATUS:000010000")
        pid = int((self.folder / f"node{self.node_of('alice')}.pid").read_text())
        node = os.pidfd_open(pid)
        self.addCleanup(os.close, node)
        signal.pidfd_send_signal(node, signal.SIGKILL)
        # A dying process takes connections to the last.
        assert select.select([node], [], [], PATIENCE)[0] and alice.at_end()
        # Bob needn't come back: he notices a pause, until the room is taken over.
        bob.ask("PLACE:0:0", "BOARDSTATUS:200010000")
        alice = self.connect()
        alice.ask(f"LOGIN:alice:{PASSWORD}", "LOGIN:ACKSTATUS:0")
        alice.ask(
            "JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "INPROGRESS:alice:bob", "BOARDSTATUS:200010000"
        )
        alice.ask("PLACE:0:2", "BOARDSTATUS:200010100")
        bob.expect("BOARDSTATUS:200010100")


def test_the_document_calls_it_so() -> None:
    text = page("postgresql").read_text("utf-8")
    assert re.search(r"^    deploy/cluster\.sh 3$", text, re.MULTILINE)
    used = "#   deploy/cluster.sh [NODES [FOLDER]]"
    assert used in SCRIPT.read_text("utf-8")


def test_the_containers_run_the_same() -> None:
    compose = (ROOT / "deploy" / "compose.yaml").read_text("utf-8")
    nodes = (ROOT / "deploy" / "nodes.cfg").read_text("utf-8")
    for node in re.findall(r"^    server (\w+) (\w+):5000 port 9000$", nodes, re.MULTILINE):
        assert f"\n  {node[1]}:\n    <<: *node\n" in compose and f"NODE: {node[1]}}}" in compose
