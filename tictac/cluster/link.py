"""The way to Redis: one connection, made again when it is lost.

Replies come in the order of their commands, and what was published comes between them, in the
order of what has published it. Who waits for a reply when the link is lost never gets it, and
asks again when the link is up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.protocol import Factory
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.cluster import scripts
from tictac.cluster.address import Address
from tictac.cluster.connection import Connection
from tictac.cluster.scripts import command

_log = Logger()

FIRST_DELAY = 0.05
LONGEST_DELAY = 2.0
"""Seconds before the link is tried again; each is twice the one before."""


Done = Callable[[Any], None]
"""Gets the reply to a command. An error in its place fails the link instead."""


class LinkUser(Protocol):
    """Who is told how the link is."""

    def first_command(self) -> tuple[bytes, Done]:
        """What is asked before the link is up, and what to do with the answer."""

    def link_up(self) -> None:
        """From now on commands are sent; who waits for an answer to an earlier one asks again."""

    def link_down(self) -> None:
        """Nothing is sent, and no answer comes any more."""


class Link:
    """Keeps the connection up. ``published`` gets channels and what was said there.

    ``connect`` makes one, given the factory of its protocol. The ``user`` is told how the
    link is, and is asked what to begin with.
    """

    def __init__(
        self,
        clock: IReactorTime,
        connect: Callable[[Factory[Any]], Deferred[Any]],
        address: Address,
    ) -> None:
        self.up = False
        self.user: LinkUser
        self.published: Callable[[bytes, bytes], None]
        self._clock = clock
        self._connect = connect
        self._address = address
        self._connection: Connection | None = None
        self._send_command: Callable[..., None] = lambda data: None
        self._waiting: deque[tuple[bytes, Done]] = deque()
        self._confirming: deque[Callable[[], None]] = deque()
        self._running = False
        self._attempt = 0
        self._delay = FIRST_DELAY
        self._later: IDelayedCall | None = None
        self._down_since: float | None = None

    # Running

    def start(self) -> None:
        """Bring it up, now and whenever it was lost."""
        self._running = True
        self._try()

    def stop(self) -> None:
        """Let go of it."""
        self._running = False
        if self._later is not None:
            self._later.cancel()
            self._later = None
        self._let_go()

    def fail(self, why: str) -> None:
        """It can't be trusted any more: make it again."""
        if self._down_since is None:
            self._down_since = self._clock.seconds()
            _log.error("redis is away: {why}", why=why)
        self._let_go()
        if self._running and self._later is None:
            self._later = self._clock.callLater(self._delay, self._try)
            self._delay = min(2 * self._delay, LONGEST_DELAY)

    # Using it; when it isn't up, nothing is sent

    def send(self, data: bytes, done: Done) -> None:
        """Send a command; ``done`` gets the reply, unless the link is lost before."""
        if self.up:
            waiting = self._waiting
            waiting.append((data, done))
            self._send_command(data, len(waiting) == 1)

    def subscribe(self, channel: str, done: Callable[[], None]) -> None:
        """Listen to a channel; ``done`` is called when nothing is missed from now on."""
        if self.up:
            self._confirming.append(done)
            self._send_command(command("SUBSCRIBE", channel))

    def unsubscribe(self, channel: str) -> None:
        """Listen no longer."""
        if self.up:
            self._send_command(command("UNSUBSCRIBE", channel))

    # How it is done

    def _send(self, data: bytes, done: Done) -> None:
        """The same before it is up."""
        self._waiting.append((data, done))
        self._send_command(data)

    def _try(self) -> None:
        self._later = None
        self._attempt += 1
        factory: Factory[Any] = Factory.forProtocol(lambda: Connection(self._clock))
        factory.noisy = False
        made = self._connect(factory)
        made.addCallback(self._connected, self._attempt)
        made.addErrback(self._not_connected, self._attempt)

    def _not_connected(self, failure: Failure, attempt: int) -> None:
        if attempt == self._attempt:
            self.fail(failure.getErrorMessage())

    def _connected(self, connection: Connection, attempt: int) -> None:
        if attempt != self._attempt:
            connection.drop()
            return
        self._connection = connection
        connection.lost = self.fail
        connection.replied = self._replied
        connection.pushed = self._pushed
        self._send_command = connection.outgoing.send
        for words in self._address.greeting():
            self._send(command(*words), ignore)
        self._load_scripts()
        first, done = self.user.first_command()

        def is_up(reply: Any) -> None:
            done(reply)
            self._is_up()

        self._send(first, is_up)

    def _load_scripts(self) -> None:
        for script in scripts.ALL:
            self._send(scripts.load(script), ignore)

    def _is_up(self) -> None:
        self.up = True
        self._delay = FIRST_DELAY
        if self._down_since is not None:
            seconds = self._clock.seconds() - self._down_since
            _log.info("redis is back after {seconds:.1f} s", seconds=seconds)
            self._down_since = None
        self.user.link_up()

    def _let_go(self) -> None:
        was_up, self.up = self.up, False
        self._attempt += 1
        if self._connection is not None:
            self._connection.drop()
            self._connection = None
        self._waiting.clear()
        self._confirming.clear()
        if was_up:
            self.user.link_down()

    def _replied(self, reply: Any) -> None:
        if isinstance(reply, Exception):
            self._refused(reply)
        else:
            self._waiting.popleft()[1](reply)

    def _refused(self, error: Exception) -> None:
        if str(error).startswith("NOSCRIPT"):
            # Somebody has made Redis forget the scripts.
            data, done = self._waiting.popleft()
            self._load_scripts()
            self._send(data, done)
        else:
            # To SUBSCRIBE comes no reply but this one, so that it can't be told whose it is.
            self.fail(str(error))

    def _pushed(self, message: list[Any]) -> None:
        kind = message[0]
        if kind == b"message":
            self.published(message[1], message[2])
        elif kind == b"subscribe":
            self._confirming.popleft()()


def ignore(reply: Any) -> None:
    """It doesn't matter what Redis says."""
