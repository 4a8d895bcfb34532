"""Notice peers that hang up while nothing is read of them.

A connection whose password is being checked isn't read from, so the reactor can't see its end.
An epoll of its own, which the reactor sees as one descriptor, reports it at once: for TCP, TLS,
proxies and Unix sockets alike. Source: epoll_ctl(2), EPOLLRDHUP.
"""

from __future__ import annotations

import select
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from twisted.internet.interfaces import IReactorFDSet, IReadDescriptor
from zope.interface import implementer

from tictac.net.chores import chores_of
from tictac.net.keepalive import socket_below

Noticed = Callable[[bool], None]
"""Called once, and told whether the connection is broken; else its peer has ended its input."""


@implementer(IReadDescriptor)
class HangUps:
    """Watches sockets for the end of what their peers send, without reading.

    ``reactor`` may be any clock; nothing is watched where it knows no descriptors, or the
    system has no epoll.
    """

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._can = IReactorFDSet.providedBy(reactor) and hasattr(select, "epoll")
        self._epoll: Any = None
        self._chores = chores_of(reactor)
        self._watched: dict[int, Noticed] = {}

    def watch(self, transport: Any, noticed: Noticed) -> Callable[[], None]:
        """Call ``noticed`` when the peer of ``transport`` hangs up; call what is given to stop."""
        handle = socket_below(transport) if self._can else None
        number = -1 if handle is None else handle.fileno()
        if number < 0:
            return _nothing
        try:
            self._epoll = self._epoll or select.epoll()
            self._epoll.register(number, select.EPOLLRDHUP)
        except OSError:
            return _nothing  # no descriptors: this one is noticed when it gets its answer
        if not self._watched:
            self._reactor.addReader(self)
        self._watched[number] = noticed
        return lambda: self._forget(number, noticed)

    def _forget(self, number: int, noticed: Noticed) -> None:
        if self._watched.get(number) is not noticed:
            return
        del self._watched[number]
        with suppress(OSError):  # a socket that is closed already is watched no longer
            self._epoll.unregister(number)
        if not self._watched:
            self._reactor.removeReader(self)

    # IReadDescriptor, called by the reactor

    def fileno(self) -> int:
        """The descriptor of the epoll, readable when a peer has hung up."""
        number: int = self._epoll.fileno()
        return number

    def logPrefix(self) -> str:
        """What log lines are marked with that come from here."""
        return "hangups"

    def doRead(self) -> None:
        """Tell of every peer that has hung up, each in its turn."""
        for number, events in self._epoll.poll(0):
            self._epoll.unregister(number)
            broken = bool(events & (select.EPOLLHUP | select.EPOLLERR))
            self._chores.add(partial(self._tell, number, self._watched.get(number), broken))

    def _tell(self, number: int, noticed: Noticed | None, broken: bool) -> None:
        if noticed is not None and self._watched.get(number) is noticed:
            self._forget(number, noticed)
            noticed(broken)

    def connectionLost(self, reason: object) -> None:
        """The reactor ends."""
        self._watched.clear()


def _nothing() -> None:
    """There is nothing to stop."""
