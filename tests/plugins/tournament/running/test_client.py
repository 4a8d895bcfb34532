"""`tictac tournament --server`: a tournament on another server, over iosim and for real."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from twisted.internet.defer import CancelledError, Deferred, fail, succeed
from twisted.internet.error import ConnectError, ConnectionLost
from twisted.python.failure import Failure

from tests.accounts.helpers import HASH, error_of
from tests.lobby.any_game import Knowing
from tests.plugins.client.network import Network
from tests.plugins.tournament.cups import plan_json
from tests.plugins.tournament.hosting.person import Person
from tests.plugins.tournament.hosting.served import Tournaments
from tests.plugins.tournament.running.helpers import BOT, TICTAC
from tests.programs import ServerCase
from tests.terminal.processes import PATIENCE, ROOT
from tictac.accounts.tables import Account, AccountTables
from tictac.errors import SetupError
from tictac.lobby.clock import TimeControl
from tictac.plugins.client.address import ServerAddress
from tictac.plugins.client.connection import LobbyReconnector, Message
from tictac.plugins.tournament.cup_plan import load_plan
from tictac.plugins.tournament.plan import Fault
from tictac.plugins.tournament.running.client import Programs, TournamentClient, Wanted, grace_for
from tictac.plugins.tournament.running.contestants import Missing
from tictac.plugins.tournament.running.players import PlayerSpec
from tictac.server.cli import main
from tictac.storage.databases import opened

CUP = "cup"
BOB, CAROL, VERA = (PlayerSpec(name, "command", "./bot") for name in ("bob", "carol", "vera"))
WISH = '{"do":"{do}","room":"{room}"}'
EASY = PlayerSpec("weak", "computer", "beginner")


class Bot:
    """A command (contestants.Command) whose test decides when it ends."""

    def __init__(self, name: str, room: str) -> None:
        self.name, self.room = name, room
        self.values: dict[str, object] = {}
        self.done: Deferred[None] = Deferred()
        self._coming: Deferred[Any] = Deferred()

    def start(self, **values: object) -> Deferred[Any]:
        self.values = values
        return self._coming

    def exit(self, how: str = "left", why: str = "it ended with exit status 0") -> None:
        if not self.done.called:
            self._coming.errback(Missing(Fault(how, why)))
            self.done.callback(None)

    end = kill = exit


class There:
    """A server with tournaments, of which alice is an admin, and a client that runs one."""

    def __init__(self) -> None:
        self.network = Network()
        self.tournaments = Tournaments(self.network.server, "alice")
        self.said: list[str] = []
        self.bots: list[Bot] = []
        self.created: list[bool] = []
        self.way = lambda: succeed(self.network.connect())

    def run(
        self, *players: PlayerSpec, account: str = "alice", new: bool = True, jobs: int = 9,
        **plan: Any,
    ) -> Deferred[Message]:  # fmt: skip
        """Start a client, which creates the tournament if it is ``new``."""
        network = self.network
        link = LobbyReconnector(
            network.connect(), network.server.clock, lambda: self.way(), Random(0)
        )
        names = [each.name for each in players if each.kind == "command"]
        place = ServerAddress("127.0.0.1", 5000)
        programs = Programs(cast(Any, self.make), names, place, jobs, self.said.append)
        told = plan_json(plan.pop("system", "round-robin"), rest=0, **plan)
        wanted = Wanted(CUP, load_plan(told), players, account, "secret")
        created = (lambda: self.created.append(True)) if new else None
        client = TournamentClient(link, wanted, programs, self.said.append, created)
        running = Deferred.fromCoroutine(client.run(games=True))
        self.pass_time(2)
        return running

    def make(self, name: str, room: str) -> Bot:
        self.bots.append(Bot(name, room))
        return self.bots[-1]

    def pass_time(self, seconds: int) -> None:
        for _ in range(seconds * 2):
            self.network.flush()
            self.tournaments.pass_time(0.5)
        self.network.flush()

    def cut(self) -> None:
        """Cut the client's connection."""
        pump = self.network.pumps.pop()
        for protocol in (pump.serverIO.protocol, pump.client):
            protocol.connectionLost(Failure(ConnectionLost()))

    def playing(self) -> list[Bot]:
        return [bot for bot in self.bots if not bot.done.called]

    def play(self) -> None:
        """Let the programs that run join their rooms; the last of a room resigns."""
        registry = self.network.server.registry
        for room in dict.fromkeys(bot.room for bot in self.playing()):
            guests = [Knowing(registry, bot.name) for bot in self.playing() if bot.room == room]
            for guest in guests:
                registry.join(guest, room, "PLAYER")
            registry.forfeit(guests[-1])
        self.pass_time(3)


@pytest.fixture
def there() -> There:
    return There()


