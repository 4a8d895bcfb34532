"""Stanzas to requests. Lenient: what can be understood is (docs/xmpp.md, "What is implemented")."""

from __future__ import annotations

import re

from tictac.doors.xmpp.addresses import parse
from tictac.doors.xmpp.match import Move
from tictac.doors.xmpp.queries import read_iq
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.requests import Ask, Bounced, Enter, Request, Stanza
from tictac.doors.xmpp.xml import COMPONENT, MUG, STANZAS, TTT, USER, Element

LONGEST_REASON = 500

_NUMBER = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)

CHAT_KINDS = ("", "chat", "normal", "groupchat")
"""Types of messages whose bodies are for us."""

_GONE = {
    "gone",
    "item-not-found",
    "jid-malformed",
    "recipient-unavailable",
    "redirect",
    "remote-server-not-found",
    "remote-server-timeout",
    "service-unavailable",
}
_DELAYS = {("urn:xmpp:delay", "delay"), ("jabber:x:delay", "x")}


def read(stanza: Element) -> Stanza | None:
    """What a stanza asks; None when it asks nothing.

    Raises ValueError for what can't be answered, as it has no proper sender.
    """
    if stanza.uri != COMPONENT:
        raise ValueError(f"an element <{stanza.name}> of {stanza.uri!r:.80}")
    sender, to = parse(stanza.get("from") or ""), parse(stanza.get("to") or "")
    kind = stanza.get("type") or ""
    readers = {"presence": _presence, "message": _message, "iq": read_iq}
    if stanza.name not in readers:
        raise ValueError(f"an element <{stanza.name}>")
    try:
        request = readers[stanza.name](stanza, kind, to.resource)
    except Refused as refused:
        request = Ask("wrong", refused)
    return None if request is None else Stanza(sender, to, kind, request, stanza)


# Presence


def _presence(stanza: Element, kind: str, nick: str) -> Request | None:
    if kind == "unavailable":
        return Ask("leave")
    if kind == "error":
        return _bounced(stanza)
    if kind:
        return None
    game = stanza.first(MUG, "game")
    if nick:
        return _enter(game, nick)
    item = game and (game.first(MUG, "item") or game.first(USER, "item"))
    if item is None:
        return None if game is None else _no_item()
    role = item.get("role")
    return Ask("take role", role) if role is not None else _no_item()


def _no_item() -> Ask:
    return Ask("wrong", Refused("bad-request", "a presence to a room needs a nick or a role"))


def _enter(game: Element | None, nick: str) -> Enter:
    if game is None:
        return Enter(nick, False, None, None)
    password = game.first(MUG, "password")
    return Enter(nick, True, game.get("var"), None if password is None else password.text())


# Messages


def _message(stanza: Element, kind: str, nick: str) -> Request | None:
    if kind == "error":
        return _bounced(stanza)
    if nick:
        return _private(stanza, kind, nick)
    found = _spoken(stanza)
    if found is not None:
        return found
    body = stanza.first(COMPONENT, "body")
    delayed = any((child.uri, child.name) in _DELAYS for child in stanza.elements())
    if body is None or delayed or kind not in CHAT_KINDS:
        return None
    return Ask("chat", body.text())


def _spoken(stanza: Element) -> Request | None:
    """What a MUG client says, inside the ``<game>`` wrapper or without."""
    game = stanza.first(USER, "game")
    around = game if game is not None else stanza
    turns = list(around.elements(USER, "turn"))
    if turns:
        if len(turns) > 1:
            raise Refused("bad-request", "one turn at a time")
        return Ask("turn", _read_move(turns[0]))
    if around.first(USER, "start") is not None:
        return Ask("start")
    invites = list(around.elements(USER, "invite"))
    if invites:
        return Ask("invite", tuple((each.get("to") or "", _reason_of(each)) for each in invites))
    decline = around.first(USER, "decline")
    if decline is not None:
        return Ask("decline", (decline.get("to") or "", _reason_of(decline)))
    if game is not None:
        raise Refused("bad-request", "nothing is known of what is in <game>")
    return None


def _private(stanza: Element, kind: str, nick: str) -> Request:
    if kind not in ("", "chat", "normal"):
        raise Refused("bad-request", "private messages are of type chat or normal")
    return Ask("private", (nick, stanza.children))


def _bounced(stanza: Element) -> Bounced:
    error = stanza.first(COMPONENT, "error")
    conditions = {child.name for child in error.elements(STANZAS)} if error else set()
    return Bounced(bool(conditions & _GONE), stanza.get("id") or "")


def _read_move(turn: Element) -> Move:
    """The one move in a ``<turn>``. Raises Refused when there isn't one, or it isn't whole."""
    moves = list(turn.elements(TTT, "move"))
    if len(moves) != 1 or len(list(turn.elements())) != 1:
        raise Refused("bad-request", "a turn has exactly one move")
    row, col, number = (_number(moves[0].get(name)) for name in ("row", "col", "id"))
    return Move(row, col, number)


def _reason_of(invitation: Element) -> str:
    """The ``<reason>`` in it, cut where it becomes a novel."""
    for uri in (USER, invitation.uri, COMPONENT):
        reason = invitation.first(uri, "reason")
        if reason is not None:
            return reason.text()[:LONGEST_REASON]
    return ""


def _number(text: str | None) -> int:
    stripped = (text or "").strip()
    if not _NUMBER.fullmatch(stripped):
        raise Refused("bad-request", "row, col and id of a move must be numbers")
    return int(stripped)
