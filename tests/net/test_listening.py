"""Endpoint strings, and knowing before the start what is wrong with them."""

from __future__ import annotations

import errno
import gc
import os
import socket
import subprocess
import sys
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from twisted.internet.address import IPv4Address
from twisted.internet.endpoints import quoteStringArgument
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.selectreactor import SelectReactor
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import globalLogPublisher
from twisted.python.lockfile import FilesystemLock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tictac.errors import SetupError
from tictac.logs import LIMITED
from tictac.net.connection import ConnectionFactory, Limits
from tictac.net.listening import Listener, check_endpoint, endpoint_description


def refusal(text: str) -> str:
    """Return why the server can't listen there."""
    with warnings.catch_warnings():
        # Twisted leaves it to the garbage collector to close a socket that it couldn't bind.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.disable()  # so that all of it stays young, and one quick collection finds it
        try:
            with pytest.raises(SetupError) as caught:
                check_endpoint(text)
            why = str(caught.value)
            del caught
            gc.collect(0)
        finally:
            gc.enable()
    return why


def stop(listener: Listener, reactor: Any) -> None:
    """Stop listening, and leave nothing of a reactor of the test's own."""
    stopped = listener.stop_listening()
    assert stopped is not None
    while not stopped.called:
        reactor.iterate(0.01)
    for reader in reactor.removeAll():
        reader.connectionLost(None)


class DescriptionTests(SynchronousTestCase):
    def test_a_number_is_a_tcp_port(self) -> None:
        assert endpoint_description("8123", 50) == "tcp:8123:backlog=50"
        assert endpoint_description("0", 50) == "tcp:0:backlog=50"
        assert endpoint_description("65535", 50) == "tcp:65535:backlog=50"
        assert endpoint_description("00080", 50) == "tcp:80:backlog=50"

    def test_numbers_that_are_none(self) -> None:
        for text in ("65536", "100000", "9" * 100):
            with pytest.raises(ValueError, match="port number"):
                endpoint_description(text)

    def test_tcp_and_tls_get_a_backlog(self) -> None:
        for text in ("tcp:80", "tcp6:80:interface=\\:\\:1", "ssl:443:privateKey=k.pem"):
            assert endpoint_description(text) == f"{text}:backlog=4096"

    def test_one_that_has_a_backlog_keeps_it(self) -> None:
        text = "tcp:80:backlog=7:interface=127.0.0.1"
        assert endpoint_description(text) == text

    def test_behind_a_proxy_the_backlog_is_named_too(self) -> None:
        assert endpoint_description("haproxy:tcp:80") == "haproxy:tcp:80:backlog=4096"

    def test_an_address_is_that_of_all_ports_without_one(self) -> None:
        assert endpoint_description("80", 5, "127.0.0.1") == "tcp:80:interface=127.0.0.1:backlog=5"
        assert endpoint_description("80", 5, "::1") == "tcp:80:interface=\\:\\:1:backlog=5"
        for text in ("tcp:80:interface=192.0.2.7:backlog=5", "unix:/run/tictac"):
            assert endpoint_description(text, 5, "127.0.0.1") == text

    def test_others_stay_as_they_are(self) -> None:
        for text in ("unix:/run/tictac", "systemd:domain=INET:index=0", "", "x"):
            assert endpoint_description(text) == text


