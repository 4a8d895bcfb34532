"""The checker's end of a client's XMPP stream: the login, and the stanzas after it.

Source: RFC 6120. A program passes with TLS or without, by SASL PLAIN or SCRAM-SHA-1: the
proposals of source 002 don't say how a user logs in.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
from base64 import b64decode, b64encode
from collections import deque
from pathlib import Path
from typing import Any

from twisted.words.xish import domish
from twisted.words.xish.domish import Element

from tictac.plugins.check.peer import MAX_SHOWN, Peer
from tictac.plugins.xmpp.xml import tag
from tictac.terminal.style import visible

DOMAIN = "localhost"
"""The domain of the checker's users, so that a client that reads it finds the checker."""

PASSWORD = "secret"
"""The password of all users."""

CLIENT = "jabber:client"
_STREAMS = "http://etherx.jabber.org/streams"
_SASL = "urn:ietf:params:xml:ns:xmpp-sasl"
_TLS = "urn:ietf:params:xml:ns:xmpp-tls"
_BIND = "urn:ietf:params:xml:ns:xmpp-bind"

_HANDSHAKE = b"\x16"
"""Begins TLS without STARTTLS, which some libraries try first (XEP-0368)."""

MOST_SHOWN = 1000
"""Maximum bytes of stanzas in one line of a report."""

_HEADER = (
    f"<?xml version='1.0'?><stream:stream xmlns='{CLIENT}' xmlns:stream='{_STREAMS}'"
    f" from='{DOMAIN}' id='check' version='1.0'>"
)
_STARTTLS = f"<starttls xmlns='{_TLS}'/>"
_MECHANISMS = (
    f"<mechanisms xmlns='{_SASL}'><mechanism>SCRAM-SHA-1</mechanism>"
    "<mechanism>PLAIN</mechanism></mechanisms>"
)
_SALT, _ROUNDS = b"tictac check", 4096


class Certificate:
    """A certificate of the checker as ``localhost``; its text is in the file at ``path``."""

    def __init__(self, folder: Path) -> None:
        """Make one. Raises ImportError without the packages for TLS."""
        import datetime

        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from twisted.internet.ssl import DefaultOpenSSLContextFactory

        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, DOMAIN)])
        now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
        made = (
            x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
            .not_valid_before(now - day)
            .not_valid_after(now + day)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(DOMAIN)]), critical=False)
            .sign(key, hashes.SHA256())
        )
        pem = made.public_bytes(serialization.Encoding.PEM)
        secret = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        self.path, key_path = folder / "ca.pem", folder / "key.pem"
        self.path.write_bytes(pem)
        self.path.chmod(0o644)  # the client can run as another user
        key_path.write_bytes(secret)
        self.contexts = DefaultOpenSSLContextFactory(str(key_path), str(self.path))
        key_path.unlink()


