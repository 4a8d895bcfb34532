"""A room in the shell: its board with the last changes marked, and a status line."""

from __future__ import annotations

import re
from collections.abc import Callable

from tictac.plugins.client.connection import Message
from tictac.terminal.room_view import RoomView
from tictac.terminal.style import Style, visible
from tictac.text_view import unpainted

_PIECE = re.compile(r"\x1b\[[0-9;]*m|.", re.S)
_END = "\x1b[0m"
_CHANGED, _WON = ("\x1b[7m", ">"), ("\x1b[1;7;32m", "*")
"""Marks of a piece: a color, or a character in the blank before the piece."""


class SeenTable(RoomView):
    """A RoomView with marks and a status. ``seconds`` is a clock; ``marks``: whether to mark."""

    def __init__(self, style: Style, seconds: Callable[[], float], marks: bool = True) -> None:
        super().__init__(style)
        self._marks = marks
        self.viewers: list[str] = []
        self._seconds = seconds
        self._clocks_at = 0.0
        self._away: dict[str, float] = {}
        self._before: list[str] = []
        self._without_line: list[str] = []
        self._note = ""
        self._can_rematch = True

    @property
    def is_playing(self) -> bool:
        """Whether a match is running that the player would lose by leaving."""
        return self.begun and not self.over and self.seat is not None

    @property
    def way_here(self) -> str:
        """The command with which another person enters the room."""
        return f"join {self.name}"

    def handle_event(self, event: Message) -> list[str]:
        """Apply an event (:meth:`RoomView.handle_event`), and note changes for marks."""
        if "clocks" in event:
            self._clocks_at = self._seconds()
        self._see(event)
        before = self._position
        if event["event"] in ("moved", "undone", "ended") and event.get("position") != before:
            self._before = self._plain(before)
        self._without_line = []
        if event["event"] == "ended" and event["how"] == "won" and event["winner"] is not None:
            shown = visible(event["position"])
            self._without_line = self._plain(self.text_view.without_line(shown, event["winner"]))
        lines = super().handle_event(event)
        if self._position:
            self._note = self.text_view.note(self._position, self.seat) or self._note
        return lines

    def board(self) -> list[str]:
        """Return the board, with the last move's changes and a winning line marked."""
        lines, plain, colour = super().board(), self._plain(self._position), self._style.colour
        if not self._marks or self._picture is not None:  # The blanks of a picture aren't known.
            return lines
        part = self.text_view.board
        if lines[part] and not colour:  # A piece might have no blank before it.
            lines = [f" {line}" for line in lines]
        for before, mark in ((self._before, _CHANGED), (self._without_line, _WON)):
            if len(plain) == len(before):
                rows = zip(lines[part], plain[part], before[part], strict=True)
                lines[part] = [_mark(*row, mark, colour) for row in rows]
        return lines

    def status(self) -> str:
        """Return a short status of the match."""
        if self.over:
            can = self._can_rematch and self.seat is not None
            return f"over: {'rematch offers another match, ' * can}leave goes back"
        if not self.begun:
            return "waiting for another player"
        mine = self.my_turn and self._style.bright("your turn")
        side = self._side()
        parts = [side and f"you are {side}", self._note]
        parts += [mine or (f"{self._mover(self.turn)} to move" if self.turn is not None else "")]
        parts.append(" / ".join(map(self._time.shown, self._left())))
        for user, until in self._away.items():
            parts.append(f"{user} disconnected, {max(0, until - self._seconds()):.0f} s left")
        if self.offer is not None:
            parts.append(f"{visible(self.offer['what'])} offered")
        if self.viewers:
            parts.append(f"{len(self.viewers)} watching")
        return " · ".join(filter(None, parts))

    def _left(self) -> list[float]:
        """Return the time left for each seat now, in seconds."""
        passed = self._seconds() - self._clocks_at
        return [
            max(0, left - passed * (seat == self.turn))
            for seat, left in enumerate(self._clocks or ())
        ]

    def _see(self, event: Message) -> None:
        """Update the viewers and the disconnected players."""
        match event["event"]:
            case "room":
                self.viewers, self._away = [visible(each) for each in event["viewers"]], {}
                self._can_rematch = "tournament" not in event
            case "joined" if event["seat"] is None:
                self.viewers.append(visible(event["user"]))
            case "joined":
                self._away.pop(visible(event["user"]), None)
            case "left" if event["seat"] is None:
                self.viewers = [name for name in self.viewers if name != visible(event["user"])]
            case "left" if event["held"]:
                self._away[visible(event["user"])] = self._seconds() + float(event["held"])

    def _plain(self, position: str) -> list[str]:
        return self._drawn(position, unpainted)

    def _handle_moved(self, event: Message) -> list[str]:
        line, *_ = super()._handle_moved(event)
        shown = self.text_view.after_move(self._position, self.board(), self.my_turn)
        return [line, *shown, *(self.whose_turn() if shown else ())]

    def _side(self) -> str:
        sides, seat = self.sides(), self.seat
        return sides[seat] if seat is not None and seat < len(sides) else ""

    def players(self) -> str:
        """Return the players with their sides, and this player's side."""
        side, names = self._side(), super().players()
        return f"{names}. You are {side}" if side else names


def _mark(line: str, now: str, before: str, mark: tuple[str, str], colour: bool) -> str:
    """Return ``line``, which shows ``now``, with the differences from ``before`` marked."""
    if len(now) != len(before):
        return line
    new = {at for at, one in enumerate(now) if one != before[at] and not one.isspace()}
    if not colour:
        first = {at for at in new if at - 1 not in new}  # A blank is before such a piece.
        return (
            "".join(mark[1] if at in first else one for at, one in enumerate(line[:-1])) + line[-1:]
        )
    marked, at, paint = "", 0, ""
    for piece in _PIECE.findall(line):
        if len(piece) > 1:
            paint = "" if piece == _END else piece
            marked += piece
            continue
        marked += f"{mark[0]}{piece}{_END}{paint}" if at in new else piece
        at += 1
    return marked
