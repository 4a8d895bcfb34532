"""Notices by e-mail, to a real mail server."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.testing import StringTransport
from twisted.mail.smtp import ESMTPSenderFactory
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.notices import served
from tests.plugins.notices.letters import STOP, URL, letter
from tests.plugins.notices.real import RealCase, real
from tictac.plugins.check.target import free_port
from tictac.plugins.notices.channels.email import EmailNotifier, MailServer, _Sender
from tictac.plugins.notices.notifier import GoneError, Letter
from tictac.plugins.notices.refusals import BadAddress


class EmailCase(RealCase):
    def serve(self, tls: str = "plain", user: bool = False) -> served.MailServer:
        server = served.MailServer(tls, user)
        self.port = server.start()
        self.addCleanup(server.stop)
        return server

    def notifier(self, tls: str = "plain", **more: Any) -> EmailNotifier:
        fields = {"sender": "games@games.example", "trust_root": served.TRUST, **more}
        server = MailServer("localhost", self.port, tls=tls, **fields)
        return EmailNotifier(self.reactor, server, "games.example", URL)

    def send(self, notifier: EmailNotifier, mail: Letter | None = None) -> Deferred[None]:
        return Deferred.fromCoroutine(notifier.send("bob@home.example", mail or letter()))

    async def one(self, server: served.MailServer, mail: Letter) -> EmailMessage:
        await self.send(self.notifier(), mail)
        [envelope] = server.mails
        content = envelope.content
        assert isinstance(content, bytes)
        found = message_from_bytes(content, policy=policy.default)
        assert isinstance(found, EmailMessage)
        return found


def text_of(mail: EmailMessage) -> str:
    """Return the text of a mail, with the line ends of a file."""
    return str(mail.get_content()).replace("\r\n", "\n")


class MessageTests(EmailCase):
    @real
    async def test_a_mail_as_its_reader_gets_it(self) -> None:
        server = self.serve()
        mail = await self.one(server, letter())
        assert server.mails[0].mail_from == "games@games.example"
        assert server.mails[0].rcpt_tos == ["bob@home.example"]
        assert (mail["Subject"], mail["To"]) == ("Your turn: Reversi", "bob@home.example")
        assert mail["Message-ID"] == "<batch1@games.example>"
        assert mail["Auto-Submitted"] == "auto-generated"
        text = text_of(mail)
        assert text.startswith("Hello bob,\n\nYour turn: Reversi\nagainst alice\n")
        assert f"{URL}/room/den\n" in text and text.endswith(f"{STOP}\n")

    @real
    async def test_one_click_ends_them(self) -> None:
        server = self.serve()
        await self.one(server, letter())
        content = server.mails[0].content
        assert isinstance(content, bytes)
        # Not folded, and not encoded: programs read it with a simple pattern.
        assert f"\r\nList-Unsubscribe: <{STOP}>\r\n".encode() in content
        assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in content

    @real
    async def test_german(self) -> None:
        mail = await self.one(self.serve(), letter("de", title="Du bist am Zug: Mühle"))
        assert mail["Subject"] == "Du bist am Zug: Mühle"
        assert text_of(mail).startswith("Hallo bob,") and "Mühle" in text_of(mail)

    @real
    async def test_lines_that_begin_with_a_dot(self) -> None:
        mail = await self.one(self.serve(), letter(body=".\n..\nend"))
        assert "\n.\n..\nend\n" in text_of(mail)

    @real
    async def test_a_line_end_cant_make_a_header(self) -> None:
        server = self.serve()
        sending = self.send(self.notifier(), letter(title="Hi\r\nBcc: eve@evil.example"))
        await self.fails(sending, ValueError)
        assert server.mails == []

    @real
    async def test_many_matches_in_one(self) -> None:
        one = letter().lines[0]
        many = letter()._replace(lines=[one._replace(room=str(n)) for n in range(200)])
        server = self.serve()
        mail = await self.one(server, many)
        assert mail["Subject"] == "200 messages about your matches"
        content = server.mails[0].content
        assert isinstance(content, bytes) and len(content) < 16_000

    @real
    async def test_a_confirmation(self) -> None:
        server = self.serve()
        link = f"{URL}/notice/confirm/abc"
        await self.notifier().ask("bob@home.example", "bob", "en", link)
        content = server.mails[0].content
        assert isinstance(content, bytes)
        assert link.encode() in content and b"List-Unsubscribe" not in content


class TlsTests(EmailCase):
    @real
    async def test_starttls_with_a_login(self) -> None:
        server = self.serve("starttls", user=True)
        await self.send(self.notifier("starttls", user="games", password="secret"))
        assert len(server.mails) == 1 and server.logins == [(b"games", b"secret")]

    @real
    async def test_tls_from_the_first_byte(self) -> None:
        server = self.serve("implicit")
        await self.send(self.notifier("implicit"))
        assert len(server.mails) == 1

    @real
    async def test_a_server_without_tls_gets_nothing(self) -> None:
        server = self.serve("plain")
        await self.fails(self.send(self.notifier("starttls")), OSError)
        assert server.mails == []

    @real
    async def test_an_unknown_certificate(self) -> None:
        for tls in ("starttls", "implicit"):
            server = self.serve(tls)
            notifier = self.notifier(tls, trust_root=None)
            await self.fails(self.send(notifier), Exception)
            assert server.mails == []

    @real
    async def test_a_wrong_password(self) -> None:
        server = self.serve("starttls", user=True)
        notifier = self.notifier("starttls", user="games", password="wrong")
        error = await self.fails(self.send(notifier), OSError)
        assert server.mails == [] and "535" in str(error) and "wrong" not in str(error)


class RefusalTests(EmailCase):
    @real
    async def test_greylisting(self) -> None:
        server = self.serve()
        server.answers = ["450 4.2.0 greylisted, try again in 5 minutes"]
        error = await self.fails(self.send(self.notifier()), OSError)
        assert str(error) == "450 4.2.0 greylisted, try again in 5 minutes"
        await self.send(self.notifier())
        assert len(server.mails) == 1

    @real
    async def test_no_such_inbox(self) -> None:
        self.serve().answers = ["550 5.1.1 no such user"]
        error = await self.fails(self.send(self.notifier()), GoneError)
        assert str(error) == "550 5.1.1 no such user"

    @real
    async def test_a_policy_of_the_mail_server_isnt_the_fault_of_the_inbox(self) -> None:
        self.serve().answers = ["550 5.7.1 relaying denied"]
        await self.fails(self.send(self.notifier()), OSError)

    @real
    async def test_a_refused_content_isnt_either(self) -> None:
        self.serve().data_answers = ["550 looks like spam"]
        error = await self.fails(self.send(self.notifier()), OSError)
        assert str(error) == "550 looks like spam"

    @real
    async def test_no_server(self) -> None:
        self.port = free_port()
        await self.fails(self.send(self.notifier()), Exception)

    @real
    async def test_cancelled(self) -> None:
        self.serve()
        sending = self.send(self.notifier())
        sending.cancel()
        await self.fails(sending, Exception)


@pytest.mark.parametrize(
    "address",
    [
        "", "bob", "@home.example", "bob@", "bob@-x.example", "bob@home..example",
        "bob@home.example\r\nRCPT TO:<eve@evil.example>", "bob smith@home.example",
        '"bob"@home.example', "bob@home.example>", "bob@[127.0.0.1]", "bob@home.example, eve@x.y",
        "bób@home.example", "root@localhost", "root@mail.local", "bob@127.0.0.1",
        "b" * 65 + "@home.example", "bob@" + "x" * 300, "bob@home.example\n",
    ],
)  # fmt: skip
def test_what_isnt_an_address(address: str) -> None:
    with pytest.raises(BadAddress):
        EmailNotifier.check(None, address)  # type: ignore[arg-type]


def test_an_address() -> None:
    assert EmailNotifier.check(None, "Bob+tag@Home.Example") == "Bob+tag@home.example"  # type: ignore[arg-type]


class GoodbyeTests(SynchronousTestCase):
    def test_a_mail_server_that_keeps_the_connection_after_a_mail_is_left(self) -> None:
        sender: Any = _Sender(None, None, None, "games.example")
        sender.factory = ESMTPSenderFactory(
            None, None, "a@b.example", "c@d.example", None, Deferred()
        )
        transport = StringTransport()
        sender.makeConnection(transport)
        sender.factory.sendFinished = True
        sender.timeoutConnection()
        assert transport.disconnected
