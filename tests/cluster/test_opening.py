"""Where Redis is, and what is found out about it before anything listens."""

from __future__ import annotations

import socket
import sys
import threading
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tests.cluster.helpers import RedisServer, needs_redis
from tictac.cluster.address import Address, read_address
from tictac.cluster.opening import check_redis, open_rooms
from tictac.errors import SetupError


class AddressTests(SynchronousTestCase):
    def test_what_a_url_says(self) -> None:
        for text, address in [
            ("redis://localhost", Address("localhost")),
            ("redis://localhost:7000/3", Address("localhost", 7000, 3)),
            ("redis://[::1]:7000/", Address("::1", 7000)),
            ("redis://:pa%40ss@host/1", Address("host", 6379, 1, None, "pa@ss")),
            ("redis://me:word@host", Address("host", 6379, 0, "me", "word")),
        ]:
            assert read_address(text) == address

    def test_what_is_no_url(self) -> None:
        for text in (
            *("", "localhost", "redis:", "redis://", "http://host", "redis://host:0"),
            *("redis://host:70000", "redis://host/one", "redis://host/1/2", "redis://host?x=1"),
            *("redis://[host", "redis://host:port", "redis://host/\u00b2"),
        ):
            with pytest.raises(ValueError, match="it isn't redis://HOST:PORT/DB"):
                read_address(text)

    @given(st.text())
    def test_anything_else_is_refused_in_the_same_words(self, text: str) -> None:
        try:
            address = read_address(text)
        except ValueError as error:
            assert str(error) == "it isn't redis://HOST:PORT/DB"
        else:
            assert text.strip().lower().startswith("redis://") and address.host

    def test_the_password_isnt_shown(self) -> None:
        assert str(read_address("redis://me:word@host:7000/2")) == "redis://host:7000/2"

    def test_what_a_connection_begins_with(self) -> None:
        assert Address("host").greeting() == [("HELLO", "3")]
        assert Address("host", 1, 2, None, "\u00e4").greeting() == [
            ("HELLO", "3", "AUTH", "default", "\u00e4"), ("SELECT", "2"),
        ]  # fmt: skip
        [hello] = Address("host", 1, 0, "me", "word").greeting()
        assert hello == ("HELLO", "3", "AUTH", "me", "word")


class CheckTests(SynchronousTestCase):
    def refused(self, address: Address) -> str:
        with pytest.raises(SetupError) as caught:
            check_redis(address, 2.0)
        return str(caught.value)

    def serve(self, answer: bytes) -> Address:
        """Something that says ``answer`` to whatever it is told, once."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def run() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(answer)

        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)
        return Address("127.0.0.1", listener.getsockname()[1])

    def test_what_isnt_redis(self) -> None:
        for answer in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff\xfe", b""):
            address = self.serve(answer)
            assert self.refused(address) == f"--rooms: {address} doesn't serve: it isn't Redis"

    def test_what_redis_says_against_it(self) -> None:
        address = self.serve(b"-NOAUTH Authentication required.\r\n")
        assert self.refused(address).endswith("doesn't serve: NOAUTH Authentication required.")

    def test_a_package_that_is_missing(self) -> None:
        with mock.patch.dict(sys.modules, {"hiredis": None}):
            assert self.refused(Address("127.0.0.1", 1)) == (
                "--rooms needs packages that aren't installed: pip install '.[redis]'"
            )

    def test_nothing_is_opened_before_the_start(self) -> None:
        reactor = MemoryReactorClock()
        one, other = (
            open_rooms(reactor, Address("127.0.0.1"), 1, 5, 256, 30, lambda _: None)
            for _ in range(2)
        )
        assert not reactor.tcpClients and not reactor.getDelayedCalls()
        assert one.new_occupant_id().split(":")[0] != other.new_occupant_id().split(":")[0]


@needs_redis
class RealTests(SynchronousTestCase):
    def test_a_redis_that_wants_a_password(self) -> None:
        redis = RedisServer("--requirepass", "word")
        self.addCleanup(redis.stop)
        check_redis(Address("127.0.0.1", redis.port, 2, None, "word"), 5)
        for password, why in [(None, "NOAUTH"), ("other", "WRONGPASS")]:
            with pytest.raises(SetupError, match=why):
                check_redis(Address("127.0.0.1", redis.port, 0, None, password), 5)
