"""TLS at every port, and certificates that are renewed while the server runs."""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from twisted.internet.testing import MemoryReactor
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.net.certificate import certificate
from tictac.net.listening import Listener
from tictac.net.tls import with_tls

pytest.importorskip("OpenSSL", exc_type=ImportError)


class SecureReactor(MemoryReactor):
    """Which keeps what TLS connections get their certificate from."""

    def listenSSL(
        self,
        port: int,
        factory: Any,
        contextFactory: Any,  # noqa: N803
        backlog: int = 50,
        interface: str = "",
    ) -> Any:
        self.creator = contextFactory
        return super().listenSSL(port, factory, contextFactory, backlog, interface)


def written(path: Path, content: bytes) -> None:
    """Write a file that is another one than before, whatever its size and time."""
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.replace(path)


class RenewalTests(SynchronousTestCase):
    def setUp(self) -> None:
        folder = temporary_directory(self)
        self.addCleanup(self.flushWarnings)  # Twisted hands pyOpenSSL what that finds old
        self.cert, self.key = folder / "cert:1.pem", folder / "key.pem"
        self.renew()
        self.reactor = SecureReactor()
        description = with_tls("tcp:0:interface=127.0.0.1", str(self.cert), str(self.key))
        self.listener = Listener(self.reactor, description, object(), "rooms")  # type: ignore[arg-type]
        self.listener.privilegedStartService()

    def renew(self) -> bytes:
        """Write a new key, and the certificate that belongs to it."""
        pem = certificate()
        written(self.key, pem)
        written(self.cert, pem)
        return ssl.PEM_cert_to_DER_cert(pem[pem.index(b"-----BEGIN CERT") :].decode())

    def shown(self) -> bytes:
        """Return the certificate that a new connection gets."""
        found = self.reactor.creator.serverConnectionForTLS(None).get_certificate()
        return bytes(found.to_cryptography().public_bytes(Encoding.DER))

    def test_what_was_renewed_is_read_when_it_has_settled(self) -> None:
        before = self.shown()
        renewed = self.renew()
        self.listener.look_again()
        assert self.shown() == before
        self.listener.look_again()
        assert self.shown() == renewed != before

    def test_files_that_havent_changed_are_left_alone(self) -> None:
        before = self.reactor.creator._current
        for _ in range(3):
            self.listener.look_again()
        assert self.reactor.creator._current is before

    def test_a_key_without_its_certificate_waits_for_it(self) -> None:
        before = self.shown()
        written(self.key, certificate())
        for _ in range(3):
            self.listener.look_again()
        assert self.shown() == before
        renewed = self.renew()
        for _ in range(2):
            self.listener.look_again()
        assert self.shown() == renewed

    def test_a_key_with_a_password_is_not_read_for_openssl_would_ask_for_it(self) -> None:
        written(self.key, b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
        with patch("twisted.internet.ssl.PrivateCertificate.loadPEM") as load:
            self.listener.reload()
        assert not load.called

    def test_a_file_that_could_stop_the_server_is_not_read(self) -> None:
        before = self.shown()
        for file in (self.key, self.cert):
            self.renew()
            file.unlink()
            os.mkfifo(file)
            with capturedLogs() as logs:
                self.listener.reload()
            assert str(logs[-1]["why"]) == f"{file} can't be read: it isn't a regular file"
            assert self.shown() == before
            file.unlink()

    def test_a_file_that_is_gone_for_a_while(self) -> None:
        before = self.shown()
        self.cert.rename(self.cert.with_suffix(".old"))
        for _ in range(3):
            self.listener.look_again()
        assert self.shown() == before

    def test_what_stands_below_the_certificate_is_its_chain(self) -> None:
        below = certificate()
        written(self.cert, self.cert.read_bytes() + below[below.index(b"-----BEGIN CERT") :])
        self.listener.reload()
        assert len(self.reactor.creator._current.extraCertChain) == 1
