"""Finding out how a room ended that isn't there any more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tictac.cluster import codec, keys, scripts
from tictac.cluster.codec import Publication
from tictac.cluster.link import Link


def find_end(
    link: Link,
    name: str,
    token: str,
    found: Callable[[Publication | None, bool], None],
    failed: Callable[[Any], None],
) -> None:
    """Read how room ``name`` ended, and see to it that its name is free and everybody hears.

    Who has ended it may have died before it did that. ``found`` gets the last publication
    (None: nobody knows any more), and whether it was this that freed the name.
    """

    def on_record(reply: Any) -> None:
        if reply is None:
            found(None, False)
        elif isinstance(reply, bytes):
            text = reply.decode("ascii")
            words = (name, codec.number_of(token), keys.room(name), text)
            record = codec.read_publication(text)
            link.send(
                scripts.call(scripts.GONE, keys.INDEX, *words),
                lambda freed: on_freed(record, freed),
            )
        else:
            failed(reply)

    def on_freed(record: Publication, freed: Any) -> None:
        if isinstance(freed, int):
            found(record, freed == 1)
        else:
            failed(freed)

    link.send(scripts.command("GET", keys.ended(name, token)), on_record)
