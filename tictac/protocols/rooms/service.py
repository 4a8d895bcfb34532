"""The port of the rooms protocol, and its options with those of the rooms themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tictac import options as read
from tictac.net.framing import MODES, Framing
from tictac.net.plugin import Parameter
from tictac.net.running_time import running_time
from tictac.protocols.lobby.service import LobbyService
from tictac.protocols.rooms.seats import seats
from tictac.protocols.rooms.server import RoomsFactory
from tictac.ratings.tables import A_DAY
from tictac.runtime import Runtime, ServerPlugin

_JOURNAL = read.one_of("auto", "none", "sqlite", "postgres")

_PARAMETERS: list[Parameter] = [
    ("framing", None, "auto", "End of messages: auto, line, or bare.", read.one_of(*MODES)),
    ("max-message", None, 8192, "Maximum bytes of a message, from 100.", read.message_size),
    ("bare-complete", None, 0.03, "Seconds of silence that end a complete request.", read.seconds),
    ("bare-incomplete", None, 0.5, "Seconds of silence that end other text.", read.seconds),
    ("bare-gap", None, 0.02, "Seconds between messages without newlines.", read.seconds),
    ("bare-entry-gap", None, 0.2, "Seconds between bare messages as a match begins.", read.seconds),
    ("turn-budget", None, 16, "Maximum messages of a connection in a reactor turn.", read.positive),
    ("computer", None, None, "Seconds until the computer joins a waiting room.", read.seconds),
    ("computer-workers", None, 0, "Engine processes. 0: one per core, up to 4.", read.count),
    ("login-timeout", None, 300.0, "Seconds to log in.", read.seconds),
    ("move-timeout", None, 600.0, "Seconds for a move; then the player forfeits.", read.seconds),
    ("idle-timeout", None, 3600.0, "Maximum seconds of silence outside a room.", read.seconds),
    ("wait-timeout", None, 3600.0, "Seconds to wait for a second player.", read.seconds),
    ("rejoin-timeout", None, None, "Seconds to rejoin: 30, by the rooms protocol 0.", read.seconds),
    ("abandoned-timeout", None, 60.0, "Seconds computers play alone; 0: to the end.", read.seconds),
    ("offer-timeout", None, 60.0, "Seconds to answer an offer, such as a draw.", read.seconds),
    ("journal", None, "auto", "Storage of rooms: auto, none, sqlite, or postgres.", _JOURNAL),
    ("lobby", None, read.MAIN, "Name of the lobby, if a database has several.", read.lobby),
    ("max-rooms", None, 256, "Maximum rooms at a time.", read.count),
    ("max-rooms-per-user", None, 0, "Maximum rooms of an account alone. 0: any.", read.count),
    ("max-rooms-per-peer", None, 100, "Maximum rooms of an address's guests.", read.count),
    ("max-viewers-per-peer", None, 100, "Maximum viewers of one address in a room.", read.count),
    ("max-rooms-per-connection", None, 16, "Maximum rooms of a JSON connection.", read.count),
    ("max-room-events", None, 2000, "Maximum events; then a room takes moves only.", read.count),
    ("rated-a-day", None, A_DAY, "Maximum rated matches of a pair per day.", read.count),
]


def framing_of(options: Mapping[str, Any]) -> Framing:
    """Return how messages end."""
    names = (
        "framing", "max-message", "bare-complete", "bare-incomplete", "bare-gap", "turn-budget"
    )  # fmt: skip
    framing = Framing(*(options[name] for name in names))
    return replace(framing, entry_gap=options["bare-entry-gap"])


def new_factory(runtime: Runtime, framing: Framing, proxied: bool = False) -> RoomsFactory:
    """Return a factory for connections to the rooms of the lobby."""
    service = runtime.serve_lobby()
    return RoomsFactory(
        runtime.reactor, running_time.seconds, framing, service.limits, proxied,
        accounts=service.accounts, lobby=service.lobby, registry=service.registry,
        # rooms.md: a lost connection forfeits, unless the operator decides otherwise.
        rejoins=runtime.options["rejoin-timeout"] is not None,
    )  # fmt: skip


def _make(options: Mapping[str, Any], ports: Sequence[str], runtime: Runtime) -> LobbyService:
    service, framing = runtime.serve_lobby(), framing_of(options)
    make_factory = partial(new_factory, runtime, framing)
    service.listen(ports, make_factory, not options["no-eager-send"], 2 * framing.max_message)
    return service


PLUGIN = ServerPlugin(
    port="port",
    port_letter="p",
    port_help="Listen for the rooms protocol on this port, or endpoint string. Repeatable.",
    make=_make,
    seats=seats,
    parameters=_PARAMETERS,
    flags=[
        ("log-matches", None, "Log each match, not only counts at the end."),
        ("guests", None, "Let guests play other people, not only the computer."),
    ],
)
