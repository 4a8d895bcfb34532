"""What happens in rooms, as frozen values: whom it is told, by what stanzas and in which words.

``room`` is the address of the room, ``nick`` that of an occupant is a part of. Stanzas are as
docs/xmpp.md, "What is implemented" has them; lines of text are for those who chat ("Chat").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tictac.doors.xmpp.elements import answer, error, state, turn, with_reason
from tictac.doors.xmpp.match import Move, Role, State, Status
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.xml import COMPONENT, MUG, TTT, USER, Element, element
from tictac.games.tictactoe.rules import NAMES, Board
from tictac.terminal.tictactoe import draw_grid

Affiliation = Literal["owner", "member", "none"]

AFFILIATIONS: tuple[Affiliation, ...] = ("owner", "member", "none")


class Session(NamedTuple):
    """A client in a room: its full address.

    Of a client that has no idea of MUG, ``via`` is the address of ours that it talks to,
    and ``kind`` the type of its messages; it is sent bodies and no stanzas.
    """

    address: str
    via: str = ""
    kind: str = ""


Sessions = tuple[Session, ...]


def drawn(board: Board, columns: int) -> str:
    """A board as lines of text."""
    return "\n".join(draw_grid([NAMES[mark] for mark in board], columns))


class Content(NamedTuple):
    """What every client is sent of an event: the stanza's name, what is in it, from which nick
    (else from the room), and its type."""

    name: str
    children: tuple[Element | str, ...]
    nick: str = ""
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that has happened."""

    def stanzas(self, asked: Element | None) -> Iterator[Element]:
        """The stanzas that tell of it, those of chats left out.

        ``asked`` is the stanza that led to it, which results and errors answer.
        """
        return iter(())


@dataclass(frozen=True, slots=True)
class Told(Event):
    """Something that the clients ``to`` are told of a room."""

    room: str
    to: Sessions

    def stanzas(self, asked: Element | None) -> Iterator[Element]:
        """The same to every client."""
        name, children, nick, kind = self.content()
        sender = f"{self.room}/{nick}" if nick else self.room
        for session in self.to:
            if not session.via:
                attributes = {"from": sender, "to": session.address, "type": kind}
                yield element(COMPONENT, name, attributes, *children)

    def content(self) -> Content:
        """What is sent."""
        raise NotImplementedError

    def lines(self, with_board: bool) -> Iterator[str]:
        """What is said, without a board that is drawn already."""
        return iter(())


@dataclass(frozen=True, slots=True)
class RoomShown(Told):
    """The room's presence. ``pause`` says that the match has just been interrupted."""

    status: Status
    state: State | None
    reconfigured: bool = False
    pause: bool = False

    def content(self) -> Content:
        game = element(
            MUG,
            "game",
            None,
            element(MUG, "configuration-changed") if self.reconfigured else None,
            element(MUG, "status", None, self.status),
            None if self.state is None else state(self.state),
        )
        return Content("presence", (game, element(MUG, "pause")) if self.pause else (game,))

    def lines(self, with_board: bool) -> Iterator[str]:
        name = self.room.partition("@")[0]
        if self.state is None:
            yield f"{name} waits for its configuration."
            return
        rules, turn, board, result = self.state
        if self.reconfigured:
            yield f"{name} has new options: {rules.rows}x{rules.cols}, {rules.strike} in a row win."
        if self.status in ("active", "paused") and with_board:
            yield drawn(board, rules.cols)
        if self.status == "active":
            yield f"It is the turn of {turn}: ROW COL, as in 2 3."
        elif self.status == "paused":
            yield f"The match in {name} is interrupted: it goes on when both players start."
        elif result:
            yield "It is a draw." if result == "draw" else f"{result} has won."
            yield f"The next match begins when both players start; {turn} moves first."
        else:
            yield f"No match in {name} yet: it begins when x and o are taken and both start."


@dataclass(frozen=True, slots=True)
class OccupantShown(Told):
    """An occupant's presence; ``jid`` for those who may know it, ``new_nick`` at a change."""

    nick: str
    affiliation: Affiliation
    role: Role | None
    jid: str = ""
    new_nick: str = ""

    def content(self) -> Content:
        item = {"affiliation": self.affiliation, "role": self.role or "none"}
        more = {"jid": self.jid or None, "nick": self.new_nick or None}
        game = element(MUG, "game", None, element(MUG, "item", {**item, **more}))
        return Content("presence", (game,), self.nick)

    def lines(self, with_board: bool) -> Iterator[str]:
        owner = ", the owner," if self.affiliation == "owner" else ""
        if self.new_nick:
            yield f"{self.nick} is now called {self.new_nick}."
        else:
            yield f"{self.nick}{owner} {f'plays {self.role}' if self.role else 'looks on'}."