class ClientStream:
    """The stream on a client's connection."""

    def __init__(self, peer: Peer, certificate: Certificate | None, *, refuses: bool) -> None:
        self.peer, self.address = peer, ""
        self.is_over = self.is_secure = False
        self._certificate, self._refuses = certificate, refuses
        self._restart()

    def _restart(self) -> None:
        self._came: deque[Element] = deque()
        self._elements = domish.elementStream()
        self._elements.DocumentStartEvent = self._came.append
        self._elements.ElementEvent = self._came.append
        self._elements.DocumentEndEvent = self._end

    def _end(self) -> None:
        self.is_over = True

    def send(self, text: str) -> None:
        """Send text of the stream."""
        self.peer.send(text.encode())

    def take(self) -> Element | None:
        """Return the next element that has come, if any. Raises Finding if it isn't XML."""
        peer = self.peer
        # Up to one tag at a time: a restart of the stream begins after a tag.
        while not self._came and not self.is_over:
            piece, end, rest = peer.unread.partition(b">")
            if not end:
                peer.unread = piece if piece.strip() else b""
                return None
            peer.unread = rest
            try:
                self._elements.parse(piece + end)
            except domish.ParserError as error:
                came = f"{(piece + end)[-MAX_SHOWN:].decode(errors='replace')} came: {error}"
                raise peer.finding("well-formed XML", came) from None
        return self._came.popleft() if self._came else None

    async def next(self, expected: str) -> Element:
        """Return the next element. Raises Finding; ``expected`` is for the report."""

        def look() -> Element | None:
            element = self.take()
            if element is None and self.is_over:
                raise self.peer.finding(expected, "it ended its stream")
            return element

        return await self.peer.until(look, expected)

    async def open(self) -> None:
        """Wait for the beginning of the stream, and answer it. Raises Finding."""
        expected = f"<stream:stream xmlns='{CLIENT}' xmlns:stream='{_STREAMS}'>"
        if self._certificate is not None and not self.is_secure:
            hello = await self.peer.until(lambda: self.peer.unread or None, expected)
            if hello.startswith(_HANDSHAKE):
                self.peer.unread = b""
                self._start_tls(hello)
        root = await self.next(expected)
        if (root.uri, root.name) != (_STREAMS, "stream"):
            raise self.peer.finding(expected, f"{shown_xml(root)} came")
        self.send(_HEADER)

    async def log_in(self) -> bool:
        """Let the client log in and bind a resource. Raises Finding.

        Return False if the password was refused, as this stream does.
        """
        await self.open()
        offers = self._certificate is not None and not self.is_secure
        self._features(_STARTTLS * offers + _MECHANISMS)
        while True:
            element = await self.next("<auth/>, or <starttls/>")
            if offers and (element.uri, element.name) == (_TLS, "starttls"):
                offers = False
                self.send(f"<proceed xmlns='{_TLS}'/>")
                self._start_tls()
                self._restart()
                await self.open()
                self._features(_MECHANISMS)
            elif (element.uri, element.name) == (_SASL, "auth"):
                break
            else:
                raise self.peer.finding("<auth/>, or <starttls/>", f"{shown_xml(element)} came")
        if self._refuses:
            self.send(f"<failure xmlns='{_SASL}'><not-authorized/></failure></stream:stream>")
            self.peer.hang_up()
            return False
        await self._authenticate(element)
        self._restart()
        await self.open()
        self._features(f"<bind xmlns='{_BIND}'/>")
        await self._bind()
        return True

    def _start_tls(self, hello: bytes = b"") -> None:
        """Use TLS; ``hello`` has the bytes of the client's handshake so far."""
        assert self._certificate is not None
        self.is_secure = True
        transport: Any = self.peer.transport
        transport.startTLS(self._certificate.contexts)
        if hello:
            transport.protocol.dataReceived(hello)

    def _features(self, inner: str) -> None:
        self.send(f"<stream:features>{inner}</stream:features>")

    # The password

    async def _authenticate(self, auth: Element) -> None:
        expected = f"the user alice with the password {PASSWORD}"
        mechanism, text = auth.getAttribute("mechanism"), self._decoded(auth)
        if mechanism == "PLAIN":
            _, user, password = [*text.split("\0"), "", ""][:3]
            if (user, password) != ("alice", PASSWORD):
                raise self.peer.finding(expected, f"user {user!a}, password {password!a} came")
            self.send(f"<success xmlns='{_SASL}'/>")
        elif mechanism == "SCRAM-SHA-1":
            await self._scram(text, expected)
        else:
            raise self.peer.finding("SASL PLAIN, or SCRAM-SHA-1", f"{shown_xml(auth)} came")

    async def _scram(self, first: str, expected: str) -> None:
        """Check a password by RFC 5802. Raises Finding."""
        bare = first[first.find("n=") :]
        fields = _fields(bare)
        nonce = f"{fields.get('r', '')}check"
        asked = f"r={nonce},s={b64encode(_SALT).decode()},i={_ROUNDS}"
        self.send(f"<challenge xmlns='{_SASL}'>{b64encode(asked.encode()).decode()}</challenge>")
        last = self._decoded(await self.next("<response/>"))
        whole = f"{bare},{asked},{last.rpartition(',p=')[0]}".encode()
        salted = hashlib.pbkdf2_hmac("sha1", PASSWORD.encode(), _SALT, _ROUNDS)
        key = _mac(salted, b"Client Key")
        mask = _mac(hashlib.sha1(key).digest(), whole)
        proof = bytes(one ^ other for one, other in zip(key, mask, strict=True))
        given = _fields(last).get("p", "")
        if fields.get("n") != "alice" or given != b64encode(proof).decode():
            raise self.peer.finding(expected, f"user {fields.get('n')!a}, another proof came")
        verifier = b"v=" + b64encode(_mac(_mac(salted, b"Server Key"), whole))
        self.send(f"<success xmlns='{_SASL}'>{b64encode(verifier).decode()}</success>")

    def _decoded(self, element: Element) -> str:
        try:
            return b64decode(str(element).strip(), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise self.peer.finding("base64", f"{shown_xml(element)} came") from None

    async def _bind(self) -> None:
        expected = f"<iq type='set'><bind xmlns='{_BIND}'/></iq>"
        iq = await self.next(expected)
        bind = next(iq.elements(_BIND, "bind"), None)
        if (iq.uri, iq.name) != (CLIENT, "iq") or bind is None:
            raise self.peer.finding(expected, f"{shown_xml(iq)} came")
        wished = next(bind.elements(_BIND, "resource"), None)
        self.address = f"alice@{DOMAIN}/{str(wished or '') or 'check'}"
        jid = tag("bind", {"xmlns": _BIND}, tag("jid", None, self.address))
        self.send(tag("iq", {"type": "result", "id": iq.getAttribute("id")}, jid))


def _fields(text: str) -> dict[str, str]:
    return {part[:1]: part[2:] for part in text.split(",") if part[1:2] == "="}


def _mac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha1")


def shown_xml(element: Element) -> str:
    """Return an element as text for a report."""
    text: str = element.toXml(defaultUri=CLIENT)
    return shown_stanzas(text.encode())


def shown_stanzas(data: bytes) -> str:
    """Return bytes of a stream as text for a report."""
    text = visible(data[:MOST_SHOWN].decode(errors="replace"))
    return f"{text}{' …' * (len(data) > MOST_SHOWN)}"