def result(ended: Deferred[Message]) -> Message:
    """Return what the client has found at the end."""
    found: list[object] = []
    ended.addBoth(found.append)
    [whole] = found
    assert isinstance(whole, dict), whole
    return whole


def points(whole: Message) -> dict[str, float]:
    return {each["name"]: each["points"] for each in whole["standings"]}


def test_a_tournament_is_created_and_its_programs_play(there: There) -> None:
    ended = there.run(BOB, CAROL, games=2)
    [first, second] = there.bots
    assert first.values == {"host": "127.0.0.1", "port": 5000, "room": "cup.1", "do": "join"}
    assert {first.name, second.name} == {"bob", "carol"}
    there.play()
    assert [bot.room for bot in there.playing()] == ["cup.2", "cup.2"]
    there.play()
    whole = result(ended)
    assert points(whole) == {"bob": 1, "carol": 1}
    assert [game["number"] for game in whole["games"]] == [1, 2]
    assert there.said[:2] == ["Round 1 of 2", "Game 1: bob 1, carol 0 (forfeited)"]
    assert there.created == [True] and not there.playing()


def test_a_server_that_lets_others_create_says_so(there: There) -> None:
    trouble = error_of(there.run(BOB, CAROL, account="bob"), SetupError)
    assert str(trouble) == "only admins can do this" and not there.created


def test_a_tournament_of_others_is_left_alone(there: There) -> None:
    there.run(BOB, CAROL)
    trouble = error_of(there.run(BOB, CAROL), SetupError)
    assert str(trouble) == "there is a tournament cup already" and len(there.created) == 1


def test_the_computers_of_the_server_have_the_names_of_the_command_line(there: There) -> None:
    strong = PlayerSpec("strong", "computer", "club")
    ended = there.run(EASY, strong)
    there.pass_time(60)
    levels = {each["name"]: each["level"] for each in result(ended)["standings"]}
    assert levels == {"weak": "beginner", "strong": "club"} and not there.bots


def test_a_program_that_crashes_is_described_and_loses_as_absent(there: There) -> None:
    ended = there.run(BOB, CAROL, grace=30)
    carol = next(bot for bot in there.bots if bot.name == "carol")
    carol.exit("crashed", "it ended with exit status 1: KeyError")
    assert there.said[-1] == "Game 1: carol crashed: it ended with exit status 1: KeyError"
    registry = there.network.server.registry
    registry.join(Knowing(registry, "bob"), "cup.1", "PLAYER")
    there.pass_time(34)
    assert "(absent)" in there.said[-1] and points(result(ended)) == {"bob": 1, "carol": 0}
    assert len(there.bots) == 2


def test_programs_play_in_as_many_rooms_as_there_are_jobs(there: There) -> None:
    there.run(BOB, CAROL, VERA, PlayerSpec("alice", "command", "./bot"), jobs=1)
    for _ in range(2):
        assert len({bot.room for bot in there.playing()}) == 1
        for bot in there.playing():
            bot.exit()
    assert len({bot.room for bot in there.bots}) == 2


def test_a_lost_connection_leaves_the_programs_alone(there: There) -> None:
    ended = there.run(BOB, CAROL)
    there.cut()
    assert there.said[-1].startswith("The connection to the server was lost. Coming back")
    there.pass_time(2)
    assert len(there.bots) == 2
    there.play()
    assert len(result(ended)["games"]) == 1


def test_programs_of_a_game_that_ended_meanwhile_end(there: There) -> None:
    ended = there.run(BOB, CAROL)
    there.cut()
    registry = there.network.server.registry
    guests = [Knowing(registry, bot.name) for bot in there.bots]
    for guest in guests:
        registry.join(guest, "cup.1", "PLAYER")
    registry.forfeit(guests[0])
    there.pass_time(3)
    assert len(result(ended)["games"]) == 1 and not there.playing()


def test_programs_that_lost_their_connections_too_start_again(there: There) -> None:
    there.run(BOB, CAROL)
    there.bots[0].exit()
    there.cut()
    there.pass_time(2)
    there.bots[1].exit()
    assert [bot.name for bot in there.playing()] == [bot.name for bot in there.bots[:2]]


def test_a_server_that_does_not_come_back_ends_the_command(there: There) -> None:
    ended = there.run(BOB, CAROL)
    there.cut()
    there.way = lambda: fail(ConnectError())
    there.pass_time(31)
    assert str(error_of(ended, SetupError)) == "lost the connection to the server"


def test_a_stopped_command_goes_on(there: There) -> None:
    stopped = there.run(BOB, CAROL)
    stopped.cancel()
    error_of(stopped, CancelledError)
    for bot in there.playing():
        bot.exit()
    ended = there.run(BOB, CAROL, new=False)
    assert [bot.room for bot in there.playing()] == ["cup.1", "cup.1"]
    there.play()
    assert len(result(ended)["games"]) == 1