@dataclass(frozen=True, slots=True)
class OccupantGone(Told):
    """An occupant is out; ``why`` is empty when nobody but the occupant wanted that."""

    nick: str
    affiliation: Affiliation
    why: Literal["", "invalid-turn", "saved"] = ""

    def content(self) -> Content:
        item = element(MUG, "item", {"affiliation": self.affiliation, "role": "none"})
        game = element(MUG, "game", None, item)
        why = (element(USER if self.why == "invalid-turn" else MUG, self.why),) if self.why else ()
        return Content("presence", (game, *why), self.nick, "unavailable")

    def lines(self, with_board: bool) -> Iterator[str]:
        if self.why == "saved":
            yield f"{self.room} is saved; its owner can load it."
        else:
            why = "is put out for an impossible move" if self.why else "has left"
            yield f"{self.nick} {why}."


@dataclass(frozen=True, slots=True)
class Started(Told):
    """A player has started."""

    nick: str

    def content(self) -> Content:
        return Content("message", (element(USER, "start"),), self.nick, "chat")

    def lines(self, with_board: bool) -> Iterator[str]:
        yield f"{self.nick} has started."


@dataclass(frozen=True, slots=True)
class Turned(Told):
    """A player has made a move; ``board``, with so many columns, is what it looks like then."""

    nick: str
    move: Move
    board: Board
    columns: int

    def content(self) -> Content:
        return Content("message", (turn(self.move),), self.nick, "chat")

    def lines(self, with_board: bool) -> Iterator[str]:
        yield f"{self.nick} marks {self.move.row} {self.move.col}."
        yield drawn(self.board, self.columns)


@dataclass(frozen=True, slots=True)
class Remarked(Told):
    """Something that only those can be told who chat."""

    text: str

    def stanzas(self, asked: Element | None) -> Iterator[Element]:
        return iter(())

    def lines(self, with_board: bool) -> Iterator[str]:
        yield self.text


@dataclass(frozen=True, slots=True)
class Forwarded(Told):
    """A private message: what was in it, and its type. Chats get it as it is, too."""

    nick: str
    kind: str
    payload: tuple[Element | str, ...]

    def stanzas(self, asked: Element | None) -> Iterator[Element]:
        for session in self.to:
            attributes = {"from": f"{self.room}/{self.nick}", "to": session.address}
            kind = {"type": self.kind or None}
            yield element(COMPONENT, "message", {**attributes, **kind}, *self.payload)


@dataclass(frozen=True, slots=True)
class Declined(Told):
    """An invitation was declined."""

    invitee: str
    reason: str

    def content(self) -> Content:
        declined = with_reason("declined", {"from": self.invitee}, self.reason)
        return Content("message", (element(USER, "game", None, declined),))

    def lines(self, with_board: bool) -> Iterator[str]:
        yield f"{self.invitee} declines{': ' if self.reason else ''}{self.reason}."


@dataclass(frozen=True, slots=True)
class NotInvited(Told):
    """An invitation didn't reach anybody."""

    invitee: str

    def content(self) -> Content:
        game = element(USER, "game", None, element(USER, "invite", {"to": self.invitee}))
        why = error(Refused("item-not-found", "the invitation came back"))
        return Content("message", (game, why), kind="error")

    def lines(self, with_board: bool) -> Iterator[str]:
        yield f"{self.invitee} can't be invited."


@dataclass(frozen=True, slots=True)
class Invited(Event):
    """An invitation to a person who isn't in the room. ``inviter`` is an address."""

    room: str
    id: str
    invitee: str
    inviter: str
    reason: str
    password: str

    def stanzas(self, asked: Element | None) -> Iterator[Element]:
        password = element(USER, "password", None, self.password) if self.password else None
        invited = with_reason("invited", {"from": self.inviter, "var": TTT}, self.reason)
        # For those whose client knows nothing of games.
        name, _, domain = self.room.partition("@")
        secret = f" {self.password}" if self.password else ""
        body = f"{self.inviter} invites you to tic-tac-toe. Write to {domain}: join {name}{secret}"
        yield element(
            COMPONENT,
            "message",
            {"from": self.room, "to": self.invitee, "id": self.id},
            element(USER, "game", None, invited, password),
            element(COMPONENT, "body", None, body),
        )


@dataclass(frozen=True, slots=True)
class Answered(Event):
    """The result of an iq: for who asked."""

    payload: Element | None = None

    def stanzas(self, asked: Element | None) -> Iterator[Element]:
        if asked is not None:
            yield answer(asked, "result", *([] if self.payload is None else [self.payload]))


@dataclass(frozen=True, slots=True)
class Erred(Event):
    """The request is refused: for who asked. What it was is in the answer, but for an iq."""

    refused: Refused

    def stanzas(self, asked: Element | None) -> Iterator[Element]:
        if asked is None:
            return
        echo = list(asked.elements()) if asked.name == "message" else []
        if asked.name == "presence":
            echo = [element(MUG, "game")]
        yield answer(asked, "error", *echo, error(self.refused))


@dataclass(frozen=True, slots=True)
class Stored(Event):
    """A room is to be kept as ``data``; ``then`` happens when it is, and only then."""

    room: str
    data: bytes
    then: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Forgotten(Event):
    """A room needn't be kept any longer."""

    room: str
