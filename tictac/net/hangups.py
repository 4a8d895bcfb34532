"""Peers that hang up while the server doesn't read from them.

The server doesn't read from a connection whose password is being checked, so the reactor can't see
its end. An epoll of its own, which the reactor sees as one descriptor, reports the end at once, for
TCP, TLS, proxies, and Unix sockets. Source: epoll_ctl(2), EPOLLRDHUP.
"""

from __future__ import annotations

import select
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from twisted.internet.interfaces import IReactorFDSet, IReactorTime, IReadDescriptor
from zope.interface import implementer

from tictac.net.chores import chores_of
from tictac.net.keepalive import socket_below

Noticed = Callable[[bool], None]
"""Called once with whether the connection is broken; otherwise, the peer has ended its input."""


@implementer(IReadDescriptor)
class HangUps:
    """Watches sockets for the end of their peers' input, without reading.

    ``reactor`` can be any clock. If it knows no descriptors, or the system has no epoll, no socket
    is watched.
    """

    def __init__(self, reactor: IReactorTime) -> None:
        self._reactor = reactor
        self._can = IReactorFDSet.providedBy(reactor) and hasattr(select, "epoll")
        self._epoll: Any = None
        self._chores = chores_of(reactor)
        self._watched: dict[int, Noticed] = {}

    def watch(self, transport: object, noticed: Noticed) -> Callable[[], None]:
        """Call ``noticed`` when the peer of ``transport`` hangs up; return what stops the watch."""
        handle = socket_below(transport) if self._can else None
        number = -1 if handle is None else handle.fileno()
        if number < 0:
            return _nothing
        try:
            self._epoll = self._epoll or select.epoll()
            self._epoll.register(number, select.EPOLLRDHUP)
        except OSError:
            return _nothing  # no descriptors left: the server notices the end when it answers
        if not self._watched:
            IReactorFDSet(self._reactor).addReader(self)
        self._watched[number] = noticed
        return lambda: self._forget(number, noticed)

    def _forget(self, number: int, noticed: Noticed) -> None:
        if self._watched.get(number) is not noticed:
            return
        del self._watched[number]
        with suppress(OSError):  # the kernel has forgotten a closed socket
            self._epoll.unregister(number)
        if not self._watched:
            IReactorFDSet(self._reactor).removeReader(self)

    # IReadDescriptor, called by the reactor

    def fileno(self) -> int:
        """Return the descriptor of the epoll, which is readable when a peer ended its input."""
        number: int = self._epoll.fileno()
        return number

    def logPrefix(self) -> str:
        """Return the prefix of log lines."""
        return "hangups"

    def doRead(self) -> None:
        """Report every peer that ended its input, each in its turn."""
        for number, events in self._epoll.poll(0):
            self._epoll.unregister(number)
            broken = bool(events & (select.EPOLLHUP | select.EPOLLERR))
            self._chores.add(partial(self._report, number, self._watched.get(number), broken))

    def _report(self, number: int, noticed: Noticed | None, broken: bool) -> None:
        if noticed is not None and self._watched.get(number) is noticed:
            self._forget(number, noticed)
            noticed(broken)

    def connectionLost(self, reason: object) -> None:
        """Forget all sockets at the end of the reactor."""
        self._watched.clear()


def _nothing() -> None:
    """Do nothing: no socket is watched."""
