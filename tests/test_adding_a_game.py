"""adding-a-game.md: the game in it can be played everywhere, and what it names is there."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from twisted.internet.defer import Deferred

import tests.plugins.games
import tictac.plugins.games
from tests.client.test_with_server import Network, Player
from tests.documents import ROOT, blocks, page, prose
from tests.games import test_every_game, test_faces
from tests.helpers import Server
from tests.protocols.lobby.helpers import Person
from tests.protocols.lobby.test_document import Stage
from tictac.client.seek import Seek
from tictac.game import GameType
from tictac.games import all as every
from tictac.lobby.computer import THINKS, Computer
from tictac.protocols.lobby import json_view

DOCUMENT = page("adding-a-game")
LIST = "tictac/games/all.py"


@pytest.fixture(autouse=True)
def game_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GameType]:
    """Yield the document's game, listed as if its files were in their folders."""
    for name, text in files().items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_name("__init__.py").touch()
        file.write_text(text)
    for package in (tictac.plugins.games, tests.plugins.games):
        found = [*package.__path__, str(tmp_path.joinpath(*package.__name__.split(".")))]
        monkeypatch.setattr(package, "__path__", found)
    games = with_its_line()
    monkeypatch.setitem(every.GAMES.loaded, "boxes", games["boxes"])
    json_view.games_told.cache_clear()
    yield games["boxes"]
    json_view.games_told.cache_clear()
    for name in [name for name in sys.modules if ".games.boxes" in name]:
        del sys.modules[name]


def files() -> dict[str, str]:
    """Return the text of each file in the document, by its path."""
    shown = blocks(DOCUMENT, language="python")
    return {block.lines[0].removeprefix("# "): block.text for block in shown}


def with_its_line() -> Mapping[str, GameType]:
    """Return the list of games with the document's line added."""
    _, line = files()[LIST].splitlines()
    source = (ROOT / LIST).read_text()
    end = "}\n\n\ndef _check"
    assert source.count(end) == 1
    made: dict[str, Any] = {}
    exec(source.replace(end, f"{line}\n{end}"), made)
    games: Mapping[str, GameType] = made["GAMES"]
    assert list(games) == [*every.GAMES, "boxes"]
    return games


def test_it_takes_few_lines() -> None:
    folder = "tictac/plugins/games/boxes/"
    texts = {name: text for name, text in files().items() if name.startswith(folder)}
    assert len(texts) == 4
    assert sum(text.count("\n") for text in texts.values()) <= 200


def test_its_tests() -> None:
    module = import_module("tests.plugins.games.boxes.test_rules")
    cases = [case for name, case in vars(module).items() if name.endswith("Tests")]
    assert len(cases) == 3
    for case in cases:
        for name in filter(lambda name: name.startswith("test_"), dir(case)):
            getattr(case(name), name)()


def test_what_is_tested_of_every_game(game_type: GameType) -> None:
    test_every_game.test_a_stronger_level_wins_more("boxes")
    test_faces.test_anything_may_be_typed("boxes")


def test_its_transcript() -> None:
    (transcript,) = blocks(DOCUMENT, language="transcript")
    Stage().play(transcript.lines)


def test_two_connections_and_a_viewer_play_it(game_type: GameType) -> None:
    server = Server()
    alice, bob, vera = (Person(server, name) for name in ("alice", "bob", "vera"))
    alice.ask("open", game="boxes", room="den")
    bob.ask("join", room="den")
    told = vera.ask("watch", room="den")[-1]
    for person in (alice, bob):
        person.read()
    game, rng, seats = game_type.game(), Random(2), list[int]()
    while (seat := told.get("turn")) is not None:
        mover, other = (alice, bob) if seat == 0 else (bob, alice)
        moves = game.moves(game.load(told["position"]))
        assert other.error("move", room="den", move=moves[0]) == "not-your-turn"
        _, own = mover.ask("move", room="den", move=rng.choice(moves))
        (told,), (others,) = vera.read(), other.read()
        assert own["position"] == others["position"] == told["position"]
        if told["event"] == "moved":
            mine, theirs = (own, others) if told["turn"] == seat else (others, own)
            assert mine["moves"] == game.moves(game.load(told["position"]))
            assert theirs["moves"] == told["moves"] == []
        seats.append(seat)
    assert len(seats) == 24 and moves_again(seats)
    result = game.result(game.load(told["position"]))
    assert result is not None and (told["how"], told["winner"]) == ("won", result.winner)
    assert not server.faults


def moves_again(seats: list[int]) -> set[int]:
    """Return the seats that moved twice in a row."""
    return {one for one, two in pairwise(seats) if one == two}


class NobodyThinks:
    """A thinker that isn't asked: no level is slow."""

    def think(self, question: object, line: object = None) -> Deferred[str]:
        raise AssertionError(question)


@pytest.mark.parametrize("level", ["beginner", "club", "best"])
def test_the_computer_plays_it(level: str) -> None:
    server = Server()
    computer = Computer(server.registry, server.clock, None, Random(1), NobodyThinks())
    server.registry.observers.append(computer)
    alice, rng, seats = Person(server, "alice"), Random(2), list[int]()
    told = alice.ask("open", game="boxes", room="den", computer=level)
    while told[-1].get("event") != "ended":
        seats += [event["seat"] for event in told if event.get("event") == "moved"]
        if moves := told[-1].get("moves"):
            told = alice.ask("move", room="den", move=rng.choice(moves))
        else:
            server.clock.advance(THINKS)
            told = alice.read()
            assert told, "the computer doesn't move"
    assert told[-1]["how"] == "won" and len(seats) == 23
    assert 1 in moves_again(seats)


def test_two_people_play_it_at_terminals() -> None:
    network = Network()
    alice = Player(network, Seek(game="boxes", room="den", user="alice", options=("size=2",)))
    bob = Player(network, Seek(game="boxes", room="den", user="bob"))
    alice.type("b1")
    bob.type("A 2")
    alice.type("c2")
    bob.type("b3")
    bob.type("d1")
    assert " 1  + - + - +\n 2  | B |   .\n 3  + - + . +\n" in alice.read()
    assert alice.person.read_errors() == bob.person.read_errors() == ""


# What the document names


def named(pattern: str) -> set[str]:
    """Return the names that the document has in code marks."""
    return set(re.findall(rf"`({pattern})`", prose(DOCUMENT)))


def test_every_name_is_there() -> None:
    names = named(r"(?:tictac|tests)(?:\.\w+)+")
    assert {"tictac.game.GameType", "tictac.testing.conformance.GameConformance"} <= names
    for name in names:
        resolve(name)
    with pytest.raises(AttributeError):
        resolve("tictac.net.plugin.PartBreaker")


def resolve(name: str) -> object:
    """Return the module, class, or function of a dotted name."""
    module, _, last = name.rpartition(".")
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return getattr(import_module(module), last)


def test_every_path_is_there() -> None:
    paths = named(r"(?:tictac|tests|docs)/[\w/.-]*")
    assert LIST in paths
    for path in paths:
        assert (ROOT / path).exists(), path


def test_every_method_is_there() -> None:
    """Those that are named without their class belong to what a protocol builds on."""
    from tictac.net.connection import ServerConnection
    from tictac.net.plugin import ProtocolService

    methods = named(r"\w+\([\w, ]*\)")
    assert "pay()" in methods
    for name in methods:
        method = name.partition("(")[0]
        assert any(hasattr(owner, method) for owner in (ServerConnection, ProtocolService)), name
