"""A stranger's protocol: it sends a line for each public room, and closes (compare RFC 1288)."""

from __future__ import annotations

import argparse
import socket
from collections.abc import Sequence
from typing import Any

from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol

from tictac.lobby.registry import Registry
from tictac.net.plugin import PlainFactory, ProtocolService, connection_limits
from tictac.runtime import Runtime, ServerPlugin

PATIENCE = 5.0


class Finger(Protocol):
    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def connectionMade(self) -> None:
        assert self.transport is not None
        for room in self._registry.public_rooms():
            seats = f"{len(room.players)} of {room.terms.seats}"
            self.transport.write(f"{room.name}\t{room.terms.game_type.title}\t{seats}\r\n".encode())
        self.transport.loseConnection()


class FingerFactory(Factory):
    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def buildProtocol(self, addr: IAddress | None) -> Finger:
        return Finger(self._registry)


def _make(ports: Sequence[str], runtime: Runtime) -> ProtocolService:
    factory = FingerFactory(runtime.registry)
    limits = connection_limits(runtime.settings, PATIENCE, PATIENCE)
    return ProtocolService(
        runtime.reactor, "finger", ports, lambda proxied: PlainFactory(factory, limits), PATIENCE
    )


PLUGIN = ServerPlugin(port="finger", port_help="List the public rooms at this port.", make=_make)


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("finger", help="list the rooms of a server on this machine")
    parser.add_argument("port", type=int)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    with socket.create_connection(("127.0.0.1", arguments.port), PATIENCE) as connection:
        while data := connection.recv(4096):
            print(data.decode(), end="")
    return 0
