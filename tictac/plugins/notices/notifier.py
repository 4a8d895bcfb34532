"""A channel of notices: it knows its addresses, and sends a message to one of them."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import NamedTuple, Protocol


class Line(NamedTuple):
    """One thing that a player should know, in the player's language.

    ``kind`` is notices.Kind. ``title`` and ``body`` are texts for a person, ``path`` is
    what to open at the page, and ``seconds`` is how long the line can be true.
    """

    kind: str
    room: str
    title: str
    body: str
    path: str
    seconds: float


class Letter(NamedTuple):
    """All that a player gets at once.

    ``id`` is the same at each attempt. ``stop`` is a link that ends the messages to this address,
    and ``turns`` the number of matches over days in which it is the player's turn.
    """

    id: str
    user: str
    language: str
    lines: Sequence[Line]
    stop: str
    turns: int


class GoneError(Exception):
    """The address takes no messages any more: the server gives it up."""


class Notifier(Protocol):
    """A channel. It never blocks, and keeps nothing."""

    wish: str
    """How often a new address gets messages: notices.Wish."""
    gap: int
    """Minimum seconds between two messages to an address."""
    asks: bool
    """Whether a new address is confirmed by a link that is sent to it."""

    def public(self) -> Mapping[str, str]:
        """Return what a client must know to make an address."""

    def check(self, address: str) -> str:
        """Return the address as it is kept. Raises BadAddress."""

    def send(self, address: str, letter: Letter) -> Awaitable[object]:
        """Send a message. Fails with GoneError, or with another exception: try again later."""

    def ask(self, address: str, user: str, language: str, link: str) -> Awaitable[object]:
        """Send the link that confirms an address. Fails like :meth:`send`."""
