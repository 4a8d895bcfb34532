"""A mail server, and HTTPS services, with certificates for localhost."""

from __future__ import annotations

import gc
import ssl
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import load_pem_x509_certificate
from OpenSSL.crypto import FILETYPE_PEM, load_certificate
from OpenSSL.SSL import TLS_METHOD, Context
from twisted.internet.interfaces import IOpenSSLContextFactory
from twisted.internet.ssl import Certificate, trustRootFromCertificates
from twisted.internet.task import deferLater
from twisted.internet.tcp import Connection
from twisted.web.resource import Resource
from twisted.web.server import Site
from zope.interface import implementer

from tests.net.certificate import certificate
from tictac.plugins.check.target import free_port

PEM = certificate()

TRUST: Any = trustRootFromCertificates([Certificate(load_certificate(FILETYPE_PEM, PEM))])
"""A trust root for the certificate of the servers here."""


class MailServer:
    """A real mail server, in a thread of its own. ``answers`` are its replies to recipients."""

    def __init__(self, tls: str = "plain", user: bool = False) -> None:
        self.mails: list[Envelope] = []
        self.answers: list[str] = []
        self.data_answers: list[str] = []
        self.logins: list[tuple[bytes, bytes]] = []
        more: dict[str, Any] = {}
        if tls != "plain":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            with tempfile.NamedTemporaryFile() as file:
                Path(file.name).write_bytes(PEM)
                context.load_cert_chain(file.name)
            more = {"tls_context": context, "require_starttls": True}
            if tls == "implicit":
                more = {"ssl_context": context}
        if user:
            more |= {"authenticator": self._log_in, "auth_required": True}
            more |= {"auth_require_tls": tls == "starttls"}
        self._port = free_port()
        self._controller = Controller(
            self, hostname="127.0.0.1", port=self._port, ready_timeout=30, **more
        )

    def start(self) -> int:
        """Return the port."""
        self._controller.start()
        return self._port

    def stop(self) -> None:
        # asyncio leaves transports of TLS to the garbage collector.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            self._controller.stop()
            del self._controller
            gc.collect()

    def _log_in(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str,
                data: Any) -> AuthResult:  # fmt: skip
        self.logins.append((data.login, data.password))
        return AuthResult(success=data.password == b"secret", handled=False)

    # Hooks of aiosmtpd

    async def handle_RCPT(self, server: SMTP, session: Session, envelope: Envelope, address: str,
                          options: list[str]) -> str:  # fmt: skip
        if self.answers:
            return self.answers.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if self.data_answers:
            return self.data_answers.pop(0)
        self.mails.append(envelope)
        return "250 OK"


@implementer(IOpenSSLContextFactory)
class _Tls:
    """A context factory of pyOpenSSL; Twisted's own passes it objects that it deprecates."""

    def getContext(self) -> Context:
        context = Context(TLS_METHOD)
        context.use_certificate(load_pem_x509_certificate(PEM))
        context.use_privatekey(load_pem_private_key(PEM, None))  # type: ignore[arg-type]
        return context


class Hook(Resource):
    """Keeps what is posted; ``answer`` makes a status, headers, and a body."""

    isLeaf = True

    def __init__(self) -> None:
        super().__init__()
        self.posts: list[tuple[str, dict[bytes, bytes], bytes]] = []
        self.answer: Callable[[], tuple[int, dict[str, str], bytes]] = lambda: (201, {}, b"")

    def render_POST(self, request: Any) -> bytes:
        self.posts.append((request.uri.decode(), request.getAllHeaders(), request.content.read()))
        status, headers, body = self.answer()
        request.setResponseCode(status)
        for name, value in headers.items():
            request.setHeader(name, value)
        return body


class HookSite(Site):
    """A service on loopback to which the server posts."""

    noisy = False

    def __init__(self, reactor: Any) -> None:
        self.hook = Hook()
        super().__init__(self.hook, reactor=reactor)

    def log(self, request: object) -> None:
        pass

    def listen(self, reactor: Any) -> Any:
        """Return a port with TLS on loopback."""
        self._reactor = reactor
        self._port = reactor.listenSSL(0, self, _Tls(), interface="127.0.0.1")
        return self._port

    async def stop(self) -> None:
        """Close the port, after all connections are closed."""
        while any(isinstance(each, Connection) for each in self._reactor.getReaders()):
            await deferLater(self._reactor, 0.01)
        await self._port.stopListening()
