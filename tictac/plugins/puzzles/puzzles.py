"""What people see of puzzles, and the check of their answers. Source: docs/reference/puzzles.md.

Puzzles are few and small, so the kept ones are in memory. An answer is looked up in the solution:
it costs no search.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from twisted.internet.defer import Deferred, succeed

from tictac.archive.match import to_json
from tictac.errors import IllegalMove, Refusal
from tictac.games.all import GAMES
from tictac.plugins.puzzles.finding import MOST_STEPS, Puzzle, Step
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import on
from tictac.protocols.lobby.json_view import Message
from tictac.protocols.lobby.session import Session

if TYPE_CHECKING:
    from tictac.plugins.web.api import Document


class NoSuchPuzzle(Refusal):
    """There is no puzzle of that day and game."""

    is_missing = True


class PuzzleRequest(wire.PublicRequest, tag="puzzle"):
    """List the puzzles of a day, or of one game in it. moves: try your moves of a solution."""

    units: ClassVar = 10
    day: str | None = None
    game: str | None = None
    moves: wire.Names | None = None

    def __post_init__(self) -> None:
        if self.moves is not None and self.game is None:
            raise ValueError('"moves" needs "game": a text')


def load_puzzle(content: str) -> Puzzle:
    """Return the puzzle that :func:`dump_puzzle` wrote."""
    fields = json.loads(content)
    return Puzzle(**{**fields, "steps": [Step(**step) for step in fields["steps"]]})


def dump_puzzle(puzzle: Puzzle) -> str:
    """Return a puzzle as JSON."""
    return to_json({**puzzle._asdict(), "steps": [step._asdict() for step in puzzle.steps]})


class Puzzles:
    """The kept puzzles by day and game, for requests (extension.Extension) and ``/api/puzzle``.

    ``today`` returns the day in UTC, such as 2026-11-29. Days that come have puzzles already, which
    are secret until then.
    """

    def __init__(self, today: Callable[[], str]) -> None:
        self._today = today
        self._kept: dict[str, dict[str, Puzzle]] = {}
        self.handlers = dict((on(PuzzleRequest, self._show),))

    def add(self, day: str, puzzle: Puzzle) -> None:
        """Keep a puzzle."""
        self._kept.setdefault(day, {})[puzzle.game] = puzzle

    def has(self, day: str, game: str) -> bool:
        """Return whether a day has a puzzle of a game."""
        return game in self._kept.get(day, {})

    def forget(self, before: str) -> None:
        """Forget the puzzles of the days before that one."""
        self._kept = {day: found for day, found in self._kept.items() if day >= before}

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, object]:
        return {}

    def gone(self, session: Session) -> None:
        pass

    def _show(self, session: Session, request: PuzzleRequest) -> None:
        day, moves = request.day or self._today(), request.moves
        if moves is None:
            answer = self.list(day, request.game)
        else:
            answer = self.check(day, request.game or "", moves)
        session.send(wire.answer(request.id, **answer))

    # The API

    def answer(self, path: Sequence[str], given: Mapping[str, str]) -> Deferred[Document]:
        """Answer ``/api/puzzle``, ``.../DAY`` or ``.../DAY/GAME?moves=A,B`` (web.api.ApiPart)."""
        from tictac.plugins.web.api import Document

        day, game, *rest = [*path, "", ""][: max(2, len(path))]
        if rest:
            raise NoSuchPuzzle("there is nothing here")
        day = day or self._today()
        moves = given.get("moves")
        if game and moves is not None:
            answer = self.check(day, game, moves.split(",")[: MOST_STEPS + 1])
        else:
            answer = self.list(day, game or None)
        return succeed(Document(to_json(answer).encode()))

    # Puzzles

    def list(self, day: str, game: str | None = None) -> Message:
        """Return the puzzles of a day without their solutions. Raises NoSuchPuzzle."""
        found = self._of(day)
        if game is not None:
            found = {game: self._get(day, game)}
        return {"day": day, "puzzles": [_describe(puzzle) for puzzle in found.values()]}

    def check(self, day: str, game: str, moves: Sequence[str]) -> Message:
        """Return the result of a player's ``moves``. Raises NoSuchPuzzle or IllegalMove.

        ``position`` is that after the ``replies`` to the last move, right or wrong.
        """
        steps = self._get(day, game).steps
        if not 1 <= len(moves) <= len(steps):
            raise IllegalMove(f"the solution has {len(steps)} moves, not {len(moves)}")
        tried = zip(steps, moves, strict=False)
        wrong = next((n for n, (step, move) in enumerate(tried) if move != step.best), None)
        is_right = wrong is None
        number = len(moves) - 1 if wrong is None else wrong
        step, move = steps[number], moves[number]
        if is_right:
            replies, position = step.replies, step.then
        elif move in step.others:
            reply, position = step.others[move]
            replies = [reply] if reply else []
        else:
            raise IllegalMove(f"{move!a:.40} is no move in this position")
        is_solved = is_right and len(moves) == len(steps)
        return {
            "day": day, "game": game, "move": number + 1, "right": is_right, "solved": is_solved,
            "replies": replies, "position": position,
        }  # fmt: skip

    def _of(self, day: str) -> Mapping[str, Puzzle]:
        return self._kept.get(day, {}) if day <= self._today() else {}

    def _get(self, day: str, game: str) -> Puzzle:
        found = self._of(day).get(game)
        if found is None:
            raise NoSuchPuzzle(f"there is no puzzle of {game!a:.40} on {day!a:.40}")
        return found


def _describe(puzzle: Puzzle) -> Message:
    game_type = GAMES.get(puzzle.game)
    return {
        "game": puzzle.game,
        "title": puzzle.game if game_type is None else game_type.title,
        "options": puzzle.options,
        "seats": puzzle.seats,
        "seat": puzzle.seat,
        "position": puzzle.steps[0].position,
        "moves": len(puzzle.steps),
        "wins": puzzle.wins,
        "match": puzzle.match or None,
    }
