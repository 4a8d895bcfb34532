"""The puzzles of a day at the shell of `tictac play`. Source: docs/reference/puzzles.md."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from tictac.plugins.client.connection import Message
from tictac.plugins.client.seek import Stop
from tictac.terminal.room_view import face_for
from tictac.terminal.style import visible
from tictac.text_view import TextView, unpainted


class Shell(Protocol):
    """The shell, as these commands use it (client.shell.Shell)."""

    def show(self, *lines: str) -> None:
        """Print lines."""

    async def request(self, do: str, /, **fields: object) -> Message:
        """Return the answer to a request. Raises Refused."""


class Commands:
    """The command ``puzzle``, for a client.shell.Shell."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._puzzle: Message | None = None
        self._day = ""
        self._moves: list[str] = []

    def complete(self, command: str) -> Collection[str]:
        """Return the words that could follow a command."""
        return ()

    def handle_event(self, event: Message) -> bool:
        """Handle an event of the server, or return False to leave it to the session."""
        return False

    async def obey(self, command: str, rest: str) -> bool:
        """Run a command, or return False to leave it to the shell. Raises Refused or Stop."""
        if command != "puzzle":
            return False
        listed = await self._shell.request("puzzle")
        found = {each["game"]: each for each in listed["puzzles"]}
        if not found:
            raise Stop("there is no puzzle today yet")
        if rest in found or not rest or self._puzzle is None or self._day != listed["day"]:
            game = rest or next(iter(found))
            if game not in found:
                raise Stop(f"today there are puzzles of {', '.join(map(visible, found))}")
            self._begin(str(listed["day"]), found[game])
        else:
            await self._try(self._puzzle, rest)
        return True

    def _begin(self, day: str, puzzle: Message) -> None:
        self._puzzle, self._day, self._moves = puzzle, day, []
        view = _view_of(puzzle)
        self._shell.show(*_draw(view, puzzle["position"]), _task(view, puzzle))

    async def _try(self, puzzle: Message, typed: str) -> None:
        view = _view_of(puzzle)
        move = view.read(typed)
        moves = [*self._moves, move]
        asked = {"day": self._day, "game": puzzle["game"], "moves": moves}
        answer = await self._shell.request("puzzle", **asked)
        replies = " ".join(visible(view.recorded(reply)) for reply in answer["replies"])
        if not answer["right"]:
            after = f": {replies} follows" if replies else ""
            self._shell.show(*_draw(view, answer["position"]), f"Not the right move{after}.")
            return
        self._moves = moves
        self._shell.show(*_draw(view, answer["position"]))
        if answer["solved"]:
            self._shell.show("Solved.", *_count(answer["tries"]))
        else:
            then = f" {replies} follows." if replies else ""
            self._shell.show(f"Right.{then} The next move? (puzzle MOVE)")


def _count(tries: Message | None) -> list[str]:
    return [f"{tries['solved']} of {tries['tried']} solved it."] if tries else []


def _view_of(puzzle: Message) -> TextView:
    return face_for(puzzle["game"], puzzle["options"])


def _draw(view: TextView, position: str) -> list[str]:
    return [visible(line) for line in view.lines(position, unpainted)]


def _task(view: TextView, puzzle: Message) -> str:
    sides = view.sides_of(puzzle["position"], puzzle["seats"])
    seat, moves = int(puzzle["seat"]), int(puzzle["moves"])
    who = sides[seat] if seat < len(sides) else f"Player {seat + 1}"
    in_moves = "wins in 1 move" if moves == 1 else f"wins in {moves} moves"
    wins = in_moves if puzzle["wins"] else "has one move that wins"
    title = visible(puzzle["title"])
    return f"{title}: {visible(who)} moves and {wins}. Type puzzle and the move."
