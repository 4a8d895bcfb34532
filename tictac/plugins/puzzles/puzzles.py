"""What people see of puzzles, and the check of their answers. Source: docs/reference/puzzles.md.

Puzzles are few and small, so the kept ones are in memory. An answer is looked up in the solution:
it costs no search. Only accounts have streaks: a solution on its day is a row of the database.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, ClassVar

from twisted.internet.defer import Deferred, succeed

from tictac.archive.match import to_json
from tictac.errors import ArchiveAway, IllegalMove, Refusal
from tictac.games.all import GAMES
from tictac.ip_networks import network_of
from tictac.names import COMPUTER, is_given
from tictac.plugins.puzzles.finding import MOST_STEPS, Puzzle, Step
from tictac.plugins.puzzles.tables import PuzzleTables, Solved
from tictac.plugins.puzzles.tries import Tries
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import on
from tictac.protocols.lobby.json_view import Message
from tictac.protocols.lobby.session import Session
from tictac.storage.store import StoreAwayError, StoreClosedError, Stored

if TYPE_CHECKING:
    from tictac.plugins.web.api import Document, Given


class NoSuchPuzzle(Refusal):
    """There is no puzzle of that day and game."""

    is_missing = True


SHOWN_DAYS = 7
"""How many days an answer has one by one."""


class PuzzleRequest(wire.PublicRequest, tag="puzzle"):
    """List the puzzles of a day, or of one game in it. moves: try your moves of a solution.

    whole: show the solution.
    """

    units: ClassVar = 10
    day: str | None = None
    game: str | None = None
    moves: wire.Names | None = None
    whole: bool | None = None

    def __post_init__(self) -> None:
        for what in ("moves", "whole"):
            if getattr(self, what) is not None and self.game is None:
                raise ValueError(f'"{what}" needs "game": a text')


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
    are secret until then. ``tables`` keep what accounts have solved (None: nothing does).
    """

    def __init__(
        self, today: Callable[[], str], tables: Stored[PuzzleTables] | None = None
    ) -> None:
        self._today, self._tables = today, tables
        self._kept: dict[str, dict[str, Puzzle]] = {}
        self._tries = Tries()
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
        day, game, moves = request.day or self._today(), request.game, request.moves
        user, solved = session.user or COMPUTER, ""
        if game and request.whole:
            answer = self.solution(day, game)
        elif game and moves is not None:
            who = session.connection.network if is_given(user) else f"account {user}"
            answer = self.check(day, game, moves, who)
            solved = game if answer["solved"] and day == self._today() else ""
        else:
            answer = self.list(day, game)
        if self._tables is None or is_given(user) or not (solved or "puzzles" in answer):
            session.send(wire.answer(request.id, **answer))
            return

        def send(streak: Message) -> None:
            session.send(wire.answer(request.id, **answer, streak=streak))

        def refuse(refusal: Refusal) -> None:
            session.send(wire.error(request.id, refusal))

        asked = Deferred.fromCoroutine(self._streak(self._tables, user, solved))
        session.connection.wait_for("PUZZLE", asked, send, refuse)

    async def _streak(self, tables: Stored[PuzzleTables], user: str, solved: str) -> Message:
        """Return the streak of an account, which might have ``solved`` today's of a game now."""
        today = self._today()
        try:
            if solved:
                found = await tables.ask(PuzzleTables.solve, user, today, solved)
            else:
                found = await tables.ask(PuzzleTables.solved, user)
        except (StoreAwayError, StoreClosedError):  # the store has logged it
            raise ArchiveAway("the puzzles can't be read now") from None
        return streak_of(found, today)

    # The API

    def answer(self, path: Sequence[str], given: Given) -> Deferred[Document]:
        """Answer ``/api/puzzle``, ``.../DAY`` or ``.../DAY/GAME?moves=A,B`` (web.api.ApiPart).

        With ``whole=1`` the answer is the solution.
        """
        from tictac.plugins.web.api import Document

        day, game, *rest = [*path, "", ""][: max(2, len(path))]
        if rest:
            raise NoSuchPuzzle("there is nothing here")
        day = day or self._today()
        moves = given.get("moves")
        if game and given.get("whole"):
            answer = self.solution(day, game)
        elif game and moves is not None:
            tried = moves.split(",")[: MOST_STEPS + 1]
            answer = self.check(day, game, tried, network_of(given.host))
        else:
            answer = self.list(day, game or None)
        return succeed(Document(to_json(answer).encode()))

    # Puzzles

    def list(self, day: str, game: str | None = None) -> Message:
        """Return the puzzles of a day without their solutions. Raises NoSuchPuzzle."""
        found = self._of(day)
        if game is not None:
            found = {game: self._get(day, game)}
        puzzles = [
            {**_describe(puzzle), "tries": self._tries.counts(day, game)}
            for game, puzzle in found.items()
        ]
        days = [each for each in self._kept if self._of(each)]
        return {"day": day, "puzzles": puzzles, "days": sorted(days, reverse=True)}

    def check(self, day: str, game: str, moves: Sequence[str], who: str) -> Message:
        """Return the result of the ``moves`` of a visitor. Raises NoSuchPuzzle or IllegalMove.

        ``who`` identifies the visitor (tries.Tries). ``position`` is that after the ``replies`` to
        the last move, right or wrong; ``why`` is the reason of a wrong one (finding.Step). A solved
        puzzle has ``tries``.
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
            replies, position, why = step.replies, step.then, None
        elif move in step.others:
            reply, position, why = step.others[move]
            replies = [reply] if reply else []
        else:
            raise IllegalMove(f"{move!a:.40} isn't a move in this position")
        is_solved = is_right and len(moves) == len(steps)
        if day == self._today():
            self._tries.note(day, game, who, is_solved)
        counts = self._tries.counts(day, game) if is_solved else None
        return {
            "day": day, "game": game, "move": number + 1, "right": is_right, "solved": is_solved,
            "replies": replies, "position": position, "why": why, "tries": counts,
        }  # fmt: skip

    def solution(self, day: str, game: str) -> Message:
        """Return the steps of a puzzle: each with its hint, and all moves. Raises NoSuchPuzzle."""
        steps = self._get(day, game).steps
        return {"day": day, "game": game, "steps": [step._asdict() for step in steps]}

    def _of(self, day: str) -> Mapping[str, Puzzle]:
        found = self._kept.get(day, {}) if day <= self._today() else {}
        return {game: puzzle for game, puzzle in found.items() if game in GAMES}

    def _get(self, day: str, game: str) -> Puzzle:
        found = self._of(day).get(game)
        if found is None:
            raise NoSuchPuzzle(f"there is no puzzle of {game!a:.40} on {day!a:.40}")
        return found


def streak_of(solved: Sequence[Solved], today: str) -> Message:
    """Return an account's ``days`` in a row until today or yesterday, and its ``best`` ones.

    ``last`` are the solved ones of the last days, ``today`` the games of today's.
    """
    now, longest, run, before = date.fromisoformat(today), 0, 0, None
    days = sorted({date.fromisoformat(each.day) for each in solved})
    for day in days:
        run = run + 1 if before is not None and day - before == timedelta(1) else 1
        longest, before = max(longest, run), day
    is_on = before is not None and now - before <= timedelta(1)
    since = now - timedelta(SHOWN_DAYS)
    return {
        "days": run if is_on else 0,
        "best": longest,
        "last": [str(day) for day in days if day > since],
        "today": [each.game for each in solved if each.day == today],
    }


def _describe(puzzle: Puzzle) -> Message:
    return {
        "game": puzzle.game,
        "title": GAMES[puzzle.game].title,
        "options": puzzle.options,
        "seats": puzzle.seats,
        "seat": puzzle.seat,
        "position": puzzle.steps[0].position,
        "moves": len(puzzle.steps),
        "wins": puzzle.wins,
        "match": puzzle.match or None,
    }
