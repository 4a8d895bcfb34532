"""The documents: every transcript is played, every example tried, every link followed."""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from configparser import RawConfigParser
from contextlib import redirect_stdout
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest
from twisted.internet import reactor
from twisted.internet.endpoints import serverFromString
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.logger import formatEvent
from twisted.python.failure import Failure

from tests.accounts.helpers import InstantReactor, instant_pool
from tests.documents import (
    BIN,
    DOCUMENTS,
    MADE,
    PAGES,
    README,
    ROOT,
    Block,
    anchor,
    anchors,
    blocks,
    catalogue,
    commands,
    error_codes,
    links,
    make_certificate,
    page,
)
from tests.storage.memory import MemoryStore
from tests.units import check_exec_start, exec_start
from tictac.accounts.accounts import Accounts
from tictac.accounts.hasher import PasswordHasher
from tictac.accounts.registration import Registration
from tictac.accounts.throttle import LoginThrottle
from tictac.lobby.registry import Registry
from tictac.net.connection import ServerConnection
from tictac.net.listening import endpoint_description
from tictac.net.plugin import connection_limits
from tictac.net.settings import RoomsOptions
from tictac.options import Settings
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.rooms.server import RoomsFactory
from tictac.protocols.rooms.service import framing_of
from tictac.runtime import Runtime
from tictac.server.cli import COMMANDS, main
from tictac.server.make import Options

ROOMS = page("rooms")
ACCOUNTS = page("accounts")
INSTALL = page("install")
RUN = page("run")
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
UNIT = ROOT / "deploy" / "tictac.service"

# Transcripts


