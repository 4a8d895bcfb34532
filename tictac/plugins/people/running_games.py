"""The running games, over HTTP: the positions of public rooms, for small boards in the lobby.

Source: docs/reference/api.md, "Paths".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from twisted.internet.defer import Deferred, succeed

from tictac.archive.match import to_json
from tictac.lobby.registry import Registry
from tictac.plugins.web.api import Document

MOST = 6
"""Maximum of rooms in an answer. Watching as many would cost an event for each move and visitor."""

LONGEST = 400
"""Maximum length of a position: the largest board of tic-tac-toe, but not Clue's map."""


class Boards:
    """Answers ``/api/boards`` (web.api.ApiPart)."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def answer(self, path: Sequence[str], given: Mapping[str, str]) -> Deferred[Document]:
        """Return the positions of the ``rooms`` given by name, as viewers see them.

        Leave out rooms that are private.
        """
        boards = {}
        for name in given.get("rooms", "").split(",", MOST)[:MOST]:
            live_room = self._registry.live_rooms.get(name)
            room = None if live_room is None else live_room.room
            if room is None or room.terms.key is not None:
                continue
            if len(position := room.game.view(room.position, None)) <= LONGEST:
                boards[name] = position
        return succeed(Document(to_json({"boards": boards}).encode()))
