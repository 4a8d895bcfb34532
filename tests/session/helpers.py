"""A session server without a network, and integers as bytes."""

from __future__ import annotations

from twisted.internet.task import Clock

from tests.tables import House
from tictac.net.connection import Limits
from tictac.net.tables import Tables
from tictac.session.server import SessionFactory
from tictac.session.table import SessionTables
from tictac.session.wire import format_integers


def integers(*values: int) -> bytes:
    """Four-byte signed big-endian integers, written out by hand."""
    return b"".join(value.to_bytes(4, "big", signed=True) for value in values)


def session_house(limits: Limits | None = None) -> House:
    """A server with 600 seconds for a move."""
    clock = Clock()
    limits = limits or Limits(login_timeout=0, idle_timeout=600, max_connections_per_peer=0)
    tables = Tables(SessionTables(), format_integers)
    return House(SessionFactory(tables, clock, clock.seconds, limits), clock)