class Stage:
    """A server with the options' defaults, and the people of a transcript before it."""

    def __init__(self) -> None:
        self._settings = Settings({})
        self._start(Runtime(self._settings, Clock()).rejoin_timeout)

    def _start(self, held: float, rejoins: bool = False) -> None:
        self.clock = Clock()
        seconds = self.clock.seconds
        options = self._settings[RoomsOptions]
        self._faults: list[object] = []
        self._registry = Registry(
            options.max_rooms, seconds, self._faults.append, held, rng=Random(1)
        )
        hasher = PasswordHasher(InstantReactor(), 4, 1, instant_pool)
        accounts = Accounts(MemoryStore(), hasher, LoginThrottle(self.clock, seconds))
        accounts.start()
        lobby = Lobby(self._registry, seconds, self.clock.callLater, Random(1))
        self._factory = RoomsFactory(
            self.clock,
            seconds,
            framing_of(options),
            connection_limits(self._settings, options.login_timeout, options.idle_timeout),
            registry=self._registry,
            accounts=accounts,
            lobby=lobby,
            rejoins=rejoins,
        )
        self._people: dict[str, tuple[ServerConnection, StringTransport]] = {}

    def play(self, lines: Iterable[str]) -> None:
        """Do what each line says; in the end nothing may be unread."""
        for line in lines:
            self._play_line(line)
        self._require_silence("the end")
        assert not self._faults

    def _play_line(self, line: str) -> None:
        said = re.fullmatch(r"(\w+)(>>?|<<?) (.+)", line)
        if said is None:
            self._direct(line)
            return
        name, arrow, text = said.groups()
        message = text.encode() + (b"\n" if len(arrow) == 1 else b"")
        if arrow[0] == ">":
            self._require_silence(line)
            self._person(name)[0].dataReceived(message)
        else:
            self._read(name, message)

    def _person(self, name: str) -> tuple[ServerConnection, StringTransport]:
        if name not in self._people:
            connection, transport = self._factory.buildProtocol(None), StringTransport()
            connection.makeConnection(transport)
            self._people[name] = connection, transport
        return self._people[name]

    def _read(self, name: str, message: bytes) -> None:
        transport = self._person(name)[1]
        waiting = transport.value()
        assert waiting.startswith(message), f"{name} got {waiting!r}, not {message!r}"
        transport.clear()
        transport.write(waiting[len(message) :])

    def _require_silence(self, when: str) -> None:
        unread = {name: t.value() for name, (_, t) in self._people.items() if t.value()}
        assert not unread, f"unread at {when}: {unread}"

    # Stage directions

    def _direct(self, line: str) -> None:
        self._require_silence(line)
        if found := re.fullmatch(r"\(the server runs with --rejoin-timeout (\d+)\)", line):
            self._start(float(found[1]), True)
        elif found := re.fullmatch(r"\((\d+) (ms|seconds) pass\)", line):
            self._pass_time(int(found[1]) / (1000 if found[2] == "ms" else 1))
        elif found := re.fullmatch(r"\((.+) (?:is|are) logged in\)", line):
            self._log_in(re.split(", | and ", found[1]))
        elif found := re.fullmatch(r"\((\w+) and (\w+) play in (\w+)\)", line):
            self._begin(found[1], found[2], found[3])
        elif found := re.fullmatch(r"\((\w+) hangs up\)", line):
            self._people.pop(found[1])[0].connectionLost(Failure(ConnectionDone()))
        elif found := re.fullmatch(r"\((\w+) ends (?:his|her) input\)", line):
            self._people[found[1]][0].readConnectionLost()
        elif found := re.fullmatch(r"\((\w+) is disconnected\)", line):
            assert self._people[found[1]][1].disconnecting, line
        else:
            raise AssertionError(f"what does {line!r} mean?")

    def _pass_time(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self._factory.expire()
        options = self._settings[RoomsOptions]
        self._registry.expire(options.move_timeout, options.wait_timeout)

    def _log_in(self, names: Iterable[str]) -> None:
        for name in names:
            self.play(
                [
                    f"{name}> REGISTER:{name}:secret", f"{name}< REGISTER:ACKSTATUS:0",
                    f"{name}> LOGIN:{name}:secret", f"{name}< LOGIN:ACKSTATUS:0",
                ]
            )  # fmt: skip

    def _begin(self, first: str, second: str, room: str) -> None:
        self._log_in([first, second])
        self.play([f"{first}> CREATE:{room}", f"{first}< CREATE:ACKSTATUS:0"])
        self.play(
            [
                f"{second}> JOIN:{room}:PLAYER", f"{second}< JOIN:ACKSTATUS:0",
                f"{second}< BEGIN:{first}:{second}", f"{first}< BEGIN:{first}:{second}",
            ]
        )  # fmt: skip


def _title(block: Block) -> str:
    return f"{block.heading}: {block.lines[0]}"


@pytest.mark.parametrize("block", blocks(ROOMS, language="transcript"), ids=_title)
def test_transcript(block: Block) -> None:
    Stage().play(block.lines)


def test_the_stage_notices_what_a_transcript_leaves_out() -> None:
    with pytest.raises(AssertionError, match="unread at the end"):
        Stage().play(["alice> LOGIN:nobody:secret"])
    with pytest.raises(AssertionError, match="unread at bob> FORFEIT"):
        Stage().play(["alice> FORFEIT", "bob> FORFEIT"])
    with pytest.raises(AssertionError, match="alice got b''"):
        Stage().play(["alice< BADAUTH"])
    with pytest.raises(AssertionError, match="unread at the end"):
        Stage().play(["alice> FORFEIT", "alice<< BADAUTH"])


def test_the_limits_in_the_protocol_document_are_the_defaults() -> None:
    section = ROOMS.read_text("utf-8").split("## Limits")[1].split("\n## ")[0]
    named = {
        name: line for line in section.splitlines() for name in re.findall(r"`--([a-z-]+)`", line)
    }
    assert len(named) == 4
    options = Options()
    for name, line in named.items():
        assert re.search(rf"\b{options[name]:g}\b", line), f"{name} is {options[name]}: {line}"


# Links


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for link in links(document):
        path, _, heading = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.exists(), link
        assert not heading or heading in anchors(target), link


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_no_merge_is_left_undecided(document: Path) -> None:
    assert not re.search(r"^(<{7}|={7}|>{7})( |$)", document.read_text("utf-8"), re.M)


def test_what_comments_cite_is_there() -> None:
    """A document by its file; sections of it, after a comma, by their headings."""
    cited = re.compile(r"""([\w-]+\.md)((?:(?:,| and) "[^"]+")*)""")
    known = dict[str, set[str]]()
    for path in DOCUMENTS:
        known.setdefault(path.name, set()).update(anchors(path))
    paths = [
        path for folder in ("tictac", "tests", "bench") for path in ROOT.glob(f"{folder}/**/*.py")
    ]
    wrong = []
    for path in paths:
        for document, sections in cited.findall(" ".join(path.read_text("utf-8").split())):
            names = set(map(anchor, re.findall(r'"([^"]+)"', sections)))
            if not names <= known.get(document, set()) or document not in known:
                wrong.append(f"{path.relative_to(ROOT)}: {document}{sections}")
    assert not wrong


def _linked(document: Path) -> set[Path]:
    """Return the files that ``document`` links to."""
    return {(document.parent / link.partition("#")[0]).resolve() for link in links(document)}


def test_every_document_can_be_found_from_the_readme() -> None:
    index = page("index")
    assert _linked(README) >= {index, *ROOT.glob("*.md")} - {README}
    assert _linked(index) >= {*PAGES.values()} - {index}


@pytest.mark.parametrize("document", [README, *PAGES.values()], ids=lambda path: path.name)
def test_the_documents_stay_short(document: Path) -> None:
    text = MADE.sub("", document.read_text("utf-8"))
    assert len(document.read_text("utf-8").split()) <= 3500
    assert [line for line in text.splitlines() if line.startswith("|") and len(line) > 160] == []


def test_the_readme_stays_short() -> None:
    assert len(README.read_text("utf-8").splitlines()) <= 110


OF_TWISTD = {"umask", "pidfile", "logfile", "rundir", "syslog", "logger"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_is_named_in_code_marks_exists(document: Path) -> None:
    """What was renamed shall not live on in the documents."""
    text = document.read_text("utf-8")
    folders = [ROOT, *(ROOT / "tictac").glob("**/"), *document.parent.glob("tictac_*/")]
    for name in re.findall(r"`((?:[\w.]+/)*\w+\.(?:py|md|service|ini))`", text):
        assert any((folder / name).exists() for folder in folders), name
    for folder in re.findall(r"`((?:tictac|tests|docs|deploy|bench|twisted)/[\w/]*)`", text):
        assert (ROOT / folder).is_dir(), folder
    for name in re.findall(r"`(?:python -m )?bench\.(\w+)", text):
        assert find_spec(f"bench.{name}") is not None, name
    for module, name in re.findall(r"`(tictac(?:\.[a-z_]+)+)\.([A-Z]\w+)`", text):
        assert hasattr(import_module(module), name), name
    for name in re.findall(r"`--([a-z-]+)`", text):
        # Those that the documents explain as others' own.
        assert name in _known_options() | OF_TWISTD, name


@cache
def _known_options() -> set[str]:
    """Return the long names of all options: the server's, and those of commands."""
    return {"help", "version", *Options(), *_command_options()}


def _command_options() -> Iterator[str]:
    subparsers = argparse.ArgumentParser().add_subparsers()
    for add_parser in dict.fromkeys(each for _, each in COMMANDS.all()):
        add_parser(subparsers)
    parsers = [*subparsers.choices.values()]
    for parser in parsers:  # which grows
        yield from re.findall(r"--([a-z-]+)", parser.format_help())
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()


@pytest.mark.parametrize("folder", ["lobby", "protocols/rooms", "plugins/postgres"])
def test_a_package_explains_its_files(folder: str) -> None:
    package = ROOT / "tictac" / folder
    explained = (package / "__init__.py").read_text("utf-8")
    for file in package.glob("*.py"):
        assert file.name == "__init__.py" or f"``{file.stem}``" in explained, file.name


# The log


CONSOLE = ROOT / "tictac" / "plugins" / "programs" / "running.py"
"""What runs console programs, whose user sees their faults."""


def _sources() -> Iterator[ast.AST]:
    """Yield every node of the server's syntax trees."""
    for file in (ROOT / "tictac").rglob("*.py"):
        if "terminal" not in file.parts and file != CONSOLE:
            yield from ast.walk(ast.parse(file.read_text("utf-8")))


def test_every_line_about_trouble_is_in_the_catalogue() -> None:
    logged, texts = dict[str, str](), set[str]()
    for node in _sources():
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="_log"), attr=level),
                args=[ast.Constant(value=str(text)), *_],
            ):
                logged[text] = "critical" if level == "failure" else level
            case ast.Constant(value=str(text)):
                texts.add(text)
    listed = {text: level for part in catalogue()["log"] for level, text, _ in part["lines"]}
    trouble = {text for text, level in logged.items() if level not in ("debug", "info")}
    assert trouble and trouble <= set(listed)
    assert set(listed) <= texts | set(logged)
    assert {text: logged.get(text, level) for text, level in listed.items()} == listed


