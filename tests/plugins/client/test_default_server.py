"""The server of a command line without a port, at usual ports that a test can have."""

from __future__ import annotations

import socket
from threading import Thread

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.terminal.processes import PATIENCE
from tictac.plugins.client import default_server
from tictac.plugins.client.address import ServerAddress
from tictac.plugins.client.commands import suits_shell
from tictac.plugins.client.default_server import answers, find, server_here


class FindTests(SynchronousTestCase):
    def setUp(self) -> None:
        free = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        self.plain, self.tls = free
        self.ports = [each.getsockname()[1] for each in free]
        self.patch(default_server, "PORT", self.ports[0])
        self.patch(default_server, "TLS_PORT", self.ports[1])
        for each in free:
            self.addCleanup(each.close)

    def test_the_usual_port(self) -> None:
        assert find("127.0.0.1") == ServerAddress("127.0.0.1", self.ports[0])

    def test_that_of_tls(self) -> None:
        self.plain.close()
        assert find("127.0.0.1") == ServerAddress("127.0.0.1", self.ports[1], tls=True)

    def test_none(self) -> None:
        self.plain.close()
        self.tls.close()
        assert find("127.0.0.1") is None

    def test_a_name_that_nobody_can_have(self) -> None:
        assert find("x" * 70 + ".example") is None


class HereTests(SynchronousTestCase):
    def test_a_server_of_ones_own(self) -> None:
        with server_here() as place, socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE)
            client.connect(place.host.removeprefix("unix:"))
            client.sendall(b'{"do": "hello", "id": 1}\n')
            assert client.recv(100).startswith(b"{")

    def test_one_that_only_checks_whether_it_can_listen(self) -> None:
        path = temporary_directory(self) / "socket"
        with socket.socket(socket.AF_UNIX) as checking:
            checking.bind(str(path))
            checking.listen()
            closes = Thread(target=lambda: checking.accept()[0].close())
            closes.start()
            assert not answers(path)
            closes.join()
        assert not answers(path)


class ShellTests(SynchronousTestCase):
    def test_a_pipe_is_no_terminal(self) -> None:
        assert not suits_shell({"TERM": "xterm"})
