"""A table as somebody at the shell sees it: with what has changed, and how it stands in a line."""

from __future__ import annotations

import re
from collections.abc import Callable

from tictac.client.connection import Message
from tictac.client.table import Table, minutes
from tictac.terminal.style import Style, visible

_PIECE = re.compile(r"\x1b\[[0-9;]*m|.", re.S)
_CHANGED, _END = "\x1b[7m", "\x1b[0m"


class SeenTable(Table):
    """See :class:`Table`. ``seconds`` tells the time."""

    def __init__(self, style: Style, user: str, seconds: Callable[[], float]) -> None:
        super().__init__(style)
        self.user = user
        self.viewers: list[str] = []
        self._seconds = seconds
        self._told_at = 0.0
        self._away: dict[str, float] = {}
        self._before: list[str] = []

    @property
    def is_playing(self) -> bool:
        """Whether a match runs that leaving would lose."""
        return self.begun and not self.over and self.seat is not None

    @property
    def way_here(self) -> str:
        """How another person comes to the table."""
        return f"join {self.name}"

    @property
    def names(self) -> list[str]:
        """Who plays."""
        return [name for name in self._names if name is not None]

    def hear(self, event: Message) -> list[str]:
        """See :meth:`Table.hear`."""
        if "clocks" in event:
            self._told_at = self._seconds()
        self._see(event)
        before = self._position
        if event["event"] in ("moved", "undone", "ended") and event.get("position") != before:
            self._before = self._plain()
        return super().hear(event)

    def board(self) -> list[str]:
        """The board, with what the last move has changed marked, where there is colour."""
        lines, plain = super().board(), self._plain()
        if not self._style.colour or len(plain) != len(self._before):
            return lines
        pairs = zip(lines, plain, self._before, strict=True)
        return [_mark(line, now, before) for line, now, before in pairs]

    def status(self) -> str:
        """How it stands, in a few words."""
        if self.over:
            return "over: rematch, or leave"
        if not self.begun:
            return "waiting for another player"
        mine = self.my_turn and self._style.bright("your turn")
        said = [mine or (f"{self._who(self.turn)} to move" if self.turn is not None else "")]
        said.append(" / ".join(map(minutes, self._left())))
        for user, until in self._away.items():
            said.append(f"{user} is away, {max(0, until - self._seconds()):.0f} s left")
        if self.offer is not None:
            said.append(f"{visible(self.offer['what'])} offered")
        if self.viewers:
            said.append(f"{len(self.viewers)} watching")
        return " · ".join(filter(None, said))

    def _left(self) -> list[float]:
        """The seconds of each seat now."""
        passed = self._seconds() - self._told_at
        return [
            max(0, left - passed * (seat == self.turn))
            for seat, left in enumerate(self._clocks or ())
        ]

    def _see(self, event: Message) -> None:
        """Who is there."""
        match event["event"]:
            case "room":
                self.viewers = list(map(visible, event["viewers"]))
                self._away = {}
            case "joined" if event["seat"] is None:
                self.viewers.append(visible(event["user"]))
            case "joined":
                self._away.pop(visible(event["user"]), None)
            case "left" if event["seat"] is None:
                self.viewers = [name for name in self.viewers if name != visible(event["user"])]
            case "left" if event["held"]:
                self._away[visible(event["user"])] = self._seconds() + float(event["held"])

    def _plain(self) -> list[str]:
        return self.face.lines(self._position, lambda _, text: text) if self._position else []

    def _players(self) -> str:
        sides, seat = self.face.sides, self.seat
        mine = f". You are {sides[seat]}" if seat is not None and seat < len(sides) else ""
        return super()._players() + mine


def _mark(line: str, now: str, before: str) -> str:
    """``line``, which says the same as ``now`` in colour, with what was not ``before`` marked."""
    if len(now) != len(before):
        return line
    marked, at, colour = "", 0, ""
    for piece in _PIECE.findall(line):
        if len(piece) > 1:
            colour = "" if piece == _END else piece
            marked += piece
            continue
        is_new = now[at] != before[at] and not piece.isspace()
        marked += f"{_CHANGED}{piece}{_END}{colour}" if is_new else piece
        at += 1
    return marked
