"""A mail server, and HTTPS services, with certificates for localhost."""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session
from OpenSSL.crypto import FILETYPE_PEM, load_certificate
from twisted.internet.ssl import Certificate, PrivateCertificate, trustRootFromCertificates
from twisted.web.http import HTTPChannel, Request
from twisted.web.server import Site

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
        self._controller.stop()

    def _log_in(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str,
                data: Any) -> AuthResult:  # fmt: skip
        self.logins.append((data.login, data.password))
        return AuthResult(success=data.password == b"secret")

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


class PostedRequest(Request):
    """A request that a test answers, and keeps in ``site.posts``."""

    def process(self) -> None:
        site: Any = self.channel.site
        assert self.content is not None
        site.posts.append((self.uri.decode(), self.getAllHeaders(), self.content.read()))
        status, headers, body = site.answer()
        self.setResponseCode(status)
        for name, value in headers.items():
            self.setHeader(name, value)
        self.write(body)
        self.finish()


class PostedChannel(HTTPChannel):
    requestFactory = PostedRequest


class HookSite(Site):
    """A service that keeps what is posted to it; ``answer`` makes its status, headers, and body."""

    protocol = PostedChannel  # type: ignore[assignment]
    noisy = False

    def __init__(self) -> None:
        super().__init__(None)
        self.posts: list[tuple[str, dict[bytes, bytes], bytes]] = []
        self.answer: Callable[[], tuple[int, dict[str, str], bytes]] = lambda: (201, {}, b"")

    def log(self, request: object) -> None:
        pass

    def listen(self, reactor: Any) -> Any:
        """Return a port with TLS on loopback."""
        options = PrivateCertificate.loadPEM(PEM).options()
        return reactor.listenSSL(0, self, options, interface="127.0.0.1")
