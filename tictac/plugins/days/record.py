"""The results of an account by game and by level of the computer: the request ``record``.

Source: days.md, "Your results". They are counted in the archive when a client asks. No table has
them, so that no match gets slower for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from twisted.internet.defer import Deferred

from tictac.archive.match import Match, utc_text
from tictac.archive.tables import MatchTables
from tictac.errors import Refusal
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import on
from tictac.protocols.lobby.json_view import Message
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import Session
from tictac.storage.store import Stored

COUNTED = 500
"""How many of an account's last matches are counted."""

LAST = 10
"""How many last results an answer has one by one."""


class RecordRequest(wire.Request, tag="record"):
    """List your results by game and by level of the computer, or those of one game."""

    units: ClassVar = 30
    game: str | None = None


class Records:
    """The request ``record`` (extension.Extension)."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self.handlers = dict((on(RecordRequest, self._list),))

    def logged_in(self, session: Session) -> Mapping[str, object]:
        return {}

    def gone(self, session: Session) -> None:
        pass

    def _list(self, session: Session, request: RecordRequest) -> None:
        user, network = session.user or "", session.connection.network

        async def read(tables: Stored[MatchTables]) -> list[Message]:
            return record_of(await tables.ask(MatchTables.last, user, request.game or "", COUNTED))

        def answer(record: list[Message]) -> None:
            session.send(wire.answer(request.id, record=record))

        def refuse(refusal: Refusal) -> None:
            session.send(wire.error(request.id, refusal))

        asked: Deferred[list[Message]] = self._lobby.matches.ask(network, MatchTables, read)
        session.connection.wait_for("RECORD", asked, answer, refuse)


def record_of(matches: Iterable[tuple[Match, int]]) -> list[Message]:
    """Return the results of matches with their seats, the newest first, by game and level.

    ``level`` is None against people, and where levels differ. ``best`` are the fewest moves of a
    win, all players' together; None without a win.
    """
    found: dict[tuple[str, str | None], Message] = {}
    for match, seat in matches:
        levels = {player.level for at, player in enumerate(match.players) if at != seat}
        level = levels.pop() if len(levels) == 1 else None
        entry = found.setdefault((match.game, level), {
            "game": match.game, "level": level, "won": 0, "lost": 0, "drawn": 0, "last": [],
            "best": None, "played": utc_text(match.ended),
        })  # fmt: skip
        word = "drawn" if match.winner is None else "won" if match.winner == seat else "lost"
        entry[word] += 1
        if len(entry["last"]) < LAST:
            entry["last"].append(word)
        if word == "won" and match.ending == "won":
            moves = len(match.moves())
            entry["best"] = min(moves, entry["best"] or moves)
    return [*found.values()]
