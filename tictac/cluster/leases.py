"""Signs of life: a node renews its lease, and sees whose have lapsed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall

from tictac.cluster import keys, scripts
from tictac.cluster.link import Done, ignore
from tictac.cluster.node import Node

BEATS_A_LEASE = 4


class RedisTime:
    """Redis's time, reckoned from a clock of this process and what Redis said last."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._ahead = 0.0

    def learn(self, now: float) -> None:
        """It is ``now`` for Redis."""
        self._ahead = now - self._seconds()

    def now(self) -> float:
        """In seconds."""
        return self._seconds() + self._ahead


class Watch(Node, Protocol):
    """What leases need of the node."""

    engine_timeout: float

    def learn_time(self, now: float) -> None:
        """It is ``now`` in Redis's time."""

    def was_given_up(self) -> None:
        """This node's lease had lapsed: others may have held its seats."""

    def seen_dead(self, nodes: set[str]) -> None:
        """These nodes' leases have lapsed."""

    def beat(self) -> None:
        """Look after what has waited for too long."""


class Leases:
    """This node's lease, of ``seconds``, and a look at everybody's each time it is renewed."""

    def __init__(self, node: Watch, clock: IReactorTime, seconds: float) -> None:
        self.seconds = seconds
        self._node = node
        self._clock = clock
        self._asked: float | None = None
        self._quiet_until = 0.0
        self._loop = LoopingCall(self._beat)
        self._loop.clock = clock

    def start(self) -> None:
        """Renew it four times in its life."""
        self._loop.start(self.seconds / BEATS_A_LEASE, now=False)

    def stop(self) -> None:
        """Let it lapse at once."""
        if self._loop.running:
            self._loop.stop()
        self._node.link.send(scripts.command("DEL", keys.lease(self._node.id)), ignore)

    def first_beat(self) -> tuple[bytes, Done]:
        """What is sent before all else when the link is up again.

        After that the others get the time of a lease to come back, too.
        """
        # Whoever takes the connection and never answers is given up, too.
        self._asked = now = self._clock.seconds()
        self._quiet_until = now + self.seconds
        return self._command(), self._on_beat

    def ask(self, nodes: set[str], tell: Callable[[set[str]], None]) -> None:
        """Tell which of these nodes are silent: their leases lapsed, or they missed a beat.

        That is enough for a user who asks for the seat there that is their own.
        """
        fresh = self.seconds * 1000 * (1 - 1.5 / BEATS_A_LEASE)
        left = sorted(nodes)
        silent: set[str] = set()

        def answered(reply: int) -> None:
            node = left.pop(0)
            if reply < fresh:
                silent.add(node)
            if not left:
                tell(silent)

        for node in list(left):
            self._node.link.send(scripts.command("PTTL", keys.lease(node)), answered)

    def _command(self) -> bytes:
        node = self._node.id
        milliseconds = str(int(self.seconds * 1000))
        names = (keys.NODES, keys.lease(node))
        return scripts.call(scripts.BEAT, names, node, keys.LEASE, milliseconds)

    def _beat(self) -> None:
        node = self._node
        now = self._clock.seconds()
        if self._asked is None:
            if node.link.up:
                self._asked = now
                node.link.send(self._command(), self._on_beat)
        elif now - self._asked > (node.engine_timeout or math.inf):
            self._asked = None
            node.link.fail("it doesn't answer")
        node.beat()

    def _on_beat(self, reply: list[Any]) -> None:
        self._asked = None
        node = self._node
        alive, seconds, microseconds, lapsed = reply
        node.learn_time(int(seconds) + int(microseconds) / 1e6)
        if not alive and node.link.up:
            node.was_given_up()
        if lapsed and self._clock.seconds() >= self._quiet_until:
            node.seen_dead({name.decode("ascii") for name in lapsed})
