"""`tictac xmpp`: a MUG client in a terminal."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from tictac.plugins.programs.console import as_command
from tictac.plugins.xmpp.addresses import Address, is_nick, parse

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

    from tictac.reactor import Reactor
    from tictac.terminal.terminal import Terminal

PASSWORD = "TICTAC_XMPP_PASSWORD"
"""The environment variable with the password."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `xmpp` to the program's commands; it sets `run(args) -> exit status`."""
    summary = "play in a room over XMPP (Multi-User Gaming)"
    parser = subparsers.add_parser("xmpp", help=summary, description=summary)
    add = parser.add_argument
    add(
        "jid",
        metavar="JID",
        help="your address; the password is from a prompt, or from " + PASSWORD,
    )
    add("room", metavar="ROOM", help="address of the room, such as den@games.example.org")
    add("--game", default="tictactoe", help="the game of the room (default: tictactoe)")
    add("--nick", help="your name in the room (default: the first part of JID)")
    add("--key", help="password of the room")
    add("--server", metavar="HOST[:PORT]", help="default: the server that the domain of JID names")
    add("--ca", metavar="FILE", help="certificate to trust")
    parser.set_defaults(run=as_command(connect_and_play))


async def connect_and_play(reactor: Reactor, terminal: Terminal, args: argparse.Namespace) -> int:
    """Play until the user leaves (0), or can't continue (1)."""
    from twisted.words.protocols.jabber.jid import JID

    from tictac.plugins.client.address import ServerAddress, read_address, trust
    from tictac.plugins.xmpp.client.boards import LOOKS
    from tictac.plugins.xmpp.client.link import PORT, Link, NoLink
    from tictac.plugins.xmpp.client.room import RoomClient
    from tictac.plugins.xmpp.xml import MUG, uri_of
    from tictac.terminal.dialog import Quit

    try:
        user, room = _address(args.jid, "JID"), _address(args.room, "ROOM")
        nick = args.nick or room.resource or user.node
        if not is_nick(nick):
            raise ValueError(f"{nick!r:.60} can't be a name in a room")
        tls = trust(ServerAddress(user.domain, PORT, tls=True, ca=args.ca))
        place = args.server if ":" in (args.server or ":") else f"{args.server}:{PORT}"
        server = None if place is None else read_address(place)
    except ValueError as error:
        terminal.error(f"Error: {error}.")
        return 1
    password = os.environ.get(PASSWORD) or await terminal.ask("Password: ", hidden=True)
    assert tls is not None

    def show(text: str) -> None:
        for line in text.split("\n"):
            terminal.show("".join(c if c.isprintable() else "?" for c in line))

    game = uri_of(args.game)
    features = (MUG, game, *LOOKS)
    link = Link(JID(str(user)), password, tls, lambda stanza: client.receive(stanza), features)
    client = RoomClient(link.send, show, room._replace(resource=""), nick, user.bare, game)
    try:
        await link.connect(reactor, *(() if server is None else (server.host, server.port)))
        client.enter(args.key or "")
        await _converse(terminal, link.end, client.type)
    except NoLink as error:
        terminal.error(f"Error: {error}.")
        return 1
    except (Quit, EOFError):
        client.leave()
        await link.close(reactor)
    return 0


def _address(text: str, what: str) -> Address:
    """Return an address with a part before the ``@``. Raises ValueError, with a sentence."""
    address = parse(text.removeprefix("xmpp:").partition("?")[0])
    if not address.node:
        raise ValueError(f"{what} {text!r:.60} isn't like name@example.org")
    return address


async def _converse(
    terminal: Terminal, end: Callable[[], Deferred[None]], obey: Callable[[str], None]
) -> None:
    """Obey what the user types until the connection is lost.

    Raises :class:`~tictac.terminal.dialog.Quit`, EOFError at the end of the input, or NoLink.
    """
    from tictac.terminal.dialog import Dialog

    dialog = Dialog[None](terminal, end)
    while True:
        typed = await dialog.ask("")
        try:
            obey(typed or "")
        except ValueError as error:
            terminal.show(str(error))
