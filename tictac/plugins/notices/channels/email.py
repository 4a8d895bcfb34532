"""Notices by e-mail, through the operator's mail server.

One message goes to one address. What users choose gets into headers as values of EmailMessage,
which refuses line ends. RFC 8058 has the headers with which mail programs end the messages.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from io import BytesIO
from typing import NamedTuple, cast

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.endpoints import HostnameEndpoint, wrapClientTLS
from twisted.internet.interfaces import IStreamClientEndpoint, ITCPTransport
from twisted.internet.protocol import connectionDone
from twisted.internet.ssl import Certificate, optionsForClientTLS
from twisted.mail.smtp import ESMTPSender, ESMTPSenderFactory, SMTPClientError
from twisted.python.failure import Failure

from tictac.plugins.notices import texts
from tictac.plugins.notices.notifier import GoneError, Letter
from tictac.plugins.notices.refusals import BadAddress
from tictac.plugins.notices.tables import id_of_link
from tictac.reactor import Reactor

_ADDRESS = re.compile(
    r"[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=.{1,253}$)"
    r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
    r"(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*"
)
"""An address as HTML forms take it (HTML, "Email state"): no quotes, spaces, or line ends."""

_POLICY = SMTP.clone(linesep="\n", max_line_length=998)
"""Twisted makes the line ends of SMTP. A folded link would be encoded, which few programs read."""

INSIDE = ("local", "localhost", "internal", "arpa", "invalid")
"""Domains without mail of the Internet (RFC 6761, 6762)."""

TIMEOUT = 30
"""Seconds for connecting, and for each answer of the mail server."""

GONE = (550, 551, 553)
"""SMTP replies to a recipient that doesn't exist (RFC 5321, 4.2.3)."""

MOST_LINES = 30
"""Maximum matches in a message; Twisted's client needs messages below 16 KiB."""


class MailServer(NamedTuple):
    """Where messages are handed in, and by which address; an empty ``user`` needs no login.

    ``tls`` is plain, starttls, or implicit. ``trust_root`` is as of optionsForClientTLS.
    """

    host: str
    port: int
    sender: str
    tls: str = "starttls"
    user: str = ""
    password: str = ""
    trust_root: Certificate | None = None


class EmailNotifier:
    """A Notifier for e-mail; ``site`` is the name of this server, and ``url`` its page."""

    wish, asks, gap = "daily", True, 300

    def __init__(self, reactor: Reactor, server: MailServer, site: str, url: str) -> None:
        self._server, self._site, self._url = server, site, url
        self._domain = server.sender.rpartition("@")[2]
        self._tls = optionsForClientTLS(server.host, trustRoot=server.trust_root)
        endpoint: IStreamClientEndpoint = HostnameEndpoint(
            reactor, server.host, server.port, TIMEOUT
        )
        if server.tls == "implicit":
            endpoint = wrapClientTLS(self._tls, endpoint)
        self._endpoint = endpoint

    def public(self) -> dict[str, str]:
        return {}

    def check(self, address: str) -> str:
        if len(address) > 254 or not _ADDRESS.fullmatch(address):
            raise BadAddress(f"{address!r:.60} isn't an e-mail address")
        name, _, host = address.rpartition("@")
        _, dot, last = host.lower().rpartition(".")
        if not dot or last.isdecimal() or last in INSIDE:
            raise BadAddress(f"{host!r:.60} isn't a domain of the Internet")
        return f"{name}@{host.lower()}"

    async def send(self, address: str, letter: Letter) -> None:
        lines, language = letter.lines, letter.language
        subject = lines[0].title
        if len(lines) > 1:
            subject = texts.text("many", language, count=len(lines))
        parts = [f"{each.title}\n{each.body}\n{self._url}{each.path}" for each in lines]
        parts = [texts.text("hello", language, user=letter.user), *parts[:MOST_LINES]]
        parts.append(f"-- \n{texts.text('stop', language, link=letter.stop)}")
        message = self.message(address, letter.id, subject, "\n\n".join(parts) + "\n")
        message["List-Unsubscribe"] = f"<{letter.stop}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        message["List-Id"] = f"<notices.{self._domain}>"
        await self._deliver(address, message)

    async def ask(self, address: str, user: str, language: str, link: str) -> None:
        body = texts.text("confirm body", language, user=user, link=link)
        subject = texts.text("confirm", language)
        unique = id_of_link(link.rpartition("/")[2])
        await self._deliver(address, self.message(address, unique, subject, f"{body}\n"))

    def message(self, address: str, unique: str, subject: str, body: str) -> EmailMessage:
        """Return a message. Raises ValueError for a header with a line end."""
        message = EmailMessage(policy=_POLICY)
        message["From"] = Address(self._site, addr_spec=self._server.sender)
        message["To"] = Address(addr_spec=address)
        message["Subject"] = subject
        message["Date"] = format_datetime(datetime.now(UTC))
        # The same message, sent again, has the same id: mailboxes show it once.
        message["Message-ID"] = f"<{unique}@{self._domain}>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(body, cte="quoted-printable")
        return message

    async def _deliver(self, address: str, message: EmailMessage) -> None:
        server, sent = self._server, Deferred[object]()
        factory = ESMTPSenderFactory(
            server.user.encode() or None, server.password.encode() or None, server.sender,
            address, BytesIO(message.as_bytes()), sent, retries=0, timeout=TIMEOUT,
            contextFactory=self._tls if server.tls == "starttls" else None,
            requireAuthentication=bool(server.user), heloFallback=server.tls == "plain",
            requireTransportSecurity=server.tls != "plain", hostname=server.host,
        )  # fmt: skip
        factory.noisy = False
        factory.protocol = _Sender
        factory.domain = self._domain.encode()
        connected = cast(ESMTPSender, await self._endpoint.connect(factory))
        try:
            await sent
        except SMTPClientError as error:
            raise _described(error) from error
        except CancelledError:
            factory.sendFinished = True
            cast(ITCPTransport, connected.transport).abortConnection()
            raise


class _Sender(ESMTPSender):
    """A sender that reports a lost connection itself, because endpoints don't."""

    factory: ESMTPSenderFactory

    def timeoutConnection(self) -> None:
        if self.factory.sendFinished:  # only the goodbye of the mail server is missing
            cast(ITCPTransport, self.transport).abortConnection()
        else:
            super().timeoutConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        super().connectionLost(reason)
        if not self.factory.sendFinished:
            self.factory.sendFinished = True
            self.factory.result.errback(ConnectionError(reason.getErrorMessage()))


def _described(error: SMTPClientError) -> Exception:
    """Return GoneError if the recipient doesn't exist, otherwise a fault without the protocol."""
    addresses = cast("list[tuple[str, int, bytes]]", error.addresses or [])
    for _, code, answer in addresses:
        # 5.7.x is the policy of a mail server, such as for this sender (RFC 3463).
        if code in GONE and not answer.startswith(b"5.7."):
            return GoneError(f"{code} {_line(answer)}")
    for _, code, answer in addresses:
        if code >= 300:
            return OSError(f"{code} {_line(answer)}")
    return OSError(f"{error.code} {_line(error.resp)}" if error.code > 0 else _line(error.resp))


def _line(answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:150]
