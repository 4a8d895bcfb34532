"""Bringing the list of rooms up to date when a match begins or a room is gone.

Others hear of either only afterwards: the scripts publish it.
"""

from __future__ import annotations

from collections.abc import Callable

from tictac.cluster import codec, keys, scripts
from tictac.cluster.codec import Publication
from tictac.cluster.link import Link


def note_begun(link: Link, name: str, token: str, text: str, done: Callable[[], None]) -> None:
    """Nobody can join the room as a player any more."""
    words = (name, codec.number_of(token), keys.room(name), text)
    link.send(scripts.call(scripts.BEGUN, keys.INDEX, *words), lambda reply: done())


def free_name(link: Link, name: str, token: str, text: str, done: Callable[[bool], None]) -> None:
    """The room is gone. ``done`` hears whether it was this that freed its name."""
    words = (name, codec.number_of(token), keys.room(name), text)
    link.send(scripts.call(scripts.GONE, keys.INDEX, *words), lambda reply: done(reply == 1))


def find_end(
    link: Link,
    name: str,
    token: str,
    found: Callable[[Publication | None, bool], None],
) -> None:
    """Read how a room ended that isn't there any more, and free its name.

    Who has ended it may have died before it did that. ``found`` gets the last publication
    (None: nobody knows any more), and whether it was this that freed the name.
    """

    def on_record(reply: bytes | None) -> None:
        if reply is None:
            found(None, False)
            return
        text = reply.decode("ascii")
        record = codec.read_publication(text)
        free_name(link, name, token, text, lambda freed: found(record, freed))

    link.send(scripts.command("GET", keys.ended(name, token)), on_record)
