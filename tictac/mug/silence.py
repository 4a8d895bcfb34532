"""When people who play by chat were last heard: their clients don't say that they are gone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tictac.mug.chat import ChatCommands
from tictac.mug.events import Event
from tictac.mug.room import Room


class Silence:
    """Remembers those who have entered a room by chat, and lets the silent ones leave."""

    def __init__(self, chat: ChatCommands) -> None:
        self._chat = chat
        self._heard: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._heard)

    def hear(self, person: str, now: float) -> None:
        """Note that somebody has said something; of who never entered a room nothing is kept."""
        if self._chat.has_entered(person) or person in self._heard:
            self._heard[person] = now

    def expire(self, before: float) -> Iterator[list[Event]]:
        """Let those leave who haven't been heard since ``before``; the events of each."""
        for person in [person for person, heard in self._heard.items() if heard < before]:
            del self._heard[person]
            for node in self._chat.tables.of(person):
                self._chat.tables.leave(person, node)
            for room in self._chat.rooms.of(person):
                yield from self._leave(room, person)

    def _leave(self, room: Room, person: str) -> Iterator[list[Event]]:
        name = room.address.partition("@")[0]
        for occupant in room.occupants.persons(person):
            for session in [session for session in occupant.sessions if session.via]:
                yield self._chat.rooms.in_room(name, partial(room.leave, session.address))
