"""What MUG's rooms get from the server: the lobby, seats in its rooms, and computers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tictac.doors.xmpp.refusals import from_lobby
from tictac.errors import Refusal
from tictac.lobby.events import Event, Refused
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import MemoryRegistry
from tictac.lobby.terms import Terms


def node_of(name: str) -> str:
    """The part before the ``@`` of the address of a room of the lobby (XEP-0106 for a blank)."""
    return name.lower().replace(" ", "\\20")


@dataclass(slots=True)
class House:
    """The lobby, the name there of whoever has an address, and computers for some terms.

    ``key`` opens rooms for nobody else. With ``max_events`` (0: any number) a room takes only
    moves, and twice as many moves are a draw. Seats that are ``waiting`` will be told something:
    nothing is asked meanwhile, and ``go_on`` is called when no seat waits any more.
    """

    registry: MemoryRegistry
    user_of: Callable[[str], str]
    computer: Callable[[Terms], Occupant]
    key: str
    max_events: int = 0
    waiting: set[Seat] = field(default_factory=set)
    go_on: Callable[[], object] = lambda: None


class Seat:
    """Somebody from here in a room of the lobby (lobby.interfaces.Occupant).

    ``hear`` is told what happens; None: somebody else of ours is told.
    """

    knows_all = True

    def __init__(
        self, house: House, user: str, hear: Callable[[Event], None] | None = None
    ) -> None:
        self.occupant_id = house.registry.new_occupant_id()
        self.user: str | None = user
        self.hear = hear
        self._house = house
        self._asking = False
        self._refusal: Refusal | None = None

    def ask(self, request: Callable[..., None], *arguments: object) -> None:
        """Ask the registry for something. Raises refusals.Refused if it refuses at once; what it
        refuses later is heard."""
        self._asking = True
        try:
            request(self, *arguments)
        finally:
            self._asking = False
        refusal, self._refusal = self._refusal, None
        if refusal is not None:
            raise from_lobby(refusal)

    def leave(self) -> None:
        """Leave the room: the seat may be held."""
        self.hear = None
        self._house.registry.leave(self)
        self.release()

    def receive(self, event: Event) -> None:
        """Pass an event on; keep a refusal of what is being asked (lobby.interfaces.Occupant)."""
        if self._asking and isinstance(event, Refused):
            self._refusal = event.refusal
        elif self.hear is not None:
            self.hear(event)

    def wait(self) -> None:
        """Let nothing be asked until this is told something (lobby.interfaces.Occupant)."""
        self._house.waiting.add(self)

    def release(self) -> None:
        """It has been told (lobby.interfaces.Occupant)."""
        self._house.waiting.discard(self)
        if not self._house.waiting:
            self._house.go_on()

    def close(self) -> None:
        """The registry in memory never asks for it (lobby.interfaces.Occupant)."""