def test_every_error_code_is_listed() -> None:
    noted = set()
    names = ("budget.py", "connection.py", "limits.py", "listening.py", "proxied.py")
    net = [ROOT / "tictac" / "net" / name for name in names]
    servers = (ROOT / "tictac").glob("**/server.py")
    for file in (*(path for path in servers if path.parent.name != "check"), *net):
        source = file.read_text("utf-8")
        noted |= set(
            re.findall(r'(?:note|is_first|drop_for|close_for|return)\(?\s?"([a-z-]+)"', source)
        )
        noted |= set(re.findall(r'"((?:login|idle|play|move)-timeout)"', source))
    assert noted <= set(error_codes())
    assert set(catalogue()["codes"]) <= noted


def test_the_texts_are_those_of_log_events() -> None:
    """Braces are fields: what is explained would come out so."""
    event = {"log_format": "{user!r} registered from {peer}", "user": "alice", "peer": "192.0.2.1"}
    assert formatEvent(event) == "'alice' registered from 192.0.2.1"


# Configuration


def _start(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the error printed for arguments that the server refuses."""
    with pytest.raises(SystemExit) as ended:
        Options().parseOptions(arguments)
    assert ended.value.code == 1
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def test_the_example_of_a_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (example,) = blocks(RUN, "Configuration file", "json")
    file = tmp_path / "tictac.json"
    file.write_text(example.text)
    options = Options()
    options.parseOptions(["--config", str(file)])
    assert options.ports["port"] == ["tcp:5000:backlog=4096"]
    assert options["database"] == str(tmp_path / "tictac" / "users.db")
    assert (options["computer"], options["max-rooms"], options["log-matches"]) == (20, 1000, 1)

    options = Options()
    options.parseOptions(["--config", str(file), "--port", "0", "--max-rooms", "7"])
    assert options.ports["port"] == ["tcp:0:backlog=4096"]
    assert (options["computer"], options["max-rooms"]) == (20, 7)


def test_the_example_in_toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = blocks(RUN, "Configuration file", "toml")
    (command,) = commands(RUN, "Configuration file")
    (printed,) = blocks(RUN, "Configuration file", "text")
    (tmp_path / "tictac.toml").write_text(example.text)
    monkeypatch.chdir(tmp_path)
    said = io.StringIO()
    with redirect_stdout(said):
        assert main(command.split()[1:]) == 0
    assert set(printed.lines) <= set(said.getvalue().splitlines())


def test_the_example_of_messages_to_absent_players(tmp_path: Path) -> None:
    (example,) = blocks(page("absent-players"), "Switch it on", "toml")
    file = tmp_path / "tictac.toml"
    file.write_text(example.text)
    said = io.StringIO()
    with redirect_stdout(said):
        assert main(["config", "--config", str(file)]) == 0
    printed = [line.partition("  #")[0].strip() for line in said.getvalue().splitlines()]
    assert set(example.lines) <= set(printed)


def test_the_example_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    (command,) = commands(RUN, "Environment")
    (printed,) = blocks(RUN, "Environment", "text")
    *variables, _, _, option, value = shlex.split(command)
    for name, text in (variable.split("=", 1) for variable in variables):
        monkeypatch.setenv(name, text)
    said = io.StringIO()
    with redirect_stdout(said):
        assert main(["config", option, value]) == 0
    assert set(printed.lines) <= set(said.getvalue().splitlines())


WRONG_CONFIGURATIONS = {
    "<file> doesn't exist.": None,
    "<file> is not in a valid TOML format: <why>.": "port =",
    "<file> is not in a valid JSON format.": "[]",
    "<file> missing key(s): port, userDatabase": "{}",
    "port number out of range": '{"port": 80, "userDatabase": "users.db"}',
    "<file>: userDatabase isn't a path": '{"port": 5000, "userDatabase": ""}',
    "<file>: <name> isn't an option; did you mean <near>?": (
        '{"port": 5000, "userDatabase": "users.db", "max_room": 1}'
    ),
    "<file>: <name>: <why>": '{"port": 5000, "userDatabase": "users.db", "budget": -1}',
}


def test_what_can_be_wrong_with_a_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for said, content in WRONG_CONFIGURATIONS.items():
        file = tmp_path / ("tictac.toml" if "TOML" in said else "tictac.json")
        file.unlink(missing_ok=True)
        if content is not None:
            file.write_text(content)
        expected = "Error: " + said.replace("<file>", str(file))
        expected = expected.replace("<name>: <why>", "budget: -1 is below 0")
        expected = expected.replace("<why>", "Invalid value (at end of document)")
        expected = expected.replace("<name>", "max_room").replace("<near>", "max-rooms")
        assert _start(["--config", str(file)], capsys) == expected + "\n"


# Ports, certificates, the unit


def test_every_port_in_the_list_is_an_endpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("OpenSSL", exc_type=ImportError)
    monkeypatch.chdir(tmp_path)
    make_certificate(tmp_path)
    listed = RUN.read_text("utf-8").split("## Ports\n")[1].split("\n\n")[1]
    ports = re.findall(r"^- `(.*?)`: ", listed, re.M)
    assert len(ports) == 8
    for port in ports:
        if not port.startswith("systemd:"):  # which needs a socket that systemd has opened
            assert serverFromString(reactor, endpoint_description(port)) is not None


def test_the_unit_starts_a_server_and_gives_it_the_time_to_stop() -> None:
    unit = RawConfigParser()
    unit.read(UNIT)
    options = check_exec_start(unit["Service"]["ExecStart"].split())
    assert options.ports["port"] == ["tcp:5000:backlog=4096"]
    assert int(unit["Service"]["TimeoutStopSec"]) > options["drain"] + 10
    assert unit["Service"]["KillSignal"] == "SIGTERM"


def test_the_change_to_the_unit() -> None:
    (change,) = blocks(INSTALL, "Run with systemd", "ini")
    options = check_exec_start(exec_start(change.text))
    assert options["computer"] == 20


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze"):
        unit = tmp_path / UNIT.name
        unit.write_text(UNIT.read_text().replace("/opt/tictac/bin", str(BIN)))
        ran = subprocess.run(
            ["systemd-analyze", "verify", str(unit)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (ran.returncode, ran.stderr) == (0, "")
    for line in UNIT.read_text().splitlines():
        assert re.fullmatch(r"(#.*|\[\w+\]|[A-Z]\w+=.*|)", line), line


def test_the_commands_for_installing_it() -> None:
    assert (ROOT / commands(INSTALL, "Run with systemd")[0].split()[1]).samefile(UNIT)
    programs = [command.split()[0] for command in commands(INSTALL, "Install into a folder")]
    assert programs == ["python3", "/opt/tictac/bin/pip", "/opt/tictac/bin/twistd"]
    assert all((BIN / Path(program).name).exists() for program in programs)


def test_the_commands_of_whoever_contributes() -> None:
    (install,) = commands(CONTRIBUTING, "1. Set up")
    assert commands(README, "Quick start")[1].startswith(install)
    (one,) = commands(CONTRIBUTING, "2. Run the tests of one folder")
    *_, fast, checks, everything = commands(CONTRIBUTING, "4. Check it")
    assert one.startswith(everything) and (ROOT / one.split()[-1]).is_dir()
    environments = RawConfigParser()
    environments.read(ROOT / "tox.ini")
    run = environments["testenv"]["commands"].replace(" {posargs}", "").splitlines()
    for condition, command in (("fast", fast), ("!fast-!coverage", everything)):
        assert f"{condition}: {command.removeprefix('.venv/bin/')}" in run
    assert {f"testenv:{name}" for name in checks.split()[-1].split(",")} <= {*environments}


# Accounts


def _run(command: str, folder: Path) -> None:
    environment = {"PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin"}
    subprocess.run(
        command, shell=True, cwd=folder, env=environment, check=True,
        stdin=subprocess.DEVNULL, capture_output=True,
    )  # fmt: skip


def _import_example(folder: Path) -> str:
    (example,) = blocks(ACCOUNTS, "Import and export", "json")
    (folder / "players.json").write_text(example.text)
    _run("tictac users import --create players.json", folder)
    (name,) = [record["username"] for record in json.loads(example.text)]
    return str(name)


def _names(folder: Path, database: str) -> list[str]:
    listed = subprocess.run(
        [str(BIN / "tictac"), "users", "list", "--database", database],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return listed.stdout.split()


def test_the_example_of_codes(tmp_path: Path) -> None:
    (example,) = blocks(ACCOUNTS, "Registration", "text")
    file = tmp_path / "codes"
    file.write_text(example.text)
    registration = Registration(f"code:{file}")
    assert [registration.group_for(code) for code in ("maple-4711", "oak-0815")] == ["7b", "8a"]


def test_backups_bring_the_accounts_back(tmp_path: Path) -> None:
    name = _import_example(tmp_path)
    with_sqlite, with_tictac = commands(RUN, "Back up and restore")
    if shutil.which("sqlite3"):
        _run(with_sqlite, tmp_path)
        assert tmp_path.joinpath("users.backup.db").stat().st_mode & 0o777 == 0o600
        assert _names(tmp_path, "users.backup.db") == [name]
    _run(with_tictac, tmp_path)
    again = tmp_path / "again"
    again.mkdir()
    _run("tictac users import --create ../users.backup.json", again)
    assert _names(again, "users.db") == [name]
