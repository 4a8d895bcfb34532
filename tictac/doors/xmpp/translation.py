"""Events to stanzas. Strict: as the proposals say, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tictac.doors.xmpp.events import (
    Answered,
    Declined,
    Erred,
    Event,
    Forwarded,
    Invited,
    NotInvited,
    OccupantGone,
    OccupantShown,
    RoomShown,
    Session,
    Started,
    Turned,
)
from tictac.doors.xmpp.match import ROLE_OF, Move, State
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.xml import COMPONENT, MUG, STANZAS, TTT, USER, Element, element
from tictac.games.tictactoe.rules import EMPTY


def stanzas_of(event: Event, asked: Element | None) -> Iterator[Element]:
    """The stanzas that tell of ``event``, those of chats left out.

    ``asked`` is the stanza that led to it, which results and errors answer.
    """
    match event:
        case Answered(payload=payload) if asked is not None:
            yield result(asked, payload)
        case Erred(refused=refused) if asked is not None:
            yield error(asked, refused)
        case Invited():
            yield _invited(event)
        case Forwarded():
            yield from _forwarded(event)
        case RoomShown(room=room, to=to):
            yield from _each(to, "presence", room, _room(event))
        case OccupantShown(room=room, to=to, nick=nick):
            item = {"affiliation": event.affiliation, "role": event.role or "none"}
            more = {"jid": event.jid or None, "nick": event.new_nick or None}
            game = element(MUG, "game", None, element(MUG, "item", {**item, **more}))
            yield from _each(to, "presence", f"{room}/{nick}", (game,))
        case OccupantGone(room=room, to=to, nick=nick):
            yield from _each(to, "presence", f"{room}/{nick}", _gone(event), "unavailable")
        case Started(room=room, to=to, nick=nick):
            yield from _each(to, "message", f"{room}/{nick}", (element(USER, "start"),), "chat")
        case Turned(room=room, to=to, nick=nick, move=move):
            yield from _each(to, "message", f"{room}/{nick}", (turn(move),), "chat")
        case Declined(room=room, to=to):
            yield from _each(to, "message", room, (_declined(event),))
        case NotInvited(room=room, to=to):
            yield from _each(to, "message", room, _not_invited(event), "error")
        case _:
            pass


def result(asked: Element, payload: Element | None = None) -> Element:
    """The result of an iq."""
    return _answer(asked, "result", () if payload is None else (payload,))


def error(asked: Element, refused: Refused) -> Element:
    """The error that answers a stanza: what was asked is in it, but for that of an iq."""
    children: tuple[Element | str, ...] = ()
    if asked.name == "message":
        children = tuple(asked.elements())
    elif asked.name == "presence":
        children = (element(MUG, "game"),)
    return _answer(asked, "error", (*children, error_element(refused)))


def error_element(refused: Refused) -> Element:
    """The ``<error>`` itself."""
    return element(
        COMPONENT,
        "error",
        {"type": refused.kind},
        element(STANZAS, refused.condition),
        element(STANZAS, "text", {"xml:lang": "en"}, str(refused)),
        element(MUG, "invalid-turn") if refused.invalid_turn else None,
    )


def turn(move: Move) -> Element:
    """A ``<turn>``."""
    attributes = {"row": move.row, "col": move.col, "id": move.number}
    return element(USER, "turn", None, element(TTT, "move", attributes))


def state(value: State) -> Element:
    """A ``<state>``: the fields that are marked, row by row."""
    fields = [
        element(
            TTT,
            "field",
            {"row": cell // value.rules.cols + 1, "col": cell % value.rules.cols + 1},
            ROLE_OF[mark],
        )
        for cell, mark in enumerate(value.board)
        if mark != EMPTY
    ]
    won = element(TTT, "won", None, value.result) if value.result in ("x", "o") else None
    return element(
        TTT,
        "state",
        None,
        element(TTT, "rows", None, str(value.rules.rows)),
        element(TTT, "cols", None, str(value.rules.cols)),
        element(TTT, "strike", None, str(value.rules.strike)),
        element(TTT, "next", None, value.next),
        element(TTT, "board", None, *fields),
        element(TTT, "draw") if value.result == "draw" else won,
    )


def message(sender: str, to: str, kind: str, body: str) -> Element:
    """A message that a person reads."""
    attributes = {"from": sender, "to": to, "type": kind or None}
    return element(COMPONENT, "message", attributes, element(COMPONENT, "body", None, body))


def _answer(asked: Element, kind: str, children: tuple[Element | str, ...]) -> Element:
    attributes = {"from": asked.get("to"), "to": asked.get("from"), "type": kind}
    return element(COMPONENT, asked.name, {**attributes, "id": asked.get("id")}, *children)


def _each(
    to: Iterable[Session],
    name: str,
    sender: str,
    children: tuple[Element | str, ...],
    kind: str | None = None,
) -> Iterator[Element]:
    for session in to:
        if not session.via:
            attributes = {"from": sender, "to": session.address, "type": kind}
            yield element(COMPONENT, name, attributes, *children)


def _room(event: RoomShown) -> tuple[Element, ...]:
    game = element(
        MUG,
        "game",
        None,
        element(MUG, "configuration-changed") if event.reconfigured else None,
        element(MUG, "status", None, event.status),
        None if event.state is None else state(event.state),
    )
    return (game, element(MUG, "pause")) if event.pause else (game,)


def _gone(event: OccupantGone) -> tuple[Element, ...]:
    item = element(MUG, "item", {"affiliation": event.affiliation, "role": "none"})
    game = element(MUG, "game", None, item)
    if not event.why:
        return (game,)
    return (game, element(USER if event.why == "invalid-turn" else MUG, event.why))


def _invited(event: Invited) -> Element:
    reason = element(USER, "reason", None, event.reason) if event.reason else None
    password = element(USER, "password", None, event.password) if event.password else None
    invited = element(USER, "invited", {"from": event.inviter, "var": TTT}, reason)
    # For those whose client knows nothing of games.
    name, _, domain = event.room.partition("@")
    secret = f" {event.password}" if event.password else ""
    body = f"{event.inviter} invites you to tic-tac-toe. Write to {domain}: join {name}{secret}"
    return element(
        COMPONENT,
        "message",
        {"from": event.room, "to": event.invitee, "id": event.id},
        element(USER, "game", None, invited, password),
        element(COMPONENT, "body", None, body),
    )


def _declined(event: Declined) -> Element:
    reason = element(USER, "reason", None, event.reason) if event.reason else None
    declined = element(USER, "declined", {"from": event.invitee}, reason)
    return element(USER, "game", None, declined)


def _not_invited(event: NotInvited) -> tuple[Element, ...]:
    invite = element(USER, "game", None, element(USER, "invite", {"to": event.invitee}))
    return (invite, error_element(Refused("item-not-found", "the invitation came back")))


def _forwarded(event: Forwarded) -> Iterator[Element]:
    for session in event.to:
        attributes = {"from": f"{event.room}/{event.nick}", "to": session.address}
        kind = {"type": event.kind or None}
        yield element(COMPONENT, "message", {**attributes, **kind}, *event.payload)
