"""Pages of the list of rooms: Result Set Management (XEP-0059).

The keys of all listed rooms are in order, so that a page costs as much as it has rooms, however
many there are. A page begins after a key, not after a room: a room can close between two pages.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from twisted.words.xish.domish import Element, SerializedXML

from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import RSM, first, tag, text_of

MOST_READ = 500
"""Maximum rooms that a request looks at, in which a search finds fewer."""

Key = tuple[str, str]
"""The node of a room, and its name if it is one of the lobby's."""

T = TypeVar("T")


class Listing:
    """The keys of listed rooms, in order."""

    def __init__(self) -> None:
        self._keys: list[Key] = []

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, key: Key) -> None:
        """Add a key, unless the list has it."""
        at = bisect_left(self._keys, key)
        if self._keys[at : at + 1] != [key]:
            insort(self._keys, key)

    def discard(self, key: Key) -> None:
        """Remove a key, if the list has it."""
        at = bisect_left(self._keys, key)
        if self._keys[at : at + 1] == [key]:
            del self._keys[at]

    def read(self, page: Page, find: Callable[[Key], T | None]) -> Found[T]:
        """Return a page of what ``find`` returns for keys; None leaves a key out."""
        keys, low, high = self._keys, 0, len(self._keys)
        if page.after is not None:
            low = bisect_right(keys, page.after)
        if page.before is not None:
            high = bisect_left(keys, page.before)
        low = max(low, min(page.skip, high))
        backwards = page.is_last or page.before is not None
        part = (
            keys[max(low, high - MOST_READ) : high]
            if backwards
            else keys[low : min(high, low + MOST_READ)]
        )
        if backwards:
            part.reverse()
        found, read, total = list[T](), 0, len(keys)
        while read < len(part) and len(found) < page.most:
            # This can discard the key.
            if (value := find(part[read])) is not None:
                found.append(value)
            read += 1
        covered, start = part[:read], low
        if backwards:
            start = high - read
            found.reverse()
            covered.reverse()
        return Found(found, covered[:1], covered[-1:], start, total, read == total)


class Page(NamedTuple):
    """The wish of a request: up to ``most`` rooms after or before a key, or the last ones.

    ``skip`` is the number of rooms before the page. ``asked`` is whether the request asks for a
    page, and doesn't just get one.
    """

    most: int
    after: Key | None = None
    before: Key | None = None
    is_last: bool = False
    skip: int = 0
    asked: bool = False


class Found(NamedTuple, Generic[T]):
    """A page: the ``values``, the first and the last key that it covers, and its place in all."""

    values: list[T]
    first: list[Key]
    last: list[Key]
    start: int
    total: int
    is_all: bool

    def set(self, page: Page, domain: str) -> SerializedXML | None:
        """Return the element that describes the page; None if it isn't needed."""
        if self.is_all and not page.asked:
            return None
        ends = [tag("first", {"index": self.start}, _uid(key, domain)) for key in self.first]
        ends += [tag("last", None, _uid(key, domain)) for key in self.last]
        return tag("set", {"xmlns": RSM}, *ends, tag("count", None, str(self.total)))


def read_page(query: Element, limit: int) -> Page:
    """Return the page that a query asks for, with up to ``limit`` rooms; 0 is no limit.

    Raises:
        Refused: A number is none, or the id of a room is none of this service's.
    """
    most = limit or 1_000_000
    wanted = first(query, RSM, "set")
    if wanted is None:
        return Page(most)
    texts = {name: first(wanted, RSM, name) for name in ("max", "index", "after", "before")}
    given = {name: text_of(each).strip() for name, each in texts.items() if each is not None}
    numbers = {name: given[name] for name in ("max", "index") if name in given}
    if any(not (text.isascii() and text.isdigit() and len(text) < 10) for text in numbers.values()):
        raise Refused("bad-request", "max and index of a page are numbers")
    after, before = (given.get(name, "") for name in ("after", "before"))
    return Page(
        min(most, int(numbers.get("max", most))),
        _key(after) if after else None,
        _key(before) if before else None,
        "before" in given,
        int(numbers.get("index", 0)),
        True,
    )


def _uid(key: Key, domain: str) -> str:
    node, name = key
    return f"{node}@{domain}/{name}" if name else f"{node}@{domain}"


def _key(uid: str) -> Key:
    node, at, rest = uid.partition("@")
    if not at:
        raise Refused("item-not-found", "no room has that id")
    return node, rest.partition("/")[2]
