"""The command line and the configuration file, and the service they describe."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from twisted.application.service import IServiceMaker
from twisted.logger import capturedLogs, formatEvent
from twisted.plugin import getPlugins
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH
from tests.server.helpers import ServiceCase, TapCase, words
from tests.storage.memory import MemoryStore
from tictac import runtime
from tictac.errors import DiskFull, SetupError
from tictac.lobby.outbox import Journaled
from tictac.net import tls
from tictac.net.connection import Limits
from tictac.net.framing import Framing
from tictac.net.listening import Listener
from tictac.plugins.days.service import DaysService
from tictac.plugins.desk.service import DeskService
from tictac.plugins.people.service import PeopleService
from tictac.plugins.privacy.service import PrivacyService
from tictac.plugins.puzzles.service import PuzzleService
from tictac.plugins.replays.service import ReplayService
from tictac.plugins.tournament.hosting.service import TournamentService
from tictac.plugins.tournament.ladder.service import LadderService
from tictac.protocols.lobby.service import LobbyService
from tictac.protocols.rooms.server import RoomsFactory
from tictac.server import config
from tictac.server.config import as_toml
from tictac.server.make import Options, makeService
from tictac.server.settings import GROUPS


class CommandLineTests(TapCase):
    def test_what_rooms_md_says_when_nothing_is_said(self) -> None:
        rooms = self.rooms_of()
        [factory], [listener], lobby = rooms.factories, rooms.listeners, rooms.lobby
        assert factory.framing == Framing("auto", 8192, 0.03, 0.5, 0.02)
        limits = Limits(300, 3600, 10_000, 600, 8, 200, 8000, 80_000, (), 262_144, 60)
        assert factory.limits == limits
        assert (listener.description, listener._eager) == ("tcp:0:backlog=4096", True)
        assert (lobby.guests, lobby.max_rooms, lobby._max_events, lobby.held) == (
            False, 16, 2000, 30
        )  # fmt: skip
        registry = rooms.registry
        assert (registry._max_rooms, registry._max_rooms_per_user) == (256, 0)
        assert registry._rejoin_timeout == 30

    def test_seats_are_held_unless_the_operator_says_no(self) -> None:
        assert self.runtime("--port", "0").rejoin_timeout == 30
        assert self.runtime("--port", "0", "--rejoin-timeout", "0").rejoin_timeout == 0

    def test_by_the_rooms_protocol_only_if_the_operator_says_so(self) -> None:
        for arguments, rejoins in (("", False), ("--rejoin-timeout 5", True)):
            [factory] = self.rooms_of(*words(arguments)).factories
            assert isinstance(factory, RoomsFactory) and factory.rejoins is rejoins

    def test_without_a_port_it_listens_on_5000(self) -> None:
        self.patch(Options, "offers_page", False)
        for arguments in ("", "--web none"):
            ports = self.options(*words(arguments)).ports
            assert (ports["port"], ports["web"]) == (["tcp:5000:backlog=4096"], [])

    def test_where_the_page_is_installed_tictac_serve_offers_it(self) -> None:
        self.patch(Options, "offers_page", True)
        ports = self.options().ports
        assert (ports["port"], ports["web"]) == (
            ["tcp:5000:backlog=4096"], ["tcp:8080:backlog=4096"]
        )  # fmt: skip
        assert self.options("--web", "none").ports["web"] == []
        assert self.options("--port", "5001").ports["web"] == []

    def test_rooms_are_saved_with_the_accounts_unless_the_operator_says_no(self) -> None:
        url = "postgresql://somewhere/tictac"
        for database, journal, saved, waits in (
            ("users.db", "auto", True, False),
            ("users.db", "none", False, False),
            (url, "none", False, False),
            (url, "auto", True, True),
            (url, "postgres", True, True),
        ):
            made = self.runtime("--port", "0", "--database", database, "--journal", journal)
            made.database, made.behind = database, None
            assert isinstance(made.registry.outbox, Journaled) is saved
            assert (made.turn is not None) is waits

    def test_a_database_that_cant_be_used_names_what_needs_it(self) -> None:
        def find(given: str) -> str:
            raise SetupError("it can't be made.")

        def error(path: Path) -> str:
            made = self.runtime("--nim", "1", "--database", str(path))
            return str(self.assertRaises(SetupError, lambda: made.registry))

        self.patch(runtime, "find_database", find)
        kept = self.directory / "kept.db"
        kept.touch()
        self.patch(os, "access", lambda path, mode: False)  # root may write to any file
        assert (
            error(kept) == "it can't be made; it is for rooms, too, unless you add --journal none"
        )
        assert error(self.directory / "no" / "users.db") == "it can't be made."

    def test_every_option_of_tokens_reaches_them(self) -> None:
        self.patch(runtime, "store_at", lambda *_: MemoryStore())
        made = self.runtime(*words("--port 0 --token-days 3 --max-tokens-per-user 4"))
        made.database = ""
        tokens = made.accounts.tokens
        assert (tokens.days, tokens._most) == (3, 4)

    def test_every_option_of_the_rooms_reaches_them(self) -> None:
        rooms = self.rooms_of(
            *words(
                "--framing bare --max-message 100 --bare-complete 1 --bare-incomplete 2"
                " --bare-gap 3 --bare-entry-gap 5 --turn-budget 4 --login-timeout 6"
                " --idle-timeout 8 --rejoin-timeout 9.5 --max-connections 10"
                " --max-connections-per-peer 11 --max-half-closed 11 --connect-rate 12"
                " --budget 13 --budget-burst 14 --trusted-net 192.0.2.0/24"
                " --max-unsent 15 --keepalive 16.5 --no-eager-send"
                " --max-rooms-per-connection 17 --max-room-events 18 --guests"
                " --backlog 16"
            )
        )
        [factory], [listener], lobby = rooms.factories, rooms.listeners, rooms.lobby
        assert factory.framing == Framing("bare", 100, 1.0, 2.0, 3.0, 4, entry_gap=5.0)
        nets = (IPv4Network("192.0.2.0/24"),)
        assert factory.limits == Limits(6.0, 8.0, 10, 11, 11, 12, 13, 14, nets, 15, 16.5)
        assert (listener.description, listener._eager) == ("tcp:0:backlog=16", False)
        assert (lobby.guests, lobby.max_rooms, lobby._max_events, lobby.held) == (
            True, 17, 18, 9.5
        )  # fmt: skip

    def test_several_ports(self) -> None:
        options = self.options("--port", "80", "-p", "unix:/run/x", "--port=tcp6:1:backlog=5")
        assert options.ports["port"] == ["tcp:80:backlog=4096", "unix:/run/x", "tcp6:1:backlog=5"]

    def test_one_address_for_all_ports(self) -> None:
        options = self.options("--port", "5001", "--web", "8081", "--listen", "127.0.0.1")
        for port in (*options.ports["port"], *options.ports["web"]):
            assert ":interface=127.0.0.1:" in port
        assert ":interface=127.0.0.1:" in self.options("--listen", "127.0.0.1").ports["port"][0]

    def test_a_limit_may_be_turned_off(self) -> None:
        rooms = self.rooms_of(
            *words(
                "--login-timeout 0 --move-timeout 0 --idle-timeout 0 --wait-timeout 0 --max-rooms 0"
                " --max-connections 0 --max-connections-per-peer 0 --max-half-closed 0"
                " --connect-rate 0 --budget 0 --budget-burst 0"
                " --max-unsent 0 --keepalive 0"
            )
        )
        assert rooms.factories[0].limits == Limits(0, 0, 0, 0, 0, 0, 0, 0, (), 0, 0)

    def test_what_is_wrong_is_one_line(self) -> None:
        for arguments in (
            ["--port"],
            ["--port", "65536"],
            ["--port", "1", "--nonsense"],
            ["--port", "1", "nonsense"],
            ["--port", "1", "--framing", "lines"],
            ["--port", "1", "--bcrypt-rounds", "3"],
            ["--port", "1", "--bcrypt-rounds", "31"],
            ["--port", "1", "--max-rooms", "-1"],
            ["--port", "1", "--max-rooms", "1.5"],
            ["--port", "1", "--max-message", "0"],
            ["--port", "1", "--turn-budget", "0"],
            ["--port", "1", "--drain", "nan"],
            ["--port", "1", "--budget", "many"],
        ):
            assert self.error(*arguments), arguments


class ConfigurationTests(TapCase):
    def test_the_keys_of_the_source(self) -> None:
        options = self.options("--config", self.config())
        assert options.ports["port"] == ["tcp:2000:backlog=4096"]
        assert options["database"] == str(self.directory / "users.db")

    def test_any_long_option_by_its_name(self) -> None:
        path = self.config(
            max_rooms=7, framing="line", drain=0.5, bcrypt_rounds=5, computer=3, log_matches=True,
            no_eager_send=False, login_failures=9,
        )  # fmt: skip
        options = self.options("--config", path)
        found = [options[name] for name in (
            "max-rooms", "framing", "drain", "bcrypt-rounds", "computer", "log-matches",
            "no-eager-send", "login-failures",
        )]  # fmt: skip
        assert found == [7, "line", 0.5, 5, 3.0, 1, 0, 9]

    def test_the_command_line_wins(self) -> None:
        path = self.config(max_rooms=7, drain=5, framing="line")
        for arguments in (
            ["--port", "1", "--max-rooms", "8", "--database", "x.db", "--config", path],
            ["--config", path, "--port", "1", "--max-rooms", "8", "--database", "x.db"],
        ):
            options = self.options(*arguments)
            assert options.ports["port"] == ["tcp:1:backlog=4096"]
            assert (options["max-rooms"], options["database"]) == (8, "x.db")
            assert (options["drain"], options["framing"]) == (5.0, "line")

    def test_also_with_the_value_that_is_there_by_default(self) -> None:
        options = self.options("--config", self.config(max_rooms=7), "--max-rooms", "256")
        assert options["max-rooms"] == 256

    def test_the_errors_of_rooms_md(self) -> None:
        path = self.directory / "config.json"
        assert self.error("--config", str(path)) == f"{path} doesn't exist."
        path.write_text("{")
        assert self.error("--config", str(path)) == f"{path} is not in a valid JSON format."
        path.write_text("{}")
        assert self.error("--config", str(path)) == f"{path} missing key(s): port, userDatabase"
        assert self.error("--config", self.config(port=80)) == "port number out of range"

    def test_an_option_that_is_none_or_has_a_value_it_cant_have(self) -> None:
        for content in (
            {"max_rooms": -1},
            {"max_rooms": 1.5},
            {"max_rooms": None},
            {"max_rooms": [1]},
            {"max_rooms": True},
            {"max_rooms": "many"},
            {"max_rooms": float("inf")},
            {"framing": "lines"},
            {"framing": 1},
            {"drain": 10**400},
            {"log_matches": "yes"},
            {"log_matches": 1},
            {"config": "other.json"},
            {"help": True},
            {"version": True},
        ):
            assert self.error("--config", self.config(**content)), content


class EnvironmentTests(TapCase):
    def environment(self, **variables: str) -> None:
        for name, text in variables.items():
            mocked = patch.dict(os.environ, {f"TICTAC_{name}": text})
            mocked.start()
            self.addCleanup(mocked.stop)

    def test_every_option_has_a_variable(self) -> None:
        self.environment(
            PORT="80 unix:/run/x", MAX_ROOMS="7", GUESTS="true", NO_EAGER_SEND="false",
            TRUSTED_NET="192.0.2.0/24 2001:db8::/32", NIM_LIST="3,5,7", DRAIN="",
        )  # fmt: skip
        options = self.options()
        assert options.ports["port"] == ["tcp:80:backlog=4096", "unix:/run/x"]
        found = [options[name] for name in ("max-rooms", "guests", "no-eager-send", "nim-list")]
        assert found == [7, True, False, (3, 5, 7)]
        assert len(options["trusted-net"]) == 2
        assert options["drain"] == 10

    def test_the_command_line_wins_over_it_and_it_wins_over_the_file(self) -> None:
        path = self.config(max_rooms=7, drain=5, framing="line")
        self.environment(CONFIG=path, MAX_ROOMS="8", DRAIN="6", PORT="1")
        options = self.options("--max-rooms", "9", "--port", "2")
        assert (options["max-rooms"], options["drain"], options["framing"]) == (9, 6, "line")
        assert options.ports["port"] == ["tcp:2:backlog=4096"]
        lines = [
            " ".join(line.split()) for line in as_toml(GROUPS, options.in_force(), options.given)
        ]
        for line in (
            "max-rooms = 9 # option", "drain = 6 # TICTAC_DRAIN", f'framing = "line" # {path}'
        ):  # fmt: skip
            assert line in lines

    def test_what_is_wrong_is_one_line(self) -> None:
        for name, text, said in (
            ("MAX_ROOMS", "many", "'many' isn't a whole number"),
            ("GUESTS", "1", "it is true or false"),
            ("TRUSTED_NET", "x", "'x' isn't a network like 192.0.2.0/24 or 2001:db8::/32"),
        ):
            with patch.dict(os.environ, {f"TICTAC_{name}": text}):
                assert self.error() == f"TICTAC_{name}: {said}"


class InForceTests(TapCase):
    """What ``tictac config`` prints."""

    def lines(self, *arguments: str) -> list[str]:
        options = Options()
        options.parseOptions(arguments)
        return list(as_toml(GROUPS, options.in_force(), options.given))

    def test_each_value_and_where_it_comes_from(self) -> None:
        path = self.config(max_rooms=7, guests=True, port=["tcp:2000", 2001])
        lines = [" ".join(line.split()) for line in self.lines("--config", path, "--budget=5")]
        for line in (
            f'port = ["tcp:2000", "2001"] # {path}', f"max-rooms = 7 # {path}",
            "budget = 5 # option", f"guests = true # {path}", "drain = 10 # default",
            "# nim = # default", "# rooms",
        ):  # fmt: skip
            assert line in lines

    def test_it_is_a_file_that_says_the_same(self) -> None:
        path = self.directory / "tictac.toml"
        given = ("--nim", "1", "--nim-list", "3,5,7", "--trusted-net", "192.0.2.0/24", "--web=1")
        path.write_text("\n".join(self.lines(*given)))
        assert dict(self.options("--config", str(path)), config=None) == self.options(*given)

    def test_a_terminal_obeys_nothing_in_it(self) -> None:
        path = self.directory / "tictac.toml"
        path.write_text("port = 5000\n" r'registration = "code:\u009b\U0001f600\u001b"')
        lines = self.lines("--config", str(path))
        assert "".join(lines).isprintable()
        path.write_text("\n".join(lines))
        assert self.options("--config", str(path))["registration"] == "code:\x9b\U0001f600\x1b"

    def test_it_covers_every_option(self) -> None:
        rows = [row.name for rows in GROUPS.values() for row in rows]
        assert sorted(rows) == sorted(Options())

    def test_no_password(self) -> None:
        pytest.importorskip("psycopg")
        lines = self.lines("--database", "postgresql://tictac:sesame@db.example/tictac")
        assert "sesame" not in "".join(lines)
        assert any('"postgresql://tictac@db.example/tictac"' in line for line in lines)


class TlsTests(TapCase):
    def setUp(self) -> None:
        super().setUp()
        self.cert, self.key = self.directory / "c.pem", self.directory / "k.pem"
        self.cert.write_text("-----BEGIN CERTIFICATE-----")
        self.key.write_text("-----BEGIN PRIVATE KEY-----")

    def test_every_tcp_port_speaks_it(self) -> None:
        options = self.options(
            *words("--port 1 --port unix:/x --web tcp:2:interface=127.0.0.1 --nim tcp6:3"),
            *words("--port haproxy:tcp:4 --port ssl:5:privateKey=own.pem"),
            *words(f"--tls-cert {self.cert} --tls-key {self.key}"),
        )
        files = f"privateKey={self.key}:certKey={self.cert}"
        assert options.ports["port"] == [
            f"ssl:1:backlog=4096:{files}", "unix:/x", "haproxy:tcp:4:backlog=4096",
            "ssl:5:privateKey=own.pem:backlog=4096",
        ]  # fmt: skip
        assert options.ports["web"] == [f"ssl:2:interface=127.0.0.1:backlog=4096:{files}"]
        assert options.ports["nim"] == [rf"ssl:3:backlog=4096:interface=\:\::{files}"]

    def test_a_file_that_could_stop_the_server_is_not_read(self) -> None:
        fifo = self.directory / "fifo"
        os.mkfifo(fifo)
        said = f"{fifo} can't be read: it isn't a regular file"
        given = ("--tls-cert", str(self.cert), "--tls-key", str(fifo))
        assert self.error("--port", "1", *given) == f"--tls-key: {said}"

    def test_what_is_wrong_with_the_files_is_one_line(self) -> None:
        locked = self.directory / "locked.pem"
        locked.write_text("-----BEGIN ENCRYPTED PRIVATE KEY-----")
        for cert, key, said in (
            (self.key, self.key, f"--tls-cert: {self.key} has no certificate in PEM"),
            (self.cert, self.cert, f"--tls-key: {self.cert} has no private key in PEM"),
            (self.cert, locked, f"--tls-key: {locked} has a private key with a password"),
            (self.cert, "/no", "--tls-key: /no can't be read: No such file or directory"),
        ):
            given = ("--port", "1", "--tls-cert", str(cert), "--tls-key", str(key))
            assert self.error(*given) == said
        assert self.error("--port", "1", "--tls-key", str(self.key)) == "--tls-key needs --tls-cert"

    def test_a_mistyped_option_has_a_near_one(self) -> None:
        said = self.error("--prot", "1")
        assert said == "option --prot not recognized; did you mean port?"

    def test_the_key_may_be_in_the_file_of_the_certificate(self) -> None:
        alone = ("--port", "1", "--tls-cert", str(self.cert))
        assert self.error(*alone) == f"{self.cert} has no private key in PEM"
        self.cert.write_text(self.cert.read_text() + self.key.read_text())
        files = f"privateKey={self.cert}:certKey={self.cert}"
        assert self.options(*alone).ports["port"] == [f"ssl:1:backlog=4096:{files}"]


class HelpTests(TapCase):
    def test_examples_come_first_then_the_options_of_each_part(self) -> None:
        text = Options().getUsage()
        places = [text.index(f"\n{title}:\n") for title in GROUPS]
        assert text.startswith("examples:\n") and places == sorted(places)

    def test_the_examples_are_good(self) -> None:
        self.patch(config, "read_config", lambda path, names: {"port": 5000})
        self.patch(tls, "_checked", lambda path, what: path)
        for line in config.EXAMPLES.splitlines()[1:]:
            command, _, _ = line.strip().partition("   ")
            self.options(*words(command.partition(" tictac ")[2]))


SET_BACK = """
import time
now = [time.time()]
time.time = lambda: now[0]
from twisted.internet import reactor
from tictac.server.make import Options, makeService
options = Options()
options.parseOptions(["--port", "tcp:0:interface=127.0.0.1", "--database", "{database}"])
makeService(options)
reactor.callLater(5, print)
now[0] -= 600
print(reactor.timeout() <= 5)
"""


LOADING = """
import builtins, os, signal, sys
load = builtins.__import__
first = {{"server", "server.cli", "server.make", "server.early", "server.manual", "plugin"}}
def hang_up(name, *rest):
    if name.startswith("tictac.") and name.removeprefix("tictac.") not in first:
        os.kill(os.getpid(), signal.SIGHUP)
    return load(name, *rest)
{start}
builtins.__import__ = hang_up
{load}
print("loaded")
"""


class MakeServiceTests(ServiceCase):
    def test_a_hang_up_during_the_start_ends_nothing(self) -> None:
        """It comes at each import of a module of ours that loads after the first one."""
        for start, load_all in (
            ("", "import tictac.server.make"),
            ("from tictac.server.cli import main; sys.argv[1:] = ['serve', '--help']",
             "import twisted.scripts.twistd as twistd; twistd.run = lambda: None; main()"),
        ):  # fmt: skip
            script = LOADING.format(start=start, load=load_all)
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
            assert (done.returncode, done.stdout) == (0, "loaded\n"), done

    def end_services(self) -> None:
        """Let services that never start leave the rooms to the next one."""
        self.patch(runtime, "lock_beside", lambda *_: None)

    def test_a_file_of_users_that_is_not_read_is_named_in_the_log(self) -> None:
        self.end_services()
        one, two = (self.directory / name for name in ("one.json", "two.json"))
        one.write_text("[]")
        database = f"accounts: using {self.database}; "
        for given, expected in (
            (one, []),
            (one, [f"{one} was not read"]),
            (two, [f"{two} was not read"]),
        ):
            with capturedLogs() as logs:
                self.make("--port", "1", "--database", str(given))
            said = [formatEvent(event) for event in logs]
            assert [text for text in said if "accounts" in text] == [database + e for e in expected]

    def test_timers_dont_stand_still_when_the_clock_is_set_back(self) -> None:
        script = SET_BACK.format(database=self.database)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("True\n", "")

    def test_nothing_is_opened_before_it_starts(self) -> None:
        service = self.make("--port", "tcp:0:interface=127.0.0.1", "--database", self.database)
        rooms, *others = service.services
        assert isinstance(rooms, LobbyService)
        assert [type(part) for part in others] == [
            TournamentService, LadderService, PeopleService, PrivacyService, DaysService,
            DeskService, PuzzleService, ReplayService,
        ]  # fmt: skip
        assert [type(listener) for listener in rooms.listeners] == [Listener]
        assert not self.reactor.tcpServers
        assert not service.running

    def test_registrations_need_the_reserve_of_the_disk(self) -> None:
        arguments = words("--port tcp:0:interface=127.0.0.1 --disk-reserve 1000000000 --database")
        service = self.make(*arguments, self.database)
        [disk] = service.disks
        disk.start()
        self.addCleanup(disk.stop)
        rooms = service.services[0]
        assert isinstance(rooms, LobbyService) and rooms.registry.storage is not None
        assert "disk_free_bytes" in rooms.registry.storage.figures()
        with self.assertRaises(DiskFull):
            rooms.accounts.admits("192.0.2.1")

    def test_signals_are_taken_when_the_reactor_runs(self) -> None:
        # Before, twistd would put its own handlers in their place.
        for number in (signal.SIGTERM, signal.SIGINT):
            self.addCleanup(signal.signal, number, signal.getsignal(number))
        before = signal.getsignal(signal.SIGTERM)
        self.make("--port", "tcp:0:interface=127.0.0.1", "--database", self.database)
        assert signal.getsignal(signal.SIGTERM) is before
        for hook, arguments, options in self.reactor.whenRunningHooks:
            hook(*arguments, **options)
        assert signal.getsignal(signal.SIGTERM) is not before

    def test_a_database_that_cant_be_used(self) -> None:
        path = self.directory / "users.db"
        path.write_bytes(b"no database" * 1000)
        line = self.failure("--port", "tcp:0:interface=127.0.0.1", "--database", str(path))
        assert line == f"{path} isn't an SQLite database"

    def test_an_endpoint_that_cant_be_used(self) -> None:
        line = self.failure("--port", "nonsense:1", "--database", self.database)
        assert line.startswith("cannot listen on nonsense:1: ")

    def test_the_users_of_a_json_file_are_imported_once(self) -> None:
        self.end_services()
        path = self.directory / "users.json"
        path.write_text(json.dumps([{"username": "alice", "password": HASH}]))
        for _ in range(2):
            self.make("--port", "tcp:0:interface=127.0.0.1", "--database", str(path))
            assert (self.directory / "users.db").exists()
            path.write_text("[")


class PluginTests(SynchronousTestCase):
    def test_twistd_knows_it(self) -> None:
        [plugin] = [plugin for plugin in getPlugins(IServiceMaker) if plugin.tapname == "tictac"]
        maker: Any = plugin
        assert maker.options is Options
        assert maker.makeService is makeService