def test_players_who_are_missing_enter_when_the_command_goes_on(there: There) -> None:
    trouble = error_of(there.run(EASY, BOB, PlayerSpec("dora", "account")), SetupError)
    assert str(trouble) == "there is no account 'dora'"
    AccountTables(there.network.server.store.database).add_many([Account("dora", HASH)])
    there.run(EASY, BOB, PlayerSpec("dora", "account"), new=False)
    entered = there.tournaments.follower.known[CUP].cup.players
    assert [each.name for each in entered] == ["computer", "bob", "dora"]


@pytest.mark.parametrize(
    ("jobs", "seconds"), [(2, 30), (1, 30 + 2 * (60 + 60) + 10)], ids=["enough", "too few"]
)
def test_rooms_wait_for_programs_whose_turn_comes_later(jobs: int, seconds: float) -> None:
    plan = load_plan(plan_json(clock=TimeControl(60, 1).fields()))
    programs = [BOB, CAROL, VERA, PlayerSpec("alice", "command", "./bot")]
    assert grace_for(plan, programs, jobs, 20, 600) == seconds
    assert grace_for(plan, [*programs, PlayerSpec("dora", "account")], jobs, 20, 600) == 600


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--web=0"], "--web is for a server of the tournament's own, not for --server"),
        (["--html=x"], "--html is for a server of the tournament's own, not for --server"),
        (["--seed=0"], "--seed is for a server of the tournament's own, not for --server"),
        (["--account="], "--server needs --account, which creates the tournament there"),
        (["--id=Friday Cup"], "an id has 1 to 13 of a-z, 0-9, and -, unlike 'Friday Cup'"),
        (["--player=b=x"], "a tournament needs 2 players with different names"),
        (["--player=c=nowhere"], "c can't be started: there is no program 'nowhere'"),
        (["--player=c=account"], "the password of a must be in the environment as PASSWORD"),
    ],
)
def test_what_cannot_be_played_there_is_refused(
    tmp_path: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    there = ["--server=127.0.0.1:1", "--account=a", "--player=b=account", *arguments]
    assert main(["tournament", str(tmp_path / "cup"), *there]) == 1
    assert capsys.readouterr().err == f"Error: {words}\n"


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    done = play_there(tmp_path / "cup", f"127.0.0.1:{port}", "a=account", "b=account")
    assert (tmp_path / "cup").read_text() == "", "with another server the same file begins anew"
    assert done.returncode == 1
    assert done.stderr == f"Error: there is no server at 127.0.0.1 port {port}\n"


def play_there(
    path: Path, server: str, *players: str, options: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run the command for the account teacher to its end."""
    command = [*TICTAC, "tournament", str(path), f"--server={server}", "--account=teacher"]
    return subprocess.run(
        [*command, *options, *(f"--player={each}" for each in players)],
        cwd=ROOT, env={**os.environ, "PASSWORD": "secret"}, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip


class RealServerTests(ServerCase):
    def test_programs_a_computer_and_a_person_play_there(self) -> None:
        with opened(str(self.directory / "users.db")) as database:
            names = ("teacher", "alice", "none", "crash")
            AccountTables(database).add_many([Account(name, HASH) for name in names])
        program = self.start("--tournaments=accounts", "--rejoin-timeout=0")
        person = Person(self, program, "alice")
        server = "{}:{}".format(*program.address())
        # The account's password isn't theirs: a PASSWORD in their environment would be another one.
        bot = 'test -z "$PASSWORD" && '
        bot += f"{sys.executable} {BOT} {{host}} {{port}} {{name}} {{name}} '{WISH}'"
        path, as_json = self.directory / "Friday cup.jsonl", self.directory / "cup.json"
        players = ["alice=account", f"none={bot}", f"crash={bot}", "club=computer:club"]
        options = ["--games=1", "--jobs=2", f"--json={as_json}"]
        with ThreadPoolExecutor() as threads:
            playing = threads.submit(play_there, path, server, *players, options=options)
            assert len(person.play()) == 3
            done = playing.result()
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(
            "friday-cup: Friday cup (round-robin, Tic-tac-toe, 4 players)"
        )
        assert "crash crashed: it ended with exit status 1: RuntimeError: a bug" in done.stderr
        errors = self.directory / "Friday cup.jsonl.errors" / "crash.txt"
        assert "== crash, room friday-cup." in errors.read_text()
        kept = json.loads(as_json.read_text())
        assert {each["name"] for each in kept["standings"]} == {"alice", "none", "crash", "club"}
        hows = {game["how"] for game in kept["games"] if "crash" in game["players"]}
        assert (len(kept["games"]), hows) == (6, {"left"})
        again = play_there(path, server, *players, options=options)
        assert (again.returncode, again.stdout) == (0, done.stdout)