class CheckTests(SynchronousTestCase):
    def test_a_port_that_is_free_stays_free(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as found:
            port = found.getsockname()[1]
        for _ in range(2):
            check_endpoint(f"tcp:{port}:interface=127.0.0.1")
        socket.create_server(("127.0.0.1", port)).close()

    def test_nobody_is_taken_on_trial(self) -> None:
        self.patch(socket.socket, "listen", lambda *_: self.fail("it listens"))
        check_endpoint("tcp:0:interface=127.0.0.1")

    def test_port_0(self) -> None:
        check_endpoint("tcp:0:interface=127.0.0.1")

    def test_a_busy_port(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as busy:
            text = f"tcp:{busy.getsockname()[1]}:interface=127.0.0.1"
            assert refusal(text) == f"cannot listen on {text}: Address already in use"

    def test_the_option_for_another_port_is_named(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as busy:
            text = f"tcp:{busy.getsockname()[1]}:interface=127.0.0.1"
            with pytest.raises(SetupError, match="already in use; --nim names another port"):
                check_endpoint(text, "nim")

    def test_a_unix_socket_leaves_nothing(self) -> None:
        path = temporary_directory(self) / "socket"
        for _ in range(2):
            check_endpoint(f"unix:{path}")
            assert not path.exists()

    def test_a_unix_socket_that_another_process_has_locked(self) -> None:
        path = temporary_directory(self) / "socket"
        lock = FilesystemLock(f"{path}.lock")
        assert lock.lock()
        with pytest.raises(SetupError, match="; --nim names another port"):
            check_endpoint(f"unix:{path}", "nim")

    def test_a_unix_socket_in_use(self) -> None:
        path = temporary_directory(self) / "socket"
        with socket.socket(socket.AF_UNIX) as busy:
            busy.bind(str(path))
            assert "in use" in refusal(f"unix:{path}")
            assert path.exists()

    def test_what_is_wrong_is_one_line(self) -> None:
        for text in (
            "", "x", "tcp", "tcp:", "tcp:http:nonsense=1", "nonsense:80", "8123", "tcp:80:80:80:80",
            "tcp:0:interface=192.0.2.1", "unix:/nowhere/at/all", "ssl:0:privateKey=/nowhere.pem",
            "tcp:0:interface=not an address",
        ):  # fmt: skip
            why = refusal(text)
            assert why.startswith(f"cannot listen on {text}: "), text
            assert "\n" not in why, text

    def test_a_file_that_could_stop_the_server_is_not_read(self) -> None:
        fifo = temporary_directory(self) / "key:1.pem"
        os.mkfifo(fifo)
        text = f"ssl:0:privateKey={quoteStringArgument(str(fifo))}"
        why = f"{fifo} can't be read: it isn't a regular file"
        assert refusal(text) == f"cannot listen on {text}: {why}"


class BusyReactor(MemoryReactorClock):
    """On which every port is taken."""

    def listenTCP(self, port: int, *arguments: Any, **options: Any) -> Any:
        raise CannotListenError("127.0.0.1", port, OSError(98, "Address already in use"))


class ListenerTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor = cast(Any, MemoryReactorClock())
        self.factory = Factory()
        self.listener = Listener(self.reactor, "tcp:8123:backlog=9", self.factory, "rooms")

    def test_it_listens_before_privileges_are_given_up(self) -> None:
        assert not self.reactor.tcpServers
        self.listener.privilegedStartService()
        [(port, factory, backlog, _)] = self.reactor.tcpServers
        assert (port, factory, backlog) == (8123, self.factory, 9)
        self.listener.startService()
        assert len(self.reactor.tcpServers) == 1

    def test_it_listens_without_that_too(self) -> None:
        self.listener.startService()
        assert len(self.reactor.tcpServers) == 1
        assert self.listener.port is not None
        assert self.listener.port.getHost() == IPv4Address("TCP", "0.0.0.0", 8123)

    def test_it_may_stop_listening_before_it_stops(self) -> None:
        self.listener.startService()
        self.listener.stop_listening()
        assert self.listener.port is None
        assert self.listener.running
        assert self.listener.stop_listening() is None
        self.listener.stopService()
        assert not self.listener.running

    def test_a_failure_reaches_who_starts_it(self) -> None:
        reactor: Any = BusyReactor()
        listener = Listener(reactor, "tcp:8123", self.factory, "rooms")
        with pytest.raises(SetupError) as caught:
            listener.privilegedStartService()
        assert str(caught.value) == "cannot listen on tcp:8123: Address already in use"


class AcceptingTests(SynchronousTestCase):
    def test_one_is_accepted_in_a_turn(self) -> None:
        reactor: Any = SelectReactor()
        accepted: list[object] = []
        factory = Factory.forProtocol(Protocol)
        factory.noisy = False
        factory.buildProtocol = accepted.append  # type: ignore[assignment,method-assign]
        listener = Listener(reactor, "tcp:0:interface=127.0.0.1", factory, "test")
        listener.privilegedStartService()
        assert listener.port is not None
        host: Any = listener.port.getHost()
        port = host.port
        for _ in range(3):
            self.addCleanup(socket.create_connection(("127.0.0.1", port)).close)
        counts = [0]
        while counts[-1] < 3:
            reactor.iterate(1)
            counts.append(len(accepted))
        assert all(after - before <= 1 for before, after in pairwise(counts))
        stop(listener, reactor)

    def test_a_lack_of_descriptors_doesnt_fill_the_log(self) -> None:
        reactor: Any = SelectReactor()
        factory = Factory.forProtocol(Protocol)
        factory.noisy = False
        listener = Listener(reactor, "tcp:0:interface=127.0.0.1", factory, "test")
        listener.privilegedStartService()
        port: Any = listener.port
        listening = port.socket
        seen: Any = []
        globalLogPublisher.addObserver(seen.append)
        self.addCleanup(globalLogPublisher.removeObserver, seen.append)
        LIMITED.begin(2)
        self.addCleanup(LIMITED.begin, 0)
        port.socket = FullSocket(listening)
        for _ in range(20):
            port.doRead()
            reactor.iterate(0)
        port.socket = listening
        refused = [event for event in seen if "Could not accept" in event["log_format"]]
        assert len(refused) == 2
        stop(listener, reactor)


class FullSocket:
    def __init__(self, listening: socket.socket) -> None:
        self.fileno = listening.fileno

    def accept(self) -> object:
        raise OSError(errno.EMFILE, "Too many open files")


class ConnectRateTests(SynchronousTestCase):
    def test_nothing_is_made_for_who_connects_too_often(self) -> None:
        for prefix, allowed, refused in (("", 3, {"too-many-connects": 6}), ("haproxy:", 9, {})):
            reactor: Any = SelectReactor()
            limits = Limits(max_connections_per_peer=3, connect_rate=1)
            host = ConnectionFactory(reactor, reactor.seconds, limits=limits)
            listener = Listener(reactor, f"{prefix}tcp:0:interface=127.0.0.1", host, "test")
            listener.privilegedStartService()
            port: Any = listener.port
            build, address = port.factory.buildProtocol, IPv4Address("TCP", "192.0.2.1", 1)
            assert sum(build(address) is not None for _ in range(9)) == allowed
            assert build(IPv4Address("TCP", "192.0.2.2", 1)) is not None
            assert host.refusals.counts == refused
            stop(listener, reactor)


def test_no_socket_is_left_open(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    for text in ("tcp:0:interface=127.0.0.1", f"unix:{tmp_path}/socket"):
        check_endpoint(text)
    gc.collect()
    assert not [str(warning.message) for warning in recwarn]


def test_tls_without_its_packages() -> None:
    code = """
import sys
sys.modules["OpenSSL"] = None
from tictac.errors import SetupError
from tictac.net.listening import check_endpoint
try:
    check_endpoint("ssl:0:privateKey=key.pem")
except SetupError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    why = "TLS needs packages that aren't installed: pip install '.[tls]'"
    assert done.stdout == f"cannot listen on ssl:0:privateKey=key.pem: {why}\n"
