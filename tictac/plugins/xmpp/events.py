"""Incoming stanzas, and outgoing events: stanzas for MUG clients, and lines for chat users.

Source: docs/reference/xmpp.md, "What is implemented" and "Chat".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from twisted.words.xish.domish import Element, SerializedXML

from tictac.plugins.xmpp.addresses import REFEREE, Address, parse
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import COMPONENT, MUC, MUG, STANZAS, copied, first, tag


class ChatSession(NamedTuple):
    """A client in a room, by its full address.

    For a client without MUG, ``via`` is the address of this service that the client writes to, and
    ``kind`` the type of its messages. Such a client gets bodies. Only a client in Multi-User Chat
    (``muc``), for which ``via`` is the room, gets other stanzas (``muc.py``).
    """

    address: str
    via: str = ""
    kind: str = ""
    muc: bool = False

    @property
    def chats(self) -> bool:
        """Whether this is a person who types commands, from any client and without presence."""
        return bool(self.via) and not self.muc


Sessions = tuple[ChatSession, ...]


class Event(NamedTuple):
    """A message of ``sender``, a room or the service, to the clients ``to``.

    ``name`` is the name of the stanza, or empty for none; ``inner`` is the text in the stanza. The
    stanza is from ``nick`` in the room, if that is given. Chat users get the ``lines``. MUC clients
    get a message with ``talk`` in it, or else the lines, but none that describe an occupant.
    ``speaker`` is the user who said it in a chat, whom others can have muted; empty: it is no chat.
    """

    sender: str
    to: Sessions
    name: str = ""
    inner: str = ""
    nick: str = ""
    kind: str | None = None
    lines: Iterable[str] = ()
    id: str | None = None
    talk: str = ""
    speaker: str = ""

    def stanzas(self) -> Iterator[str]:
        """Yield the stanzas for MUG clients, and the talk for MUC clients."""
        sender = f"{self.sender}/{self.nick}" if self.nick else self.sender
        for session in self.to if self.name or self.talk else ():
            if session.muc and self.talk:
                yield groupchat(sender, session.address, self.talk, self.id)
            elif self.name and not session.via:
                addresses = {"from": sender or None, "to": session.address or None}
                attributes = {**addresses, "type": self.kind, "id": self.id}
                yield tag(self.name, attributes, SerializedXML(self.inner))


def groupchat(sender: str, to: str, inner: str, stanza_id: str | None = None) -> str:
    """Return a message of a room or an occupant to a MUC client."""
    attributes = {"from": sender, "to": to, "type": "groupchat", "id": stanza_id}
    return tag("message", attributes, SerializedXML(inner))


def remark(to: Iterable[ChatSession], *lines: str) -> Event:
    """Return an event with lines for chat users only."""
    return Event("", tuple(to), lines=lines)


class Stanza(NamedTuple):
    """An incoming stanza: the address of its client, its receiver, its type, and its element.

    ``person`` is the bare address of the client. ``leaves`` says whether the client disconnected.
    """

    address: str
    person: str
    to: Address
    kind: str
    leaves: bool
    tree: Element

    @property
    def session(self) -> ChatSession:
        """The client as a chat session."""
        kind = self.kind if self.tree.name == "message" else ""
        return ChatSession(self.address, str(self.to), kind or "normal")

    def answer(self, *lines: str) -> Event:
        """Return an event with lines for the sender."""
        return remark([self.session], *lines)


def opened(tree: Element) -> Stanza:
    """Read a stanza. Raises ValueError without a proper sender, as there can be no answer."""
    if tree.uri != COMPONENT or tree.name not in ("presence", "message", "iq"):
        raise ValueError(f"an element <{tree.name}> of {tree.uri!r:.80}")
    sender, to, kind = (tree.getAttribute(name) or "" for name in ("from", "to", "type"))
    address, leaves = parse(sender), (tree.name, kind) == ("presence", "unavailable")
    return Stanza(str(address), address.bare, parse(to), kind, leaves, tree)


def spoken(events: Iterable[Event]) -> dict[ChatSession, list[str]]:
    """Return the lines for each chat, in the order of the events; equal boards appear once."""
    said: dict[ChatSession, list[str]] = {}
    for event in events:
        is_quiet = event.talk or (event.name == "presence" and event.nick)
        for session in event.to:
            if session.via and not (session.muc and is_quiet):
                lines = said.setdefault(session, [])
                lines += [line for line in event.lines if "\n" not in line or line not in lines]
    return said


def body(session: ChatSession, lines: Iterable[str]) -> str:
    """Return the message with ``lines`` for a chat; in a MUC room, boards are code (XEP-0393)."""
    sender = session.via
    if session.muc:
        # From the room's own occupant: some clients, such as Converse.js, don't show messages that
        # come from the room itself.
        sender += f"/{REFEREE}"
        lines = [f"```\n{line}\n```" if "\n" in line else line for line in lines]
    attributes = {"from": sender, "to": session.address, "type": session.kind or None}
    return tag("message", attributes, tag("body", None, "\n".join(lines)))


# Answers


def _answer(asked: Element, kind: str, inner: str) -> Event:
    get = asked.getAttribute
    to = (ChatSession(get("from") or ""),)
    return Event(get("to") or "", to, asked.name, inner, "", kind, (), get("id"))


def result(asked: Element, payload: str = "") -> Event:
    """Return the result of an iq."""
    return _answer(asked, "result", payload)


def erred(asked: Element, refused: Refused) -> Event:
    """Return the error that answers a stanza, with a copy of a message or presence."""
    echo = ""
    if asked.name == "message":
        echo = "".join(map(copied, asked.elements()))
    elif asked.name == "presence":
        is_muc = first(asked, MUC, "x") is not None and first(asked, MUG, "game") is None
        echo = tag("x", {"xmlns": MUC}) if is_muc else tag("game", {"xmlns": MUG})
    return _answer(asked, "error", echo + error(refused))


def error(refused: Refused) -> SerializedXML:
    """Return an ``<error>``."""
    text = {"xmlns": STANZAS, "xml:lang": "en"}
    return tag(
        "error",
        {"type": refused.kind},
        tag(refused.condition, {"xmlns": STANZAS}),
        tag("text", text, str(refused)),
        tag("invalid-turn", {"xmlns": MUG}) if refused.invalid_turn else None,
    )
