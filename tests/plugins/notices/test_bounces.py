"""Mails that came back, as mail servers report them."""

from __future__ import annotations

from io import BytesIO

import pytest

from tictac.plugins.notices.bounces import Bounce, read_bounce

ID = "0123456789abcdef01234567"


def report(action: str = "failed", status: str = "5.1.1", returned: str = "") -> bytes:
    """Return a report of a mail server (RFC 3464) about one recipient."""
    returned = returned or (
        "Content-Type: message/rfc822\n\nFrom: games@games.example\nTo: bob@home.example\n"
        f"Subject: Your turn\nMessage-ID: <{ID}@games.example>\n\nHello bob,\n"
    )
    return f"""\
From: MAILER-DAEMON@mail.example
To: games@games.example
Subject: Undelivered Mail Returned to Sender
Message-ID: <20261128.1@mail.example>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b

This is the mail system at host mail.example.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example

Final-Recipient: rfc822; bob@home.example
Action: {action}
Status: {status}
Diagnostic-Code: smtp; 550 5.1.1 <bob@home.example>: no
    such user

--b
{returned}
--b--
""".encode()


HEADERS = f"Content-Type: text/rfc822-headers\n\nSubject: x\nMessage-Id: <{ID}@games.example>\n"


@pytest.mark.parametrize("returned", ["", HEADERS])
def test_a_mail_that_came_back(returned: str) -> None:
    found = read_bounce(BytesIO(report(returned=returned)))
    assert found == Bounce(ID, "550 5.1.1 <bob@home.example>: no such user")


@pytest.mark.parametrize(
    "mail",
    [
        report("delayed", "4.4.1"),
        report("failed", "4.4.1"),
        report(returned="Content-Type: text/plain\n\nnothing is returned\n"),
        report(returned="Content-Type: message/rfc822\n\nMessage-ID: <7@other.example>\n\nx\n"),
        b"From: bob\n\nplease stop\n",
        b"Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status",
        b"\xff\x00",
        b"",
    ],
)
def test_other_mails(mail: bytes) -> None:
    assert read_bounce(BytesIO(mail)) is None
