"""What comes in: stanzas; and what goes out: those of MUG clients, lines for people who chat.

Source: docs/xmpp.md, "What is implemented" and "Chat".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from twisted.words.xish.domish import SerializedXML

from tictac.plugins.xmpp.addresses import Address, parse
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import COMPONENT, MUG, STANZAS, copied, tag


class ChatSession(NamedTuple):
    """A client in a room: its full address.

    Of a client that has no idea of MUG, ``via`` is the address of ours that it talks to,
    and ``kind`` the type of its messages; it is sent bodies and no stanzas.
    """

    address: str
    via: str = ""
    kind: str = ""


Sessions = tuple[ChatSession, ...]


class Event(NamedTuple):
    """Something that the clients ``to`` are told by ``sender``, the address of a room or ours.

    ``name`` is that of the stanza (empty: there is none), ``inner`` the text in it; it is from
    ``nick`` in the room, if that is given. Who chats is told the ``lines``.
    """

    sender: str
    to: Sessions
    name: str = ""
    inner: str = ""
    nick: str = ""
    kind: str | None = None
    lines: Iterable[str] = ()
    id: str | None = None

    def stanzas(self) -> Iterator[str]:
        """The stanzas that tell of it, those of chats left out."""
        sender = f"{self.sender}/{self.nick}" if self.nick else self.sender
        for session in self.to if self.name else ():
            if not session.via:
                addresses = {"from": sender or None, "to": session.address or None}
                attributes = {**addresses, "type": self.kind, "id": self.id}
                yield tag(self.name, attributes, SerializedXML(self.inner))


def remark(to: Iterable[ChatSession], *lines: str) -> Event:
    """Something that is only said to those who chat."""
    return Event("", tuple(to), lines=lines)


class Stanza(NamedTuple):
    """A stanza that came in: from which client, to which address of ours, its type, and all of it.

    ``person`` is the bare address, ``leaves`` tells that the client is gone.
    """

    address: str
    person: str
    to: Address
    kind: str
    leaves: bool
    tree: Any

    @property
    def session(self) -> ChatSession:
        """The client, as one that chats."""
        kind = self.kind if self.tree.name == "message" else ""
        return ChatSession(self.address, str(self.to), kind or "normal")

    def told(self, *lines: str) -> Event:
        """What somebody who chats reads."""
        return remark([self.session], *lines)


def opened(tree: Any) -> Stanza:
    """A stanza. Raises ValueError for what can't be answered, as it has no proper sender."""
    if tree.uri != COMPONENT or tree.name not in ("presence", "message", "iq"):
        raise ValueError(f"an element <{tree.name}> of {tree.uri!r:.80}")
    sender, to, kind = (tree.getAttribute(name) or "" for name in ("from", "to", "type"))
    address, leaves = parse(sender), (tree.name, kind) == ("presence", "unavailable")
    return Stanza(str(address), address.bare, parse(to), kind, leaves, tree)


def spoken(events: Iterable[Event]) -> dict[ChatSession, list[str]]:
    """What is said to each chat, in the order of what happened; the same board is drawn once."""
    said: dict[ChatSession, list[str]] = {}
    for event in events:
        for session in event.to:
            if session.via:
                lines = said.setdefault(session, [])
                lines += [line for line in event.lines if "\n" not in line or line not in lines]
    return said


def body(session: ChatSession, lines: Iterable[str]) -> str:
    """The message that says ``lines`` to a chat."""
    attributes = {"from": session.via, "to": session.address, "type": session.kind or None}
    return tag("message", attributes, tag("body", None, "\n".join(lines)))


# Answers


def _answer(asked: Any, kind: str, inner: str) -> Event:
    get = asked.getAttribute
    to = (ChatSession(get("from") or ""),)
    return Event(get("to") or "", to, asked.name, inner, "", kind, (), get("id"))


def result(asked: Any, payload: str = "") -> Event:
    """The result of an iq: for who asked."""
    return _answer(asked, "result", payload)


def erred(asked: Any, refused: Refused) -> Event:
    """A stanza is refused: for who asked. What it was is in the answer, but for an iq."""
    echo = ""
    if asked.name == "message":
        echo = "".join(map(copied, asked.elements()))
    elif asked.name == "presence":
        echo = tag("game", {"xmlns": MUG})
    return _answer(asked, "error", echo + error(refused))


def error(refused: Refused) -> SerializedXML:
    """An ``<error>``."""
    text = {"xmlns": STANZAS, "xml:lang": "en"}
    return tag(
        "error",
        {"type": refused.kind},
        tag(refused.condition, {"xmlns": STANZAS}),
        tag("text", text, str(refused)),
        tag("invalid-turn", {"xmlns": MUG}) if refused.invalid_turn else None,
    )
