"""docs/adding-a-game.md: the game in it works, and what it names is there."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock

import tests
import tictac
from tests.documents import ROOT, blocks, prose
from tests.helpers import FakeTransport
from tests.terminal.helpers import Person
from tests.test_import_order import LEVEL_OF
from tictac.net.part import Shared
from tictac.tap import PARAMETERS

DOCUMENT = ROOT / "docs" / "adding-a-game.md"


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The files of the document, to be imported as if they were in their folders."""
    for block in blocks(DOCUMENT, language="python"):
        file = tmp_path / block.lines[0].removeprefix("# ")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_name("__init__.py").touch()
        file.write_text(block.text)
    for package in (tictac, tests):
        found = [*package.__path__, str(tmp_path / package.__name__)]
        monkeypatch.setattr(package, "__path__", found)
    yield tmp_path
    for name in [name for name in sys.modules if ".twentyone" in name]:
        del sys.modules[name]


def test_every_file_is_small_and_in_the_order_of_imports(game: Path) -> None:
    names = {path.stem for path in game.glob("tictac/twentyone/*.py")} - {"__init__"}
    assert names == {"rules", "wire", "server", "service", "commands"}
    assert names <= set(LEVEL_OF)


def test_its_tests(game: Path) -> None:
    case = import_module("tests.twentyone.test_rules").TwentyOneTests
    names = [name for name in dir(case) if name.startswith("test_")]
    assert len(names) > 5
    for name in names:
        getattr(case(name), name)()


def test_its_line(game: Path) -> None:
    (line,) = [line for line in (game / "tictac/parts.py").read_text().splitlines() if "(" in line]
    from tictac.parts import PartName

    assert eval(line.strip(" ,"), {"PartName": PartName}) == PartName("twentyone", "twentyone")
    assert any(existing.startswith("    PartName(") for existing in source_of_parts())


def source_of_parts() -> list[str]:
    """The lines of parts.py."""
    return (ROOT / "tictac" / "parts.py").read_text().splitlines()


def test_its_server(game: Path) -> None:
    part = import_module("tictac.twentyone.service").PART
    options = {name: default for name, _, default, _, _ in [*PARAMETERS, *part.parameters]}
    reactor: Any = MemoryReactorClock()
    shared = Shared(reactor, lambda: pytest.fail("no accounts"), lambda: pytest.fail("no file"))
    service = part.make(options | {"no-eager-send": 0}, ["tcp:4521"], shared)
    service.privilegedStartService()
    service.startService()
    port, factory, *_ = reactor.tcpServers[0]
    assert port == 4521
    protocol = factory.buildProtocol(IPv4Address("TCP", "192.0.2.1", 1234))
    transport = FakeTransport(protocol)
    protocol.makeConnection(transport)
    (transcript,) = blocks(DOCUMENT, language="transcript")
    for line in transcript.lines:
        if line.startswith("> "):
            transport.arrive(line[2:].encode() + b"\n")
        elif line.startswith("< "):
            assert transport.take() == line[2:].encode() + b"\n"
        else:
            assert line == "(it closes)" and transport.disconnecting
    assert transport.take() == b""
    assert service.refusals() == {"illegal-move": 1, "malformed": 1}


def test_its_program(game: Path) -> None:
    commands = import_module("tictac.twentyone.commands")
    for typed, status, end in (
        (["3"] * 7, 0, "18, A adds: A has won.\n"),
        (["3", "x", "4"], 1, "3, B adds: 4 can't be added to 3\n3, B adds: "),
    ):
        person = Person()
        playing = Deferred.fromCoroutine(commands.play(person.terminal))
        person.type(*typed)
        person.end_input()
        assert playing.result == status
        assert person.read().endswith(end)


def named(pattern: str) -> set[str]:
    """What the document names in code marks."""
    return set(re.findall(rf"`({pattern})`", prose(DOCUMENT)))


def test_every_name_is_there() -> None:
    names = named(r"(?:tictac|tests)(?:\.\w+)+")
    assert {"tictac.net.part.PartMaker", "tests.conformance.GameConformance"} <= names
    for name in names:
        resolve(name)
    with pytest.raises(AttributeError):
        resolve("tictac.net.part.PartBreaker")


def resolve(name: str) -> object:
    """The module, class or function of a dotted name."""
    module, _, last = name.rpartition(".")
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return getattr(import_module(module), last)


def test_every_path_is_there() -> None:
    paths = named(r"(?:tictac|tests|docs)/[\w/.-]*")
    assert "tictac/parts.py" in paths
    for path in paths:
        assert (ROOT / path).exists(), path


def test_every_method_is_there() -> None:
    """Those that are named without their class belong to what a game builds on."""
    from tictac.net.client import ClientConnection
    from tictac.net.connection import ServerConnection
    from tictac.net.part import PartService

    for name in named(r"\w+\([\w, ]*\)"):
        method = name.partition("(")[0]
        owners = (ServerConnection, PartService, ClientConnection)
        assert any(hasattr(owner, method) for owner in owners) or method == "add_parser", name
