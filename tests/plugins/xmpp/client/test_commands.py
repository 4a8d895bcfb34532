"""The command `tictac xmpp`: its options, and what it refuses before it connects."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock

from tests.documents import commands, page
from tests.terminal.helpers import Person
from tictac.plugins.xmpp.client.commands import add_parser, connect_and_play


def read(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    return parser.parse_args(["xmpp", *words])


def test_the_documented_command_is_one() -> None:
    [command] = commands(page("xmpp"), "The client")
    tictac, *words = shlex.split(command)
    args = read(*words[1:])
    assert (tictac, args.jid, args.room) == ("tictac", "alice@example.org", "den@games.example.org")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["example.org", "den@games.example"], "JID 'example.org' isn't like name@example.org"),
        (["a@b", "games.example"], "ROOM 'games.example' isn't like name@example.org"),
        (["a@b", "den@games.example", "--nick", " "], "' ' can't be a name in a room"),
        (["a@b", "den@games.example", "--ca", "/nowhere"], "/nowhere can't be read"),
        (["a@b", "den@games.example", "--server", "c:d"], "'c:d' isn't like"),
    ],
)
def test_refused(words: list[str], error: str) -> None:
    person = Person()
    reactor: Any = MemoryReactorClock()
    playing = Deferred.fromCoroutine(connect_and_play(reactor, person.terminal, read(*words)))
    assert playing.result == 1
    assert error in person.read_errors()
