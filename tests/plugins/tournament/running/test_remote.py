"""Tournaments on a server that runs already."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.task import Clock

from tests.accounts.helpers import error_of
from tests.plugins.tournament.running.helpers import terms
from tests.plugins.tournament.running.test_end_to_end import BOT, TICTAC, games_in, run
from tests.terminal.processes import PATIENCE, ROOT, end, read_until
from tictac.lobby.events import Ended
from tictac.plugins.tournament.running.contestants import Missing
from tictac.plugins.tournament.running.remote import AwaitedRoom, RemoteContestant, RemoteSeating

TWISTD = [sys.executable, "-c", "from twisted.scripts.twistd import run; run()"]
WISH = '\'{"do":"{do}","game":"tictactoe","room":"{room}"}\''


class Told:
    """A server that says what the test says."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        client: Any = self
        self.clock = Clock()
        self.seating = RemoteSeating(client, terms(), "cup", self.clock.callLater)
        self.room = self.seating.rooms["cup 3"] = AwaitedRoom(("a", "b"))

    def send(self, do: str, **fields: str) -> int:
        self.asked.append((do, fields.get("room") or fields["player"]))
        return len(self.asked)

    def tell(self, event: str, **fields: object) -> None:
        """Send an event of the room."""
        self.seating._hear(self.room, {"event": event, "room": "cup 3", **fields})

    def show(self, *players: str | None, **fields: object) -> None:
        """Send the room as it is now."""
        seated = [each and {"user": each, "away": False} for each in players]
        about = {"game": "tictactoe", "options": dict(terms().values), "turn": None, **fields}
        self.tell("room", players=seated, **about)

    def sitter(self, name: str, seat: int, patience: float = 0) -> RemoteContestant:
        """Return a contestant that the room waits for."""
        return RemoteContestant(name, seat, self.room, self.clock, patience)


def test_a_room_of_the_tournament_is_watched_once_to_its_end() -> None:
    told, ends = Told(), list[Ended]()
    told.seating.seat("cup 3", [], None).addCallback(ends.append)
    told.tell("lobby", players=["a", None])
    told.tell("lobby", players=["a", "b"])
    assert told.asked == [("watch", "cup 3")]
    told.tell("ended", how="won", winner=1, match="some-id")
    assert [(each.ending, each.seat, each.match) for each in ends] == [("won", 1, "some-id")]


def test_a_match_that_was_over_too_soon_is_looked_for_in_the_archive() -> None:
    told, ends = Told(), list[Ended]()
    told.seating.seat("cup 3", [], None).addCallback(ends.append)
    told.tell("lobby", gone=True)
    told.seating._found(told.room, 2, [])
    told.clock.advance(0.5)
    assert told.asked == [("matches", "a"), ("matches", "a")]
    match = {"id": "x", "began": "2026-11-22T16:00:00Z", "ending": "forfeited", "winner": 0}
    of_others = {**match, "players": [{"name": "b"}, {"name": "a"}]}
    told.seating._found(told.room, 2, [of_others])
    assert not ends
    told.seating._found(told.room, 2, [{**match, "players": [{"name": "a"}, {"name": "b"}]}])
    assert [(each.ending, each.seat, each.match) for each in ends] == [("forfeited", 0, "x")]


def test_a_room_in_which_nothing_was_played_may_come_again() -> None:
    told = Told()
    told.tell("lobby", players=["a", None])
    told.tell("ended", how="closed", winner=None)
    told.tell("lobby", gone=True)
    told.seating._found(told.room, 1, [])
    told.tell("lobby", players=["a", None])
    assert told.asked[-1] == ("watch", "cup 3")


def test_who_takes_their_seat_has_come() -> None:
    told = Told()
    one, two = (told.sitter(name, seat).arrive() for seat, name in enumerate("ab"))
    told.show("a", None)
    assert (one.called, two.called) == (True, False)
    told.tell("joined", players=[{"user": "a"}, {"user": "b"}])
    assert two.called


