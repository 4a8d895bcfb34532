"""Mails that came back: which message they are about, and why (RFC 3464)."""

from __future__ import annotations

import re
from email import message_from_binary_file, policy
from email.message import EmailMessage, Message
from typing import BinaryIO, NamedTuple, cast

MOST_PARTS = 50
"""Maximum parts of a mail that the command reads."""

_ID = re.compile(r"<([0-9a-f]{24})@[^<>\s]{1,255}>")
_FINAL = re.compile(r"5\.[0-9]{1,3}\.[0-9]{1,3}")


class Bounce(NamedTuple):
    """The id of a message that didn't arrive, and why not, in a line."""

    message: str
    why: str


def read_bounce(file: BinaryIO) -> Bounce | None:
    """Return what a mail server reports; None: it is another mail, or the server tries again."""
    mail = message_from_binary_file(file, policy=policy.default)
    message, why, is_final = "", "", False
    for number, part in enumerate(mail.walk()):
        if number >= MOST_PARTS:
            break
        kind = part.get_content_type()
        if kind == "message/delivery-status":
            for block in cast("list[Message]", part.get_payload()):
                status = _FINAL.match(_text(block, "Status"))
                if status and _text(block, "Action").casefold() == "failed":
                    is_final = True
                    why = _text(block, "Diagnostic-Code").partition(";")[2] or status[0]
        elif kind == "text/rfc822-headers":
            headers = re.search(r"(?im)^message-id:\s*(<\S+>)", _content(part))
            message = message or (headers[1] if headers else "")
        elif number and part.get("Message-ID"):  # the returned message, below message/rfc822
            message = message or _text(part, "Message-ID")
    found = _ID.fullmatch(message)
    return Bounce(found[1], " ".join(why.split())[:150]) if is_final and found else None


def _text(part: Message, name: str) -> str:
    return str(part.get(name, "")).strip()


def _content(part: Message) -> str:
    try:
        return str(cast(EmailMessage, part).get_content())
    except (KeyError, LookupError, ValueError):
        return ""
