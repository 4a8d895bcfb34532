"""Nodes in PostgreSQL: joining, leases, owners of rooms, and taking over.

The row of a node decides whether the node may write, and who takes its rooms over
(``statements.py``). Time doesn't: a lease that has lapsed only lets other nodes take over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tictac.accounts.address import Address
from tictac.errors import SetupError
from tictac.lobby.journal import FORMAT, KeptRoom, Opened
from tictac.lobby.record import RecordLine
from tictac.plugins.cluster.committing import Committing, Outcome, described
from tictac.plugins.cluster.libpq import QueryError, in_one_line
from tictac.plugins.cluster.statements import NOT_HELD, SEPARATOR, STATEMENTS
from tictac.plugins.cluster.store import Node, NodeId, StoreListener

_log = Logger()


class PostgresStore(Committing):
    """A :class:`~.store.NodeStore` in the database at ``url``, which is up to date.

    Other nodes take over ``lease`` seconds after the last sign of life. Requests wait up to
    ``timeout`` seconds. ``seconds`` is the registry's clock.
    """

    def __init__(
        self, url: str, reactor: Any, lease: float, timeout: float, seconds: Callable[[], float]
    ) -> None:
        """Prepare a connection. Raises SetupError if the URL is invalid."""
        super().__init__(url, reactor, lease, timeout, seconds)
        self._known: tuple[Sequence[Node], Collection[NodeId]] | None = None
        self._taken: set[NodeId] = set()
        self._renewed_at = self._trusted_from = 0.0
        self._tick: Any = None

    # store.NodeStore

    def join(self, node: Node, watcher: StoreListener) -> Deferred[list[KeptRoom]]:
        """Become a living node."""
        return Deferred.fromCoroutine(self._join(node, watcher))

    async def _join(self, node: Node, watcher: StoreListener) -> list[KeptRoom]:
        me, endpoint = node.node_id, node.endpoint
        words = described(node, self._lease)
        _, others, _, _, now, _, _ = await self._ask(
            ("lock", ()),
            ("others", words[:-1]),
            ("join", words),
            ("forget", ()),
            ("time", ()),
            ("succeed", (me, endpoint)),
            ("move", (me,)),
        )
        if others:
            raise _prevents(others[0], node)
        self._epoch = float(now[0][0] or 0) - self._seconds()
        self._number, self._taken, self._known = 0, set(), None
        self._node, self._watcher = node, watcher
        self._renewed_at = -self._lease * 2
        # Reading the rooms can take longer than the lease.
        self._renew()
        return await self._read(me, "")

    def owner(self, name: str) -> Deferred[NodeId | None]:
        """Return the owner of a room, or None."""
        return Deferred.fromCoroutine(self._owner(name))

    async def _owner(self, name: str) -> NodeId | None:
        [rows] = await self._ask(("owner", (name,)))
        return rows[0][0] if rows else None

    def take_over(self, node_id: NodeId) -> Deferred[list[KeptRoom]]:
        """Become the owner of all rooms of a dead node."""
        return Deferred.fromCoroutine(self._take_over(node_id))

    async def _take_over(self, node_id: NodeId) -> list[KeptRoom]:
        node = self._node
        if node is None or node_id in self._taken or self._reactor.seconds() < self._trusted_from:
            return []
        self._taken.add(node_id)
        me = node.node_id
        try:
            _, heir, _ = await self._ask(
                ("holding", (me,)), ("inherit", (me, node_id)), ("move", (me,))
            )
            if heir:
                return await self._read(me, node_id)
        except QueryError as error:
            if error.state != NOT_HELD:
                raise
        except BaseException:
            self._taken.remove(node_id)
            raise
        self._taken.remove(node_id)
        return []

    async def _read(self, me: NodeId, former: NodeId) -> list[KeptRoom]:
        """Read the rooms of a former owner in pieces, so that batches can come between them."""
        kept = list[KeptRoom]()
        last: str | None = "-1"
        while last is not None:
            [rows] = await self._ask(("read", (me, former, last)))
            last = rows[-1][0] if rows else None
            for room_id, version, name, terms, start, lines in rows:
                if version != str(FORMAT):
                    why = "another version of tictac saved the room {room!r}; skipping it"
                    _log.error(why, room=name)
                    continue
                opened = Opened(str(name), str(terms), str(start))
                kept.append(KeptRoom(int(room_id or 0), opened, self._lines(lines)))
        return kept

    def _lines(self, text: str | None) -> list[RecordLine]:
        lines = []
        for each in text.split(SEPARATOR) if text else ():
            number, at, event = each.split(" ", 2)
            lines.append(RecordLine(int(number), float(at) - self._epoch, event))
        return lines

    def set_aside(self, room_id: int) -> Deferred[None]:
        """Keep an unreadable room without an owner."""
        return Deferred.fromCoroutine(self._set_aside(room_id))

    async def _set_aside(self, room_id: int) -> None:
        if self._node is not None:
            await self._ask(("aside", (self._node.node_id, str(room_id))))

    async def _leave(self) -> None:
        node = self._node
        self._stop_renewing()
        if node is not None:
            await self._ask(("leave", (node.node_id,)))

    def leave(self) -> Deferred[None]:
        """End the lease at once; the node must commit nothing afterwards."""
        return Deferred.fromCoroutine(self._leave())

    # Signs of life

    def stop(self) -> None:
        """Close the connection; the lease runs on."""
        super().stop()
        self._stop_renewing()

    def _stop_renewing(self) -> None:
        if self._tick is not None and self._tick.active():
            self._tick.cancel()

    def _renew(self) -> None:
        self._stop_renewing()
        if self._node is None:
            return
        self._tick = self._reactor.callLater(self._lease / 4, self._renew)
        if self._settled and not self._renewing:
            self._renewing = True
            steps = [("renew", (self._node.node_id, str(self._lease))), ("nodes", ())]
            self._link.ask(steps, self._renewed)

    def _renewed(self, outcome: Outcome) -> None:
        self._renewing = False
        if isinstance(outcome, QueryError):
            self._failed(outcome, lambda: None)
            return
        renewed, rows = outcome
        if not renewed:
            self._settled = False
            self._look()
            return
        # After this node was without the database, or slept, other nodes may be about to come back
        # like this one.
        now = self._reactor.seconds()
        if now - self._renewed_at > self._lease:
            self._trusted_from = now + self._lease
        self._renewed_at = now
        left = [float(each[4] or 0) for each in rows]
        living = [
            Node(str(row[0]), str(row[1]), tuple(map(int, str(row[2]).split())), str(row[3]))
            for row, seconds in zip(rows, left, strict=True)
            if seconds > 0 or (now < self._trusted_from and seconds > -1e6)
        ]
        soon = min([seconds for seconds in left if seconds > 0], default=self._lease)
        if soon < self._lease / 4 and self._tick.active():
            self._tick.reset(soon + 0.005)  # to see whether that node has died
        ids = {node.node_id for node in living}
        dead = {str(row[0]) for row in rows} - ids if now >= self._trusted_from else set()
        # Report the dead again, because the node that wanted to take over can have died, too.
        if (dead or (living, dead) != self._known) and self._watcher is not None:
            self._known = living, dead
            self._watcher.nodes_changed(living, dead)


def check_others(url: str, node: Node, lease: float) -> None:
    """Raise SetupError if a living node keeps this one from joining, before the start.

    A node at the same endpoint might have been killed a moment ago, so wait until its lease lapses.
    """
    words = described(node, lease)[:-1]
    with _asking(url) as cursor:
        others = cursor.execute(STATEMENTS["others"].encode(), words).fetchone()
        if others is not None and others[0] == node.endpoint:
            time.sleep(float(others[2]))
            others = cursor.execute(STATEMENTS["others"].encode(), words).fetchone()
    if others is not None:
        raise _prevents(others, node)


def read_salt(url: str) -> str:
    """Return the salt of the hashes of all nodes' secrets. Raises SetupError."""
    with _asking(url) as cursor:
        found = cursor.execute(STATEMENTS["salt"].encode()).fetchone()
    return "" if found is None else str(found[0])


@contextmanager
def _asking(url: str) -> Iterator[psycopg.RawCursor[Any]]:
    try:
        with psycopg.connect(Address.parse(url).conninfo, autocommit=True) as connection:
            yield psycopg.RawCursor(connection)
    except psycopg.Error as error:
        raise SetupError(f"{Address.parse(url)}: {in_one_line(error)}") from None


def _prevents(other: Sequence[str | None], node: Node) -> SetupError:
    endpoint, settings, *_ = other
    if endpoint == node.endpoint:
        if not endpoint:
            return SetupError("another process with --journal postgres runs on this database")
        return SetupError(f"another node runs with --node {endpoint}: each node needs its own")
    if settings == node.settings:
        return SetupError(f"the node at {endpoint} has another --node-secret")
    return SetupError(
        f"the node at {endpoint} is set to other values than this one:"
        f" {settings} there, {node.settings} here"
    )