@pytest.mark.parametrize(
    ("name", "fields", "why"),
    [
        ("a", {}, "b has that seat in the room"),
        ("b", {"game": "nim"}, "the room is for another game, or has other options"),
        ("b", {"options": {"rows": 4}}, "the room is for another game, or has other options"),
    ],
)
def test_another_room_than_the_one_agreed_on_loses(name: str, fields: Any, why: str) -> None:
    told = Told()
    one, two = told.sitter(name, 0).arrive(), told.sitter("b", 1).arrive()
    told.show("b", None, **fields)
    fault = error_of(one, Missing).fault
    assert (fault.how, fault.why) == ("cheated", why)
    assert two.called, "the other one isn't awaited any more"


def test_who_does_not_come_is_absent() -> None:
    told = Told()
    coming = told.sitter("a", 0, 600).arrive()
    told.clock.advance(600)
    assert error_of(coming, Missing).fault.how == "absent"


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Start a server, and yield its port."""
    process = subprocess.Popen(
        [
            *TWISTD, "-n", "--pidfile=", "tictac", "--port=tcp:0:interface=127.0.0.1",
            "--bcrypt-rounds=4", "--rejoin-timeout=0", f"--database={tmp_path / 'users.db'}",
        ],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        said = read_until(process.stdout.fileno(), "tictac is up")
        yield int(said.partition("listening on 127.0.0.1 port ")[2].split()[0])
    finally:
        end(process)


def test_commands_and_accounts_meet_there(tmp_path: Path, port: int) -> None:
    command = f"{sys.executable} {BOT} {{host}} {{port}} {{name}}"
    players = [f"--player={name}={command} {name} {WISH}" for name in ("none", "hang", "crash")]
    process = subprocess.Popen(
        [
            *TICTAC, "tournament", str(tmp_path / "cup"), f"--server=127.0.0.1:{port}", "--time=1",
            "--jobs=3", "--games=1", "--player=alice=account", *players,
        ],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stderr is not None and process.stdout is not None
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as link:
            play_as_alice(link, process.stderr.fileno())
        shown = process.stdout.read().decode()
    finally:
        end(process)
    assert "4 players, 6 of 6 games" in shown
    hows = {frozenset(game["seats"]): game["how"] for game in games_in(tmp_path / "cup")}
    assert hows[frozenset(("none", "crash"))] == "crashed"
    assert hows[frozenset(("none", "hang"))] == "timed out"
    assert hows[frozenset(("none", "alice"))] == "forfeited"


def play_as_alice(link: socket.socket, told: int) -> None:
    """Go where alice is sent, and give up each game."""
    lines, said, seen = link.makefile("rw", encoding="utf-8"), "", set[str]()

    def send(**request: object) -> None:
        print(json.dumps(request), file=lines, flush=True)

    def hear() -> dict[str, Any]:
        message: dict[str, Any] = json.loads(next(lines))
        listed = [message] if message.get("event") == "lobby" else message.get("rooms", [])
        seen.update(each["room"] for each in listed if not each.get("gone"))
        return message

    send(do="register", user="alice", password="any")
    send(do="login", user="alice", password="any")
    send(do="lobby")
    for number in range(1, 4):
        while len(sent := re.findall(r": alice (opens|joins) the room '(.+)'\.\n", said)) < number:
            said += read_until(told, "\n")
        does, room = sent[-1]
        while does == "joins" and room not in seen:
            hear()
        send(do=does.removesuffix("s"), room=room, game="tictactoe")
        event: dict[str, Any] = {}
        while event.get("event") != "ended":
            event = hear()
            if event.get("event") == "began" or (event.get("begun") and "record" in event):
                send(do="resign", room=room)


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    done = run(tmp_path / "cup", f"--server=127.0.0.1:{port}", "--player=a=true", "--player=b=true")
    assert done.returncode == 1
    assert done.stderr == f"Error: there is no server at 127.0.0.1 port {port}\n"
